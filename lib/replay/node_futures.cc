// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Futures of a trace of nodes. A cluster is built from the places of the replay at the instant, and
// each future plays a clone of it.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/replay/arrival_draws.h"
#include "lib/replay/cycle_future.h"
#include "lib/replay/log_futures.h"
#include "lib/replay/trace_cluster.h"

namespace muster {
namespace {

class NodeFutures : public LogFutures {
 public:
  NodeFutures(const Trace& trace, const NodeProfile& profile, const ReplayPlacements& placements,
              bool arrivals)
      : trace_(trace), profile_(profile), arrivals_(arrivals), stays_(trace.size()) {
    for (uint32_t stay = 0; stay < placements.job.size(); ++stay) {
      stays_[placements.job[stay]].push_back({placements.task[stay], placements.node[stay],
                                              placements.from[stay], placements.to[stay]});
    }
  }

  absl::Status Begin(const LogState& state) override {
    state_ = &state;
    rows_ = state.running();
    rows_.insert(rows_.end(), state.waiting().begin(), state.waiting().end());
    draws_.clear();
    absl::StatusOr<Cluster> built = ClusterOfMachine(trace_);
    if (!built.ok()) return built.status();
    cluster_ = *std::move(built);
    for (const uint32_t row : rows_) {
      draws_.push_back(state.DrawsOf(row));
      JobSpec job = JobOfTrace(trace_, row, absl::StrCat(row), state.submit(row));
      job.estimate = EstimateOf(row);
      if (absl::Status s = cluster_.AddJob(job); !s.ok()) return s;
      Place(row);
    }
    past_ = {.count = arrivals_ ? state.submitted() : 0,
             .when = [&state](size_t i) { return state.submit(state.submissions()[i]); }};
    return absl::OkStatus();
  }

  absl::StatusOr<FutureTimes> Play(uint32_t job, Rng* rng, int64_t most, int64_t* events) override {
    ArrivalDraws draws(past_, state_->now(), rng);
    int64_t arrived = 0;
    CycleFuture future(cluster_.Clone(), profile_.text, profile_.extensions, state_->now(),
                       [&] { return Arrival(draws.Next(), arrived++, rng); });
    int64_t run = 1;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const int64_t drawn = draws_[i].Next(*rng);
      const JobIndex index = IndexOf(future.cluster(), rows_[i]);
      if (rows_[i] == job) run = drawn;
      if (KnowsRun(rows_[i])) ImplOf(future.cluster()).editor.SetEstimate(index, drawn);
      future.Expect(index, drawn);
    }
    const JobIndex target = IndexOf(future.cluster(), job);
    if (absl::Status s = future.Play(target, most, events); !s.ok()) return s;
    const int64_t start = future.start(target);
    if (start == kAbsent) return FutureTimes{};
    return FutureTimes{.start = start, .end = start + run};
  }

  absl::StatusOr<int64_t> Promise(uint32_t job, int64_t most, int64_t* events) override {
    CycleFuture future(cluster_.Clone(), "easy", {}, state_->now(),
                       [] { return CycleFuture::Arrival{}; });
    for (const uint32_t row : rows_) {
      const int64_t ran = state_->started(row) ? state_->now() - state_->start(row) : 0;
      const int64_t run = std::max(state_->EstimateOf(row), ran + 1);
      const JobIndex index = IndexOf(future.cluster(), row);
      ImplOf(future.cluster()).editor.SetEstimate(index, run);
      future.Expect(index, run);
    }
    const JobIndex target = IndexOf(future.cluster(), job);
    if (absl::Status s = future.Play(target, most, events); !s.ok()) return s;
    return future.start(target);
  }

 private:
  struct Stay {
    uint32_t task, node;
    int64_t from, to;
  };

  static JobIndex IndexOf(const Cluster& cluster, uint32_t row) {
    return *TablesOf(cluster).jobs.names.Find(absl::StrCat(row));
  }

  // The tasks that hold a node go on running there.
  void Place(uint32_t row) {
    const Tables& tables = TablesOf(cluster_);
    Editor& editor = ImplOf(cluster_).editor;
    const JobIndex job = IndexOf(cluster_, row);
    bool runs = false;
    for (const Stay& stay : stays_[row]) {
      const bool now =
          stay.from <= state_->now() && (stay.to == kAbsent || stay.to > state_->now());
      const auto node = tables.nodes.names.Find(trace_.machine.nodes[stay.node].name);
      if (!now || !node.has_value()) continue;
      const TaskIndex task = tables.jobs.tasks[job][stay.task];
      editor.SetPlace(task, TaskStatus::kRunning, *node, /*assumed=*/false);
      editor.SetStarted(task, stay.from);
      runs = true;
    }
    if (runs) editor.SetPhase(job, JobPhase::kRunning);
  }

  // A profile that needs estimates is told the run time where there is none, as in a replay.
  bool KnowsRun(uint32_t row) const {
    if (profile_.guesses.source == BatchEstimate::kActual) return true;
    return trace_.estimate[row] == kAbsent && profile_.needs_estimates &&
           profile_.guesses.source != BatchEstimate::kLearnt;
  }

  std::optional<int64_t> EstimateOf(uint32_t row) const {
    if (profile_.guesses.source == BatchEstimate::kLearnt) {
      const int64_t beyond = state_->started(row) ? state_->now() - state_->start(row) : 0;
      const auto bound = state_->runs().Bound(
          state_->KindOf(row),
          static_cast<int64_t>(profile_.guesses.quantile * double{RunBounds::kWhole} + 0.5),
          beyond);
      return std::min(state_->CapOf(row),
                      bound.value_or(std::max(state_->EstimateOf(row), beyond + 1)));
    }
    if (trace_.estimate[row] == kAbsent) return std::nullopt;
    return trace_.estimate[row];
  }

  CycleFuture::Arrival Arrival(const ArrivalDraws::Arrival& drawn, int64_t number, Rng* rng) const {
    if (drawn.time == kNever) return {};
    const uint32_t row = state_->submissions()[drawn.source];
    CycleFuture::Arrival arrival = {
        .time = drawn.time,
        .job = JobOfTrace(trace_, row, absl::StrCat("future ", number), drawn.time),
        .run = state_->ended(row) ? trace_.run[row] : state_->DrawsOf(row).Next(*rng)};
    arrival.job.estimate = KnowsRun(row) ? std::optional(arrival.run) : EstimateOf(row);
    return arrival;
  }

  const Trace& trace_;
  const NodeProfile profile_;
  const bool arrivals_;
  std::vector<std::vector<Stay>> stays_;  // by row
  const LogState* state_ = nullptr;
  Cluster cluster_;
  std::vector<uint32_t> rows_;  // those that run, then those that wait
  std::vector<RunBounds::Draws> draws_;
  PastSubmissions past_;
};

}  // namespace

std::unique_ptr<LogFutures> MakeNodeFutures(const Trace& trace, const NodeProfile& profile,
                                            const ReplayPlacements& placements, bool arrivals) {
  return std::make_unique<NodeFutures>(trace, profile, placements, arrivals);
}

}  // namespace muster
