// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dominant shares along a tree: queues name their way down from the root, jobs are the leaves
// (hierarchical DRF, Bhattacharya et al., 2013).
//
//   ShareTree tree(tables, ledger);
//   int order = tree.CompareQueues(a, b);  // below 0: a goes first
//
// A leaf is saturated when it holds all it requests of something, or when something it requests is
// used up (both only once it holds anything); an inner vertex when all below it is. An inner vertex
// holds what its saturated children hold, and of the others as much as if all of them had the share
// of the smallest of them, so no share grows by a sibling that has outgrown the others. Queues are
// compared from the root down: unsaturated before saturated, then by share over weight, and where
// these are equal by the children on their ways.
// Rules. After an event only the ways up from leaves that changed are counted anew, unless a
// resource of the cluster was used up or freed. Children are summed in the order in which they were
// created, jobs in ascending index. A weight below 1 is 1, and the first job that needs a step
// gives its weight.
// Cost. O(jobs) to see what changed, then O(depth x children x dimensions).
#ifndef MUSTER_POLICY_SHARE_TREE_H_
#define MUSTER_POLICY_SHARE_TREE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"

namespace muster {

class ShareTree {
 public:
  ShareTree(const Tables& tables, const Ledger& ledger);

  int CompareQueues(QueueIndex a, QueueIndex b);
  // Those of `candidates` without each of which, alone, the queue of `reclaimer` would come
  // before theirs although it held the reclaimer's request too.
  void Reclaimable(TaskIndex reclaimer, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen);

 private:
  struct Vertex {
    uint32_t parent;
    std::string_view name;  // empty: the root or a job
    bool leaf = false;
    double weight = 1;
    std::vector<uint32_t> children = {};
    double share = 0;
    bool saturated = true;
    bool stale = true;
  };

  uint32_t AddVertex(uint32_t parent, std::string_view name, double weight);
  void AddWay(QueueIndex queue);
  void AddLeaf(JobIndex job);
  std::span<double> allocated(uint32_t v) {
    return {allocated_.data() + v * dimensions_, dimensions_};
  }

  // Follows the ledger.
  void Refresh();
  void Change(JobIndex job, std::span<const int64_t> amount, int sign);
  void Settle();
  void SettleLeaf(JobIndex job);
  void SettleInner(uint32_t v);
  double Dominant(std::span<const double> held) const;
  double Compare(QueueIndex a, QueueIndex b) const;

  const Tables& tables_;
  const Ledger& ledger_;
  const size_t dimensions_;
  std::vector<Vertex> vertices_;             // parents before children; 0 is the root
  std::vector<double> allocated_;            // of vertices
  std::vector<std::vector<uint32_t>> ways_;  // of queues, the root first
  std::vector<uint32_t> leaves_;             // of jobs; kNone: not there
  std::vector<uint64_t> stamps_;             // of jobs
  std::vector<int64_t> held_, wanted_;       // of jobs
  std::vector<int64_t> total_;               // held by all jobs
  std::vector<uint8_t> left_;                // per dimension: not all of it is held
  std::vector<JobIndex> changed_;
  Ledger::Moment moment_;
  bool seen_ = false;
};

}  // namespace muster

#endif  // MUSTER_POLICY_SHARE_TREE_H_
