// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Columns: what they mean, what is refused and how, and that the quick way for many rows is the
// ordinary one.
#include <functional>

#include "muster/muster.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

class Columns : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error)); }

  Held<muster_table> Table(int32_t kind, int64_t rows) {
    Held<muster_table> table;
    EXPECT_OK_C(muster_table_new(kind, rows, nullptr, Out(table), &error));
    return table;
  }
  void Strings(const Held<muster_table>& table, const char* column,
               const std::vector<const char*>& texts) {
    EXPECT_OK_C(muster_table_set_strings(table.get(), column, texts.data(),
                                         static_cast<int64_t>(texts.size()), &error));
  }
  void Numbers(const Held<muster_table>& table, const char* column,
               const std::vector<int64_t>& values) {
    EXPECT_OK_C(muster_table_set_numbers(table.get(), column, values.data(),
                                         static_cast<int64_t>(values.size()), &error));
  }
  muster_status Put(const Held<muster_table>& table, int32_t mode = MUSTER_PUT_ADD) {
    return muster_cluster_put(cluster.get(), mode, table.get(), &error);
  }
  std::string Scenario() {
    Held<muster_text> text;
    EXPECT_OK_C(muster_cluster_write_scenario(cluster.get(), nullptr, Out(text), &error));
    return Words(text);
  }

  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
};

TEST_F(Columns, MeanWhatAScenarioMeans) {
  auto domains = Table(MUSTER_KIND_DOMAINS, 2);
  Strings(domains, "name", {"room", "rack"});
  Strings(domains, "parent", {"", "room"});
  Numbers(domains, "tier", {2, 1});
  ASSERT_OK_C(Put(domains));

  auto nodes = Table(MUSTER_KIND_NODES, 2);
  Strings(nodes, "name", {"a", "b"});
  Numbers(nodes, "capacity.cpu", {64000, 500});
  Numbers(nodes, "capacity.memory", {int64_t{1} << 30, 7});
  Strings(nodes, "capacity.nvidia.com/gpu", {"8", ""});
  Strings(nodes, "labels.zone", {"z1", ""});
  Numbers(nodes, "unschedulable", {0, 1});
  Numbers(nodes, "domain", {1, MUSTER_NONE});
  Strings(nodes, "taints", {R"([{"key": "gpu", "value": "only", "effect": "NoSchedule"}])", "[]"});
  ASSERT_OK_C(Put(nodes));

  auto queues = Table(MUSTER_KIND_QUEUES, 2);
  Strings(queues, "name", {"root", "leaf"});
  Strings(queues, "parent", {"", "root"});
  Numbers(queues, "weight", {3, MUSTER_ABSENT});
  Numbers(queues, "limit.cpu", {MUSTER_ABSENT, 8000});
  Strings(queues, "state", {"open", "closed"});
  ASSERT_OK_C(Put(queues));

  auto jobs = Table(MUSTER_KIND_JOBS, 2);
  Strings(jobs, "name", {"j", "k"});
  Numbers(jobs, "queue", {2, 1});
  Numbers(jobs, "min_available", {2, 1});
  Numbers(jobs, "phase", {MUSTER_PHASE_ADMITTED, MUSTER_PHASE_PENDING});
  Numbers(jobs, "group.count", {2, 1});
  Numbers(jobs, "group.shape.request.cpu", {1500, 1});
  ASSERT_OK_C(Put(jobs));

  auto tasks = Table(MUSTER_KIND_TASKS, 2);
  Strings(tasks, "name", {"t", "u"});
  const int32_t job[] = {0, -1};
  const int64_t offsets[] = {0, 1};
  ASSERT_OK_C(muster_table_set_codes(tasks.get(), "job", job, 2, offsets, 1, "j", 1, &error));
  Numbers(tasks, "node", {0, 1});
  Strings(tasks, "status", {"running", "bound"});
  Numbers(tasks, "ordinal", {MUSTER_ABSENT, 4});
  ASSERT_OK_C(
      muster_table_set_defaults(tasks.get(),
                                "\t\r\n "
                                R"({"shape": {"tolerations": [{"key": "gpu", "op": "Exists"}]}})",
                                MUSTER_TO_NUL, &error));
  Numbers(tasks, "shape.request.memory", {5, MUSTER_ABSENT});
  ASSERT_OK_C(Put(tasks));

  auto budgets = Table(MUSTER_KIND_BUDGETS, 1);
  Strings(budgets, "name", {"pdb"});
  Numbers(budgets, "allowed", {1});
  Strings(budgets, "selector", {R"({"match_labels": {"app": "x"}})"});
  ASSERT_OK_C(Put(budgets));

  Held<muster_cluster> same;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(same), &error));
  ASSERT_OK_C(muster_cluster_read_scenario(same.get(), R"({"muster": 1,
    "domains": [{"name": "room", "tier": 2}, {"name": "rack", "parent": "room"}],
    "nodes": [{"name": "a", "capacity": {"cpu": 64, "memory": "1Gi", "nvidia.com/gpu": 8},
               "labels": {"zone": "z1"}, "taints": [{"key": "gpu", "value": "only", "effect": "NoSchedule"}],
               "domain": "rack"},
              {"name": "b", "capacity": {"cpu": "500m", "memory": 7}, "unschedulable": true}],
    "queues": [{"name": "default"}, {"name": "root", "weight": 3},
               {"name": "leaf", "parent": "root", "limit": {"cpu": 8}, "state": "closed"}],
    "jobs": [{"name": "j", "queue": "leaf", "min_available": 2, "phase": "admitted",
              "groups": [{"count": 2, "shape": {"request": {"cpu": "1500m"}}}]},
             {"name": "k", "queue": "root", "min_available": 1,
              "groups": [{"count": 1, "shape": {"request": {"cpu": "1m"}}}]}],
    "tasks": [{"name": "t", "job": "j", "node": "a", "status": "running",
               "shape": {"request": {"memory": 5}, "tolerations": [{"key": "gpu", "op": "Exists"}]}},
              {"name": "u", "node": "b", "status": "bound", "ordinal": 4,
               "shape": {"tolerations": [{"key": "gpu", "op": "Exists"}]}}],
    "budgets": [{"name": "pdb", "allowed": 1, "selector": {"match_labels": {"app": "x"}}}]})",
                                           MUSTER_TO_NUL, nullptr, &error));
  // Amounts may be spelled in another way; what a reconciliation finds is what they mean.
  Held<muster_plan> a, b;
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano", nullptr, Out(a), &error));
  ASSERT_OK_C(muster_cluster_schedule(same.get(), "volcano", nullptr, Out(b), &error));
  Held<muster_text> theirs, drift;
  ASSERT_OK_C(muster_cluster_write_scenario(same.get(), nullptr, Out(theirs), &error));
  const std::string mine = Scenario();
  for (const char* part : {"\"zone\": \"z1\"", "\"unschedulable\": true", "\"domain\": \"rack\"",
                           "\"state\": \"closed\"", "\"ordinal\": 4", "\"status\": \"running\"",
                           "\"effect\": \"NoSchedule\"", "\"allowed\": 1", "\"op\": \"Exists\""}) {
    EXPECT_NE(mine.find(part), std::string::npos) << part << "\n" << mine;
    EXPECT_NE(Words(theirs).find(part), std::string::npos) << part;
  }
  muster_plan_view x = MUSTER_PLAN_VIEW_INIT, y = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(a.get(), &x, &error));
  ASSERT_OK_C(muster_plan_get_view(b.get(), &y, &error));
  ASSERT_EQ(x.share_count, y.share_count);
  EXPECT_EQ(x.decision_count, y.decision_count);
  for (int64_t i = 0; i < x.share_count * x.dimensions; ++i) {
    EXPECT_EQ(x.share_allocated_before[i], y.share_allocated_before[i]) << i;
  }
}

TEST_F(Columns, UpdatesKeepWhatTheyDoNotSay) {
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
  auto nodes = Table(MUSTER_KIND_NODES, 2);
  Strings(nodes, "name", {"n1", "n2"});
  Numbers(nodes, "unschedulable", {1, 0});
  Strings(nodes, "labels.disk", {"ssd", "ssd"});
  ASSERT_OK_C(Put(nodes, MUSTER_PUT_UPDATE));
  const std::string after = Scenario();
  EXPECT_NE(after.find("\"labels\": {\"disk\": \"ssd\"}, \"unschedulable\": true"),
            std::string::npos)
      << after;
  auto tasks = Table(MUSTER_KIND_TASKS, 1);
  Strings(tasks, "name", {"fits-1"});
  Numbers(tasks, "priority", {9});
  ASSERT_OK_C(Put(tasks, MUSTER_PUT_UPDATE));

  // All or none: the second row does not exist, the third is wrong.
  const std::string before = Scenario();
  auto wrong = Table(MUSTER_KIND_QUEUES, 2);
  Strings(wrong, "name", {"vision", "default"});
  Numbers(wrong, "weight", {7, -1});
  EXPECT_EQ(Put(wrong, MUSTER_PUT_UPDATE), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "queues[1]: queue \"default\": weight is -1; must be 0 or more");
  EXPECT_EQ(Scenario(), before);
  Strings(wrong, "name", {"vision", "nowhere"});
  EXPECT_EQ(Put(wrong, MUSTER_PUT_UPDATE), MUSTER_E_NOT_FOUND);
  EXPECT_EQ(Words(error), "queues[1]: queue \"nowhere\": does not exist");
  EXPECT_EQ(Scenario(), before);
}

TEST_F(Columns, AddIsAllOrNone) {
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
  const std::string before = Scenario();
  for (int64_t rows : {3, 300}) {  // the ordinary way, and the quick one
    auto nodes = Table(MUSTER_KIND_NODES, rows);
    std::vector<std::string> names;
    for (int64_t i = 0; i < rows; ++i) names.push_back("x" + std::to_string(i));
    names.back() = "n2";
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    Strings(nodes, "name", texts);
    EXPECT_EQ(Put(nodes), MUSTER_E_ALREADY_EXISTS);
    EXPECT_EQ(Words(error), "nodes[" + std::to_string(rows - 1) + "]: node \"n2\": exists already");
    EXPECT_EQ(Scenario(), before);
    auto tasks = Table(MUSTER_KIND_TASKS, rows);
    names.back() = "x0";
    texts.back() = names.back().c_str();
    Strings(tasks, "name", texts);
    EXPECT_EQ(Put(tasks), MUSTER_E_ALREADY_EXISTS);
    EXPECT_EQ(Words(error), "tasks[" + std::to_string(rows - 1) + "]: task \"x0\": exists already");
    EXPECT_EQ(Scenario(), before);
  }
  EXPECT_EQ(muster_cluster_add_json(
                cluster.get(),
                R"({"muster": 1, "nodes": [{"name": "y"}], "jobs": [{"name": "j", "queue": "?"}]})",
                MUSTER_TO_NUL, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "scenario: jobs[0]: job \"j\": queue \"?\" does not exist");
  EXPECT_EQ(Scenario(), before);
}

TEST_F(Columns, AreRefusedWithThePlace) {
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
  const std::string before = Scenario();
  struct Case {
    std::function<void(const Held<muster_table>&)> fill;
    const char* words;
  };
  const Case cases[] = {
      {[this](const auto& t) { Numbers(t, "priorty", {1}); },
       "table of tasks: there is no column \"priorty\", did you mean \"priority\"?"},
      {[this](const auto& t) { Numbers(t, "priority", {int64_t{1} << 40}); },
       "table of tasks, row 0, column \"priority\": 1099511627776 is out of range"},
      {[this](const auto& t) { Strings(t, "priority", {"1"}); },
       "table of tasks, row 0, column \"priority\": is a number, but the column has texts"},
      {[this](const auto& t) { Numbers(t, "group", {1}); },
       "table of tasks, row 0, column \"group\": is a text, but the column has numbers"},
      {[this](const auto& t) { Numbers(t, "job", {17}); },
       "table of tasks, row 0, column \"job\": there is no job 17"},
      {[this](const auto& t) { Numbers(t, "preemptable", {2}); },
       "table of tasks, row 0, column \"preemptable\": a flag is 0 or 1"},
      {[this](const auto& t) { Numbers(t, "status", {11}); },
       "table of tasks, row 0, column \"status\": 11 is out of range"},
      {[this](const auto& t) { Strings(t, "status", {"flying"}); },
       "table of tasks, row 0, column \"status\": unknown status \"flying\", expected one of "
       "pending, placed, nominated, binding, bound, running, releasing, succeeded, failed, "
       "unknown"},
      {[this](const auto& t) { Numbers(t, "status", {MUSTER_TASK_RUNNING}); },
       "tasks[0]: task \"t\": status running needs a node"},
      {[this](const auto& t) { Numbers(t, "shape.request.cpu", {-1}); },
       "table of tasks, row 0, column \"shape.request.cpu\": amount is -1; must be 0 or more"},
      {[this](const auto& t) { Strings(t, "shape.request.cpu", {"5x"}); },
       "tasks[0]: task \"t\", request \"cpu\": "},
      {[this](const auto& t) { Strings(t, "gates", {"[]}], \"nodes\": [{\"name\": \"evil\""}); },
       "table of tasks, row 0, column \"gates\": "},
      {[this](const auto& t) { Strings(t, "gates", {"[1]"}); },
       "table of tasks, row 0, column \"gates\": scenario: tasks[0].gates[0]: expected a string"},
      {[this](const auto& t) {
         EXPECT_OK_C(muster_table_set_defaults(t.get(), "{\"gates\": [}", MUSTER_TO_NUL, &error));
       },
       "table of tasks, defaults: "},
      {[this](const auto& t) {
         EXPECT_OK_C(muster_table_set_defaults(t.get(), "[]", MUSTER_TO_NUL, &error));
       },
       "table of tasks, defaults: expected a JSON object"},
  };
  for (const Case& one : cases) {
    auto tasks = Table(MUSTER_KIND_TASKS, 1);
    Strings(tasks, "name", {"t"});
    one.fill(tasks);
    EXPECT_NE(Put(tasks), MUSTER_OK);
    EXPECT_EQ(Words(error).substr(0, std::string(one.words).size()), one.words);
    EXPECT_EQ(Scenario(), before);
  }
}

TEST_F(Columns, AreCheckedWhenTheyAreSet) {
  auto t = Table(MUSTER_KIND_TASKS, 2);
  const int64_t numbers[] = {1, 2, 3};
  EXPECT_EQ(muster_table_set_numbers(t.get(), "priority", numbers, 3, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error),
            "table of tasks, column \"priority\": has 3 entries; the table has 2 rows");
  EXPECT_EQ(muster_table_set_numbers(t.get(), "priority", nullptr, 2, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_table_set_numbers(t.get(), nullptr, numbers, 2, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_table_set_numbers(t.get(), "", numbers, 2, &error), MUSTER_E_INVALID_ARGUMENT);
  const int64_t backwards[] = {0, 2, 1};
  EXPECT_EQ(muster_table_set_texts(t.get(), "name", backwards, 2, "ab", 2, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "table of tasks, column \"name\": offset 2 is 1; must be 2 to 2");
  const int64_t beyond[] = {0, 1, 3};
  EXPECT_EQ(muster_table_set_texts(t.get(), "name", beyond, 2, "ab", 2, &error),
            MUSTER_E_INVALID_ARGUMENT);
  const int32_t codes[] = {0, 2};
  const int64_t offsets[] = {0, 1, 2};
  EXPECT_EQ(muster_table_set_codes(t.get(), "job", codes, 2, offsets, 2, "ab", 2, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "table of tasks, column \"job\": row 1: code is 2; must be -1 to 1");
  const char* texts[] = {"a", nullptr};
  EXPECT_EQ(muster_table_set_strings(t.get(), "name", texts, 2, &error), MUSTER_E_INVALID_ARGUMENT);
  Held<muster_table> none;
  EXPECT_EQ(muster_table_new(MUSTER_KIND_DIMENSIONS, 1, nullptr, Out(none), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_table_new(MUSTER_KIND_TASKS, -1, nullptr, Out(none), &error),
            MUSTER_E_INVALID_ARGUMENT);
  // A reset forgets the columns and keeps their memory.
  EXPECT_OK_C(muster_table_reset(t.get(), 1, &error));
  EXPECT_OK_C(muster_table_set_strings(t.get(), "name", texts, 1, &error));
  EXPECT_OK_C(Put(t));
}

// The quick way against rows one by one.
TEST_F(Columns, ManyRowsAreManyTimesOneRow) {
  Held<muster_cluster> slow;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(slow), &error));
  const int64_t rows = 400;
  const auto fill = [&](const Held<muster_table>& t, int64_t begin, int64_t end) {
    std::vector<std::string> names;
    std::vector<int64_t> cpu, job, node, status, priority, created, preemptable;
    std::vector<const char*> zone;
    for (int64_t i = begin; i < end; ++i) {
      names.push_back("t" + std::to_string(i));
      cpu.push_back(500 * (i % 3));
      job.push_back(i % 7 == 0 ? MUSTER_NONE : i % 5);
      const bool runs = i % 4 == 1;
      node.push_back(runs ? i % 90 : MUSTER_NONE);
      status.push_back(runs          ? MUSTER_TASK_RUNNING
                       : i % 11 == 0 ? MUSTER_TASK_FAILED
                                     : MUSTER_TASK_PENDING);
      priority.push_back(i % 13);
      created.push_back(i % 17 == 0 ? MUSTER_ABSENT : i);
      preemptable.push_back(i % 2);
      zone.push_back(i % 6 == 0 ? "" : "z");
    }
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    Strings(t, "name", texts);
    Numbers(t, "shape.request.cpu", cpu);
    Strings(t, "shape.labels.zone", zone);
    Numbers(t, "job", job);
    Numbers(t, "node", node);
    Numbers(t, "status", status);
    Numbers(t, "priority", priority);
    Numbers(t, "created", created);
    Numbers(t, "preemptable", preemptable);
  };
  for (muster_cluster* one : {cluster.get(), slow.get()}) {
    ASSERT_OK_C(muster_cluster_add_json(one,
                                        R"({"muster": 1, "jobs": [{"name": "j0"}, {"name": "j1"},
      {"name": "j2"}, {"name": "j3"}, {"name": "j4"}]})",
                                        MUSTER_TO_NUL, &error));
  }
  const auto fill_nodes = [&](const Held<muster_table>& t, int64_t begin, int64_t end) {
    std::vector<std::string> names;
    std::vector<int64_t> cpu;
    for (int64_t i = begin; i < end; ++i) {
      names.push_back("n" + std::to_string(i));
      cpu.push_back(i % 2 == 0 ? 4000 : 2500);
    }
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    Strings(t, "name", texts);
    Numbers(t, "capacity.cpu", cpu);
  };
  auto nodes = Table(MUSTER_KIND_NODES, 100), tasks = Table(MUSTER_KIND_TASKS, rows);
  fill_nodes(nodes, 0, 100);
  ASSERT_OK_C(Put(nodes));
  fill(tasks, 0, rows);
  ASSERT_OK_C(Put(tasks));
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_OK_C(muster_table_reset(nodes.get(), 1, &error));
    fill_nodes(nodes, i, i + 1);
    ASSERT_OK_C(muster_cluster_put(slow.get(), MUSTER_PUT_ADD, nodes.get(), &error));
  }
  for (int64_t i = 0; i < rows; ++i) {
    ASSERT_OK_C(muster_table_reset(tasks.get(), 1, &error));
    fill(tasks, i, i + 1);
    ASSERT_OK_C(muster_cluster_put(slow.get(), MUSTER_PUT_ADD, tasks.get(), &error));
  }
  Held<muster_text> theirs;
  ASSERT_OK_C(muster_cluster_write_scenario(slow.get(), nullptr, Out(theirs), &error));
  EXPECT_EQ(Scenario(), Words(theirs));
  // A name twice among many: refused with its place, and none of them is taken.
  ASSERT_OK_C(muster_table_reset(tasks.get(), 100, &error));
  fill(tasks, rows, rows + 100);
  std::vector<std::string> names;
  std::vector<const char*> texts;
  for (int64_t i = 0; i < 100; ++i) names.push_back("u" + std::to_string(i == 70 ? 3 : i));
  for (const std::string& name : names) texts.push_back(name.c_str());
  Strings(tasks, "name", texts);
  EXPECT_EQ(muster_cluster_put(cluster.get(), MUSTER_PUT_ADD, tasks.get(), &error),
            MUSTER_E_ALREADY_EXISTS);
  EXPECT_EQ(Words(error).rfind("tasks[70]: ", 0), 0u) << Words(error);
  EXPECT_EQ(Scenario(), Words(theirs));
  for (const char* profile : {"muster", "volcano"}) {
    Held<muster_plan> a, b;
    ASSERT_OK_C(muster_cluster_schedule(cluster.get(), profile, nullptr, Out(a), &error));
    ASSERT_OK_C(muster_cluster_schedule(slow.get(), profile, nullptr, Out(b), &error));
    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    ASSERT_OK_C(muster_plan_get_view(a.get(), &view, &error));
    EXPECT_GT(view.decision_count, 0);
    Held<muster_text> x, y;
    ASSERT_OK_C(muster_plan_to_text(a.get(), Out(x), &error));
    ASSERT_OK_C(muster_plan_to_text(b.get(), Out(y), &error));
    EXPECT_EQ(Words(x), Words(y));
  }
}

}  // namespace
}  // namespace muster
