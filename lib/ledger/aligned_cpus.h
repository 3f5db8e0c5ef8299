// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The CPUs of a node that gives whole ones, and which of them a task gets: policy numa-aware's
// choice, made where devices are booked.
//
//   if (AlignedCpus::AreOn(node)) {
//     const AlignedCpus cpus(node);
//     // `free`: an entry for each device of the node
//     NumaAnswer answer = cpus.Place(*CpuAskOf(shape), free);
//     if (answer.ok()) cpus.AddGrants(answer.cpus, &grants);
//   }
//
// The node's CPUs are its devices of kind cpu (lib/model/cpu_devices.h), its policy is its
// `alignment`, and what it keeps for the system is by how much its cpu capacity exceeds what is
// allocatable. A CPU is free while it is healthy and nobody holds any of it; it is given out whole.
// The choice is lib/fit/numa_task.h's.
// It is made for guaranteed tasks, unless they ask for devices of kind cpu themselves, which policy
// devices serves.
// Cost. O(devices), and the choice, O(2^zones) and once over the CPUs for each container.
#ifndef MUSTER_LEDGER_ALIGNED_CPUS_H_
#define MUSTER_LEDGER_ALIGNED_CPUS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/fit/node_devices.h"
#include "lib/fit/numa_task.h"
#include "lib/fit/static_cpus.h"
#include "muster/spec.h"

namespace muster {

// What the containers of such a task ask for, those that run one after another before it aside;
// nothing: it is left alone.
std::optional<NumaTask> CpuAskOf(const TaskShape& shape);
bool AsksForCpus(const TaskShape& shape);  // whether that is anything

class AlignedCpus {
 public:
  static bool AreOn(const NodeSpec& node);
  // All that tells machines of equal devices apart here, as text.
  static std::string Key(const NodeSpec& node);

  // REQUIRES: AreOn(node), which has been checked.
  explicit AlignedCpus(const NodeSpec& node);

  NumaAnswer Place(const NumaTask& task, std::span<const DeviceAmount> free) const;
  int CountZones(const CpuSet& cpus) const;
  // All of each of the CPUs.
  void AddGrants(const CpuSet& cpus, std::vector<DevicePart>* grants) const;

 private:
  struct Device {
    uint32_t device;  // position on the node
    int cpu;
    DeviceAmount total;
    bool usable;
  };
  std::vector<Device> devices_;
  StaticCpus cpus_;
  NumaPolicy policy_;
  int64_t reserved_milli_;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_ALIGNED_CPUS_H_
