// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses the devices of a machine for a task, and how much of each.
//
//   DeviceAnswer answer = ChooseDevices(machine, request, &scorer);
//   if (answer.ok()) Take(answer.grants, &machine); else answer.reason ...
//
// Idea. GPUs are chosen by the first of these rules that applies:
// 1. A partition of GPUs that are wired together, where the machine has a table of them and the
//    request is for whole ones.
// 2. The smallest part of the machine's tree (bus, zone, machine) that has enough; if several have,
//    the one already in use.
// 3. One by one.
// Cards and FPGAs are chosen one by one, highest score first. A joint request takes the first kind,
// then the others on the buses of the devices taken.
//
// Order. Among partitions: the one that leaves the most valuable partitions whole. In the tree: the
// deepest, then the most in use, then (parts of a GPU) the higher score, then the smaller zone or
// bus. One by one: the higher score, then the smaller minor; near a joint device: the best card of
// every bus first, then the second of each.
//
// Guarantee. A pure function. Every device chosen is healthy, has room and matches the selector.
//
// Peer. Koordinator's DeviceShare without reservations, NUMA hints and templates. Kept of it:
// - A partition's score counts the wrong way round when groups are tried (lower first).
// - Within the tree a part of a GPU is scored with free and total exchanged, so GPUs in use count
//   as full.
// - The policy "alone on its PCIe switch" has no effect.
// Different here: where several kinds are requested without "joint", the peer refuses by the kind
// that comes up first, and this function begins with GPUs.
//
// Cost. O(devices) for each kind, O(partitions) for whole GPUs.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_ALLOCATOR_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_ALLOCATOR_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/peer/koordinator/device/device_request.h"
#include "lib/peer/koordinator/device/devices.h"

namespace muster {

// Scores how full a device or a machine is after the request, 0 to 100; either empty or full is
// better.
struct DeviceScorer {
  bool prefer_full = false;
  DeviceAmounts weights;  // resources that are not named do not count

  int64_t Score(const DeviceAmounts& request, const DeviceAmounts& total,
                const DeviceAmounts& free) const;
};

struct DeviceGrant {
  int minor = 0;
  DeviceAmounts amounts;
  std::string function;  // the virtual function, where one is requested
};
using DeviceGrants = std::array<std::vector<DeviceGrant>, kDeviceKinds>;

enum class DeviceReason : uint8_t {
  kNone,
  kNoDevices,         // of the kind; as all reasons up to kNoTopology, no eviction helps
  kNoFunctions,       // no card of the machine has virtual functions
  kNoPartitionTable,  // partitions are required, and not known
  kNoPartitionSize,   // no partition has so many GPUs
  kSharedGpus,        // parts of several GPUs within a scope
  kNoTopology,        // a scope is requested, and the places of the GPUs are not known
  kFewDevices,
  kFewGpus,
  kFewInScope,
  kFewPartitions,
  kOffTheBus,  // joint devices would not be on the same buses
};

struct DeviceAnswer {
  DeviceGrants grants;
  DeviceReason reason = DeviceReason::kNone;
  DeviceKind kind = DeviceKind::kGpu;  // the kind that the reason names

  bool ok() const { return reason == DeviceReason::kNone; }
  bool EvictionMayHelp() const { return reason > DeviceReason::kNoTopology; }
};

// Without a scorer all devices score 0, which is enough to find out whether there is a place.
// `final`: the machine is chosen, so cards that were taken for granted (secondary_well_planned) are
// chosen, too.
DeviceAnswer ChooseDevices(const MachineDevices& machine, const DeviceClaim& request,
                           const DeviceScorer* scorer, bool final);

// Returns how good the machine is for the request.
int64_t ScoreMachine(const MachineDevices& machine, const DeviceClaim& request,
                     const DeviceScorer& scorer);

// Change the books.
void Take(const DeviceGrants& grants, MachineDevices* machine);
void Release(const DeviceGrants& grants, MachineDevices* machine);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_ALLOCATOR_H_
