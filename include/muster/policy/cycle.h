// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a policy or an action may read during one cycle: the cluster and the books.
//
//   // In Policy::Open: void Open(const muster::Cycle& cycle) override { cycle_ = &cycle; }
//   const int64_t free = cycle.idle(node)[muster::kCpu];
//   for (muster::TaskIndex task : cycle.tasks_of(job)) {
//     if (cycle.status(task) == muster::TaskStatus::kPending) Consider(task, free);
//   }
//
// Promise. Everything is read from the books as they are now, moves of the running action included:
// an answer that was computed before a move may be wrong after it.
// Rows are indices below their count. A row that was removed keeps its index, and the *_alive
// functions return false for it. Units are those of types.h: thousandths of cpu and devices, bytes
// of memory. kAbsent marks a quantity that is not set.
// Failure. None. REQUIRES: indices are below their count.
// Ownership. References are valid for the cycle, spans until the books change: until the next move
// of an action. A Cycle is valid from one Policy::Open to the next.
// Threads. A Cycle belongs to the thread that runs the cycle; no other thread may read it, not even
// while the first one waits.
// Cost. Every function costs O(1), but FindDimension, which costs O(length of the name).
#ifndef MUSTER_POLICY_CYCLE_H_
#define MUSTER_POLICY_CYCLE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "muster/event.h"
#include "muster/export.h"
#include "muster/memory.h"
#include "muster/spec.h"
#include "muster/turn.h"
#include "muster/types.h"

namespace muster {

class Cycle;

namespace internal {
struct CycleData;
const CycleData& DataOf(const Cycle& cycle);
}  // namespace internal

// One cycle, as policies and actions see it.
//
// Specs are as the caller gave them; amounts are read and added up. A policy that compares amounts
// uses the spans, which are in the units of types.h and need no parsing; a policy that reads
// labels, taints or wishes uses the specs.
class MUSTER_EXPORT Cycle {
 public:
  // For the library: policies get a Cycle, and make none.
  explicit Cycle(const internal::CycleData* data) : data_(data) {}

  // Returns ScheduleOptions::now: seconds on the caller's clock. There is no other time in a cycle.
  int64_t now() const;
  // Returns ScheduleOptions::seed.
  // Policies that break ties at random draw from it alone.
  uint64_t seed() const;
  // Return what the cycle is to decide, and the nodes of its heartbeats, in their order.
  const Turn& turn() const;
  std::span<const NodeIndex> heartbeats() const;

  // Memory (muster/memory.h). Recall returns the slot as it is now, Remember the slot to be
  // changed; EventsSince returns what happened that the slot had not seen when the cycle began. A
  // slot that no policy or action of the profile declares is empty, and what is written to it is
  // lost. References are valid until the cycle ends.
  const MemorySlot& Recall(std::string_view slot) const;
  MemorySlot& Remember(std::string_view slot) const;
  ClusterEvents EventsSince(std::string_view slot) const;

  // Return the number of rows, removed ones included, of dimensions and of task classes: indices
  // are below them. Spans below have dimension_count() cells.
  //
  //   for (muster::NodeIndex n = 0; n < cycle.node_count(); ++n) {
  //     if (cycle.node_alive(n)) Consider(cycle.node(n));
  //   }
  //
  // A policy that needs such a loop runs it in Policy::Open, not in its answers.
  size_t dimension_count() const;
  size_t node_count() const;
  size_t queue_count() const;
  size_t job_count() const;
  size_t task_count() const;
  size_t class_count() const;
  // Returns the dimension of that name, or nothing if no row names it. Look dimensions up in
  // Policy::Open: their numbers are the same until the end of the cycle.
  //
  //   gpu_ = cycle.FindDimension("nvidia.com/gpu").value_or(muster::kNone);
  std::optional<DimensionIndex> FindDimension(std::string_view name) const;
  // Return the row of that name, or nothing if there is none: keys of a memory and names of events
  // become rows by these.
  std::optional<NodeIndex> FindNode(std::string_view name) const;
  std::optional<QueueIndex> FindQueue(std::string_view name) const;
  std::optional<JobIndex> FindJob(std::string_view name) const;
  std::optional<TaskIndex> FindTask(std::string_view name) const;

  // Nodes.
  //
  // `allocatable` is what tasks may hold, `idle` that minus what tasks hold now, `releasing` what
  // leaving tasks hold, `pipelined` what is promised to nominated tasks, and `used` what tasks
  // hold, leaving ones included. idle + releasing - pipelined is what is free later. An overfull
  // node has negative idle amounts.
  //
  //   const int64_t later = cycle.idle(node)[muster::kCpu] + cycle.releasing(node)[muster::kCpu] -
  //                         cycle.pipelined(node)[muster::kCpu];
  //
  const NodeSpec& node(NodeIndex node) const;
  bool node_alive(NodeIndex node) const;
  std::span<const int64_t> allocatable(NodeIndex node) const;
  std::span<const int64_t> idle(NodeIndex node) const;
  std::span<const int64_t> releasing(NodeIndex node) const;
  std::span<const int64_t> pipelined(NodeIndex node) const;
  std::span<const int64_t> used(NodeIndex node) const;
  // Returns the allocatable amounts of all nodes together: what shares of the cluster are parts of.
  std::span<const int64_t> total() const;

  // Queues. Both amounts are of the queue's own jobs, without queues below it. `queue_allocated` is
  // what its tasks hold and what its nominated tasks are promised, `queue_pending` what its pending
  // tasks request.
  const QueueSpec& queue(QueueIndex queue) const;
  bool queue_alive(QueueIndex queue) const;
  std::span<const int64_t> queue_allocated(QueueIndex queue) const;
  std::span<const int64_t> queue_pending(QueueIndex queue) const;

  // Jobs. `phase` is the phase as admission in this cycle has changed it. `tasks_of` lists the
  // job's tasks in the order of insertion. `job_allocated` is as queue_allocated, for one job.
  const JobSpec& job(JobIndex job) const;
  bool job_alive(JobIndex job) const;
  JobPhase phase(JobIndex job) const;
  QueueIndex queue_of(JobIndex job) const;
  std::span<const TaskIndex> tasks_of(JobIndex job) const;
  std::span<const int64_t> job_allocated(JobIndex job) const;
  // Returns how many of the job's tasks have the status. Placements and evictions of the running
  // action count:
  //
  //   const int32_t running = cycle.count(job, muster::TaskStatus::kRunning);
  //
  int32_t count(JobIndex job, TaskStatus status) const;

  // Tasks. A status is as moves of the running action have left it. `job_of` and `node_of` return
  // kNone for a task without one. `priority` is a larger number for a more important task,
  // `created` seconds on the caller's clock.
  std::string_view task_name(TaskIndex task) const;
  bool task_alive(TaskIndex task) const;
  TaskStatus status(TaskIndex task) const;
  JobIndex job_of(TaskIndex task) const;
  NodeIndex node_of(TaskIndex task) const;
  ClassIndex class_of(TaskIndex task) const;
  int32_t priority(TaskIndex task) const;
  int64_t created(TaskIndex task) const;
  bool preemptable(TaskIndex task) const;

  // Task classes: all tasks that no policy can tell apart. An answer about a class is one about
  // each of its tasks; that is why policies are asked about classes wherever they can be. Of a
  // class: `request` is what a task of the class holds while it runs; absent amounts are 0.
  //
  //   const int64_t cpu = cycle.request(cycle.class_of(task))[muster::kCpu];
  //
  const TaskShape& shape(ClassIndex c) const;
  std::span<const int64_t> request(ClassIndex c) const;

 private:
  friend const internal::CycleData& internal::DataOf(const Cycle& cycle);

  // The books of the running cycle.
  const internal::CycleData* data_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_CYCLE_H_
