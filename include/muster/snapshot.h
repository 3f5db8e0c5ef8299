// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A frozen cluster: what a plan is computed from, when the cluster itself goes on changing.
//
//   muster::Snapshot snapshot = cluster.Freeze();
//   std::optional<muster::NodeIndex> node = snapshot.FindNode("gpu0");  // nullopt: no such name
//   if (node) std::cout << snapshot.node_name(*node);
//   absl::StatusOr<muster::Plan> plan = muster::Schedule(snapshot, "volcano");
//
// Promise. A snapshot never changes, whatever happens to the cluster that it was taken of. Equal
// snapshots give equal plans.
// Failure. None. REQUIRES of all functions that take an index: it is below the count. A row that
// was removed keeps its index and its name, and Find does not return it.
// Ownership. A snapshot may outlive the cluster that it was taken of. Copies share one content.
// Names are views into it, valid as long as one copy lives.
// Threads. Any number of threads may read one snapshot, and schedule over it, at once.
// Cost. A copy is a pointer. Freeze costs O(1), and the next change of the cluster O(rows) once.
// Names cost O(1), finding one O(length of the name).
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

// Of the library; not for programs.
struct Tables;
namespace internal {
struct Access;
}  // namespace internal

// An immutable copy of a cluster's tables.
//
// It serves three purposes: to schedule while the cluster goes on changing, to compare profiles
// over one state (muster::Schedule), and to ask what would be (muster::WhatIf). It has the names of
// rows; specs are returned by Cluster::Describe.
class MUSTER_EXPORT Snapshot {
 public:
  // Constructs a snapshot of an empty cluster: one queue named "default", and nothing else.
  Snapshot();

  // Return the number of rows, removed ones included. Valid indices are below it. A row is removed
  // if Find does not return its index for its name.
  //
  //   for (muster::JobIndex j = 0; j < snapshot.job_count(); ++j) Visit(snapshot.job_name(j));
  size_t node_count() const;
  size_t queue_count() const;
  size_t job_count() const;
  size_t task_count() const;

  // Return the name of a row, of a removed one too. The view is valid as long as this snapshot or a
  // copy of it lives.
  std::string_view node_name(NodeIndex node) const;
  std::string_view queue_name(QueueIndex queue) const;
  std::string_view job_name(JobIndex job) const;
  std::string_view task_name(TaskIndex task) const;
  // Return the row of that name, or nothing if there is none. Names are unique in their table; case
  // and blanks count. Rows that were removed are not found.
  //
  //   std::optional<muster::QueueIndex> queue = snapshot.FindQueue("vision");
  //
  std::optional<NodeIndex> FindNode(std::string_view name) const;
  std::optional<QueueIndex> FindQueue(std::string_view name) const;
  std::optional<JobIndex> FindJob(std::string_view name) const;
  std::optional<TaskIndex> FindTask(std::string_view name) const;

  // Returns the version of the cluster that it was taken of (Cluster::version). Plans carry it, and
  // Cluster::Apply compares it to find decisions that have become impossible.
  uint64_t version() const;

 private:
  friend struct internal::Access;
  explicit Snapshot(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;
};

}  // namespace muster

#endif  // MUSTER_SNAPSHOT_H_
