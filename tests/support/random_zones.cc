// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_zones.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster::testing {
namespace {

int64_t Parse(const std::string& name, const Quantity& quantity) {
  return *ParseQuantity(quantity.text, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole);
}

Quantity Write(const std::string& name, int64_t amount) {
  return IsMilliDimension(name) ? Quantity(absl::StrCat(amount, "m")) : Quantity(amount);
}

class ZoneMaker {
 public:
  ZoneMaker(Rng& rng, ClusterSpec* world) : rng_(rng), world_(*world) {}

  void Run() {
    many_ = rng_.Chance(0.3);
    for (NodeSpec& node : world_.nodes) {
      if (!rng_.Chance(0.15)) Divide(node);
    }
    for (TaskSpec& task : world_.tasks) {
      task.shape.guaranteed_qos = rng_.Chance(0.7);
      if (rng_.Chance(0.3)) AddContainers(task.shape);
      if (rng_.Chance(0.4)) task.started = -Between(0, 60);
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

  void Divide(NodeSpec& node) {
    node.alignment = One<Alignment>({Alignment::kSingleNumaNode, Alignment::kSingleNumaNode,
                                     Alignment::kSingleNumaNode, Alignment::kRestricted,
                                     Alignment::kBestEffort, Alignment::kNone, Alignment::kUnset});
    if (rng_.Chance(0.4)) node.alignment_scope = AlignmentScope::kPod;
    const bool reports = rng_.Chance(0.6), far = rng_.Chance(0.5);
    if (rng_.Chance(0.4)) node.zones_measured = -Between(0, 60);
    const int64_t count = Between(1, many_ ? 4 : 2);
    for (int64_t z = 0; z < count; ++z) {
      ZoneSpec& zone = node.zones.emplace_back();
      zone.name = absl::StrCat("z", z);
      for (const auto& [name, quantity] : node.capacity) {
        if (name == "pods" || rng_.Chance(0.05)) continue;
        zone.capacity.emplace_back(name, Write(name, Parse(name, quantity) / count));
      }
    }
    for (ZoneSpec& zone : node.zones) {
      if (reports && !rng_.Chance(0.1)) Report(zone);
      for (const ZoneSpec& to : node.zones) {
        if (far && !rng_.Chance(0.1)) {
          zone.distances.emplace_back(to.name, One<int64_t>({10, 12, 20, 32}));
        }
      }
    }
  }

  void Report(ZoneSpec& zone) {
    zone.available.emplace();
    for (const auto& [name, quantity] : zone.capacity) {
      if (rng_.Chance(0.05)) continue;
      const int64_t all = Parse(name, quantity);
      zone.available->emplace_back(name, Write(name, One<int64_t>({all, all, all / 2, 0})));
    }
  }

  // Halves of what the task requests, and some that run before them.
  void AddContainers(TaskShape& shape) {
    shape.containers.clear();
    for (int64_t c = Between(1, 4); c > 0; --c) {
      ContainerSpec& container = shape.containers.emplace_back();
      container.init = rng_.Chance(0.25);
      container.sidecar = rng_.Chance(0.15);
      for (const auto& [name, quantity] : shape.request) {
        if (rng_.Chance(0.2)) continue;
        container.request.emplace_back(name, Write(name, Parse(name, quantity) / Between(1, 3)));
      }
    }
  }

  Rng& rng_;
  ClusterSpec& world_;
  bool many_ = false;
};

}  // namespace

void AddZones(Rng& rng, ClusterSpec* world) { ZoneMaker(rng, world).Run(); }

}  // namespace muster::testing
