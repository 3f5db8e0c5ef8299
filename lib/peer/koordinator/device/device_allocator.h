// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses the devices of a machine for a task, and how much of each.
//
//   DeviceAnswer answer = ChooseDevices(machine, request, &scorer, /*final=*/true);
//   if (answer.ok()) Take(answer.grants, &machine); else answer.reason ...
//
// Idea. GPUs are chosen by the first of these rules that applies:
// 0. A template of shares, where the request must follow one: the machine's model has exactly one
//    that fits, and the tree or single devices decide.
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
// Limits. A caller may narrow the machine (DeviceLimits): to NUMA zones, to what a reservation has
// left, to devices named beforehand. It may also count amounts as free that others would give back.
//
// Guarantee. A pure function. Every device chosen is healthy, has room and matches the selector.
//
// Peer. Koordinator's DeviceShare; its reservations are in device_loans.h. Kept of it:
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
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
  std::string function;             // the virtual function, where one is requested
  std::string share_template = {};  // of a shared device, where the request must follow one
};
using DeviceGrants = std::array<std::vector<DeviceGrant>, kDeviceKinds>;

enum class DeviceReason : uint8_t {
  kNone,
  kNoDevices,         // of the kind; as all reasons up to kNoTopology, no eviction helps
  kNoFunctions,       // no card of the machine has virtual functions
  kNoTemplate,        // the model has no template of shares for the request
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

inline bool EvictionMayHelp(DeviceReason reason) { return reason > DeviceReason::kNoTopology; }

struct DeviceAnswer {
  DeviceGrants grants;
  DeviceReason reason = DeviceReason::kNone;
  DeviceKind kind = DeviceKind::kGpu;  // the kind that the reason names

  bool ok() const { return reason == DeviceReason::kNone; }
  bool EvictionMayHelp() const { return muster::EvictionMayHelp(reason); }
};

// Amounts of devices, by kind and minor.
using DeviceShares = std::array<std::map<int, DeviceAmounts>, kDeviceKinds>;
using DeviceSets = std::array<uint64_t, kDeviceKinds>;  // bit m: minor m

// What of a machine a task may take.
struct DeviceLimits {
  std::optional<uint64_t> zones = {};     // devices of these NUMA zones; bit i: zone i
  DeviceShares freed = {};                // counts as not used; may be below zero
  std::optional<DeviceShares> most = {};  // of a kind named: these devices alone, no more of each
  DeviceSets required = {};               // taken one by one, no others are; none: all
  DeviceSets preferred = {};              // taken one by one, these come first
  // Virtual functions that may be taken of a device, where it is named.
  std::map<std::pair<DeviceKind, int>, std::set<std::string>> functions = {};
};

// Without a scorer all devices score 0, which is enough to find out whether there is a place.
// `final`: the machine is chosen, so cards that were taken for granted (secondary_well_planned) are
// chosen, too.
DeviceAnswer ChooseDevices(const MachineDevices& machine, const DeviceClaim& request,
                           const DeviceScorer* scorer, bool final,
                           const DeviceLimits* limits = nullptr);

// Returns how good the machine is for the request.
int64_t ScoreMachine(const MachineDevices& machine, const DeviceClaim& request,
                     const DeviceScorer& scorer, const DeviceLimits* limits = nullptr);

// Returns how many devices of each kind the request needs of this machine, 0 of kinds that it does
// not request; nothing if the machine cannot have them.
std::optional<std::array<int64_t, kDeviceKinds>> DevicesNeeded(const MachineDevices& machine,
                                                               const DeviceClaim& request);

// Fills in a GPU's memory or its ratio, whichever is missing.
void FillGpuMemory(const Device& gpu, DeviceAmounts* amounts);

// Change the books.
void Take(const DeviceGrants& grants, MachineDevices* machine);
void Release(const DeviceGrants& grants, MachineDevices* machine);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_ALLOCATOR_H_
