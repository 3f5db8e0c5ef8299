// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the tests of faults make their calls on: clusters, tables, a snapshot, plans.
//
//   FaultWorld world;
//   muster_cluster_put(world.cluster.get(), MUSTER_PUT_ADD, world.tasks.get(), &error);
#ifndef MUSTER_CAPI_FAULT_WORLD_H_
#define MUSTER_CAPI_FAULT_WORLD_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/capi/capi_support.h"

namespace muster {

// An action of the caller's own: jobs in their order, whole or not at all.
inline muster_action InTurn() {
  muster_action action = MUSTER_ACTION_INIT;
  action.name = "in-turn";
  action.run = [](uintptr_t, muster_workbench* bench) -> muster_status {
    int64_t jobs = 0, tasks = 0;
    const int32_t* job = muster_workbench_waiting(bench, &jobs);
    for (int64_t i = 0; i < jobs && muster_workbench_should_stop(bench) == 0; ++i) {
      const int64_t before = muster_workbench_save(bench);
      const int32_t* task = muster_workbench_pending_tasks(bench, job[i], &tasks);
      for (int64_t k = 0; k < tasks; ++k) muster_workbench_place(bench, task[k]);
      if (muster_workbench_ready(bench, job[i]) != 0) {
        muster_workbench_commit(bench, before);
      } else {
        muster_workbench_rollback(bench, before);
      }
    }
    return MUSTER_OK;
  };
  return action;
}

// A policy of the caller's own: the higher the node's number, the better.
inline muster_policy LikesTheLast() {
  muster_policy policy = MUSTER_POLICY_INIT;
  policy.name = "likes-the-last";
  policy.score = [](uintptr_t, const muster_cycle* cycle, const muster_class_view* c,
                    const muster_nodes_view* nodes, double* out) -> muster_status {
    int64_t idle = 0;
    uint8_t fits = 0;
    Held<muster_text> row;
    muster_cycle_get_numbers(cycle, MUSTER_KIND_NODES, "idle.cpu", nodes->node, 1, &idle, nullptr);
    muster_cycle_row(cycle, MUSTER_KIND_CLASSES, c->index, Out(row), nullptr);
    muster_cycle_match_nodes(cycle, c->index, MUSTER_MATCH_TAINTS, nodes->node, 1, &fits, nullptr);
    for (int64_t i = 0; i < nodes->count; ++i) out[i] = static_cast<double>(nodes->node[i]);
    return MUSTER_OK;
  };
  return policy;
}

inline std::string ScenarioOf(const muster_cluster* cluster) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_text> text;
  EXPECT_OK_C(muster_cluster_write_scenario(cluster, "volcano", Out(text), &error));
  return Words(text);
}

// Of the plan that a session of its own makes of the cluster's rows.
inline std::string FreshDigest(const muster_cluster* cluster, const char* profile) {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_snapshot> snapshot;
  Held<muster_plan> plan;
  EXPECT_OK_C(muster_cluster_freeze(cluster, Out(snapshot), &error));
  EXPECT_OK_C(muster_snapshot_schedule(snapshot.get(), profile, nullptr, Out(plan), &error));
  return DigestOf(plan.get());
}

// Devices for the task of "two", which requests some of one zone, and a rack that holds the gang
// "near".
inline constexpr char kPlaces[] = R"({"muster": 1,
  "domains": [{"name": "rack", "tier": 1}],
  "nodes": [{"name": "d", "domain": "rack", "capacity": {"cpu": 64, "memory": "64Gi"},
              "zones": [{"name": "a"}], "devices": [
              {"name": "gpu0", "kind": "gpu", "memory": "8Gi", "zone": "a"},
              {"name": "gpu1", "kind": "gpu", "memory": "8Gi", "zone": "a"},
              {"name": "nic0", "kind": "nic", "zone": "a"}]}],
  "jobs": [{"name": "two", "groups": [{"count": 1, "shape": {"devices": [
              {"kind": "gpu", "milli": 500, "memory": "1Gi", "same": "zone"},
              {"kind": "nic", "same": "zone"}]}}]},
           {"name": "near", "min_available": 2, "topology": {"hard": true, "highest_tier": 1},
            "groups": [{"count": 2, "shape": {"request": {"cpu": 1}}}]}]})";

// What a call is made on, freshly built each time.
struct FaultWorld {
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_cluster> cluster = SmallCluster();
  // Has had a cycle, and carried it out. Since then there are devices and domains, and tasks that
  // request them.
  Held<muster_cluster> busy = SmallCluster();
  // Has the job "j" of ten tasks that are counts.
  Held<muster_cluster> counted = SmallCluster();
  Held<muster_table> tasks, nodes, queues, orphans, many_tasks, many_nodes;
  Held<muster_policies> policies, extensions;
  Held<muster_plan> plan;
  Held<muster_snapshot> snapshot;
  std::string snapshot_digest, scenario, state;

  FaultWorld() {
    const char* names[] = {"fits-0", "fits-1"};
    const char* more[] = {"t1", "t2"};
    const int64_t numbers[] = {1, 2};
    EXPECT_OK_C(muster_table_new(MUSTER_KIND_TASKS, 2, nullptr, Out(tasks), &error));
    EXPECT_OK_C(muster_table_set_strings(tasks.get(), "name", more, 2, &error));
    EXPECT_OK_C(muster_table_set_numbers(tasks.get(), "shape.request.cpu", numbers, 2, &error));
    EXPECT_OK_C(muster_table_set_strings(tasks.get(), "shape.labels.app", names, 2, &error));
    EXPECT_OK_C(muster_table_new(MUSTER_KIND_NODES, 2, nullptr, Out(nodes), &error));
    EXPECT_OK_C(muster_table_set_strings(nodes.get(), "name", more, 2, &error));
    EXPECT_OK_C(muster_table_set_defaults(nodes.get(), R"({"capacity": {"cpu": 1}})", MUSTER_TO_NUL,
                                          &error));
    EXPECT_OK_C(muster_table_new(MUSTER_KIND_QUEUES, 1, nullptr, Out(queues), &error));
    const char* vision[] = {"vision"};
    EXPECT_OK_C(muster_table_set_strings(queues.get(), "name", vision, 1, &error));
    EXPECT_OK_C(muster_table_set_numbers(queues.get(), "weight", numbers, 1, &error));
    const char* nobodys[] = {"not-there", "neither"};
    EXPECT_OK_C(muster_table_new(MUSTER_KIND_TASKS, 2, nullptr, Out(orphans), &error));
    EXPECT_OK_C(muster_table_set_strings(orphans.get(), "name", more, 2, &error));
    EXPECT_OK_C(muster_table_set_strings(orphans.get(), "job", nobodys, 2, &error));
    many_tasks = Many(MUSTER_KIND_TASKS, "shape.request.cpu");
    many_nodes = Many(MUSTER_KIND_NODES, "capacity.memory");
    const muster_policy one = LikesTheLast();
    const muster_policy* list[] = {&one};
    EXPECT_OK_C(muster_policies_new(list, 1, Out(policies), &error));
    const muster_action action = InTurn();
    const muster_action* actions[] = {&action};
    EXPECT_OK_C(muster_extensions_new(list, 1, actions, 1, Out(extensions), &error));
    EXPECT_OK_C(muster_cluster_schedule(busy.get(), "volcano", nullptr, Out(plan), &error));
    EXPECT_OK_C(muster_cluster_apply(busy.get(), plan.get(), nullptr, nullptr, &error));
    EXPECT_OK_C(muster_cluster_set_task(busy.get(), "fits-0", 6, MUSTER_TASK_SUCCEEDED, nullptr, 0,
                                        &error));
    EXPECT_OK_C(muster_cluster_add_json(busy.get(), kPlaces, MUSTER_TO_NUL, &error));
    EXPECT_OK_C(muster_cluster_add_json(
        counted.get(),
        R"({"muster": 1, "jobs": [{"name": "j", "groups": [{"by_count": {"count": 10},
            "shape": {"request": {"cpu": 1}}}]}]})",
        MUSTER_TO_NUL, &error));
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

inline constexpr char kQuestion[] = R"({"rehearse": [{"remove_job": "large"}]})";
inline constexpr char kChanges[] = R"({"changes": [
    {"queue": {"name": "vision", "weight": 3, "limit": {"cpu": 8}}},
    {"add_nodes": {"count": 2, "node": {"name": "more", "capacity": {"cpu": 8}}}},
    {"add_job": {"name": "extra", "queue": "vision", "groups": [
      {"count": 2, "shape": {"request": {"cpu": 1}}}]}},
    {"remove_job": "large"}]})";

inline constexpr char kMemoryText[] = R"({"version": 1, "slots": {
    "sampling": {"version": 1, "generation": 7, "rows": {"next": [3]}}}})";

}  // namespace muster

#endif  // MUSTER_CAPI_FAULT_WORLD_H_
