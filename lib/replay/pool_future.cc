// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/pool_future.h"

#include <algorithm>
#include <utility>

#include "lib/base/math.h"

namespace muster {
namespace {

Trace EmptyPool(int64_t processors) {
  Trace trace;
  trace.processors = processors;
  return trace;
}

}  // namespace

int64_t NextGuess(int64_t estimate, int64_t cap) {
  return std::min(cap, SatAdd(estimate, std::max<int64_t>(60, estimate / 4)));
}

PoolFuture::PoolFuture(int64_t processors, const BatchSpec& spec, int64_t now,
                       const std::vector<FutureJob>& jobs, std::function<FutureArrival()> arrivals)
    : rows_(EmptyPool(processors)), pool_(rows_), arrivals_(std::move(arrivals)) {
  policy_ = MakePoolPolicy(&pool_, spec, &result_);
  Enter(jobs, now, spec.policy != BatchPolicy::kEasy || spec.promises_first());
  next_ = arrivals_();
}

uint32_t PoolFuture::Add(const FutureJob& job) {
  const auto row = static_cast<uint32_t>(rows_.tasks.size());
  rows_.tasks.push_back(static_cast<uint32_t>(job.processors));
  rows_.run.push_back(job.run);
  cap_.push_back(job.cap);
  released_.push_back(0);
  pool_.start_.push_back(job.start);
  pool_.estimate_.push_back(job.estimate);
  pool_.key_.push_back(job.key);
  result_.backfilled.push_back(0);
  return row;
}

// Jobs that wait enter in the order of the policy where its first is the head: nothing that they
// hold back starts before they are there.
void PoolFuture::Enter(const std::vector<FutureJob>& jobs, int64_t now, bool by_key) {
  pool_.now_ = now;
  std::vector<uint32_t> waiting;
  for (const FutureJob& job : jobs) {
    const uint32_t row = Add(job);
    if (job.start == kAbsent) {
      waiting.push_back(row);
      continue;
    }
    pool_.free_ -= job.processors;
    pool_.running_.Insert({pool_.estimated_end(row), row, row, job.processors, 0});
    pool_.terminations_.push({job.start + job.run, pool_.starts_++, row});
    WatchEstimate(row);
  }
  given_ = static_cast<uint32_t>(jobs.size());
  waiting_ = static_cast<uint32_t>(waiting.size());
  if (by_key) {
    std::stable_sort(waiting.begin(), waiting.end(),
                     [this](uint32_t a, uint32_t b) { return pool_.key_[a] < pool_.key_[b]; });
  }
  ReleaseByEstimate();
  policy_->Resumed();
  for (const uint32_t row : waiting) policy_->Submitted(row);
  NoteStarts();
}

int64_t PoolFuture::Play(uint32_t target, int64_t most_events) {
  int64_t events = 0;
  const auto over = [&] {
    return target == kNone ? waiting_ == 0 : pool_.start_[target] != kAbsent;
  };
  for (; !over() && events < most_events; ++events) {
    const int64_t correction = corrections_.empty() ? kNever : corrections_.top().time;
    const int64_t termination =
        pool_.terminations_.empty() ? kNever : pool_.terminations_.top().time;
    const int64_t now = std::min({correction, next_.time, termination});
    if (now == kNever) break;
    pool_.now_ = now;
    if (correction == now) {
      Correct();
      continue;
    }
    ReleaseByEstimate();
    if (next_.time == now) {
      Arrive();
    } else {
      Terminate();
    }
    NoteStarts();
  }
  return events;
}

void PoolFuture::Arrive() {
  const uint32_t row = Add(next_.job);
  policy_->Submitted(row);
  next_ = arrivals_();
}

void PoolFuture::Terminate() {
  const uint32_t job = pool_.terminations_.top().job;
  pool_.terminations_.pop();
  if (!released_[job]) Release(job);
  policy_->Terminated(job);
}

void PoolFuture::ReleaseByEstimate() {
  while (!pool_.running_.empty() && pool_.running_.front().key <= pool_.now()) {
    Release(pool_.running_.front().job);
  }
}

void PoolFuture::Release(uint32_t job) {
  released_[job] = 1;
  pool_.running_.Remove(pool_.estimated_end(job), job);
  pool_.free_ += pool_.size(job);
  policy_->Released(job);
}

void PoolFuture::Correct() {
  const uint32_t job = corrections_.top().job;
  corrections_.pop();
  if (released_[job]) return;
  const int64_t before = pool_.estimated_end(job);
  pool_.running_.Remove(before, job);
  pool_.estimate_[job] = NextGuess(pool_.estimate_[job], cap_[job]);
  pool_.running_.Insert({pool_.estimated_end(job), job, job, pool_.size(job), 0});
  policy_->Corrected(job, before);
  WatchEstimate(job);
}

void PoolFuture::NoteStarts() {
  for (const uint32_t job : pool_.started_) {
    waiting_ -= job < given_;
    WatchEstimate(job);
  }
  pool_.started_.clear();
}

void PoolFuture::WatchEstimate(uint32_t job) {
  if (pool_.estimate_[job] < rows_.run[job] && pool_.estimate_[job] < cap_[job]) {
    corrections_.push({pool_.estimated_end(job), inserted_++, job});
  }
}

}  // namespace muster
