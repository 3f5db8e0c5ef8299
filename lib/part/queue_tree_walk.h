// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues of a tree take turns: down the tree, at each level to the child that goes first, then to a
// job.
//
//   QueueTreeWalk walk(context);
//   for (const JobIndex job : context.waiting) walk.Add(job);
//   for (JobIndex job; (job = walk.Next()) != kNone;) {
//     const bool again = TakeTurn(job);
//     walk.Done(job, again);
//   }
//
// Every inner queue has a heap of those children that have a waiting job below them, by queue
// order. After a turn only the queues on the job's way to the root have changed, and only they are
// moved in their heaps. An inner queue's own jobs go before its children. In a queue jobs go by job
// order. All orders are total, so the answer is that of a scan; a peer with results that depend on
// how its heap was shuffled needs a QueueRound (queue_round.h). The walk reports to policies that
// order queues which ones are in line. If their QueueOrderEpoch changes, all heaps are made anew.
// It loops instead of recursing: a tree may be 10,000 levels deep.
//
// Orders that depend on the turn get each queue with those below it: the job that the walk would
// reach, the turns taken and what all their tasks hold. Other orders cost nothing for it.
// Cost. O(depth x log children) questions to the policies a turn; each O(depth) if an order depends
// on the turn.
#ifndef MUSTER_PART_QUEUE_TREE_WALK_H_
#define MUSTER_PART_QUEUE_TREE_WALK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/base/indexed_heap.h"
#include "lib/part/context.h"

namespace muster {

class QueueTreeWalk {
 public:
  explicit QueueTreeWalk(const ActionContext& context);

  void Add(JobIndex job);
  // Leaves out those jobs in line for which idle(job) is true. Their turns would change nothing, so
  // other orders and other turns stay as they were. Of each queue's, the last one stays: the queue
  // leaves the line when it would have. REQUIRES: !dispatcher.NotesTurns().
  void LeaveOut(absl::FunctionRef<bool(JobIndex)> idle);
  // Takes out the job that has the next turn, and returns it; kNone: no job is left.
  JobIndex Next();
  // Ends the turn of the job that Next returned; `again`: the job gets in line again.
  void Done(JobIndex job, bool again);
  // Call it after Done if the turn also changed the books of other queues. O(their siblings).
  void Resort(std::span<const QueueIndex> changed);

 private:
  struct ChildBefore {
    const QueueTreeWalk* walk;
    const std::vector<QueueIndex>* children;
    bool operator()(uint32_t a, uint32_t b) const {
      return walk->Before((*children)[a], (*children)[b]);
    }
  };
  using Heap = IndexedHeap<ChildBefore>;

  // What queues hold and held, with all below them. Kept for orders that depend on the turn only.
  struct Books {
    std::vector<int64_t> turns;               // per queue
    std::vector<int64_t> opening, held, own;  // per queue and dimension; own: without those below
  };

  bool Before(QueueIndex a, QueueIndex b) const {
    if (!by_turn_) return dispatcher_.QueueBefore(a, b);
    return dispatcher_.QueueTurnBefore(TurnOf(a), TurnOf(b));
  }
  QueueTurn TurnOf(QueueIndex queue) const;
  JobIndex HeadOf(QueueIndex queue) const;
  void NumberLevels();
  void OpenBooks();
  void FollowLedger(QueueIndex queue);
  bool Waits(QueueIndex queue) const { return !jobs_[queue].empty() || !Below(queue).empty(); }
  // Returns the heap of the children of a queue, or of root_.
  Heap& Below(QueueIndex parent) { return heaps_[heap_of_[parent]]; }
  const Heap& Below(QueueIndex parent) const { return heaps_[heap_of_[parent]]; }
  Heap& Family(QueueIndex queue) {  // the heap that `queue` is in
    const QueueIndex parent = tables_.queues.parent[queue];
    return Below(parent == kNone ? root_ : parent);
  }
  void PushJob(QueueIndex queue, JobIndex job);
  void Rebuild(QueueIndex parent);

  const Tables& tables_;
  const Dispatcher& dispatcher_;
  const Ledger& ledger_;
  const bool by_turn_;     // an order depends on the turn
  const QueueIndex root_;  // stands for the parent of the roots
  std::vector<QueueIndex> roots_;
  std::vector<uint32_t> place_;              // of a queue among its siblings
  std::vector<uint32_t> heap_of_;            // of a queue, then of root_; all leaves have one
  std::vector<Heap> heaps_;                  // that of leaves, in which nothing is, comes first
  std::vector<std::vector<JobIndex>> jobs_;  // per queue: a heap, the first job on top
  std::vector<QueueIndex> levels_;           // root_, then level by level; empty: not numbered
  std::vector<uint32_t> level_place_;        // of a queue, or root_, in levels_
  Books books_;
  uint64_t epoch_;  // of the order of queues
};

}  // namespace muster

#endif  // MUSTER_PART_QUEUE_TREE_WALK_H_
