// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_devices.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/koordinator_objects.h"
#include "lib/import/kubernetes.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr std::string_view kDeviceKindNames[] = {"gpu", "rdma", "fpga"};
constexpr std::string_view kAllocated = "scheduling.koordinator.sh/device-allocated";
constexpr std::string_view kJointAllocate = "scheduling.koordinator.sh/device-joint-allocate";
constexpr std::string_view kGpuModel = "node.koordinator.sh/gpu-model";
constexpr std::string_view kGpuMemory = "koordinator.sh/gpu-memory";
// Resources that count a device in hundredths, the largest of which counts.
constexpr std::string_view kPercentNames[] = {"koordinator.sh/gpu-memory-ratio",
                                              "koordinator.sh/gpu-core", "koordinator.sh/rdma",
                                              "koordinator.sh/fpga"};
constexpr std::string_view kScopes[] = {"SamePCIe"};
constexpr std::string_view kAllocateHint = "scheduling.koordinator.sh/device-allocate-hint";
constexpr std::string_view kPartitionSpec = "scheduling.koordinator.sh/gpu-partition-spec";
constexpr std::string_view kIsolation = "koordinator.sh/gpu-isolation-provider";
constexpr std::string_view kGpuScopes[] = {"Node", "NUMANode", "PCIe", "Device"};
constexpr std::string_view kPartitionPolicies[] = {"BestEffort", "Restricted"};
constexpr std::string_view kHintStrategies[] = {"ApplyForAll", "RequestsAsCount"};
constexpr std::string_view kExclusives[] = {"DeviceLevel", "PCIExpressLevel"};
constexpr int64_t kMostZoneOfDevice = 63;

std::string DeviceName(std::string_view kind, int64_t minor) {
  return absl::StrCat(ToAbsl(kind), "-", minor);
}

bool IsKnownKind(std::string_view kind) {
  return std::ranges::find(kDeviceKindNames, kind) != std::end(kDeviceKindNames);
}

// The zone of that number, which is added where the node has none.
std::string ZoneOfDevice(int64_t number, NodeSpec* node) {
  std::string name = absl::StrCat("node-", number);
  const bool is_known = std::ranges::find(node->zones, name, &ZoneSpec::name) != node->zones.end();
  if (!is_known) node->zones.push_back({.name = name});
  return name;
}

DeviceSpec DeviceOf(const Field& device, std::string_view model, NodeSpec* node) {
  DeviceSpec spec;
  spec.kind = device.Text("type");
  spec.name = DeviceName(spec.kind, device.Int64("minor", 0));
  spec.healthy = device.Bool("health", false);
  const Field place = device.Section("topology");
  if (place.given()) {
    const int64_t zone = place.Int64("nodeID", -1);
    if (zone >= 0 && zone <= kMostZoneOfDevice) spec.zone = ZoneOfDevice(zone, node);
    const std::string link = place.Text("pcieID");
    if (!link.empty()) spec.links = {absl::StrCat("pcie-", link)};
  }
  if (spec.kind != "gpu") return spec;
  spec.model = std::string(model);
  const AmountMap amounts = ReadAmounts(device.Section("resources"));
  const ExactAmount* memory = FindAmount(amounts, kGpuMemory);
  // An amount that is counted in whole bytes.
  if (memory != nullptr) spec.memory = ToQuantity("memory", *memory);
  return spec;
}

void ReadDevicesOf(const ApiObject& object, std::string_view model, NodeSpec* node) {
  std::map<std::pair<std::string, int64_t>, Field> devices;
  for (const Field& device : object.spec().Items("devices")) {
    const std::string kind = device.Text("type");
    const int64_t minor = device.Int64("minor", -1);
    if (!IsKnownKind(kind)) {
      device.Ignored(absl::StrCat("devices of type ", Quote(kind), " are not known"));
    } else if (minor < 0 || !devices.emplace(std::pair(kind, minor), device).second) {
      device.Ignored("has no minor, or that of another device");
    }
  }
  std::map<int64_t, bool> zones;
  for (const auto& [key, device] : devices) {
    const int64_t zone = device.Section("topology").Int64("nodeID", -1);
    if (zone >= 0 && zone <= kMostZoneOfDevice) zones[zone] = true;
  }
  for (const auto& [zone, has_devices] : zones) ZoneOfDevice(zone, node);
  std::vector<std::string> labels;
  for (const auto& [key, device] : devices) {
    node->devices.push_back(DeviceOf(device, model, node));
    std::vector<std::string> own;
    device.TextMap("labels");  // refuses other kinds
    for (const Field& label : device["labels"].Children()) {
      const std::string value = label.ScalarText();
      if (label.key().empty() || label.key().find_first_of(" ,;:=!*+") != label.key().npos ||
          value.find_first_of(",;:=!*+") != value.npos) {
        label.Ignored("a label of a device has none of , ; : = ! * +");
        continue;
      }
      own.push_back(absl::StrCat(ToAbsl(label.key()), "=", value));
    }
    if (own.empty()) continue;
    labels.push_back(absl::StrCat(node->devices.back().name, ":", absl::StrJoin(own, "+")));
  }
  if (labels.empty()) return;
  node->settings.emplace_back("koordinator/device_labels", absl::StrJoin(labels, ","));
}

void ReadHeld(const NodeSpec& node, std::string_view kind, const Field& entry,
              std::vector<DeviceHold>* held) {
  DeviceHold hold{.device = DeviceName(kind, entry.Int64("minor", 0))};
  if (std::ranges::find(node.devices, hold.device, &DeviceSpec::name) == node.devices.end()) {
    entry.Ignored(absl::StrCat("the node lists no device ", Quote(hold.device)));
    return;
  }
  const auto is_same = [&](const DeviceHold& other) { return other.device == hold.device; };
  if (std::ranges::any_of(*held, is_same)) {
    entry.Ignored("the device is listed already");
    return;
  }
  const AmountMap amounts = ReadAmounts(entry.Section("resources"));
  ExactAmount percent = 0;
  for (const std::string_view name : kPercentNames) {
    const ExactAmount* amount = FindAmount(amounts, name);
    if (amount != nullptr) percent = std::max(percent, *amount / kAmountUnit);
  }
  hold.milli = static_cast<int64_t>(std::clamp<ExactAmount>(percent * 10, 1, 1000));
  const ExactAmount* memory = FindAmount(amounts, kGpuMemory);
  if (kind == "gpu" && memory != nullptr) hold.memory = ToQuantity("memory", *memory);
  held->push_back(std::move(hold));
}

void ReadAllocated(const ApiObject& object, const NodeSpec& node, std::vector<DeviceHold>* held) {
  WithAnnotation(object, kAllocated, [&](const Field& allocated) {
    for (const std::string_view kind : kDeviceKindNames) {
      for (const Field& entry : allocated.Items(kind)) ReadHeld(node, kind, entry, held);
    }
  });
}

void ReadJointKinds(const ApiObject& pod, Labels* labels) {
  WithWishes(pod, kJointAllocate, [&](const Field& joint) {
    const std::vector<std::string> kinds = joint.Texts("deviceTypes");
    for (const Field& kind : joint["deviceTypes"].Children()) {
      if (IsKnownKind(kind.ScalarText())) continue;
      kind.Ignored(absl::StrCat("devices of type ", kind.Describe(), " are not known"));
    }
    const std::string scope = KnownWord(joint["requiredScope"], kScopes);
    if (kinds.empty()) return;
    labels->emplace_back("koordinator/joint-devices", absl::StrJoin(kinds, ","));
    if (!scope.empty()) labels->emplace_back("koordinator/joint-scope", scope);
  });
}

std::string DeviceSelectorOf(const Field& selector) {
  const std::optional<Selector> read = ReadSelector(selector);
  if (!read) return "";
  if (const std::optional<Field> odd = NotPlainIn(selector)) {
    selector.Ignored(absl::StrCat(Quote(IsPlainText(odd->key()) ? odd->ScalarText() : odd->key()),
                                  " is no label"));
    return "";
  }
  return SelectorText(*read);
}

// What hints have besides is reported: virtual functions. Of the policies of exclusive use, the
// peer follows that of devices alone, and of those that are counted.
void ReadHints(const ApiObject& pod, Labels* labels) {
  const auto add = [&](const std::string& key, const std::string& text) {
    if (!text.empty()) labels->emplace_back(absl::StrCat("koordinator/", key), text);
  };
  WithWishes(pod, kAllocateHint, [&](const Field& hints) {
    const Field gpus = hints.Section("gpu");
    if (gpus.given()) {
      add("gpu-scope", KnownWord(gpus["requiredTopologyScope"], kGpuScopes));
      add("gpu-selector", DeviceSelectorOf(gpus["selector"]));
      KnownWord(gpus["exclusivePolicy"], kExclusives);
    }
    for (const char* kind : {"rdma", "fpga"}) {
      const Field hint = hints.Section(kind);
      if (!hint.given()) continue;
      add(absl::StrCat(kind, "-strategy"), KnownWord(hint["allocateStrategy"], kHintStrategies));
      add(absl::StrCat(kind, "-selector"), DeviceSelectorOf(hint["selector"]));
      if (hint["vfSelector"].given()) {
        hint["vfSelector"].Ignored("virtual functions are not assigned");
      }
      const std::string exclusive = KnownWord(hint["exclusivePolicy"], kExclusives);
      if (exclusive == "DeviceLevel") add(absl::StrCat(kind, "-exclusive"), exclusive);
    }
  });
  WithWishes(pod, kPartitionSpec, [&](const Field& spec) {
    const std::string policy = KnownWord(spec["allocatePolicy"], kPartitionPolicies);
    add("gpu-partition", policy.empty() ? "BestEffort" : policy);
    const Field bandwidth = spec["ringBusBandwidth"];
    if (bandwidth.given()) {
      add("gpu-bandwidth", ToQuantity("memory", ReadAmount(bandwidth)).text);
    }
  });
  // The label itself is read by the profile.
  const std::string* isolation = pod.Label(kIsolation);
  if (isolation != nullptr && *isolation != "HAMi-core") {
    pod.log()->Ignored(pod.place(), absl::StrCat("metadata.labels", JsonPathStep(kIsolation)),
                       absl::StrCat(Quote(*isolation), " is not HAMi-core"));
  }
}

}  // namespace

void ReadDevices(const Dump& dump, ClusterSpec* cluster) {
  HashMap<std::string, size_t> nodes;
  for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes[cluster->nodes[i].name] = i;
  for (const ApiObject* object : dump.OfKind("Device")) {
    const auto found = nodes.find(object->name());
    if (found == nodes.end()) {
      object->log()->LeftOut(object->place(), "metadata.name", "is no node that is there");
      continue;
    }
    NodeSpec& node = cluster->nodes[found->second];
    const std::string* model = object->Label(kGpuModel);
    const auto of_node = std::ranges::find(node.labels, kGpuModel, &Labels::value_type::first);
    if (model == nullptr && of_node != node.labels.end()) model = &of_node->second;
    ReadDevicesOf(*object, model == nullptr ? std::string_view() : *model, &node);
  }
}

void ReadDeviceHoldings(const Dump::Objects& pods, ClusterSpec* cluster) {
  HashMap<std::string, const NodeSpec*> nodes;
  for (const NodeSpec& node : cluster->nodes) nodes[node.name] = &node;
  for (size_t i = 0; i < pods.size(); ++i) {
    TaskSpec& task = cluster->tasks[i];
    ReadJointKinds(*pods[i], &task.shape.labels);
    ReadHints(*pods[i], &task.shape.labels);
    const auto node = nodes.find(task.node);
    if (task.node.empty() || node == nodes.end()) continue;
    ReadAllocated(*pods[i], *node->second, &task.devices);
  }
}

void ReadReservedDevices(const ApiObject& object, const NodeSpec& node, TaskShape* shape) {
  std::vector<DeviceHold> held;
  ReadAllocated(object, node, &held);
  if (held.empty()) return;
  const auto write = [](std::string* out, const DeviceHold& hold) {
    absl::StrAppend(out, hold.device, ":", hold.milli, ":", hold.memory.text);
  };
  shape->labels.emplace_back("koordinator/device-parts", absl::StrJoin(held, ",", write));
}

}  // namespace muster
