// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The strategies as they are told.
#include "lib/reference/peer/ray/bundles.h"

#include <algorithm>
#include <iterator>

namespace muster::reference {
namespace {

using Amounts = std::vector<int64_t>;

bool Fits(const Amounts& request, const Amounts& room) {
  for (size_t r = 0; r < request.size(); ++r) {
    if (request[r] > room[r]) return false;
  }
  return true;
}

double Emptiness(const Amounts& request, const Amounts& room) {
  double sum = 0;
  for (size_t r = 0; r < request.size(); ++r) {
    if (request[r] > 0)
      sum += static_cast<double>(room[r] - request[r]) / static_cast<double>(room[r]);
  }
  return sum;
}

using Devices = std::vector<std::vector<int64_t>>;

// -1: none. Devices are not asked where `unit` is 0.
int BestNode(const Amounts& request, const std::set<size_t>& nodes,
             const std::vector<Amounts>& rooms, const Devices& devices = {}, int64_t unit = 0) {
  int best = -1;
  for (size_t node : nodes) {
    if (!Fits(request, rooms[node])) continue;
    if (unit > 0 && !DevicesHold(devices[node], unit, request[0])) continue;
    if (best < 0 ||
        Emptiness(request, rooms[node]) > Emptiness(request, rooms[static_cast<size_t>(best)])) {
      best = static_cast<int>(node);
    }
  }
  return best;
}

std::set<size_t> Both(const std::set<size_t>& a, const std::set<size_t>& b) {
  std::set<size_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

Devices AllFree(Devices devices, int64_t unit) {
  for (std::vector<int64_t>& node : devices) node.assign(node.size(), unit);
  return devices;
}

}  // namespace

bool DevicesHold(const std::vector<int64_t>& free, int64_t unit, int64_t request) {
  if (request == 0) return true;
  if (request > unit) {
    return request % unit == 0 && std::count(free.begin(), free.end(), unit) >= request / unit;
  }
  return std::any_of(free.begin(), free.end(), [&](int64_t part) { return part >= request; });
}

void TakeDevices(int64_t unit, int64_t request, std::vector<int64_t>* free) {
  std::sort(free->begin(), free->end());
  while (request > 0) {
    const int64_t part = std::min(request, unit);
    *std::lower_bound(free->begin(), free->end(), part) -= part;
    std::sort(free->begin(), free->end());
    request -= part;
  }
}

bool BundleWorld::HoldAll(std::vector<int64_t> free) const {
  std::vector<int64_t> requests;
  for (const Amounts& bundle : bundles) requests.push_back(bundle[0]);
  std::sort(requests.rbegin(), requests.rend());
  for (const int64_t request : requests) {
    if (!DevicesHold(free, unit, request)) return false;
    TakeDevices(unit, request, &free);
  }
  return true;
}

std::vector<size_t> BundleWorld::PlaceOnOne(std::string* why) const {
  Amounts sum(bundles[0].size(), 0);
  std::set<size_t> nodes;
  for (size_t i = 0; i < total.size(); ++i) nodes.insert(i);
  for (size_t b = 0; b < bundles.size(); ++b) {
    for (size_t r = 0; r < sum.size(); ++r) sum[r] += bundles[b][r];
    nodes = Both(nodes, allowed[b]);
  }
  std::set<size_t> now = nodes, ever = nodes;
  if (unit > 0) {
    const Devices free = AllFree(devices, unit);
    std::erase_if(now, [&](size_t i) { return !HoldAll(devices[i]); });
    std::erase_if(ever, [&](size_t i) { return !HoldAll(free[i]); });
  }
  int node = -1;
  if (wished >= 0) node = BestNode(sum, Both(now, {static_cast<size_t>(wished)}), available);
  if (node < 0) node = BestNode(sum, now, available);
  if (node >= 0) return std::vector<size_t>(bundles.size(), static_cast<size_t>(node));
  *why = BestNode(sum, ever, total) < 0 ? "infeasible" : "failed";
  return {};
}

std::vector<size_t> BundleWorld::PlaceInDomains(const std::string& strategy,
                                                std::string* why) const {
  std::string outcome = "infeasible";
  std::set<std::string> values(domains.begin(), domains.end());
  values.erase("");
  for (const std::string& value : values) {
    if (!domain.empty() && value != domain) continue;
    BundleWorld own = *this;
    own.domains.clear();
    std::set<size_t> members;
    for (size_t i = 0; i < total.size(); ++i) {
      (domains[i] == value ? members : own.used_already).insert(i);
    }
    for (std::set<size_t>& nodes : own.allowed) nodes = Both(nodes, members);
    Amounts all(bundles[0].size(), 0), room = all;
    for (size_t r = 0; r < all.size(); ++r) {
      for (const Amounts& bundle : bundles) all[r] += bundle[r];
      for (const size_t node : members) room[r] += total[node][r];
    }
    if (!Fits(all, room)) continue;
    std::string own_why;
    const std::vector<size_t> places = own.Place(strategy, &own_why);
    if (!places.empty()) return places;
    if (own_why == "failed") outcome = "failed";
  }
  *why = outcome;
  return {};
}

std::vector<size_t> BundleWorld::Place(const std::string& strategy, std::string* why) const {
  if (!domains.empty()) return PlaceInDomains(strategy, why);
  if (strategy == "strict pack") return PlaceOnOne(why);
  std::vector<Amounts> rooms = available;
  Devices free = devices;
  const Devices all_free = AllFree(devices, unit);
  std::set<size_t> unused, used;
  for (size_t i = 0; i < total.size(); ++i) unused.insert(i);
  if (strategy == "strict spread") {
    for (size_t node : used_already) unused.erase(node);
    if (bundles.size() > unused.size()) {
      *why = "infeasible";
      return {};
    }
  }
  for (size_t b = 0; b < bundles.size(); ++b) {
    if (BestNode(bundles[b], Both(unused, allowed[b]), total, all_free, unit) >= 0) continue;
    *why = "infeasible";
    return {};
  }
  std::vector<size_t> order;
  for (size_t b = 0; b < bundles.size(); ++b) order.push_back(b);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return bundles[a] > bundles[b]; });
  std::vector<size_t> places(bundles.size());
  const auto put = [&](size_t bundle, size_t node) {
    for (size_t r = 0; r < bundles[bundle].size(); ++r) rooms[node][r] -= bundles[bundle][r];
    if (unit > 0) TakeDevices(unit, bundles[bundle][0], &free[node]);
    places[bundle] = node;
    unused.erase(node);
    used.insert(node);
  };
  std::set<size_t> placed;
  for (size_t bundle : order) {
    if (placed.contains(bundle)) continue;
    int node = BestNode(bundles[bundle], Both(unused, allowed[bundle]), rooms, free, unit);
    if (node < 0 && strategy == "spread") {
      node = BestNode(bundles[bundle], Both(used, allowed[bundle]), rooms, free, unit);
    }
    if (node < 0) {
      *why = "failed";
      return {};
    }
    put(bundle, static_cast<size_t>(node));
    placed.insert(bundle);
    if (strategy != "pack") continue;
    for (size_t other : order) {
      const bool fits =
          !placed.contains(other) && allowed[other].contains(static_cast<size_t>(node)) &&
          Fits(bundles[other], rooms[static_cast<size_t>(node)]) &&
          (unit == 0 || DevicesHold(free[static_cast<size_t>(node)], unit, bundles[other][0]));
      if (!fits) continue;
      put(other, static_cast<size_t>(node));
      placed.insert(other);
    }
  }
  return places;
}

}  // namespace muster::reference
