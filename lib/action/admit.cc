// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// admit: which waiting jobs may ask for nodes at all (volcano's enqueue).
//
// Queues take turns by queue order, the jobs of a queue by job order. A job that names minimum resources is put to
// the vote of the policies; one that names none is admitted. A refused job does not hold up the next one.
// Ties: total orders in Go's heap. Cost: O(jobs log jobs) plus the votes.
#include <string>

#include "lib/action/actions.h"

namespace muster {
namespace {

void Run(ActionContext& context, const Options&) {
  const Dispatcher& dispatcher = context.dispatcher;
  const JobTable& jobs = context.tables.jobs;
  const auto queue_before = [&](QueueIndex a, QueueIndex b) {
    return dispatcher.QueueBefore(a, b);
  };
  const auto job_before = [&](JobIndex a, JobIndex b) { return dispatcher.JobBefore(a, b); };
  using JobHeap = GoHeap<JobIndex, decltype(job_before)>;
  GoHeap<QueueIndex, decltype(queue_before)> queues(queue_before);
  std::vector<JobHeap> waiting(context.tables.queues.alive.size(), JobHeap(job_before));
  std::vector<uint8_t> seen(waiting.size(), 0);
  for (const JobIndex j : context.waiting) {
    const QueueIndex queue = jobs.queue[j];
    if (!seen[queue]) {
      seen[queue] = 1;
      queues.Push(queue);
    }
    if (context.IsPending(j)) waiting[queue].Push(j);
  }
  while (!queues.empty()) {
    const QueueIndex queue = queues.Pop();
    if (waiting[queue].empty()) continue;
    if (context.meter.Cut()) return;
    context.meter.Spend();
    const JobIndex job = waiting[queue].Pop();
    Denial denial;
    std::string_view who;
    if (!jobs.spec[job].min_resources.has_value() || dispatcher.Admit(job, &denial, &who)) {
      context.Admit(job);
    } else {
      Reason reason{denial.closed || denial.tree ? QueueRefusal(denial) : ReasonKind::kNotAdmitted};
      reason.policy = std::string(who);
      reason.queue = queue;
      reason.dimension = denial.dimension;
      context.ExplainJob(job, std::move(reason));
    }
    queues.Push(queue);
  }
}

}  // namespace

ActionDecl AdmitAction() { return {"admit", "which waiting jobs may ask for nodes", {}, Run}; }

}  // namespace muster
