// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// admit: which waiting jobs may ask for nodes at all (volcano's enqueue).
//
// Queues take turns by queue order, the jobs of a queue by job order. A job that names minimum resources is put to
// the vote of the policies; one that names none is admitted. A refused job does not hold up the next one.
// Ties: total orders. Queues are in Go's heap; what jobs are ordered by is not changed by admissions, so they are sorted
// once, which costs one comparison a job where they came in order. Cost: O(jobs log jobs) plus the votes.
#include <algorithm>
#include <string>

#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

void RunAdmit(ActionContext& context, const Options&) {
  const Dispatcher& dispatcher = context.dispatcher;
  const JobTable& jobs = context.tables.jobs;
  const auto queue_before = [&](QueueIndex a, QueueIndex b) {
    return dispatcher.QueueBefore(a, b);
  };
  const auto job_before = [&](JobIndex a, JobIndex b) { return dispatcher.JobBefore(a, b); };
  GoHeap<QueueIndex, decltype(queue_before)> queues(queue_before);
  std::vector<std::vector<JobIndex>> waiting(context.tables.queues.alive.size());
  std::vector<size_t> next(waiting.size(), 0);
  std::vector<uint8_t> seen(waiting.size(), 0);
  for (const JobIndex j : context.waiting) {
    const QueueIndex queue = jobs.queue[j];
    if (!seen[queue]) {
      seen[queue] = 1;
      queues.Push(queue);
    }
    if (context.IsPending(j)) waiting[queue].push_back(j);
  }
  for (std::vector<JobIndex>& of_queue : waiting) {
    if (!std::is_sorted(of_queue.begin(), of_queue.end(), job_before)) {
      std::sort(of_queue.begin(), of_queue.end(), job_before);
    }
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (next[queue] == waiting[queue].size()) continue;
    if (context.meter.Cut()) return;
    context.meter.Spend();
    const JobIndex job = waiting[queue][next[queue]++];
    const Verdict verdict =
        jobs.spec[job].min_resources.has_value() ? dispatcher.Admit(job) : Verdict::Yes();
    if (verdict.ok()) {
      context.Admit(job);
    } else {
      const bool of_queue = verdict.cause == Cause::kClosed || verdict.cause == Cause::kTree;
      const ReasonKind kind = of_queue ? QueueRefusal(verdict) : ReasonKind::kNotAdmitted;
      context.ExplainJob(job, context.QueueReason(kind, queue, verdict));
    }
    queues.Push(queue);
  }
}

}  // namespace

ActionDecl AdmitAction() {
  return {"admit", "which waiting jobs may ask for nodes", {}, RunAdmit, /*admits=*/true};
}

}  // namespace muster
