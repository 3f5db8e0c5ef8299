// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where measured load leaves room: a machine's load as last reported, plus what its tasks will use
// that the report could not include yet.
//
//   NodeLoad node;
//   node.Report(report);                       // what the machine measured
//   node.Assign("a/b", task);                  // a task that was placed there
//   std::optional<Loads> load = node.Estimate({});
//   FirstAbove(*load, capacity, thresholds);   // filter
//   LoadScore(*load, capacity, weights, dominant);
//
// Idea. Three kinds of tasks count with their estimate where that is above what was measured: those
// placed after the last report (less one report interval), those without a measurement, and those
// still warming up. All others count as measured.
//
// Views. All tasks, by the usage of the machine or a percentile of it over some time; or the tasks
// of production alone. If a percentile of the longest time is not known, the machine's usage
// counts; if one of a given time is not known, estimates count.
//
// Peer. Koordinator's load-aware plug-in. Its least score of all resources (the dominant one) looks
// at resources without weight, too, and begins at 100.
//
// Cost. O(tasks of the machine) an estimate.
#ifndef MUSTER_PEER_KOORDINATOR_MEASURED_LOAD_H_
#define MUSTER_PEER_KOORDINATOR_MEASURED_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster {

// An amount for each resource, in an order that the caller keeps to. Times are in nanoseconds.
using Loads = std::vector<int64_t>;

struct LoadReport {
  int64_t time = 0, interval = 60'000'000'000;
  Loads usage, system;
  struct Task {
    Loads usage;
    bool production = false;
  };
  std::map<std::string, Task> tasks;
  std::map<std::pair<std::string, int64_t>, Loads> aggregated;  // by percentile and duration
};

struct LoadTask {
  Loads estimate;  // empty: unknown, counts with nothing
  bool production = false;
  int64_t assigned = 0;
  std::optional<int64_t> estimated_until = {};  // warming up
};

struct LoadView {
  bool production = false, with_system = false;
  std::string percentile = {};  // of the machine's usage; empty: usage as it is
  int64_t duration = 0;         // 0: the longest there is
};

class NodeLoad {
 public:
  void Report(LoadReport report) { report_ = std::move(report); }
  void Assign(const std::string& name, LoadTask task) { tasks_[name] = std::move(task); }
  void Remove(const std::string& name) { tasks_.erase(name); }

  // Returns nothing before the first report.
  std::optional<Loads> Estimate(const LoadView& view) const;

 private:
  const Loads* Measured(const LoadView& view) const;

  std::optional<LoadReport> report_;
  std::map<std::string, LoadTask> tasks_;
};

// How long tasks warm up, in seconds; 0 or less: not at all.
struct WarmUp {
  int64_t after_scheduled = -1, after_initialized = -1;
};
// Returns until when a task counts with its estimate: so long after it was initialized, or if that
// is not known or not asked for, after it was assigned. Nothing: it does not warm up.
std::optional<int64_t> EstimatedUntil(int64_t assigned, std::optional<int64_t> initialized,
                                      const WarmUp& warm_up);

// Returns what a task is likely to use of a resource: a percentage of the larger of request and
// limit, at most the limit.
int64_t EstimateUse(int64_t request, int64_t limit, int64_t percentage);

// Returns the first resource with a load above its threshold, in whole percent; thresholds and
// capacities of 0 are none.
std::optional<size_t> FirstAbove(std::span<const int64_t> load, std::span<const int64_t> capacity,
                                 std::span<const int64_t> thresholds);

// Returns how much is free, weighted, from 0 to 100; `dominant` weighs the scarcest resource once
// more.
int64_t LoadScore(std::span<const int64_t> load, std::span<const int64_t> capacity,
                  std::span<const int64_t> weights, int64_t dominant);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_MEASURED_LOAD_H_
