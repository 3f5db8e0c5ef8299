// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/kept_victims.h"

#include <algorithm>
#include <utility>

#include "lib/base/go_sort.h"

namespace muster {

void KeptVictims::Split(JobIndex job) {
  OfJob& kept = of_job_[job];
  kept.spared.clear();
  kept.rest.clear();
  kept.promised = context_.ledger.job(job).promised;
  kept.places.clear();
  for (TaskIndex t : context_.tables.jobs.tasks[job]) {
    kept.places.push_back({context_.ledger.status(t), context_.ledger.node_of(t)});
  }
  const Domains& domains = context_.domains;
  std::vector<TaskIndex> tasks;
  for (TaskIndex t : context_.tables.jobs.tasks[job]) {
    if (rules_.MayGo(t) && domains.Holds(domains.root(), context_.ledger.node_of(t))) {
      tasks.push_back(t);
    }
  }
  if (tasks.empty()) return;
  std::vector<VictimSet> sets;
  AddVictimSets(context_, job, std::move(tasks), &sets);
  for (VictimSet& set : sets) (set.whole ? kept.rest : kept.spared) = std::move(set.tasks);
}

// Returns whether some task of the job is not as it was when the job was split.
bool KeptVictims::Moved(JobIndex job) const {
  const Ledger& ledger = context_.ledger;
  if (ledger.job(job).promised != of_job_[job].promised) return true;
  return !std::ranges::equal(context_.tables.jobs.tasks[job], of_job_[job].places,
                             [&](TaskIndex t, const Place& place) {
                               return Place{ledger.status(t), ledger.node_of(t)} == place;
                             });
}

// Brings the sets of jobs with tasks that moved up to date, and their places.
void KeptVictims::Follow() {
  const JobTable& jobs = context_.tables.jobs;
  const auto journal = context_.ledger.job_journal();
  std::vector<JobIndex> changed;
  const auto note = [&](JobIndex j) {
    if (!std::exchange(of_job_[j].changed, true)) changed.push_back(j);
  };
  if (of_job_.empty()) {
    of_job_.resize(jobs.alive.size());
    in_queue_.resize(context_.tables.queues.alive.size());
    for (JobIndex j = 0; j < of_job_.size(); ++j) {
      if (jobs.alive[j]) note(j);
    }
  } else {
    for (JobIndex j : turns_) note(j);
    for (size_t p = position_; p < journal.size(); ++p) {
      const JobIndex j = journal[p];
      const bool again = p > position_ && journal[p - 1] == j;
      if (!again && !of_job_[j].changed && Moved(j)) note(j);
    }
  }
  turns_.clear();
  position_ = journal.size();
  std::sort(changed.begin(), changed.end(), [&](JobIndex a, JobIndex b) {
    return jobs.queue[a] != jobs.queue[b] ? jobs.queue[a] < jobs.queue[b] : a < b;
  });
  for (size_t i = 0; i < changed.size();) {
    const QueueIndex queue = jobs.queue[changed[i]];
    std::vector<JobIndex> of_queue;
    for (; i < changed.size() && jobs.queue[changed[i]] == queue; ++i) {
      of_queue.push_back(changed[i]);
    }
    PutIn(std::move(of_queue), &in_queue_[queue]);
  }
}

// The others are still sorted. Places are found by bisection, and all are taken in one pass.
void KeptVictims::PutIn(std::vector<JobIndex> changed, std::vector<JobIndex>* list) {
  const auto before = [&](JobIndex a, JobIndex b) { return rules_.JobBefore(a, b); };
  std::erase_if(*list, [&](JobIndex j) { return of_job_[j].changed; });
  for (JobIndex j : changed) {
    Split(j);
    of_job_[j].changed = false;
  }
  std::erase_if(changed,
                [&](JobIndex j) { return of_job_[j].spared.empty() && of_job_[j].rest.empty(); });
  GoSort(changed, before);
  std::vector<JobIndex> all;
  all.reserve(list->size() + changed.size());
  auto from = list->begin();
  for (JobIndex j : changed) {
    const auto place =
        std::partition_point(from, list->end(), [&](JobIndex other) { return before(other, j); });
    all.insert(all.end(), from, place);
    all.push_back(j);
    from = place;
  }
  all.insert(all.end(), from, list->end());
  list->swap(all);
}

std::vector<QueueIndex> KeptVictims::QueuesFor(JobIndex job) const {
  const QueueIndex own = context_.tables.jobs.queue[job];
  if (!rules_.from_other_queues()) return {own};
  std::vector<QueueIndex> queues;
  for (QueueIndex q = 0; q < in_queue_.size(); ++q) {
    if (!in_queue_[q].empty() && rules_.MayTakeFrom(job, in_queue_[q][0])) queues.push_back(q);
  }
  GoSort(queues, [&](QueueIndex a, QueueIndex b) {
    return context_.dispatcher.VictimQueueBefore(a, b, own);
  });
  return queues;
}

void KeptVictims::AddSets(JobIndex job, QueueIndex queue, bool whole, std::span<const int64_t> need,
                          size_t limit, std::vector<VictimSet>* sets) const {
  const bool by_worth = whole && rules_.from_other_queues();
  std::vector<VictimSet> found;
  for (JobIndex other : in_queue_[queue]) {
    if (!by_worth && sets->size() + found.size() >= limit) break;
    const std::vector<TaskIndex>& tasks = whole ? of_job_[other].rest : of_job_[other].spared;
    if (tasks.empty() || !rules_.MayTakeFrom(job, other)) continue;
    found.push_back({whole, other, tasks, 0});
    if (by_worth) found.back().worth = WorthOf(context_, found.back(), need);
  }
  if (by_worth) {
    GoSort(found, [&](const VictimSet& a, const VictimSet& b) { return rules_.Before(job, a, b); });
  }
  for (VictimSet& set : found) {
    if (sets->size() < limit) sets->push_back(std::move(set));
  }
}

std::vector<VictimSet> KeptVictims::First(JobIndex job, std::span<const int64_t> need,
                                          size_t limit) {
  Follow();
  const std::vector<QueueIndex> queues = QueuesFor(job);
  std::vector<VictimSet> sets;
  for (bool whole : {false, true}) {
    for (QueueIndex queue : queues) {
      if (sets.size() < limit) AddSets(job, queue, whole, need, limit, &sets);
    }
  }
  return sets;
}

}  // namespace muster
