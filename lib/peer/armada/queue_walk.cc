// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/queue_walk.h"

#include <utility>

namespace muster::armada {

QueueWalk::QueueWalk(const WalkWorld& world, int context, const Limits& limits)
    : world_(&world), context_(context), limits_(limits), single_(1) {}

int QueueWalk::NextJob() {
  const bool has_evicted = next_evicted_ < evicted_.size();
  const bool has_queued = queued_ != nullptr && !only_evicted_ && next_queued_ < queued_->size();
  if (has_evicted && has_queued && !world_->market_ranks.empty()) {
    const std::vector<int>& ranks = world_->market_ranks;
    const int evicted = evicted_[next_evicted_], queued = (*queued_)[next_queued_];
    if (ranks[static_cast<size_t>(queued)] < ranks[static_cast<size_t>(evicted)]) {
      ++next_queued_;
      return queued;
    }
  }
  if (has_evicted) return evicted_[next_evicted_++];
  return has_queued ? (*queued_)[next_queued_++] : -1;
}

bool QueueWalk::SkipsUnfeasible(int job) const {
  const JobContext& context = world_->contexts[static_cast<size_t>(job)];
  // A job that is bound to its node is not like others of its shape.
  if (!limits_.skip_unfeasible || context.own_node >= 0) return false;
  const auto shape = static_cast<size_t>(world_->tables.state.jobs[static_cast<size_t>(job)].shape);
  return world_->unfeasible[shape] != Reason::kNone;
}

absl::StatusOr<const Candidate*> QueueWalk::Peek() {
  while (!has_next_) {
    if (limits_.lookback != 0 && !only_evicted_ && seen_ >= limits_.lookback) OnlyYieldEvicted();
    const int job = NextJob();
    if (job < 0) return nullptr;
    JobContext& context = world_->contexts[static_cast<size_t>(job)];
    if (!context.evicted) ++seen_;
    if (SkipsUnfeasible(job)) {
      const auto shape =
          static_cast<size_t>(world_->tables.state.jobs[static_cast<size_t>(job)].shape);
      context.reason = world_->unfeasible[shape];
      if (absl::Status status = world_->accounts.Add(job); !status.ok()) return status;
      continue;
    }
    has_next_ = Collect(job);
  }
  return &next_;
}

bool QueueWalk::Collect(int job) {
  const int gang = world_->tables.gang(job);
  if (gang < 0) {
    single_[0] = job;
    Yield(single_);
    return true;
  }
  std::vector<int>& jobs = incomplete_[gang];
  jobs.push_back(job);
  const int cardinality = world_->contexts[static_cast<size_t>(job)].cardinality;
  if (static_cast<int>(jobs.size()) != cardinality) return false;
  Yield(jobs);
  incomplete_.erase(gang);
  return true;
}

void QueueWalk::Yield(const std::vector<int>& jobs) {
  const Tables& tables = world_->tables;
  next_.jobs.assign(jobs.begin(), jobs.end());
  next_.requests.assign(tables.dimensions, 0);
  next_.all_evicted = true;
  next_.asks_floating = false;
  for (const int job : jobs) {
    const int64_t* requests = tables.requests(job);
    for (size_t r = 0; r < tables.dimensions; ++r) next_.requests[r] += requests[r];
    next_.all_evicted = next_.all_evicted && world_->contexts[static_cast<size_t>(job)].evicted;
    next_.asks_floating = next_.asks_floating || tables.asks_floating(job);
  }
}

void QueueWalk::OnlyYieldEvicted() {
  if (only_evicted_) return;
  only_evicted_ = true;
  if (!has_next_ || next_.all_evicted) return;
  std::swap(stash_, next_);
  has_stash_ = true;
  has_next_ = false;
}

void QueueWalk::ResumeNew() {
  if (!only_evicted_) return;
  only_evicted_ = false;
  has_next_ = has_stash_;
  if (has_stash_) std::swap(next_, stash_);
  has_stash_ = false;
}

}  // namespace muster::armada
