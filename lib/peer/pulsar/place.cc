// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// place: a broker for each bundle that has none, in the order of the waiting jobs and their tasks.
//
// A bundle counts as preallocated on its broker for the next ones. A bundle that no broker may take
// gets the refusals of the nodes with the peer's message. Cuts fall between bundles.
// Cost. A bundle looks at each broker once.
#include <utility>

#include "lib/peer/pulsar/options.h"
#include "lib/peer/pulsar/placer.h"
#include "lib/peer/pulsar/profile.h"

namespace muster {
namespace pulsar {
namespace {

void RunPlace(ActionContext& context, const Options& options) {
  Placer placer(context, options, /*avg=*/nullptr);
  Books& books = context.memory<Books>();
  for (const JobIndex job : context.waiting) {
    for (const TaskIndex task : context.PendingTasks(job, /*with_best_effort=*/true)) {
      if (context.meter.Cut()) return placer.Store();
      context.meter.Spend();
      const NodeIndex node = placer.Choose(task, muster::kNone);
      if (node == muster::kNone) {
        Reason reason = *context.reasons.NoNode(context.ClassOf(task));
        reason.where = "no broker is available for the bundle";
        context.reasons.Explain(task, std::move(reason));
        continue;
      }
      const Ledger::Savepoint before = context.ledger.Save();
      context.ledger.Move(task, TaskStatus::kPlaced, node);
      context.decisions.Commit(before);
      books.Preallocate(task, node);
    }
  }
  placer.Store();
}

}  // namespace
}  // namespace pulsar

ActionDecl PulsarPlaceAction() {
  ActionDecl action;
  action.name = "place";
  action.summary = "a broker for each bundle without one";
  action.options = pulsar::kPlaceOptions;
  action.run = pulsar::RunPlace;
  action.check = pulsar::CheckTables;
  action.memory = {{pulsar::kPlacementSlot, 1},
                   {pulsar::kTurnSlot, 1},
                   {pulsar::kReportSlot, 1},
                   {pulsar::kSampleSlot, 1},
                   {pulsar::kDestinationSlot, 1}};
  action.points = PointSet{Point::kFit};
  return action;
}

}  // namespace muster
