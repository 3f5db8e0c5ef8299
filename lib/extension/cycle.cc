// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/extension/cycle.h"

namespace muster {

int64_t Cycle::now() const { return data_->now; }
uint64_t Cycle::seed() const { return data_->seed; }

const Turn& Cycle::turn() const { return data_->turn; }
std::span<const NodeIndex> Cycle::heartbeats() const { return data_->heartbeats; }

const MemorySlot& Cycle::Recall(std::string_view slot) const { return data_->memory->Recall(slot); }
MemorySlot& Cycle::Remember(std::string_view slot) const { return data_->memory->Remember(slot); }
ClusterEvents Cycle::EventsSince(std::string_view slot) const {
  return data_->memory->EventsSince(slot);
}

size_t Cycle::dimension_count() const { return data_->tables.dimension_count(); }
size_t Cycle::node_count() const { return data_->tables.nodes.alive.size(); }
size_t Cycle::queue_count() const { return data_->tables.queues.alive.size(); }
size_t Cycle::job_count() const { return data_->tables.jobs.alive.size(); }
size_t Cycle::task_count() const { return data_->tables.tasks.alive.size(); }
size_t Cycle::class_count() const { return data_->tables.classes.shape.size(); }
std::optional<DimensionIndex> Cycle::FindDimension(std::string_view name) const {
  return data_->tables.dimensions.Find(name);
}

std::optional<NodeIndex> Cycle::FindNode(std::string_view name) const {
  return data_->tables.nodes.names.Find(name);
}
std::optional<QueueIndex> Cycle::FindQueue(std::string_view name) const {
  return data_->tables.queues.names.Find(name);
}
std::optional<JobIndex> Cycle::FindJob(std::string_view name) const {
  return data_->tables.jobs.names.Find(name);
}
std::optional<TaskIndex> Cycle::FindTask(std::string_view name) const {
  return data_->tables.tasks.names.Find(name);
}

const NodeSpec& Cycle::node(NodeIndex node) const { return data_->tables.nodes.spec[node]; }
bool Cycle::node_alive(NodeIndex node) const { return data_->tables.nodes.alive[node]; }
std::span<const int64_t> Cycle::allocatable(NodeIndex node) const {
  return data_->tables.nodes.allocatable.row(node);
}
std::span<const int64_t> Cycle::idle(NodeIndex node) const {
  return data_->ledger.node(node, kIdle);
}
std::span<const int64_t> Cycle::releasing(NodeIndex node) const {
  return data_->ledger.node(node, kReleasing);
}
std::span<const int64_t> Cycle::pipelined(NodeIndex node) const {
  return data_->ledger.node(node, kPipelined);
}
std::span<const int64_t> Cycle::used(NodeIndex node) const {
  return data_->ledger.node(node, kUsed);
}
std::span<const int64_t> Cycle::total() const { return data_->ledger.total(); }

const QueueSpec& Cycle::queue(QueueIndex queue) const { return data_->tables.queues.spec[queue]; }
bool Cycle::queue_alive(QueueIndex queue) const { return data_->tables.queues.alive[queue]; }
std::span<const int64_t> Cycle::queue_allocated(QueueIndex queue) const {
  return data_->ledger.queue_allocated(queue);
}
std::span<const int64_t> Cycle::queue_pending(QueueIndex queue) const {
  return data_->ledger.queue_pending(queue);
}

const JobSpec& Cycle::job(JobIndex job) const { return data_->tables.jobs.spec[job]; }
bool Cycle::job_alive(JobIndex job) const { return data_->tables.jobs.alive[job]; }
JobPhase Cycle::phase(JobIndex job) const { return data_->phases[job]; }
QueueIndex Cycle::queue_of(JobIndex job) const { return data_->tables.jobs.queue[job]; }
std::span<const TaskIndex> Cycle::tasks_of(JobIndex job) const {
  return data_->tables.jobs.tasks[job];
}
std::span<const int64_t> Cycle::job_allocated(JobIndex job) const {
  return data_->ledger.job_allocated(job);
}
int32_t Cycle::count(JobIndex job, TaskStatus status) const {
  return data_->ledger.job(job)[status];
}

std::string_view Cycle::task_name(TaskIndex task) const {
  return data_->tables.tasks.names.name(task);
}
bool Cycle::task_alive(TaskIndex task) const { return data_->tables.tasks.alive[task]; }
TaskStatus Cycle::status(TaskIndex task) const { return data_->ledger.status(task); }
JobIndex Cycle::job_of(TaskIndex task) const { return data_->tables.tasks.job[task]; }
NodeIndex Cycle::node_of(TaskIndex task) const { return data_->ledger.node_of(task); }
ClassIndex Cycle::class_of(TaskIndex task) const { return data_->tables.tasks.task_class[task]; }
int32_t Cycle::priority(TaskIndex task) const { return data_->tables.tasks.priority[task]; }
int64_t Cycle::created(TaskIndex task) const { return data_->tables.tasks.created[task]; }
bool Cycle::preemptable(TaskIndex task) const {
  return (data_->tables.tasks.flags[task] & kTaskPreemptable) != 0;
}

const TaskShape& Cycle::shape(ClassIndex c) const { return data_->tables.classes.shape[c]; }
std::span<const int64_t> Cycle::request(ClassIndex c) const {
  return data_->tables.classes.request.row(c);
}

}  // namespace muster
