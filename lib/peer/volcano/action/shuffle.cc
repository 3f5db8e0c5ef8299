// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// shuffle: evicts badly placed tasks, which later cycles place again.
//
// All running tasks are put to the policies at the point `victims`, and those they name are
// evicted, each at once. No place is reserved: the task comes back as a pending one, and the next
// cycles place it by the state of that time. So a policy that names victims must make sure by
// itself that there is a better place (rescheduling).
//
// Peer. Volcano's shuffle. It does not check whether a gang can spare the task. Answers add up, so
// a disruption budget protects from no other policy of its tier.
//
// Ties. Jobs and their tasks in row order.
//
// Cost. O(tasks) and what the policies take.
#include "lib/part/victims.h"
#include "lib/peer/volcano/actions.h"

namespace muster {
namespace {

void RunShuffle(ActionContext& context, const Options&) {
  if (context.meter.Cut()) return;
  context.meter.Spend();
  const JobTable& jobs = context.tables.jobs;
  std::vector<TaskIndex> running;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j]) continue;
    for (TaskIndex t : jobs.tasks[j]) {
      if (context.ledger.status(t) == TaskStatus::kRunning) running.push_back(t);
    }
  }
  for (TaskIndex victim : context.dispatcher.Victims(running)) {
    Attempt attempt(context);
    Evict(context, victim, /*beneficiary=*/kNone);
    attempt.Commit();
  }
}

}  // namespace

ActionDecl ShuffleAction() {
  return {"shuffle", "evicts badly placed tasks, which later cycles place again", {}, RunShuffle};
}

}  // namespace muster
