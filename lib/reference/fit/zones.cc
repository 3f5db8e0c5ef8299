// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The check and the scores, one zone and one resource at a time.
#include "lib/reference/fit/zones.h"

#include <algorithm>

namespace muster::reference {
namespace {

using World = ZoneWorld;
using Amounts = World::Amounts;

bool IsBound(const std::string& name) { return name == "cpu" || name == "memory"; }
int64_t Whole(const World& world, const std::string& name, int64_t amount) {
  return world.milli.contains(name) ? (amount + 999) / 1000 : amount;
}

// The lowest zone that has all; -1: none, -2: nothing is asked of any zone.
int ZoneFor(const World& world, const std::vector<World::Zone>& zones, const Amounts& request,
            std::string* short_of) {
  std::set<int> left;
  for (int id = 0; id < 64; ++id) left.insert(id);
  for (const auto& [name, amount] : request) {
    if (amount == 0) continue;
    if (short_of != nullptr) *short_of = name;
    if (!world.on_machine.contains(name)) return -1;
    std::set<int> suitable;
    bool anywhere = false;
    for (const World::Zone& zone : zones) {
      if (!zone.available.contains(name)) continue;
      anywhere = true;
      if ((!world.guaranteed && IsBound(name)) || zone.available.at(name) >= amount) {
        suitable.insert(zone.id);
      }
    }
    if (!anywhere && !IsBound(name)) continue;
    std::erase_if(left, [&](int id) { return !suitable.contains(id); });
    if (left.empty()) return -1;
  }
  return *left.begin();
}

double Distance(const std::vector<World::Zone>& zones, const std::vector<size_t>& set) {
  double sum = 0;
  for (size_t from : set) {
    for (size_t to : set) {
      const auto it = zones[from].distances.find(zones[to].id);
      sum += it == zones[from].distances.end() ? 255 : static_cast<double>(it->second);
    }
  }
  return sum / static_cast<double>(set.size() * set.size());
}

// All sets of `count` positions, in lexicographic order.
std::vector<std::vector<size_t>> Sets(size_t positions, size_t count) {
  std::vector<std::vector<size_t>> sets;
  for (uint64_t mask = 0; mask < uint64_t{1} << positions; ++mask) {
    std::vector<size_t> set;
    for (size_t i = 0; i < positions; ++i) {
      if (mask >> i & 1) set.push_back(i);
    }
    if (set.size() == count) sets.push_back(set);
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

std::vector<size_t> Fewest(const std::vector<World::Zone>& zones, const Amounts& request,
                           bool* is_closest) {
  for (size_t count = 1; count <= zones.size(); ++count) {
    double closest = 255;
    std::vector<size_t> best;
    double best_distance = 256;
    const auto sets = Sets(zones.size(), count);
    for (const auto& set : sets) closest = std::min(closest, Distance(zones, set));
    for (const auto& set : sets) {
      bool holds = true;
      for (const auto& [name, amount] : request) {
        int64_t sum = 0;
        for (size_t position : set) {
          if (!zones[position].available.contains(name))
            holds = false;
          else
            sum += zones[position].available.at(name);
        }
        if (sum < amount) holds = false;
      }
      if (holds && Distance(zones, set) < best_distance) {
        best = set;
        best_distance = Distance(zones, set);
      }
    }
    *is_closest = best_distance == closest;
    if (!best.empty()) return best;
  }
  return {};
}

bool ConcernsNone(const std::vector<World::Zone>& zones, const Amounts& request) {
  for (const World::Zone& zone : zones) {
    for (const auto& [name, amount] : request) {
      if (zone.available.contains(name)) return false;
    }
  }
  return true;
}

int64_t LeastOfZones(const World& world, const std::string& strategy, const Amounts& request) {
  int64_t least = 0;
  for (const World::Zone& zone : world.zones) {
    int64_t sum = 0, weights = 0, score = 0;
    std::vector<double> fractions;
    for (const auto& [name, amount] : request) {
      const auto it = zone.available.find(name);
      const int64_t has = it == zone.available.end() ? 0 : it->second;
      const auto weight = world.weights.find(name);
      const int64_t factor =
          weight == world.weights.end() || weight->second < 1 ? 1 : weight->second;
      weights += factor;
      const int64_t room = Whole(world, name, has), asked = Whole(world, name, amount);
      if (room == 0)
        fractions.push_back(1);
      else
        fractions.push_back(static_cast<double>(asked) / static_cast<double>(room));
      if (has == 0 || amount > has) continue;
      sum += factor * ((strategy == "most" ? asked : room - asked) * 100 / room);
    }
    if (request.empty()) {
      score = strategy == "balanced" ? 100 : 0;
    } else if (strategy != "balanced") {
      score = sum / weights;
    } else if (*std::max_element(fractions.begin(), fractions.end()) <= 1) {
      double mean = 0, variance = 0;
      for (double fraction : fractions) mean += fraction;
      mean /= static_cast<double>(fractions.size());
      for (double fraction : fractions) variance += (fraction - mean) * (fraction - mean);
      if (fractions.size() > 1) variance /= static_cast<double>(fractions.size() - 1);
      score = static_cast<int64_t>((1 - variance) * 100);
    }
    if (least == 0 || (score != 0 && score < least)) least = score;
  }
  return least;
}

}  // namespace

int ZoneWorld::Check(std::string* short_of) const {
  if (by_pod) return ZoneFor(*this, zones, whole, short_of) < 0 ? 0 : -1;
  std::vector<Zone> left = zones;
  for (size_t i = 0; i < parts.size(); ++i) {
    const int id = ZoneFor(*this, left, parts[i].request, short_of);
    if (id < 0) return static_cast<int>(i);
    if (!parts[i].is_main) continue;
    for (Zone& zone : left) {
      if (zone.id != id) continue;
      for (const auto& [name, amount] : parts[i].request) {
        if (!zone.available.contains(name) || (!guaranteed && IsBound(name))) continue;
        zone.available[name] -= amount;
      }
    }
  }
  return -1;
}

int64_t ZoneWorld::Score(const std::string& strategy) const {
  if (strategy != "fewest") {
    if (by_pod) return LeastOfZones(*this, strategy, whole);
    int64_t sum = 0;
    for (const Part& part : parts) sum += LeastOfZones(*this, strategy, part.request);
    return sum / static_cast<int64_t>(parts.size());
  }
  std::vector<Zone> left = zones;
  std::vector<Amounts> requests;
  for (const Part& part : parts) requests.push_back(part.request);
  if (by_pod) requests = {whole};
  size_t most = 0;
  bool all_closest = true;
  for (const Amounts& request : requests) {
    if (ConcernsNone(left, request)) continue;
    bool is_closest = false;
    const std::vector<size_t> set = Fewest(left, request, &is_closest);
    if (set.empty()) return 0;
    all_closest = all_closest && is_closest;
    most = std::max(most, set.size());
    std::set<int> ids;
    for (size_t position : set) ids.insert(left[position].id);
    for (const auto& [name, amount] : request) {
      int64_t rest = amount;
      for (int id : ids) {  // which the peer takes for a position
        if (static_cast<size_t>(id) >= left.size()) continue;
        Amounts& available = left[static_cast<size_t>(id)].available;
        if (!available.contains(name)) continue;
        const int64_t taken = std::min(rest, available[name]);
        available[name] -= taken;
        rest -= taken;
      }
    }
  }
  if (most == 0) return 100;
  const int64_t step = 100 / most_zones;
  return 100 - static_cast<int64_t>(most) * step + (all_closest ? step / 2 : 0);
}

}  // namespace muster::reference
