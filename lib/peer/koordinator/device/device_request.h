// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads what a task requests of devices: turns the names that clusters use into one amount for each
// device.
//
//   absl::StatusOr<DeviceClaim> request = ReadDeviceRequest({{"nvidia.com/gpu", 2}});
//   request->of(DeviceKind::kGpu).each;       // core 100, ratio 100
//   request->of(DeviceKind::kGpu).count;      // 2
//
// The names and the combinations allowed are Koordinator's. Whole GPUs are requested by a vendor's
// name, by hundredths or by memory. `gpu.shared` is the number of devices that the rest is divided
// among. Anything above a whole device is a multiple of it.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_REQUEST_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_REQUEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/koordinator/device/devices.h"

namespace muster {

enum class DeviceStrategy : uint8_t { kAmount, kAllMatching, kAsCount };
// How near a task's GPUs must be to each other; ascending.
enum class GpuScope : uint8_t { kAny, kNode, kZone, kBus, kDevice };

struct DeviceWish {
  DeviceAmounts total;   // as requested; zero: none
  DeviceAmounts each;    // GPUs: of each device
  int64_t count = 1;     // GPUs: how many
  bool partial = false;  // GPUs: less than a whole one, or by memory
  std::optional<LabelSelector> selector,
      function_selector;  // the second: a virtual function of each, too
  DeviceStrategy strategy = DeviceStrategy::kAmount;
  bool whole_device = false;  // kAsCount: each one alone
};

struct DeviceClaim {
  std::array<DeviceWish, kDeviceKinds> wishes;
  std::vector<DeviceKind> joint;  // of these, the others near the first
  bool joint_same_bus = false;    // exactly on the buses of the first
  GpuScope scope = GpuScope::kAny;
  bool by_partition = false, first_partitions_only = false;
  std::optional<int64_t> bandwidth;
  // Where GPUs must be shared by a template: the names of those that fit, by the machine's model.
  std::optional<std::map<std::string, std::vector<std::string>>> templates;

  DeviceWish& of(DeviceKind kind) { return wishes[static_cast<size_t>(kind)]; }
  const DeviceWish& of(DeviceKind kind) const { return wishes[static_cast<size_t>(kind)]; }
};

// Amounts of a shared GPU that its model knows, by model and by the template's name.
using ShareTemplates = std::map<std::string, std::map<std::string, DeviceAmounts>>;

// Returns the names of the templates that fit, by model. `strict`: the request names all amounts of
// a template; else templates are compared in what the request names.
std::map<std::string, std::vector<std::string>> MatchingTemplates(const ShareTemplates& templates,
                                                                  const DeviceAmounts& request,
                                                                  bool strict);

// Names that are no device are ignored.
absl::StatusOr<DeviceClaim> ReadDeviceRequest(
    std::span<const std::pair<std::string, int64_t>> amounts);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_DEVICE_REQUEST_H_
