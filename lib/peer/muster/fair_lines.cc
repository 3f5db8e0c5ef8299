// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/muster/fair_lines.h"

#include <algorithm>
#include <limits>
#include <span>

#include "lib/base/go_sort.h"
#include "lib/extension/gate_keep.h"
#include "lib/peer/muster/fair_gang.h"

namespace muster {
namespace {

// Returns what the policies promise that order jobs or tell whether they are valid; none: some of
// them promises nothing.
std::optional<std::vector<const JobKeep*>> JobKeepsOf(const Dispatcher& dispatcher) {
  std::vector<const JobKeep*> keeps;
  for (const Point point : {Point::kJobOrder, Point::kValid}) {
    for (const PolicyEntry* entry : dispatcher.at(point)) {
      keeps.push_back(dynamic_cast<const JobKeep*>(entry->policy));
      if (keeps.back() == nullptr) return std::nullopt;
    }
  }
  return keeps;
}

bool AllGatesKeep(const Dispatcher& dispatcher) {
  for (const Point point :
       {Point::kAllocatable, Point::kPreemptive, Point::kValid, Point::kReady, Point::kPipelined}) {
    for (const PolicyEntry* entry : dispatcher.at(point)) {
      if (dynamic_cast<const GateKeep*>(entry->policy) == nullptr) return false;
    }
  }
  return true;
}

}  // namespace

void FairLines::Open(const Dispatcher& dispatcher) {
  // A session has the same policies in all of its cycles.
  if (!gates_keep_) {
    gates_keep_ = AllGatesKeep(dispatcher);
    job_keeps_ = JobKeepsOf(dispatcher);
  }
  if (!job_keeps_) {
    birth_ = 0;
    return;
  }
  uint64_t epoch = 0;
  for (const JobKeep* keep : *job_keeps_) epoch += keep->JobEpoch();
  if (epoch != epoch_) birth_ = 0;
  epoch_ = epoch;
}

void FairLines::Follow(const ActionContext& context) {
  const Ledger& ledger = context.ledger;
  const std::span<const JobIndex> journal = ledger.job_journal();
  const bool known = std::exchange(birth_, 0) == ledger.birth();
  const size_t from = std::exchange(position_, journal.size());
  if (known && from == journal.size()) {
    birth_ = ledger.birth();
    return;
  }
  const JobTable& jobs = context.tables.jobs;
  if (!known) Clear();
  line_of_.resize(jobs.alive.size(), kNone);
  created_.resize(jobs.alive.size(), 0);
  ends_.resize(jobs.alive.size(), 0);
  marks_.resize(jobs.alive.size(), 0);
  least_priority_.resize(context.tables.queues.alive.size(), std::numeric_limits<int64_t>::max());
  const auto follow = [&](JobIndex job) {
    Remove(job);
    if (!jobs.alive[job]) return;
    int64_t& least = least_priority_[jobs.queue[job]];
    least = std::min<int64_t>(least, jobs.spec[job].priority);
    Put(context, job);
  };
  if (known) {
    const std::vector<JobIndex> changed(journal.begin() + static_cast<std::ptrdiff_t>(from),
                                        journal.end());
    for (const JobIndex job : changed) {
      if (std::exchange(marks_[job], 1) == 0) follow(job);
    }
    for (const JobIndex job : changed) marks_[job] = 0;
  } else {
    for (JobIndex job = 0; job < jobs.alive.size(); ++job) follow(job);
  }
  Sort(context.dispatcher);
  birth_ = ledger.birth();
}

void FairLines::Clear() {
  lines_.clear();
  free_.clear();
  by_key_.clear();
  line_of_.clear();
  ends_.clear();
  ending_ = 0;
  nominated_.clear();
  least_priority_.clear();
  unsorted_.clear();
  marks_.clear();
}

// Puts the job into the line where it belongs, if it waits.
void FairLines::Put(const ActionContext& context, JobIndex job) {
  const JobCounts& counts = context.ledger.job(job);
  if (counts.pending() == 0 || !context.dispatcher.Valid(job)) return;
  const std::vector<TaskIndex> tasks = context.PendingSet(job, /*with_best_effort=*/true);
  if (tasks.empty()) return;
  const auto is_nominated = [&](TaskIndex t) { return context.tables.tasks.nominated[t] != kNone; };
  const bool nominated = std::any_of(tasks.begin(), tasks.end(), is_nominated);
  if (nominated) {
    nominated_.insert(std::upper_bound(nominated_.begin(), nominated_.end(), job), job);
  }
  const JobSpec& spec = context.tables.jobs.spec[job];
  const FairGang gang(context, job);
  const ClassIndex c = context.ClassOf(tasks.front());
  Key key;
  key.queue = context.tables.jobs.queue[job];
  if (nominated || gang.has_group_needs() || context.domains.Concerns(job) ||
      counts.allocated() > 0 || counts.nominated() > 0 ||
      counts.pending() != static_cast<int64_t>(tasks.size()) ||
      !std::all_of(tasks.begin(), tasks.end(),
                   [&](TaskIndex t) { return context.ClassOf(t) == c; })) {
    key.single = job;
  } else {
    key.task_class = c;
    key.priority = spec.priority;
    key.tasks = counts.pending();
    key.lacking = gang.needed() - gang.placed();
    key.run = RunOf(spec);
  }
  const auto [at, added] = by_key_.try_emplace(key, static_cast<uint32_t>(lines_.size()));
  if (added && !free_.empty()) {
    at->second = free_.back();
    free_.pop_back();
  } else if (added) {
    lines_.emplace_back();
  }
  Line& line = lines_[at->second];
  if (added) line.key = key;
  if (line.sorted == line.jobs.size()) unsorted_.push_back(at->second);
  line.jobs.push_back(job);
  created_[job] = spec.created;
  ends_[job] = spec.estimate || spec.lifetime;
  ending_ += ends_[job];
  const bool is_older = line.oldest != kNone && spec.created < created_[line.oldest];
  if (is_older || line.jobs.size() == 1) line.oldest = job;
  line_of_[job] = at->second;
}

void FairLines::Remove(JobIndex job) {
  const uint32_t number = std::exchange(line_of_[job], kNone);
  if (number == kNone) return;
  ending_ -= std::exchange(ends_[job], 0);
  const auto nominated = std::lower_bound(nominated_.begin(), nominated_.end(), job);
  if (nominated != nominated_.end() && *nominated == job) nominated_.erase(nominated);
  Line& line = lines_[number];
  const auto at = std::find(line.jobs.begin(), line.jobs.end(), job);
  line.sorted -= at - line.jobs.begin() < static_cast<std::ptrdiff_t>(line.sorted);
  line.jobs.erase(at);
  if (line.oldest == job) line.oldest = kNone;
  if (!line.jobs.empty()) return;
  by_key_.erase(line.key);
  free_.push_back(number);
}

JobIndex FairLines::OldestOf(size_t number) {
  Line& line = lines_[number];
  if (line.oldest == kNone) {
    line.oldest =
        *std::min_element(line.jobs.begin(), line.jobs.end(),
                          [this](JobIndex a, JobIndex b) { return created_[a] < created_[b]; });
  }
  return line.oldest;
}

void FairLines::Sort(const Dispatcher& dispatcher) {
  const auto before = [&](JobIndex a, JobIndex b) { return dispatcher.JobBefore(a, b); };
  for (const uint32_t number : unsorted_) {
    Line& line = lines_[number];
    const auto first = line.jobs.begin() + static_cast<std::ptrdiff_t>(line.sorted);
    if (line.jobs.end() - first == 1) {  // most often: a search asks less than a merge
      std::rotate(std::upper_bound(line.jobs.begin(), first, *first, before), first,
                  line.jobs.end());
    } else {
      // A policy of the caller may answer anything, and std::sort then leaves the list.
      std::span<JobIndex> added = std::span(line.jobs).subspan(line.sorted);
      GoSort(added, before);
      std::inplace_merge(line.jobs.begin(), first, line.jobs.end(), before);
    }
    line.sorted = line.jobs.size();
  }
  unsorted_.clear();
}

FairKnown::FairKnown(ActionContext& context) : context_(context) {
  if (context.kept == nullptr) {
    own_ = std::make_unique<FairKept>();
    kept_ = own_.get();
  } else {
    if (*context.kept == nullptr) *context.kept = std::make_unique<FairKept>();
    kept_ = static_cast<FairKept*>(context.kept->get());
  }
  kept_->settled = 0;
  kept_->lines.Open(context.dispatcher);
}

}  // namespace muster
