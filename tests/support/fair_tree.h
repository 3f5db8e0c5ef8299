// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Trees of queues and their accounts, counted from the tables alone, for tests that hold profile
// muster to its promises from the outside.
//
//   const Snapshot snapshot = MakeCluster(RandomTree(seed, {})).Freeze();
//   const Books books(TablesOf(snapshot));
//   const std::vector<Row> deserved = DeservedIn(snapshot);
//   EXPECT_LE(deserved[queue][d], books.Demand(queue, d));
#ifndef MUSTER_TESTS_SUPPORT_FAIR_TREE_H_
#define MUSTER_TESTS_SUPPORT_FAIR_TREE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"
#include "muster/snapshot.h"

namespace muster::testing {

using Row = std::vector<int64_t>;

struct TreeKnobs {
  bool priorities = true, gangs = true, bounds = true;  // bounds: guaranteed, limits, weight 0
  bool full = true;    // much runs already, some of it beyond what its queue deserves
  bool alike = false;  // tasks of one cpu on one node
};

ClusterSpec RandomTree(uint64_t seed, const TreeKnobs& knobs);

// The accounts of queues. The tables outlive them.
class Books {
 public:
  explicit Books(const Tables& tables);
  QueueIndex QueueOf(TaskIndex t) const { return tables_.jobs.queue[tables_.tasks.job[t]]; }
  QueueIndex ParentOf(QueueIndex q) const { return tables_.queues.parent[q]; }
  std::span<const int64_t> RequestOf(TaskIndex t) const {
    return tables_.classes.request.row(tables_.tasks.task_class[t]);
  }
  // The task comes, or (-1) goes.
  void Charge(TaskIndex t, int64_t sign);
  int64_t own(QueueIndex q, size_t d) const { return own_[q][d]; }
  int64_t tree(QueueIndex q, size_t d) const { return tree_[q][d]; }
  int64_t OwnDemand(QueueIndex q, size_t d) const { return own_[q][d] + pending_[q][d]; }
  int64_t Demand(QueueIndex q, size_t d) const;
  int64_t Floor(QueueIndex q, size_t d) const;
  int64_t Total(size_t d) const;

 private:
  void Add(Row& row, TaskIndex t, int64_t sign) const;

  const Tables& tables_;
  const size_t dims_;
  std::vector<Row> own_, tree_, pending_;
};

// Per queue and dimension, as the profile computes it without deciding anything.
std::vector<Row> DeservedIn(const Snapshot& snapshot);

// What is handed out among the children of `parent` (kNone: among the roots) in one dimension.
int64_t ToDivide(const Books& books, const std::vector<Row>& deserved, QueueIndex parent, size_t d);

std::vector<QueueIndex> ChildrenOf(const Tables& tables, QueueIndex parent);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_FAIR_TREE_H_
