// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The input of the GPU packer (machines and types of tasks), and its output.
#ifndef MUSTER_PEER_FGD_PACKED_MACHINE_H_
#define MUSTER_PEER_FGD_PACKED_MACHINE_H_

#include <cstdint>

#include "lib/fit/gpu_fragments.h"

namespace muster {

// At most 2^21 milli of cpu, so that numbers fit two bytes; at most kMostGpus GPUs of a model below
// kMostModels. At most kMostTypical typical tasks.
struct GpuMachine {
  int64_t cpu_milli = 0, memory = 0;
  int32_t gpus = 0, model = 0;
};

// No GPUs; or one, in part; or several whole ones.
struct GpuTaskType {
  int64_t cpu_milli = 0, memory = 0;
  int32_t gpu_milli = 0, gpus = 0;
  uint64_t model_mask = ~0ULL;
  bool operator==(const GpuTaskType& other) const = default;
};

struct GpuPlace {
  int32_t machine = -1;
  uint32_t gpus = 0;  // bit i: GPU i
};

// What a machine has left, and what it holds.
struct PackedMachine {
  int64_t cpu_milli = 0, memory = 0;
  int32_t gpus = 0, model = 0;
  int32_t total = 0;   // milli left on all GPUs
  int32_t whole = 0;   // GPUs that are free
  int32_t most = 0;    // milli left on one
  uint32_t tags = 0;   // bit 0: it holds tasks that share a GPU, n: that hold n whole ones
  uint32_t state = 0;  // of its GPUs
  uint32_t level = 0;  // of its cpu
  GpuLefts left = {};
};

}  // namespace muster

#endif  // MUSTER_PEER_FGD_PACKED_MACHINE_H_
