// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/aligned_cpus.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/model/cpu_devices.h"
#include "lib/model/device_holds.h"
#include "muster/quantity.h"

namespace muster {
namespace {

NumaPolicy NumaPolicyOf(Alignment alignment) {
  switch (alignment) {
    case Alignment::kUnset:
    case Alignment::kNone:
      break;
    case Alignment::kBestEffort:
      return NumaPolicy::kBestEffort;
    case Alignment::kRestricted:
      return NumaPolicy::kRestricted;
    case Alignment::kSingleNumaNode:
      return NumaPolicy::kSingleZone;
  }
  return NumaPolicy::kNone;
}

// Returns the thousandths of cpu; -1: the list does not name cpu.
int64_t CpuMilli(const Resources& resources) {
  for (const auto& [name, quantity] : resources) {
    if (name == "cpu") return ParseQuantity(quantity.text, Unit::kMilli).value_or(0);
  }
  return -1;
}

int64_t ReservedMilli(const NodeSpec& node) {
  if (!node.allocatable) return 0;
  const int64_t left = std::max<int64_t>(0, CpuMilli(*node.allocatable));
  return std::max<int64_t>(0, CpuMilli(node.capacity) - left);
}

StaticCpus ReadCpus(const NodeSpec& node) {
  std::vector<LogicalCpu> cpus;
  for (const DeviceSpec& device : node.devices) {
    if (device.kind != kCpuKind) continue;
    CpuDevice cpu;
    ReadCpuDevice(node, device, &cpu);
    cpus.push_back({.cpu = cpu.cpu, .core = cpu.core, .zone = cpu.zone, .socket = cpu.socket});
  }
  // Validation of nodes is at least as strict.
  return *StaticCpus::Make(cpus);
}

}  // namespace

bool AsksForCpus(const TaskShape& shape) {
  return shape.guaranteed_qos &&
         std::ranges::none_of(
             shape.devices, [](const DeviceRequest& request) { return request.kind == kCpuKind; });
}

std::optional<NumaTask> CpuAskOf(const TaskShape& shape) {
  if (!AsksForCpus(shape)) return std::nullopt;
  NumaTask task;
  if (shape.alignment != Alignment::kUnset) task.policy = NumaPolicyOf(shape.alignment);
  for (const ContainerSpec& container : shape.containers) {
    if (container.init || container.sidecar) continue;
    task.container_milli.push_back(CpuMilli(container.request));
  }
  if (shape.containers.empty()) task.container_milli.push_back(CpuMilli(shape.request));
  return task;
}

bool AlignedCpus::AreOn(const NodeSpec& node) {
  return std::ranges::find(node.devices, kCpuKind, &DeviceSpec::kind) != node.devices.end();
}

std::string AlignedCpus::Key(const NodeSpec& node) {
  std::string key =
      absl::StrCat(static_cast<int>(NumaPolicyOf(node.alignment)), ":", ReservedMilli(node), "\n");
  for (const DeviceSpec& device : node.devices) {
    if (device.kind != kCpuKind) continue;
    CpuDevice cpu;
    ReadCpuDevice(node, device, &cpu);
    absl::StrAppend(&key, cpu.cpu, ",", cpu.zone, ";");
  }
  return key;
}

AlignedCpus::AlignedCpus(const NodeSpec& node)
    : cpus_(ReadCpus(node)),
      policy_(NumaPolicyOf(node.alignment)),
      reserved_milli_(ReservedMilli(node)) {
  for (uint32_t d = 0; d < node.devices.size(); ++d) {
    const DeviceSpec& device = node.devices[d];
    if (device.kind != kCpuKind) continue;
    CpuDevice cpu;
    ReadCpuDevice(node, device, &cpu);
    const auto number = static_cast<size_t>(cpu.cpu);
    if (number >= of_cpu_.size()) of_cpu_.resize(number + 1, kNoDevice);
    of_cpu_[number] = static_cast<uint32_t>(devices_.size());
    devices_.push_back({.device = d,
                        .cpu = cpu.cpu,
                        .total = {device.milli, MemoryOf(device.memory)},
                        .usable = device.healthy && device.milli > 0});
  }
}

void AlignedCpus::AddGrants(const CpuSet& cpus, std::vector<DevicePart>* grants) const {
  cpus.ForEach([&](int cpu) {
    const auto number = static_cast<size_t>(cpu);
    if (number >= of_cpu_.size() || of_cpu_[number] == kNoDevice) return;
    const Device& device = devices_[of_cpu_[number]];
    grants->push_back({device.device, device.total});
  });
}

}  // namespace muster
