// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The direct calls of a Cluster without their last step: what waits for the row goes on waiting.
// So rows can be taken back as long as nothing was woken.
//
//   RowsTogether rows(ImplOf(cluster));
//   for (const NodeSpec& node : nodes) {
//     if (absl::Status s = rows.Add(node); !s.ok()) return rows.TakeBack(s);   // as it was before
//   }
//   rows.Wake();
#ifndef MUSTER_MODEL_QUIET_ROWS_H_
#define MUSTER_MODEL_QUIET_ROWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/cluster_impl.h"
#include "muster/event.h"

namespace muster {

// What tasks together may hold of a device: no more than there is, or what was reported. Events
// report the world as it is, and so do states and listings.
enum class HoldRule : uint8_t { kChecked, kReported };

// As the call of Cluster of that name.
absl::Status AddQuietly(internal::ClusterImpl& cluster, const NodeSpec& node);
absl::Status AddQuietly(internal::ClusterImpl& cluster, const QueueSpec& queue);
absl::Status AddQuietly(internal::ClusterImpl& cluster, const JobSpec& job);
absl::Status AddQuietly(internal::ClusterImpl& cluster, const TaskSpec& task,
                        HoldRule holds = HoldRule::kChecked);
absl::Status AddQuietly(internal::ClusterImpl& cluster, const DomainSpec& domain);
absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const NodeSpec& node);
absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const QueueSpec& queue);
absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const JobSpec& job);
absl::Status UpdateQuietly(internal::ClusterImpl& cluster, const TaskSpec& task,
                           HoldRule holds = HoldRule::kChecked);

// The last step: the row replaces what waits under its name, and what waits for it is put. Tasks
// that a job made replace what waits under their names.
void WakeFor(internal::ClusterImpl& cluster, RowKind kind, std::string_view name);

// Returns why the bindings of a namespace cannot be set: a queue does not exist.
absl::Status CheckBindings(const Tables& tables, const NamespaceSpec& name_space);

// Rows that are put together: all of them, or none.
class RowsTogether {
 public:
  explicit RowsTogether(internal::ClusterImpl& cluster);

  template <class Spec>
  absl::Status Add(const Spec& spec) {
    KeepEvents(TasksOf(spec));
    absl::Status status = AddQuietly(cluster_, spec);
    if (status.ok()) rows_.push_back({KindOf(spec), spec.name, nullptr});
    return status;
  }
  template <class Spec>
  absl::Status Update(const Spec& spec) {
    KeepEvents(0);
    std::unique_ptr<Before> before = Describe(spec);
    absl::Status status = UpdateQuietly(cluster_, spec);
    if (status.ok()) rows_.push_back({KindOf(spec), spec.name, std::move(before)});
    return status;
  }
  // The number of rows of the kind that were put.
  int64_t count(RowKind kind) const;
  bool empty() const { return rows_.empty(); }

  // Takes all rows back, the last one first, with the events that the memory's slots would see of
  // them, and returns `why`. Rows that were added have used up indices. Returns Internal if a row
  // cannot be taken back. REQUIRES: nothing was woken since.
  absl::Status TakeBack(const absl::Status& why);
  // Wakes what waits for the rows.
  void Wake();

 private:
  struct TaskBefore {
    TaskSpec spec;
    uint8_t marks = 0;  // that no spec holds
    int64_t assumed_since = 0;
  };
  using Before = std::variant<NodeSpec, QueueSpec, JobSpec, TaskBefore>;
  struct Row {
    RowKind kind;
    std::string name;
    std::unique_ptr<Before> before;  // null: it was added
  };

  // How many tasks the row makes.
  template <class Spec>
  static size_t TasksOf(const Spec&) {
    return 0;
  }
  static size_t TasksOf(const JobSpec& job);

  static RowKind KindOf(const NodeSpec&) { return RowKind::kNode; }
  static RowKind KindOf(const QueueSpec&) { return RowKind::kQueue; }
  static RowKind KindOf(const JobSpec&) { return RowKind::kJob; }
  static RowKind KindOf(const TaskSpec&) { return RowKind::kTask; }
  static RowKind KindOf(const DomainSpec&) { return RowKind::kDomain; }

  // The row of that name as it is now; null: there is none.
  std::unique_ptr<Before> Describe(const NodeSpec& spec) const;
  std::unique_ptr<Before> Describe(const QueueSpec& spec) const;
  std::unique_ptr<Before> Describe(const JobSpec& spec) const;
  std::unique_ptr<Before> Describe(const TaskSpec& spec) const;
  template <class Spec>
  std::unique_ptr<Before> DescribeSpec(const Spec& spec) const;

  // Copies the events that there were before all rows, if the next row, with so many tasks, may
  // make the log drop some. O(1) but for that, which happens once in as many events as are kept.
  void KeepEvents(size_t tasks);
  void CopyEvents();

  void Erase(RowKind kind, std::string_view name);
  absl::Status PutBack(const Before& before);

  internal::ClusterImpl& cluster_;
  std::vector<Row> rows_;
  // Numbers of the oldest and of the next event before all rows; 0: the cluster records none.
  uint64_t oldest_event_ = 0, next_event_ = 0;
  std::optional<std::vector<ClusterEvent>> events_;
};

}  // namespace muster

#endif  // MUSTER_MODEL_QUIET_ROWS_H_
