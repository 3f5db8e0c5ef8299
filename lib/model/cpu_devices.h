// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Devices that are logical CPUs.
//
//   {"name": "17", "kind": "cpu", "zone": "node-0", "links": ["core-8", "socket-0"]}
//
//   CpuDevice cpu;
//   const std::string problem = ReadCpuDevice(node, device, &cpu);   // "": it is {17, 8, 0, 0}
//
// A node that lists any assigns whole CPUs (a static CPU manager, in Kubernetes' words). CPUs are
// checked when the node enters a cluster, so later reads cannot fail.
#ifndef MUSTER_MODEL_CPU_DEVICES_H_
#define MUSTER_MODEL_CPU_DEVICES_H_

#include <string>
#include <string_view>

#include "muster/spec.h"

namespace muster {

inline constexpr std::string_view kCpuKind = "cpu";

// By the numbers the machine has for them; a zone's is its place in the node's list.
struct CpuDevice {
  int cpu = 0, core = 0, zone = 0, socket = 0;
};

// Returns why the device is no CPU, such as `its name must be the number of a CPU, 0 to 8191`, or
// an empty text. Then it sets `*cpu`. REQUIRES: the device is of kind cpu.
std::string ReadCpuDevice(const NodeSpec& node, const DeviceSpec& device, CpuDevice* cpu);

}  // namespace muster

#endif  // MUSTER_MODEL_CPU_DEVICES_H_
