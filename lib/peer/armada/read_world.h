// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables as the state of one pool, at the start of a round.
//
//   WorldReader reader(config);
//   reader.Read(context.tables, context.ledger, runs);
//   absl::StatusOr<std::unique_ptr<Round>> round = Round::Make(std::move(reader.world().state));
//   const TaskIndex task = reader.world().task_of[job];   // jobs of a round are tasks
//   ...
//   const auto amendment = reader.Follow(tables, ledger, runs, changes, {}, (*round)->state());
//   if (amendment) (*round)->Amend(*amendment, rates);
//
// What rows are to the peer.
// - A task is a job. It runs if it holds its node, or the promise of a node that an earlier round
//   made (RunMemory); it is queued if it is pending and not gated. Leaving and ended tasks are
//   gone: what they still hold counts as free.
// - A job with a minimum above 1 is a gang: as many of its tasks as the minimum requests, in their
//   order. Those that hold places are one gang, which is evicted as a whole; those that it lacks
//   are another. Tasks beyond the minimum are jobs of their own, offered once the minimum holds
//   places.
// - `priority` of a task is the peer's job priority with the sign turned: larger goes first inside
//   its queue. The priority class is the task's `priority_class` where the options have it, else
//   setting armada/class of its job. A task or job with `preemptable` false has a class of its own
//   with the same priority, which nothing preempts.
// - A queue is a queue, whatever is above it: `weight` or setting armada/priority_factor, `limit`
//   for each class, kClosed: cordoned. A queue without jobs of the pool takes no part.
// - A node that is marked unschedulable, or is not ready, has Armada's own taint: evicted jobs may
//   return to it, and new ones need a toleration.
// - Tasks without a job, and tasks of unknown state, are pods of others, which take from the
//   allocatable amounts.
// - Amounts have the units of the tables. `pods` counts where some node limits it.
//
// Order. Nodes go by index, and by name across types; jobs that tie in all else by uid_rank of job
// and task, then by index.
//
// Following. A reader that is kept follows the cluster by its change log: it reads the jobs that
// changed, and tells the round what is new (Amendment). A job that left stays in the list as one
// that has ended, so places keep their meaning and their order. What moves more than jobs and
// queues, or would change the order, is not followed: then all is read anew.
// Cost. Read: O(rows + nodes x priorities x dimensions). Follow: O(changes, tasks of their jobs,
// queues), and O(1) for each job that waits.
#ifndef MUSTER_PEER_ARMADA_READ_WORLD_H_
#define MUSTER_PEER_ARMADA_READ_WORLD_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/armada/amendment.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/config.h"
#include "lib/peer/armada/memory.h"
#include "lib/peer/armada/row_settings.h"

namespace muster::armada {

// What the jobs of one queue come to, by class.
struct QueueSums {
  int64_t home = 0, away = 0;  // jobs
  std::vector<Amounts> queued, allocated, away_allocated;
};

struct World {
  State state;                             // but for limiters
  std::vector<DimensionIndex> dimensions;  // by resource
  std::vector<TaskIndex> task_of;          // by job
  std::vector<muster::NodeIndex> node_of;  // by node
  std::vector<QueueIndex> queue_of;        // by queue name
  std::vector<QueueSums> sums;             // by queue name
  std::vector<TaskIndex> incomplete;       // tasks of gangs that have too few tasks
  std::vector<TaskIndex> others;           // that take from nodes and are no jobs; ascending
  // Jobs, ascending: those that are queued, and those that wait for the node that an earlier round
  // leased to them.
  std::vector<int> queued, leases;
};

class WorldReader {
 public:
  // `config` must outlive this.
  explicit WorldReader(const Config& config) : config_(config) {}

  // REQUIRES: CheckRows(tables, config) is OK.
  void Read(const muster::Tables& tables, const Ledger& ledger, const RunMemory& runs);

  // Follows what has changed since the world was read: rows of the log, and tasks of which the
  // memory tells something else. `state` is the world's, as amended so far. Absent: all is to be
  // read anew.
  std::optional<Amendment> Follow(const muster::Tables& tables, const Ledger& ledger,
                                  const RunMemory& runs, std::span<const Change> changes,
                                  std::span<const TaskIndex> tasks, const State& state);

  World& world() { return world_; }

 private:
  // Where a task is, as far as the round knows.
  struct Place {
    bool runs = false;
    muster::NodeIndex node = kNone;
    const RunRow* row = nullptr;
  };
  // A job as it was read, before it has a place.
  struct Row {
    TaskIndex task;
    Job job;
    std::optional<int32_t> bound;
    int32_t cutoff = 0;  // of what it holds on its node
    bool leased = false;
  };
  // Ids decide the last ties: those of jobs, then those of their tasks.
  struct Ids {
    int64_t job = 0, task = 0;
    bool operator==(const Ids&) const = default;
  };
  using Key = std::tuple<int64_t, uint32_t, int64_t, uint32_t>;

  void Look(const muster::Tables& tables, const Ledger& ledger, const RunMemory& runs);
  void Reserve();
  Place PlaceOf(TaskIndex task) const;
  int QueuePlace(QueueIndex queue);
  void ReadJob(JobIndex j);
  void ListTasks(JobIndex j);
  bool IsKept(TaskIndex task) const { return (tables_->tasks.flags[task] & kTaskPreemptable) == 0; }
  bool HoldsKeptTask(const std::vector<TaskIndex>& tasks) const;
  int AddGang(size_t members, const std::string& uniformity);
  int ClassOf(TaskIndex task, bool kept);
  int ShapeOf(TaskIndex task, int priority_class);
  Row& StartRow(JobIndex j, TaskIndex task, int gang, bool kept);
  void AddQueued(JobIndex j, TaskIndex task, int gang, bool kept);
  void AddRunning(JobIndex j, TaskIndex task, int gang, bool kept);
  // Gives the row the next place, or lists it for Follow.
  void EndRow();
  void RankJobs();
  Key KeyOf(size_t place) const;
  Ids IdsOf(TaskIndex task) const;
  std::vector<int32_t> Buckets() const;
  // Adds the job to the counts and sums, or takes it out.
  void Count(const Job& job, const std::optional<int32_t>& bound, int64_t sign);

  const PriorityClass& ClassOfShape(int shape) const;
  bool ListAffected(std::span<const Change> changes, std::span<const TaskIndex> tasks);
  bool FollowJob(JobIndex j, std::span<const int> places);
  bool MatchRows(JobIndex j, std::span<const int> places);
  void Amend(int place, const Row* row);
  bool OthersStay() const;
  bool IsOther(TaskIndex task) const;
  void AmendLists();

  const Config& config_;
  const muster::Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  const RunMemory* runs_ = nullptr;
  World world_;
  std::vector<int> place_of_;  // by node; -1: not of the pool
  std::vector<int> queue_places_, twins_;
  HashMap<uint64_t, int> shapes_;
  std::pair<uint64_t, int> last_shape_ = {~uint64_t{0}, -1};
  // Of the job that is read:
  JobSettings settings_;
  bool has_settings_ = true;
  bool eligible_ = true;
  std::vector<TaskIndex> running_, queued_, ended_;
  Row row_;
  std::vector<std::string> pools_;  // by node

  // What following needs of all that was read.
  std::vector<int> job_of_;                       // by task; -1: none
  std::vector<JobIndex> job_known_;               // by task: the cluster's job that it was in
  std::vector<JobIndex> incomplete_;              // jobs that have too few tasks; ascending
  std::vector<JobIndex> owner_;                   // by job of the round
  std::vector<Ids> ids_;                          // by job of the round
  std::vector<int64_t> with_shape_, with_class_;  // jobs of each
  std::vector<std::pair<int32_t, int64_t>> with_priority_;  // jobs bound at each
  Key last_key_;
  JobIndex last_owner_ = 0;
  bool names_nodes_ = false;  // node names are labels
  int64_t amended_ = 0;       // rows
  // Of one Follow:
  const State* state_ = nullptr;
  Amendment amendment_;
  bool failed_ = false;
  std::vector<Row> rows_;
  std::vector<JobIndex> affected_;
  std::vector<TaskIndex> changed_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_READ_WORLD_H_
