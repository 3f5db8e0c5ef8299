// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_cpus.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster::testing {
namespace {

class CpuMaker {
 public:
  CpuMaker(Rng& rng, ClusterSpec* world) : rng_(rng), world_(*world) {}

  void Run() {
    std::vector<NodeSpec> machines;
    for (int64_t m = Between(1, 2); m > 0; --m) machines.push_back(Machine());
    const Alignment usual = SomeAlignment();
    for (NodeSpec& node : world_.nodes) {
      if (rng_.Chance(0.1)) continue;
      const NodeSpec& machine = One(machines);
      node.zones = machine.zones;
      if (!rng_.Chance(0.1)) node.devices = machine.devices;
      node.alignment = rng_.Chance(0.7) ? usual : SomeAlignment();
      for (DeviceSpec& device : node.devices) device.healthy = !rng_.Chance(0.05);
      if (!node.allocatable && rng_.Chance(0.2)) Reserve(node);
    }
    for (TaskSpec& task : world_.tasks) {
      task.shape.guaranteed_qos = rng_.Chance(0.8);
      if (rng_.Chance(0.5)) task.shape.alignment = rng_.Chance(0.7) ? usual : SomeAlignment();
      if (rng_.Chance(0.8)) AddContainers(task.shape);
      if (rng_.Chance(0.15)) task.shape.devices = {{.kind = "gpu", .milli = 500}};
      if (rng_.Chance(0.05)) task.shape.devices = {{.kind = "cpu", .count = Between(1, 2)}};
      if (!task.node.empty() && HoldsNode(task.status) && rng_.Chance(0.6)) Hold(task);
    }
  }

 private:
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(high - low) + 1));
  }
  template <class T>
  const T& One(const std::vector<T>& items) {
    return items[rng_.Below(items.size())];
  }
  Alignment SomeAlignment() {
    return One<Alignment>({Alignment::kSingleNumaNode, Alignment::kSingleNumaNode,
                           Alignment::kRestricted, Alignment::kRestricted, Alignment::kBestEffort,
                           Alignment::kNone, Alignment::kUnset});
  }

  NodeSpec Machine() {
    NodeSpec machine;
    const int64_t zones = Between(1, 3), cores = Between(1, 4), threads = Between(1, 2);
    const bool two_sockets = rng_.Chance(0.5), by_socket = rng_.Chance(0.3);
    for (int64_t z = 0; z < zones; ++z) machine.zones.push_back({.name = absl::StrCat("z", z)});
    int64_t cpu = 0, core = 0;
    for (int64_t z = 0; z < zones; ++z) {
      const int64_t socket = two_sockets ? z * 2 / zones : 0;
      if (by_socket && z > 0 && socket != (z - 1) * 2 / zones) core = 0;
      for (int64_t c = rng_.Chance(0.1) ? 1 : cores; c > 0; --c, ++core) {
        for (int64_t t = 0; t < threads; ++t, ++cpu) {
          machine.devices.push_back(
              {.name = absl::StrCat(cpu),
               .kind = "cpu",
               .zone = absl::StrCat("z", z),
               .links = {absl::StrCat("socket-", socket), absl::StrCat("core-", core)}});
        }
      }
    }
    if (rng_.Chance(0.5)) machine.devices.push_back({.name = "g", .kind = "gpu", .zone = "z0"});
    // CPUs in any order.
    for (size_t i = machine.devices.size(); i > 1; --i) {
      std::swap(machine.devices[i - 1], machine.devices[rng_.Below(i)]);
    }
    return machine;
  }

  void Reserve(NodeSpec& node) {
    node.allocatable = node.capacity;
    for (auto& [name, quantity] : *node.allocatable) {
      if (name != "cpu") continue;
      const int64_t all = *ParseQuantity(quantity.text, Unit::kMilli);
      quantity = absl::StrCat(std::max<int64_t>(0, all - One<int64_t>({1, 1000, 2000})), "m");
    }
  }

  void AddContainers(TaskShape& shape) {
    shape.containers.clear();
    for (int64_t c = One<int64_t>({1, 1, 1, 2, 2, 3}); c > 0; --c) {
      ContainerSpec& container = shape.containers.emplace_back();
      container.init = rng_.Chance(0.1);
      container.sidecar = rng_.Chance(0.05);
      if (rng_.Chance(0.1)) continue;
      container.request.emplace_back("cpu", One<Quantity>({1, 1, 2, 2, 3, 4, "500m", 0}));
    }
  }

  void Hold(TaskSpec& task) {
    for (const NodeSpec& node : world_.nodes) {
      if (node.name != task.node) continue;
      for (const DeviceSpec& device : node.devices) {
        if (!rng_.Chance(0.3) || !held_.insert(node.name + "/" + device.name).second) continue;
        task.devices.push_back({.device = device.name, .milli = rng_.Chance(0.9) ? 1000 : 1});
      }
    }
  }

  Rng& rng_;
  ClusterSpec& world_;
  std::set<std::string> held_;  // by node and device
};

}  // namespace

void AddCpus(Rng& rng, ClusterSpec* world) { CpuMaker(rng, world).Run(); }

}  // namespace muster::testing
