// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Cycles that are stopped at their first, second, ... question, or that have work for no more than
// so many units. The profiles are those of the registry. A cut cycle leaves the rows as they were;
// what it decided holds whole gangs only and can be carried out; and the next cycle decides what it
// would have decided anyway.
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/faults/fault_world.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster::testing {
namespace {

constexpr uint64_t kStoppedWorlds = 8;

class Stops : public ::testing::TestWithParam<std::string> {
 protected:
  // The cluster has had a cut cycle.
  void ExpectAsBefore(Cluster* cluster, const Plan& cut, const Plan& whole,
                      const std::string& rows) {
    ASSERT_EQ(RowsOf(*cluster), rows);
    if (!cut.complete()) {
      ++cuts_;
      const Snapshot now = cluster->Freeze();
      Invariants kept = InvariantsOf(GetParam());
      kept.max_min = false;  // a promise of complete plans
      const auto violations = Violations(now, cut, kept);
      ASSERT_TRUE(violations.empty()) << violations.front();
    }
    const absl::StatusOr<Plan> next = cluster->Schedule(GetParam());
    ASSERT_TRUE(next.ok()) << next.status().ToString();
    ASSERT_EQ(next->Digest(), whole.Digest());
  }

  int64_t cuts_ = 0;
};

TEST_P(Stops, AtEveryQuestion) {
  for (uint64_t seed = 0; seed < kStoppedWorlds; ++seed) {
    Cluster cluster = MakeCluster(RandomWorld(seed + 300));
    const absl::StatusOr<Plan> whole = Schedule(cluster.Freeze(), GetParam());
    ASSERT_TRUE(whole.ok()) << whole.status().ToString();
    const std::string rows = RowsOf(cluster);
    for (int64_t at = 1;; ++at) {
      int64_t questions = 0;
      ScheduleOptions options;
      options.should_stop = [&] { return ++questions >= at; };
      const absl::StatusOr<Plan> cut = cluster.Schedule(GetParam(), options);
      ASSERT_TRUE(cut.ok()) << cut.status().ToString();
      ASSERT_NO_FATAL_FAILURE(ExpectAsBefore(&cluster, *cut, *whole, rows)) << seed << " " << at;
      if (questions < at) break;
    }
  }
  EXPECT_GT(cuts_, 0);
}

TEST_P(Stops, AtEveryBudget) {
  for (uint64_t seed = 0; seed < kStoppedWorlds; ++seed) {
    Cluster cluster = MakeCluster(RandomWorld(seed + 400));
    const absl::StatusOr<Plan> whole = Schedule(cluster.Freeze(), GetParam());
    ASSERT_TRUE(whole.ok()) << whole.status().ToString();
    const std::string rows = RowsOf(cluster);
    for (int64_t budget = 0; budget <= whole->work(); ++budget) {
      const absl::StatusOr<Plan> cut = cluster.Schedule(GetParam(), {.work_budget = budget});
      ASSERT_TRUE(cut.ok()) << cut.status().ToString();
      ASSERT_NO_FATAL_FAILURE(ExpectAsBefore(&cluster, *cut, *whole, rows))
          << seed << " " << budget;
      if (budget == whole->work()) {
        ASSERT_EQ(cut->Digest(), whole->Digest());
      }
    }
  }
  EXPECT_GT(cuts_, 0);
}

// Carried out, a cut plan is refused in nothing but what the caller carries out.
TEST_P(Stops, ACutPlanIsCarriedOut) {
  for (uint64_t seed = 0; seed < kStoppedWorlds; ++seed) {
    const ClusterSpec world = RandomWorld(seed + 500);
    for (int64_t at = 1;; ++at) {
      Cluster cluster = MakeCluster(world);
      int64_t questions = 0;
      ScheduleOptions options;
      options.should_stop = [&] { return ++questions >= at; };
      const absl::StatusOr<Plan> cut = cluster.Schedule(GetParam(), options);
      ASSERT_TRUE(cut.ok()) << cut.status().ToString();
      const absl::StatusOr<ApplyReport> report = cluster.Apply(*cut);
      ASSERT_TRUE(report.ok()) << report.status().ToString();
      const size_t for_caller = cut->offers().size() + cut->resizes().size() + cut->splits().size();
      ASSERT_EQ(report->refused.size(), for_caller)
          << seed << " " << at << ": " << report->refused.back();
      for (const std::string& refusal : report->refused) {
        ASSERT_THAT(refusal, ::testing::EndsWith(": the caller carries it out"));
      }
      ASSERT_EQ(NextPlan(&cluster, GetParam()), FreshPlan(cluster, GetParam()))
          << seed << " " << at;
      if (questions < at) break;
    }
  }
}

std::vector<std::string> AllProfiles() {
  std::vector<std::string> names;
  for (const ProfileInfo& info : Profiles()) names.push_back(info.name);
  names.push_back("volcano:+preempt,+reclaim");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Faults, Stops, ::testing::ValuesIn(AllProfiles()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace muster::testing
