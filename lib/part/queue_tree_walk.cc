// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/queue_tree_walk.h"

#include <algorithm>

namespace muster {

QueueTreeWalk::QueueTreeWalk(const ActionContext& context)
    : tables_(context.tables),
      dispatcher_(context.dispatcher),
      ledger_(context.ledger),
      by_turn_(context.dispatcher.OrdersByTurn()),
      root_(static_cast<QueueIndex>(context.tables.queues.alive.size())),
      place_(root_, 0),
      heap_of_(root_ + 1, 0),
      jobs_(root_),
      epoch_(context.dispatcher.QueueOrderEpoch()) {
  dispatcher_.BeginTurns();
  const QueueTable& queues = tables_.queues;
  // Most queues are leaves, and need no heap of their own.
  heaps_.emplace_back(ChildBefore{this, nullptr});
  const auto add_heap = [&](QueueIndex parent, const std::vector<QueueIndex>& children) {
    heap_of_[parent] = static_cast<uint32_t>(heaps_.size());
    heaps_.emplace_back(ChildBefore{this, &children});
  };
  for (QueueIndex q = 0; q < root_; ++q) {
    if (!queues.alive[q]) continue;
    if (!queues.children[q].empty()) add_heap(q, queues.children[q]);
    if (queues.parent[q] == kNone) {
      place_[q] = static_cast<uint32_t>(roots_.size());
      roots_.push_back(q);
    }
    for (size_t i = 0; i < queues.children[q].size(); ++i) {
      place_[queues.children[q][i]] = static_cast<uint32_t>(i);
    }
  }
  add_heap(root_, roots_);
  if (by_turn_) OpenBooks();
}

// Most walks end without a question about levels.
void QueueTreeWalk::NumberLevels() {
  if (!levels_.empty()) return;
  levels_.push_back(root_);
  levels_.insert(levels_.end(), roots_.begin(), roots_.end());
  for (size_t i = 1; i < levels_.size(); ++i) {
    const std::vector<QueueIndex>& children = tables_.queues.children[levels_[i]];
    levels_.insert(levels_.end(), children.begin(), children.end());
  }
  level_place_.assign(root_ + 1, 0);
  for (size_t i = 0; i < levels_.size(); ++i) level_place_[levels_[i]] = static_cast<uint32_t>(i);
}

void QueueTreeWalk::OpenBooks() {
  NumberLevels();
  const size_t dimensions = tables_.dimension_count();
  books_.turns.assign(root_, 0);
  books_.opening.assign(root_ * dimensions, 0);
  books_.held = books_.own = books_.opening;
  for (size_t i = levels_.size() - 1; i > 0; --i) {
    const QueueIndex queue = levels_[i], parent = tables_.queues.parent[queue];
    const std::span<const int64_t> opening = dispatcher_.OpeningOf(queue);
    const std::span<const int64_t> own = ledger_.queue_allocated(queue);
    for (size_t d = 0; d < dimensions; ++d) {
      const size_t cell = queue * dimensions + d;
      books_.own[cell] = own[d];
      books_.opening[cell] += opening[d];
      books_.held[cell] += own[d];
      if (parent == kNone) continue;
      books_.opening[parent * dimensions + d] += books_.opening[cell];
      books_.held[parent * dimensions + d] += books_.held[cell];
    }
  }
}

void QueueTreeWalk::FollowLedger(QueueIndex queue) {
  const size_t dimensions = tables_.dimension_count();
  const std::span<const int64_t> now = ledger_.queue_allocated(queue);
  for (size_t d = 0; d < dimensions; ++d) {
    int64_t& own = books_.own[queue * dimensions + d];
    const int64_t more = now[d] - own;
    if (more == 0) continue;
    own = now[d];
    for (QueueIndex q = queue; q != kNone; q = tables_.queues.parent[q]) {
      books_.held[q * dimensions + d] += more;
    }
  }
}

QueueTurn QueueTreeWalk::TurnOf(QueueIndex queue) const {
  const size_t dimensions = tables_.dimension_count();
  QueueTurn turn;
  turn.queue = queue;
  turn.head = HeadOf(queue);
  turn.turns = books_.turns[queue];
  turn.opening = std::span(books_.opening).subspan(queue * dimensions, dimensions);
  turn.held = std::span(books_.held).subspan(queue * dimensions, dimensions);
  return turn;
}

JobIndex QueueTreeWalk::HeadOf(QueueIndex queue) const {
  while (jobs_[queue].empty()) {
    if (Below(queue).empty()) return kNone;
    queue = tables_.queues.children[queue][Below(queue).Top()];
  }
  return jobs_[queue].front();
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
  if (!by_turn_ && Family(queue).Contains(place_[queue])) return;
  for (QueueIndex q = queue; q != kNone; q = tables_.queues.parent[q]) {
    if (Family(q).Contains(place_[q])) {
      Family(q).Update(place_[q]);
    } else {
      dispatcher_.SetInLine(q, true);
      Family(q).Push(place_[q]);
    }
  }
}

void QueueTreeWalk::LeaveOut(absl::FunctionRef<bool(JobIndex)> idle) {
  const auto after = [this](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(b, a); };
  for (std::vector<JobIndex>& jobs : jobs_) {
    const auto out =
        std::partition(jobs.begin(), jobs.end(), [&](JobIndex job) { return !idle(job); });
    if (out == jobs.end()) continue;
    // Where none but idle jobs wait, their turns would follow each other, and one stands for all.
    if (out != jobs.begin()) std::iter_swap(out, std::min_element(out, jobs.end(), after));
    jobs.erase(out + 1, jobs.end());
    std::make_heap(jobs.begin(), jobs.end(), after);
  }
}

JobIndex QueueTreeWalk::Next() {
  if (Below(root_).empty()) return kNone;
  QueueIndex queue = roots_[Below(root_).Top()];
  while (jobs_[queue].empty()) queue = tables_.queues.children[queue][Below(queue).Top()];
  std::vector<JobIndex>& jobs = jobs_[queue];
  std::pop_heap(jobs.begin(), jobs.end(),
                [this](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(b, a); });
  const JobIndex job = jobs.back();
  jobs.pop_back();
  dispatcher_.NoteTurn(job);
  if (by_turn_) {
    for (QueueIndex q = queue; q != kNone; q = tables_.queues.parent[q]) ++books_.turns[q];
  }
  return job;
}

void QueueTreeWalk::Done(JobIndex job, bool again) {
  const QueueIndex queue = tables_.jobs.queue[job];
  if (again) PushJob(queue, job);
  if (by_turn_) FollowLedger(queue);
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
    NumberLevels();
    for (size_t i = levels_.size(); i > 0; --i) Rebuild(levels_[i - 1]);
  }
}

void QueueTreeWalk::Rebuild(QueueIndex parent) {
  Heap& heap = Below(parent);
  if (heap.empty()) return;
  heap.Clear();
  for (QueueIndex child : parent == root_ ? roots_ : tables_.queues.children[parent]) {
    if (Waits(child)) heap.Push(place_[child]);
  }
}

void QueueTreeWalk::Resort(std::span<const QueueIndex> changed) {
  std::vector<QueueIndex> queues(changed.begin(), changed.end()), parents;
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (QueueIndex queue : queues) {
    if (by_turn_) FollowLedger(queue);
    // A change rarely reorders jobs, and to look costs half as much as to order them again.
    const auto after = [this](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(b, a); };
    std::vector<JobIndex>& jobs = jobs_[queue];
    if (!std::is_heap(jobs.begin(), jobs.end(), after)) {
      std::make_heap(jobs.begin(), jobs.end(), after);
    }
    for (QueueIndex q = queue; q != kNone;) {
      q = tables_.queues.parent[q];
      parents.push_back(q == kNone ? root_ : q);
    }
  }
  // The lowest first: what a queue's head is depends on the heaps below it.
  NumberLevels();
  std::sort(parents.begin(), parents.end(),
            [this](QueueIndex a, QueueIndex b) { return level_place_[a] > level_place_[b]; });
  parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  for (QueueIndex parent : parents) Rebuild(parent);
}

}  // namespace muster
