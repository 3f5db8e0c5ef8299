// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster as columns: what a Cluster keeps, a Snapshot freezes and a cycle reads.
//
// Every table is indexed by the row's sequence number. Rows are never moved. A removed row is dead
// (`alive` 0) and its index is not reused until Compact, so "ties go to the smaller index" means
// "to the older row". The caller's spec is kept as it was set. What a decision reads often is kept
// beside it as a column. Only lib/model writes these tables. Every row in them has passed
// validation, so readers check nothing.
#ifndef MUSTER_MODEL_TABLES_H_
#define MUSTER_MODEL_TABLES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/base/names.h"
#include "lib/model/event_log.h"
#include "lib/model/refused.h"
#include "lib/model/rows.h"
#include "lib/model/shelf.h"
#include "muster/memory.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

struct NodeTable {
  IndexNames<NodeIndex> names;
  std::vector<uint8_t> alive;
  std::vector<NodeSpec> spec;
  RowTable capacity;
  RowTable allocatable;  // capacity where the spec gives none
  std::vector<DomainIndex> domain;
};

struct QueueTable {
  IndexNames<QueueIndex> names;
  std::vector<uint8_t> alive;
  std::vector<QueueSpec> spec;
  std::vector<QueueIndex> parent;                 // kNone for a root
  std::vector<std::vector<QueueIndex>> children;  // alive ones, ascending
  RowTable guaranteed, deserved, limit, borrow_limit, lend_limit;
  std::vector<uint32_t> jobs;  // number of alive jobs
};

// A task group (role) of a job; group 0 of every job is the unnamed one.
struct GroupRow {
  std::string name;
  int64_t min_available = kAbsent;
};

struct JobTable {
  IndexNames<JobIndex> names;
  std::vector<uint8_t> alive;
  std::vector<JobSpec> spec;  // groups[].count is 0: the tasks are rows of their own
  std::vector<QueueIndex> queue;
  std::vector<std::vector<TaskIndex>> tasks;  // alive ones, ascending
  std::vector<std::vector<GroupRow>> groups;
  RowTable min_resources;  // all absent where the spec has none
  uint32_t by_count = 0;   // number of alive jobs of which tasks are counts
};

// What few tasks have.
struct TaskFacts {
  Boxed<TaskUsage> usage;
  Boxed<Lifetime> lifetime;
};

struct TaskTable {
  IndexNames<TaskIndex> names;
  std::vector<uint8_t> alive;
  std::vector<JobIndex> job;             // kNone: it only occupies its node
  std::vector<GroupIndex> group;         // into JobTable::groups[job]
  std::vector<SubGroupIndex> sub_group;  // into spec[job].sub_groups, kNone: none
  std::vector<ClassIndex> task_class;
  std::vector<TaskStatus> status;
  std::vector<NodeIndex> node;       // kNone when it holds none
  std::vector<NodeIndex> nominated;  // spec.nominated_node, kNone where unknown or empty
  std::vector<int32_t> priority;
  std::vector<uint8_t> flags;  // TaskFlag bits
  std::vector<int64_t> created;
  std::vector<int64_t> ordinal;  // kAbsent: none
  std::vector<int64_t> uid_rank;
  std::vector<int64_t> started, protected_until;  // kAbsent: unset
  std::vector<int64_t> waits_until;               // kAbsent: unset
  std::vector<uint32_t> waiting_group;            // into Tables::strings
  std::vector<uint32_t> priority_class;           // into Tables::strings
  std::vector<uint32_t> gates;                    // into Tables::gate_lists, 0: none
  std::vector<uint32_t> devices;                  // into Tables::hold_lists, 0: none
  HashMap<TaskIndex, TaskFacts> facts;            // of the few that have some
  HashMap<TaskIndex, std::string> uids;           // of those that have one
  HashMap<TaskIndex, int64_t> assumed_since;      // of those with kTaskAssumed
};

enum TaskFlag : uint8_t {
  kTaskPreemptable = 1,
  kTaskNeverPreempts = 2,
  kTaskGated = 4,
  kTaskAssumed = 8,   // placed by a plan, and not confirmed since
  kTaskCounted = 16,  // made by the count of a group in an event
};

// Task classes: shapes, interned. Node search works on classes; priority and job are no part of
// them. The queue is part of a class if it, or a queue above it, lists node groups.
struct ClassTable {
  std::vector<TaskShape> shape;
  std::vector<QueueIndex> queue;  // kNone: no part of the class
  std::vector<ClassIndex> plain;  // the class of equal shape with queue kNone
  RowTable request;               // what a task holds: absent reads as zero; `pods` is 1
  RowTable initial_request;       // what it needs to start
  std::vector<uint8_t>
      best_effort;  // no devices, and initial_request is zero in every dimension but pods
  // cpu and memory as scorers count them: a container without requests takes 100 milli-cores / 200
  // MiB.
  std::vector<int64_t> scoring_cpu, scoring_memory;            // init containers included
  std::vector<int64_t> scoring_cpu_main, scoring_memory_main;  // regular containers only
  std::vector<uint32_t>
      constraints;  // equal numbers: equal in all but requests that a node's answer looks at
  std::vector<uint32_t> tasks;  // number of alive tasks; 0: the class is dead until used again
};

struct DomainTable {
  IndexNames<DomainIndex> names;
  std::vector<uint8_t> alive;
  std::vector<DomainSpec> spec;
  std::vector<DomainIndex> parent;
  std::vector<std::vector<DomainIndex>> children;
  std::vector<std::vector<NodeIndex>> nodes;  // right below it
};

// Rows that name others without being linked to them.
template <class Spec>
struct RecordTable {
  IndexNames<uint32_t> names;
  std::vector<uint8_t> alive;
  std::vector<Spec> spec;
};

// One entry of the change log: row `index` of a table was added, changed or removed.
struct Change {
  enum class Table : uint8_t { kNode, kQueue, kJob, kTask, kDomain, kOther } table;
  uint32_t index;
};

struct Tables {
  Tables();

  IndexNames<DimensionIndex> dimensions;  // cpu, memory, pods are there from the start
  NodeTable nodes;
  QueueTable queues;
  JobTable jobs;
  TaskTable tasks;
  ClassTable classes;
  DomainTable domains;
  std::vector<DisruptionBudgetSpec> budgets;
  std::vector<NamespaceSpec> namespaces;
  RecordTable<FlavorSpec> flavors;
  RecordTable<PartitionSpec> partitions;
  RecordTable<ReservationSpec> reservations;
  NameTable strings;                                 // priority class names; 0 is ""
  std::vector<std::vector<std::string>> gate_lists;  // 0 is empty
  std::vector<std::vector<DeviceHold>> hold_lists;   // 0 is empty

  uint64_t version = 1;  // grows with every change
  uint64_t layout = 1;   // grows when indices or dimensions change meaning: readers start afresh
  // The changes since `log_start`: entry i was made at position log_start + i.
  uint64_t log_start = 0;
  std::vector<Change> log;

  Memory memory;    // of the last plan that was applied
  EventLog events;  // since the oldest slot of the memory

  // Events that were refused; null: none.
  std::shared_ptr<const RefusedList> refused;

  // Shared by the cluster and all that is frozen of it, because copies of tables share it.
  std::shared_ptr<Shelf> shelf = std::make_shared<Shelf>();

  size_t dimension_count() const { return nodes.allocatable.dimensions(); }
  bool has_job(TaskIndex task) const { return tasks.job[task] != kNone; }
};

// Returns the uid of a task; empty: none is known.
inline std::string_view UidOf(const TaskTable& tasks, TaskIndex task) {
  if (tasks.uids.empty()) return {};
  const auto found = tasks.uids.find(task);
  return found == tasks.uids.end() ? std::string_view() : found->second;
}
// Returns whether tasks of these uids are not the same one.
inline bool AreOfTwo(std::string_view a, std::string_view b) {
  return !a.empty() && !b.empty() && a != b;
}

// Returns whether amounts of the dimension are kept in thousandths. Memory, pods, ephemeral-storage
// and hugepages-* are kept whole.
bool IsMilliDimension(std::string_view name);

// Returns whether the request of a task of this status is part of its queue's and job's allocation.
inline bool IsAllocated(TaskStatus s) {
  return s == TaskStatus::kPlaced || s == TaskStatus::kBinding || s == TaskStatus::kBound ||
         s == TaskStatus::kRunning || s == TaskStatus::kWaiting;
}
// Returns whether a task of this status counts for its queue: nominated tasks have a claim, too.
inline bool CountsForQueue(TaskStatus s) { return IsAllocated(s) || s == TaskStatus::kNominated; }
// Statuses in which a task occupies a node (the others hold nothing anywhere).
inline bool HoldsNode(TaskStatus s) {
  return IsAllocated(s) || s == TaskStatus::kNominated || s == TaskStatus::kReleasing ||
         s == TaskStatus::kUnknown;
}

}  // namespace muster

#endif  // MUSTER_MODEL_TABLES_H_
