// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The loop over a pool's events.
#include "lib/replay/pool.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace muster {

Pool::Pool(const Trace& trace)
    : trace_(trace),
      processors_(trace.processors),
      free_(trace.processors),
      start_(trace.size(), kAbsent),
      estimate_(trace.size(), 0),
      key_(trace.size(), 0) {}

void Pool::Start(uint32_t job) {
  start_[job] = now_;
  free_ -= size(job);
  running_.Insert({estimated_end(job), job, job, size(job), 0});
  terminations_.push({now_ + trace_.run[job], starts_++, job});
  started_.push_back(job);
}

class PoolLoop {
 public:
  PoolLoop(const Trace& trace, const BatchSpec& spec, const ReplayOptions& options,
           PoolColumns* columns)
      : trace_(trace),
        options_(options),
        columns_(columns),
        arrivals_(trace, options.follow_preceding),
        estimates_(trace, spec.promises_by()),
        order_(spec.order),
        due_(spec.due),
        pool_(trace),
        released_(trace.size(), 0),
        corrections_made_(estimates_.corrects() ? trace.size() : 0, 0) {
    if (spec.orders_by() != spec.promises_by()) order_estimates_.emplace(trace, spec.orders_by());
    const size_t n = trace.size();
    if (columns != nullptr) {
      for (auto* column : {&columns->estimate, &columns->order_estimate, &columns->key}) {
        column->assign(n, 0);
      }
    }
    result_.policy = BatchSpecText(spec);
    result_.processors = trace.processors;
    result_.submit.assign(n, kAbsent);
    result_.end.assign(n, kAbsent);
    result_.outcome.assign(n, JobOutcome::kNotSubmitted);
    policy_ = MakePoolPolicy(&pool_, spec, &result_);
  }

  ReplayResult Run() {
    constexpr int64_t kAskEvery = 4096;
    for (;;) {
      const int64_t correction = corrections_.empty() ? kNever : corrections_.top().time;
      const int64_t termination =
          pool_.terminations_.empty() ? kNever : pool_.terminations_.top().time;
      const int64_t now = std::min({correction, arrivals_.next_time(), termination});
      if (now == kNever || now > options_.until) break;
      if (result_.events % kAskEvery == 0 || pool_.spent_ >= kAskEvery) {
        pool_.spent_ = 0;
        if (options_.progress) options_.progress(now);
        if (options_.should_stop && options_.should_stop()) {
          result_.complete = false;
          break;
        }
      }
      ++result_.events;
      pool_.now_ = now;
      if (correction == now) {
        Correct();
        continue;
      }
      ReleaseByEstimate();
      if (arrivals_.next_time() == now) {
        Submit(arrivals_.Pop());
      } else {
        Terminate();
      }
      NoteStarts();
    }
    result_.start = std::move(pool_.start_);
    return std::move(result_);
  }

 private:
  void Submit(uint32_t job) {
    result_.submit[job] = pool_.now();
    if (pool_.size(job) > pool_.processors()) {
      result_.outcome[job] = JobOutcome::kRefused;
      arrivals_.Refused(job, pool_.now());
      return;
    }
    result_.outcome[job] = JobOutcome::kWaiting;
    pool_.estimate_[job] = estimates_.First(job);
    pool_.key_[job] = KeyOf(job);
    if (columns_ != nullptr) {
      columns_->estimate[job] = pool_.estimate(job);
      columns_->key[job] = pool_.key(job);
    }
    policy_->Submitted(job);
  }

  int64_t KeyOf(uint32_t job) {
    if (order_ == BatchOrder::kDue) return due_.Key(KindOf(job), pool_.now());
    const int64_t estimate = order_estimates_ ? order_estimates_->First(job) : pool_.estimate(job);
    if (columns_ != nullptr) columns_->order_estimate[job] = estimate;
    return OrderKey(order_, {.estimate = estimate,
                             .processors = pool_.size(job),
                             .submit = pool_.now(),
                             .deadline = trace_.deadline.empty() ? kAbsent : trace_.deadline[job]});
  }

  // By the estimate that the user gave; a job without one counts as long.
  RunHistory::Kind KindOf(uint32_t job) const {
    constexpr int64_t kFiveDays = 432000;
    const int64_t estimate = trace_.estimate[job];
    return {.user = trace_.user[job],
            .estimate = estimate == kAbsent ? kFiveDays : estimate,
            .processors = pool_.size(job)};
  }

  void Terminate() {
    const uint32_t job = pool_.terminations_.top().job;
    pool_.terminations_.pop();
    if (!released_[job]) Release(job);
    result_.end[job] = pool_.now();
    result_.outcome[job] = JobOutcome::kDone;
    estimates_.Ended(job);
    if (order_estimates_) order_estimates_->Ended(job);
    if (order_ == BatchOrder::kDue) due_.Ended(KindOf(job), trace_.run[job]);
    arrivals_.Ended(job, pool_.now());
    policy_->Terminated(job);
  }

  void ReleaseByEstimate() {
    while (!pool_.running_.empty() && pool_.running_.front().key <= pool_.now()) {
      Release(pool_.running_.front().job);
    }
  }

  void Release(uint32_t job) {
    released_[job] = 1;
    pool_.running_.Remove(pool_.estimated_end(job), job);
    pool_.free_ += pool_.size(job);
    policy_->Released(job);
  }

  void Correct() {
    const uint32_t job = corrections_.top().job;
    corrections_.pop();
    const int64_t before = pool_.estimated_end(job);
    pool_.running_.Remove(before, job);
    pool_.estimate_[job] =
        estimates_.Corrected(job, pool_.estimate_[job], corrections_made_[job]++);
    pool_.running_.Insert({pool_.estimated_end(job), job, job, pool_.size(job), 0});
    policy_->Corrected(job, before);
    WatchEstimate(job);
  }

  void NoteStarts() {
    for (uint32_t job : pool_.started_) {
      result_.outcome[job] = JobOutcome::kRunning;
      due_.Started(pool_.now() - result_.submit[job]);
      WatchEstimate(job);
    }
    pool_.started_.clear();
  }

  void WatchEstimate(uint32_t job) {
    if (pool_.estimate_[job] < trace_.run[job]) {
      corrections_.push({pool_.estimated_end(job), inserted_++, job});
    }
  }

  const Trace& trace_;
  const ReplayOptions& options_;
  PoolColumns* const columns_;
  Arrivals arrivals_;
  Estimates estimates_;
  const BatchOrder order_;
  std::optional<Estimates> order_estimates_;  // where they are not those of promises
  DueOrder due_;
  Pool pool_;
  std::unique_ptr<PoolPolicy> policy_;
  ReplayResult result_;
  std::vector<uint8_t> released_;
  std::vector<uint8_t> corrections_made_;
  std::priority_queue<Pool::Termination, std::vector<Pool::Termination>,
                      std::greater<Pool::Termination>>
      corrections_;
  uint32_t inserted_ = 0;
};

std::unique_ptr<PoolPolicy> MakePoolPolicy(Pool* pool, const BatchSpec& spec,
                                           ReplayResult* result) {
  switch (spec.policy) {
    case BatchPolicy::kFcfs:
      return MakeFcfs(pool, spec, result);
    case BatchPolicy::kEasy:
      return MakeEasy(pool, spec, result);
    case BatchPolicy::kConservative:
      return MakeConservative(pool, spec, result);
  }
  return nullptr;  // there is no other
}

ReplayResult ReplayPool(const Trace& trace, const BatchSpec& spec, const ReplayOptions& options,
                        PoolColumns* columns) {
  return PoolLoop(trace, spec, options, columns).Run();
}

}  // namespace muster
