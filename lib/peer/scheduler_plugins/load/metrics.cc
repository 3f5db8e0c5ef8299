// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/load/metrics.h"

#include <algorithm>

namespace muster::scheduler_plugins {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;

int64_t AmountOf(const Amounts& amounts, std::string_view name) {
  const auto at = amounts.find(name);
  return at == amounts.end() ? 0 : at->second;
}
CpuMemory Both(const Amounts& amounts) {
  return {AmountOf(amounts, "cpu"), AmountOf(amounts, "memory")};
}
void AddBoth(const CpuMemory& more, CpuMemory* sum) {
  sum->cpu += more.cpu;
  sum->memory += more.memory;
}
CpuMemory MaxOf(const CpuMemory& a, const CpuMemory& b) {
  return {std::max(a.cpu, b.cpu), std::max(a.memory, b.memory)};
}

// Of requests, or of limits.
CpuMemory Together(const PodView& pod, Amounts ContainerView::*which) {
  CpuMemory sum, before;
  for (const ContainerView& container : pod.containers) {
    const CpuMemory amounts = Both(container.*which);
    if (container.part == ZonedTask::Part::kMain) {
      AddBoth(amounts, &sum);
    } else {
      before = MaxOf(before, amounts);
    }
  }
  CpuMemory all = MaxOf(sum, before);
  AddBoth(Both(pod.overhead), &all);
  return all;
}

// The first or the last percentage of cpu that is an average or the latest.
std::optional<double> CpuPercent(Metrics metrics, bool last) {
  std::optional<double> found;
  for (const Metric& metric : metrics) {
    const bool counts =
        metric.kind == MetricKind::kCpu &&
        (metric.value_kind == MetricValue::kAverage || metric.value_kind == MetricValue::kLatest);
    if (counts && (last || !found.has_value())) found = metric.percent;
  }
  return found;
}

// The limit of a pod, never below its request.
CpuMemory RaisedLimit(const PodView& pod) { return MaxOf(LoadLimit(pod), LoadRequest(pod)); }

}  // namespace

CpuMemory LoadRequest(const PodView& pod) { return Together(pod, &ContainerView::requests); }
CpuMemory LoadLimit(const PodView& pod) { return Together(pod, &ContainerView::limits); }

std::optional<ResourceLoad> MeasuredLoad(Metrics metrics, MetricKind kind, int64_t capacity,
                                         int64_t request) {
  std::optional<double> mean;
  bool averaged = false;
  double deviation = 0;
  for (const Metric& metric : metrics) {
    if (metric.kind != kind) continue;
    if (metric.value_kind == MetricValue::kDeviation) deviation = metric.percent;
    if (metric.value_kind == MetricValue::kAverage) {
      mean = metric.percent;
      averaged = true;
    }
    const bool fallback =
        metric.value_kind == MetricValue::kLatest || metric.value_kind == MetricValue::kUnstated;
    if (fallback && !averaged) mean = metric.percent;
  }
  if (!mean.has_value()) return std::nullopt;
  const double unit = kind == MetricKind::kMemory ? kMebibyte : 1;
  const double whole = static_cast<double>(capacity) / unit;
  return ResourceLoad{.capacity = whole,
                      .request = static_cast<double>(request) / unit,
                      .mean = *mean * whole / 100,
                      .deviation = deviation * whole / 100};
}

int64_t LoadVariationNodeScore(Metrics metrics, const CpuMemory& allocatable,
                               const CpuMemory& request, const VariationSettings& settings) {
  return LoadVariationScore(
      MeasuredLoad(metrics, MetricKind::kCpu, allocatable.cpu, request.cpu),
      MeasuredLoad(metrics, MetricKind::kMemory, allocatable.memory, request.memory), settings);
}

int64_t TargetLoadNodeScore(Metrics metrics, TargetLoad load, double target_percent) {
  const std::optional<double> percent = CpuPercent(metrics, /*last=*/true);
  if (!percent.has_value()) return 0;
  load.used_percent = *percent;
  return TargetLoadScore(load, target_percent);
}

int64_t PowerNodeScore(Metrics metrics, const PowerModel& model, int64_t capacity_cpu,
                       int64_t request_cpu) {
  const std::optional<double> before = CpuPercent(metrics, /*last=*/false);
  if (!before.has_value() || capacity_cpu == 0) return 0;
  const auto capacity = static_cast<double>(capacity_cpu);
  const double after =
      100 * (*before / 100 * capacity + static_cast<double>(request_cpu)) / capacity;
  return PowerScore(model, *before, after);
}

NodeBooks BooksOf(const PodView& pod, std::span<const PodView> on_node,
                  const CpuMemory& allocatable) {
  CpuMemory request, limit;
  for (const PodView& other : on_node) {
    AddBoth(LoadRequest(other), &request);
    AddBoth(RaisedLimit(other), &limit);
  }
  CpuMemory with_pod = request, limit_with_pod = limit;
  AddBoth(LoadRequest(pod), &with_pod);
  AddBoth(RaisedLimit(pod), &limit_with_pod);
  return {{.capacity = allocatable.cpu,
           .request = std::min(with_pod.cpu, allocatable.cpu),
           .limit = limit_with_pod.cpu,
           .request_without = std::min(request.cpu, allocatable.cpu),
           .limit_without = limit.cpu},
          {.capacity = allocatable.memory,
           .request = std::min(with_pod.memory, allocatable.memory),
           .limit = limit_with_pod.memory,
           .request_without = std::min(request.memory, allocatable.memory),
           .limit_without = limit.memory}};
}

int64_t LowRiskNodeScore(Metrics metrics, const CpuMemory& allocatable, const PodView& pod,
                         std::span<const PodView> on_node, const LowRiskSettings& settings) {
  if (metrics.empty() || RaisedLimit(pod) == CpuMemory()) return 0;
  const NodeBooks books = BooksOf(pod, on_node, allocatable);
  const double cpu_risk =
      RiskOf(books.cpu, MeasuredLoad(metrics, MetricKind::kCpu, allocatable.cpu, 0),
             {settings.cpu_limit_weight, settings.window});
  const double memory_risk =
      RiskOf(books.memory, MeasuredLoad(metrics, MetricKind::kMemory, allocatable.memory, 0),
             {settings.memory_limit_weight, settings.window});
  return LowRiskScore(cpu_risk, memory_risk);
}

}  // namespace muster::scheduler_plugins
