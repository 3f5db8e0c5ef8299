// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as a partition of YuniKorn: what a core knows that was started anew and was
// told of all that runs, of what waits, and of what the memory keeps.
//
//   World world(tables, options, now, memory);
//   while (std::optional<Result> result = world.partition.Cycle()) ...
//   const TaskIndex task = world.TaskOf(world.partition.allocations[result->request].key);
//
// | of the tables | in YuniKorn |
// |---|---|
// | queue | read_config.h |
// | node; `unschedulable` | node; not schedulable, whatever a pod tolerates |
// | job with tasks that have not ended | application, by name; submitted when it was created |
// | `owner` | user and groups; without one the user is "nobody" |
// | pending or nominated task without gates | request, in the order of the tasks |
// | task that holds a node | allocation; one that is leaving is being preempted |
// | task without a job, or of status unknown | foreign pod |
// | larger of `request` and `initial_request` | resources of the pod; each has one of `pods` |
// | `priority`, `created` | priority; time of creation |
// | `preemptable` false, of task or job | allowPreemptSelf false: it is the last to be stopped |
// | `never_preempts` | allowPreemptOther false |
// | required node affinity: one term, of one field metadata.name In one node | required node |
// | `min_available` of groups, or of the job | gang, below |
//
// Settings of jobs: `gangSchedulingStyle` (Soft or Hard, default Soft),
// `placeholderTimeoutInSeconds` (default 900), `originator` (the group with the driver).
//
// Gangs. A job of which no task but the originator has started yet, and which needs at least two
// tasks together, is a gang: its first tasks by priority and time of creation, as many as needed,
// are its members. The shim of the peer makes placeholders for them, and submits the pods once all
// placeholders have a node. So here: a member's placeholder requests what the member does, a task
// group is the members of one group and one shape, and a member with a placeholder has status
// `waiting`. The originator goes first, as a request. A gang that is not whole when its time is up
// is either scheduled pod by pod (Soft) or not at all (Hard).
//
// An application that YuniKorn rejects has no requests here. What it runs already is forced into
// the queue root.@recovery@, as in the peer.
//
// Following. A world that is kept follows the cluster by its change log: jobs of changed rows, and
// those that the last cycle decided about, are taken out and read anew. Node and other rows that
// changed, queues that changed in more than their jobs, gangs that gather, placeholders that are
// left over, and rejected jobs are not followed: then all is read anew.
//
// Cost. World: O(rows). Follow: O(tasks of those jobs, rows that are new, applications, queues,
// requests that wait, classes), and O(rows of the memory) if another than the last cycle left it.
#ifndef MUSTER_PEER_YUNIKORN_READ_WORLD_H_
#define MUSTER_PEER_YUNIKORN_READ_WORLD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/partition.h"
#include "muster/memory.h"
#include "muster/policy.h"

namespace muster::yunikorn {

// Fails if the tables are no configuration of YuniKorn: read_config.h, config.h, settings of jobs,
// any setting of a node, more than kMostTypes dimensions.
absl::Status CheckTables(const Tables& tables, const Options& options);
// The same for tables that were in order before these changes.
absl::Status CheckChanges(const Tables& tables, const Options& options,
                          std::span<const Change> changes);

// Times of rows are seconds.
Nanos NanosOf(int64_t seconds);

inline constexpr MemoryDecl kYuniKornSlot = {"yunikorn", 1};

// A job of which the first tasks start together.
struct Gang {
  std::vector<TaskIndex> members;
  size_t placed = 0;           // placeholders that have a node
  bool submitted = false;      // its pods are requests
  int64_t deadline = kAbsent;  // in seconds; absent: no placeholder has had a node yet
  int64_t timeout = 0;         // seconds from the first placeholder on
};

// A job that is not scheduled, and why.
struct Rejected {
  JobIndex job = muster::kNone;
  bool too_few_tasks = false;
  std::string message = {};
};

class World {
 public:
  // REQUIRES: CheckTables. `tables` must outlive this.
  World(const Tables& tables, const Options& options, int64_t now, const MemorySlot& memory);

  // Brings a world of the same options up to date. `changes`: those of the tables since it was read
  // or followed. Returns false if everything must be read anew; the world is then unusable.
  bool Follow(const Tables& tables, std::span<const Change> changes, int64_t now,
              const MemorySlot& memory);
  // Returns false if what the world holds (gangs, placeholders that are left over, rejected jobs,
  // quota preemption, inexact sums) cannot be followed.
  bool CanBeFollowed() const;
  // The cycle changed the application of the task.
  void NoteDecision(TaskIndex task) { decided_.push_back(tables_->tasks.job[task]); }

  // Returns the cluster's node of a node of the partition.
  NodeIndex NodeOf(Index node) const { return node_of_[node]; }
  // Returns the task of an allocation; a placeholder's is the member that it stands for.
  TaskIndex TaskOf(const Allocation& pod) const {
    const TaskIndex named(pod.host_number);
    return pod.placeholder ? named : task_of_[named];
  }
  TaskIndex TaskOf(std::string_view key) const;
  // The pod of `task` is that of `other` from now on, and the other way round.
  // REQUIRES: both are members of one task group.
  void SwapPods(TaskIndex task, TaskIndex other);
  std::string PlaceholderOf(TaskIndex task) const;
  // Null: the job is no gang, or one no longer.
  Gang* GangOf(JobIndex job);
  // Makes requests of the gang's pods, once each of its placeholders has a node.
  void SubmitIfWhole(JobIndex job);

  // Returns the memory for the next cycle.
  MemorySlot Remember();

  Partition partition;
  std::vector<Rejected> rejected;
  HashMap<JobIndex, Gang> gangs;

 private:
  // What a world reads of the rows of queues.
  struct QueueRows {
    QueueConfig root;
    std::vector<std::string> closed;  // paths
    friend bool operator==(const QueueRows&, const QueueRows&) = default;
  };
  void ListRows();
  void AddNodes();
  bool IsForeign(TaskIndex task) const;
  void AddForeignPod(TaskIndex task);
  void AddForeign();
  void AddJob(JobIndex job, const MemorySlot& memory);
  bool AddApplication(JobIndex job, const Gang& gang);
  void AddHeld(JobIndex job, bool gathers);
  // Returns kNone if there is none.
  Index ApplicationOf(JobIndex job) const;
  enum class InGroup : uint8_t { kNone, kTaskGroup };
  void AddRequests(Index application, const std::vector<TaskIndex>& tasks, InGroup group);
  void AddPlaceholder(TaskIndex task);
  QueueRows ReadQueueRows() const;
  bool ListAffected(std::span<const Change> changes);
  bool ReadAnew(JobIndex job, const MemorySlot& memory);
  void RecallAnew(const MemorySlot& memory);
  void RestoreReservations(const MemorySlot& memory);
  void Recall(const MemorySlot& memory);
  void RecallBackoff(std::string_view id, const MemorySlot& memory);
  void RecallPod(std::string_view kind, TaskIndex task, const MemorySlot& memory);
  void RecallQuota(std::string_view path, const MemoryRow& row);
  void RememberQuotas(MemorySlot* slot) const;
  bool IsOriginator(TaskIndex task) const;
  std::string TaskGroupOf(TaskIndex task) const;
  Allocation NewPod(TaskIndex task) const;
  void FillPod(TaskIndex task, Allocation& pod) const;  // REQUIRES: it is as Allocation() is
  const Resource& RequestOf(ClassIndex c) const;
  void SortMembers(std::vector<TaskIndex>* open) const;
  bool FindMembers(JobIndex job, Gang* gang) const;

  const Tables* tables_;
  int64_t now_;
  size_t dimensions_;
  std::vector<NodeIndex> node_of_;  // by node of the partition
  // The task of a pod by the task that the pod is named after; the reverse.
  std::vector<TaskIndex> task_of_, name_of_;
  mutable std::vector<Resource> requests_;  // by class; nil: not computed yet

  // What following needs of all that was read.
  std::vector<JobIndex> job_of_;       // by task: the job that it was in
  std::vector<Index> application_of_;  // by job; kNone: none, or in the queue of what is rejected
  HashSet<TaskIndex> foreign_;
  QueueRows queue_rows_;
  bool has_leftovers_ = false;  // foreign pods that came after applications
  MemorySlot left_;             // by the last cycle
  // What the partition counted when that was made; unset: the world changed since.
  std::optional<std::pair<uint64_t, uint64_t>> left_at_;
  std::vector<JobIndex> decided_;   // since the world was read or followed
  std::vector<JobIndex> affected_;  // of one Follow; ascending
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_READ_WORLD_H_
