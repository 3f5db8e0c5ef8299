// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster of a replay and what is on it: jobs of the trace to rows of the tables and back, and
// the books that series are sampled from.
//
// Rows of the tables move when the cluster drops dead ones. Jobs are named by their row in the
// trace, so the mapping is found again by names, in time proportional to the living rows.
//
// A sample adds up what each node has, what is left, and what is left where the dimension's typical
// task does not fit. These sums are kept. When the next sample is taken, a node that changed is
// counted anew, in place of its former numbers. All are whole numbers, so the sums are those of a
// recount.
//
// Cost of a sample. O(nodes that changed + queues).
#ifndef MUSTER_REPLAY_WORLD_H_
#define MUSTER_REPLAY_WORLD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/replay/deserved.h"
#include "lib/replay/speeds.h"
#include "muster/cluster.h"
#include "muster/replay.h"

namespace muster {

class World {
 public:
  explicit World(const Trace& trace);
  // Nodes with absent[row] are left out until they join.
  absl::Status Build(const std::vector<uint8_t>& absent);

  Cluster& cluster() { return cluster_; }
  const Tables& tables() const { return TablesOf(cluster_); }
  Editor& editor() { return ImplOf(cluster_).editor; }

  // Returns whether so many tasks of the shape fit on the empty machine, with all nodes that ever
  // join, by their requests alone.
  bool FitsEmpty(uint32_t shape, int64_t tasks);

  absl::Status AddJob(uint32_t row, int64_t now, int64_t min_available,
                      std::optional<int64_t> estimate, const std::optional<Lifetime>& lifetime);
  void RemoveJob(uint32_t row);
  void SetEstimate(uint32_t row, int64_t estimate) { editor().SetEstimate(job_of_[row], estimate); }
  // Sets the lifetime of the tasks of the job that have a node.
  absl::Status SetLifetime(uint32_t row, const Lifetime& lifetime);
  JobIndex job(uint32_t row) const { return job_of_[row]; }
  const JobSpeeds& speeds() const { return speeds_; }
  uint32_t row_of(JobIndex job) const { return row_of_[job]; }
  const std::vector<TaskIndex>& tasks_of(uint32_t row) const {
    return tables().jobs.tasks[job_of_[row]];
  }

  // Notes that a task of the trace's row begins to hold, or no longer holds, its node.
  void Run(uint32_t row, TaskIndex task, NodeIndex node, int64_t now);
  // The same for a task that holds its node already.
  void Start(TaskIndex task, NodeIndex node, int64_t now);
  void Release(uint32_t row, TaskIndex task);  // it waits again
  void Account(uint32_t row, NodeIndex node, int sign);

  // Of a node of the trace's machine, by its row there.
  absl::Status Join(uint32_t machine_row);
  absl::Status SetUp(NodeIndex node, bool ready, bool schedulable);
  // Returns the rows of the nodes that a name of an event stands for: the node, or those right
  // below the domain.
  absl::StatusOr<std::vector<uint32_t>> NodesOf(const std::string& name) const;
  uint32_t machine_row(NodeIndex node) const { return machine_row_[node]; }
  // nullopt: it has not joined yet.
  std::optional<NodeIndex> FindNode(uint32_t machine_row) const {
    return tables().nodes.names.Find(trace_.machine.nodes[machine_row].name);
  }

  void BeginSeries(ReplaySeries* series) const;
  void Sample(ReplaySeries* series);

 private:
  // What a node adds to a sample's sums, in one dimension.
  struct Part {
    int64_t has = 0, idle = 0, unusable = 0;  // while it is up
  };

  absl::Status LearnMachine();
  void LearnQueues();
  void Want(uint32_t row, int sign);
  int64_t Has(NodeIndex node, size_t d) const {  // kAbsent: it has none
    return column_[d] == kNone ? kAbsent : tables().nodes.allocatable.at(node, column_[d]);
  }
  void FindColumns();
  void AddNodeBooks(uint32_t machine_row);
  void Touch(NodeIndex node);
  void Recount(NodeIndex node);
  void CountTouched();
  std::vector<int64_t> AmountsOf(const Resources& resources) const;
  void FollowLayout();
  absl::StatusOr<JobKind> KindOf(uint32_t row, JobSpec job);
  void FindTypicalShapes();

  const Trace& trace_;
  const JobSpeeds speeds_;
  Cluster cluster_;
  uint64_t layout_ = 0;
  HashMap<std::string, uint32_t> spec_of_;                  // by node, as in the machine
  HashMap<std::string, std::vector<uint32_t>> members_of_;  // by domain: nodes below it
  std::vector<JobIndex> job_of_;                            // by row of the trace
  std::vector<uint32_t> row_of_;                            // by job of the tables
  std::vector<std::string> resources_;  // dimensions that nodes, also those to come, have
  std::vector<DimensionIndex>
      column_;  // by those: the tables' dimension, kNone while no node has it
  absl::btree_map<std::vector<int64_t>, int64_t> kinds_;  // nodes of the machine by amounts
  std::vector<std::vector<int64_t>> amounts_;             // by shape; below 0: no node has it
  std::vector<int64_t> most_;  // by shape: tasks that fit the empty machine; -1: not counted yet
  // By shape, tasks, those that must run at once, and queue; of the tables' layout as it is.
  HashMap<std::tuple<uint32_t, uint32_t, int64_t, uint32_t>, JobKind> job_kinds_;
  std::vector<int64_t> used_;       // by dimension
  std::vector<int64_t> node_used_;  // by node, then dimension
  // By queue of the trace, then dimension: what its tasks hold, and what all its jobs request from
  // their submission to their end.
  std::vector<std::vector<int64_t>> queue_used_;
  std::vector<std::vector<absl::int128>> queue_wanted_;  // many tasks may request much
  MachineDivision division_;
  std::vector<Part> parts_;         // by node, then dimension
  std::vector<Part> sums_;          // by dimension, of parts_
  std::vector<NodeIndex> touched_;  // nodes to be counted anew
  std::vector<uint8_t> is_touched_;
  std::vector<uint8_t> up_;
  std::vector<uint32_t> machine_row_;  // by node: its row in the trace's machine
  std::vector<uint32_t> typical_;      // by dimension: the most frequent shape that requests it
};

}  // namespace muster

#endif  // MUSTER_REPLAY_WORLD_H_
