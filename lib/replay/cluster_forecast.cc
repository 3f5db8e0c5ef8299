// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Forecasts of the jobs of a living cluster: futures of clones, with run times and submissions from
// a history.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/advice/executor_of.h"
#include "lib/base/float_env.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/rng.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/policy/run_bounds.h"
#include "lib/profile/cycle_tables.h"
#include "lib/profile/profile.h"
#include "lib/replay/arrival_draws.h"
#include "lib/replay/cycle_future.h"
#include "lib/replay/engine.h"
#include "lib/replay/estimate_readers.h"
#include "lib/replay/forecast_math.h"
#include "lib/replay/futures_ahead.h"
#include "lib/replay/job_sizes.h"
#include "lib/replay/speeds.h"
#include "lib/replay/trace_cluster.h"
#include "lib/session/places_tasks.h"
#include "muster/forecast.h"

namespace muster {
namespace {

// What the past of a cluster tells.
class PastJobs {
 public:
  // `trace` must outlive this.
  PastJobs(const Trace& trace, int64_t now) : trace_(trace), sizes_(trace) {
    for (uint32_t user = 0; user < trace.users.size(); ++user) users_[trace.users[user]] = user;
    const auto end = [&](uint32_t row) { return SatAdd(trace.submit[row], trace.run[row]); };
    std::vector<uint32_t> ended;
    for (uint32_t row = 0; row < trace.size(); ++row) {
      if (trace.submit[row] <= now) submitted_.push_back(row);
      if (end(row) <= now) ended.push_back(row);
    }
    const auto sort = [](std::vector<uint32_t>* rows, const auto& time) {
      std::stable_sort(rows->begin(), rows->end(),
                       [&](uint32_t a, uint32_t b) { return time(a) < time(b); });
    };
    sort(&submitted_, [&](uint32_t row) { return trace.submit[row]; });
    sort(&ended, end);
    for (const uint32_t row : ended) runs_.Learn(KindOf(row), trace.run[row]);
  }

  const RunBounds& runs() const { return runs_; }
  const std::vector<uint32_t>& submitted() const { return submitted_; }
  RunKind KindOf(uint32_t row) const {
    return {.user = trace_.user[row],
            .estimate = EstimateOr(trace_.estimate[row]),
            .processors = sizes_.of(row)};
  }
  uint32_t UserOf(const std::string& name) const {
    const auto found = users_.find(name);
    return found == users_.end() ? kNone : found->second;
  }
  static int64_t EstimateOr(int64_t estimate) {
    return estimate == kAbsent ? RunBounds::kNoEstimate : std::max<int64_t>(estimate, 1);
  }

 private:
  const Trace& trace_;
  const JobSizes sizes_;
  HashMap<std::string, uint32_t> users_;
  std::vector<uint32_t> submitted_;  // by submission
  RunBounds runs_;
};

class ClusterForecaster {
 public:
  ClusterForecaster(const Cluster& cluster, std::string_view profile, bool needs_estimates,
                    const Trace& history, const ForecastOptions& options)
      : cluster_(cluster.Clone()),
        profile_(profile),
        needs_estimates_(needs_estimates),
        history_(history),
        options_(options),
        past_(history, options.now) {}

  absl::StatusOr<ClusterForecast> Run() {
    if (absl::Status s = CheckQueues(); !s.ok()) return s;
    LearnJobs();
    Executor* const executor = ExecutorOf(options_.executor, {.extensions = options_.extensions});
    shared_ = executor != nullptr;
    FuturesAhead<Times> futures(executor, options_.futures, options_.work_budget,
                                [this](int64_t i, int64_t* events) { return Play(i, events); });
    ClusterForecast result = {.now = options_.now, .jobs = {}, .events = 0, .complete = true};
    for (int64_t i = 0; i < options_.futures && !waiting_.empty(); ++i) {
      const bool stopped = options_.should_stop && options_.should_stop();
      if (stopped || (i > 0 && result.events >= options_.work_budget)) {
        result.complete = false;
        break;
      }
      const absl::StatusOr<Times> times = futures.Play(i, &result.events);
      if (!times.ok()) return times.status();
      if (!times->whole) {
        result.complete = false;
        break;
      }
      for (size_t w = 0; w < waiting_.size(); ++w) {
        waiting_[w].starts.push_back(times->starts[w]);
        waiting_[w].ends.push_back(times->ends[w]);
      }
    }
    Collect(&result);
    return result;
  }

 private:
  struct Waiting {
    JobIndex job;
    std::vector<int64_t> starts, ends;  // by future
  };
  // What becomes of the jobs of waiting_ in one future.
  struct Times {
    bool whole = false;  // it was not stopped within
    std::vector<int64_t> starts, ends;
  };

  absl::Status CheckQueues() const {
    if (!options_.arrivals) return absl::OkStatus();
    const NameTable& queues = TablesOf(cluster_).queues.names;
    for (const uint32_t row : past_.submitted()) {
      const std::string queue =
          history_.queues.empty() ? "default" : history_.queues[history_.queue[row]].name;
      if (queues.Find(queue).has_value()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "forecast: history: job ", Quote(JobName(history_, row)), " is of queue ", Quote(queue),
          ", which the cluster lacks; add the queue, or forecast without arrivals"));
    }
    return absl::OkStatus();
  }

  void LearnJobs() {
    const ClusterSpec all = cluster_.Describe();
    const MachineSizes sizes(all.nodes);
    HashMap<std::string, std::vector<std::pair<const Resources*, int64_t>>> requests;
    for (const TaskSpec& task : all.tasks) requests[task.job].push_back({&task.shape.request, 1});
    const Tables& tables = TablesOf(cluster_);
    for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
      if (!tables.jobs.alive[job]) continue;
      const JobSpec& spec = tables.jobs.spec[job];
      const std::string name(tables.jobs.names.name(job));
      const RunKind kind = {.user = spec.owner ? past_.UserOf(spec.owner->user) : kNone,
                            .estimate = PastJobs::EstimateOr(spec.estimate.value_or(kAbsent)),
                            .processors = sizes.Of(requests[name])};
      jobs_.push_back(job);
      draws_.emplace_back(
          past_.runs(), kind, RanOf(job),
          spec.estimate.has_value() ? std::max<int64_t>(*spec.estimate, 1) : RunBounds::kNoCap);
      if (Waits(job)) waiting_.push_back({job, {}, {}});
    }
  }

  // Returns how long the job has run.
  int64_t RanOf(JobIndex job) const {
    const Tables& tables = TablesOf(cluster_);
    int64_t start = options_.now;
    for (const TaskIndex task : tables.jobs.tasks[job]) {
      const int64_t started = tables.tasks.started[task];
      if (started != kAbsent && IsAllocated(tables.tasks.status[task])) {
        start = std::min(start, started);
      }
    }
    return options_.now - start;
  }

  bool Waits(JobIndex job) const {
    const Tables& tables = TablesOf(cluster_);
    int64_t running = 0;
    bool pending = false;
    for (const TaskIndex task : tables.jobs.tasks[job]) {
      running += IsAllocated(tables.tasks.status[task]);
      pending |= tables.tasks.status[task] == TaskStatus::kPending;
    }
    return pending && running < std::max<int64_t>(1, tables.jobs.spec[job].min_available);
  }

  absl::StatusOr<Times> Play(int64_t number, int64_t* events) {
    Rng rng(SplitMix64(options_.seed ^ SplitMix64(static_cast<uint64_t>(number))));
    const PastSubmissions past = {
        .count = options_.arrivals ? past_.submitted().size() : 0,
        .when = [this](size_t i) { return history_.submit[past_.submitted()[i]]; }};
    ArrivalDraws draws(past, options_.now, &rng);
    int64_t arrived = 0;
    CycleFuture future(cluster_.Clone(), profile_, options_.extensions, options_.now,
                       [&] { return Arrival(draws.Next(), arrived++, &rng); });
    future.Watch(options_.should_stop);
    std::vector<RunBounds::Draws> copy;
    if (shared_) copy = draws_;
    std::vector<RunBounds::Draws>& runs = shared_ ? copy : draws_;
    std::vector<int64_t> run(jobs_.size());
    for (size_t i = 0; i < jobs_.size(); ++i) {
      run[i] = runs[i].Next(rng);
      const bool told = needs_estimates_ && !TablesOf(cluster_).jobs.spec[jobs_[i]].estimate;
      if (told) ImplOf(future.cluster()).editor.SetEstimate(jobs_[i], run[i]);
      future.Expect(jobs_[i], run[i]);
    }
    if (absl::Status s = future.Play(kNone, options_.work_budget, events); !s.ok()) return s;
    Times times;
    if (future.stopped()) return times;
    size_t i = 0;
    for (const Waiting& waiting : waiting_) {
      while (jobs_[i] != waiting.job) ++i;
      const int64_t start = future.start(waiting.job);
      times.starts.push_back(start == kAbsent ? kNoTime : start);
      times.ends.push_back(start == kAbsent ? kNoTime : SatAdd(start, run[i]));
    }
    times.whole = true;
    return times;
  }

  CycleFuture::Arrival Arrival(const ArrivalDraws::Arrival& drawn, int64_t number, Rng* rng) const {
    if (drawn.time == kNever) return {};
    const uint32_t row = past_.submitted()[drawn.source];
    const int64_t estimate = history_.estimate[row];
    CycleFuture::Arrival arrival = {
        .time = drawn.time,
        .job = JobOfTrace(history_, row, absl::StrCat("future ", number), drawn.time),
        .run = history_.run[row]};
    if (history_.submit[row] + history_.run[row] > options_.now) {  // how long is not known yet
      RunBounds::Draws draws(past_.runs(), past_.KindOf(row), options_.now - history_.submit[row],
                             estimate == kAbsent ? RunBounds::kNoCap : estimate);
      arrival.run = draws.Next(*rng);
    }
    if (estimate != kAbsent) {
      arrival.job.estimate = estimate;
    } else if (needs_estimates_) {
      arrival.job.estimate = arrival.run;
    }
    return arrival;
  }

  void Collect(ClusterForecast* result) {
    const int64_t now = options_.now, misses = MissesOf(options_.percent);
    const SideScales start = {IntervalScale(options_.scales.start_low, misses),
                              IntervalScale(options_.scales.start_high, misses)};
    const SideScales end = {IntervalScale(options_.scales.end_low, misses),
                            IntervalScale(options_.scales.end_high, misses)};
    for (Waiting& waiting : waiting_) {
      JobForecast job;
      job.job = std::string(TablesOf(cluster_).jobs.names.name(waiting.job));
      job.started = std::count_if(waiting.starts.begin(), waiting.starts.end(),
                                  [](int64_t time) { return time != kNoTime; });
      job.start = IntervalOf(&waiting.starts, options_.percent, now, now, start);
      job.end = IntervalOf(&waiting.ends, options_.percent, now, now + 1, end);
      result->jobs.push_back(std::move(job));
    }
  }

  const Cluster cluster_;
  const std::string profile_;
  const bool needs_estimates_;
  const Trace& history_;
  const ForecastOptions& options_;
  const PastJobs past_;
  std::vector<JobIndex> jobs_;
  std::vector<RunBounds::Draws> draws_;  // by jobs_
  bool shared_ = false;                  // each future draws from a copy of draws_
  std::vector<Waiting> waiting_;         // in the order of jobs_
};

}  // namespace

absl::StatusOr<ClusterForecast> Forecast(const Cluster& cluster, std::string_view profile,
                                         const Trace& history, const ForecastOptions& options) {
  const DefaultFloats floats;
  if (absl::Status s = CheckForecastOptions(options); !s.ok()) return s;
  if (history.size() > 0) {
    if (absl::Status s = CheckTrace(history); !s.ok()) return s;
    if (absl::Status s = RefuseSpeeds(history, "a forecast"); !s.ok()) return s;
  }
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, options.extensions.get());
  if (!config.ok()) return config.status();
  if (!PlacesTasks(*config)) {
    return absl::InvalidArgumentError(
        absl::StrCat("profile ", Quote(config->name),
                     " places no task on a node, so nothing ever starts under it; forecast under a "
                     "profile that does"));
  }
  if (const std::string counts = CountsText(TablesOf(cluster)); !counts.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "forecast: ", counts, ", which never start; must be rows (MakeTasks, --make-tasks)"));
  }
  const bool needs = UseOfEstimates(*config) == EstimateUse::kNeeded;
  if (history.processors > 0 && history.size() > 0) {
    const Trace nodes = AsOneNode(history);
    return ClusterForecaster(cluster, profile, needs, nodes, options).Run();
  }
  return ClusterForecaster(cluster, profile, needs, history, options).Run();
}

}  // namespace muster
