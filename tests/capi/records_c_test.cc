// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Flavors, partitions and reservations, and what only some rows have, through the C interface.
#include <gtest/gtest.h>

#include <string>

#include "capi_support.h"

namespace muster {
namespace {

class RecordsInC : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster_), &error)); }

  Held<muster_table> Table(int32_t kind) {
    Held<muster_table> table;
    EXPECT_OK_C(muster_table_new(kind, 1, nullptr, Out(table), &error));
    return table;
  }
  void Cell(const Held<muster_table>& table, const char* column, const char* text) {
    EXPECT_OK_C(muster_table_set_strings(table.get(), column, &text, 1, &error));
  }
  muster_status Put(const Held<muster_table>& table) {
    return muster_cluster_put(cluster_.get(), MUSTER_PUT_ADD, table.get(), &error);
  }
  muster_status Event(const Held<muster_table>& table, uint64_t generation) {
    return muster_cluster_apply_deltas(cluster_.get(), table.get(), &generation, &outcome_, nullptr,
                                       &error);
  }
  muster_status Remove(int32_t kind, const char* name) {
    return muster_cluster_remove(cluster_.get(), kind, name, MUSTER_TO_NUL, &error);
  }
  std::string Scenario() {
    Held<muster_text> text;
    EXPECT_OK_C(muster_cluster_write_scenario(cluster_.get(), nullptr, Out(text), &error));
    return Words(text);
  }
  void Has(const std::string& words) {
    EXPECT_NE(Scenario().find(words), std::string::npos) << words << "\n" << Scenario();
  }

  Held<muster_cluster> cluster_;
  muster_error error = MUSTER_ERROR_INIT;
  int32_t outcome_ = -1;
};

TEST_F(RecordsInC, AreTablesThatAreSetWhole) {
  auto flavors = Table(MUSTER_KIND_FLAVORS);
  Cell(flavors, "name", "spot");
  Cell(flavors, "node_labels.tier", "spot");
  ASSERT_OK_C(Put(flavors));
  auto partitions = Table(MUSTER_KIND_PARTITIONS);
  Cell(partitions, "name", "gpu");
  Cell(partitions, "nodes", R"(["n1"])");
  ASSERT_OK_C(Put(partitions));
  auto reservations = Table(MUSTER_KIND_RESERVATIONS);
  Cell(reservations, "name", "r");
  Cell(reservations, "node", "n1");
  Cell(reservations, "phase", "available");
  Cell(reservations, "shape.request.cpu", "16");
  ASSERT_OK_C(Put(reservations));
  Has(R"({"name": "spot", "node_labels": {"tier": "spot"}})");
  Has(R"({"name": "gpu", "nodes": ["n1"]})");
  Has(R"({"name": "r", "node": "n1", "phase": "available", "shape": {"request": {"cpu": 16}}})");

  // Set again, and removed.
  Cell(reservations, "shape.request.cpu", "8");
  ASSERT_OK_C(Put(reservations));
  Has(R"("shape": {"request": {"cpu": 8}})");
  Cell(reservations, "node", "");
  EXPECT_EQ(Put(reservations), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message),
            "reservations[0]: reservation \"r\": phase available needs a node");
  ASSERT_OK_C(Remove(MUSTER_KIND_FLAVORS, "spot"));
  ASSERT_OK_C(Remove(MUSTER_KIND_PARTITIONS, "gpu"));
  ASSERT_OK_C(Remove(MUSTER_KIND_RESERVATIONS, "r"));
  EXPECT_EQ(Remove(MUSTER_KIND_RESERVATIONS, "r"), MUSTER_E_NOT_FOUND);
  EXPECT_EQ(Scenario().find("flavors"), std::string::npos);
}

TEST_F(RecordsInC, ComeAsEvents) {
  auto flavors = Table(MUSTER_KIND_FLAVORS);
  Cell(flavors, "name", "spot");
  ASSERT_OK_C(Event(flavors, 2));
  EXPECT_EQ(outcome_, MUSTER_DELTA_APPLIED);
  ASSERT_OK_C(Event(flavors, 1));
  EXPECT_EQ(outcome_, MUSTER_DELTA_STALE);
  ASSERT_OK_C(muster_cluster_apply_removal(cluster_.get(), MUSTER_KIND_FLAVORS, "spot", 4, 3,
                                           &outcome_, &error));
  EXPECT_EQ(outcome_, MUSTER_DELTA_APPLIED);
  EXPECT_EQ(Scenario().find("flavors"), std::string::npos);
}

TEST_F(RecordsInC, OptionalPartsAreCellsOfJson) {
  auto queues = Table(MUSTER_KIND_QUEUES);
  Cell(queues, "name", "q");
  Cell(queues, "rules", R"({"stop": "hold", "fair_weight": "1500m"})");
  Cell(queues, "users", R"({"limits": [{"name": "*", "max_jobs": 5}]})");
  ASSERT_OK_C(Put(queues));
  Has(R"("rules": {"fair_weight": "1500m", "stop": "hold"})");
  Has(R"("users": {"limits": [{"name": "*", "max_jobs": 5}]})");
  auto jobs = Table(MUSTER_KIND_JOBS);
  Cell(jobs, "name", "j");
  Cell(jobs, "group.by_count", R"({"count": 10000})");
  ASSERT_OK_C(Put(jobs));
  Has(R"("by_count": {"count": 10000})");
  Held<muster_plan> plan;
  ASSERT_NE(muster_cluster_schedule(cluster_.get(), "volcano", nullptr, Out(plan), &error), 0);
  EXPECT_STREQ(error.message,
               "job \"j\", group \"\": 10000 tasks are counts, which profile \"volcano\" does not "
               "place; must be rows (MakeTasks, --make-tasks)");
  ASSERT_OK_C(muster_cluster_make_tasks(cluster_.get(), "j", 1, "", 0, 9998, &error));
  Has(R"("by_count": {"count": 2})");
  EXPECT_EQ(muster_cluster_make_tasks(cluster_.get(), "j", 1, "", 0, 3, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "job \"j\", group \"\": count is 3; must be 0 to 2, the tasks that are counts");
  ASSERT_OK_C(muster_cluster_make_tasks(cluster_.get(), "j", 1, "", 0, 2, &error));
  ASSERT_OK_C(muster_cluster_schedule(cluster_.get(), "volcano", nullptr, Out(plan), &error));
  ASSERT_OK_C(muster_cluster_add_json(
      cluster_.get(),
      R"({"muster": 1, "tasks": [{"name": "t", "usage": {"amounts": {"cpu": "350m"}}}],
          "partitions": [{"name": "p"}]})",
      MUSTER_TO_NUL, &error));
  Has(R"({"name": "t", "usage": {"amounts": {"cpu": "350m"}}})");
  Has(R"({"name": "p"})");
}

}  // namespace
}  // namespace muster
