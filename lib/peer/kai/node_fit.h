// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a node of KAI Scheduler has room for a task, in what is idle or is being released.
//
//   KaiNodeRoom room = {.resources = idle, .device_memory = 16000, .shared = groups};
//   KaiFits(task, room);
//
// Idea. Whole GPUs, MIG slices and all other resources are compared number by number, without
// slack. A part of a device needs room on a device that others share, or a whole free one; a task
// of n such parts needs n devices. Sharing groups and whole free devices are added.
//
// Peer. A group with no used memory counts as no device; nor does one with all its allocated memory
// being released. Whether a group has room counts what is being released in both questions, now and
// later. A task with an unset request type takes the way of parts, too: with no device requested it
// then fits by its other resources.
//
// Cost. O(resources + groups).
#ifndef MUSTER_PEER_KAI_NODE_FIT_H_
#define MUSTER_PEER_KAI_NODE_FIT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/peer/kai/gpu_request.h"

namespace muster {

// Places of the first resources in each vector; others follow.
inline constexpr size_t kKaiCpuAt = 0, kKaiMemoryAt = 1, kKaiGpuAt = 2, kKaiPodsAt = 3;

// A device that several tasks share, in MiB.
struct KaiSharedDevice {
  int64_t used = 0;       // of all tasks
  int64_t allocated = 0;  // of tasks that are not pipelined
  int64_t releasing = 0;  // being released, less what is pipelined onto it
};

struct KaiTaskRequest {
  std::span<const double> resources;
  KaiRequestType type = KaiRequestType::kUnset;
  const KaiGpuRequest* gpu = nullptr;
  bool has_claims = false;  // storage; a task that requests nothing at all fits without a look
};

struct KaiNodeRoom {
  std::span<const double> resources;  // idle, or idle and releasing
  int64_t device_memory = 0;
  std::span<const KaiSharedDevice> shared = {};
  double shared_claims = 0;  // devices of the task's claims that are counted on the node already
};

// Returns whether left <= right in each place; a place beyond the end holds 0.
bool WithinKaiVector(std::span<const double> left, std::span<const double> right);

// Returns whether the task fits. `idle`: asked about what is idle, where a task without any request
// fits anyway.
bool KaiFits(const KaiTaskRequest& task, const KaiNodeRoom& room, bool idle);

// Returns whether a shared device has room for one part.
bool KaiFitsDevice(const KaiGpuRequest& request, const KaiSharedDevice& device,
                   int64_t device_memory);

// Returns how much of a node's GPUs is idle (or is being released): whole ones and MIG slices
// (`whole`), and what shared devices have left.
double KaiIdleGpus(double whole, std::span<const KaiSharedDevice> shared, int64_t device_memory);
double KaiReleasingGpus(double whole, std::span<const KaiSharedDevice> shared,
                        int64_t device_memory);
// What is left of shared devices, idle or being released, as parts of a device.
double KaiSharedFractions(std::span<const KaiSharedDevice> shared, int64_t device_memory);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_NODE_FIT_H_
