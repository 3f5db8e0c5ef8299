// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books of the slow twin: where every task is, what every node, job and queue holds. A plain
// value: a dry run works on a copy.
//
// Every node has two lists of its tasks. `on_node` is its own books, by which idle and releasing
// are counted. `present` is what the Kubernetes filters and scores see: a task appears there when
// it is placed or nominated and disappears when it is evicted, although its resources are still
// charged as releasing. A task that was already terminating when the cycle began is in both.
//
// `job_allocated` and `queue_allocated` follow events, not statuses: nominating a task charges its
// job and its queue, evicting it releases them at once.
#ifndef MUSTER_REFERENCE_WORLD_H_
#define MUSTER_REFERENCE_WORLD_H_

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/model/tables.h"
#include "lib/reference/amount.h"
#include "muster/types.h"

namespace muster::reference {

// What a task holds of a device.
struct HeldDevice {
  int64_t milli, memory;
};
using HeldDevices = std::map<std::string, HeldDevice>;  // by the device's name

struct World {
  const Tables* tables = nullptr;
  bool follow_present = true;       // false: the Kubernetes view stays as it was at the opening
  bool evicted_tasks_show = false;  // in that view

  std::vector<bool> in_session;   // of a node; the others are as if they did not exist
  std::vector<Row> capacity;      // allocatable, absent as zero
  std::vector<bool> counts_pods;  // the node has a number of tasks at most
  std::vector<Row> idle, used, releasing, pipelined;
  std::vector<std::set<TaskIndex>> on_node, present;

  std::vector<Row> requests, initial_requests;  // of each class; what is not named is absent

  std::vector<TaskStatus> status;
  std::vector<NodeIndex> node;
  std::vector<JobPhase> phase;
  std::vector<Row> job_allocated, queue_allocated;
  std::vector<std::pair<TaskIndex, NodeIndex>> placements;  // all there were, undone or not

  std::optional<std::string> device_strategy;  // absent: devices are not given out
  // What a task gets of the node's CPUs; null: CPUs are not given out.
  HeldDevices (*choose_cpus)(const World&, TaskIndex, NodeIndex) = nullptr;
  std::vector<HeldDevices> held;  // of each task

  size_t dimensions() const { return tables->dimension_count(); }
  std::span<const int64_t> request(TaskIndex task) const {
    return requests[tables->tasks.task_class[task]];
  }
  std::span<const int64_t> initial_request(TaskIndex task) const {
    return initial_requests[tables->tasks.task_class[task]];
  }
  const TaskShape& shape(TaskIndex task) const {
    return tables->classes.shape[tables->tasks.task_class[task]];
  }
  bool best_effort(TaskIndex task) const {
    return tables->classes.best_effort[tables->tasks.task_class[task]] != 0;
  }
  const std::vector<TaskIndex>& tasks_of(JobIndex job) const { return tables->jobs.tasks[job]; }
  QueueIndex queue_of(TaskIndex task) const { return tables->jobs.queue[tables->tasks.job[task]]; }
  bool gated(TaskIndex task) const { return (tables->tasks.flags[task] & kTaskGated) != 0; }
  bool preemptable(TaskIndex task) const {
    return (tables->tasks.flags[task] & kTaskPreemptable) != 0;
  }

  std::vector<NodeIndex> session_nodes() const;  // ascending
  std::vector<JobIndex> session_jobs() const;    // ascending
  Row future_idle(NodeIndex node) const;         // idle + releasing - pipelined
};

World OpenWorld(const Tables& tables);

// Charges or releases a node's books for a task in its present status, without any event.
void AddToNode(World& world, TaskIndex task, NodeIndex node);
void RemoveFromNode(World& world, TaskIndex task);

// The events. Unplace undoes Place. Unevict undoes Evict but for two things: the task is running
// whatever it was before, and the Kubernetes view goes on without it.
void Place(World& world, TaskIndex task, NodeIndex node,
           TaskStatus status);  // kPlaced or kNominated
void Unplace(World& world, TaskIndex task);
void Evict(World& world, TaskIndex task);
void Unevict(World& world, TaskIndex task);

void AddTo(Row& row, std::span<const int64_t> amount, int sign);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_WORLD_H_
