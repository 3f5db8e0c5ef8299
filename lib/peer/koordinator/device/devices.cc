// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Labels and tables of devices.
#include "lib/peer/koordinator/device/devices.h"

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr const char* kKindNames[] = {"GPU", "RDMA card", "FPGA"};

template <typename... Text>
absl::Status Broken(const Text&... text) {
  return absl::InvalidArgumentError(absl::StrCat(text...));
}

bool AnyBelowZero(const DeviceAmounts& amounts) {
  bool below = false;
  amounts.ForEach([&](DeviceResource, int64_t amount) { below |= amount < 0; });
  return below;
}

absl::Status CheckBook(const DeviceAccount& book, const char* kind) {
  if (book.used.size() != book.devices.size()) {
    return Broken(kind, "s: ", book.devices.size(), " devices, and ", book.used.size(), " books");
  }
  for (size_t i = 0; i < book.devices.size(); ++i) {
    const Device& device = book.devices[i];
    if (device.minor < 0 || device.minor > 63) {
      return Broken(kind, " ", device.minor, ": minors are 0 to 63");
    }
    if (i > 0 && device.minor <= book.devices[i - 1].minor) {
      return Broken(kind, " ", device.minor, ": comes after ", book.devices[i - 1].minor,
                    "; minors ascend, and each is there once");
    }
    if (AnyBelowZero(device.total) || AnyBelowZero(book.used[i])) {
      return Broken(kind, " ", device.minor, ": an amount is below 0");
    }
    std::set<std::string> seen;
    for (const Device::VirtualGroup& group : device.virtual_groups) {
      for (const std::string& function : group.functions) {
        if (!seen.insert(function).second) {
          return Broken(kind, " ", device.minor, ": function \"", function, "\" is there twice");
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDevices(const MachineDevices& machine) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    if (absl::Status s = CheckBook(machine.books[k], kKindNames[k]); !s.ok()) return s;
  }
  for (const GpuPartitions& of_size : machine.partitions) {
    for (const GpuPartition& partition : of_size.partitions) {
      if (std::popcount(partition.minors) != of_size.gpus) {
        return Broken("partition of ", of_size.gpus, " GPUs: names ",
                      std::popcount(partition.minors));
      }
    }
  }
  return absl::OkStatus();
}

bool LabelSelector::Matches(const DeviceLabels& labels) const {
  return std::all_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    const auto label = std::find_if(labels.begin(), labels.end(),
                                    [&](const auto& entry) { return entry.first == rule.key; });
    const bool there = label != labels.end();
    const bool named =
        there && std::count(rule.values.begin(), rule.values.end(), label->second) > 0;
    switch (rule.op) {
      case Op::kIn:
        return named;
      case Op::kNotIn:
        return !named;
      case Op::kExists:
        return there;
      case Op::kDoesNotExist:
        return !there;
    }
    return false;
  });
}

std::optional<size_t> DeviceAccount::Find(int minor) const {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].minor == minor) return i;
  }
  return std::nullopt;
}

std::vector<GpuPartitions> HopperPartitions() {
  std::vector<GpuPartitions> table;
  for (int gpus : {1, 2, 4, 8}) {
    table.push_back({.gpus = gpus, .partitions = {}});
    const uint64_t first = (uint64_t{1} << gpus) - 1;
    for (int at = 0; at < 8; at += gpus) table.back().partitions.push_back({.minors = first << at});
  }
  return table;
}

}  // namespace muster
