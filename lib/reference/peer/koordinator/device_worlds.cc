// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Choosing devices as the rules say it, without a bit and without a cache.
#include "lib/reference/peer/koordinator/device_worlds.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::reference {
namespace {

using Kind = DeviceWorld::Kind;
using One = DeviceWorld::One;

int64_t Of(const Quantities& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

Quantities FreeOf(const One& device) {
  Quantities free = device.total;
  for (const auto& [name, used] : device.used)
    free[name] = std::max<int64_t>(0, Of(free, name) - used);
  return free;
}

bool AllZero(const Quantities& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](const auto& a) { return a.second == 0; });
}

bool Fits(const Quantities& each, const Quantities& free) {
  return std::all_of(free.begin(), free.end(), [&](const auto& amount) {
    return each.count(amount.first) == 0 || each.at(amount.first) <= amount.second;
  });
}

int64_t Fullness(const DeviceWorld& world, const Quantities& each, const Quantities& total,
                 const Quantities& free) {
  int64_t sum = 0, weights = 0;
  for (const auto& [name, weight] : world.weights) {
    const int64_t all = Of(total, name);
    if (all == 0) continue;
    const int64_t after = all < Of(free, name) ? all : all - Of(free, name) + Of(each, name);
    int64_t score;
    if (world.prefer_full) {
      score = (after > all ? all : after) * 100 / all;
    } else {
      score = after > all ? 0 : (all - after) * 100 / all;
    }
    sum += weight * score;
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

std::set<int> InUse(const Kind& gpus) {
  std::set<int> used;
  for (const auto& [minor, gpu] : gpus.devices) {
    if (!AllZero(gpu.used)) used.insert(minor);
  }
  return used;
}

bool Overlap(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int x) { return b.count(x) > 0; });
}

// Higher is better: larger groups stay whole.
int64_t Worth(const DeviceWorld& world, const std::set<int>& used, size_t least) {
  std::map<size_t, int64_t> lowest;
  for (const auto& group : world.groups) {
    const auto [entry, added] = lowest.try_emplace(group.gpus.size(), group.score);
    if (!added) entry->second = std::min(entry->second, group.score);
  }
  int64_t worth = 0;
  for (const auto& group : world.groups) {
    const size_t size = group.gpus.size();
    const int64_t weight = size == 8 ? 10000 : size == 4 ? 100 : size == 2 ? 1 : 0;
    if (size < least || group.score != lowest[size] || Overlap(group.gpus, used)) continue;
    worth += weight * group.score;
  }
  return worth;
}

std::optional<std::vector<int>> ByGroup(const DeviceWorld& world, const Kind& gpus) {
  const std::set<int> used = InUse(gpus);
  const size_t size = static_cast<size_t>(gpus.count);
  std::map<int64_t, std::vector<std::set<int>>> by_score;
  for (const auto& group : world.groups) {
    if (group.gpus.size() == size) by_score[group.score].push_back(group.gpus);
  }
  for (const auto& [score, groups] : by_score) {
    const std::set<int>* best = nullptr;
    for (const std::set<int>& group : groups) {
      const bool there = std::all_of(group.begin(), group.end(), [&](int minor) {
        const auto gpu = gpus.devices.find(minor);
        return gpu != gpus.devices.end() && gpu->second.matches && !AllZero(gpu->second.total);
      });
      if (!there || Overlap(group, used)) continue;
      const auto with = [&](const std::set<int>& more) {
        std::set<int> all = used;
        all.insert(more.begin(), more.end());
        return Worth(world, all, size);
      };
      if (best == nullptr || with(group) > with(*best)) best = &group;
    }
    if (best != nullptr) return std::vector<int>(best->begin(), best->end());
    if (world.first_groups_only) return std::nullopt;
  }
  return std::nullopt;
}

struct Place {
  std::vector<int> minors;
  int depth = 0, busy = 0;
  int64_t score = -1;
};

using Members = std::vector<std::pair<int, const One*>>;  // minors and their GPUs

// The GPUs of a tree and what is asked of them.
struct Tree {
  const DeviceWorld& world;
  const Kind& gpus;

  bool LargeEnough(const Members& members) const {
    return static_cast<int64_t>(members.size()) >= gpus.count;
  }
  int Busy(const Members& members) const {
    const std::set<int> used = InUse(gpus);
    return std::any_of(members.begin(), members.end(),
                       [&](const auto& member) { return used.count(member.first) > 0; })
               ? 1
               : 0;
  }
  bool Better(const Place& a, const std::optional<Place>& b) const {
    if (!b.has_value()) return true;
    return std::tuple(a.depth, a.busy, world.partial ? a.score : 0) >
           std::tuple(b->depth, b->busy, world.partial ? b->score : 0);
  }
  std::optional<Place> Try(const Members& members, int depth, int busy) const;
  std::optional<Place> InZone(const std::map<std::string, Members>& buses,
                              const Members& all) const;
};

std::optional<Place> Tree::Try(const Members& members, int depth, int busy) const {
  Place place{.minors = {}, .depth = depth, .busy = busy};
  for (const auto& [minor, gpu] : members) {
    const Quantities free = FreeOf(*gpu);
    if (AllZero(gpu->total) || !gpu->matches || !Fits(gpus.each, free)) continue;
    if (!world.partial) {
      if (static_cast<int64_t>(place.minors.size()) < gpus.count) place.minors.push_back(minor);
      continue;
    }
    const int64_t score = world.scored ? Fullness(world, gpus.each, free, gpu->total) : 0;
    if (score > place.score) {
      place.score = score;
      place.minors = {minor};
    }
  }
  if (static_cast<int64_t>(place.minors.size()) < gpus.count) return std::nullopt;
  return place;
}

std::optional<Place> Tree::InZone(const std::map<std::string, Members>& buses,
                                  const Members& all) const {
  Members in_zone;
  for (const auto& [bus, members] : buses) {
    in_zone.insert(in_zone.end(), members.begin(), members.end());
  }
  std::sort(in_zone.begin(), in_zone.end());
  if (!LargeEnough(in_zone)) return std::nullopt;
  const int zone_busy = Busy(all) + Busy(in_zone);
  std::optional<Place> best;
  for (const auto& [bus, members] : buses) {
    if (!LargeEnough(members)) continue;
    const std::optional<Place> place = Try(members, 3, zone_busy + Busy(members));
    if (place.has_value() && Better(*place, best)) best = place;
  }
  if (!best.has_value() && world.scope <= 2) best = Try(in_zone, 2, zone_busy);
  return best;
}

// All places of the tree, the smaller zone and bus first, and of each all that is inside before
// itself.
std::optional<std::vector<int>> InTree(const DeviceWorld& world, const Kind& gpus) {
  const Tree tree{world, gpus};
  Members all;
  std::map<int, std::map<std::string, Members>> zones;
  for (const auto& [minor, gpu] : gpus.devices) {
    all.push_back({minor, &gpu});
    zones[std::stoi(gpu.zone)][gpu.bus].push_back({minor, &gpu});
  }
  if (!tree.LargeEnough(all)) return std::nullopt;
  std::optional<Place> best;
  for (const auto& [zone, buses] : zones) {
    const std::optional<Place> place = tree.InZone(buses, all);
    if (place.has_value() && tree.Better(*place, best)) best = place;
  }
  if (!best.has_value() && world.scope <= 1) best = tree.Try(all, 1, tree.Busy(all));
  if (!best.has_value()) return std::nullopt;
  return best->minors;
}

std::optional<std::vector<int>> OneByOne(const DeviceWorld& world, const Kind& kind, int64_t count,
                                         size_t most, const std::set<std::string>& near) {
  std::map<std::string, int> on_bus;
  std::vector<std::tuple<int, int64_t, int>> order;  // round, -score, minor
  std::vector<std::pair<int64_t, int>> all;
  for (const auto& [minor, device] : kind.devices) {
    const int64_t score =
        world.scored ? Fullness(world, kind.each, device.total, FreeOf(device)) : 0;
    if (device.matches) all.push_back({-score, minor});
  }
  std::sort(all.begin(), all.end());
  for (const auto& [score, minor] : all) {
    const std::string& bus = kind.devices.at(minor).bus;
    const bool is_near = !bus.empty() && near.count(bus) > 0;
    order.push_back({is_near ? on_bus[bus]++ : 1 << 20, score, minor});
  }
  std::sort(order.begin(), order.end());
  std::vector<int> chosen;
  for (const auto& [round, score, minor] : order) {
    const One& device = kind.devices.at(minor);
    const Quantities free = FreeOf(device);
    if (chosen.size() == most || AllZero(free) || !Fits(kind.each, free)) continue;
    if (kind.wants_function && device.functions.empty()) continue;
    chosen.push_back(minor);
  }
  if (static_cast<int64_t>(chosen.size()) < count) return std::nullopt;
  return chosen;
}

std::optional<std::vector<int>> Choose(const DeviceWorld& world, const std::string& name,
                                       int64_t count, const std::set<std::string>& near) {
  const Kind& kind = world.kinds.at(name);
  const size_t most = std::max(static_cast<size_t>(count), near.size());
  if (name != "gpu") return OneByOne(world, kind, count, most, near);
  if (!world.partial) {
    const auto group = ByGroup(world, kind);
    if (group.has_value() || world.honor) return group;
  }
  const bool known = std::all_of(kind.devices.begin(), kind.devices.end(),
                                 [](const auto& entry) { return !entry.second.bus.empty(); });
  if (known && !(world.partial && kind.count > 1)) return InTree(world, kind);
  if (world.scope != 0) return std::nullopt;
  return OneByOne(world, kind, count, most, {});
}

std::set<std::string> Buses(const Kind& kind, const std::vector<int>& minors) {
  std::set<std::string> buses;
  for (int minor : minors) {
    if (!kind.devices.at(minor).bus.empty()) buses.insert(kind.devices.at(minor).bus);
  }
  return buses;
}

}  // namespace

std::optional<Chosen> ChooseDevices(const DeviceWorld& world) {
  std::set<std::string> open;
  for (const auto& [name, kind] : world.kinds) {
    if (kind.each.empty()) continue;
    if (kind.devices.empty() || kind.count < 1) return std::nullopt;
    if (kind.wants_function &&
        std::none_of(kind.devices.begin(), kind.devices.end(),
                     [](const auto& entry) { return entry.second.has_functions; })) {
      return std::nullopt;
    }
    open.insert(name);
  }
  Chosen chosen;
  if (open.size() > 1 && !world.joint.empty()) {
    std::set<std::string> buses;
    for (const std::string& name : world.joint) {
      const bool first = name == world.joint[0];
      int64_t count = world.kinds.at(name).count;
      if (!first && world.same_bus) count = std::max(count, static_cast<int64_t>(buses.size()));
      const auto minors = Choose(world, name, count, buses);
      if (!minors.has_value()) return std::nullopt;
      chosen[name] = *minors;
      open.erase(name);
      if (first) buses = Buses(world.kinds.at(name), *minors);
    }
    for (const std::string& name : world.joint) {
      if (world.same_bus && Buses(world.kinds.at(name), chosen[name]) != buses) return std::nullopt;
    }
  }
  for (const std::string& name : open) {
    const auto minors = Choose(world, name, world.kinds.at(name).count, {});
    if (!minors.has_value()) return std::nullopt;
    chosen[name] = *minors;
  }
  return chosen;
}

}  // namespace muster::reference
