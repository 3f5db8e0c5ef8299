// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Where GPUs are near each other: partitions and the tree of zones and buses.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_GPU_PLACES_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_GPU_PLACES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/peer/koordinator/device/device_allocator.h"

namespace muster {

// The GPUs that a request may take, and what is known of them.
struct GpuView {
  const DeviceAccount& book;
  uint64_t usable;  // by minor: healthy, with room on the whole, matching
  uint64_t used;    // by minor: in use, or not available
  const std::vector<DeviceAmounts>& free;
};

// The minors of the best partition; a reason if there is none.
struct GpuChoice {
  std::vector<int> minors;
  DeviceReason reason = DeviceReason::kNone;
};
GpuChoice ChoosePartition(const std::vector<GpuPartitions>& table, const GpuView& gpus,
                          const DeviceClaim& request);

// Returns the minors within the smallest part of the machine that has enough.
GpuChoice ChooseInTree(const GpuView& gpus, const DeviceClaim& request, const DeviceScorer* scorer);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_GPU_PLACES_H_
