// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// schedule: cycles of the scheduler, one pod or pod group after the other, until none is ready.
//
// Each cycle's decisions go to the plan at once: a bind; or evictions and then a nomination. A pod
// without a node gets the reason no_node with the rules that refused it, and the scheduler's own
// message in Reason::where. Cuts fall between cycles.
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/extension/cycle.h"
#include "lib/peer/kube_scheduler/actions.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/kube_scheduler/run_cycles.h"
#include "lib/peer/kube_scheduler/scheduler.h"

namespace muster {
namespace {

void Decide(ActionContext& context, const kube::Made& made) {
  const Ledger::Savepoint before = context.ledger.Save();
  switch (made.kind) {
    case kube::Made::Kind::kBind:
      context.dispatcher.NoteNode(made.node);
      context.ledger.Move(made.task, TaskStatus::kPlaced, made.node);
      context.reasons.Forget(made.task);
      break;
    case kube::Made::Kind::kEvict:
      context.ledger.Move(made.task, TaskStatus::kReleasing, made.node);
      context.decisions.NoteEviction(made.task, made.beneficiary);
      break;
    case kube::Made::Kind::kWithdraw:
      context.decisions.WithdrawNomination(made.task);
      if (context.ledger.status(made.task) == TaskStatus::kNominated) {
        context.ledger.Move(made.task, TaskStatus::kPending, kNone);
      }
      break;
    case kube::Made::Kind::kNominate:
      context.decisions.WithdrawNomination(made.task);  // a pod may be nominated again
      context.dispatcher.NoteNode(made.node);
      context.ledger.Move(made.task, TaskStatus::kNominated, made.node);
      context.decisions.NoteNominatedAfterEviction(made.task);
      break;
    case kube::Made::Kind::kWait:
      context.ledger.Move(made.task, TaskStatus::kWaiting, made.node);
      context.reasons.Forget(made.task);
      return;  // decided at the end, if it still waits
    case kube::Made::Kind::kGiveUp:
      context.ledger.Move(made.task, TaskStatus::kPending, kNone);
      return;
    case kube::Made::Kind::kReserve:
      context.ledger.Move(made.task, TaskStatus::kPending, kNone);
      context.ledger.Move(made.task, TaskStatus::kWaiting, made.node);
      context.decisions.NoteReservation(made.task, made.until, made.group);
      break;
  }
  context.decisions.Commit(before);
}

bool HasRoom(const Ledger& ledger, NodeIndex n, TaskIndex t) {
  const auto request = ledger.request(t);
  for (DimensionIndex d = 0; d < ledger.dimensions(); ++d) {
    if (d == kPods && ledger.tables().nodes.allocatable.row(n)[d] == kAbsent) continue;
    if (request[d] > 0 && ledger.future_idle(n, d) < 0) return false;
  }
  return true;
}

// A pod of higher priority does not count those nominated below it, and may take their room. The
// scheduler lets such a pod keep its nomination and tries it again; the memory says so. A plan that
// decided it would promise room that is not there.
void WithdrawOvertaken(ActionContext& context, const std::vector<kube::Made>& made) {
  for (auto it = made.rbegin(); it != made.rend(); ++it) {
    if (it->kind != kube::Made::Kind::kNominate) continue;
    const NodeIndex n = context.ledger.node_of(it->task);
    if (context.ledger.status(it->task) != TaskStatus::kNominated) continue;
    if (HasRoom(context.ledger, n, it->task)) continue;
    Decide(context, {kube::Made::Kind::kWithdraw, it->task});
  }
}

}  // namespace

namespace kube {

void RunCycles(ActionContext& context, const Tables& tables, const Settings& settings,
               ExtraPlugins* extra) {
  MemorySlots& memory = *internal::DataOf(*context.facts.cycle).memory;
  Scheduler scheduler(tables, &memory, settings, context.facts.now, extra);
  scheduler.SetTies(context.dispatcher.node_ties());
  scheduler.Follow();
  size_t decided = 0;
  const auto decide = [&] {
    for (; decided < scheduler.made().size(); ++decided) {
      const Made& made = scheduler.made()[decided];
      Decide(context, made);
      if (extra == nullptr || made.kind != Made::Kind::kBind) continue;
      std::vector<ChosenDevice> devices = extra->DevicesOf(made.task);
      if (!devices.empty()) context.decisions.ChooseDevices(made.task, std::move(devices));
    }
  };
  if (extra != nullptr) decide();
  bool cut = false;
  for (int64_t cycle = 0; cycle < settings.cycles; ++cycle) {
    cut = context.meter.Cut();
    if (cut) break;
    context.meter.Spend();
    if (!scheduler.RunCycle()) break;
    decide();
  }
  scheduler.ReserveWaiting();
  decide();
  // Without this filter a node takes pods beyond its room.
  if (!settings.off.has(Plugin::kNodeResourcesFit)) WithdrawOvertaken(context, scheduler.made());
  if (cut) return;
  // In the order of insertion, which is that of the attempts.
  for (const auto& [task, unplaced] : scheduler.unplaced()) {
    Reason reason{ReasonKind::kNoNode};
    reason.where = unplaced.message;
    reason.refusals = unplaced.refusals;
    context.reasons.Explain(task, std::move(reason));
  }
  scheduler.Store();
}

void RunCycles(ActionContext& context, const Settings& settings, ExtraPlugins* extra) {
  RunCycles(context, context.tables, settings, extra);
}

}  // namespace kube

namespace {

absl::Status CheckSchedule(const Tables&, const Options& options) {
  const std::string wrong = kube::Settings::Check(options);
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("action schedule: ", wrong));
}

void RunSchedule(ActionContext& context, const Options& options) {
  kube::RunCycles(context, kube::Settings::From(options), nullptr);
}

}  // namespace

ActionDecl KubeScheduleAction() {
  ActionDecl action;
  action.name = "schedule";
  action.summary = "scheduling cycles, one pod or pod group after the other";
  action.options = kube::ScheduleOptionDecls();
  action.run = RunSchedule;
  action.check = CheckSchedule;
  action.evicts = true;
  action.memory.assign(std::begin(kube::kSlots), std::end(kube::kSlots));
  action.points = PointSet{};
  return action;
}

}  // namespace muster
