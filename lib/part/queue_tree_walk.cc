// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/queue_tree_walk.h"

#include <algorithm>

namespace muster {

QueueTreeWalk::QueueTreeWalk(const ActionContext& context)
    : tables_(context.tables),
      dispatcher_(context.dispatcher),
      root_(static_cast<QueueIndex>(context.tables.queues.alive.size())),
      place_(root_, 0),
      jobs_(root_),
      epoch_(context.dispatcher.QueueOrderEpoch()) {
  dispatcher_.BeginTurns();
  const QueueTable& queues = tables_.queues;
  heaps_.reserve(root_ + 1);
  for (QueueIndex q = 0; q < root_; ++q) {
    heaps_.emplace_back(ChildBefore{&dispatcher_, &queues.children[q]});
    if (!queues.alive[q]) continue;
    if (queues.parent[q] == kNone) {
      place_[q] = static_cast<uint32_t>(roots_.size());
      roots_.push_back(q);
    }
    for (size_t i = 0; i < queues.children[q].size(); ++i) {
      place_[queues.children[q][i]] = static_cast<uint32_t>(i);
    }
  }
  heaps_.emplace_back(ChildBefore{&dispatcher_, &roots_});
}

void QueueTreeWalk::PushJob(QueueIndex queue, JobIndex job) {
  std::vector<JobIndex>& jobs = jobs_[queue];
  jobs.push_back(job);
  std::push_heap(jobs.begin(), jobs.end(),
                 [this](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(b, a); });
}

void QueueTreeWalk::Add(JobIndex job) {
  const QueueIndex queue = tables_.jobs.queue[job];
  PushJob(queue, job);
  if (Family(queue).Contains(place_[queue])) return;
  for (QueueIndex q = queue; q != kNone; q = tables_.queues.parent[q]) {
    if (Family(q).Contains(place_[q])) {
      Family(q).Update(place_[q]);
    } else {
      dispatcher_.SetInLine(q, true);
      Family(q).Push(place_[q]);
    }
  }
}

JobIndex QueueTreeWalk::Next() {
  if (heaps_[root_].empty()) return kNone;
  QueueIndex queue = roots_[heaps_[root_].Top()];
  while (jobs_[queue].empty()) queue = tables_.queues.children[queue][heaps_[queue].Top()];
  std::vector<JobIndex>& jobs = jobs_[queue];
  std::pop_heap(jobs.begin(), jobs.end(),
                [this](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(b, a); });
  const JobIndex job = jobs.back();
  jobs.pop_back();
  dispatcher_.NoteTurn(job);
  return job;
}

void QueueTreeWalk::Done(JobIndex job, bool again) {
  const QueueIndex queue = tables_.jobs.queue[job];
  if (again) PushJob(queue, job);
  for (QueueIndex q = queue; q != kNone; q = tables_.queues.parent[q]) {
    if (Waits(q)) {
      Family(q).Update(place_[q]);
    } else {
      dispatcher_.SetInLine(q, false);
      Family(q).Remove(place_[q]);
    }
  }
  if (const uint64_t epoch = dispatcher_.QueueOrderEpoch(); epoch != epoch_) {
    epoch_ = epoch;
    for (QueueIndex parent = 0; parent <= root_; ++parent) Rebuild(parent);
  }
}

void QueueTreeWalk::Rebuild(QueueIndex parent) {
  if (heaps_[parent].empty()) return;
  heaps_[parent].Clear();
  for (QueueIndex child : parent == root_ ? roots_ : tables_.queues.children[parent]) {
    if (Waits(child)) heaps_[parent].Push(place_[child]);
  }
}

void QueueTreeWalk::Resort(std::span<const QueueIndex> changed) {
  std::vector<QueueIndex> parents;
  for (QueueIndex queue : changed) {
    std::make_heap(jobs_[queue].begin(), jobs_[queue].end(),
                   [this](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(b, a); });
    for (QueueIndex q = queue; q != kNone;) {
      q = tables_.queues.parent[q];
      parents.push_back(q == kNone ? root_ : q);
    }
  }
  std::sort(parents.begin(), parents.end());
  parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  for (QueueIndex parent : parents) Rebuild(parent);
}

}  // namespace muster
