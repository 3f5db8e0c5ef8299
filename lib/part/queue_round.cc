// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/queue_round.h"

namespace muster {

QueueRound::QueueRound(const ActionContext& context)
    : queue_of_(&context.tables.jobs.queue),
      queues_(QueueBefore{&context.dispatcher}),
      jobs_(context.tables.queues.alive.size(),
            GoHeap<JobIndex, JobBefore>(JobBefore{&context.dispatcher})),
      added_(jobs_.size(), 0) {}

QueueRound StarvingRound(const ActionContext& context) {
  QueueRound round(context);
  const JobTable& jobs = context.tables.jobs;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j] || context.IsPending(j) || !context.dispatcher.Valid(j)) continue;
    round.AddQueue(jobs.queue[j]);
    if (context.dispatcher.Starving(j)) round.PushJob(j);
  }
  return round;
}

}  // namespace muster
