// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// An action that makes a decision of each kind, and the cluster that it is for.
//
//   Cluster cluster;
//   FillForEveryKind(&cluster);
//   auto extensions = std::make_shared<Extensions>();
//   extensions->actions.push_back(EveryKind());
//   cluster.Schedule("muster:actions=every-kind", {.extensions = extensions});
#ifndef MUSTER_TESTS_SUPPORT_EVERY_KIND_H_
#define MUSTER_TESTS_SUPPORT_EVERY_KIND_H_

#include <vector>

#include "absl/status/status.h"
#include "muster/action.h"
#include "muster/cluster.h"

namespace muster::testing {

// Nodes n0, n1 and n2 with 4 cpus each; on n0 the tasks "leaver" and "mover" of job "old"; and job
// "gang", which waits with three tasks of group "w".
inline absl::Status FillForEveryKind(Cluster* cluster) {
  absl::Status status = cluster->AddNodes(3, {.name = "n", .capacity = {{"cpu", 4}}});
  status.Update(cluster->AddJob({.name = "old"}));
  for (const char* name : {"leaver", "mover"}) {
    status.Update(cluster->AddTask({.name = name,
                                    .job = "old",
                                    .shape = {.request = {{"cpu", 1}}},
                                    .status = TaskStatus::kRunning,
                                    .node = "n0"}));
  }
  status.Update(cluster->AddJob(
      {.name = "gang", .groups = {{.name = "w", .count = 3, .shape = {.request = {{"cpu", 1}}}}}}));
  return status;
}

// Admits the gang; evicts one of the running tasks and moves the other to n1; binds, reserves for
// and nominates a task of the gang each; offers, resizes and splits.
inline CustomAction EveryKind() {
  return {.name = "every-kind", .summary = "", .run = [](Workbench& bench, const Options&) {
            const JobIndex gang = bench.waiting().back();
            bench.Admit(gang, {{.group = "w",
                                .count = 3,
                                .flavors = {{kCpu, "spot"}},
                                .places = {{{"b1", "r7"}, 2}, {{"b1", "r8"}, 1}}}});
            const Workbench::Savepoint before = bench.Save();
            const std::span<const TaskIndex> on = bench.TasksOn(0);
            const std::vector<TaskIndex> running(on.begin(), on.end());
            const std::vector<TaskIndex> waiting = bench.PendingTasks(gang);
            bench.Evict(running[0], kNone);
            bench.MoveTo(running[1], 1, waiting[2]);
            bench.Place(waiting[0]);
            bench.Reserve(waiting[1], /*until=*/600, "together");
            bench.Nominate(waiting[2]);
            bench.Commit(before);
            bench.Decide(Offer{.queue = 0, .node = 2, .amounts = {1000}});
            bench.Decide(Resize{.job = gang, .group = "w", .count = 5});
            bench.Decide(Split{.task = waiting[0], .parts = 3});
          }};
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_EVERY_KIND_H_
