// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/cards/gpu_share.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {

absl::StatusOr<std::vector<SharedGpu>> MakeSharedGpus(int64_t memory, int64_t number,
                                                      std::span<const int> unhealthy) {
  if (number < 1 || number > 4096) {
    return absl::InvalidArgumentError(
        absl::StrCat("shared GPUs: a number of ", number, " is not in 1 .. 4096"));
  }
  if (memory < 0) {
    return absl::InvalidArgumentError(absl::StrCat("shared GPUs: memory ", memory, " is below 0"));
  }
  std::vector<SharedGpu> gpus;
  for (int id = 0; id < number; ++id) {
    if (std::find(unhealthy.begin(), unhealthy.end(), id) != unhealthy.end()) continue;
    gpus.push_back({.id = id, .memory = memory / number, .holders = {}});
  }
  return gpus;
}

int64_t AmountOfTask(std::span<const int64_t> containers,
                     std::span<const int64_t> init_containers) {
  int64_t sum = 0;
  for (int64_t amount : containers) sum += amount;
  for (int64_t amount : init_containers) sum = std::max(sum, amount);
  return sum;
}

int64_t IdleMemory(const SharedGpu& gpu) {
  int64_t idle = gpu.memory;
  for (const SharedGpu::Holder& holder : gpu.holders) idle -= holder.ended ? 0 : holder.memory;
  return std::max<int64_t>(idle, 0);
}

std::vector<int> GpusByMemory(std::span<const SharedGpu> gpus, int64_t memory) {
  std::vector<int> ids;
  for (const SharedGpu& gpu : gpus) {
    if (IdleMemory(gpu) >= memory) ids.push_back(gpu.id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<int> GpusByNumber(std::span<const SharedGpu> gpus, int64_t number) {
  std::vector<int> ids;
  for (const SharedGpu& gpu : gpus) {
    if (gpu.holders.empty()) ids.push_back(gpu.id);
  }
  std::sort(ids.begin(), ids.end());
  if (number < 0 || static_cast<int64_t>(ids.size()) < number) return {};
  ids.resize(static_cast<size_t>(number));
  return ids;
}

}  // namespace muster
