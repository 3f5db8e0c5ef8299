// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "muster/snapshot.h"

#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"

namespace muster {

Snapshot::Snapshot() : tables_(SharedTablesOf(Cluster().Freeze())) {}

size_t Snapshot::node_count() const { return tables_->nodes.alive.size(); }
size_t Snapshot::queue_count() const { return tables_->queues.alive.size(); }
size_t Snapshot::job_count() const { return tables_->jobs.alive.size(); }
size_t Snapshot::task_count() const { return tables_->tasks.alive.size(); }

std::string_view Snapshot::node_name(NodeIndex node) const {
  return tables_->nodes.names.name(node);
}
std::string_view Snapshot::queue_name(QueueIndex queue) const {
  return tables_->queues.names.name(queue);
}
std::string_view Snapshot::job_name(JobIndex job) const { return tables_->jobs.names.name(job); }
std::string_view Snapshot::task_name(TaskIndex task) const {
  return tables_->tasks.names.name(task);
}

std::optional<NodeIndex> Snapshot::FindNode(std::string_view name) const {
  return tables_->nodes.names.Find(name);
}
std::optional<QueueIndex> Snapshot::FindQueue(std::string_view name) const {
  return tables_->queues.names.Find(name);
}
std::optional<JobIndex> Snapshot::FindJob(std::string_view name) const {
  return tables_->jobs.names.Find(name);
}
std::optional<TaskIndex> Snapshot::FindTask(std::string_view name) const {
  return tables_->tasks.names.Find(name);
}

uint64_t Snapshot::version() const { return tables_->version; }

}  // namespace muster
