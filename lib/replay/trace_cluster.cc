// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/trace_cluster.h"

#include <algorithm>
#include <utility>

namespace muster {

absl::StatusOr<Cluster> ClusterOfMachine(const Trace& trace) {
  Cluster cluster;
  for (const DomainSpec& domain : trace.machine.domains) {
    if (absl::Status s = cluster.AddDomain(domain); !s.ok()) return s;
  }
  for (const NodeSpec& node : trace.machine.nodes) {
    if (absl::Status s = cluster.AddNode(node); !s.ok()) return s;
  }
  for (const QueueSpec& queue : trace.queues) {
    absl::Status s = queue.name == "default" ? cluster.UpdateQueue(queue) : cluster.AddQueue(queue);
    if (!s.ok()) return s;
  }
  const bool has_default = std::any_of(
      trace.queues.begin(), trace.queues.end(),
      [](const QueueSpec& queue) { return queue.name == "default" || queue.parent == "default"; });
  if (!trace.queues.empty() && !has_default) {
    if (absl::Status s = cluster.RemoveQueue("default"); !s.ok()) return s;
  }
  return cluster;
}

JobSpec JobOfTrace(const Trace& trace, uint32_t row, std::string name, int64_t created) {
  JobSpec job;
  job.name = std::move(name);
  if (!trace.queues.empty()) job.queue = trace.queues[trace.queue[row]].name;
  if (!trace.priority.empty()) job.priority = trace.priority[row];
  const uint32_t least = trace.min_tasks.empty() ? 0 : trace.min_tasks[row];
  job.min_available = least == 0 ? trace.tasks[row] : least;
  job.min_resources.emplace();
  job.created = created;
  job.uid_rank = row;
  if (trace.user[row] != kNone) job.owner = JobOwner{.user = trace.users[trace.user[row]]};
  if (!trace.deadline.empty() && trace.deadline[row] != kAbsent) {
    job.deadline = trace.deadline[row] + created - trace.submit[row];
  }
  job.groups = {{.name = "w",
                 .count = static_cast<int64_t>(trace.tasks[row]),
                 .shape = trace.shapes[trace.shape[row]]}};
  return job;
}

}  // namespace muster
