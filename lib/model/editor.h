// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The only code that changes the tables.
//
//   TaskRefs refs;
//   if (auto missing = editor.Resolve(spec, kNone, &refs)) return Dangling(*missing);
//   editor.PutTask(kNone, spec, shape, refs);      // cannot fail: everything was checked before
//
// Every change takes the same three steps: the spec is checked by itself (lib/model/validate.h),
// the names it mentions are resolved, and then it is put. Direct calls, deltas and reconciliation
// differ only in what they do when a name is missing.
//
// The tables are shared with Snapshots and copied before the first change after a Freeze. Beside
// them the editor keeps what only writers need: the interner, the list of tasks on each node, and
// the nominations.
#ifndef MUSTER_MODEL_EDITOR_H_
#define MUSTER_MODEL_EDITOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/model/interner.h"
#include "lib/model/tables.h"
#include "lib/model/validate.h"

namespace muster {

enum class RowKind : uint8_t {
  kNode,
  kQueue,
  kJob,
  kTask,
  kDomain,
  kFlavor,
  kPartition,
  kReservation,
  kBudget,
  kNamespace
};

// A name that a spec mentions and the cluster does not have (in a way the spec needs).
struct Missing {
  RowKind kind;  // what must come, or change, before the spec can be put
  std::string name;
  std::string message;  // `queue "a/b": parent "a" does not exist`
};

struct NodeRefs {
  DomainIndex domain = kNone;
};
struct DomainRefs {
  DomainIndex parent = kNone;
};
struct QueueRefs {
  QueueIndex parent = kNone;
};
struct JobRefs {
  QueueIndex queue = kNone;
};
struct TaskRefs {
  JobIndex job = kNone;
  GroupIndex group = 0;
  SubGroupIndex sub_group = kNone;
  NodeIndex node = kNone;
};

// One row of the task table, as written.
struct TaskRow {
  TaskRefs refs;
  ClassIndex task_class = kNone;
  TaskStatus status = TaskStatus::kPending;
  int32_t priority = 0;
  uint8_t flags = kTaskPreemptable;
  int64_t created = 0;
  int64_t ordinal = kAbsent;
  int64_t uid_rank = 0;
  int64_t started = kAbsent, protected_until = kAbsent, waits_until = kAbsent;
  uint32_t waiting_group = 0;
  uint32_t priority_class = 0;
  uint32_t gates = 0;
  uint32_t devices = 0;
  std::string_view nominated_node;
};

// Many rows of the task table: those that differ in few columns share a pattern. Spans without
// elements leave the column to the pattern, and so do the cells of kAbsent in them.
struct TaskColumns {
  std::span<const TaskRow> patterns;
  std::span<const uint32_t> pattern;  // by row
  std::span<const JobIndex> job;
  std::span<const NodeIndex> node;  // kNone where the status holds none
  std::span<const int64_t> status, priority, created, ordinal, uid_rank, started;
};

// What jobs that differ only in name, priority, times and rank have in common, checked and resolved
// once for all of them. It is valid while the tables' layout is the same and no queue changed.
struct JobKind {
  struct Tasks {  // of a group
    std::string group;
    int64_t count = 0;
    TaskRow row;
  };
  QueueIndex queue = kNone;
  std::vector<GroupRow> groups;
  std::vector<int64_t> min_resources;  // a row of the table
  std::vector<Tasks> tasks;
};

class Editor {
 public:
  // Fills empty tables with the queue that exists from the start. `tables` must outlive the editor.
  explicit Editor(std::shared_ptr<Tables>& tables);
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  // Takes the rows of another one, in place of its own, and all that is kept beside them. O(rows).
  void CopyFrom(const Editor& other);

  const Tables& tables() const { return *tables_; }
  // The same after they are surely no snapshot's: a reference that stays good across changes.
  const Tables& Own() { return Change(); }
  const Interner& interner() const { return interner_; }

  // --- names; `existing` is the row that the spec is to replace, or kNone
  std::optional<Missing> Resolve(const NodeSpec& spec, NodeIndex existing, NodeRefs* refs) const;
  std::optional<Missing> Resolve(const QueueSpec& spec, QueueIndex existing, QueueRefs* refs) const;
  std::optional<Missing> Resolve(const JobSpec& spec, JobIndex existing, JobRefs* refs) const;
  std::optional<Missing> Resolve(const TaskSpec& spec, TaskIndex existing, TaskRefs* refs) const;
  std::optional<Missing> Resolve(const DomainSpec& spec, DomainIndex existing,
                                 DomainRefs* refs) const;

  // ResourceExhausted when that many more rows, with names of `name_bytes` together, are beyond
  // what a table holds.
  absl::Status CheckRoom(const NameTable& names, int64_t rows, int64_t name_bytes) const;

  // --- rows; a row is appended when `existing` is kNone
  NodeIndex PutNode(NodeIndex existing, const NodeSpec& spec, const NodeAmounts& amounts,
                    const NodeRefs& refs);
  QueueIndex PutQueue(QueueIndex existing, const QueueSpec& spec, const QueueAmounts& amounts,
                      const QueueRefs& refs);
  // Without its tasks. REQUIRES: DroppedTasks(existing, spec) is empty.
  JobIndex PutJob(JobIndex existing, const JobSpec& spec, const Amounts& min_resources,
                  const JobRefs& refs);
  TaskIndex PutTask(TaskIndex existing, const TaskSpec& spec, const CheckedShape& shape,
                    const TaskRefs& refs);
  // The tasks of a job's group differ from each other in name and ordinal alone.
  TaskRow RowOfGroup(JobIndex job, const GroupSpec& group, const CheckedShape& shape);
  // Appends a pending task without a job or a class, for PutRow to fill.
  TaskIndex AppendRow(std::string_view name);
  TaskIndex PutRow(TaskIndex existing, std::string_view name, const TaskRow& row);
  // As PutRow(kNone, ...) for one row after the other, column by column. False, and nothing done: a
  // name is there already, or twice. REQUIRES: as PutRow.
  bool AppendTasks(const std::function<std::string_view(size_t row)>& name,
                   const TaskColumns& columns);
  // Returns the class and the interned parts of a task's row. Its references, status and numbers
  // are the spec's.
  TaskRow RowOfTask(const TaskSpec& spec, const CheckedShape& shape, const TaskRefs& refs);
  // Returns the kind of the job and the shapes of its groups. May add dimensions.
  JobKind KindOf(const JobSpec& spec, const Amounts& min_resources, const JobRefs& refs,
                 std::span<const CheckedShape> shapes);
  // Appends a job with its tasks as PutJob and PutRow do, but the row keeps the given spec, without
  // groups. REQUIRES: the names are new, `spec` is valid.
  JobIndex AppendJob(const JobKind& kind, JobSpec spec);
  // REQUIRES: children of `existing` are of lower tiers than `spec`.
  DomainIndex PutDomain(DomainIndex existing, const DomainSpec& spec, const DomainRefs& refs);
  void PutBudget(const DisruptionBudgetSpec& spec);
  void PutNamespace(const NamespaceSpec& spec);
  // Return whether there was one of that name.
  bool EraseBudget(std::string_view name_space, std::string_view name);
  bool EraseNamespace(std::string_view name);
  // Appended, or in the place of the record of its name.
  void PutRecord(const FlavorSpec& spec);
  void PutRecord(const PartitionSpec& spec);
  void PutRecord(const ReservationSpec& spec);
  // Returns whether there was one of that name. REQUIRES: `kind` is of records.
  bool EraseRecord(RowKind kind, std::string_view name);

  void EraseNode(NodeIndex node);     // REQUIRES: TasksOn(node) is empty
  void EraseQueue(QueueIndex queue);  // REQUIRES: neither jobs nor children
  void EraseJob(JobIndex job);        // with its tasks
  void EraseTask(TaskIndex task);
  void EraseDomain(DomainIndex domain);  // REQUIRES: neither nodes nor children

  // `node` is kNone where the status holds none; `assumed` if a plan and not the world placed it.
  // An assumption is as old as its first one, until SetAssumedSince.
  void SetPlace(TaskIndex task, TaskStatus status, NodeIndex node, bool assumed);
  // When the plan was made that placed the task. REQUIRES: the place is assumed.
  void SetAssumedSince(TaskIndex task, int64_t time);
  // Sets what the task holds of the devices of its node. (A move to another node clears it.)
  // The deadline (kAbsent: none) and the waiting group of a task with status kWaiting.
  void SetWait(TaskIndex task, int64_t until, std::string_view waiting_group);
  void SetDevices(TaskIndex task, const std::vector<DeviceHold>& holds);
  void SetStarted(TaskIndex task, int64_t time);  // kAbsent: not running
  void SetUid(TaskIndex task, std::string_view uid);
  void SetNominated(TaskIndex task, std::string_view node_name);
  void SetPhase(JobIndex job, JobPhase phase);
  void SetEstimate(JobIndex job, int64_t estimate);
  // Returns the ordinal of the next task that a group of the job makes from its count: the one
  // after the largest. O(log n) of the job's tasks; the first call for a job costs O(n).
  int64_t NextOrdinal(JobIndex job, GroupIndex group);
  // Makes the next `count` tasks that are counts rows, from ordinal `first` on. REQUIRES: the group
  // has them, `first` is its next ordinal, and their names are free.
  void MakeTasks(JobIndex job, size_t group, int64_t first, int64_t count,
                 const CheckedShape& shape);
  // No task by count of the job is admitted, or runs, any more.
  void SuspendCounts(JobIndex job);

  // --- the memory and what its slots have not seen
  // Begins to record events, unless it has begun.
  void RecordEvents();
  // Keeps the memory of a plan. `current`: nothing has changed since the plan was made.
  void KeepMemory(const Memory& memory, bool current);
  // Keeps a memory from elsewhere; none of its slots has seen what happened here.
  void ReplaceMemory(Memory memory);
  // The same with the list of what its oldest slot has not seen.
  void RestoreMemory(Memory memory, std::vector<ClusterEvent> events);

  // --- lookups that only writers need
  std::vector<TaskIndex> TasksOn(NodeIndex node) const;  // ascending
  // Whether a row of the kind has the name; that of a budget is "namespace/name".
  bool Has(RowKind kind, std::string_view name) const;
  size_t living() const { return living_; }  // rows, over all tables
  bool HasTasks(NodeIndex node) const { return first_on_[node] != kNone; }
  // Tasks of groups or sub-groups of `job` that `spec` no longer lists, ascending.
  std::vector<TaskIndex> DroppedTasks(JobIndex job, const JobSpec& spec) const;
  // Return where the job has the group, or the sub-group. O(1).
  std::optional<uint32_t> FindGroup(JobIndex job, std::string_view name) const;
  std::optional<uint32_t> FindSubGroup(JobIndex job, std::string_view name) const;
  // Returns the name of the node that a task is nominated to, even if no such node exists.
  std::string NominatedNode(TaskIndex task) const;

  // Adds the dimensions, in this order, before rows name them.
  void KeepDimensions(std::span<const std::string> names);
  // Sets the marks that no spec holds: kTaskAssumed, kTaskCounted.
  void SetMarks(TaskIndex task, uint8_t marks);

  // The events that were refused. No row changes.
  void SetRefused(std::shared_ptr<const RefusedList> refused);

  // Drops dead rows; indices move.
  void Compact();
  // Compacts once dead rows are as many as living ones. Call it when no index is held.
  void MaybeCompact();

 private:
  Tables& Change();  // the tables, to be written to
  // Takes from the node's tasks what its devices, which changed, no longer bear.
  void DropHolds(NodeIndex node);
  void Log(Change::Table table, uint32_t index);
  void Note(ClusterEventKind kind, std::string_view name, uint32_t aspects = 0,
            NodeIndex node = kNone);
  void NoteBudget(uint32_t index, std::string_view name_space, std::string_view name);
  void NoteRow(ClusterEventKind kind, TaskIndex task);
  // Notes what of a task's place or status changed, if anything did. Returns whether it did.
  bool NotePlace(TaskIndex task, TaskStatus before, NodeIndex from);
  // Notes that the row of the task was put again.
  void NoteUpdate(TaskIndex task, TaskStatus before, NodeIndex from, uint32_t aspects);
  uint32_t NodeAspects(NodeIndex n, const NodeSpec& spec, const NodeAmounts& amounts,
                       const NodeRefs& refs) const;
  uint32_t TaskAspects(TaskIndex task, const TaskRow& row) const;
  void Link(TaskIndex task, NodeIndex node);
  void Unlink(TaskIndex task, NodeIndex node);
  void Nominate(TaskIndex task, std::string_view node_name);
  void Enter(TaskIndex task);  // the row's job, class, node and nomination learn of it
  void Leave(TaskIndex task);
  void SetFacts(TaskIndex task, const TaskSpec& spec);
  void LeaveParent(DomainIndex domain);
  template <class Spec>
  void Put(RecordTable<Spec> Tables::*table, const Spec& spec);
  template <class Spec>
  bool Erase(RecordTable<Spec> Tables::*table, std::string_view name);
  void NumberGroups(JobIndex job);  // after they have changed
  QueueIndex ClassQueue(JobIndex job) const;
  QueueIndex ClassQueueOf(QueueIndex queue) const;
  void Reclass(JobIndex job);

  std::shared_ptr<Tables>& tables_;
  Interner interner_;
  std::vector<TaskIndex> first_on_;         // per node: head of the list of tasks on it
  std::vector<TaskIndex> next_, previous_;  // per task
  HashMap<std::string, absl::btree_set<TaskIndex>> nominations_;  // by node name
  HashMap<TaskIndex, std::string> nominated_elsewhere_;           // to nodes that are not there
  HashMap<std::string, uint32_t> budgets_, namespaces_;           // by key: index in the tables
  // Where a task with an ordinal stands among those of its job.
  struct Rank {
    GroupIndex group;
    int64_t ordinal = 0;
    TaskIndex task;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  Rank RankOf(TaskIndex task) const;
  struct JobNumbers {
    // The numbers of groups and sub-groups by name, of a job with many; else empty.
    HashMap<std::string, uint32_t> groups, sub_groups;
    // Of a job that NextOrdinal was called for, since its groups got other numbers.
    std::optional<absl::btree_set<Rank>> ranks;
  };
  // Returns null if the job has no ranks.
  absl::btree_set<Rank>* RanksOf(JobIndex job);
  HashMap<JobIndex, JobNumbers> job_numbers_;
  size_t living_ = 0;          // rows alive, over all tables
  size_t wishing_queues_ = 0;  // with wishes for node groups
};

bool SpeaksOfNodeGroups(const QueueSpec& queue);

// Returns whether tasks of the job are counts.
bool HasCounts(const JobSpec& spec);

// Name of task `ordinal` of a group.
std::string GroupTaskName(std::string_view job, std::string_view group, int64_t ordinal);

}  // namespace muster

#endif  // MUSTER_MODEL_EDITOR_H_
