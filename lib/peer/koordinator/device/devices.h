// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The devices of one machine, and what of them is used.
//
//   MachineDevices machine;                              // what the machine has, and its books
//   DeviceAccount& gpus = machine.book(DeviceKind::kGpu);
//   gpus.devices.push_back({.minor = 0, .total = amounts, .zone = 0, .bus = "3"});
//   gpus.used.emplace_back();
//
// A device is a GPU, an RDMA card or an FPGA with a number of its kind (its minor). Amounts are
// whole units; a GPU's core and memory ratio, and all of an RDMA card or FPGA, are hundredths of
// it. An unhealthy device has no amounts.
#ifndef MUSTER_PEER_KOORDINATOR_DEVICE_DEVICES_H_
#define MUSTER_PEER_KOORDINATOR_DEVICE_DEVICES_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace muster {

enum class DeviceKind : uint8_t { kGpu, kRdma, kFpga };
inline constexpr size_t kDeviceKinds = 3;

enum class DeviceResource : uint8_t {
  kCore,
  kMemory,
  kRatio,
  kNpuCore,
  kNpuCpu,
  kNpuDvpp,
  kRdma,
  kFpga
};
inline constexpr size_t kDeviceResources = 8;

// Amounts of some of the resources; the others are absent.
class DeviceAmounts {
 public:
  bool has(DeviceResource r) const { return keys_ >> Bit(r) & 1; }
  int64_t at(DeviceResource r) const { return values_[Bit(r)]; }
  void Set(DeviceResource r, int64_t value) {
    values_[Bit(r)] = value;
    keys_ = static_cast<uint8_t>(keys_ | 1 << Bit(r));
  }
  bool IsZero() const {
    return std::all_of(values_.begin(), values_.end(), [](int64_t value) { return value == 0; });
  }
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (unsigned keys = keys_; keys != 0; keys &= keys - 1) {
      const size_t r = static_cast<size_t>(std::countr_zero(keys));
      visit(static_cast<DeviceResource>(r), values_[r]);
    }
  }
  void Add(const DeviceAmounts& more) {
    more.ForEach([&](DeviceResource r, int64_t value) { Set(r, at(r) + value); });
  }
  void SubtractDownToZero(const DeviceAmounts& less) {
    less.ForEach([&](DeviceResource r, int64_t value) { Set(r, at(r) - value); });
    for (int64_t& value : values_) value = std::max<int64_t>(value, 0);
  }
  // Returns whether the request fits. Resources that either side does not name are no obstacle.
  bool FitsIn(const DeviceAmounts& free) const {
    bool fits = true;
    ForEach([&](DeviceResource r, int64_t value) { fits &= !free.has(r) || value <= free.at(r); });
    return fits;
  }
  friend bool operator==(const DeviceAmounts&, const DeviceAmounts&) = default;

 private:
  static constexpr size_t Bit(DeviceResource r) { return static_cast<size_t>(r); }

  std::array<int64_t, kDeviceResources> values_ = {};  // 0 where absent
  uint8_t keys_ = 0;
};

using DeviceLabels = std::vector<std::pair<std::string, std::string>>;

// A selector matches if all of its rules hold, each for the value of one label.
struct LabelSelector {
  enum class Op : uint8_t { kIn, kNotIn, kExists, kDoesNotExist };
  struct Rule {
    std::string key;
    Op op = Op::kIn;
    std::vector<std::string> values;
  };
  std::vector<Rule> rules;

  bool Matches(const DeviceLabels& labels) const;
};

struct Device {
  int minor = 0;
  bool healthy = true;
  DeviceAmounts total = {};  // empty if it is not healthy
  bool placed = true;        // whether the next two are known
  int zone = 0;              // -1: near all of them
  std::string bus = {};      // its PCIe switch
  DeviceLabels labels = {};
  // Parts of a network card that appear as cards of their own.
  struct VirtualGroup {
    DeviceLabels labels;
    std::vector<std::string> functions;  // by their address on the bus
  };
  std::vector<VirtualGroup> virtual_groups = {};
};

// All devices of a kind, ascending by minor.
struct DeviceAccount {
  std::vector<Device> devices;
  std::vector<DeviceAmounts> used;  // of each
  std::set<std::pair<int, std::string>> used_functions;

  std::optional<size_t> Find(int minor) const;
  DeviceAmounts Free(size_t i) const {
    DeviceAmounts free = devices[i].total;
    free.SubtractDownToZero(used[i]);
    return free;
  }
};

// Groups of GPUs that are wired to each other, for one number of GPUs.
struct GpuPartition {
  uint64_t minors = 0;
  int64_t score = 1;
  std::optional<int64_t> bandwidth = {};
};
struct GpuPartitions {
  int gpus = 0;
  std::vector<GpuPartition> partitions;
};

struct MachineDevices {
  std::array<DeviceAccount, kDeviceKinds> books;
  std::vector<GpuPartitions> partitions;  // empty: not known
  std::string model;                      // vendor and model of its GPUs, for templates of shares
  bool honors_partitions = false;         // GPUs are assigned by partition only
  bool secondary_well_planned = false;    // its GPUs always have cards enough beside them

  DeviceAccount& book(DeviceKind kind) { return books[static_cast<size_t>(kind)]; }
  const DeviceAccount& book(DeviceKind kind) const { return books[static_cast<size_t>(kind)]; }
};

// Checks what the functions of this folder rely on, and returns an error that names the first
// broken rule:
// - Minors are from 0 to 63, ascending.
// - Books are as long as the lists of devices.
// - No amount is below 0.
// - A function is named once.
// - A partition has as many GPUs as its table states. One with a GPU that is not there is never
//   chosen.
absl::Status CheckDevices(const MachineDevices& machine);

// Returns the partitions of an eight-GPU machine with NVSwitch: singles, pairs, halves, all.
std::vector<GpuPartitions> HopperPartitions();

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_DEVICE_DEVICES_H_
