// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a round looks up of its State: dense numbers instead of names, and flat rows of amounts.
//
// Contexts are the queues of the pool in the order of their names. The context of a job is its
// queue, or "<queue>-away" if its run belongs to another pool.
#ifndef MUSTER_PEER_ARMADA_TABLES_H_
#define MUSTER_PEER_ARMADA_TABLES_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/peer/armada/cluster.h"

namespace muster::armada {

// A label by which gangs ask for equal nodes.
struct LabelValues {
  std::vector<std::string> values;  // sorted
  std::vector<int> of_node;         // -1: the node does not have it
  // -1: a value of no node; -2: the type has none, and its nodes may have any.
  std::vector<int> of_type;
};

class Tables {
 public:
  static constexpr size_t kMostAwayTypes = 64;  // of one class
  // Fails if amounts, places or names of the state do not fit together.
  static absl::Status Check(const State& state);
  // REQUIRES: Check(state) is OK, and the state outlives the tables.
  explicit Tables(const State& state);

  const State& state;
  size_t dimensions = 0, buckets = 0, classes = 0;
  std::vector<size_t> order;  // contexts -> places in State::queues, by name

  const int64_t* requests(int job) const { return Row(all_, job); }
  // Without floating resources, which no node holds.
  const int64_t* node_requests(int job) const { return Row(held_, job); }
  const int64_t* penalty(int context) const { return penalties_.data() + context * dimensions; }
  bool asks_floating(int job) const { return floating_[ShapeOf(job)]; }
  const Shape& shape(int job) const { return state.shapes[ShapeOf(job)]; }
  const PriorityClass& priority_class(int job) const {
    return state.classes[static_cast<size_t>(class_[ShapeOf(job)])];
  }
  int class_of(int job) const { return class_[ShapeOf(job)]; }
  // The gang of the job; -1 for a job that is alone.
  int gang(int job) const { return gang_[static_cast<size_t>(job)]; }
  const std::vector<int>& members(int gang) const { return members_[static_cast<size_t>(gang)]; }
  int context(int job) const { return context_[static_cast<size_t>(job)]; }
  bool away(int job) const { return away_[static_cast<size_t>(job)]; }
  // The contexts of the job's queue, for jobs of this pool and of others; -1: none.
  int home_context(int job) const { return home_[QueueOf(job)]; }
  // Returns whether the pool has a context for each queue of its jobs.
  bool all_have_homes() const { return std::ranges::find(home_, -1) == home_.end(); }
  int away_context(int job) const { return away_contexts_[QueueOf(job)]; }
  const Queue& queue(int context) const {
    return state.queues[order[static_cast<size_t>(context)]];
  }

  // Follow the state, to which shapes and gangs were added, of which a job changed, or of which the
  // queues did.
  void AddRows();
  void SetJob(int job);
  void SetPenalties();

  int node_rank(int node) const { return node_rank_[static_cast<size_t>(node)]; }
  int job_rank(int job) const { return job_rank_[static_cast<size_t>(job)]; }
  // The bucket of a priority; -1 if there is none.
  int BucketOf(int32_t priority) const;
  // How many buckets a job takes from: all if nothing may preempt it.
  size_t ReachOf(int job, int32_t priority) const;
  size_t ReachOfCutoff(int32_t cutoff) const;
  double BidOf(int job) const;
  // Null if the label is not indexed.
  const LabelValues* FindValues(const std::string& label) const;

 private:
  size_t ShapeOf(int job) const {
    return static_cast<size_t>(state.jobs[static_cast<size_t>(job)].shape);
  }
  size_t QueueOf(int job) const {
    return static_cast<size_t>(state.jobs[static_cast<size_t>(job)].queue);
  }
  const int64_t* Row(const std::vector<int64_t>& rows, int job) const {
    return rows.data() + ShapeOf(job) * dimensions;
  }
  int GangOf(const Job& job) const;
  void FillShapes();
  void FillContexts();
  void FillJobs();
  void FillLabels();

  std::vector<int64_t> all_, held_, penalties_;
  std::vector<bool> floating_, away_;
  std::vector<int> class_, gang_, context_, home_, away_contexts_, node_rank_, job_rank_;
  std::vector<std::vector<int>> members_;
  std::vector<LabelValues> labels_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_TABLES_H_
