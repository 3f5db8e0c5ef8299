// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The CPUs of a node that assigns whole ones, and which of them a task gets: the choice of policy
// numa-aware, made where devices are booked.
//
//   if (AlignedCpus::AreOn(node)) {
//     const AlignedCpus cpus(node);
//     // `free`: an entry for each device of the node
//     NumaAnswer answer = cpus.Place(*CpuAskOf(shape), free);
//     if (answer.ok()) cpus.AddGrants(answer.cpus, &grants);
//   }
//
// The node's CPUs are its devices of kind cpu (lib/model/cpu_devices.h), and its alignment policy
// is NodeSpec::alignment. It keeps for the system what its cpu capacity exceeds allocatable by. A
// CPU is free while it is healthy and no task holds any of it; it is assigned whole.
// lib/fit/numa_task.h makes the choice. It is made for tasks of guaranteed QoS, unless they request
// devices of kind cpu themselves: policy devices serves these.
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

// Returns what the containers of such a task request, without init containers; nullopt: the task
// gets no CPUs here.
std::optional<NumaTask> CpuAskOf(const TaskShape& shape);
bool AsksForCpus(const TaskShape& shape);  // whether that has a value

class AlignedCpus {
 public:
  static bool AreOn(const NodeSpec& node);
  // Returns, as text, all by which nodes with equal devices differ here.
  static std::string Key(const NodeSpec& node);

  // REQUIRES: AreOn(node), which has been checked.
  explicit AlignedCpus(const NodeSpec& node);

  // Returns the CPUs of which nothing is taken: `free_milli(device)` returns what is free of a
  // device of the node.
  template <class FreeMilli>
  CpuSet Free(const FreeMilli& free_milli) const {
    CpuSet free;
    for (const Device& device : devices_) {
      if (device.usable && free_milli(device.device) == device.total.milli) free.Add(device.cpu);
    }
    return free;
  }
  NumaAnswer Place(const NumaTask& task, const CpuSet& free) const {
    return PlaceOnZones(Machine(free), task);
  }
  NumaFit Fit(const NumaTask& task, const CpuSet& free) const {
    return FitOnZones(Machine(free), task);
  }
  // Appends all of each of the CPUs.
  void AddGrants(const CpuSet& cpus, std::vector<DevicePart>* grants) const;

 private:
  struct Device {
    uint32_t device;  // position on the node
    int cpu;
    DeviceAmount total;
    bool usable;
  };
  NumaMachine Machine(const CpuSet& free) const {
    return {.cpus = &cpus_,
            .policy = policy_,
            .static_manager = true,
            .reserved_milli = reserved_milli_,
            .free = free};
  }

  static constexpr uint32_t kNoDevice = ~uint32_t{0};
  std::vector<Device> devices_;
  std::vector<uint32_t> of_cpu_;  // by CPU: its place in devices_, or kNoDevice
  StaticCpus cpus_;
  NumaPolicy policy_;
  int64_t reserved_milli_;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_ALIGNED_CPUS_H_
