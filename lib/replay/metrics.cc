// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Metrics of jobs: distributions, over all of them and by group.
#include "muster/metrics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"
#include "muster/statistics.h"

namespace muster {
namespace {

constexpr size_t kUsersShown = 100;

// Reorders `values`.
Distribution Describe(std::vector<double>* values) {
  Distribution d;
  d.count = static_cast<int64_t>(values->size());
  if (values->empty()) return d;
  double sum = 0;
  for (double value : *values) sum += value;
  d.mean = sum / static_cast<double>(values->size());
  std::sort(values->begin(), values->end());
  const auto percentile = [&](double percent) { return Percentile(*values, percent); };
  d.p50 = percentile(50);
  d.p90 = percentile(90);
  d.p95 = percentile(95);
  d.p99 = percentile(99);
  d.max = values->back();
  return d;
}

// Returns, by shape, the largest part of the machine, in any resource, that one task requests.
std::vector<double> SharesOfMachine(const Trace& trace) {
  if (trace.processors > 0) {
    return std::vector<double>(std::max<size_t>(trace.shapes.size(), 1),
                               1.0 / static_cast<double>(trace.processors));
  }
  const auto unit = [](std::string_view name) {
    return IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
  };
  std::map<std::string, double> machine;
  for (const NodeSpec& node : trace.machine.nodes) {
    for (const auto& [name, amount] : node.capacity) {
      const absl::StatusOr<int64_t> has = ParseQuantity(amount.text, unit(name));
      if (has.ok()) machine[name] += static_cast<double>(*has);
    }
  }
  std::vector<double> shares;
  for (const TaskShape& shape : trace.shapes) {
    double share = 0;
    for (const auto& [name, amount] : shape.request) {
      const absl::StatusOr<int64_t> asks = ParseQuantity(amount.text, unit(name));
      const auto has = machine.find(name);
      if (!asks.ok() || has == machine.end() || has->second <= 0) continue;
      share = std::max(share, static_cast<double>(*asks) / has->second);
    }
    shares.push_back(share);
  }
  shares.resize(std::max<size_t>(shares.size(), 1), 0);
  return shares;
}

// Returns, by job that ended, its turnaround over the one it would have had on an n-th of the
// machine, n being the mean number of jobs during its time. Such a part runs a job that requests d
// of the machine n * d times as long, if that is above 1.
std::vector<double> FinishTimeFairness(const Trace& trace, const ReplayResult& result) {
  std::vector<std::pair<int64_t, int>> changes;  // of the number of jobs there are
  for (size_t row = 0; row < trace.size(); ++row) {
    if (result.submit[row] == kAbsent || result.outcome[row] == JobOutcome::kRefused) continue;
    changes.emplace_back(result.submit[row], 1);
    if (result.end[row] != kAbsent) changes.emplace_back(result.end[row], -1);
  }
  std::sort(changes.begin(), changes.end());
  // Job-seconds up to each time at which the number changes.
  std::vector<int64_t> times;
  std::vector<double> job_seconds;
  int64_t there = 0;
  for (const auto& [time, change] : changes) {
    if (times.empty() || times.back() != time) {
      const double before = times.empty()
                                ? 0
                                : job_seconds.back() + static_cast<double>(there) *
                                                           static_cast<double>(time - times.back());
      times.push_back(time);
      job_seconds.push_back(before);
    }
    there += change;
  }
  const auto until = [&](int64_t time) {
    return job_seconds[static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time) -
                                           times.begin())];
  };
  const std::vector<double> of_machine = SharesOfMachine(trace);
  std::vector<double> fairness(trace.size(), -1);
  for (size_t row = 0; row < trace.size(); ++row) {
    if (result.end[row] == kAbsent) continue;
    const auto stay = static_cast<double>(result.end[row] - result.submit[row]);
    const double jobs = (until(result.end[row]) - until(result.submit[row])) / stay;
    const double demand = of_machine[trace.shape[row]] * trace.tasks[row];
    fairness[row] = stay / (static_cast<double>(trace.run[row]) * std::max(1.0, jobs * demand));
  }
  return fairness;
}

JobMetrics MeasureJobs(const Trace& trace, const ReplayResult& result,
                       const std::vector<double>& fairness, const std::vector<uint32_t>& rows,
                       int64_t bound) {
  std::vector<double> wait, turnaround, slowdown, ratio, fair;
  wait.reserve(rows.size());
  for (uint32_t row : rows) {
    if (result.start[row] == kAbsent) continue;
    wait.push_back(static_cast<double>(result.start[row] - result.submit[row]));
    if (result.end[row] == kAbsent) continue;
    const auto stay = static_cast<double>(result.end[row] - result.submit[row]);
    turnaround.push_back(stay);
    slowdown.push_back(std::max(1.0, stay / static_cast<double>(std::max(trace.run[row], bound))));
    ratio.push_back(stay / static_cast<double>(trace.run[row]));
    fair.push_back(fairness[row]);
  }
  return {Describe(&wait), Describe(&turnaround), Describe(&slowdown), Describe(&ratio),
          Describe(&fair)};
}

// Groups of rows, in the order of their numbers.
std::vector<std::vector<uint32_t>> Partition(size_t rows, const auto& number_of) {
  std::vector<std::vector<uint32_t>> groups;
  for (uint32_t row = 0; row < rows; ++row) {
    const size_t number = number_of(row);
    if (number == kNone) continue;
    if (number >= groups.size()) groups.resize(number + 1);
    groups[number].push_back(row);
  }
  return groups;
}

double Mean(double sum, size_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

void MeasureSeries(const ReplaySeries& series, Metrics* m) {
  const size_t samples = series.time.size();
  for (size_t d = 0; d < series.dimensions.size(); ++d) {
    double used = 0, fragmented = 0;
    for (size_t k = 0; k < samples; ++k) {
      const auto capacity = static_cast<double>(series.capacity[d][k]);
      if (capacity > 0) used += static_cast<double>(series.used[d][k]) / capacity;
      fragmented += series.fragmentation[d][k];
    }
    m->resources.push_back({series.dimensions[d], Mean(used, samples), Mean(fragmented, samples)});
  }
  for (size_t q = 0; q < series.queues.size(); ++q) {
    double delivered = 0, deserved = 0;
    for (size_t k = 0; k < samples; ++k) {
      delivered += series.queue_share[q][k];
      deserved += series.queue_deserved[q][k];
    }
    m->queues.push_back({series.queues[q], Mean(delivered, samples), Mean(deserved, samples)});
  }
  double sum = 0, squares = 0, deviations = 0;
  size_t counted = 0;
  for (const QueueMetrics& queue : m->queues) {
    if (queue.deserved <= 0) continue;
    const double x = queue.delivered / queue.deserved;
    sum += x;
    squares += x * x;
    ++counted;
  }
  if (squares > 0) m->jain = sum * sum / (static_cast<double>(counted) * squares);
  for (size_t k = 0; k < samples; ++k) {
    double largest = 0;
    for (size_t q = 0; q < series.queues.size(); ++q) {
      largest = std::max(largest, std::abs(series.queue_share[q][k] - series.queue_deserved[q][k]));
    }
    deviations += largest;
    m->share_deviation_max = std::max(m->share_deviation_max, largest);
  }
  m->share_deviation_mean = Mean(deviations, samples);
}

// Counts what happened to all jobs, and what that makes of the machine.
void MeasureOutcomes(const Trace& trace, const ReplayResult& result, Metrics* m) {
  int64_t first = kEndless, last = 0;
  double busy = 0;
  for (size_t row = 0; row < trace.size(); ++row) {
    if (result.submit[row] == kAbsent) continue;
    ++m->submitted;
    first = std::min(first, result.submit[row]);
    m->refused += result.outcome[row] == JobOutcome::kRefused;
    m->started += result.start[row] != kAbsent;
    m->backfilled += !result.backfilled.empty() && result.backfilled[row];
    if (!trace.deadline.empty() && trace.deadline[row] != kAbsent) {
      ++m->deadlines;
      m->deadline_misses += result.end[row] == kAbsent || result.end[row] > trace.deadline[row];
    }
    if (!result.stops.empty()) {
      m->stops += result.stops[row];
      m->lost += result.lost[row];
    }
    if (result.end[row] == kAbsent) continue;
    ++m->ended;
    last = std::max(last, result.end[row]);
    busy += static_cast<double>(trace.run[row]) * trace.tasks[row];
  }
  m->makespan = std::max<int64_t>(0, last - first);
  const double capacity = static_cast<double>(result.processors) * static_cast<double>(m->makespan);
  if (capacity > 0) m->utilisation = busy / capacity;
  const double work = busy + static_cast<double>(m->lost);
  if (work > 0) m->goodput = busy / work;
}

// A job that never started has waited up to the last moment that anything tells of.
int64_t LongestWait(const ReplayResult& result) {
  const size_t n = result.submit.size();
  int64_t now = 0;
  for (size_t row = 0; row < n; ++row) {
    now = std::max({now, result.submit[row], result.start[row]});
    if (result.submit[row] != kAbsent) now = std::max(now, result.end[row]);
  }
  int64_t longest = 0;
  for (size_t row = 0; row < n; ++row) {
    if (result.submit[row] == kAbsent || result.outcome[row] == JobOutcome::kRefused) continue;
    const int64_t until = result.start[row] == kAbsent ? now : result.start[row];
    longest = std::max(longest, until - result.submit[row]);
  }
  return longest;
}

Distribution DecisionTimes(const ReplayResult& result) {
  std::vector<double> seconds;
  for (int64_t nanoseconds : result.decision_time) {
    seconds.push_back(static_cast<double>(nanoseconds) * 1e-9);
  }
  return Describe(&seconds);
}

}  // namespace

Metrics Measure(const Trace& trace, const ReplayResult& result, const MetricOptions& options) {
  Metrics m;
  const size_t n = trace.size();
  MeasureOutcomes(trace, result, &m);
  m.longest_wait = LongestWait(result);
  m.decision_time = DecisionTimes(result);
  MeasureSeries(result.series, &m);

  const std::vector<double> fairness = FinishTimeFairness(trace, result);
  std::vector<uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto measure = [&](const std::vector<uint32_t>& rows) {
    return MeasureJobs(trace, result, fairness, rows, options.slowdown_bound);
  };
  m.all = measure(all);
  // Sizes by powers of two: 1, 2, 3-4, 5-8, ...
  const auto by_size = Partition(
      n, [&](uint32_t row) { return static_cast<size_t>(std::bit_width(trace.tasks[row] - 1)); });
  for (size_t k = 0; k < by_size.size(); ++k) {
    if (by_size[k].empty()) continue;
    const uint64_t most = uint64_t{1} << k;
    const std::string name = k < 2 ? absl::StrCat(most) : absl::StrCat(most / 2 + 1, "-", most);
    m.by_size.push_back({name, measure(by_size[k])});
  }
  const auto by_queue = Partition(n, [&](uint32_t row) { return size_t{trace.queue[row]}; });
  for (size_t q = 0; q < by_queue.size(); ++q) {
    if (by_queue[q].empty()) continue;
    m.by_queue.push_back(
        {q < trace.queues.size() ? trace.queues[q].name : "default", measure(by_queue[q])});
  }
  const auto by_user = Partition(n, [&](uint32_t row) { return size_t{trace.user[row]}; });
  std::vector<size_t> users(by_user.size());
  std::iota(users.begin(), users.end(), 0);
  std::stable_sort(users.begin(), users.end(),
                   [&](size_t a, size_t b) { return by_user[a].size() > by_user[b].size(); });
  users.resize(std::min(users.size(), kUsersShown));
  for (size_t user : users) {
    if (!by_user[user].empty()) m.by_user.push_back({trace.users[user], measure(by_user[user])});
  }
  return m;
}

}  // namespace muster
