// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls that put many rows: all of them or none, also where events wait for the rows, and where the
// rows have what no table holds.
#include <string>
#include <vector>

#include "tests/capi/capi_support.h"

namespace muster {
namespace {

class Put : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error)); }

  // A row of a table as an event, or to be put with all others.
  void Event(int32_t kind, const char* name, const char* defaults, uint64_t generation = 1) {
    Held<muster_table> table = Table(kind, {name});
    ASSERT_OK_C(muster_table_set_defaults(table.get(), defaults, MUSTER_TO_NUL, &error));
    ASSERT_OK_C(muster_cluster_apply_deltas(cluster.get(), table.get(), &generation, nullptr,
                                            nullptr, &error));
  }
  Held<muster_table> Table(int32_t kind, const std::vector<const char*>& names) {
    Held<muster_table> table;
    const auto rows = static_cast<int64_t>(names.size());
    EXPECT_OK_C(muster_table_new(kind, rows, nullptr, Out(table), &error));
    EXPECT_OK_C(muster_table_set_strings(table.get(), "name", names.data(), rows, &error));
    return table;
  }
  void Strings(const Held<muster_table>& table, const char* column,
               const std::vector<const char*>& texts) {
    EXPECT_OK_C(muster_table_set_strings(table.get(), column, texts.data(),
                                         static_cast<int64_t>(texts.size()), &error));
  }
  muster_status Add(const Held<muster_table>& table) {
    return muster_cluster_put(cluster.get(), MUSTER_PUT_ADD, table.get(), &error);
  }
  muster_status Update(const Held<muster_table>& table) {
    return muster_cluster_put(cluster.get(), MUSTER_PUT_UPDATE, table.get(), &error);
  }
  muster_status AddJson(const char* rows) {
    return muster_cluster_add_json(cluster.get(), rows, MUSTER_TO_NUL, &error);
  }
  // Rows, what waits and what is assumed.
  std::string All() {
    Held<muster_text> rows, waiting, assumed;
    EXPECT_OK_C(muster_cluster_write_scenario(cluster.get(), nullptr, Out(rows), &error));
    EXPECT_OK_C(muster_cluster_waiting_events(cluster.get(), Out(waiting), &error));
    EXPECT_OK_C(muster_cluster_assumptions(cluster.get(), Out(assumed), &error));
    return Words(rows) + "\n" + Words(waiting) + "\n" + Words(assumed);
  }
  bool IsThere(int32_t kind, const char* name) {
    int32_t index = 0;
    return muster_cluster_find(cluster.get(), kind, name, MUSTER_TO_NUL, &index, &error) ==
           MUSTER_OK;
  }

  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
};

TEST_F(Put, ARefusedTableWakesNothing) {
  Event(MUSTER_KIND_TASKS, "t", R"({"status": "running", "node": "n"})");
  Event(MUSTER_KIND_TASKS, "u", R"({"job": "j"})");
  Event(MUSTER_KIND_JOBS, "k", R"({"queue": "q"})");
  Event(MUSTER_KIND_NODES, "m", R"({"domain": "d"})");
  const std::string before = All();

  EXPECT_EQ(Add(Table(MUSTER_KIND_NODES, {"n", "n"})), MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(All(), before);
  EXPECT_EQ(Add(Table(MUSTER_KIND_QUEUES, {"q", "default"})), MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(All(), before);
  EXPECT_EQ(Add(Table(MUSTER_KIND_DOMAINS, {"d", "d"})), MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(All(), before);
  const Held<muster_table> jobs = Table(MUSTER_KIND_JOBS, {"j", "l"});
  Strings(jobs, "queue", {"default", "nope"});
  EXPECT_EQ(Add(jobs), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(All(), before);
  EXPECT_EQ(AddJson(R"({"muster": 1, "nodes": [{"name": "n"}], "queues": [{"name": "q"}],
                        "domains": [{"name": "d"}], "jobs": [{"name": "j"}],
                        "tasks": [{"name": "v", "job": "nope"}]})"),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(All(), before);

  EXPECT_OK_C(AddJson(R"({"muster": 1, "nodes": [{"name": "n"}], "queues": [{"name": "q"}],
                          "domains": [{"name": "d"}], "jobs": [{"name": "j"}]})"));
  for (const char* task : {"t", "u"}) EXPECT_TRUE(IsThere(MUSTER_KIND_TASKS, task)) << task;
  EXPECT_TRUE(IsThere(MUSTER_KIND_JOBS, "k"));
  EXPECT_TRUE(IsThere(MUSTER_KIND_NODES, "m"));
}

// The row that the document has replaces the event that waits under its name.
TEST_F(Put, ARowMayReplaceWhatTheOthersWouldWake) {
  Event(MUSTER_KIND_TASKS, "t", R"({"status": "running", "node": "n", "priority": 7})");
  EXPECT_OK_C(AddJson(R"({"muster": 1, "nodes": [{"name": "n"}],
                          "tasks": [{"name": "t", "priority": 5}]})"));
  EXPECT_NE(All().find("\"priority\": 5"), std::string::npos) << All();
}

TEST_F(Put, ARefusedTableTakesBackAQueueThatANamespaceAwaits) {
  Event(MUSTER_KIND_NAMESPACES, "x", R"({"bindings": [{"name": "b", "queues": ["q"]}]})");
  const std::string before = All();
  EXPECT_EQ(Add(Table(MUSTER_KIND_QUEUES, {"q", "default"})), MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(All(), before);
}

TEST_F(Put, ARefusedUpdateWakesNothing) {
  ASSERT_OK_C(AddJson(R"({"muster": 1, "jobs": [{"name": "j"}, {"name": "k"}],
                          "nodes": [{"name": "n"}, {"name": "m"}]})"));
  Event(MUSTER_KIND_TASKS, "t", R"({"job": "j", "group": "g"})");
  Event(MUSTER_KIND_TASKS, "u",
        R"({"status": "running", "node": "n", "devices": [{"device": "d"}]})");
  const std::string before = All();
  const Held<muster_table> jobs = Table(MUSTER_KIND_JOBS, {"j", "k"});
  Strings(jobs, "groups", {R"([{"name": "g"}])", "[]"});
  Strings(jobs, "queue", {"default", "nope"});
  EXPECT_EQ(Update(jobs), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(All(), before);
  const Held<muster_table> nodes = Table(MUSTER_KIND_NODES, {"n", "m"});
  Strings(nodes, "devices", {R"([{"name": "d", "kind": "gpu"}])", "[]"});
  Strings(nodes, "domain", {"", "nope"});
  EXPECT_EQ(Update(nodes), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(All(), before);

  Strings(jobs, "queue", {"default", "default"});
  EXPECT_OK_C(Update(jobs));
  Strings(nodes, "domain", {"", ""});
  EXPECT_OK_C(Update(nodes));
  for (const char* task : {"t", "u"}) EXPECT_TRUE(IsThere(MUSTER_KIND_TASKS, task)) << task;
}

TEST_F(Put, ARefusedUpdateLeavesAssumptions) {
  ASSERT_OK_C(AddJson(kSmall));
  Held<muster_plan> plan;
  muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
  options.now = 1000;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", &options, Out(plan), &error));
  ASSERT_OK_C(muster_cluster_apply(cluster.get(), plan.get(), nullptr, nullptr, &error));
  const std::string before = All();
  ASSERT_NE(before.find("\"since\":1000"), std::string::npos) << before;
  const Held<muster_table> tasks = Table(MUSTER_KIND_TASKS, {"fits-0", "fits-1"});
  Strings(tasks, "node", {"n0", "nope"});
  EXPECT_EQ(Update(tasks), MUSTER_E_INVALID_ARGUMENT) << error.message;
  EXPECT_EQ(All(), before);
}

// A task that shares its device with another one, as events reported it, is put back.
TEST_F(Put, ARefusedUpdateLeavesWhatEventsReported) {
  ASSERT_OK_C(AddJson(R"({"muster": 1,
      "nodes": [{"name": "n", "devices": [{"name": "d", "kind": "gpu"}]}]})"));
  for (const char* task : {"t", "u"}) {
    Event(MUSTER_KIND_TASKS, task,
          R"({"status": "running", "node": "n", "devices": [{"device": "d"}]})");
  }
  const std::string before = All();
  const Held<muster_table> tasks = Table(MUSTER_KIND_TASKS, {"t", "u"});
  Strings(tasks, "devices", {"[]", R"([{"device": "nope"}])"});
  EXPECT_EQ(Update(tasks), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(All(), before);
}

TEST_F(Put, NamespacesMayBindQueues) {
  EXPECT_OK_C(AddJson(R"({"muster": 1, "queues": [{"name": "q"}],
      "namespaces": [{"name": "x", "bindings": [{"name": "b", "queues": ["q"]}]}]})"));
  const Held<muster_table> bound = Table(MUSTER_KIND_NAMESPACES, {"y", "z"});
  Strings(bound, "bindings",
          {R"([{"name": "b", "queues": ["q"]}])", R"([{"name": "b", "queues": ["q"]}])"});
  EXPECT_OK_C(Add(bound));
  const std::string before = All();
  EXPECT_EQ(before.find("\"z\"") == std::string::npos, false) << before;
  Strings(bound, "bindings",
          {R"([{"name": "c", "queues": ["q"]}])", R"([{"name": "b", "queues": ["nope"]}])"});
  EXPECT_EQ(Add(bound), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error),
            "namespaces[1]: namespace \"z\", binding \"b\": queue \"nope\" does not exist");
  EXPECT_EQ(All(), before);
}

}  // namespace
}  // namespace muster
