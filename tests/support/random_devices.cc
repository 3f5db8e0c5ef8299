// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_devices.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/model/tables.h"

namespace muster::testing {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

class DeviceMaker {
 public:
  DeviceMaker(Rng& rng, ClusterSpec* world) : rng_(rng), world_(*world) {}

  void Run() {
    std::vector<std::vector<DeviceSpec>> machines;
    for (int64_t m = Between(1, 2); m > 0; --m) machines.push_back(Machine());
    for (NodeSpec& node : world_.nodes) {
      if (rng_.Chance(0.15)) continue;
      node.zones = {{.name = "z0"}, {.name = "z1"}};
      node.devices = One(machines);
      for (DeviceSpec& device : node.devices) {
        if (rng_.Chance(0.05)) device.healthy = false;
        free_[node.name + "/" + device.name] = {device.milli, MemoryOf(device)};
      }
    }
    std::vector<std::vector<DeviceRequest>> asks;
    for (int64_t a = Between(1, 3); a > 0; --a) asks.push_back(Asks());
    for (TaskSpec& task : world_.tasks) {
      if (rng_.Chance(0.7)) task.shape.devices = One(asks);
      if (!task.node.empty() && HoldsNode(task.status) && rng_.Chance(0.7)) Hold(task);
    }
  }

 private:
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(high - low) + 1));
  }
  template <class T>
  T One(const std::vector<T>& items) {
    return items[rng_.Below(items.size())];
  }
  static int64_t MemoryOf(const DeviceSpec& device) {
    return device.memory.text == "0" ? 0 : std::stoll(device.memory.text);
  }

  std::vector<DeviceSpec> Machine() {
    std::vector<DeviceSpec> devices;
    const bool memory = rng_.Chance(0.6), odd = rng_.Chance(0.2);
    for (int64_t d = Between(1, 5); d > 0; --d) {
      DeviceSpec device{.name = absl::StrCat("d", d), .kind = rng_.Chance(0.8) ? "gpu" : "nic"};
      device.model = One<std::string>({"a", "a", "b"});
      device.zone = One<std::string>({"z0", "z0", "z1", "z1", ""});
      for (const char* link : {"l0", "l1"}) {
        if (rng_.Chance(0.6)) device.links.push_back(link);
      }
      if (memory) device.memory = Quantity(Between(1, 3) * 8 * kGiB);
      if (odd) device.milli = One<int64_t>({1000, 1000, 500, 0, 2000});
      devices.push_back(std::move(device));
    }
    return devices;
  }

  std::vector<DeviceRequest> Asks() {
    std::vector<DeviceRequest> requests = {Ask("gpu")};
    if (rng_.Chance(0.25)) requests.push_back(Ask("nic"));
    if (requests.size() > 1 && rng_.Chance(0.5)) std::swap(requests[0], requests[1]);
    return requests;
  }

  DeviceRequest Ask(const std::string& kind) {
    DeviceRequest request{.kind = kind};
    request.count = rng_.Chance(0.7) ? 1 : Between(2, 3);
    request.milli = One<int64_t>({1000, 1000, 500, 500, 300, 700, 1});
    if (rng_.Chance(0.3)) request.memory = Quantity(Between(1, 2) * 4 * kGiB);
    if (rng_.Chance(0.2)) request.models = {One<std::string>({"a", "b", "c"})};
    if (rng_.Chance(0.1)) request.models = {"b", "a"};
    request.exclusive = rng_.Chance(0.15);
    request.same = One<SamePart>(
        {SamePart::kNode, SamePart::kNode, SamePart::kNode, SamePart::kZone, SamePart::kLink});
    return request;
  }

  void Hold(TaskSpec& task) {
    for (const NodeSpec& node : world_.nodes) {
      if (node.name != task.node) continue;
      for (const DeviceSpec& device : node.devices) {
        auto& [milli, memory] = free_[node.name + "/" + device.name];
        if (milli == 0 || !rng_.Chance(0.4)) continue;
        DeviceHold hold{.device = device.name, .milli = std::min(milli, One<int64_t>({1000, 500}))};
        if (rng_.Chance(0.4)) hold.memory = Quantity(std::min(memory, 4 * kGiB));
        milli -= hold.milli;
        if (hold.memory.text != "0") memory -= std::stoll(hold.memory.text);
        task.devices.push_back(std::move(hold));
      }
    }
  }

  Rng& rng_;
  ClusterSpec& world_;
  std::map<std::string, std::pair<int64_t, int64_t>> free_;  // by node and device: share, memory
};

}  // namespace

void AddDevices(Rng& rng, ClusterSpec* world) { DeviceMaker(rng, world).Run(); }

}  // namespace muster::testing
