// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Many machines with devices, and which of them have what a task requests.
//
//   DeviceFleet fleet(machines);
//   std::vector<DeviceVerdict> verdicts;
//   fleet.Filter(request, &verdicts);                   // by machine
//   const DeviceAnswer answer = ChooseDevices(fleet.machine(7), request, &scorer, /*final=*/true);
//   fleet.Take(7, answer.grants);
//
// Idea. Whether a machine has enough is asked of one machine of each class. There are two kinds of
// classes. Machines of one *state* are equal in all that ChooseDevices reads. Machines of one
// *count* have as many GPUs of each kind of total and use, wherever they are: a request for GPUs
// alone that names no scope, label, partition or template is met by all of them or by none, as the
// whole machine is the last part of the tree that is tried. Most machines of a cluster are of few
// counts.
//
// Guarantee. A verdict is that of ChooseDevices without a scorer, not final.
//
// Cost. Filter: one ChooseDevices for each class, and O(1) for each machine. Take, Release and Set:
// O(devices of the machine).
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_FLEET_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_FLEET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/device/device_allocator.h"

namespace muster {

// As DeviceAnswer, without grants.
struct DeviceVerdict {
  DeviceReason reason = DeviceReason::kNone;
  DeviceKind kind = DeviceKind::kGpu;

  bool ok() const { return reason == DeviceReason::kNone; }
  friend bool operator==(const DeviceVerdict&, const DeviceVerdict&) = default;
};

class DeviceFleet {
 public:
  // REQUIRES: CheckDevices is OK for each, now and after each change.
  explicit DeviceFleet(std::vector<MachineDevices> machines);

  size_t size() const { return machines_.size(); }
  const MachineDevices& machine(size_t m) const { return machines_[m]; }

  void Take(size_t m, const DeviceGrants& grants);
  void Release(size_t m, const DeviceGrants& grants);
  void Set(size_t m, MachineDevices machine);

  // Writes what each machine is to the request.
  void Filter(const DeviceClaim& request, std::vector<DeviceVerdict>* verdicts) const;

 private:
  // Numbers for keys, and machines by number.
  struct Classes {
    HashMap<std::string, uint32_t> numbers;
    std::vector<uint32_t> of_machine;
    std::vector<uint32_t> machines;  // in each class

    void Put(size_t m, const std::string& key);
    void Clear(size_t machines);
  };

  void Note(size_t m);
  void Number(size_t m);

  std::vector<MachineDevices> machines_;
  Classes states_, counts_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_FLEET_H_
