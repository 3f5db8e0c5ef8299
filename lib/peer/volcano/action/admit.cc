// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// admit: decides which waiting jobs may request nodes at all (volcano's enqueue).
//
// Queues take turns by queue order, the jobs of a queue by job order. A job that names minimum
// resources is put to the vote of the policies; one that names none is admitted. A refused job does
// not hold up the next one.
//
// Ties. Total orders. Queues are in Go's heap. Admissions change no job order, so jobs are sorted
// once, which costs one comparison a job where they came in order.
//
// Cost. O(jobs log jobs) plus the votes. A refusal changes no order, so the queue that had one goes
// on without a move in the heap.
#include <algorithm>
#include <string>

#include "lib/base/go_sort.h"
#include "lib/part/queue_round.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

void RunAdmit(ActionContext& context, const Options&) {
  const Dispatcher& dispatcher = context.dispatcher;
  const JobTable& jobs = context.tables.jobs;
  const auto job_before = [&](JobIndex a, JobIndex b) { return dispatcher.JobBefore(a, b); };
  QueueRound round(context);
  std::vector<std::vector<JobIndex>> waiting(context.tables.queues.alive.size());
  std::vector<size_t> next(waiting.size(), 0);
  for (const JobIndex j : context.waiting) {
    round.AddQueue(jobs.queue[j]);
    if (context.IsPending(j)) waiting[jobs.queue[j]].push_back(j);
  }
  for (std::vector<JobIndex>& of_queue : waiting) {
    if (!std::is_sorted(of_queue.begin(), of_queue.end(), job_before)) {
      GoSort(of_queue, job_before);
    }
  }
  while (!round.empty()) {
    const QueueIndex queue = round.PopQueue();
    bool admitted = false;
    while (!admitted && next[queue] < waiting[queue].size()) {
      if (context.meter.Cut()) return;
      context.meter.Spend();
      const JobIndex job = waiting[queue][next[queue]++];
      const Verdict verdict =
          jobs.spec[job].min_resources.has_value() ? dispatcher.Admit(job) : Verdict::Yes();
      admitted = verdict.ok();
      if (admitted) {
        context.decisions.Admit(job);
        continue;
      }
      const bool of_queue = verdict.cause == Cause::kClosed || verdict.cause == Cause::kTree;
      const ReasonKind kind = of_queue ? QueueRefusal(verdict) : ReasonKind::kNotAdmitted;
      context.reasons.ExplainJob(job, context.reasons.QueueReason(kind, queue, verdict));
    }
    if (admitted) round.PushQueue(queue);
  }
}

}  // namespace

ActionDecl AdmitAction() {
  ActionDecl action = {"admit",
                       "decides which waiting jobs may request nodes (enqueue)",
                       {},
                       RunAdmit,
                       /*admits=*/true};
  action.points = PointSet{Point::kQueueOrder, Point::kJobOrder, Point::kAdmit};
  return action;
}

}  // namespace muster
