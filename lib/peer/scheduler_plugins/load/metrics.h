// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores of a node by the metrics that a load watcher has of it, and what a pod adds to its load.
//
//   const std::vector<Metric> metrics = {{MetricKind::kCpu, MetricValue::kAverage, 40}};
//   MeasuredLoad(metrics, MetricKind::kCpu, 4000, 500);    // mean 1600 of 4000
//   LoadVariationNodeScore(metrics, allocatable, LoadRequest(pod), settings);
//   LowRiskNodeScore(metrics, allocatable, pod, on_node, settings);
//
// A metric is a percentage of the capacity. The mean is the last average; without averages it is
// the last value of the latest moment or of no stated kind. The deviation is the last one, or 0.
// A resource without a mean is not measured. Target load reads the last average or latest value of
// cpu, and power the first; both score 0 without one.
//
// Requests and limits here are not EffectiveRequest: a container that runs before the main ones
// counts in cpu and memory alone, in each where it exceeds the sum of the main containers. The
// overhead is added to both.
//
// Books of a node: what its pods and the pod to place request and may use. A limit below the
// request counts as the request. The requests are capped at what is allocatable, the limits not.
//
// Units are thousandths of a core and bytes. MeasuredLoad counts memory in mebibytes. Cost:
// O(metrics + pods of the node x containers).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_METRICS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_METRICS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "lib/peer/scheduler_plugins/load/load_scores.h"
#include "lib/peer/scheduler_plugins/load/risk.h"
#include "lib/peer/scheduler_plugins/pod_view.h"

namespace muster::scheduler_plugins {

enum class MetricKind : uint8_t { kCpu, kMemory, kOther };
enum class MetricValue : uint8_t { kAverage, kLatest, kDeviation, kUnstated, kOther };
struct Metric {
  MetricKind kind = MetricKind::kOther;
  MetricValue value_kind = MetricValue::kOther;
  double percent = 0;
};
using Metrics = std::span<const Metric>;

// Cpu and memory of a pod or node.
struct CpuMemory {
  int64_t cpu = 0, memory = 0;
  friend bool operator==(const CpuMemory&, const CpuMemory&) = default;
};
CpuMemory LoadRequest(const PodView& pod);
CpuMemory LoadLimit(const PodView& pod);

// Returns nothing if the resource was not measured.
std::optional<ResourceLoad> MeasuredLoad(Metrics metrics, MetricKind kind, int64_t capacity,
                                         int64_t request);

int64_t LoadVariationNodeScore(Metrics metrics, const CpuMemory& allocatable,
                               const CpuMemory& request, const VariationSettings& settings);
// `load.used_percent` is not looked at.
int64_t TargetLoadNodeScore(Metrics metrics, TargetLoad load, double target_percent);
int64_t PowerNodeScore(Metrics metrics, const PowerModel& model, int64_t capacity_cpu,
                       int64_t request_cpu);

struct NodeBooks {
  RiskBooks cpu, memory;
};
NodeBooks BooksOf(const PodView& pod, std::span<const PodView> on_node,
                  const CpuMemory& allocatable);

struct LowRiskSettings {
  double cpu_limit_weight = 0.5, memory_limit_weight = 0.5;
  int64_t window = 5;
};
// Returns 0 for a pod without cpu and memory, and without any metric.
int64_t LowRiskNodeScore(Metrics metrics, const CpuMemory& allocatable, const PodView& pod,
                         std::span<const PodView> on_node, const LowRiskSettings& settings);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_LOAD_METRICS_H_
