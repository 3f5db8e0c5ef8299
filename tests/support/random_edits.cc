// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_edits.h"

#include <cstddef>

namespace muster::testing {

void RandomEdits::Step() {
  const ClusterSpec now = cluster_.Describe();
  switch (rng_.Below(12)) {
    case 0:
      if (!now.nodes.empty()) Try(cluster_.UpdateNode(Renamed(pool_.nodes, One(now.nodes).name)));
      break;
    case 1:
      Try(cluster_.AddNode(Renamed(pool_.nodes, "new" + std::to_string(++names_))));
      break;
    case 2:
      if (!now.nodes.empty()) Try(cluster_.RemoveNode(One(now.nodes).name));
      break;
    case 3: {
      if (now.queues.empty()) break;
      QueueSpec queue = One(now.queues);
      queue.parent = rng_.Chance(0.3) ? "" : One(now.queues).name;
      Try(cluster_.UpdateQueue(queue));
      break;
    }
    case 4: {
      QueueSpec queue = pool_.queues.empty() ? QueueSpec{} : One(pool_.queues);
      queue.name = "new" + std::to_string(++names_);
      queue.parent = now.queues.empty() || rng_.Chance(0.5) ? "" : One(now.queues).name;
      Try(cluster_.AddQueue(queue));
      break;
    }
    case 5:
      if (!now.queues.empty()) Try(cluster_.RemoveQueue(One(now.queues).name));
      break;
    case 6:
      if (!now.jobs.empty()) {
        JobSpec job = One(now.jobs);
        if (!now.queues.empty()) job.queue = One(now.queues).name;
        if (rng_.Chance(0.3)) {
          // Those behind it move.
          const auto at = static_cast<std::ptrdiff_t>(rng_.Below(job.groups.size() + 1));
          job.groups.insert(job.groups.begin() + at,
                            GroupSpec{.name = "g" + std::to_string(++names_)});
        }
        Try(cluster_.UpdateJob(job));
      }
      break;
    case 7:
      if (!now.jobs.empty() && rng_.Chance(0.3)) Try(cluster_.RemoveJob(One(now.jobs).name));
      break;
    case 8:
      if (!pool_.tasks.empty()) {
        TaskSpec task = One(pool_.tasks);
        task.name = "new" + std::to_string(++names_);
        task.job = now.jobs.empty() || rng_.Chance(0.1) ? "" : One(now.jobs).name;
        task.group.clear();
        if (task.job.empty() && task.status == TaskStatus::kPending) break;
        if (!task.node.empty() && !now.nodes.empty()) task.node = One(now.nodes).name;
        Try(cluster_.AddTask(task));
      }
      break;
    case 9:
      if (!now.tasks.empty()) Try(cluster_.RemoveTask(One(now.tasks).name));
      break;
    case 10:
      if (!now.tasks.empty() && !pool_.tasks.empty()) {
        TaskSpec task = One(now.tasks);
        task.shape = One(pool_.tasks).shape;
        task.preemptable = rng_.Chance(0.5);
        Try(cluster_.UpdateTask(task));
      }
      break;
    default:
      if (!now.tasks.empty() && !now.nodes.empty()) {
        Try(cluster_.SetTaskStatus(
            One(now.tasks).name,
            One<TaskStatus>({TaskStatus::kPending, TaskStatus::kBound, TaskStatus::kRunning,
                             TaskStatus::kReleasing, TaskStatus::kSucceeded}),
            One(now.nodes).name));
      }
  }
}

NodeSpec RandomEdits::Renamed(const std::vector<NodeSpec>& nodes, const std::string& name) {
  NodeSpec node = nodes.empty() ? NodeSpec{} : One(nodes);
  node.name = name;
  return node;
}

}  // namespace muster::testing
