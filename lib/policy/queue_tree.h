// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tree of queues as policies walk it: from the roots down to divide, from a queue up to ask for
// leave, and along the two ways that meet above a giver and an asker.
//
//   tree.Open(tables, ledger);
//   for (QueueIndex q : tree.order()) ...                     // parents before children
//   const Verdict verdict = tree.WithinLimits(queue, ledger.request(task));
//   tree.Choose(evictor, candidates, deserved_of, may_give, &victims);
//
// Which queue may take or give is the policy's rule; this keeps what givers would still hold, so
// that each candidate is asked about as if those chosen before it had gone. The tree is walked by
// loops, so its depth does not matter otherwise.
// Cost. Open: O(dimensions) for each queue with a change, and O(queues x dimensions) if one got
// another parent or limits, came or went. WithinLimits: O(queues above that say no to anything).
// Choose: O(depth) for each queue among the givers, then what may_give costs for each candidate.
#ifndef MUSTER_POLICY_QUEUE_TREE_H_
#define MUSTER_POLICY_QUEUE_TREE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/extension/cycle.h"

namespace muster {

// The alive queues: the roots, ascending, then level by level those below.
std::vector<QueueIndex> QueuesFromTheTop(const QueueTable& queues);

// Returns whether what a policy keeps about queues must be read again.
//
//   if (watch_.Changed(tables, [&](QueueIndex q) { return IsOtherThanKept(q); })) ReadAllQueues();
class QueueWatch {
 public:
  // Returns false only if differs(queue) is false for all queues that were added, changed or
  // removed since the last call, and all of these are known. A queue of which only the number of
  // jobs changed is among them. The tables are those of one session, cycle after cycle.
  template <class Differs>
  bool Changed(const Tables& tables, const Differs& differs) {
    const std::optional<std::span<const Change>> changes = Since(tables);
    return !changes || std::any_of(changes->begin(), changes->end(), [&](const Change& change) {
      return change.table == Change::Table::kQueue && differs(QueueIndex(change.index));
    });
  }

 private:
  // Returns the changes of all rows since the last call; none: they are not known.
  std::optional<std::span<const Change>> Since(const Tables& tables);

  bool has_looked_ = false;
  uint64_t layout_ = 0, position_ = 0;  // the layout, and the end of the log, at the last call
};

// Whether `held` with `request` is no more than `most`, in what is requested; else
// `*dimension` is one in which it would. The number of tasks is left out: it is no share of
// anything.
bool StaysWithin(std::span<const int64_t> most, std::span<const int64_t> held,
                 std::span<const int64_t> request, DimensionIndex* dimension);

class QueueTree {
 public:
  // From a giver's queue up to below where its way meets the asker's; empty if the giver's queue is
  // above the asker's.
  struct Way {
    QueueIndex giver;
    absl::InlinedVector<QueueIndex, 4> queues = {};
    bool may_take = true;  // each queue on the asker's own way may
  };

  // Before each cycle. Both stay the caller's.
  void Open(const Tables& tables, const Ledger& ledger);

  const std::vector<QueueIndex>& roots() const { return roots_; }
  const std::vector<QueueIndex>& order() const { return order_; }  // parents before children

  // Whether the queue and all above it are open and hold no more than their limits with `request`;
  // else `denial` says what is in the way.
  Verdict WithinLimits(QueueIndex queue, std::span<const int64_t> request) const;

  // Whether the queue, with those below it, holds less than it is guaranteed of something for which
  // tasks of theirs wait.
  bool BelowGuarantee(QueueIndex queue) const;

  // Adds those of `candidates` that may go for `evictor`. Every queue on the asker's way must stay
  // within deserved_of(queue) with the request; may_give(way, request) is called for each
  // candidate.
  template <class DeservedOf, class MayGive>
  void Choose(TaskIndex evictor, std::span<const TaskIndex> candidates,
              const DeservedOf& deserved_of, const MayGive& may_give,
              std::vector<TaskIndex>* chosen);

  // While Choose asks: what the queue with those below it, or its own jobs alone, would hold
  // without those chosen. Holds until the next such question.
  std::span<const int64_t> Held(QueueIndex q) {
    return Left(q, ledger_->tree_allocated(q), &held_);
  }
  std::span<const int64_t> OwnHeld(QueueIndex q) {
    return Left(q, ledger_->queue_allocated(q), &own_held_);
  }

 private:
  // What queues would hold, a row for each that was asked about.
  struct Rows {
    std::vector<QueueIndex> queues;
    std::vector<int64_t> cells;
    void Clear() {
      queues.clear();
      cells.clear();
    }
  };
  // Few queues give in one question, so a list is looked through faster than a table is filled. Its
  // first call for a queue, Add, stands apart so that the others are inlined.
  static std::span<int64_t> Left(QueueIndex q, std::span<const int64_t> held, Rows* rows) {
    for (size_t row = 0; row < rows->queues.size(); ++row) {
      if (rows->queues[row] != q) continue;
      return {rows->cells.data() + row * held.size(), held.size()};
    }
    return Add(q, held, rows);
  }
  static std::span<int64_t> Add(QueueIndex q, std::span<const int64_t> held, Rows* rows);
  template <class MayTake>
  const Way& WayOf(QueueIndex giver, QueueIndex asker, const MayTake& may_take);
  void Go(const Way& way, std::span<const int64_t> request);

  static bool Bounds(const QueueTable& queues, QueueIndex q);
  bool IsKept(const QueueTable& queues, QueueIndex q) const;

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  QueueWatch watch_;  // of what follows, up to depth_
  std::vector<uint8_t> alive_;
  std::vector<QueueIndex> parent_;
  std::vector<QueueIndex> roots_, order_;
  std::vector<QueueIndex>
      bounded_;  // the nearest upwards, itself included, that says no to anything
  std::vector<uint32_t> depth_;
  std::vector<Way> ways_;  // of one question, like the rows
  Rows held_, own_held_;
};

template <class MayTake>
const QueueTree::Way& QueueTree::WayOf(QueueIndex giver, QueueIndex asker,
                                       const MayTake& may_take) {
  for (const Way& way : ways_) {
    if (way.giver == giver) return way;
  }
  Way way{giver};
  const std::vector<QueueIndex>& parent = tables_->queues.parent;
  QueueIndex a = asker, g = giver;
  const auto past_asker = [&](QueueIndex q) {
    way.may_take = way.may_take && may_take(q);
    return parent[q];
  };
  const auto past_giver = [&](QueueIndex q) {
    way.queues.push_back(q);
    return parent[q];
  };
  while (depth_[a] > depth_[g]) a = past_asker(a);
  while (depth_[g] > depth_[a]) g = past_giver(g);
  while (a != g) {
    a = past_asker(a);
    g = past_giver(g);
  }
  ways_.push_back(std::move(way));
  return ways_.back();
}

template <class DeservedOf, class MayGive>
void QueueTree::Choose(TaskIndex evictor, std::span<const TaskIndex> candidates,
                       const DeservedOf& deserved_of, const MayGive& may_give,
                       std::vector<TaskIndex>* chosen) {
  const std::span<const int64_t> wanted = ledger_->request(evictor);
  const auto may_take = [&](QueueIndex q) {
    DimensionIndex ignored;
    return StaysWithin(deserved_of(q), ledger_->tree_allocated(q), wanted, &ignored);
  };
  const QueueIndex asker = tables_->jobs.queue[tables_->tasks.job[evictor]];
  ways_.clear();
  held_.Clear();
  own_held_.Clear();
  const Way* way = nullptr;
  for (TaskIndex t : candidates) {
    const JobIndex job = tables_->tasks.job[t];
    if (job == kNone) continue;
    const QueueIndex giver = tables_->jobs.queue[job];
    if (way == nullptr || way->giver != giver) way = &WayOf(giver, asker, may_take);
    const std::span<const int64_t> request = ledger_->request(t);
    if (!way->may_take || way->queues.empty() || !may_give(*way, request)) continue;
    Go(*way, request);
    chosen->push_back(t);
  }
}

}  // namespace muster

#endif  // MUSTER_POLICY_QUEUE_TREE_H_
