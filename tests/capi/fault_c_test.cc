// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls with memory running out at their first, second, ... allocation, once and for good; the
// caller's own allocator refusing, and what it was requested given back.
//
// The operators new and delete of this executable count, and fail on demand: failing_new.cc.
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "tests/capi/capi_support.h"
#include "tests/capi/failing_new.h"
#include "tests/capi/fault_world.h"

namespace muster {
namespace {

using Call = std::function<muster_status(FaultWorld&, muster_error*)>;

// Every kind of call that can fail. Those that change rows let go of the snapshot first;
// "..._copying" do not, and copy its tables.
std::map<std::string, Call> Calls() {
  std::map<std::string, Call> calls;
  calls["table_new"] = [](FaultWorld&, muster_error* e) {
    Held<muster_table> made;
    return muster_table_new(MUSTER_KIND_TASKS, 7, nullptr, Out(made), e);
  };
  calls["table_set"] = [](FaultWorld& w, muster_error* e) {
    const int64_t numbers[] = {1, 2}, offsets[] = {0, 30, 60};
    const int32_t codes[] = {1, 0};
    const char* bytes = "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij";
    const char* texts[] = {bytes, bytes};
    muster_status s = muster_table_set_numbers(w.tasks.get(), "priority", numbers, 2, e);
    if (s == 0) s = muster_table_set_texts(w.tasks.get(), "job", offsets, 2, bytes, 60, e);
    if (s == 0)
      s = muster_table_set_codes(w.tasks.get(), "group", codes, 2, offsets, 2, bytes, 60, e);
    if (s == 0) s = muster_table_set_strings(w.tasks.get(), "node", texts, 2, e);
    if (s == 0) s = muster_table_set_defaults(w.tasks.get(), R"({"priority":  12345678 })", -1, e);
    if (s == 0) s = muster_table_reset(w.tasks.get(), 3, e);
    return s;
  };
  calls["cluster_new"] = [](FaultWorld&, muster_error* e) {
    Held<muster_cluster> made;
    return muster_cluster_new(nullptr, Out(made), e);
  };
  calls["put"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_PUT_ADD, w.tasks.get(), e);
  };
  calls["put_copying"] = [](FaultWorld& w, muster_error* e) {
    return muster_cluster_put(w.cluster.get(), MUSTER_PUT_ADD, w.nodes.get(), e);
  };
  calls["put_update"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_PUT_UPDATE, w.queues.get(), e);
  };
  calls["put_many_tasks"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_PUT_ADD, w.many_tasks.get(), e);
  };
  calls["put_many_nodes"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_PUT_ADD, w.many_nodes.get(), e);
  };
  calls["add_json"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_add_json(
        w.cluster.get(),
        R"({"muster": 1, "namespaces": [{"name": "lab", "labels": {"a": "b"}}],
            "domains": [{"name": "rack", "tier": 1}],
             "budgets": [{"name": "most", "allowed": 1}],
            "nodes": [{"name": "m", "count": 3, "domain": "rack", "capacity": {"gpu": 8}}],
            "queues": [{"name": "q", "limit": {"gpu": 4}}],
            "jobs": [{"name": "j", "queue": "q", "min_available": 1, "groups": [
              {"name": "w", "count": 3, "shape": {"request": {"gpu": 1}}}]}],
            "tasks": [{"name": "alone", "shape": {"request": {"cpu": 1}}, "nominated_node": "far"}]})",
        MUSTER_TO_NUL, e);
  };
  calls["remove"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_remove(w.cluster.get(), MUSTER_KIND_JOBS, "fits", 4, e);
  };
  calls["set_tasks"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    const int32_t tasks[] = {0, 1}, statuses[] = {MUSTER_TASK_RUNNING, MUSTER_TASK_FAILED},
                  nodes[] = {1, -1};
    return muster_cluster_set_tasks(w.cluster.get(), 2, tasks, statuses, nodes, e);
  };
  calls["set_task"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_set_task(w.cluster.get(), "fits-2", 6, MUSTER_TASK_RUNNING, "n1", 2, e);
  };
  calls["set_task_copying"] = [](FaultWorld& w, muster_error* e) {
    return muster_cluster_set_task(w.cluster.get(), "fits-2", 6, MUSTER_TASK_RUNNING, "n1", 2, e);
  };
  calls["apply_deltas"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    const uint64_t generations[] = {3, 4};
    int32_t outcomes[2];
    return muster_cluster_apply_deltas(w.cluster.get(), w.tasks.get(), generations, outcomes,
                                       nullptr, e);
  };
  calls["apply_deltas_waiting"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    const uint64_t generations[] = {3, 4};
    return muster_cluster_apply_deltas(w.cluster.get(), w.orphans.get(), generations, nullptr,
                                       nullptr, e);
  };
  calls["take_deltas"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    const uint64_t generations[] = {3, 4};
    int32_t outcomes[2];
    Held<muster_text> refusals;
    return muster_cluster_take_deltas(w.cluster.get(), w.tasks.get(), generations, outcomes,
                                      Out(refusals), e);
  };
  calls["apply_removal"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_apply_removal(w.cluster.get(), MUSTER_KIND_NODES, "n1", 2, 9, nullptr, e);
  };
  calls["reconcile"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    const muster_table* tables[] = {w.nodes.get(), w.queues.get(), w.tasks.get()};
    Held<muster_text> drift;
    return muster_cluster_reconcile(w.cluster.get(), tables, 3, Out(drift), e);
  };
  calls["read_scenario"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    Held<muster_text> profile;
    return muster_cluster_read_scenario(w.cluster.get(), w.scenario.data(),
                                        static_cast<int64_t>(w.scenario.size()), Out(profile), e);
  };
  calls["write_scenario"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    return muster_cluster_write_scenario(w.cluster.get(), "volcano", Out(text), e);
  };
  calls["freeze"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_snapshot> made;
    return muster_cluster_freeze(w.cluster.get(), Out(made), e);
  };
  for (const char* profile : {"volcano", "muster", "kube-batch", "volcano:+preempt,+reclaim"}) {
    std::string name = std::string("schedule_") + profile;
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    calls[name] = [profile](FaultWorld& w, muster_error* e) {
      Held<muster_plan> made;
      return muster_cluster_schedule(w.cluster.get(), profile, nullptr, Out(made), e);
    };
  }
  // A cycle that goes on from an earlier one: its plan applied, a task ended.
  calls["schedule_again"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_plan> made;
    return muster_cluster_schedule(w.busy.get(), "volcano", nullptr, Out(made), e);
  };
  // Devices and domains of a plan.
  calls["schedule_places"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_plan> made;
    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    muster_status s = muster_cluster_schedule(w.busy.get(), "muster", nullptr, Out(made), e);
    if (s == 0) s = muster_plan_get_view(made.get(), &view, e);
    if (s == 0) EXPECT_EQ(view.device_count, 2);
    return s;
  };
  calls["schedule_with_policies"] = [](FaultWorld& w, muster_error* e) {
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.policies = w.policies.get();
    Held<muster_plan> made;
    return muster_cluster_schedule(w.cluster.get(), "volcano", &options, Out(made), e);
  };
  calls["schedule_with_action"] = [](FaultWorld& w, muster_error* e) {
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.policies = w.extensions.get();
    Held<muster_plan> made;
    return muster_cluster_schedule(w.cluster.get(), "volcano:actions=in-turn+backfill", &options,
                                   Out(made), e);
  };
  calls["snapshot_schedule"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_plan> made;
    return muster_snapshot_schedule(w.snapshot.get(), "muster", nullptr, Out(made), e);
  };
  calls["schedule_all"] = [](FaultWorld& w, muster_error* e) {
    const char* profiles[] = {"volcano", "muster"};
    muster_plan* plans[2];
    const muster_status s =
        muster_snapshot_schedule_all(w.snapshot.get(), profiles, nullptr, 2, nullptr, 0, plans, e);
    for (muster_plan* plan : plans) muster_plan_free(plan);
    return s;
  };
  calls["state_save"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    Held<muster_text> text;
    return muster_state_save(w.cluster.get(), Out(text), e);
  };
  calls["state_load"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_state_load(w.cluster.get(), w.state.data(), static_cast<int64_t>(w.state.size()),
                             e);
  };
  calls["episodes"] = [](FaultWorld& w, muster_error* e) {
    const int64_t times[] = {1, 2}, one[] = {1, 1}, actions[] = {0};
    muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
    trace.count = 2;
    trace.submit = times;
    trace.run = times;
    trace.tasks = one;
    muster_episodes_options options = MUSTER_EPISODES_OPTIONS_INIT;
    options.on_nodes = 1;
    options.jobs = 2;
    double reward;
    uint8_t over;
    Held<muster_episodes> episodes;
    muster_status s =
        muster_episodes_new(&trace, w.nodes.get(), w.tasks.get(), &options, 1, Out(episodes), e);
    int64_t starts[2];
    muster_episodes_view view = MUSTER_EPISODES_VIEW_INIT;
    if (s == 0) s = muster_episodes_get_view(episodes.get(), &view, e);
    if (s == 0) s = muster_episodes_starts(episodes.get(), 0, starts, e);
    if (s == 0) s = muster_episodes_act(episodes.get(), actions, &reward, &over, nullptr, e);
    if (s == 0) s = muster_episodes_look(episodes.get(), nullptr, nullptr, nullptr, e);
    if (s == 0) s = muster_episodes_reset(episodes.get(), 0, 0, e);
    return s;
  };
  calls["apply"] = [](FaultWorld& w, muster_error* e) {
    w.snapshot.reset();
    int64_t applied;
    Held<muster_text> refused;
    return muster_cluster_apply(w.cluster.get(), w.plan.get(), &applied, Out(refused), e);
  };
  calls["report_bind_failed"] = [](FaultWorld& w, muster_error* e) {
    return muster_cluster_report_bind_failed(w.busy.get(), "fits-1", 6, e);
  };
  calls["report_evict_failed"] = [](FaultWorld& w, muster_error* e) {
    muster_status s =
        muster_cluster_set_task(w.busy.get(), "fits-1", 6, MUSTER_TASK_RELEASING, nullptr, 0, e);
    if (s == 0) s = muster_cluster_report_evict_failed(w.busy.get(), "fits-1", 6, e);
    return s;
  };
  calls["waiting_events"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    return muster_cluster_waiting_events(w.cluster.get(), Out(text), e);
  };
  calls["refused_events"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    return muster_cluster_refused_events(w.cluster.get(), Out(text), e);
  };
  calls["assumptions"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    return muster_cluster_assumptions(w.busy.get(), Out(text), e);
  };
  calls["expire_assumptions"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    return muster_cluster_expire_assumptions(w.busy.get(), 1000, 0, 0, Out(text), e);
  };
  calls["schedule_measured"] = [](FaultWorld& w, muster_error* e) {
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.measure = MUSTER_MEASURE_COSTS | MUSTER_MEASURE_CHOICES;
    Held<muster_plan> made;
    muster_costs_view costs = MUSTER_COSTS_VIEW_INIT;
    const muster_status s =
        muster_cluster_schedule(w.cluster.get(), "volcano", &options, Out(made), e);
    return s == 0 ? muster_plan_get_costs(made.get(), &costs, e) : s;
  };
  calls["make_tasks"] = [](FaultWorld& w, muster_error* e) {
    return muster_cluster_make_tasks(w.counted.get(), "j", 1, "", 0, 10, e);
  };
  calls["plan_texts"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    char digest[33];
    muster_status s = muster_plan_to_text(w.plan.get(), Out(text), e);
    if (s == 0) s = muster_plan_to_json(w.plan.get(), Out(text), e);
    if (s == 0) s = muster_plan_explain(w.plan.get(), "large", 5, Out(text), e);
    if (s == 0) s = muster_plan_digest(w.plan.get(), digest, e);
    return s;
  };
  // A cycle of a turn, from a memory that is handed in.
  calls["schedule_turn"] = [](FaultWorld& w, muster_error* e) {
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.turn = R"({"decisions": 1})";
    options.memory = kMemoryText;
    Held<muster_plan> made;
    return muster_cluster_schedule(w.cluster.get(), "volcano:+sampling(remember=on)", &options,
                                   Out(made), e);
  };
  calls["memory_texts"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> text;
    const muster_status s = muster_plan_memory(w.plan.get(), Out(text), e);
    return s == 0 ? muster_cluster_memory(w.cluster.get(), Out(text), e) : s;
  };
  calls["set_limits"] = [](FaultWorld& w, muster_error* e) {
    const muster_limits limits = MUSTER_LIMITS_INIT;
    return muster_cluster_set_limits(w.cluster.get(), &limits, e);
  };
  calls["set_memory"] = [](FaultWorld& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_set_memory(w.cluster.get(), kMemoryText, MUSTER_TO_NUL, e);
  };
  calls["policies_new"] = [](FaultWorld&, muster_error* e) {
    Held<muster_policies> made;
    const muster_policy one = LikesTheLast();
    const muster_policy* list[] = {&one};
    return muster_policies_new(list, 1, Out(made), e);
  };
  calls["extensions_new"] = [](FaultWorld&, muster_error* e) {
    Held<muster_policies> made;
    const muster_policy one = LikesTheLast();
    const muster_policy* list[] = {&one};
    const muster_action action = InTurn();
    const muster_action* actions[] = {&action};
    return muster_extensions_new(list, 1, actions, 1, Out(made), e);
  };
  calls["find"] = [](FaultWorld& w, muster_error* e) {
    int32_t index;
    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    muster_status s =
        muster_cluster_find(w.cluster.get(), MUSTER_KIND_TASKS, "fits-1", 6, &index, e);
    if (s == 0)
      s = muster_snapshot_find(w.snapshot.get(), MUSTER_KIND_TASKS, "fits-1", 6, &index, e);
    return s == 0 ? muster_plan_get_view(w.plan.get(), &view, e) : s;
  };
  calls["snapshot_what_if"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_outlook> made;
    muster_outlook_view view = MUSTER_OUTLOOK_VIEW_INIT;
    const muster_status s =
        muster_snapshot_what_if(w.snapshot.get(), "volcano", kChanges, MUSTER_TO_NUL, Out(made), e);
    return s == 0 ? muster_outlook_get_view(made.get(), &view, e) : s;
  };
  // Over a session that has had a cycle, and over none.
  calls["cluster_advise"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_text> answer;
    return muster_cluster_advise(w.cluster.get(), "volcano", kQuestion, MUSTER_TO_NUL, 5,
                                 Out(answer), e);
  };
  calls["cluster_advise_with"] = [](FaultWorld& w, muster_error* e) {
    muster_advise_options options = MUSTER_ADVISE_OPTIONS_INIT;
    options.policies = w.policies.get();
    Held<muster_text> answer;
    return muster_cluster_advise_with(w.cluster.get(), "volcano", kQuestion, MUSTER_TO_NUL,
                                      &options, Out(answer), e);
  };
  calls["cluster_what_if"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_outlook> made;
    return muster_cluster_what_if(w.busy.get(), "volcano", kChanges, MUSTER_TO_NUL, Out(made), e);
  };
  calls["cluster_what_if_first"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_outlook> made;
    return muster_cluster_what_if(w.cluster.get(), "muster", kChanges, MUSTER_TO_NUL, Out(made), e);
  };
  calls["catalogue"] = [](FaultWorld&, muster_error* e) {
    Held<muster_text> text;
    return muster_catalogue(Out(text), e);
  };
  calls["import"] = [](FaultWorld&, muster_error* e) {
    muster_import_options options = MUSTER_IMPORT_OPTIONS_INIT;
    options.configuration =
        R"({"actions": "allocate", "tiers": [{"plugins": [{"name": "binpack"}]}]})";
    Held<muster_text> scenario, report;
    return muster_import(
        R"([{"kind": "Node", "metadata": {"name": "a node with a long name"},
             "status": {"allocatable": {"cpu": "4", "pods": "10"}}},
            {"kind": "HyperNode", "apiVersion": "topology.volcano.sh/v1", "metadata": {"name": "h"},
             "spec": {"members": [{"type": "Node",
                                   "selector": {"regexMatch": {"pattern": "^a( |b)+"}}}]}},
            {"kind": "Queue", "apiVersion": "scheduling.volcano.sh/v1beta1",
             "metadata": {"name": "q"}, "spec": {"capability": {"cpu": "4"}}},
            {"kind": "PodGroup", "apiVersion": "scheduling.volcano.sh/v1beta1",
             "metadata": {"name": "g", "namespace": "ns"}, "spec": {"queue": "q"}},
            {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "labels": {"a": "b"},
             "annotations": {"scheduling.k8s.io/group-name": "g"}},
             "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}])",
        MUSTER_TO_NUL, &options, Out(scenario), Out(report), e);
  };
  calls["stop"] = [](FaultWorld&, muster_error* e) {
    Held<muster_stop> made;
    return muster_stop_new(Out(made), e);
  };
  calls["threads"] = [](FaultWorld& w, muster_error* e) {
    Held<muster_threads> threads;
    if (const muster_status s = muster_threads_new(3, Out(threads), e); s != 0) return s;
    const auto user = reinterpret_cast<uintptr_t>(threads.get());
    muster_status s = muster_cluster_set_executor(w.cluster.get(), muster_threads_run, user, 3, e);
    if (s == 0) s = muster_cluster_set_executor(w.cluster.get(), nullptr, 0, 0, e);
    std::atomic<int64_t> sum = 0;
    const auto add = [](uintptr_t work, int64_t i) {
      *reinterpret_cast<std::atomic<int64_t>*>(work) += i;
    };
    if (s == 0) s = muster_threads_run(user, 4, add, reinterpret_cast<uintptr_t>(&sum));
    if (s == 0) EXPECT_EQ(sum, 6);
    return s;
  };
  calls["replay"] = [](FaultWorld&, muster_error* e) {
    const int64_t times[] = {1, 2}, one[] = {1, 1};
    muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
    trace.processors = 2;
    trace.count = 2;
    trace.submit = times;
    trace.run = times;
    trace.tasks = one;
    Held<muster_replay> replay;
    muster_status s = muster_replay_pool(&trace, "easy", nullptr, Out(replay), e);
    if (s == 0) s = muster_replay_pool(&trace, "volcano", nullptr, Out(replay), e);
    return s;
  };
  calls["forecast"] = [](FaultWorld& w, muster_error* e) {
    const int64_t submit[] = {1, 1, 2}, run[] = {5, 3, 2}, tasks[] = {2, 2, 1};
    muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
    trace.processors = 2;
    trace.count = 3;
    trace.submit = submit;
    trace.run = run;
    trace.tasks = tasks;
    trace.estimate = run;
    muster_forecast_options options = MUSTER_FORECAST_OPTIONS_INIT;
    options.futures = 3;
    Held<muster_forecast> forecast;
    muster_forecast_view view = MUSTER_FORECAST_VIEW_INIT;
    muster_status s = muster_forecast_trace(&trace, "easy", &options, nullptr, Out(forecast), e);
    if (s == 0) s = muster_forecast_get_view(forecast.get(), &view, e);
    options.now = 10;
    options.no_arrivals = 1;
    if (s == 0) {
      s = muster_forecast_cluster(w.cluster.get(), "fcfs", &trace, &options, nullptr, Out(forecast),
                                  e);
    }
    return s;
  };
  calls["replay_nodes"] = [](FaultWorld& w, muster_error* e) {
    const int64_t times[] = {1, 2}, one[] = {1, 1};
    muster_pool_trace trace = MUSTER_POOL_TRACE_INIT;
    trace.count = 2;
    trace.submit = times;
    trace.run = times;
    trace.tasks = one;
    Held<muster_replay> replay;
    muster_replay_view view = MUSTER_REPLAY_VIEW_INIT;
    const muster_status s = muster_replay_nodes(&trace, w.nodes.get(), w.tasks.get(), "muster",
                                                nullptr, Out(replay), e);
    return s == 0 ? muster_replay_get_view(replay.get(), &view, e) : s;
  };
  return calls;
}

class MemoryRunsOut : public ::testing::TestWithParam<std::pair<const std::string, Call>> {};

TEST_P(MemoryRunsOut, AtAnyAllocation) {
  const Call& call = GetParam().second;
  {  // what is made once and kept is made now
    FaultWorld world;
    muster_error error = MUSTER_ERROR_INIT;
    ASSERT_OK_C(call(world, &error));
  }
  for (const bool for_good : {false, true}) {
    for (int64_t at = 1;; at = NextToFail(at)) {
      const int64_t before = living.load();
      bool is_done = false;
      {
        FaultWorld world;
        muster_error error = MUSTER_ERROR_INIT;
        persistent = for_good;
        until_failure = at;
        const muster_status status = call(world, &error);
        is_done = until_failure.load() > 0;  // it did not get that far
        until_failure = -1;
        if (status != MUSTER_OK) {
          ASSERT_EQ(status, MUSTER_E_RESOURCE_EXHAUSTED) << at << ": " << error.message;
          ASSERT_NE(error.message[0], '\0') << at;
        }
        int32_t index;
        for (muster_cluster* cluster : {world.cluster.get(), world.busy.get()}) {
          if (muster_cluster_find(cluster, MUSTER_KIND_TASKS, "large-0", 7, &index, &error) ==
              MUSTER_E_DATA_LOSS) {
            ASSERT_NE(status, MUSTER_OK) << at;
            continue;
          }
          const bool is_first = cluster == world.cluster.get();
          if (status != MUSTER_OK && is_first) {
            ASSERT_EQ(ScenarioOf(cluster), world.scenario) << at;
          }
          // The cluster is whole: it still makes plans, and those of its rows, whatever its
          // sessions went through.
          for (const char* profile : {"volcano", "muster"}) {
            Held<muster_plan> plan;
            ASSERT_OK_C(muster_cluster_schedule(cluster, profile, nullptr, Out(plan), &error));
            if (status != MUSTER_OK) {
              ASSERT_EQ(DigestOf(plan.get()), FreshDigest(cluster, profile)) << at;
            }
          }
        }
        if (world.snapshot != nullptr) {
          Held<muster_plan> plan;
          ASSERT_OK_C(muster_snapshot_schedule(world.snapshot.get(), "volcano", nullptr, Out(plan),
                                               &error));
          ASSERT_EQ(DigestOf(plan.get()), world.snapshot_digest) << at;
        }
      }
      ASSERT_EQ(living.load(), before) << at << ": a leak";
      if (!is_done) continue;
      RecordProperty(for_good ? "for_good" : "once", static_cast<int>(at - 1));
      std::printf("%d allocations failed %s\n", static_cast<int>(at - 1),
                  for_good ? "for good" : "once");
      break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, MemoryRunsOut, ::testing::ValuesIn(Calls()),
                         [](const auto& info) { return info.param.first; });

// The caller's allocator: what it gives comes back to it, of the size it was requested.
struct Counting {
  std::map<void*, size_t> given;
  int64_t left = INT64_MAX;
  int wrong = 0;
  static void* Allocate(uintptr_t user, size_t size) {
    auto& self = *reinterpret_cast<Counting*>(user);
    if (self.left-- <= 0) return nullptr;
    void* memory = std::malloc(size);
    self.given[memory] = size;
    return memory;
  }
  static void Release(uintptr_t user, void* memory, size_t size) {
    auto& self = *reinterpret_cast<Counting*>(user);
    const auto found = self.given.find(memory);
    self.wrong += found == self.given.end() || found->second != size;
    if (found != self.given.end()) self.given.erase(found);
    std::free(memory);
  }
};

TEST(Faults, TheCallersAllocator) {
  muster_error error = MUSTER_ERROR_INIT;
  for (int64_t left = 0;; ++left) {
    Counting counting;
    counting.left = left;
    muster_allocator allocator = MUSTER_ALLOCATOR_INIT;
    allocator.user = reinterpret_cast<uintptr_t>(&counting);
    allocator.allocate = Counting::Allocate;
    allocator.release = Counting::Release;
    muster_cluster_options options = MUSTER_CLUSTER_OPTIONS_INIT;
    options.allocator = &allocator;
    muster_status status;
    {
      Held<muster_cluster> cluster;
      Held<muster_table> table;
      Held<muster_plan> plan;
      Held<muster_text> text;
      const char* names[] = {"a task with a name of some length"};
      ASSERT_OK_C(muster_cluster_new(&options, Out(cluster), &error));
      ASSERT_OK_C(muster_table_new(MUSTER_KIND_TASKS, 1, &allocator, Out(table), &error));
      ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
      status = muster_table_set_strings(table.get(), "name", names, 1, &error);
      if (status == 0)
        status = muster_cluster_put(cluster.get(), MUSTER_PUT_ADD, table.get(), &error);
      if (status == 0) {
        status = muster_cluster_schedule(cluster.get(), "muster", nullptr, Out(plan), &error);
      }
      cluster.reset();  // the plan outlives it
      if (status == 0) status = muster_plan_to_text(plan.get(), Out(text), &error);
      EXPECT_EQ(status == 0 && counting.given.empty(), false);
    }
    EXPECT_TRUE(counting.given.empty());
    EXPECT_EQ(counting.wrong, 0);
    if (status == MUSTER_OK) break;
    ASSERT_EQ(status, MUSTER_E_RESOURCE_EXHAUSTED) << error.message;
    ASSERT_LT(left, 100);
  }
  // A budget alone.
  muster_allocator small = MUSTER_ALLOCATOR_INIT;
  small.budget = 64;
  muster_cluster_options options = MUSTER_CLUSTER_OPTIONS_INIT;
  options.allocator = &small;
  Held<muster_cluster> cluster;
  Held<muster_plan> plan;
  ASSERT_OK_C(muster_cluster_new(&options, Out(cluster), &error));
  ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
  EXPECT_EQ(muster_cluster_schedule(cluster.get(), "muster", nullptr, Out(plan), &error),
            MUSTER_E_RESOURCE_EXHAUSTED);
  EXPECT_EQ(plan, nullptr);
  small.budget = -1;
  EXPECT_EQ(muster_cluster_new(&options, Out(cluster), &error), MUSTER_E_INVALID_ARGUMENT);
  small.budget = 0;
  small.release = [](uintptr_t, void*, size_t) {};
  EXPECT_EQ(muster_cluster_new(&options, Out(cluster), &error), MUSTER_E_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace muster
