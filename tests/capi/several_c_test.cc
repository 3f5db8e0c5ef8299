// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Cycles, advice and forecasts by the caller's executor, columns of domains, revisions, and replays
// on nodes, whole and step by step.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "muster/episodes.h"
#include "muster/muster.h"
#include "muster/replay.h"
#include "tests/capi/capi_support.h"

namespace muster {
namespace {

struct Plans {
  std::vector<muster_plan*> list;
  explicit Plans(size_t count) : list(count, nullptr) {}
  ~Plans() {
    for (muster_plan* plan : list) muster_plan_free(plan);
  }
};

muster_status Threads(uintptr_t, int64_t count, muster_run run, uintptr_t work) {
  std::vector<std::thread> threads;
  for (int64_t i = count; i-- > 0;) threads.emplace_back(run, work, i);
  for (std::thread& thread : threads) thread.join();
  return MUSTER_OK;
}
muster_status Twice(uintptr_t, int64_t count, muster_run run, uintptr_t work) {
  for (int64_t i = -1; i <= count; ++i) {  // more than there are, too
    run(work, i);
    run(work, i);
  }
  return MUSTER_OK;
}
muster_status AllButTheLast(uintptr_t, int64_t count, muster_run run, uintptr_t work) {
  for (int64_t i = 0; i + 1 < count; ++i) run(work, i);
  return MUSTER_OK;
}
muster_status Refuses(uintptr_t user, int64_t, muster_run run, uintptr_t work) {
  run(work, 0);
  return static_cast<muster_status>(user);
}

std::string Advice(muster_cluster* cluster, const char* question, muster_status* status,
                   muster_error* error) {
  Held<muster_text> answer;
  *status =
      muster_cluster_advise(cluster, "volcano", question, MUSTER_TO_NUL, 0, Out(answer), error);
  return *status == MUSTER_OK ? Words(answer) : "";
}

TEST(Executor, AdviceIsThatOfOneThread) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_status status = MUSTER_OK;
  const Held<muster_cluster> cluster = SmallCluster();
  Held<muster_threads> threads;
  ASSERT_OK_C(muster_threads_new(3, Out(threads), &error));
  const auto user = reinterpret_cast<uintptr_t>(threads.get());
  const struct {
    muster_executor executor;
    uintptr_t user;
  } executors[] = {
      {muster_threads_run, user}, {Threads, 0}, {Twice, 0}, {AllButTheLast, 0}, {nullptr, 0}};
  for (const char* question :
       {R"({"need_nodes": {"most": 9}})", R"({"rehearse": [{"remove_job": "fits"}]})",
        R"({"diagnose": {"job": "large"}})", R"({"diagnose": {"job": "fits"}})"}) {
    const std::string alone = Advice(cluster.get(), question, &status, &error);
    const muster_status expected = status;
    for (const auto& [executor, with] : executors) {
      ASSERT_OK_C(muster_cluster_set_executor(cluster.get(), executor, with, 3, &error));
      EXPECT_EQ(Advice(cluster.get(), question, &status, &error), alone) << question;
      EXPECT_EQ(status, expected) << question;
    }
  }
}

TEST(Executor, WhatItReportsFailsTheCall) {
  muster_error error = MUSTER_ERROR_INIT;
  muster_status status = MUSTER_OK;
  const Held<muster_cluster> cluster = SmallCluster();
  ASSERT_OK_C(muster_cluster_set_executor(cluster.get(), Refuses, 7, 2, &error));
  Advice(cluster.get(), R"({"rehearse": [{"remove_job": "fits"}]})", &status, &error);
  EXPECT_EQ(status, MUSTER_E_USER);
  EXPECT_EQ(error.user_code, 7);
}

TEST(Executor, IsNotAskedAgainOnceItFailed) {
  muster_error error = MUSTER_ERROR_INIT;
  const Held<muster_cluster> cluster = SmallCluster();
  int64_t rounds = 0;
  muster_forecast_options options = MUSTER_FORECAST_OPTIONS_INIT;
  options.futures = 200;
  options.no_arrivals = 1;
  options.executor = [](uintptr_t user, int64_t, muster_run, uintptr_t) -> muster_status {
    ++*reinterpret_cast<int64_t*>(user);
    return 7;
  };
  options.executor_user = reinterpret_cast<uintptr_t>(&rounds);
  options.executor_width = 2;
  Held<muster_forecast> forecast;
  EXPECT_EQ(muster_forecast_cluster(cluster.get(), "volcano", nullptr, &options, nullptr,
                                    Out(forecast), &error),
            MUSTER_E_USER);
  EXPECT_EQ(error.user_code, 7);
  EXPECT_EQ(rounds, 1);
}

TEST(Executor, WidthsOutOfRangeAreRefused) {
  muster_error error = MUSTER_ERROR_INIT;
  const Held<muster_cluster> cluster = SmallCluster();
  EXPECT_EQ(muster_cluster_set_executor(cluster.get(), Threads, 0, 0, &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "width is 0; must be 1 or more");
  Held<muster_threads> threads;
  for (const int64_t width : {0, 257}) {
    EXPECT_EQ(muster_threads_new(width, Out(threads), &error), MUSTER_E_INVALID_ARGUMENT);
    EXPECT_EQ(threads.get(), nullptr);
  }
  EXPECT_EQ(muster_threads_new(2, nullptr, &error), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(muster_threads_run(0, 1, nullptr, 0), MUSTER_E_INVALID_ARGUMENT);
  muster_threads_free(nullptr);
}

// Counts its calls in an atomic number, and has the pieces run on threads.
muster_status Counts(uintptr_t user, int64_t count, muster_run run, uintptr_t work) {
  ++*reinterpret_cast<std::atomic<int64_t>*>(user);
  return Threads(0, count, run, work);
}

// Jobs that fill the cluster one after another, each with an estimate, and their forecast.
class ForecastsByExecutor : public ::testing::Test {
 protected:
  ForecastsByExecutor() {
    EXPECT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
    EXPECT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1,
        "nodes": [{"name": "n", "count": 2, "capacity": {"cpu": "8"}}],
        "jobs": [{"name": "a", "estimate": 100, "min_available": 2,
                  "groups": [{"count": 2, "shape": {"request": {"cpu": "8"}}}]},
                 {"name": "b", "estimate": 300, "min_available": 1,
                  "groups": [{"count": 1, "shape": {"request": {"cpu": "6"}}}]},
                 {"name": "c", "estimate": 50, "min_available": 2,
                  "groups": [{"count": 2, "shape": {"request": {"cpu": "5"}}}]}]})",
                                        MUSTER_TO_NUL, &error));
    given.futures = 12;
    given.seed = 3;
    given.now = 1000;
    given.no_arrivals = 1;
  }
  muster_status Forecasts() {
    return muster_forecast_cluster(cluster.get(), "volcano", nullptr, &given, nullptr,
                                   Out(forecast), &error);
  }
  // All of the forecast that two of them may differ in.
  std::string Seen() {
    EXPECT_OK_C(Forecasts());
    muster_forecast_view view = MUSTER_FORECAST_VIEW_INIT;
    EXPECT_OK_C(muster_forecast_get_view(forecast.get(), &view, &error));
    std::string seen = std::string(view.digest) + ", " + std::to_string(view.events) + " events";
    for (int64_t i = 0; i < view.count; ++i) {
      seen += "; " + std::to_string(view.start[i]) + " to " + std::to_string(view.end[i]);
    }
    return seen;
  }

  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
  Held<muster_forecast> forecast;
  muster_forecast_options given = MUSTER_FORECAST_OPTIONS_INIT;
};

TEST_F(ForecastsByExecutor, AreThoseOfOneThread) {
  const std::string alone = Seen();
  EXPECT_NE(alone.find("; 1000 to 1"), std::string::npos) << alone;
  Held<muster_threads> threads;
  ASSERT_OK_C(muster_threads_new(3, Out(threads), &error));
  std::atomic<int64_t> calls = 0;
  given.executor = Counts;
  given.executor_user = reinterpret_cast<uintptr_t>(&calls);
  for (const int64_t width : {2, 8}) {
    calls = 0;
    given.executor_width = width;
    EXPECT_EQ(Seen(), alone) << width;
    EXPECT_GT(calls, 0) << width;
  }
  given.executor_width = 3;
  given.executor_user = reinterpret_cast<uintptr_t>(threads.get());
  for (const muster_executor executor : {muster_threads_run, Twice, AllButTheLast}) {
    given.executor = executor;
    EXPECT_EQ(Seen(), alone);
  }
}

TEST_F(ForecastsByExecutor, AskNoneThatHasOneThread) {
  std::atomic<int64_t> calls = 0;
  given.executor = Counts;
  given.executor_user = reinterpret_cast<uintptr_t>(&calls);
  given.executor_width = 1;
  EXPECT_OK_C(Forecasts());
  EXPECT_EQ(calls, 0);
}

TEST_F(ForecastsByExecutor, RefuseWidthsBelowOne) {
  given.executor = Threads;
  for (const int64_t width : {0, -1}) {
    given.executor_width = width;
    EXPECT_EQ(Forecasts(), MUSTER_E_INVALID_ARGUMENT);
    EXPECT_EQ(Words(error), "muster_forecast_options: executor_width is " + std::to_string(width) +
                                "; must be 1 or more");
    EXPECT_EQ(forecast, nullptr);
  }
  given.executor = nullptr;  // there is nothing that could have a width
  EXPECT_OK_C(Forecasts());
}

TEST_F(ForecastsByExecutor, FailWithWhatItReports) {
  given.executor = Refuses;
  given.executor_user = 7;
  given.executor_width = 2;
  EXPECT_EQ(Forecasts(), MUSTER_E_USER);
  EXPECT_EQ(error.user_code, 7);
  EXPECT_EQ(forecast, nullptr);
}

TEST(Several, AnyExecutorGivesThePlansOfSingleCalls) {
  muster_error error = MUSTER_ERROR_INIT;
  const Held<muster_cluster> cluster = SmallCluster();
  Held<muster_snapshot> snapshot;
  ASSERT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
  muster_schedule_options stopped = MUSTER_SCHEDULE_OPTIONS_INIT;
  stopped.work_budget = -1;
  const char* profiles[] = {"volcano", "muster", "kube-batch", "volcano"};
  const muster_schedule_options* options[] = {nullptr, nullptr, nullptr, &stopped};
  std::vector<std::string> expected;
  for (int i = 0; i < 4; ++i) {
    Held<muster_plan> plan;
    ASSERT_OK_C(
        muster_snapshot_schedule(snapshot.get(), profiles[i], options[i], Out(plan), &error));
    expected.push_back(DigestOf(plan.get()));
  }
  EXPECT_NE(expected[0], expected[3]);
  for (const muster_executor executor : {muster_executor(nullptr), muster_executor(Threads),
                                         muster_executor(Twice), muster_executor(AllButTheLast)}) {
    Plans plans(4);
    ASSERT_OK_C(muster_snapshot_schedule_all(snapshot.get(), profiles, options, 4, executor, 0,
                                             plans.list.data(), &error));
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(DigestOf(plans.list[i]), expected[i]);
  }
  Plans plans(4);
  EXPECT_EQ(muster_snapshot_schedule_all(snapshot.get(), profiles, options, 4, Refuses, 42,
                                         plans.list.data(), &error),
            MUSTER_E_USER);
  EXPECT_EQ(error.user_code, 42);
  profiles[2] = "vulcano";
  EXPECT_EQ(muster_snapshot_schedule_all(snapshot.get(), profiles, options, 4, Threads, 0,
                                         plans.list.data(), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(error.code, MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error).rfind("profiles[2]: ", 0), 0u) << Words(error);
  for (const muster_plan* plan : plans.list) EXPECT_EQ(plan, nullptr);
  EXPECT_OK_C(muster_snapshot_schedule_all(snapshot.get(), nullptr, nullptr, 0, nullptr, 0, nullptr,
                                           &error));
}

// Two cycles ask one list, which one cycle at a time may ask.
TEST(Several, PoliciesAreAskedOnTheCallingThread) {
  muster_error error = MUSTER_ERROR_INIT;
  const Held<muster_cluster> cluster = SmallCluster();
  Held<muster_snapshot> snapshot;
  ASSERT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
  static std::set<std::thread::id> seen;
  muster_policy policy = MUSTER_POLICY_INIT;
  policy.name = "watcher";
  policy.open = [](uintptr_t, const muster_cycle*) -> muster_status {
    seen.insert(std::this_thread::get_id());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return MUSTER_OK;
  };
  const muster_policy* policies[] = {&policy};
  Held<muster_policies> list;
  ASSERT_OK_C(muster_policies_new(policies, 1, Out(list), &error));
  muster_schedule_options asks = MUSTER_SCHEDULE_OPTIONS_INIT;
  asks.policies = list.get();
  // As a caller of an older header has it: what lies behind its last field is not read.
  muster_schedule_options shorter = asks;
  shorter.struct_size = offsetof(muster_schedule_options, policies);
  const char* profiles[] = {"volcano:+watcher", "volcano", "muster:+watcher", "kube-batch",
                            "volcano:+watcher"};
  const muster_schedule_options* options[] = {&asks, nullptr, &asks, &shorter, &asks};
  for (const muster_executor executor : {muster_executor(nullptr), muster_executor(Threads),
                                         muster_executor(Twice), muster_executor(AllButTheLast)}) {
    Plans plans(5);
    ASSERT_OK_C(muster_snapshot_schedule_all(snapshot.get(), profiles, options, 5, executor, 0,
                                             plans.list.data(), &error));
    for (const muster_plan* plan : plans.list) EXPECT_NE(plan, nullptr);
  }
  EXPECT_EQ(seen, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(Several, DomainsAreColumns) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
  Held<muster_plan> plan;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1,
      "domains": [{"name": "block", "tier": 2}, {"name": "rack-a", "tier": 1, "parent": "block"},
                  {"name": "rack-b", "tier": 1, "parent": "block"}],
      "nodes": [{"name": "a", "domain": "rack-a", "capacity": {"cpu": 2, "pods": 9}},
                {"name": "b", "count": 2, "domain": "rack-b", "capacity": {"cpu": 4, "pods": 9}}],
      "jobs": [{"name": "near", "min_available": 2, "topology": {"hard": true, "highest_tier": 1},
                "groups": [{"count": 2, "shape": {"request": {"cpu": 3}}}]}]})",
                                      MUSTER_TO_NUL, &error));
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "volcano:+network-topology-aware", nullptr,
                                      Out(plan), &error));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  ASSERT_EQ(view.domain_count, 1);
  EXPECT_EQ(view.domain_job[0], 0);
  EXPECT_EQ(view.domain_tier[0], 1);
  const auto text = [](const int64_t* offsets, const char* bytes) {
    return std::string(bytes + offsets[0], bytes + offsets[1]);
  };
  EXPECT_EQ(text(view.domain_sub_group_offsets, view.domain_sub_groups), "");
  EXPECT_EQ(text(view.domain_name_offsets, view.domain_names), "rack-b");
}

TEST(Several, DevicesAreColumns) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
  Held<muster_plan> plan;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1,
      "nodes": [{"name": "n", "capacity": {"cpu": 9, "pods": 9}, "devices": [
                  {"name": "gpu0", "kind": "gpu", "memory": 100},
                  {"name": "gpu1", "kind": "gpu", "memory": 100}]}],
      "jobs": [{"name": "j"}],
      "tasks": [{"name": "runs", "job": "j", "status": "running", "node": "n",
                 "devices": [{"device": "gpu0", "milli": 400}]},
                {"name": "part", "job": "j",
                 "shape": {"devices": [{"kind": "gpu", "milli": 500, "memory": 60}]}},
                {"name": "whole", "job": "j", "shape": {"devices": [{"kind": "gpu"}]}}]})",
                                      MUSTER_TO_NUL, &error));
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "muster", nullptr, Out(plan), &error));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  ASSERT_EQ(view.device_count, 2);
  const auto name = [&](int row) {
    return std::string(view.device_names + view.device_name_offsets[row],
                       view.device_names + view.device_name_offsets[row + 1]);
  };
  EXPECT_EQ(view.device_task[0], 1);
  EXPECT_EQ(view.device_milli[0], 500);
  EXPECT_EQ(view.device_memory[0], 60);
  EXPECT_EQ(name(0), "gpu0");
  EXPECT_EQ(view.device_task[1], 2);
  EXPECT_EQ(view.device_milli[1], 1000);
  EXPECT_EQ(view.device_memory[1], 0);
  EXPECT_EQ(name(1), "gpu1");
}

TEST(Several, WhatElseRefusesIsAColumn) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster;
  Held<muster_plan> plan;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), R"({"muster": 1,
      "nodes": [{"name": "n", "capacity": {"cpu": 64, "pods": 99}}],
      "queues": [{"name": "lab", "limit": {"cpu": 4}}, {"name": "a", "parent": "lab"},
                 {"name": "b", "limit": {"cpu": 4}}],
      "jobs": [{"name": "under", "queue": "a", "groups": [{"count": 1, "shape": {"request": {"cpu": 5}}}]},
               {"name": "beside", "queue": "b", "groups": [{"count": 1, "shape": {"request": {"cpu": 5}}}]}]})",
                                      MUSTER_TO_NUL, &error));
  ASSERT_OK_C(muster_cluster_schedule(cluster.get(), "muster", nullptr, Out(plan), &error));
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  ASSERT_OK_C(muster_plan_get_view(plan.get(), &view, &error));
  ASSERT_EQ(view.pending_count, 2);
  const auto where = [&](int32_t reason) {
    return std::string(view.reason_wheres + view.reason_where_offsets[reason],
                       view.reason_wheres + view.reason_where_offsets[reason + 1]);
  };
  for (int i = 0; i < 2; ++i) {
    const int32_t reason = view.pending_reason[i];
    EXPECT_EQ(view.reason_kind[reason], MUSTER_REASON_QUEUE_LIMIT);
    EXPECT_EQ(where(reason), view.pending_task[i] == 0 ? "queue \"lab\"" : "");
  }
}

TEST(Several, RevisionsAreOfPolicies) {
  muster_error error = MUSTER_ERROR_INIT;
  for (const PolicyInfo& policy : Policies()) {
    EXPECT_GE(policy.revision, 1) << policy.name;
    EXPECT_EQ(muster_policy_revision(policy.name.c_str()), policy.revision);
  }
  EXPECT_EQ(muster_policy_revision("gang-"), 0);
  Held<muster_text> catalogue;
  ASSERT_OK_C(muster_catalogue(Out(catalogue), &error));
  EXPECT_NE(Words(catalogue).find("\"revision\": "), std::string::npos);
  for (const char* feature : {"devices", "domains", "executor", "revisions", "state"}) {
    EXPECT_EQ(muster_has_feature(feature), 1) << feature;
  }
  EXPECT_EQ(muster_has_feature("telepathy"), 0);
}

// Twenty jobs of one or two tasks on three nodes, as columns and as a trace.
struct OnNodes {
  muster_error error = MUSTER_ERROR_INIT;
  std::vector<int64_t> submit, run, tasks, cpu;
  Held<muster_table> nodes, shapes;
  muster_pool_trace columns = MUSTER_POOL_TRACE_INIT;
  Trace trace;

  OnNodes() {
    const char* names[] = {"a", "b", "c"};
    const int64_t sizes[] = {4000, 8000, 2000};
    EXPECT_OK_C(muster_table_new(MUSTER_KIND_NODES, 3, nullptr, Out(nodes), &error));
    EXPECT_OK_C(muster_table_set_strings(nodes.get(), "name", names, 3, &error));
    EXPECT_OK_C(muster_table_set_numbers(nodes.get(), "capacity.cpu", sizes, 3, &error));
    trace.name = "trace";
    for (int i = 0; i < 3; ++i) {
      NodeSpec node;
      node.name = names[i];
      node.capacity = {{"cpu", sizes[i] / 1000}};
      trace.machine.nodes.push_back(node);
    }
    for (int64_t i = 0; i < 20; ++i) {
      submit.push_back(10 * i);
      run.push_back(30 + 7 * (i % 5));
      tasks.push_back(1 + i % 2);
      cpu.push_back(1000 * (1 + i % 3));
      TaskShape shape;
      shape.request = {{"cpu", 1 + i % 3}};
      trace.shapes.push_back(shape);
      EXPECT_TRUE(AddJob({.submit = submit.back(),
                          .run = run.back(),
                          .tasks = tasks.back(),
                          .shape = static_cast<uint32_t>(i)},
                         &trace)
                      .ok());
    }
    EXPECT_OK_C(muster_table_new(MUSTER_KIND_TASKS, 20, nullptr, Out(shapes), &error));
    EXPECT_OK_C(
        muster_table_set_numbers(shapes.get(), "shape.request.cpu", cpu.data(), 20, &error));
    columns.count = 20;
    columns.submit = submit.data();
    columns.run = run.data();
    columns.tasks = tasks.data();
  }
};

TEST(Several, ReplaysOnNodesAreThoseOfCpp) {
  OnNodes world;
  muster_error error = MUSTER_ERROR_INIT;
  const absl::StatusOr<ReplayResult> expected = Replay(world.trace, "volcano");
  ASSERT_TRUE(expected.ok()) << expected.status();
  Held<muster_replay> replay;
  ASSERT_OK_C(muster_replay_nodes(&world.columns, world.nodes.get(), world.shapes.get(), "volcano",
                                  nullptr, Out(replay), &error));
  muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
  ASSERT_OK_C(muster_replay_get_view(replay.get(), &view, &error));
  ASSERT_EQ(view.count, 20);
  EXPECT_EQ(std::vector<int64_t>(view.start, view.start + 20), expected->start);
  EXPECT_EQ(std::vector<int64_t>(view.end, view.end + 20), expected->end);

  world.columns.processors = 4;
  EXPECT_EQ(muster_replay_nodes(&world.columns, world.nodes.get(), world.shapes.get(), "volcano",
                                nullptr, Out(replay), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "muster_pool_trace: has processors and nodes");
  world.columns.processors = 0;
  EXPECT_EQ(muster_replay_nodes(&world.columns, world.shapes.get(), world.shapes.get(), "volcano",
                                nullptr, Out(replay), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "nodes: is a table of tasks");
  world.columns.count = 19;
  EXPECT_EQ(muster_replay_nodes(&world.columns, world.nodes.get(), world.shapes.get(), "volcano",
                                nullptr, Out(replay), &error),
            MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "tasks: has 20 rows; the trace has 19 jobs");
}

// Both questions, against the C++ episodes that take the same actions: the first that is allowed.
TEST(Several, EpisodesAreThoseOfCpp) {
  OnNodes world;
  muster_error error = MUSTER_ERROR_INIT;
  for (const int32_t on_nodes : {0, 1}) {
    SCOPED_TRACE(on_nodes);
    Trace trace = world.trace;
    muster_pool_trace columns = world.columns;
    if (on_nodes == 0) {
      trace.machine = {};
      trace.shapes.clear();
      trace.shape.assign(trace.size(), 0);
      trace.processors = columns.processors = 3;
    }
    constexpr size_t kCount = 3;
    auto mine = Episodes::Make(std::make_shared<const Trace>(trace),
                               {.nodes = on_nodes == 1, .jobs = 8, .places = 4}, kCount);
    ASSERT_TRUE(mine.ok()) << mine.status();
    muster_episodes_options options = MUSTER_EPISODES_OPTIONS_INIT;
    options.on_nodes = on_nodes;
    options.jobs = 8;
    options.places = 4;
    Held<muster_episodes> episodes;
    ASSERT_OK_C(muster_episodes_new(&columns, on_nodes == 1 ? world.nodes.get() : nullptr,
                                    on_nodes == 1 ? world.shapes.get() : nullptr, &options, kCount,
                                    Out(episodes), &error));
    muster_episodes_view view = MUSTER_EPISODES_VIEW_INIT;
    ASSERT_OK_C(muster_episodes_get_view(episodes.get(), &view, &error));
    EXPECT_EQ(view.rows, 20);
    EXPECT_EQ(view.choices, on_nodes == 1 ? 3 : 4);
    const auto width = static_cast<size_t>(view.choices + 1);
    const auto of_jobs = static_cast<size_t>(view.places * view.job_features);
    const auto of_machines = static_cast<size_t>(view.machines * view.machine_features);
    for (size_t e = 0; e < kCount; ++e) {
      mine->Reset(e, 5 * e);
      ASSERT_OK_C(muster_episodes_reset(episodes.get(), static_cast<int64_t>(e),
                                        static_cast<int64_t>(5 * e), &error));
    }
    std::vector<float> jobs(kCount * of_jobs), machines(kCount * of_machines);
    std::vector<int8_t> mask(kCount * width);
    std::vector<double> rewards(kCount);
    std::vector<uint8_t> over(kCount, 0), allowed(kCount);
    int steps = 0;
    while (over != std::vector<uint8_t>(kCount, 1)) {
      ASSERT_LT(++steps, 1000);
      ASSERT_OK_C(
          muster_episodes_look(episodes.get(), jobs.data(), machines.data(), mask.data(), &error));
      std::vector<int64_t> actions(kCount, view.choices);
      for (size_t e = 0; e < kCount; ++e) {
        std::vector<float> my_jobs(of_jobs), my_machines(of_machines);
        std::vector<int8_t> my_mask(width);
        mine->Look(e, my_jobs.data(), my_machines.data(), my_mask.data());
        ASSERT_TRUE(std::equal(my_jobs.begin(), my_jobs.end(), jobs.begin() + e * of_jobs));
        ASSERT_TRUE(
            std::equal(my_machines.begin(), my_machines.end(), machines.begin() + e * of_machines));
        ASSERT_TRUE(std::equal(my_mask.begin(), my_mask.end(), mask.begin() + e * width));
        for (size_t a = width; a-- > 0;) {
          if (my_mask[a] != 0) actions[e] = static_cast<int64_t>(a);
        }
      }
      const std::vector<uint8_t> before = over;
      ASSERT_OK_C(muster_episodes_act(episodes.get(), actions.data(), rewards.data(), over.data(),
                                      allowed.data(), &error));
      for (size_t e = 0; e < kCount; ++e) {
        if (before[e] != 0) {
          EXPECT_EQ(rewards[e], 0);
          continue;
        }
        const Episodes::Outcome outcome = mine->Act(e, static_cast<size_t>(actions[e]));
        EXPECT_EQ(rewards[e], outcome.reward);
        EXPECT_EQ(over[e], outcome.over);
        EXPECT_EQ(allowed[e], outcome.allowed);
      }
    }
    for (size_t e = 0; e < kCount; ++e) {
      std::vector<int64_t> starts(8);
      ASSERT_OK_C(
          muster_episodes_starts(episodes.get(), static_cast<int64_t>(e), starts.data(), &error));
      EXPECT_EQ(starts, mine->starts(e));
    }
    ASSERT_OK_C(muster_episodes_look(episodes.get(), nullptr, nullptr, nullptr, &error));

    const std::vector<int64_t> far(kCount, view.choices + 1);
    EXPECT_EQ(muster_episodes_act(episodes.get(), far.data(), rewards.data(), over.data(), nullptr,
                                  &error),
              MUSTER_E_OUT_OF_RANGE);
    EXPECT_EQ(muster_episodes_reset(episodes.get(), 3, 0, &error), MUSTER_E_OUT_OF_RANGE);
    EXPECT_EQ(muster_episodes_reset(episodes.get(), 0, 13, &error), MUSTER_E_OUT_OF_RANGE);
    EXPECT_EQ(Words(error), "first is 13; must be 0 to 12");
    options.on_nodes = 1 - on_nodes;
    EXPECT_EQ(muster_episodes_new(&columns, on_nodes == 1 ? world.nodes.get() : nullptr,
                                  on_nodes == 1 ? world.shapes.get() : nullptr, &options, kCount,
                                  Out(episodes), &error),
              MUSTER_E_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace muster
