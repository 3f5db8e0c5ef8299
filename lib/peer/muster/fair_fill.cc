// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/fair_fill.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "lib/part/domain_search.h"
#include "lib/peer/muster/gang_repack.h"

namespace muster {

FairFill::FairFill(ActionContext& context, int64_t tries)
    : context_(context),
      tries_(tries),
      promises_(context.memory<FairPromises>()),
      lines_(context.memory<FairKnown>().lines()) {}

void FairFill::Run() {
  RunTurns();
  if (!context_.meter.ended()) promises_.Store();
}

FairFill::Sheet& FairFill::SheetOf(JobIndex job) {
  const auto [at, added] = sheet_of_.try_emplace(job, static_cast<uint32_t>(sheets_.size()));
  if (!added) return sheets_[at->second];
  Sheet& sheet = sheets_.emplace_back();
  Prepare(job, sheet);
  return sheet;
}

// Jobs with too few tasks for their gangs are in no line.
void FairFill::ExplainInvalid() {
  for (const JobIndex job : context_.waiting) {
    if (context_.ledger.job(job).pending() == 0 || context_.dispatcher.Valid(job)) continue;
    Reason reason{ReasonKind::kInvalidGang};
    reason.placed = static_cast<int64_t>(context_.tables.jobs.tasks[job].size());
    reason.needed = FairGang(context_, job).needed();
    context_.reasons.ExplainJob(job, std::move(reason));
  }
}

// Fills the sheet of a job that is in a line.
void FairFill::Prepare(JobIndex job, Sheet& sheet) {
  const JobTable& jobs = context_.tables.jobs;
  sheet.tasks = context_.PendingTasks(job, /*with_best_effort=*/true);
  const auto is_nominated = [this](TaskIndex t) {
    return context_.tables.tasks.nominated[t] != kNone;
  };
  if (std::any_of(sheet.tasks.begin(), sheet.tasks.end(), is_nominated)) {
    std::stable_partition(sheet.tasks.begin(), sheet.tasks.end(), is_nominated);
  }
  const Domains::Wish wish = context_.domains.WishOf(job);
  sheet.wishes = wish.there && wish.hard;
  if (sheet.wishes) {
    for (TaskIndex t : jobs.tasks[job]) {
      const TaskStatus status = context_.ledger.status(t);
      if (!IsAllocated(status) && status != TaskStatus::kNominated) continue;
      const DomainIndex above = context_.domains.above(context_.ledger.node_of(t));
      sheet.holds = context_.domains.Lca(sheet.holds, above);
    }
  }
  const ClassIndex c = context_.ClassOf(sheet.tasks.front());
  sheet.one_class = !sheet.wishes &&
                    std::all_of(sheet.tasks.begin(), sheet.tasks.end(),
                                [&](TaskIndex t) { return context_.ClassOf(t) == c; }) &&
                    !context_.search.FitDependsOnOthers(c) && !HasNominated(sheet);
}

bool FairFill::HasNominated(const Sheet& sheet) const {
  return sheet.next < sheet.tasks.size() &&
         context_.tables.tasks.nominated[sheet.tasks[sheet.next]] != kNone;
}

bool FairFill::NominatedSuffice(JobIndex job, const Sheet& sheet) const {
  size_t nominated = 0;
  while (nominated < sheet.tasks.size() &&
         context_.tables.tasks.nominated[sheet.tasks[nominated]] != kNone) {
    ++nominated;
  }
  return nominated > 0 &&
         FairGang(context_, job).Hopeful({sheet.tasks.begin(), sheet.tasks.begin() + nominated});
}

bool FairFill::Turn(JobIndex job) {
  Sheet& sheet = SheetOf(job);
  failed_alike_ = false;
  if (context_.dispatcher.Ready(job)) return TaskTurn(job, sheet, /*may_start=*/true);
  if (context_.dispatcher.Pipelined(job)) return TaskTurn(job, sheet, /*may_start=*/false);
  if (GangTurn(job, sheet)) return sheet.next < sheet.tasks.size();
  PromiseStart(job, sheet, /*tried=*/true);
  return false;
}

// Promises the gang a start, if it is one of those that may have a promise.
void FairFill::PromiseStart(JobIndex job, Sheet& sheet, bool tried) {
  if (!promises_.MayPromise(job)) return;
  const FairGang gang(context_, job);
  const int64_t lacking = gang.needed() - gang.placed();
  const ClassIndex c = context_.ClassOf(sheet.tasks[sheet.next]);
  // On fuller books, no gang of like tasks finds places where a smaller one of its queue found
  // none. (One that is older may be promised what the other was not.)
  const QueueIndex queue = context_.tables.jobs.queue[job];
  const int64_t created = context_.tables.jobs.spec[job].created;
  const bool remembers = sheet.one_class && promises_.one_at_most();
  if (const auto known = hopeless_.find(c); remembers && known != hopeless_.end()) {
    const Hopeless& other = known->second;
    if (queue == other.queue && created >= other.created && lacking >= other.lacking) return;
  }
  context_.meter.Spend();
  quiet_ = true;
  promises_.Make(job, {sheet.tasks.begin() + sheet.next, sheet.tasks.end()}, lacking, tried, [&] {
    FindReach(job, sheet);
    return std::any_of(reach_.begin(), reach_.end(), [&](DomainIndex within) {
      return TryDomain(gang, job, sheet, within).whole;
    });
  });
  quiet_ = false;
  // What the gang holds itself does not leave.
  const bool holds = context_.ledger.job(job).allocated() > 0;
  if (remembers && !holds && promises_.MayPromise(job)) hopeless_[c] = {queue, created, lacking};
}

bool FairFill::GangTurn(JobIndex job, Sheet& sheet) {
  if (!context_.reasons.wanted() && sheet.one_class &&
      LacksRoom(context_.ClassOf(sheet.tasks[sheet.next]))) {
    context_.meter.Spend();
    failed_alike_ = true;
    return false;
  }
  const FairGang gang(context_, job);
  if (KnownToFail(job, sheet, gang)) return false;
  Attempt attempt(context_);
  const Ledger::Moment moment = context_.ledger.moment();
  no_node_ = nullptr;
  refusal_ = Reason{ReasonKind::kGangUndone};
  Try tried, best;
  FindReach(job, sheet);
  for (DomainIndex within : reach_) {
    tried = TryDomain(gang, job, sheet, within);
    if (tried.whole) break;
    best.placed = std::max(best.placed, tried.placed);
    best.end = std::max(best.end, tried.end);
    best.broke |= tried.broke;
  }
  if (!tried.whole) {
    Reason reason = refusal_;
    if (no_node_ != nullptr) reason.refusals = no_node_->refusals;
    reason.placed = gang.placed() + best.placed;
    reason.needed = gang.needed();
    if (sheet.one_class && no_node_ != nullptr && !best.broke) {
      const ClassIndex c = context_.ClassOf(sheet.tasks[sheet.next]);
      failures_[c] = {moment, best.placed, no_node_, context_.tables.jobs.queue[job],
                      promises_.Binding(job)};
      // What devices are left for a gang depends on which were taken.
      failed_alike_ = !context_.search.Picks(c);
    }
    ExplainGang(job, sheet, ForWish(job, std::move(reason)), sheet.next, best.end);
    return false;
  }
  NoteHeld(sheet, attempt);
  attempt.Commit();
  if (tried.skipped) {
    std::erase_if(sheet.tasks,
                  [&](TaskIndex t) { return context_.ledger.status(t) != TaskStatus::kPending; });
    sheet.next = 0;
  } else {
    sheet.next = tried.end;
  }
  return true;
}

bool FairFill::WantsDevices(const Sheet& sheet) {
  if (DeviceBook::Of(context_.ledger) == nullptr) return false;
  ClassIndex last = kNone;
  return std::any_of(sheet.tasks.begin() + sheet.next, sheet.tasks.end(), [&](TaskIndex t) {
    const ClassIndex c = context_.ClassOf(t);
    return c != std::exchange(last, c) && context_.search.Picks(c);
  });
}

// Puts all that the gang lacks into the books, bound or nominated; or nothing.
FairFill::Try FairFill::TryDomain(const FairGang& gang, JobIndex job, const Sheet& sheet,
                                  DomainIndex within) {
  Attempt attempt(context_);
  const auto stands = [&] {
    const bool starts = AllIdle(attempt) && context_.dispatcher.Ready(job);
    if (!starts && !NominateInstead(&attempt)) return false;
    attempt.Keep();
    return true;
  };
  Try tried = TryGang(gang, job, sheet, within, /*hold=*/false);
  if (tried.whole && stands()) return tried;
  attempt.StartOver();
  if (PlaceAsAWhole(gang, job, sheet, within) && stands()) {
    tried.whole = tried.skipped = true;
    return tried;
  }
  attempt.StartOver();
  tried.broke = std::exchange(tried.whole, false);
  if (tried.broke) tried.placed = 0;
  if (!WantsDevices(sheet)) return tried;
  const Try held = TryGang(gang, job, sheet, within, /*hold=*/true);
  if (held.whole && stands()) return held;
  tried.placed = std::max(tried.placed, held.placed);
  tried.end = std::max(tried.end, held.end);
  return tried;
}

// Places one task after another on its best node. Leaves in the books what it placed.
FairFill::Try FairFill::TryGang(const FairGang& gang, JobIndex job, const Sheet& sheet,
                                DomainIndex within, bool hold) {
  Try tried;
  tried.end = sheet.next;
  const int64_t there = gang.placed();
  while (tried.end < sheet.tasks.size() && !tried.whole) {
    const TaskIndex task = sheet.tasks[tried.end++];
    if (!gang.Wants(context_.tables.tasks.group[task])) {
      tried.skipped = true;
      continue;
    }
    context_.meter.Spend();
    if (PlaceTask(task, within, hold) == Place::kNowhere) {
      tried.skipped = true;
      if (!gang.Hopeful({sheet.tasks.begin() + tried.end, sheet.tasks.end()})) break;
      continue;
    }
    tried.whole = context_.dispatcher.Pipelined(job);
  }
  tried.placed = gang.placed() - there;
  return tried;
}

// Puts all that the gang lacks into the books; or nothing.
bool FairFill::PlaceAsAWhole(const FairGang& gang, JobIndex job, const Sheet& sheet,
                             DomainIndex within) {
  if (tries_ == 0 || sheet.one_class) return false;
  // A task that was nominated for its devices may find them taken by an earlier task of its own
  // gang.
  if (HasNominated(sheet) && !WantsDevices(sheet)) return false;
  Attempt attempt(context_);
  const std::span<const TaskIndex> rest(sheet.tasks.begin() + sheet.next, sheet.tasks.end());
  for (const FoundPlace& place : FindPlaces(context_, gang, rest, within, tries_)) {
    context_.meter.Spend();
    const ClassIndex c = context_.ClassOf(place.task);
    if (!context_.dispatcher.Allocatable(context_.tables.jobs.queue[job], place.task).ok() ||
        !context_.search.FitsFutureIdle(c, place.node) ||
        !context_.search.FitsNode(c, place.node) || !promises_.LeavesRoom(place.task, place.node)) {
      break;
    }
    At(place.task, place.node, place.waits);
  }
  if (attempt.moves().empty() || !context_.dispatcher.Pipelined(job)) return false;
  attempt.Keep();
  return true;
}

void FairFill::FindReach(JobIndex job, const Sheet& sheet) {
  reach_.clear();
  if (!sheet.wishes) {
    reach_.push_back(kNone);
    return;
  }
  const Domains& domains = context_.domains;
  const int32_t tier = domains.WishOf(job).tier;
  const auto shown = [&](DomainIndex d) { return d == domains.root() ? kNone : d; };
  const auto add_from = [&](DomainIndex from) {
    for (DomainIndex d = from; d != kNone && domains.tier(d) <= tier; d = domains.parent(d))
      reach_.push_back(shown(d));
  };
  if (sheet.holds != kNone) {
    add_from(sheet.holds);
    return;
  }
  DomainIndex nominated_in = kNone;
  for (size_t i = sheet.next; i < sheet.tasks.size(); ++i) {
    const NodeIndex node = context_.tables.tasks.nominated[sheet.tasks[i]];
    if (node == kNone) break;  // nominated ones come first
    if (context_.tables.nodes.alive[node])
      nominated_in = domains.Lca(nominated_in, domains.above(node));
  }
  add_from(nominated_in);
  auto [it, added] = up_to_tier_.try_emplace(tier);
  if (added) it->second = DomainsUpTo(context_, tier);
  for (DomainIndex d : it->second) reach_.push_back(shown(d));
}

// Adds what the attempt placed to what the job holds.
void FairFill::NoteHeld(Sheet& sheet, const Attempt& attempt) {
  if (!sheet.wishes) return;
  for (const Ledger::Entry& entry : attempt.moves()) {
    sheet.holds = context_.domains.Lca(sheet.holds, context_.domains.above(entry.to_node));
  }
}

Reason FairFill::ForWish(JobIndex job, Reason reason) const {
  const Domains::Wish wish = context_.domains.WishOf(job);
  const bool about_nodes =
      reason.kind == ReasonKind::kGangUndone || reason.kind == ReasonKind::kNoNode;
  if (!about_nodes || !context_.domains.Bounds(job)) return reason;
  reason.kind = ReasonKind::kNoDomain;
  reason.where = context_.domains.TierText(wish.tier);
  return reason;
}

// A gang of one class takes from every node what fits there, in any order. So on the same books
// another one that needs as many fails, too.
bool FairFill::KnownToFail(JobIndex job, const Sheet& sheet, const FairGang& gang) {
  if (!sheet.one_class) return false;
  const auto it = failures_.find(context_.ClassOf(sheet.tasks[sheet.next]));
  if (it == failures_.end() || !context_.ledger.SameAs(it->second.moment) ||
      gang.needed() - gang.placed() <= it->second.placed) {
    return false;
  }
  // Promises may bind the other gang, and leave more to this one.
  if (const std::vector<uint8_t> binding = promises_.Binding(job);
      binding != it->second.binding ||
      (!binding.empty() && context_.tables.jobs.queue[job] != it->second.queue)) {
    return false;
  }
  context_.meter.Spend();
  failed_alike_ = !context_.search.Picks(it->first);
  // Gangs that lack as much share the reason.
  context_.reasons.ExplainJob(
      job, context_.reasons.GangReason(ReasonKind::kGangUndone, gang.placed() + it->second.placed,
                                       gang.needed(), it->second.reason));
  return true;
}

bool FairFill::TaskTurn(JobIndex job, Sheet& sheet, bool may_start) {
  while (sheet.next < sheet.tasks.size()) {
    const TaskIndex task = sheet.tasks[sheet.next];
    if (context_.ledger.status(task) == TaskStatus::kPending) FindReach(job, sheet);
    ++sheet.next;
    if (context_.ledger.status(task) != TaskStatus::kPending) continue;
    context_.meter.Spend();
    Attempt attempt(context_);
    no_node_ = nullptr;
    if (reach_.empty()) refusal_ = Reason{ReasonKind::kGangUndone};
    Place place = Place::kNowhere;
    for (DomainIndex within : reach_) {
      place = PlaceTask(task, within, /*hold=*/false);
      if (place != Place::kNowhere) break;
    }
    if (place != Place::kNowhere) {
      if (place == Place::kIdle && !may_start) NominateInstead(&attempt);
      NoteHeld(sheet, attempt);
      attempt.Commit();
      return sheet.next < sheet.tasks.size();
    }
    if (context_.domains.Bounds(job)) {
      Reason reason = no_node_ != nullptr ? *no_node_ : refusal_;
      reason.placed = context_.ledger.job(job).ready() + context_.ledger.job(job).nominated();
      context_.reasons.Explain(task, ForWish(job, std::move(reason)));
    } else if (no_node_ != nullptr) {
      context_.reasons.Explain(task, no_node_);
    } else {
      context_.reasons.Explain(task, refusal_);
    }
  }
  return false;
}

FairFill::Place FairFill::PlaceTask(TaskIndex task, DomainIndex within, bool hold) {
  const Tables& tables = context_.tables;
  const QueueIndex queue = tables.jobs.queue[tables.tasks.job[task]];
  if (const Verdict verdict = context_.dispatcher.Allocatable(queue, task); !verdict.ok()) {
    refusal_ = context_.reasons.QueueReason(queue, verdict);
    no_node_ = nullptr;
    return Place::kNowhere;
  }
  const ClassIndex c = context_.ClassOf(task);
  NodeSearch& search = context_.search;
  const NodeIndex nominated = tables.tasks.nominated[task];
  if (nominated != kNone && tables.nodes.alive[nominated] &&
      (within == kNone || context_.domains.Holds(within, nominated)) &&
      search.FitsFutureIdle(c, nominated) && promises_.LeavesRoom(task, nominated)) {
    if (search.FitsNode(c, nominated)) return At(task, nominated, hold);
    // Tasks that are leaving may still be in the way: a full number of tasks, a port, an affinity.
    if (context_.ledger.node(nominated, kReleasing)[kPods] > 0) {
      const std::vector<NodeIndex> later = search.ListForEviction(c, Want::kEvicting);
      if (std::binary_search(later.begin(), later.end(), nominated)) {
        context_.ledger.Move(task, TaskStatus::kNominated, nominated);
        return Place::kLater;
      }
    }
  }
  for (const Want want : {Want::kNow, Want::kLater}) {
    const NodeIndex node = promises_.Best(task, want, within);
    if (node != kNone) return At(task, node, hold);
  }
  refusal_ = Reason{ReasonKind::kGangUndone};
  if (!quiet_) NoteNoNode(task);
  return Place::kNowhere;
}

// Notes why no node takes the task: by itself, and because of promises.
void FairFill::NoteNoNode(TaskIndex task) {
  no_node_ = context_.reasons.NoNode(context_.ClassOf(task));
  if (!context_.reasons.wanted()) return;
  std::vector<Refusal> kept = promises_.Refusals(task);
  if (kept.empty()) return;
  Reason reason = *no_node_;
  reason.refusals.insert(reason.refusals.end(), kept.begin(), kept.end());
  std::stable_sort(reason.refusals.begin(), reason.refusals.end(),
                   [](const Refusal& a, const Refusal& b) {
                     return a.nodes != b.nodes ? a.nodes > b.nodes : a.code < b.code;
                   });
  no_node_ = std::make_shared<const Reason>(std::move(reason));
}

FairFill::Place FairFill::At(TaskIndex task, NodeIndex node, bool hold) {
  const bool idle = !hold && context_.search.FitsIdle(context_.ClassOf(task), node);
  context_.ledger.Move(task, idle ? TaskStatus::kPlaced : TaskStatus::kNominated, node);
  return idle ? Place::kIdle : Place::kLater;
}

bool FairFill::AllIdle(const Attempt& attempt) {
  const auto moves = attempt.moves();
  return std::all_of(moves.begin(), moves.end(),
                     [](const Ledger::Entry& e) { return e.to == TaskStatus::kPlaced; });
}

bool FairFill::NominateInstead(Attempt* attempt) {
  const auto moves = attempt->moves();
  const std::vector<Ledger::Entry> placed(moves.begin(), moves.end());
  attempt->StartOver();
  for (const Ledger::Entry& entry : placed) {
    const ClassIndex c = context_.ClassOf(entry.task);
    if (context_.search.Picks(c) && !context_.search.FitsFutureIdle(c, entry.to_node)) return false;
    context_.ledger.Move(entry.task, TaskStatus::kNominated, entry.to_node);
  }
  return true;
}

// The job's reason holds for all its tasks: older reasons of those from `first` to `end` are
// dropped.
void FairFill::ExplainGang(JobIndex job, const Sheet& sheet, Reason reason, size_t first,
                           size_t end) {
  if (!context_.reasons.wanted()) return;
  for (size_t i = first; i < end; ++i) context_.reasons.Forget(sheet.tasks[i]);
  context_.reasons.ExplainJob(job, std::move(reason));
}

}  // namespace muster
