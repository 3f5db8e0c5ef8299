// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order in which jobs that starve are served by actions that evict: queue by queue, and job by job in each.
//
// Both orders are asked of the policies when the heap is touched, as the peers' heaps ask, so that shares that moved
// count at once. Queues without a starving job are in the heap, too: what moves in it depends on who is there.
// Cost. O(jobs) to fill; a push or pop O(log n) questions.
//
//   QueueWalk walk(context);
//   while (!walk.queues.empty()) {
//     const QueueIndex queue = walk.queues.Pop();
//     if (!walk.jobs_of[queue].empty()) Serve(walk.jobs_of[queue].Pop());
//   }
#ifndef MUSTER_PART_QUEUE_WALK_H_
#define MUSTER_PART_QUEUE_WALK_H_

#include <cstdint>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/part/context.h"

namespace muster {

struct QueueWalk {
  struct QueueBefore {
    const Dispatcher* dispatcher;
    bool operator()(QueueIndex a, QueueIndex b) const { return dispatcher->QueueBefore(a, b); }
  };
  struct JobBefore {
    const Dispatcher* dispatcher;
    bool operator()(JobIndex a, JobIndex b) const { return dispatcher->JobBefore(a, b); }
  };
  using JobHeap = GoHeap<JobIndex, JobBefore>;

  explicit QueueWalk(const ActionContext& context)
      : queues(QueueBefore{&context.dispatcher}),
        jobs_of(context.tables.queues.alive.size(), JobHeap(JobBefore{&context.dispatcher})) {
    const JobTable& jobs = context.tables.jobs;
    std::vector<uint8_t> seen(jobs_of.size(), 0);
    for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
      if (!jobs.alive[j] || context.IsPending(j) || !context.dispatcher.Valid(j)) continue;
      const QueueIndex queue = jobs.queue[j];
      if (!seen[queue]) {
        seen[queue] = 1;
        queues.Push(queue);
      }
      if (context.dispatcher.Starving(j)) jobs_of[queue].Push(j);
    }
  }

  GoHeap<QueueIndex, QueueBefore> queues;
  std::vector<JobHeap> jobs_of;  // starving jobs, by queue
};

}  // namespace muster

#endif  // MUSTER_PART_QUEUE_WALK_H_
