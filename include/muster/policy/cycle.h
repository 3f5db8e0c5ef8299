// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a policy or an action may read during one cycle: the cluster and the books.
//
//   void Open(const Cycle& cycle) override { cycle_ = &cycle; }
//   ...
//   const int64_t free = cycle_->idle(node)[kCpu] - cycle_->request(c)[kCpu];
//
// Rows are indices below their count; rows that were removed keep their index, and the alive functions return false for
// them. Spans have one cell per dimension and are valid until the books change. kAbsent marks a quantity that is not set.
// Every function costs O(1). A Cycle is valid from one Policy::Open to the next and belongs to one thread.
#ifndef MUSTER_POLICY_CYCLE_H_
#define MUSTER_POLICY_CYCLE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "muster/export.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

class Cycle;

namespace internal {
struct CycleData;
const CycleData& DataOf(const Cycle& cycle);
}  // namespace internal

class MUSTER_EXPORT Cycle {
 public:
  explicit Cycle(const internal::CycleData* data) : data_(data) {}

  int64_t now() const;  // seconds on the caller's clock

  size_t dimension_count() const;
  size_t node_count() const;
  size_t queue_count() const;
  size_t job_count() const;
  size_t task_count() const;
  size_t class_count() const;
  std::optional<DimensionIndex> FindDimension(std::string_view name) const;

  // Nodes. `idle` is allocatable minus what tasks hold, `releasing` what leaving tasks hold, `pipelined` what is
  // promised to nominated tasks, `used` what tasks hold, leaving ones included.
  const NodeSpec& node(NodeIndex node) const;
  bool node_alive(NodeIndex node) const;
  std::span<const int64_t> allocatable(NodeIndex node) const;
  std::span<const int64_t> idle(NodeIndex node) const;
  std::span<const int64_t> releasing(NodeIndex node) const;
  std::span<const int64_t> pipelined(NodeIndex node) const;
  std::span<const int64_t> used(NodeIndex node) const;
  std::span<const int64_t> total() const;  // allocatable, summed over all nodes

  // Queues. Allocated amounts count nominated tasks.
  const QueueSpec& queue(QueueIndex queue) const;
  bool queue_alive(QueueIndex queue) const;
  std::span<const int64_t> queue_allocated(QueueIndex queue) const;
  std::span<const int64_t> queue_pending(QueueIndex queue) const;

  // Jobs.
  const JobSpec& job(JobIndex job) const;
  bool job_alive(JobIndex job) const;
  JobPhase phase(JobIndex job) const;
  QueueIndex queue_of(JobIndex job) const;
  std::span<const TaskIndex> tasks_of(JobIndex job) const;
  std::span<const int64_t> job_allocated(JobIndex job) const;
  // How many of the job's tasks have the status.
  int32_t count(JobIndex job, TaskStatus status) const;

  // Tasks. `job_of` and `node_of` return kNone for a task without one.
  bool task_alive(TaskIndex task) const;
  TaskStatus status(TaskIndex task) const;
  JobIndex job_of(TaskIndex task) const;
  NodeIndex node_of(TaskIndex task) const;
  ClassIndex class_of(TaskIndex task) const;
  int32_t priority(TaskIndex task) const;
  int64_t created(TaskIndex task) const;
  bool preemptable(TaskIndex task) const;

  // Task classes: all tasks that no policy can tell apart.
  const TaskShape& shape(ClassIndex c) const;
  std::span<const int64_t> request(ClassIndex c) const;

 private:
  friend const internal::CycleData& internal::DataOf(const Cycle& cycle);

  const internal::CycleData* data_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_CYCLE_H_
