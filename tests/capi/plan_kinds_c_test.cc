// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The columns of each kind of decision.
#include <memory>
#include <string>

#include "capi/boundary.h"
#include "capi/plan.h"
#include "muster/cluster.h"
#include "muster/policy.h"
#include "tests/capi/capi_support.h"
#include "tests/support/every_kind.h"

namespace muster {
namespace {

class PlanKinds : public ::testing::Test {
 protected:
  void SetUp() override {
    Cluster cluster;
    ASSERT_TRUE(muster::testing::FillForEveryKind(&cluster).ok());
    auto extensions = std::make_shared<Extensions>();
    extensions->actions.push_back(muster::testing::EveryKind());
    const absl::StatusOr<Plan> made =
        cluster.Schedule("muster:actions=every-kind", {.extensions = extensions});
    ASSERT_TRUE(made.ok()) << made.status();
    const auto memory = capi::MakeMemory(nullptr);
    ASSERT_TRUE(memory.ok());
    ASSERT_TRUE(capi::MakePlan(*made, nullptr, nullptr, *memory, Out(plan_)).ok());
    ASSERT_OK_C(muster_plan_get_view(plan_.get(), &view_, &error));
  }

  std::string Name(int32_t kind, int32_t row) const {
    const char* name = muster_plan_name(plan_.get(), kind, row, nullptr);
    return name == nullptr ? "" : name;
  }
  static std::string Text(const int64_t* offsets, const char* bytes, int64_t row) {
    return std::string(bytes + offsets[row], bytes + offsets[row + 1]);
  }
  // The row of the only decision of that kind in the table of its kind.
  int32_t RowOf(int32_t kind) const {
    for (int64_t i = 0; i < view_.decision_count; ++i) {
      if (view_.decision_kind[i] == kind) return view_.decision_row[i];
    }
    return -1;
  }

  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_plan> plan_;
  muster_plan_view view_ = MUSTER_PLAN_VIEW_INIT;
};

TEST_F(PlanKinds, Moves) {
  ASSERT_EQ(view_.move_count, 1);
  EXPECT_EQ(RowOf(MUSTER_DECISION_MOVE), 0);
  EXPECT_EQ(Name(MUSTER_KIND_TASKS, view_.move_task[0]), "mover");
  EXPECT_EQ(Name(MUSTER_KIND_NODES, view_.move_from[0]), "n0");
  EXPECT_EQ(Name(MUSTER_KIND_NODES, view_.move_to[0]), "n1");
  EXPECT_EQ(view_.move_nominated[0], 1);
  EXPECT_EQ(Name(MUSTER_KIND_TASKS, view_.move_beneficiary[0]), "gang-w-2");
}

TEST_F(PlanKinds, Reservations) {
  ASSERT_EQ(view_.reservation_count, 1);
  EXPECT_EQ(RowOf(MUSTER_DECISION_RESERVE), 0);
  EXPECT_EQ(Name(MUSTER_KIND_TASKS, view_.reservation_task[0]), "gang-w-1");
  EXPECT_EQ(view_.reservation_until[0], 600);
  EXPECT_EQ(Text(view_.reservation_group_offsets, view_.reservation_groups, 0), "together");
}

TEST_F(PlanKinds, OffersResizesAndSplits) {
  ASSERT_EQ(view_.offer_count, 1);
  EXPECT_EQ(RowOf(MUSTER_DECISION_OFFER), 0);
  EXPECT_EQ(view_.offer_job[0], MUSTER_NONE);
  EXPECT_EQ(Name(MUSTER_KIND_QUEUES, view_.offer_queue[0]), "default");
  EXPECT_EQ(Name(MUSTER_KIND_NODES, view_.offer_node[0]), "n2");
  ASSERT_GE(view_.dimensions, 2);
  EXPECT_EQ(view_.offer_amounts[0], 1000);
  EXPECT_EQ(view_.offer_amounts[1], MUSTER_ABSENT);
  ASSERT_EQ(view_.resize_count, 1);
  EXPECT_EQ(RowOf(MUSTER_DECISION_RESIZE), 0);
  EXPECT_EQ(Name(MUSTER_KIND_JOBS, view_.resize_job[0]), "gang");
  EXPECT_EQ(view_.resize_tasks[0], 5);
  EXPECT_EQ(Text(view_.resize_group_offsets, view_.resize_groups, 0), "w");
  ASSERT_EQ(view_.split_count, 1);
  EXPECT_EQ(RowOf(MUSTER_DECISION_SPLIT), 0);
  EXPECT_EQ(Name(MUSTER_KIND_TASKS, view_.split_task[0]), "gang-w-0");
  EXPECT_EQ(view_.split_parts[0], 3);
}

TEST_F(PlanKinds, Assignments) {
  ASSERT_EQ(view_.assignment_count, 1);
  EXPECT_EQ(Name(MUSTER_KIND_JOBS, view_.assignment_job[0]), "gang");
  EXPECT_EQ(Name(MUSTER_KIND_DIMENSIONS, view_.assignment_dimension[0]), "cpu");
  EXPECT_EQ(view_.assignment_tasks[0], 3);
  EXPECT_EQ(Text(view_.assignment_group_offsets, view_.assignment_groups, 0), "w");
  EXPECT_EQ(Text(view_.assignment_flavor_offsets, view_.assignment_flavors, 0), "spot");
}

TEST_F(PlanKinds, Places) {
  ASSERT_EQ(view_.place_count, 2);
  EXPECT_EQ(Name(MUSTER_KIND_JOBS, view_.place_job[1]), "gang");
  EXPECT_EQ(view_.place_tasks[0], 2);
  EXPECT_EQ(view_.place_tasks[1], 1);
  EXPECT_EQ(Text(view_.place_group_offsets, view_.place_groups, 1), "w");
  EXPECT_EQ(Text(view_.place_name_offsets, view_.place_names, 0), "b1,r7");
  EXPECT_EQ(Text(view_.place_name_offsets, view_.place_names, 1), "b1,r8");
}

}  // namespace
}  // namespace muster
