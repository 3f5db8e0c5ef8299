// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/device_holds.h"

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/quantity.h"

namespace muster {
namespace {

std::string OfNode(std::string_view device, const NodeSpec& node) {
  return absl::StrCat(PlaceOf("device", device), " of ", PlaceOf("node", node.name));
}

}  // namespace

int64_t MemoryOf(const Quantity& memory) {
  if (memory.text == "0") return 0;
  return ParseQuantity(memory.text, Unit::kWhole).value_or(0);
}

const DeviceSpec* FindDevice(const NodeSpec& node, std::string_view name) {
  for (const DeviceSpec& device : node.devices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

std::string HoldProblem(const NodeSpec& node, const DeviceHold& hold) {
  const DeviceSpec* device = FindDevice(node, hold.device);
  if (device == nullptr) {
    return absl::StrCat(PlaceOf("device", hold.device), " is not on ", PlaceOf("node", node.name));
  }
  if (hold.milli > device->milli) {
    return absl::StrCat(OfNode(hold.device, node), " has ", device->milli, " milli, not ",
                        hold.milli);
  }
  if (MemoryOf(hold.memory) > MemoryOf(device->memory)) {
    return absl::StrCat(OfNode(hold.device, node), " has ", device->memory.text, " of memory, not ",
                        hold.memory.text);
  }
  return "";
}

std::string OverheldProblem(const Editor& editor, NodeIndex node,
                            const std::vector<DeviceHold>& holds, TaskIndex except) {
  if (holds.empty()) return "";
  const Tables& t = editor.tables();
  const NodeSpec& spec = t.nodes.spec[node];
  const std::vector<TaskIndex> others = editor.TasksOn(node);
  for (const DeviceHold& hold : holds) {
    int64_t milli = hold.milli, memory = MemoryOf(hold.memory);
    for (TaskIndex task : others) {
      if (task == except || t.tasks.status[task] == TaskStatus::kNominated) continue;
      for (const DeviceHold& other : t.hold_lists[t.tasks.devices[task]]) {
        if (other.device != hold.device) continue;
        milli += other.milli;
        memory += MemoryOf(other.memory);
      }
    }
    const DeviceSpec& device = *FindDevice(spec, hold.device);
    if (milli > device.milli) {
      return absl::StrCat(OfNode(hold.device, spec), " is held to ", milli, " of ", device.milli,
                          " milli");
    }
    if (memory > MemoryOf(device.memory)) {
      return absl::StrCat(OfNode(hold.device, spec), " is held to ", memory, " of ",
                          MemoryOf(device.memory), " bytes");
    }
  }
  return "";
}

}  // namespace muster
