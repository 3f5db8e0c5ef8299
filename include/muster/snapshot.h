// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A frozen cluster: immutable, cheap to copy (shared), safe to read from any thread.
//
//   muster::Snapshot snapshot = cluster.Freeze();
//   std::optional<muster::NodeIndex> node = snapshot.FindNode("gpu0");   // nullopt: there is none of that name
//   if (node) std::cout << snapshot.node_name(*node);
//
// Ownership. It holds what it was frozen from: cluster and plans may come and go. Names are views into it. REQUIRES of all
// that take an index: it is below the count; a row that was removed keeps its index and its name.
// Cost. A copy is a pointer; Find and name cost O(length of the name).
#ifndef MUSTER_SNAPSHOT_H_
#define MUSTER_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "muster/export.h"
#include "muster/types.h"

namespace muster {

struct Tables;
namespace internal {
struct Access;
}  // namespace internal

class MUSTER_EXPORT Snapshot {
 public:
  Snapshot();  // of an empty cluster

  // Number of rows, dead ones included: valid indices are below it.
  size_t node_count() const;
  size_t queue_count() const;
  size_t job_count() const;
  size_t task_count() const;

  std::string_view node_name(NodeIndex node) const;
  std::string_view queue_name(QueueIndex queue) const;
  std::string_view job_name(JobIndex job) const;
  std::string_view task_name(TaskIndex task) const;
  std::optional<NodeIndex> FindNode(std::string_view name) const;
  std::optional<QueueIndex> FindQueue(std::string_view name) const;
  std::optional<JobIndex> FindJob(std::string_view name) const;
  std::optional<TaskIndex> FindTask(std::string_view name) const;

  uint64_t version() const;

 private:
  friend struct internal::Access;
  explicit Snapshot(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;
};

}  // namespace muster

#endif  // MUSTER_SNAPSHOT_H_
