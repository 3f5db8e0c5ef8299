// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which jobs take turns, and in which order. What a turn does is in fair_fill.cc; fair_fill.h has
// the rules.
//
// Leaving out. Once it is known that no other promise can come, a job that finds no place now finds
// none later in the cycle, because filling only takes. Its turn would change nothing, so it need
// have none, and the same holds for the jobs behind it in its line. But while a queue has jobs in
// line it counts for the order of other queues. So where several queues wait, the last job of a
// line that is left out stays in line: the queue leaves it when it would have.
#include <algorithm>
#include <utility>

#include "lib/base/go_sort.h"
#include "lib/peer/muster/fair_fill.h"

namespace muster {

void FairFill::RunTurns() {
  has_node_.clear();
  if (context_.reasons.wanted()) ExplainInvalid();
  if (context_.dispatcher.TaskOrderMoves()) {  // the order at the beginning counts
    for (size_t i = 0; i < lines_.size(); ++i) {
      for (const JobIndex job : lines_[i].jobs) SheetOf(job);
    }
  }
  if (!TakeNominated()) return;
  for (JobIndex j : promises_.TakeBack()) {
    if (lines_.Has(j) && Waits(j)) PromiseStart(j, SheetOf(j), /*tried=*/false);
  }
  if (lines_.empty()) return;
  QueueTreeWalk walk(context_);
  FillWalk(&walk);
  if (promises_.prefers_old()) PromiseOldest();
  bool leaves_out = LeaveOutHopeless(kNone, &walk);
  for (;;) {
    const JobIndex job = walk.Next();
    if (job == kNone || context_.meter.Cut()) return;
    context_.meter.Spend();
    const bool again = Turn(job);
    if (!leaves_out) leaves_out = LeaveOutHopeless(job, &walk);
    Advance(job, leaves_out, &walk);
    walk.Done(job, again);
  }
}

// Jobs that are whole, or become whole, by their nominated tasks go first.
bool FairFill::TakeNominated() {
  std::vector<JobIndex> first;
  for (const JobIndex job : lines_.nominated()) {
    if (NominatedSuffice(job, SheetOf(job))) first.push_back(job);
  }
  GoSort(first, [this](JobIndex a, JobIndex b) { return context_.dispatcher.JobBefore(a, b); });
  for (JobIndex j : first) {
    while (HasNominated(SheetOf(j))) {
      if (context_.meter.Cut()) return false;
      context_.meter.Spend();
      const size_t before = context_.decisions.list().size();
      Turn(j);
      if (context_.decisions.list().size() == before) break;
    }
  }
  return true;
}

// The first job of each line gets in line for a turn.
void FairFill::FillWalk(QueueTreeWalk* walk) {
  turns_.assign(lines_.size(), {});
  const JobTable& table = context_.tables.jobs;
  JobIndex first = kNone;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const std::vector<JobIndex>& jobs = lines_[i].jobs;
    // Only jobs with nominated tasks may have had turns by now, and have a sheet.
    if (jobs.empty() || (sheet_of_.contains(jobs.front()) && !Waits(jobs.front()))) continue;
    const JobIndex job = jobs.front();
    if (first == kNone) first = job;
    several_queues_ |= table.queue[job] != table.queue[first];
    several_priorities_ |= table.spec[job].priority != table.spec[first].priority;
    turns_[i] = {.next = 1, .last = job};
    walk->Add(job);
  }
}

void FairFill::Advance(JobIndex job, bool leaves_out, QueueTreeWalk* walk) {
  const size_t number = lines_.LineOf(job);
  const FairLines::Line& line = lines_[number];
  Turns& turns = turns_[number];
  if (turns.last != job) return;
  turns.last = kNone;
  if (turns.out || turns.next == line.jobs.size()) return;
  turns.out = leaves_out && failed_alike_ && !line.is_single();
  if (!turns.out) {
    turns.last = line.jobs[turns.next++];
    walk->Add(turns.last);
  } else if (several_queues_) {
    walk->Add(line.jobs.back());  // the queue leaves the line when it would have
  }
}

bool FairFill::LeaveOutHopeless(JobIndex last, QueueTreeWalk* walk) {
  if (context_.reasons.wanted() || context_.dispatcher.NotesTurns()) return false;
  // A job with a promise that finds a place after all makes way for another promise.
  const JobIndex holder = promises_.Holder();
  const bool keeps = holder != kNone && (holder == last || FitsNowhere(SheetOf(holder)));
  if (!keeps && !promises_.NoneCanCome()) return false;
  for (size_t i = 0; i < lines_.size(); ++i) {
    Turns& turns = turns_[i];
    if (turns.last == kNone) continue;
    turns.out = FitsNowhere(i);
    if (turns.out && several_queues_ && turns.next < lines_[i].jobs.size()) {
      walk->Add(lines_[i].jobs.back());
    }
  }
  walk->LeaveOut([this](JobIndex job) {
    const Turns& turns = turns_[lines_.LineOf(job)];
    return turns.out || (turns.last != job && FitsNowhere(SheetOf(job)));
  });
  return true;
}

// Filling only takes, so a class that fits no node fits none later.
bool FairFill::FitsNowhere(const Sheet& sheet) {
  return sheet.one_class && sheet.next < sheet.tasks.size() && !HasNode(sheet.tasks[sheet.next]);
}

bool FairFill::FitsNowhere(size_t line) {
  const FairLines::Line& like = lines_[line];
  if (like.is_single()) return FitsNowhere(SheetOf(like.jobs.front()));
  if (LacksRoom(like.key.task_class)) return true;
  // All tasks of such jobs are of the class, and all that are not gated wait.
  const JobIndex job = turns_[line].last;
  const std::vector<TaskIndex>& tasks = context_.tables.jobs.tasks[job];
  const auto first = std::find_if(tasks.begin(), tasks.end(), [this](TaskIndex task) {
    return context_.ledger.status(task) == TaskStatus::kPending && !context_.IsGated(task);
  });
  return first != tasks.end() && !context_.search.FitDependsOnOthers(like.key.task_class) &&
         !HasNode(*first);
}

bool FairFill::LacksRoom(ClassIndex c) const {
  // A look at so few nodes costs less than the search that it saves.
  constexpr size_t kFewNodes = 8;
  const Ledger& ledger = context_.ledger;
  const std::vector<uint8_t>& alive = context_.tables.nodes.alive;
  if (alive.size() > kFewNodes) return false;
  const auto request = context_.tables.classes.initial_request.row(c);
  for (NodeIndex n = 0; n < alive.size(); ++n) {
    if (!alive[n]) continue;
    bool lacks = false;
    for (DimensionIndex d = 0; d < request.size() && !lacks; ++d) {
      if (d == kPods || request[d] <= 0) continue;
      // A request may exceed what is there by less than this.
      const int64_t needed = request[d] - ledger.accounting().least.of(d);
      lacks = needed > std::max(ledger.node(n, kIdle)[d], ledger.future_idle(n, d));
    }
    if (!lacks) return false;
  }
  return true;
}

bool FairFill::HasNode(TaskIndex task) {
  const auto [at, added] = has_node_.try_emplace(context_.ClassOf(task), false);
  if (added) {
    at->second = context_.search.Best(task, Want::kNow) != kNone ||
                 context_.search.Best(task, Want::kLater) != kNone;
  }
  return at->second;
}

// Promises a start to the first job of a queue and priority that has waited too long, before others
// take what it needs. Where all that wait are of one queue and priority, that job is in front
// anyway.
void FairFill::PromiseOldest() {
  if (!several_queues_ && !several_priorities_) return;
  std::vector<JobIndex> jobs;
  for (const Turns& turns : turns_) {
    if (turns.last != kNone) jobs.push_back(turns.last);
  }
  const JobIndex oldest = OldestOf(jobs);
  if (oldest != kNone) PromiseStart(oldest, SheetOf(oldest), /*tried=*/false);
}

JobIndex FairFill::OldestOf(const std::vector<JobIndex>& jobs) const {
  const auto is_old = [this](JobIndex job) { return promises_.IsOld(job); };
  if (std::none_of(jobs.begin(), jobs.end(), is_old)) return kNone;
  const Dispatcher& dispatcher = context_.dispatcher;
  const JobTable& table = context_.tables.jobs;
  HashMap<std::pair<uint32_t, int64_t>, JobIndex> firsts;
  for (const JobIndex job : jobs) {
    const std::pair<uint32_t, int64_t> kind(table.queue[job], table.spec[job].priority);
    const auto [at, added] = firsts.try_emplace(kind, job);
    if (!added && dispatcher.JobBefore(job, at->second)) at->second = job;
  }
  if (firsts.size() < 2) return kNone;
  const auto came_before = [&](JobIndex a, JobIndex b) {
    const int64_t created = table.spec[a].created, other = table.spec[b].created;
    return created != other ? created < other : dispatcher.JobBefore(a, b);
  };
  JobIndex oldest = kNone;
  for (const auto& [kind, job] : firsts) {
    if (!promises_.IsOld(job) || dispatcher.Pipelined(job)) continue;
    if (oldest == kNone || came_before(job, oldest)) oldest = job;
  }
  return oldest;
}

bool FairFill::HasSettled() {
  if (context_.reasons.wanted() || context_.meter.ended()) return false;
  if (context_.decisions.list().empty()) return false;  // no cycle follows
  if (context_.search.samples() || promises_.keeps()) return false;
  const FairLines& lines = context_.memory<FairKnown>().lines();
  std::vector<JobIndex> first;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].jobs.empty()) continue;
    const ClassIndex c = lines[i].key.task_class;
    if (lines[i].is_single() || context_.search.FitDependsOnOthers(c) || context_.search.Picks(c)) {
      return false;
    }
    first.push_back(lines[i].jobs.front());
  }
  return lines.gates_keep() && (!promises_.refused() || WouldPromiseAlike(first));
}

bool FairFill::WouldPromiseAlike(const std::vector<JobIndex>& first) {
  const JobIndex holder = promises_.Holder();
  if (holder == kNone || promises_.made() != 1 || context_.dispatcher.NotesTurns()) return false;
  JobIndex job = OldestOf(first);
  if (job == kNone) {
    QueueTreeWalk walk(context_);
    for (const JobIndex j : first) walk.Add(j);
    job = walk.Next();
  }
  return job == holder &&
         promises_.ComeAlike([&] { PromiseStart(job, SheetOf(job), /*tried=*/true); });
}

}  // namespace muster
