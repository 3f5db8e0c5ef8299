// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls with memory running out at their first, second, ... allocation, once and for good; every handle and pointer
// NULL; the caller's own allocator refusing, and what it was asked for given back.
//
// The operators new and delete of this executable count, and fail on demand: failing_new.cc.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "tests/capi/capi_support.h"
#include "tests/capi/failing_new.h"

namespace muster {
namespace {

// A policy of the caller's own: the higher the node's number, the better.
muster_policy LikesTheLast() {
  muster_policy policy = MUSTER_POLICY_INIT;
  policy.name = "likes-the-last";
  policy.score = [](uintptr_t, const muster_cycle* cycle, const muster_class_view*,
                    const muster_nodes_view* nodes, double* out) -> muster_status {
    int64_t idle = 0;
    muster_cycle_get_numbers(cycle, MUSTER_NODES, "idle.cpu", nodes->node, 1, &idle, nullptr);
    for (int64_t i = 0; i < nodes->count; ++i) out[i] = static_cast<double>(nodes->node[i]);
    return MUSTER_OK;
  };
  return policy;
}

std::string ScenarioOf(const muster_cluster* cluster) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_text> text;
  EXPECT_OK_C(muster_cluster_write_scenario(cluster, "volcano", Out(text), &error));
  return Words(text);
}

// Of the plan that a session of its own makes of the cluster's rows.
std::string FreshDigest(const muster_cluster* cluster, const char* profile) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_snapshot> snapshot;
  Held<muster_plan> plan;
  EXPECT_OK_C(muster_cluster_freeze(cluster, Out(snapshot), &error));
  EXPECT_OK_C(muster_snapshot_schedule(snapshot.get(), profile, nullptr, Out(plan), &error));
  return DigestOf(plan.get());
}

// What a call is made on, freshly built each time.
struct World {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();
  Held<muster_cluster> busy = SmallCluster();  // has had a cycle, and carried it out
  Held<muster_table> tasks, nodes, queues, orphans, many_tasks, many_nodes;
  Held<muster_policies> policies;
  Held<muster_plan> plan;
  Held<muster_snapshot> snapshot;
  std::string snapshot_digest, scenario, state;

  World() {
    const char* names[] = {"fits-0", "fits-1"};
    const char* more[] = {"t1", "t2"};
    const int64_t numbers[] = {1, 2};
    EXPECT_OK_C(muster_table_new(MUSTER_TASKS, 2, nullptr, Out(tasks), &error));
    EXPECT_OK_C(muster_table_set_strings(tasks.get(), "name", more, 2, &error));
    EXPECT_OK_C(muster_table_set_numbers(tasks.get(), "shape.request.cpu", numbers, 2, &error));
    EXPECT_OK_C(muster_table_set_strings(tasks.get(), "shape.labels.app", names, 2, &error));
    EXPECT_OK_C(muster_table_new(MUSTER_NODES, 2, nullptr, Out(nodes), &error));
    EXPECT_OK_C(muster_table_set_strings(nodes.get(), "name", more, 2, &error));
    EXPECT_OK_C(muster_table_set_defaults(nodes.get(), R"({"capacity": {"cpu": 1}})", MUSTER_TO_NUL,
                                          &error));
    EXPECT_OK_C(muster_table_new(MUSTER_QUEUES, 1, nullptr, Out(queues), &error));
    const char* vision[] = {"vision"};
    EXPECT_OK_C(muster_table_set_strings(queues.get(), "name", vision, 1, &error));
    EXPECT_OK_C(muster_table_set_numbers(queues.get(), "weight", numbers, 1, &error));
    const char* nobodys[] = {"not-there", "neither"};
    EXPECT_OK_C(muster_table_new(MUSTER_TASKS, 2, nullptr, Out(orphans), &error));
    EXPECT_OK_C(muster_table_set_strings(orphans.get(), "name", more, 2, &error));
    EXPECT_OK_C(muster_table_set_strings(orphans.get(), "job", nobodys, 2, &error));
    many_tasks = Many(MUSTER_TASKS, "shape.request.cpu");
    many_nodes = Many(MUSTER_NODES, "capacity.memory");
    const muster_policy one = LikesTheLast();
    const muster_policy* list[] = {&one};
    EXPECT_OK_C(muster_policies_new(list, 1, Out(policies), &error));
    EXPECT_OK_C(muster_cluster_schedule(busy.get(), "volcano", nullptr, Out(plan), &error));
    EXPECT_OK_C(muster_cluster_apply(busy.get(), plan.get(), nullptr, nullptr, &error));
    EXPECT_OK_C(
        muster_cluster_set_task(busy.get(), "fits-0", 6, MUSTER_SUCCEEDED, nullptr, 0, &error));
    EXPECT_OK_C(muster_cluster_freeze(cluster.get(), Out(snapshot), &error));
    EXPECT_OK_C(muster_snapshot_schedule(snapshot.get(), "volcano", nullptr, Out(plan), &error));
    snapshot_digest = DigestOf(plan.get());
    scenario = ScenarioOf(cluster.get());
    Held<muster_text> saved;
    EXPECT_OK_C(muster_state_save(busy.get(), Out(saved), &error));
    state = Words(saved);
  }
  // A table of so many rows that they go in together, of two patterns.
  Held<muster_table> Many(int32_t kind, const char* column) {
    constexpr int64_t kRows = 100;
    Held<muster_table> table;
    std::string bytes;
    std::vector<int64_t> offsets{0}, numbers;
    for (int64_t i = 0; i < kRows; ++i) {
      bytes += "many-" + std::to_string(i);
      offsets.push_back(static_cast<int64_t>(bytes.size()));
      numbers.push_back(1000 * (1 + i % 2));
    }
    EXPECT_OK_C(muster_table_new(kind, kRows, nullptr, Out(table), &error));
    EXPECT_OK_C(muster_table_set_texts(table.get(), "name", offsets.data(), kRows, bytes.data(),
                                       static_cast<int64_t>(bytes.size()), &error));
    EXPECT_OK_C(muster_table_set_numbers(table.get(), column, numbers.data(), kRows, &error));
    return table;
  }
  void LetGo() {
    plan.reset();
    snapshot.reset();
  }
};

constexpr char kChanges[] = R"({"changes": [
    {"queue": {"name": "vision", "weight": 3, "limit": {"cpu": 8}}},
    {"add_nodes": {"count": 2, "node": {"name": "more", "capacity": {"cpu": 8}}}},
    {"add_job": {"name": "extra", "queue": "vision", "groups": [
      {"count": 2, "shape": {"request": {"cpu": 1}}}]}},
    {"remove_job": "large"}]})";

using Call = std::function<muster_status(World&, muster_error*)>;

// Every kind of call that can fail. Those that change rows let go of the snapshot first; "..._copying" do not, and copy
// its tables.
std::map<std::string, Call> Calls() {
  std::map<std::string, Call> calls;
  calls["table_new"] = [](World&, muster_error* e) {
    Held<muster_table> made;
    return muster_table_new(MUSTER_TASKS, 7, nullptr, Out(made), e);
  };
  calls["table_set"] = [](World& w, muster_error* e) {
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
  calls["cluster_new"] = [](World&, muster_error* e) {
    Held<muster_cluster> made;
    return muster_cluster_new(nullptr, Out(made), e);
  };
  calls["put"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_ADD, w.tasks.get(), e);
  };
  calls["put_copying"] = [](World& w, muster_error* e) {
    return muster_cluster_put(w.cluster.get(), MUSTER_ADD, w.nodes.get(), e);
  };
  calls["put_update"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_UPDATE, w.queues.get(), e);
  };
  calls["put_many_tasks"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_ADD, w.many_tasks.get(), e);
  };
  calls["put_many_nodes"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_put(w.cluster.get(), MUSTER_ADD, w.many_nodes.get(), e);
  };
  calls["add_json"] = [](World& w, muster_error* e) {
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
  calls["remove"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_remove(w.cluster.get(), MUSTER_JOBS, "fits", 4, e);
  };
  calls["set_tasks"] = [](World& w, muster_error* e) {
    w.LetGo();
    const int32_t tasks[] = {0, 1}, states[] = {MUSTER_RUNNING, MUSTER_FAILED}, nodes[] = {1, -1};
    return muster_cluster_set_tasks(w.cluster.get(), 2, tasks, states, nodes, e);
  };
  calls["set_task"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_set_task(w.cluster.get(), "fits-2", 6, MUSTER_RUNNING, "n1", 2, e);
  };
  calls["set_task_copying"] = [](World& w, muster_error* e) {
    return muster_cluster_set_task(w.cluster.get(), "fits-2", 6, MUSTER_RUNNING, "n1", 2, e);
  };
  calls["apply_deltas"] = [](World& w, muster_error* e) {
    w.LetGo();
    const uint64_t generations[] = {3, 4};
    int32_t outcomes[2];
    return muster_cluster_apply_deltas(w.cluster.get(), w.tasks.get(), generations, outcomes,
                                       nullptr, e);
  };
  calls["apply_deltas_waiting"] = [](World& w, muster_error* e) {
    w.LetGo();
    const uint64_t generations[] = {3, 4};
    return muster_cluster_apply_deltas(w.cluster.get(), w.orphans.get(), generations, nullptr,
                                       nullptr, e);
  };
  calls["apply_removal"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_cluster_apply_removal(w.cluster.get(), MUSTER_NODES, "n1", 2, 9, nullptr, e);
  };
  calls["reconcile"] = [](World& w, muster_error* e) {
    w.LetGo();
    const muster_table* tables[] = {w.nodes.get(), w.queues.get(), w.tasks.get()};
    Held<muster_text> drift;
    return muster_cluster_reconcile(w.cluster.get(), tables, 3, Out(drift), e);
  };
  calls["read_scenario"] = [](World& w, muster_error* e) {
    w.LetGo();
    Held<muster_text> profile;
    return muster_cluster_read_scenario(w.cluster.get(), w.scenario.data(),
                                        static_cast<int64_t>(w.scenario.size()), Out(profile), e);
  };
  calls["write_scenario"] = [](World& w, muster_error* e) {
    Held<muster_text> text;
    return muster_cluster_write_scenario(w.cluster.get(), "volcano", Out(text), e);
  };
  calls["freeze"] = [](World& w, muster_error* e) {
    Held<muster_snapshot> made;
    return muster_cluster_freeze(w.cluster.get(), Out(made), e);
  };
  for (const char* profile : {"volcano", "muster", "kube-batch", "volcano:+preempt,+reclaim"}) {
    std::string name = std::string("schedule_") + profile;
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    calls[name] = [profile](World& w, muster_error* e) {
      Held<muster_plan> made;
      return muster_cluster_schedule(w.cluster.get(), profile, nullptr, Out(made), e);
    };
  }
  // A cycle that goes on from an earlier one: its plan applied, a task ended.
  calls["schedule_again"] = [](World& w, muster_error* e) {
    Held<muster_plan> made;
    return muster_cluster_schedule(w.busy.get(), "volcano", nullptr, Out(made), e);
  };
  calls["schedule_with_policies"] = [](World& w, muster_error* e) {
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.policies = w.policies.get();
    Held<muster_plan> made;
    return muster_cluster_schedule(w.cluster.get(), "volcano", &options, Out(made), e);
  };
  calls["snapshot_schedule"] = [](World& w, muster_error* e) {
    Held<muster_plan> made;
    return muster_snapshot_schedule(w.snapshot.get(), "muster", nullptr, Out(made), e);
  };
  calls["schedule_all"] = [](World& w, muster_error* e) {
    const char* profiles[] = {"volcano", "muster"};
    muster_plan* plans[2];
    const muster_status s =
        muster_snapshot_schedule_all(w.snapshot.get(), profiles, nullptr, 2, nullptr, 0, plans, e);
    for (muster_plan* plan : plans) muster_plan_free(plan);
    return s;
  };
  calls["state_save"] = [](World& w, muster_error* e) {
    w.LetGo();
    Held<muster_text> text;
    return muster_state_save(w.cluster.get(), Out(text), e);
  };
  calls["state_load"] = [](World& w, muster_error* e) {
    w.LetGo();
    return muster_state_load(w.cluster.get(), w.state.data(), static_cast<int64_t>(w.state.size()),
                             e);
  };
  calls["episodes"] = [](World& w, muster_error* e) {
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
  calls["apply"] = [](World& w, muster_error* e) {
    w.snapshot.reset();
    int64_t applied;
    Held<muster_text> refused;
    return muster_cluster_apply(w.cluster.get(), w.plan.get(), &applied, Out(refused), e);
  };
  calls["report_bind_failed"] = [](World& w, muster_error* e) {
    return muster_cluster_report_bind_failed(w.busy.get(), "fits-1", 6, e);
  };
  calls["plan_texts"] = [](World& w, muster_error* e) {
    Held<muster_text> text;
    char digest[33];
    muster_status s = muster_plan_to_text(w.plan.get(), Out(text), e);
    if (s == 0) s = muster_plan_to_json(w.plan.get(), Out(text), e);
    if (s == 0) s = muster_plan_explain(w.plan.get(), "large", 5, Out(text), e);
    if (s == 0) s = muster_plan_digest(w.plan.get(), digest, e);
    return s;
  };
  calls["policies_new"] = [](World&, muster_error* e) {
    Held<muster_policies> made;
    const muster_policy one = LikesTheLast();
    const muster_policy* list[] = {&one};
    return muster_policies_new(list, 1, Out(made), e);
  };
  calls["find"] = [](World& w, muster_error* e) {
    int32_t index;
    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    muster_status s = muster_cluster_find(w.cluster.get(), MUSTER_TASKS, "fits-1", 6, &index, e);
    if (s == 0) s = muster_snapshot_find(w.snapshot.get(), MUSTER_TASKS, "fits-1", 6, &index, e);
    return s == 0 ? muster_plan_get_view(w.plan.get(), &view, e) : s;
  };
  calls["snapshot_what_if"] = [](World& w, muster_error* e) {
    Held<muster_outlook> made;
    muster_outlook_view view = MUSTER_OUTLOOK_VIEW_INIT;
    const muster_status s =
        muster_snapshot_what_if(w.snapshot.get(), "volcano", kChanges, MUSTER_TO_NUL, Out(made), e);
    return s == 0 ? muster_outlook_get_view(made.get(), &view, e) : s;
  };
  // Over a session that has had a cycle, and over none.
  calls["cluster_what_if"] = [](World& w, muster_error* e) {
    Held<muster_outlook> made;
    return muster_cluster_what_if(w.busy.get(), "volcano", kChanges, MUSTER_TO_NUL, Out(made), e);
  };
  calls["cluster_what_if_first"] = [](World& w, muster_error* e) {
    Held<muster_outlook> made;
    return muster_cluster_what_if(w.cluster.get(), "muster", kChanges, MUSTER_TO_NUL, Out(made), e);
  };
  calls["catalogue"] = [](World&, muster_error* e) {
    Held<muster_text> text;
    return muster_catalogue(Out(text), e);
  };
  calls["cancel"] = [](World&, muster_error* e) {
    Held<muster_cancel> made;
    return muster_cancel_new(Out(made), e);
  };
  calls["replay"] = [](World&, muster_error* e) {
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
  calls["replay_nodes"] = [](World& w, muster_error* e) {
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

class MemoryRunsOut : public testing::TestWithParam<std::pair<const std::string, Call>> {};

TEST_P(MemoryRunsOut, AtAnyAllocation) {
  const Call& call = GetParam().second;
  {  // what is made once and kept is made now
    World world;
    muster_error error = MUSTER_ERROR_INIT;
    ASSERT_OK_C(call(world, &error));
  }
  for (const bool for_good : {false, true}) {
    for (int64_t at = 1;; ++at) {
      const int64_t before = living.load();
      bool is_done = false;
      {
        World world;
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
          if (muster_cluster_find(cluster, MUSTER_TASKS, "large-0", 7, &index, &error) ==
              MUSTER_E_DATA_LOSS) {
            ASSERT_NE(status, MUSTER_OK) << at;
            continue;
          }
          const bool is_first = cluster == world.cluster.get();
          if (status != MUSTER_OK && is_first) {
            ASSERT_EQ(ScenarioOf(cluster), world.scenario) << at;
          }
          // The cluster is whole: it still makes plans, and those of its rows, whatever its sessions went through.
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

INSTANTIATE_TEST_SUITE_P(Faults, MemoryRunsOut, testing::ValuesIn(Calls()),
                         [](const auto& info) { return info.param.first; });

// The caller's allocator: what it gives comes back to it, of the size it was asked for.
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
      ASSERT_OK_C(muster_table_new(MUSTER_TASKS, 1, &allocator, Out(table), &error));
      ASSERT_OK_C(muster_cluster_add_json(cluster.get(), kSmall, MUSTER_TO_NUL, &error));
      status = muster_table_set_strings(table.get(), "name", names, 1, &error);
      if (status == 0) status = muster_cluster_put(cluster.get(), MUSTER_ADD, table.get(), &error);
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

TEST(Faults, NullAnywhere) {
  muster_error error = MUSTER_ERROR_INIT;
  World w;
  muster_cluster* c = w.cluster.get();
  Held<muster_plan> plan;
  Held<muster_text> text;
  Held<muster_episodes> episodes;
  Held<muster_outlook> outlook;
  const char* profiles[] = {nullptr};
  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
  int32_t index;
  const int32_t some[] = {0};
  char digest[33];
  const muster_status calls[] = {
      muster_catalogue(nullptr, &error),
      muster_table_new(MUSTER_TASKS, 0, nullptr, nullptr, &error),
      muster_table_reset(nullptr, 1, &error),
      muster_table_set_numbers(nullptr, "x", nullptr, 0, &error),
      muster_table_set_texts(nullptr, "x", nullptr, 0, nullptr, 0, &error),
      muster_table_set_codes(nullptr, "x", nullptr, 0, nullptr, 0, nullptr, 0, &error),
      muster_table_set_strings(nullptr, "x", nullptr, 0, &error),
      muster_table_set_defaults(nullptr, "{}", 2, &error),
      muster_table_set_defaults(w.tasks.get(), nullptr, 2, &error),
      muster_table_set_defaults(w.tasks.get(), "{}", -2, &error),
      muster_cluster_new(nullptr, nullptr, &error),
      muster_cluster_put(nullptr, MUSTER_ADD, w.tasks.get(), &error),
      muster_cluster_put(c, MUSTER_ADD, nullptr, &error),
      muster_cluster_put(c, 9, w.tasks.get(), &error),
      muster_cluster_add_json(nullptr, "{}", 2, &error),
      muster_cluster_add_json(c, nullptr, 2, &error),
      muster_cluster_add_json(c, "", 0, &error),
      muster_cluster_remove(nullptr, MUSTER_NODES, "x", 1, &error),
      muster_cluster_remove(c, MUSTER_NODES, nullptr, 1, &error),
      muster_cluster_remove(c, MUSTER_BUDGETS, "x", 1, &error),
      muster_cluster_set_tasks(nullptr, 0, nullptr, nullptr, nullptr, &error),
      muster_cluster_set_tasks(c, 1, nullptr, some, nullptr, &error),
      muster_cluster_set_tasks(c, 1, some, nullptr, nullptr, &error),
      muster_cluster_set_tasks(c, -1, some, some, nullptr, &error),
      muster_cluster_set_task(nullptr, "x", 1, 0, nullptr, 0, &error),
      muster_cluster_set_task(c, nullptr, 1, 0, nullptr, 0, &error),
      muster_cluster_set_task(c, "fits-0", 6, -1, nullptr, 0, &error),
      muster_cluster_report_bind_failed(nullptr, "x", 1, &error),
      muster_cluster_report_bind_failed(c, nullptr, 1, &error),
      muster_cluster_apply_deltas(nullptr, w.tasks.get(), nullptr, nullptr, nullptr, &error),
      muster_cluster_apply_deltas(c, nullptr, nullptr, nullptr, nullptr, &error),
      muster_cluster_apply_deltas(c, w.tasks.get(), nullptr, nullptr, nullptr, &error),
      muster_cluster_apply_removal(nullptr, MUSTER_TASKS, "x", 1, 1, nullptr, &error),
      muster_cluster_apply_removal(c, MUSTER_TASKS, nullptr, 1, 1, nullptr, &error),
      muster_cluster_apply_removal(c, MUSTER_DOMAINS, "x", 1, 1, nullptr, &error),
      muster_cluster_reconcile(nullptr, nullptr, 0, nullptr, &error),
      muster_cluster_reconcile(c, nullptr, 1, nullptr, &error),
      muster_cluster_reconcile(c, nullptr, -1, nullptr, &error),
      muster_cluster_find(nullptr, MUSTER_TASKS, "x", 1, &index, &error),
      muster_cluster_find(c, MUSTER_TASKS, nullptr, 1, &index, &error),
      muster_cluster_find(c, MUSTER_TASKS, "fits-0", 6, nullptr, &error),
      muster_cluster_find(c, 77, "fits-0", 6, &index, &error),
      muster_cluster_write_scenario(nullptr, nullptr, Out(text), &error),
      muster_cluster_write_scenario(c, nullptr, nullptr, &error),
      muster_cluster_read_scenario(nullptr, "{}", 2, nullptr, &error),
      muster_cluster_read_scenario(c, nullptr, 2, nullptr, &error),
      muster_cluster_schedule(nullptr, "muster", nullptr, Out(plan), &error),
      muster_cluster_schedule(c, nullptr, nullptr, Out(plan), &error),
      muster_cluster_schedule(c, "muster", nullptr, nullptr, &error),
      muster_cluster_schedule(c, "", nullptr, Out(plan), &error),
      muster_cluster_apply(nullptr, w.plan.get(), nullptr, nullptr, &error),
      muster_cluster_apply(c, nullptr, nullptr, nullptr, &error),
      muster_cluster_freeze(nullptr, nullptr, &error),
      muster_cluster_freeze(c, nullptr, &error),
      muster_cancel_new(nullptr, &error),
      muster_snapshot_schedule(nullptr, "muster", nullptr, Out(plan), &error),
      muster_snapshot_schedule(w.snapshot.get(), nullptr, nullptr, Out(plan), &error),
      muster_snapshot_schedule(w.snapshot.get(), "muster", nullptr, nullptr, &error),
      muster_snapshot_find(nullptr, MUSTER_TASKS, "x", 1, &index, &error),
      muster_snapshot_find(w.snapshot.get(), MUSTER_TASKS, nullptr, 1, &index, &error),
      muster_snapshot_find(w.snapshot.get(), MUSTER_TASKS, "fits-0", 6, nullptr, &error),
      muster_plan_get_view(nullptr, &view, &error),
      muster_plan_get_view(w.plan.get(), nullptr, &error),
      muster_plan_digest(nullptr, digest, &error),
      muster_plan_digest(w.plan.get(), nullptr, &error),
      muster_plan_explain(nullptr, "x", 1, Out(text), &error),
      muster_plan_explain(w.plan.get(), nullptr, 1, Out(text), &error),
      muster_plan_explain(w.plan.get(), "x", 1, nullptr, &error),
      muster_plan_to_text(nullptr, Out(text), &error),
      muster_plan_to_text(w.plan.get(), nullptr, &error),
      muster_plan_to_json(nullptr, Out(text), &error),
      muster_plan_to_json(w.plan.get(), nullptr, &error),
      muster_cycle_get_numbers(nullptr, MUSTER_TASKS, "priority", nullptr, 0, nullptr, &error),
      muster_policies_new(nullptr, 1, nullptr, &error),
      muster_policies_new(nullptr, -1, nullptr, &error),
      muster_replay_pool(nullptr, "easy", nullptr, nullptr, &error),
      muster_replay_get_view(nullptr, nullptr, &error),
      muster_replay_nodes(nullptr, nullptr, nullptr, "easy", nullptr, nullptr, &error),
      muster_episodes_new(nullptr, nullptr, nullptr, nullptr, 1, nullptr, &error),
      muster_episodes_new(nullptr, nullptr, nullptr, nullptr, 1, Out(episodes), &error),
      muster_episodes_get_view(nullptr, nullptr, &error),
      muster_episodes_reset(nullptr, 0, 0, &error),
      muster_episodes_act(nullptr, nullptr, nullptr, nullptr, nullptr, &error),
      muster_episodes_look(nullptr, nullptr, nullptr, nullptr, &error),
      muster_episodes_starts(nullptr, 0, nullptr, &error),
      muster_snapshot_schedule_all(nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr, &error),
      muster_snapshot_schedule_all(w.snapshot.get(), nullptr, nullptr, 1, nullptr, 0, nullptr,
                                   &error),
      muster_snapshot_schedule_all(w.snapshot.get(), profiles, nullptr, 1, nullptr, 0, nullptr,
                                   &error),
      muster_snapshot_schedule_all(w.snapshot.get(), profiles, nullptr, -1, nullptr, 0, nullptr,
                                   &error),
      muster_snapshot_what_if(nullptr, "muster", kChanges, -1, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), nullptr, kChanges, -1, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), "muster", nullptr, -1, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), "muster", kChanges, -2, Out(outlook), &error),
      muster_snapshot_what_if(w.snapshot.get(), "muster", kChanges, -1, nullptr, &error),
      muster_cluster_what_if(nullptr, "muster", kChanges, -1, Out(outlook), &error),
      muster_cluster_what_if(c, nullptr, kChanges, -1, Out(outlook), &error),
      muster_cluster_what_if(c, "muster", nullptr, -1, Out(outlook), &error),
      muster_cluster_what_if(c, "muster", kChanges, -1, nullptr, &error),
      muster_outlook_get_view(nullptr, nullptr, &error),
      muster_state_save(nullptr, Out(text), &error),
      muster_state_save(c, nullptr, &error),
      muster_state_load(nullptr, "", 0, &error),
      muster_state_load(c, nullptr, 0, &error),
      muster_state_load(c, "muster state 1\n", MUSTER_TO_NUL, &error),
  };
  for (size_t i = 0; i < std::size(calls); ++i) EXPECT_EQ(calls[i], MUSTER_E_INVALID_ARGUMENT) << i;
  EXPECT_EQ(ScenarioOf(c), w.scenario);

  EXPECT_EQ(muster_text_size(nullptr), 0);
  EXPECT_STREQ(muster_text_data(nullptr), "");
  EXPECT_EQ(muster_plan_name(nullptr, MUSTER_TASKS, 0, nullptr), nullptr);
  EXPECT_EQ(muster_plan_name(w.plan.get(), MUSTER_TASKS, -1, nullptr), nullptr);
  EXPECT_EQ(muster_plan_name(w.plan.get(), 77, 0, nullptr), nullptr);
  EXPECT_EQ(muster_snapshot_name(nullptr, MUSTER_TASKS, 0, nullptr), nullptr);
  EXPECT_EQ(muster_snapshot_count(nullptr, MUSTER_TASKS), 0);
  EXPECT_EQ(muster_snapshot_version(nullptr), 0u);
  EXPECT_EQ(muster_cluster_version(nullptr), 0u);
  EXPECT_EQ(muster_cluster_layout(nullptr), 0u);
  EXPECT_EQ(muster_outlook_name(nullptr, MUSTER_QUEUES, 0, nullptr), nullptr);
  EXPECT_EQ(muster_cycle_now(nullptr), 0);
  EXPECT_EQ(muster_cycle_count(nullptr, MUSTER_TASKS), 0);
  EXPECT_EQ(muster_cycle_name(nullptr, MUSTER_TASKS, 0, nullptr), nullptr);
  muster_cancel_set(nullptr, 1);
  muster_text_free(nullptr);
  muster_table_free(nullptr);
  muster_cluster_free(nullptr);
  muster_snapshot_free(nullptr);
  muster_plan_free(nullptr);
  muster_policies_free(nullptr);
  muster_cancel_free(nullptr);
  muster_replay_free(nullptr);
  muster_episodes_free(nullptr);
  muster_outlook_free(nullptr);
  EXPECT_EQ(muster_has_feature(nullptr), 0);
  EXPECT_EQ(muster_policy_revision(nullptr), 0);
}

}  // namespace
}  // namespace muster
