// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sums of devices by resource.
#include "lib/peer/koordinator/colocation/device_totals.h"

#include <map>

namespace muster::koordinator {
namespace {

constexpr int64_t kWholeCard = 100;

}  // namespace

std::optional<NamedAmounts> GpuTotals(std::span<const ListedDevice> devices,
                                      std::string_view vendor, bool shows_shared) {
  std::map<std::string, int64_t> sums;
  int64_t healthy = 0;
  for (const ListedDevice& device : devices) {
    if (device.kind != "gpu" || !device.is_healthy) continue;
    ++healthy;
    for (const auto& [resource, amount] : device.amounts) sums[resource] += amount;
  }
  if (healthy == 0) return std::nullopt;
  if (vendor.empty() || vendor == "nvidia") {
    const auto cores = sums.find("koordinator.sh/gpu-core");
    sums["koordinator.sh/gpu"] = cores == sums.end() ? 0 : cores->second;
  }
  if (shows_shared) sums["koordinator.sh/gpu.shared"] = healthy * kWholeCard;
  return NamedAmounts(sums.begin(), sums.end());
}

std::optional<NamedAmounts> RdmaTotals(std::span<const ListedDevice> devices) {
  int64_t healthy = 0;
  for (const ListedDevice& device : devices) {
    if (device.kind == "rdma" && device.is_healthy) ++healthy;
  }
  if (healthy == 0) return std::nullopt;
  return NamedAmounts{{"koordinator.sh/rdma", healthy * kWholeCard}};
}

}  // namespace muster::koordinator
