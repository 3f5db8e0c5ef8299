// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Events of a watch, arranged so that their order does not matter.
//
// What the cluster shows is a function of the newest event of each object. An object is visible
// when everything it names is visible, and waits otherwise. A removal, or a change that removes
// what other objects name, sends those back to waiting, with their last known values. A circle of
// queues waits until one of them moves. Tasks that an event's job creates by the count of a group
// count as reported by an event older than any. An event of such a task wins over them, and they
// come and go with the count.
//
// Removed objects are remembered, so that an older event does not bring them back: the newest ones,
// at least kMinRemovals and as many as there are rows. Those that the count of a group of a living
// job would make again are never forgotten.
//
// Two things are not part of that function:
// - Rows are as old as their latest appearance. So ties between objects that arrived in another
//   order may be broken otherwise, unless `created` and its like distinguish them.
// - A decision applied to the cluster holds against an event that does not reflect it yet. A task
//   that a plan bound stays bound while events report pending. A task that a plan evicts keeps
//   leaving while they report bound or running.
#ifndef MUSTER_MODEL_DELTAS_H_
#define MUSTER_MODEL_DELTAS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/model/editor.h"
#include "muster/cluster.h"

namespace muster {

class Deltas {
 public:
  static constexpr size_t kMinRemovals = size_t{1} << 16;

  explicit Deltas(Editor& editor) : editor_(editor) {}

  absl::StatusOr<DeltaOutcome> Apply(const Delta& delta);
  // Returns the key of the object that an event is about; empty where its name cannot be one.
  static std::string KeyOfEvent(const Delta& delta);
  // The events that were refused, as their cluster lists them, by when.
  static std::vector<RefusedEvent> List(const RefusedList* refused);
  // A row was added or changed otherwise: it replaces what waits under its name, and others may
  // wait for it.
  void Appeared(RowKind kind, std::string_view name);
  // Returns whether Appeared has work to do.
  bool anything_waits() const { return !waiting_.empty(); }
  // What waits, in the order in which it began to.
  std::vector<WaitingEvent> WhatWaits() const;
  // Forgets all events: no generations, nothing waits. The rows stay.
  void Forget();
  // Takes the events of another one. REQUIRES: the editor has copied the rows of that one's editor.
  void CopyFrom(const Deltas& other);

  // What may wait, in the order of RowKind.
  using Object = std::variant<NodeSpec, QueueSpec, JobSpec, TaskSpec, DomainSpec>;
  // What is kept of events beside the rows.
  struct Memory {
    struct Late {
      Object object;
      std::string missing;  // key of what it waits for
      uint64_t turn = 0;
    };
    // By key, in the order of their events.
    std::vector<std::pair<std::string, uint64_t>> generations;
    std::vector<Late> waiting;  // by turn
    std::vector<std::pair<std::string, std::vector<int64_t>>> counts;
    uint64_t turns = 0;
  };
  Memory Remembered() const;
  // Instead of what is remembered now. InvalidArgument, and nothing done, where it is no memory of
  // these rows.
  absl::Status Remember(Memory memory);

 private:
  struct Waiting {
    Object object;
    std::string missing;  // key of what it waits for
    uint64_t turn;        // its place among those that wait for the same
  };
  // Nothing: it was put. Otherwise what it lacks; its row, if it had one, is gone with all that
  // named it.
  using Placed = absl::StatusOr<std::optional<Missing>>;

  template <class Spec>
  absl::StatusOr<DeltaOutcome> Upsert(RowKind kind, const Spec& spec);
  // Records wait for nothing.
  absl::StatusOr<DeltaOutcome> Upsert(RowKind kind, const FlavorSpec& spec);
  absl::StatusOr<DeltaOutcome> Upsert(RowKind kind, const PartitionSpec& spec);
  absl::StatusOr<DeltaOutcome> Upsert(RowKind kind, const ReservationSpec& spec);
  absl::StatusOr<DeltaOutcome> Upsert(RowKind kind, const DisruptionBudgetSpec& spec);
  absl::StatusOr<DeltaOutcome> Upsert(RowKind kind, const NamespaceSpec& spec);
  template <class Spec>
  absl::StatusOr<DeltaOutcome> SetRecord(const NameTable& names, const Spec& spec,
                                         const absl::Status& checked);
  void Remove(RowKind kind, const std::string& name);

  Placed Place(const NodeSpec& spec);
  Placed Place(const QueueSpec& spec);
  Placed Place(const JobSpec& spec);
  Placed Place(const TaskSpec& spec);
  Placed Place(const DomainSpec& spec);

  void Wait(const std::string& key, Object object, const std::string& missing);
  void StopWaiting(const std::string& key);
  void LeaveTurn(const Waiting& waiting);
  void Wake(
      const std::string& key);  // puts what waited for it, and what waited for that, and so on

  // Take rows out of the tables and let them wait, for the row given.
  void HideTasksOn(NodeIndex node);
  void HideBelow(QueueIndex queue);
  void HideNode(NodeIndex node, const std::string& missing);
  // The nodes and domains below the domain, and all that is on those.
  void HideIn(DomainIndex domain);
  // The children that are not of lower tiers than the domain will be.
  void HideChildrenFrom(DomainIndex domain, int32_t tier);
  void HideJob(JobIndex job);
  void HideDropped(JobIndex job, const JobSpec& spec);
  // The tasks of a job wait for it. The caller erases their rows.
  void LetTasksWait(JobIndex job, const std::vector<TaskIndex>& tasks);

  // The rules of an object by itself; whether a row of its name lives.
  absl::Status CheckObject(const Object& object) const;
  bool IsThere(const Object& object) const;
  bool IsTold(TaskIndex task) const;
  bool IsCounted(TaskIndex task) const;  // exists for the count of its group alone
  void SyncCounted(JobIndex job, const JobSpec& spec, const std::vector<CheckedShape>& shapes);

  // Forgets the oldest removals, where there are too many. O(1) an event, over many events.
  void ForgetRemovals();
  // The keys of the tasks that groups of jobs make by their count.
  HashSet<std::string> CountedTasks();
  // Of the groups of a job; all 0: none.
  void SetCounts(const std::string& job, std::vector<int64_t> counts);

  // The newest event of an object, removed or not.
  struct Seen {
    uint64_t generation;
    uint64_t turn;  // among all events
  };

  Editor& editor_;
  HashMap<std::string, Seen> generations_;                                // by key
  HashMap<std::string, Waiting> waiting_;                                 // by key
  HashMap<std::string, absl::btree_map<uint64_t, std::string>> waiters_;  // by key: turn, key
  HashMap<std::string, std::vector<int64_t>> counts_;  // by job: of its groups, where not all 0
  uint64_t turns_ = 0;
  uint64_t events_ = 0;  // the last turn of generations_
  size_t counted_ = 0;   // the sum of counts_ and of the counts of jobs that wait
};

}  // namespace muster

#endif  // MUSTER_MODEL_DELTAS_H_
