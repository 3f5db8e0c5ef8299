// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The numbers of the policies that look at nothing but the machine. Shares are of 128 cpus and 8
// GPUs, the largest machine of the study. Steps and truncations are the study's.
#include <algorithm>

#include "lib/peer/fgd/gpu_packer.h"

namespace muster {
namespace {

constexpr double kLargestCpu = 128000, kLargestGpus = 8000;

int16_t DotProduct(const GpuTaskType& task, const PackedMachine& m) {
  const double cpu = static_cast<double>(m.cpu_milli) / kLargestCpu *
                     (static_cast<double>(task.cpu_milli) / kLargestCpu);
  const double gpu = m.total / kLargestGpus * (task.gpu_milli * task.gpus / kLargestGpus);
  return static_cast<int16_t>(100 * (1 - (cpu + gpu) / 2));
}

int16_t BestFit(const GpuTaskType& task, const PackedMachine& m) {
  const double cpu = 0.5 * static_cast<double>(m.cpu_milli - task.cpu_milli) / kLargestCpu;
  const double gpu = 0.5 * (m.total - task.gpu_milli * task.gpus) / kLargestGpus;
  return static_cast<int16_t>((1 - (cpu + gpu)) * 100);
}

int16_t GpuPacking(const GpuTaskType& task, const PackedMachine& m) {
  if (task.gpus == 0) return 0;
  if (m.whole == m.gpus) return static_cast<int16_t>(std::max(33 - m.whole, m.whole));
  // A request for whole GPUs needs whole ones; a part comes from a free GPU only if no other has
  // enough.
  int32_t least = kWholeGpu;
  if (task.gpu_milli < kWholeGpu) {
    for (int32_t i = 0; i < m.gpus; ++i) {
      const int32_t left = m.left[static_cast<size_t>(i)];
      if (left >= task.gpu_milli) least = std::min(least, left);
    }
  }
  if (least == kWholeGpu) return static_cast<int16_t>(std::max(50 - task.gpus, 33));
  return static_cast<int16_t>(std::max(100 - least * 100 / kWholeGpu / 10, 50));
}

int16_t GpuClustering(const GpuTaskType& task, const PackedMachine& m) {
  if (task.gpus == 0) return 0;
  const int32_t fuller = 25 * (8 * kWholeGpu - m.total) / (8 * kWholeGpu);
  const uint32_t tag = task.gpu_milli < kWholeGpu ? 1 : 1U << task.gpus;
  const int32_t bonus = m.tags == tag ? 75 : (m.tags & tag) != 0 ? 50 : m.tags == 0 ? 25 : 0;
  return static_cast<int16_t>(fuller + bonus);
}

}  // namespace

int16_t PackingScore(PackingPolicy policy, const GpuTaskType& task, const PackedMachine& m) {
  switch (policy) {
    case PackingPolicy::kDotProduct:
      return DotProduct(task, m);
    case PackingPolicy::kGpuClustering:
      return GpuClustering(task, m);
    case PackingPolicy::kGpuPacking:
      return GpuPacking(task, m);
    case PackingPolicy::kBestFit:
      return BestFit(task, m);
    case PackingPolicy::kFragments:
    case PackingPolicy::kRandom:
      break;
  }
  return 0;
}

}  // namespace muster
