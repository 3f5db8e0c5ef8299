// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the C interface costs.
//
//   build/release/capi_bench            one line a figure; medians, C and C++ in turns on the same
//                                       machine
//   build/release/capi_bench build      without the cycles
//
//   cycle     10,000 nodes, 100,000 tasks in gangs of 20: freeze to plan and its columns, C over
//             C++
//   build     100,000 nodes and 1,000,000 tasks from columns to a frozen cluster
//   delta     the state of one task: by index, by name, as an event of a watch

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/thread_clock.h"
#include "bench/workloads.h"
#include "lib/scenario/scenario.h"
#include "muster/c.h"
#include "muster/muster.h"

namespace muster::bench {
namespace {

muster_error error = MUSTER_ERROR_INIT;

void Must(muster_status status) {
  if (status == MUSTER_OK) return;
  std::fprintf(stderr, "capi_bench: %s\n", error.message);
  std::exit(1);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One cycle each, in turns.
void Cycles(const char* profile) {
  constexpr int kRounds = 15;
  Cluster cluster =
      MakeAllocation({.nodes = 10000, .tasks = 100000, .queues = 100, .classes = 100});
  Scenario scenario;
  scenario.cluster = cluster.Describe();
  const std::string json = WriteScenario(scenario);
  muster_cluster* same = nullptr;
  muster_snapshot* mine = nullptr;
  Must(muster_cluster_new(nullptr, &same, &error));
  Must(muster_cluster_read_scenario(same, json.data(), static_cast<int64_t>(json.size()), nullptr,
                                    &error));
  Must(muster_cluster_freeze(same, &mine, &error));
  Cluster filled;
  if (!Fill(*ParseScenario(json), &filled).ok()) std::exit(1);
  const Snapshot snapshot = filled.Freeze();
  std::vector<double> c, cpp;
  int64_t bound = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const double begin = Seconds();
    {
      const absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
      if (!plan.ok()) std::exit(1);
      for (const Decision& d : plan->decisions()) bound += d.kind == DecisionKind::kBind;
    }
    const double middle = Seconds();
    {
      muster_plan* plan = nullptr;
      muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
      Must(muster_snapshot_schedule(mine, profile, nullptr, &plan, &error));
      Must(muster_plan_get_view(plan, &view, &error));
      for (int64_t i = 0; i < view.decision_count; ++i)
        bound -= view.decision_kind[i] == MUSTER_BIND;
      muster_plan_free(plan);
    }
    const double end = Seconds();
    if (round == 0) continue;  // the caches are cold
    cpp.push_back(middle - begin);
    c.push_back(end - middle);
  }
  if (bound != 0) std::exit(1);
  std::printf("cycle/%-8s C++ %.1f ms, C %.1f ms: %+.1f %%\n", profile, 1e3 * Median(cpp),
              1e3 * Median(c), 100 * (Median(c) / Median(cpp) - 1));
  muster_snapshot_free(mine);
  muster_cluster_free(same);
}

// A text column of stem0, stem1, ...
struct Names {
  std::vector<int64_t> offsets{0};
  std::string bytes;
  Names(const char* stem, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      bytes += stem + std::to_string(i);
      offsets.push_back(static_cast<int64_t>(bytes.size()));
    }
  }
  void Set(muster_table* table, const char* column) const {
    Must(muster_table_set_texts(table, column, offsets.data(),
                                static_cast<int64_t>(offsets.size()) - 1, bytes.data(),
                                static_cast<int64_t>(bytes.size()), &error));
  }
};

void BuildAndDeltas() {
  constexpr int64_t kNodes = 100'000, kTasks = 1'000'000, kJobs = 10'000;
  const Names nodes("node-", kNodes), jobs("job-", kJobs), tasks("task-", kTasks);
  std::vector<int64_t> cpu(kNodes, 64000), memory(kNodes, int64_t{256} << 30), pods(kNodes, 256);
  std::vector<int64_t> request(kTasks), amount(kTasks), job(kTasks), node(kTasks), state(kTasks);
  for (size_t i = 0; i < kTasks; ++i) {
    request[i] = 500 * static_cast<int64_t>(1 + i / 100 % 10);
    amount[i] = static_cast<int64_t>(1 + i / 1000 % 10) << 30;
    job[i] = static_cast<int64_t>(i / 100);
    const bool runs = i % 2 == 0;
    node[i] = runs ? static_cast<int64_t>(i / 10) : MUSTER_NONE;
    state[i] = runs ? MUSTER_RUNNING : MUSTER_PENDING;
  }
  std::vector<double> times;
  muster_cluster* cluster = nullptr;
  for (int round = 0; round < 5; ++round) {
    muster_cluster_free(cluster);
    const double begin = Seconds();
    Must(muster_cluster_new(nullptr, &cluster, &error));
    muster_table* table = nullptr;
    Must(muster_table_new(MUSTER_NODES, kNodes, nullptr, &table, &error));
    nodes.Set(table, "name");
    Must(muster_table_set_numbers(table, "capacity.cpu", cpu.data(), kNodes, &error));
    Must(muster_table_set_numbers(table, "capacity.memory", memory.data(), kNodes, &error));
    Must(muster_table_set_numbers(table, "capacity.pods", pods.data(), kNodes, &error));
    Must(muster_cluster_put(cluster, MUSTER_ADD, table, &error));
    const double with_nodes = Seconds();
    muster_table_free(table);
    Must(muster_table_new(MUSTER_JOBS, kJobs, nullptr, &table, &error));
    jobs.Set(table, "name");
    Must(muster_cluster_put(cluster, MUSTER_ADD, table, &error));
    muster_table_free(table);
    const double with_jobs = Seconds();
    Must(muster_table_new(MUSTER_TASKS, kTasks, nullptr, &table, &error));
    tasks.Set(table, "name");
    Must(muster_table_set_numbers(table, "shape.request.cpu", request.data(), kTasks, &error));
    Must(muster_table_set_numbers(table, "shape.request.memory", amount.data(), kTasks, &error));
    Must(muster_table_set_numbers(table, "job", job.data(), kTasks, &error));
    Must(muster_table_set_numbers(table, "node", node.data(), kTasks, &error));
    Must(muster_table_set_numbers(table, "status", state.data(), kTasks, &error));
    Must(muster_cluster_put(cluster, MUSTER_ADD, table, &error));
    muster_table_free(table);
    muster_snapshot* snapshot = nullptr;
    Must(muster_cluster_freeze(cluster, &snapshot, &error));
    muster_snapshot_free(snapshot);
    const double end = Seconds();
    times.push_back(end - begin);
    if (round == 4) {
      std::printf("build          %.3f s: nodes %.3f, jobs %.3f, tasks %.3f\n", Median(times),
                  with_nodes - begin, with_jobs - with_nodes, end - with_jobs);
    }
  }

  constexpr int kDeltas = 200'000;
  const auto each = [&](const char* how, const auto& delta) {
    const double begin = Seconds();
    for (int i = 0; i < kDeltas; ++i) delta(i);
    std::printf("delta/%-8s %.3f us\n", how, 1e6 * (Seconds() - begin) / kDeltas);
  };
  const auto task_of = [](int i) {
    return static_cast<int32_t>(int64_t{7919} * i % kTasks / 2 * 2);
  };
  each("index", [&](int i) {
    const int32_t task = task_of(i), now = i % 3 == 0 ? MUSTER_BOUND : MUSTER_RUNNING;
    const int32_t where = task / 10;
    Must(muster_cluster_set_tasks(cluster, 1, &task, &now, &where, &error));
  });
  each("name", [&](int i) {
    const auto task = static_cast<size_t>(task_of(i));
    const size_t where = task / 10;
    Must(muster_cluster_set_task(cluster, tasks.bytes.data() + tasks.offsets[task],
                                 tasks.offsets[task + 1] - tasks.offsets[task],
                                 i % 3 == 0 ? MUSTER_RUNNING : MUSTER_BOUND,
                                 nodes.bytes.data() + nodes.offsets[where],
                                 nodes.offsets[where + 1] - nodes.offsets[where], &error));
  });
  muster_cluster_free(cluster);
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  const bool cycles = argc < 2 || std::string_view(argv[1]) != "build";
  for (const char* profile : {"volcano", "muster"}) {
    if (cycles) muster::bench::Cycles(profile);
  }
  muster::bench::BuildAndDeltas();
}
