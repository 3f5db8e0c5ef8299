// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/koordinator/scored_hints.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::reference {
namespace {

using Combination = std::vector<Scored>;

std::vector<Combination> Combinations(const std::vector<std::vector<Scored>>& lists) {
  std::vector<Combination> all = {{}};
  for (const std::vector<Scored>& list : lists) {
    std::vector<Combination> longer;
    for (const Combination& one : all) {
      for (const Scored& hint : list) {
        longer.push_back(one);
        longer.back().push_back(hint);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Scored Judge(const Combination& combination, const std::set<int>& machine,
             const std::vector<std::string>& alone) {
  Scored merged{.zones = machine, .preferred = true};
  std::set<std::set<int>> named;
  for (const Scored& hint : combination) {
    if (!hint.any) {
      named.insert(hint.zones);
      std::erase_if(merged.zones, [&](int zone) { return hint.zones.count(zone) == 0; });
    }
    merged.preferred = merged.preferred && hint.preferred;
    merged.unsatisfied = merged.unsatisfied || hint.unsatisfied;
  }
  if (named.size() > 1) merged.preferred = false;
  size_t widest = merged.zones.size();
  if (!named.empty()) widest = 0;
  for (const std::set<int>& zones : named) widest = std::max(widest, zones.size());
  if (widest != merged.zones.size()) merged.unsatisfied = true;
  for (const Scored& hint : combination) {
    if (!hint.any && hint.zones == merged.zones) merged.score += hint.score;
  }
  for (int zone : merged.zones) {
    if (alone.empty()) break;
    const std::string& state = alone[static_cast<size_t>(zone)];
    if (state == (merged.zones.size() > 1 ? "single" : "shared")) merged.preferred = false;
  }
  return merged;
}

bool Beats(const Scored& a, const Scored& best) {
  if (a.preferred != best.preferred) return a.preferred;
  if (a.zones.size() != best.zones.size()) return a.zones.size() < best.zones.size();
  const bool lower = std::lexicographical_compare(a.zones.rbegin(), a.zones.rend(),
                                                  best.zones.rbegin(), best.zones.rend());
  return lower || a.score > best.score;
}

}  // namespace

ScoredMerge MergeScored(const std::string& policy, const std::set<int>& zones,
                        const std::vector<std::optional<std::vector<Scored>>>& resources,
                        const std::vector<std::string>& alone) {
  if (policy == "none") return {{.any = true}, true};
  const bool single = policy == "single-numa-node";
  std::vector<std::vector<Scored>> lists;
  for (const auto& resource : resources) {
    lists.push_back(resource.value_or(std::vector<Scored>{{.any = true, .preferred = true}}));
    if (lists.back().empty()) {
      if (single) return {{.any = true}, false};
      if (policy == "restricted") return {{.zones = zones}, false};
      lists.back().push_back({.any = true, .unsatisfied = true});
    }
    if (!single) continue;
    std::erase_if(lists.back(), [](const Scored& hint) {
      return !hint.preferred || (!hint.any && hint.zones.size() != 1);
    });
  }
  Scored best{.zones = zones};
  for (const Combination& combination : Combinations(lists)) {
    const Scored merged = Judge(combination, zones, alone);
    if (!merged.zones.empty() && Beats(merged, best)) best = merged;
  }
  if (policy == "best-effort") {
    if (best.unsatisfied) best = {.zones = zones};
    return {best, true};
  }
  if (single && best.zones == zones) best = {.any = true, .preferred = best.preferred};
  return {best, best.preferred};
}

}  // namespace muster::reference
