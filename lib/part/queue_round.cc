// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/queue_round.h"

namespace muster {

QueueRound::Lines::Lines(const ActionContext& context)
    : dispatcher(context.dispatcher),
      ledger(context.ledger),
      jobs(context.tables.queues.alive.size(),
           GoHeap<JobIndex, JobBefore>(JobBefore{&context.dispatcher})),
      turns(jobs.size(), 0) {}

QueueTurn QueueRound::Lines::TurnOf(QueueIndex queue) const {
  const GoHeap<JobIndex, JobBefore>& line = jobs[queue];
  QueueTurn turn;
  turn.queue = queue;
  if (!line.empty()) turn.head = line.elements()[0];
  turn.turns = turns[queue];
  turn.opening = dispatcher.OpeningOf(queue);
  turn.held = ledger.queue_allocated(queue);
  return turn;
}

QueueRound::QueueRound(const ActionContext& context)
    : queue_of_(&context.tables.jobs.queue),
      lines_(std::make_unique<Lines>(context)),
      queues_(QueueBefore{lines_.get()}),
      added_(lines_->jobs.size(), 0) {}

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
