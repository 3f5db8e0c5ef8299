// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/node_fit.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

constexpr double kLeastGpus = 0.01;

bool RequestsNothing(const KaiTaskRequest& task) {
  const KaiGpuRequest& gpu = *task.gpu;
  if (KaiGpus(gpu) > kLeastGpus || gpu.claimed > 0 || task.has_claims ||
      task.type == KaiRequestType::kGpuMemory) {
    return false;
  }
  return std::all_of(gpu.mig.begin(), gpu.mig.end(),
                     [](const KaiMigCount& mig) { return mig.count <= 0; }) &&
         std::all_of(task.resources.begin(), task.resources.end(),
                     [](double amount) { return amount == 0; });
}

double At(std::span<const double> amounts, size_t place) {
  return place < amounts.size() ? amounts[place] : 0;
}

// Compares all but GPUs.
bool WithinBesidesGpus(std::span<const double> left, std::span<const double> right) {
  for (size_t i = 0; i < left.size(); ++i) {
    if (i != kKaiGpuAt && left[i] > At(right, i)) return false;
  }
  return true;
}

bool FitsWhole(const KaiTaskRequest& task, const KaiNodeRoom& room) {
  if (!IsKaiPortionValid(*task.gpu, room.device_memory)) return false;
  if (room.shared_claims <= 0) return WithinKaiVector(task.resources, room.resources);
  return WithinBesidesGpus(task.resources, room.resources) &&
         At(task.resources, kKaiGpuAt) <= At(room.resources, kKaiGpuAt) + room.shared_claims;
}

}  // namespace

bool WithinKaiVector(std::span<const double> left, std::span<const double> right) {
  const size_t both = std::min(left.size(), right.size());
  for (size_t i = 0; i < both; ++i) {
    if (left[i] > right[i]) return false;
  }
  return std::all_of(left.begin() + static_cast<std::ptrdiff_t>(both), left.end(),
                     [](double amount) { return amount <= 0; }) &&
         std::all_of(right.begin() + static_cast<std::ptrdiff_t>(both), right.end(),
                     [](double amount) { return amount >= 0; });
}

bool KaiFitsDevice(const KaiGpuRequest& request, const KaiSharedDevice& device,
                   int64_t device_memory) {
  return device.used != 0 &&
         device_memory - device.allocated + device.releasing -
                 KaiMemoryOn(request, device_memory) >=
             0 &&
         device.allocated != device.releasing;
}

bool KaiFits(const KaiTaskRequest& task, const KaiNodeRoom& room, bool idle) {
  if (idle && RequestsNothing(task)) return true;
  if (task.type == KaiRequestType::kRegular || task.type == KaiRequestType::kMigInstance) {
    return FitsWhole(task, room);
  }
  if (!WithinBesidesGpus(task.resources, room.resources) ||
      !IsKaiPortionValid(*task.gpu, room.device_memory)) {
    return false;
  }
  const auto whole = static_cast<int64_t>(std::floor(At(room.resources, kKaiGpuAt)));
  int64_t matching = 0;
  for (const KaiSharedDevice& device : room.shared) {
    if (!KaiFitsDevice(*task.gpu, device, room.device_memory)) continue;
    if (++matching >= task.gpu->devices) break;
  }
  return whole + matching >= task.gpu->devices;
}

double KaiIdleGpus(double whole, std::span<const KaiSharedDevice> shared, int64_t device_memory) {
  double sum = 0;
  for (const KaiSharedDevice& device : shared) {
    if (device.allocated > 0) sum += 1 - KaiMemoryFraction(device.allocated, device_memory);
  }
  return sum + whole;
}

double KaiReleasingGpus(double whole, std::span<const KaiSharedDevice> shared,
                        int64_t device_memory) {
  double sum = 0;
  for (const KaiSharedDevice& device : shared) {
    const bool is_leaving = device.used != 0 && device.releasing == device.used;
    if (device.releasing > 0 && !is_leaving) {
      sum += KaiMemoryFraction(device.releasing, device_memory);
    }
  }
  return sum + whole;
}

double KaiSharedFractions(std::span<const KaiSharedDevice> shared, int64_t device_memory) {
  if (device_memory <= 0) return 0;
  double sum = 0;
  for (const KaiSharedDevice& device : shared) {
    const int64_t left = device_memory - device.allocated + device.releasing;
    if (device.used > 0 && left > 0) {
      sum += static_cast<double>(left) / static_cast<double>(device_memory);
    }
  }
  return sum;
}

}  // namespace muster
