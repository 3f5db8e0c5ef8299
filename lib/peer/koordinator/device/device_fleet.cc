// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/device/device_fleet.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster {
namespace {

constexpr uint32_t kNoClass = ~uint32_t{0};

// Values one after the other, so that equal keys have equal values.
class KeyWriter {
 public:
  void Add(int64_t value) { key_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void Add(std::string_view text) {
    Add(static_cast<int64_t>(text.size()));
    key_.append(text);
  }
  void Add(const DeviceAmounts& amounts) {
    int64_t named = 0;
    amounts.ForEach([&](DeviceResource r, int64_t) { named |= int64_t{1} << static_cast<int>(r); });
    Add(named);
    amounts.ForEach([&](DeviceResource, int64_t amount) { Add(amount); });
  }
  void Add(const DeviceLabels& labels) {
    Add(static_cast<int64_t>(labels.size()));
    for (const auto& [name, value] : labels) {
      Add(name);
      Add(value);
    }
  }

  std::string Take() { return std::move(key_); }

 private:
  std::string key_;
};

void AddDevice(const Device& device, KeyWriter* key) {
  key->Add(device.minor);
  key->Add(device.healthy);
  key->Add(device.total);
  key->Add(device.placed);
  key->Add(device.zone);
  key->Add(device.bus);
  key->Add(device.labels);
  key->Add(static_cast<int64_t>(device.virtual_groups.size()));
  for (const Device::VirtualGroup& group : device.virtual_groups) {
    key->Add(group.labels);
    key->Add(static_cast<int64_t>(group.functions.size()));
    for (const std::string& function : group.functions) key->Add(function);
  }
}

std::string StateOf(const MachineDevices& machine) {
  KeyWriter key;
  for (const DeviceAccount& book : machine.books) {
    key.Add(static_cast<int64_t>(book.devices.size()));
    for (size_t i = 0; i < book.devices.size(); ++i) {
      AddDevice(book.devices[i], &key);
      key.Add(book.used[i]);
    }
    key.Add(static_cast<int64_t>(book.used_functions.size()));
    for (const auto& [minor, function] : book.used_functions) {
      key.Add(minor);
      key.Add(function);
    }
  }
  key.Add(static_cast<int64_t>(machine.partitions.size()));
  for (const GpuPartitions& of_size : machine.partitions) {
    key.Add(of_size.gpus);
    key.Add(static_cast<int64_t>(of_size.partitions.size()));
    for (const GpuPartition& partition : of_size.partitions) {
      key.Add(static_cast<int64_t>(partition.minors));
      key.Add(partition.score);
      key.Add(partition.bandwidth.has_value());
      key.Add(partition.bandwidth.value_or(0));
    }
  }
  key.Add(machine.model);
  key.Add(machine.honors_partitions);
  key.Add(machine.secondary_well_planned);
  return key.Take();
}

// Machines with partitions are of one count only if they are of one state.
std::string CountOf(const MachineDevices& machine, const std::string& state) {
  if (!machine.partitions.empty() || machine.honors_partitions) return state;
  const DeviceAccount& gpus = machine.book(DeviceKind::kGpu);
  std::vector<std::string> levels;
  bool placed = true;
  for (size_t i = 0; i < gpus.devices.size(); ++i) {
    placed &= gpus.devices[i].placed;
    KeyWriter level;
    level.Add(gpus.devices[i].total);
    level.Add(gpus.used[i]);
    levels.push_back(level.Take());
  }
  std::sort(levels.begin(), levels.end());
  KeyWriter key;
  key.Add(placed);
  for (const std::string& level : levels) key.Add(level);
  return key.Take();
}

// Returns whether machines of one count are alike to the request.
bool IsOfCounts(const DeviceClaim& request) {
  for (size_t k = 0; k < kDeviceKinds; ++k) {
    const bool gpus = static_cast<DeviceKind>(k) == DeviceKind::kGpu;
    if (request.wishes[k].total.IsZero() == gpus) return false;
  }
  const DeviceWish& wish = request.of(DeviceKind::kGpu);
  return !wish.selector.has_value() && !wish.function_selector.has_value() &&
         request.scope == GpuScope::kAny && !request.by_partition && !request.templates.has_value();
}

}  // namespace

void DeviceFleet::Classes::Clear(size_t count) {
  numbers.clear();
  machines.clear();
  of_machine.assign(count, kNoClass);
}

void DeviceFleet::Classes::Put(size_t m, const std::string& key) {
  const auto [found, is_new] = numbers.try_emplace(key, static_cast<uint32_t>(numbers.size()));
  if (is_new) machines.push_back(0);
  if (of_machine[m] != kNoClass) --machines[of_machine[m]];
  of_machine[m] = found->second;
  ++machines[found->second];
}

DeviceFleet::DeviceFleet(std::vector<MachineDevices> machines) : machines_(std::move(machines)) {
  states_.Clear(machines_.size());
  counts_.Clear(machines_.size());
  for (size_t m = 0; m < machines_.size(); ++m) Number(m);
}

void DeviceFleet::Number(size_t m) {
  const std::string state = StateOf(machines_[m]);
  states_.Put(m, state);
  counts_.Put(m, CountOf(machines_[m], state));
}

// Classes without machines are forgotten once they are the most.
void DeviceFleet::Note(size_t m) {
  Number(m);
  if (std::max(states_.machines.size(), counts_.machines.size()) <= 2 * machines_.size() + 64) {
    return;
  }
  states_.Clear(machines_.size());
  counts_.Clear(machines_.size());
  for (size_t every = 0; every < machines_.size(); ++every) Number(every);
}

void DeviceFleet::Take(size_t m, const DeviceGrants& grants) {
  muster::Take(grants, &machines_[m]);
  Note(m);
}

void DeviceFleet::Release(size_t m, const DeviceGrants& grants) {
  muster::Release(grants, &machines_[m]);
  Note(m);
}

void DeviceFleet::Set(size_t m, MachineDevices machine) {
  machines_[m] = std::move(machine);
  Note(m);
}

void DeviceFleet::Filter(const DeviceClaim& request, std::vector<DeviceVerdict>* verdicts) const {
  const Classes& classes = IsOfCounts(request) ? counts_ : states_;
  std::vector<DeviceVerdict> of_class(classes.machines.size());
  std::vector<bool> asked(classes.machines.size());
  verdicts->resize(machines_.size());
  for (size_t m = 0; m < machines_.size(); ++m) {
    const uint32_t c = classes.of_machine[m];
    if (!asked[c]) {
      const DeviceAnswer answer =
          ChooseDevices(machines_[m], request, /*scorer=*/nullptr, /*final=*/false);
      of_class[c] = {answer.reason, answer.kind};
      asked[c] = true;
    }
    (*verdicts)[m] = of_class[c];
  }
}

}  // namespace muster
