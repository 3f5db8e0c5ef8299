// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// backfill (kube-batch): a place for tasks that request nothing.
//
// Every job's pending tasks that request nothing, by kube-batch's measure, go to the first
// node, in index order, that passes all fits but the comparison of resources. Many next to nothings
// are something, though: the node's idle part has to cover the request, within the tolerance.
// Peer. kube-batch's backfill: jobs and tasks in the order of their rows, no order and no leave
// asked for. A task of which only the init containers request something is neither allocate's nor
// backfill's. A placement counts at once, and when the job is ready with it, all that is placed of
// the job is bound.
// Cost. O(nodes) a task at worst.
#include "lib/peer/kube_batch/actions.h"
#include "lib/peer/kube_batch/amounts.h"

namespace muster {
namespace {

void RunKubeBatchBackfill(ActionContext& context, const Options&) {
  const JobTable& jobs = context.tables.jobs;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j] || context.ledger.job(j).pending() == 0) continue;
    for (TaskIndex task : jobs.tasks[j]) {
      const ClassIndex c = context.ClassOf(task);
      if (context.ledger.status(task) != TaskStatus::kPending || context.IsGated(task) ||
          !KubeBatch::IsNothing(context.tables.classes.initial_request.row(c))) {
        continue;
      }
      if (context.meter.Cut()) return;
      context.meter.Spend();
      NodeIndex place = kNone;
      context.search.VisitInOrder(c, Want::kAnywhere, 0, [&](NodeIndex node) {
        const bool room =
            KubeBatch::Covers(context.ledger.node(node, kIdle), context.ledger.request(task));
        if (room) place = node;
        return room;
      });
      if (place != kNone) {
        KubeBatch::Allocate(context, task, place);
      } else {
        context.reasons.Explain(task, context.reasons.NoNode(c));
      }
    }
  }
}

}  // namespace

ActionDecl KubeBatchBackfillAction() {
  return {"backfill", "the first node for tasks that request nothing", {}, RunKubeBatchBackfill};
}

}  // namespace muster
