// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues take turns by queue order, the jobs of a queue by job order: a heap of queues over heaps
// of jobs.
//
//   QueueRound round(context);
//   for (const JobIndex job : context.waiting) round.AddJob(job);
//   while (!round.empty()) {
//     const QueueIndex queue = round.PopQueue();
//     if (!round.HasJobs(queue)) continue;
//     const JobIndex job = round.PopJob(queue);
//     if (TakeTurn(job)) round.PushJob(job);
//     round.PushQueue(queue);
//   }
//
// Policies compare when a heap is touched, as in the peers' heaps (lib/base/go_heap.h), so that
// changed shares count at once. Which queue comes next depends on every push and pop before it: a
// loop makes exactly those that its peer makes, needless ones too. A popped queue or job returns
// only if the caller pushes it.
// Cost. O(queues) to make; O(log n) comparisons a push or pop, each one question to the policies.
// Orders that depend on the turn get each queue with its head job and what it has taken; others
// cost nothing more.
#ifndef MUSTER_PART_QUEUE_ROUND_H_
#define MUSTER_PART_QUEUE_ROUND_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/part/context.h"

namespace muster {

class QueueRound {
 public:
  explicit QueueRound(const ActionContext& context);

  // Adds the queue, with or without jobs, unless it was added before.
  void AddQueue(QueueIndex queue) {
    if (added_[queue]) return;
    added_[queue] = 1;
    queues_.Push(queue);
  }
  // Adds the job, and its queue before it.
  void AddJob(JobIndex job) {
    AddQueue((*queue_of_)[job]);
    PushJob(job);
  }

  bool empty() const { return queues_.empty(); }
  // REQUIRES: !empty().
  QueueIndex PopQueue() { return queues_.Pop(); }
  void PushQueue(QueueIndex queue) { queues_.Push(queue); }
  // The queues that are left, in no order; a queue that was pushed twice is there twice.
  const std::vector<QueueIndex>& queues() const { return queues_.elements(); }

  bool HasJobs(QueueIndex queue) const { return !lines_->jobs[queue].empty(); }
  // Takes out the first job of the queue and notes its turn. REQUIRES: HasJobs(queue).
  JobIndex PopJob(QueueIndex queue) {
    const JobIndex job = lines_->jobs[queue].Pop();
    lines_->dispatcher.NoteTurn(job);
    ++lines_->turns[queue];
    return job;
  }
  void PushJob(JobIndex job) { lines_->jobs[(*queue_of_)[job]].Push(job); }

 private:
  struct JobBefore {
    const Dispatcher* dispatcher;
    bool operator()(JobIndex a, JobIndex b) const { return dispatcher->JobBefore(a, b); }
  };
  // What the order of queues reads; it stays where it is when the round is moved.
  struct Lines {
    explicit Lines(const ActionContext& context);
    QueueTurn TurnOf(QueueIndex queue) const;

    const Dispatcher& dispatcher;
    const Ledger& ledger;
    std::vector<GoHeap<JobIndex, JobBefore>> jobs;  // per queue
    std::vector<int64_t> turns;                     // per queue
  };
  struct QueueBefore {
    const Lines* lines;
    bool operator()(QueueIndex a, QueueIndex b) const {
      const Dispatcher& dispatcher = lines->dispatcher;
      if (!dispatcher.OrdersByTurn()) return dispatcher.QueueBefore(a, b);
      return dispatcher.QueueTurnBefore(lines->TurnOf(a), lines->TurnOf(b));
    }
  };

  const std::vector<QueueIndex>* queue_of_;  // per job
  std::unique_ptr<Lines> lines_;
  GoHeap<QueueIndex, QueueBefore> queues_;
  std::vector<uint8_t> added_;  // per queue
};

// Returns the round of actions that make room: the queues of all admitted, valid jobs, and of these
// the jobs that starve. Queues without a starving job are in it, because what moves in the heap
// depends on which queues it holds.
QueueRound StarvingRound(const ActionContext& context);

}  // namespace muster

#endif  // MUSTER_PART_QUEUE_ROUND_H_
