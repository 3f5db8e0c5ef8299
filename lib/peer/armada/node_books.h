// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is free on each node at each priority, and where every job sits.
//
//   NodeBooks books(tables);
//   const size_t mark = books.Mark();
//   books.Seat(job, {.node = 3, .reach = 2});
//   books.Undo(mark);
//
// Idea. Amounts lie bucket after bucket: the bucket of a priority has what a job of that priority
// may take. A seated job takes from the buckets below its reach; an evicted one keeps its seat, and
// takes only from the first bucket. So every change is a change of one seat, and the log of seats
// undoes an attempt.
//
// Surprises. Amounts may become negative: a job of a high priority does not see what preemptible
// jobs of lower ones take.
#ifndef MUSTER_PEER_ARMADA_NODE_BOOKS_H_
#define MUSTER_PEER_ARMADA_NODE_BOOKS_H_

#include <cstdint>
#include <vector>

#include "lib/peer/armada/node_index.h"
#include "lib/peer/armada/tables.h"

namespace muster::armada {

struct JobSeat {
  int node = -1;
  uint32_t reach = 0;  // buckets
  bool evicted = false;

  bool operator==(const JobSeat&) const = default;
};

class NodeBooks {
 public:
  explicit NodeBooks(const Tables& tables);
  // The indexes point into the books.
  NodeBooks(const NodeBooks&) = delete;
  NodeBooks& operator=(const NodeBooks&) = delete;

  const int64_t* free(size_t bucket, int node) const {
    return free_.data() +
           (bucket * tables_.state.nodes.size() + static_cast<size_t>(node)) * tables_.dimensions;
  }
  const JobSeat& seat(int job) const { return seats_[static_cast<size_t>(job)]; }
  const std::vector<int>& jobs_on(int node) const { return on_node_[static_cast<size_t>(node)]; }
  // Whether the bucket lacks any resource on the node.
  bool Overdrawn(size_t bucket, int node) const;

  void Seat(int job, const JobSeat& seat);
  void Evict(int job);
  void Remove(int job) { Seat(job, {}); }

  size_t Mark() const { return log_.size(); }
  void Undo(size_t mark);
  // Makes the books as they were at first.
  void Restart();

  // Follow the state, of which a job leaves its node or comes to one for good. Released before the
  // state changes, and held after. REQUIRES: nothing is in the log.
  void Release(int job);
  void Hold(int job, const JobSeat& seat);
  // The list of jobs that the state has for the node is another.
  void Relist(int node) { FillNode(static_cast<size_t>(node)); }

  // The index of a bucket, up to date.
  const NodeIndex& index(size_t bucket) {
    indexes_[bucket].Refresh();
    return indexes_[bucket];
  }

 private:
  struct Entry {
    int job;
    JobSeat before;
  };

  void FillNode(size_t node);
  void NoteChange(int node);
  void Put(int job, const JobSeat& seat);
  void Give(int job, int node, size_t first, size_t last, int64_t sign);
  void Leave(int job, int node);
  static size_t Reach(const JobSeat& seat) {
    return seat.node < 0 ? 0 : seat.evicted ? 1 : seat.reach;
  }

  const Tables& tables_;
  std::vector<int64_t> free_;
  std::vector<JobSeat> seats_;
  std::vector<int> place_;  // of each job in the list of its node
  std::vector<std::vector<int>> on_node_;
  std::vector<NodeIndex> indexes_;
  std::vector<Entry> log_;
  // Nodes to which jobs came, or which they left, and whether each is one of them.
  std::vector<int> changed_;
  std::vector<bool> is_changed_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_NODE_BOOKS_H_
