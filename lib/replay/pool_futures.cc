// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Futures of a log of batch jobs. Estimates and keys of jobs are those that the replay gave them
// when they were submitted.
#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/math.h"
#include "lib/replay/arrival_draws.h"
#include "lib/replay/log_futures.h"
#include "lib/replay/pool_future.h"

namespace muster {
namespace {

class PoolFutures : public LogFutures {
 public:
  PoolFutures(const Trace& trace, const BatchSpec& spec, const PoolColumns& columns, bool arrivals)
      : trace_(trace), spec_(spec), columns_(columns), arrivals_(arrivals) {}

  absl::Status Begin(const LogState& state) override {
    state_ = &state;
    rows_ = state.running();
    rows_.insert(rows_.end(), state.waiting().begin(), state.waiting().end());
    jobs_.clear();
    draws_.clear();
    for (const uint32_t row : rows_) {
      jobs_.push_back(JobOf(row));
      draws_.push_back(state.DrawsOf(row));
    }
    past_ = {.count = arrivals_ ? state.submitted() : 0,
             .when = [&state](size_t i) { return state.submit(state.submissions()[i]); }};
    return absl::OkStatus();
  }

  absl::StatusOr<FutureTimes> Play(uint32_t job, Rng* rng, int64_t most, int64_t* events) override {
    std::vector<FutureJob> jobs = jobs_;
    for (size_t i = 0; i < jobs.size(); ++i) SetRun(rows_[i], draws_[i].Next(*rng), &jobs[i]);
    ArrivalDraws draws(past_, state_->now(), rng);
    PoolFuture future(trace_.processors, spec_, state_->now(), jobs,
                      [&] { return Arrival(draws.Next(), rng); });
    const auto place = PlaceOf(job);
    *events += future.Play(place, most - *events);
    const int64_t start = future.start(place);
    if (start == kAbsent) return FutureTimes{};
    return FutureTimes{.start = start, .end = start + jobs[place].run};
  }

  absl::StatusOr<int64_t> Promise(uint32_t job, int64_t most, int64_t* events) override {
    std::vector<FutureJob> jobs = jobs_;
    for (size_t i = 0; i < jobs.size(); ++i) {
      const int64_t ran = jobs[i].start == kAbsent ? 0 : state_->now() - jobs[i].start;
      jobs[i].key = 0;
      jobs[i].run = jobs[i].estimate = std::max(state_->EstimateOf(rows_[i]), ran + 1);
    }
    PoolFuture future(trace_.processors, BatchSpec{}, state_->now(), jobs,
                      [] { return FutureArrival{}; });
    const auto place = PlaceOf(job);
    *events += future.Play(place, most - *events);
    return future.start(place);
  }

 private:
  uint32_t PlaceOf(uint32_t job) const {
    return static_cast<uint32_t>(std::find(rows_.begin(), rows_.end(), job) - rows_.begin());
  }
  bool reads_run() const { return spec_.promises_by().source == BatchEstimate::kActual; }

  // A job of the log as it stands. The guess of one that outlived it has grown.
  FutureJob JobOf(uint32_t row) const {
    FutureJob job = {.processors = trace_.tasks[row],
                     .estimate = columns_.estimate[row],
                     .cap = state_->CapOf(row),
                     .key = columns_.key[row]};
    if (!state_->started(row)) return job;
    job.start = state_->start(row);
    const int64_t ran = state_->now() - job.start;
    while (job.estimate <= ran && job.estimate < job.cap) {
      job.estimate = NextGuess(job.estimate, job.cap);
    }
    return job;
  }

  // A policy that knows run times knows those of the future. Where a trace has no estimate, the run
  // time stands in for it.
  void SetRun(uint32_t row, int64_t run, FutureJob* job) const {
    job->run = run;
    const bool absent = trace_.estimate[row] == kAbsent;
    const auto knows = [&](const RunGuesses& by) {
      return by.source == BatchEstimate::kActual || (absent && by.source != BatchEstimate::kLearnt);
    };
    if (knows(spec_.promises_by())) job->estimate = run;
    if (knows(spec_.orders_by()) && spec_.order != BatchOrder::kDue) {
      job->key = KeyOf(row, run, state_->submit(row));
    }
  }

  int64_t KeyOf(uint32_t row, int64_t estimate, int64_t submit) const {
    int64_t deadline = trace_.deadline.empty() ? kAbsent : trace_.deadline[row];
    if (deadline != kAbsent) deadline += submit - state_->submit(row);
    return OrderKey(spec_.order, {.estimate = estimate,
                                  .processors = trace_.tasks[row],
                                  .submit = submit,
                                  .deadline = deadline});
  }

  FutureArrival Arrival(const ArrivalDraws::Arrival& drawn, Rng* rng) const {
    if (drawn.time == kNever) return {};
    const uint32_t row = state_->submissions()[drawn.source];
    FutureArrival arrival = {.time = drawn.time, .job = {}};
    FutureJob& job = arrival.job;
    job.processors = trace_.tasks[row];
    job.estimate = columns_.estimate[row];
    job.cap = state_->CapOf(row);
    job.key = spec_.order == BatchOrder::kDue
                  ? SatAdd(columns_.key[row], SatMul(drawn.time - state_->submit(row), 1000))
                  : KeyOf(row, columns_.order_estimate[row], drawn.time);
    SetRun(row, state_->ended(row) ? trace_.run[row] : state_->DrawsOf(row).Next(*rng), &job);
    return arrival;
  }

  const Trace& trace_;
  const BatchSpec spec_;
  const PoolColumns& columns_;
  const bool arrivals_;
  const LogState* state_ = nullptr;
  std::vector<uint32_t> rows_;  // of the trace: those that run, then those that wait
  std::vector<FutureJob> jobs_;
  std::vector<RunBounds::Draws> draws_;
  PastSubmissions past_;
};

}  // namespace

std::unique_ptr<LogFutures> MakePoolFutures(const Trace& trace, const BatchSpec& spec,
                                            const PoolColumns& columns, bool arrivals) {
  return std::make_unique<PoolFutures>(trace, spec, columns, arrivals);
}

}  // namespace muster
