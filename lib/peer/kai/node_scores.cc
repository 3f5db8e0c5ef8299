// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/node_scores.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr int64_t kLeastDeviceMemory = 100;

std::optional<double> UsedPart(int64_t used, int64_t device_memory) {
  if (device_memory < kLeastDeviceMemory) return std::nullopt;
  return static_cast<double>(used) / static_cast<double>(device_memory);
}

}  // namespace

double KaiPackScore(const KaiPackRange& range, double left, double allocatable) {
  if (allocatable == 0 || range.most == 0) return 0;
  if (range.least == range.most) return kKaiPlacementScore;
  return kKaiPlacementScore * (1 - (left - range.least) / (range.most - range.least));
}

double KaiSpreadScore(double left, double count) { return count == 0 ? 0 : left / count; }

double KaiGpuCount(std::optional<std::string_view> label, double allocatable) {
  int64_t count = 0;
  if (label && absl::SimpleAtoi(ToAbsl(*label), &count)) return static_cast<double>(count);
  return std::trunc(allocatable);
}

std::optional<double> KaiDevicePackScore(int64_t used, int64_t device_memory) {
  return UsedPart(used, device_memory);
}

std::optional<double> KaiDeviceSpreadScore(int64_t used, int64_t device_memory) {
  const std::optional<double> part = UsedPart(used, device_memory);
  return part ? std::optional(1 - *part) : std::nullopt;
}

bool IsKaiMigNode(std::optional<std::string_view> label, bool has_mig_resources) {
  if (!label) return has_mig_resources;
  return *label == "1" || *label == "t" || *label == "T" || *label == "true" || *label == "True" ||
         *label == "TRUE";
}

bool IsKaiCpuOnlyNode(bool is_mig, double allocatable_gpus, bool has_claimed_gpus) {
  return !is_mig && allocatable_gpus <= 0 && !has_claimed_gpus;
}

}  // namespace muster
