// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/action/fair_fill.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/action/fair_walk.h"

namespace muster {

void FairFill::Run() {
  sheets_.assign(context_.waiting.size(), {});
  std::vector<JobIndex> promised;
  for (JobIndex j : context_.waiting) {
    if (Prepare(j) && PromisesSuffice(j, SheetOf(j))) promised.push_back(j);
  }
  std::sort(promised.begin(), promised.end(),
            [this](JobIndex a, JobIndex b) { return context_.dispatcher.JobBefore(a, b); });
  for (JobIndex j : promised) {
    while (HasPromises(SheetOf(j))) {
      if (context_.meter.Cut()) return;
      context_.meter.Spend();
      const size_t before = context_.decisions().size();
      Turn(j);
      if (context_.decisions().size() == before) break;
    }
  }
  FairWalk walk(context_);
  for (JobIndex j : context_.waiting) {
    if (SheetOf(j).next < SheetOf(j).tasks.size()) walk.Add(j);
  }
  for (;;) {
    const JobIndex job = walk.Next();
    if (job == kNone || context_.meter.Cut()) return;
    context_.meter.Spend();
    walk.Done(job, Turn(job));
  }
}

FairFill::Sheet& FairFill::SheetOf(JobIndex job) {
  const auto& waiting = context_.waiting;
  return sheets_[std::lower_bound(waiting.begin(), waiting.end(), job) - waiting.begin()];
}

// Whether the job takes part; fills its sheet.
bool FairFill::Prepare(JobIndex job) {
  const JobTable& jobs = context_.tables.jobs;
  if (context_.ledger.job(job).pending() == 0) return false;
  if (!context_.dispatcher.Valid(job)) {
    Reason reason{ReasonKind::kInvalidGang};
    reason.placed = static_cast<int64_t>(jobs.tasks[job].size());
    reason.needed = FairGang(context_, job).needed();
    context_.ExplainJob(job, std::move(reason));
    return false;
  }
  Sheet& sheet = SheetOf(job);
  sheet.tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
  if (sheet.tasks.empty()) return false;
  std::stable_partition(sheet.tasks.begin(), sheet.tasks.end(), [this](TaskIndex t) {
    return context_.tables.tasks.nominated[t] != kNone;
  });
  const ClassIndex c = context_.ClassOf(sheet.tasks.front());
  sheet.one_class = std::all_of(sheet.tasks.begin(), sheet.tasks.end(),
                                [&](TaskIndex t) { return context_.ClassOf(t) == c; }) &&
                    !context_.search.FitDependsOnOthers(c) && !HasPromises(sheet);
  return true;
}

bool FairFill::HasPromises(const Sheet& sheet) const {
  return sheet.next < sheet.tasks.size() &&
         context_.tables.tasks.nominated[sheet.tasks[sheet.next]] != kNone;
}

bool FairFill::PromisesSuffice(JobIndex job, const Sheet& sheet) const {
  size_t promised = 0;
  while (promised < sheet.tasks.size() &&
         context_.tables.tasks.nominated[sheet.tasks[promised]] != kNone) {
    ++promised;
  }
  return promised > 0 &&
         FairGang(context_, job).Hopeful({sheet.tasks.begin(), sheet.tasks.begin() + promised});
}

bool FairFill::Turn(JobIndex job) {
  Sheet& sheet = SheetOf(job);
  if (context_.dispatcher.Ready(job)) return TaskTurn(sheet, /*may_start=*/true);
  if (context_.dispatcher.Pipelined(job)) return TaskTurn(sheet, /*may_start=*/false);
  return GangTurn(job, sheet) && sheet.next < sheet.tasks.size();
}

bool FairFill::GangTurn(JobIndex job, Sheet& sheet) {
  const FairGang gang(context_, job);
  if (KnownToFail(job, sheet, gang)) return false;
  Ledger& ledger = context_.ledger;
  const Ledger::Savepoint before = ledger.Save();
  const Ledger::Moment moment = ledger.moment();
  const int64_t there = gang.placed();
  bool whole = false, all_idle = true, skipped = false;
  no_node_ = nullptr;
  refusal_ = Reason{ReasonKind::kGangUndone};
  size_t i = sheet.next;
  while (i < sheet.tasks.size() && !whole) {
    const TaskIndex task = sheet.tasks[i++];
    if (!gang.Wants(context_.tables.tasks.group[task])) {
      skipped = true;
      continue;
    }
    context_.meter.Spend();
    const Place place = PlaceTask(task);
    all_idle &= place != Place::kLater;
    if (place == Place::kNowhere) {
      skipped = true;
      if (!gang.Hopeful({sheet.tasks.begin() + i, sheet.tasks.end()})) break;
      continue;
    }
    whole = context_.dispatcher.Pipelined(job);
  }
  if (!whole) {
    const int64_t placed = gang.placed();
    ledger.Rollback(before);
    ActionContext::ReasonPtr reason;
    if (no_node_ != nullptr) {
      reason = context_.GangReason(ReasonKind::kGangUndone, placed, gang.needed(), no_node_);
      if (sheet.one_class) {
        failures_[context_.ClassOf(sheet.tasks[sheet.next])] = {moment, placed - there, no_node_};
      }
    } else {
      refusal_.placed = placed;
      refusal_.needed = gang.needed();
      reason = std::make_shared<const Reason>(std::move(refusal_));
    }
    ExplainGang(job, sheet, std::move(reason), sheet.next, i);
    return false;
  }
  if (!all_idle) Nominate(before);
  context_.Commit(before);
  if (skipped) {
    std::erase_if(sheet.tasks,
                  [&](TaskIndex t) { return ledger.status(t) != TaskStatus::kPending; });
    sheet.next = 0;
  } else {
    sheet.next = i;
  }
  return true;
}

// A gang of one class takes from every node what fits there, in whatever order: on the same books another one that
// needs as many fails, too.
bool FairFill::KnownToFail(JobIndex job, const Sheet& sheet, const FairGang& gang) {
  if (!sheet.one_class) return false;
  const auto it = failures_.find(context_.ClassOf(sheet.tasks[sheet.next]));
  if (it == failures_.end() || !context_.ledger.SameAs(it->second.moment) ||
      gang.needed() - gang.placed() <= it->second.placed) {
    return false;
  }
  context_.meter.Spend();
  ExplainGang(job, sheet,
              context_.GangReason(ReasonKind::kGangUndone, gang.placed() + it->second.placed,
                                  gang.needed(), it->second.reason),
              sheet.next, sheet.next);
  return true;
}

bool FairFill::TaskTurn(Sheet& sheet, bool may_start) {
  while (sheet.next < sheet.tasks.size()) {
    const TaskIndex task = sheet.tasks[sheet.next++];
    if (context_.ledger.status(task) != TaskStatus::kPending) continue;
    context_.meter.Spend();
    const Ledger::Savepoint before = context_.ledger.Save();
    no_node_ = nullptr;
    const Place place = PlaceTask(task);
    if (place != Place::kNowhere) {
      if (place == Place::kIdle && !may_start) Nominate(before);
      context_.Commit(before);
      return sheet.next < sheet.tasks.size();
    }
    if (no_node_ != nullptr) {
      context_.Explain(task, no_node_);
    } else {
      context_.Explain(task, refusal_);
    }
  }
  return false;
}

FairFill::Place FairFill::PlaceTask(TaskIndex task) {
  const Tables& tables = context_.tables;
  const QueueIndex queue = tables.jobs.queue[tables.tasks.job[task]];
  Denial denial;
  std::string_view who;
  if (!context_.dispatcher.Allocatable(queue, task, &denial, &who)) {
    refusal_ = Reason{QueueRefusal(denial)};
    refusal_.policy = std::string(who);
    refusal_.queue = queue;
    refusal_.dimension = denial.dimension;
    no_node_ = nullptr;
    return Place::kNowhere;
  }
  const ClassIndex c = context_.ClassOf(task);
  NodeSearch& search = context_.search;
  const NodeIndex promised = tables.tasks.nominated[task];
  if (promised != kNone && tables.nodes.alive[promised] && search.FitsFutureIdle(c, promised)) {
    if (search.FitsNode(c, promised)) return At(task, promised);
    // Those who are leaving may still be in the way: a full number of tasks, a port, an affinity.
    if (context_.ledger.node(promised, kReleasing)[kPods] > 0) {
      const std::vector<NodeIndex> later = search.ListForEviction(c, Want::kEvicting);
      if (std::binary_search(later.begin(), later.end(), promised)) {
        context_.ledger.Move(task, TaskStatus::kNominated, promised);
        return Place::kLater;
      }
    }
  }
  NodeIndex node = search.Best(c, Want::kNow);
  if (node == kNone) node = search.Best(c, Want::kLater);
  if (node != kNone) return At(task, node);
  no_node_ = context_.NoNode(c);
  refusal_ = Reason{ReasonKind::kGangUndone};
  return Place::kNowhere;
}

FairFill::Place FairFill::At(TaskIndex task, NodeIndex node) {
  const bool idle = context_.search.FitsIdle(context_.ClassOf(task), node);
  context_.ledger.Move(task, idle ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
  return idle ? Place::kIdle : Place::kLater;
}

// What was placed since `before` is nominated instead.
void FairFill::Nominate(const Ledger::Savepoint& before) {
  const auto log = context_.ledger.log().subspan(before.position);
  const std::vector<Ledger::Entry> placed(log.begin(), log.end());
  context_.ledger.Rollback(before);
  for (const Ledger::Entry& entry : placed) {
    context_.ledger.Move(entry.task, TaskStatus::kNominated, entry.to_node);
  }
}

// The job's reason holds for all its tasks: older ones of those from first to end are forgotten.
void FairFill::ExplainGang(JobIndex job, const Sheet& sheet, ActionContext::ReasonPtr reason,
                           size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) context_.ForgetReason(sheet.tasks[i]);
  context_.ExplainJob(job, std::move(reason));
}

}  // namespace muster
