// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/scenario_filters.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace muster {

KaiScenarioFilters::KaiScenarioFilters(const KaiWorld& world, const KaiScenario& first,
                                       std::span<const uint8_t> feasible, const KaiFreeGpus* then)
    : world_(world), near_(feasible.begin(), feasible.end()) {
  for (const KaiPod* pod : first.pending()) selects_ |= world.ShapeOf(*pod).selects_nodes;
  const std::vector<double>& free = then != nullptr ? then->by_node : world.nodes.FreeGpusOfAll();
  BeginTopology(first, free);
  BeginGpus(first, free, then != nullptr ? then->nodes : world.nodes.NodesWithGpus());
}

template <class Gain>
void KaiScenarioFilters::Follow(const KaiScenario& scenario, Followed* followed, Gain&& gain) {
  followed->seen.resize(world_.facts().tasks.size());
  const auto follow = [&](const KaiScenario::Pods& pods, size_t* from) {
    for (; *from < pods.size(); ++*from) {
      const KaiPod& pod = *pods[*from];
      if (pod.node == kKaiNone || followed->seen[pod.task]) continue;
      followed->seen[pod.task] = true;
      gain(pod);
    }
  };
  follow(scenario.recorded(), &followed->recorded);
  follow(scenario.potential(), &followed->potential);
}

bool KaiScenarioFilters::Admit(const KaiScenario& scenario) {
  return AdmitNodes(scenario) && AdmitTopology(scenario) && AdmitGpus(scenario);
}

bool KaiScenarioFilters::AdmitNodes(const KaiScenario& scenario) {
  if (!selects_) return true;
  Follow(scenario, &by_nodes_, [&](const KaiPod& pod) { near_[pod.node] = 1; });
  return std::ranges::all_of(scenario.pending(), [&](const KaiPod* pod) {
    const KaiShape& shape = world_.ShapeOf(*pod);
    if (!shape.selects_nodes) return true;
    const std::vector<uint8_t>& matches = world_.facts().selected[shape.constraints];
    for (size_t n = 0; n < near_.size(); ++n) {
      if (near_[n] != 0 && matches[n] != 0) return true;
    }
    return false;
  });
}

// Moves the holder, which has gained, or adds it to the list.
void KaiScenarioFilters::Insert(Holders* holders, uint32_t holder, bool replace, bool is_new) {
  std::vector<uint32_t>& order = holders->order;
  const std::vector<double>& left = holders->left;
  size_t low = 0, high = order.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (left[order[middle]] > left[holder]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const auto known = is_new ? order.end() : std::ranges::find(order, holder);
  const auto to = order.begin() + static_cast<std::ptrdiff_t>(low);
  if (known != order.end()) {
    if (to < known) std::rotate(to, known, known + 1);
    return;
  }
  if (!replace) {
    order.insert(to, holder);
  } else if (low < order.size()) {
    order.pop_back();
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(low), holder);
  }
}

// Gives each need, largest first, to the first holder with room.
bool KaiScenarioFilters::Match(std::span<const double> needed, const Holders& holders) {
  std::vector<double> given(holders.order.size(), 0.0);  // by place in the order
  for (const double need : needed) {
    if (need == 0) break;
    size_t at = 0;
    const auto left = [&] { return holders.left[holders.order[at]]; };
    while (at < given.size() && left() >= need && left() - given[at] < need) ++at;
    if (at == given.size() || left() < need) return false;
    given[at] += need;
  }
  return true;
}

void KaiScenarioFilters::BeginGpus(const KaiScenario& first, const std::vector<double>& free,
                                   std::span<const uint32_t> nodes_with_gpus) {
  const size_t places = first.pending().size();
  for (const KaiPod* pod : first.pending()) needed_.push_back(world_.ShapeOf(*pod).quota);
  std::ranges::sort(needed_, std::greater<>());
  double least = -1;
  nodes_.left = free;
  const auto visit = [&](uint32_t n) {
    if (nodes_.left[n] > least || nodes_.order.size() < places) {
      Insert(&nodes_, n, /*replace=*/places <= nodes_.order.size(), /*is_new=*/true);
      least = nodes_.left[nodes_.order.back()];
    }
  };
  const auto all = static_cast<uint32_t>(world_.nodes.size());
  const auto filled = static_cast<uint32_t>(std::min<size_t>(places, all));
  for (uint32_t n = 0; n < filled; ++n) visit(n);
  if (least < 0) {
    for (uint32_t n = filled; n < all; ++n) visit(n);
  } else {  // of the others, those without GPUs would change nothing
    auto n = std::ranges::lower_bound(nodes_with_gpus, filled);
    for (; n != nodes_with_gpus.end(); ++n) visit(*n);
  }
  Follow(first, &by_gpus_, [&](const KaiPod& pod) { GainGpus(pod); });
}

void KaiScenarioFilters::GainGpus(const KaiPod& victim) {
  if (nodes_.order.empty()) return;
  const double least = nodes_.left[nodes_.order.back()];
  nodes_.left[victim.node] += victim.accepted_quota;
  if (nodes_.left[victim.node] > least) {
    Insert(&nodes_, victim.node, /*replace=*/true, /*is_new=*/false);
  }
}

bool KaiScenarioFilters::AdmitGpus(const KaiScenario& scenario) {
  Follow(scenario, &by_gpus_, [&](const KaiPod& pod) { GainGpus(pod); });
  return Match(needed_, nodes_);
}

void KaiScenarioFilters::CollectLevels(const KaiJob& job, uint32_t group) {
  const KaiGroup& own = job.facts().groups[group];
  if (own.topology.named && !own.topology.required.empty()) {
    double needed = 0;
    for (const KaiPod* pod : job.pods()) {
      if (pod == nullptr) continue;
      uint32_t at = world_.facts().tasks[pod->task].pod_set;
      while (at != group && at != kKaiNone) at = job.facts().groups[at].parent;
      if (at == group) needed += world_.ShapeOf(*pod).quota;
    }
    const auto alike = [&](const Level& level) {
      return level.wish->name == own.topology.name && level.wish->required == own.topology.required;
    };
    auto level = std::ranges::find_if(levels_, alike);
    if (level == levels_.end()) {
      levels_.push_back({&own.topology, &world_.facts().levels.at(own.topology.required), {}, {}});
      level = levels_.end() - 1;
    }
    level->needed.push_back(needed);
  }
  for (const uint32_t set : own.sets) CollectLevels(job, set);
}

void KaiScenarioFilters::BeginTopology(const KaiScenario& first, std::span<const double> free) {
  CollectLevels(first.preemptor(), 0);
  for (Level& level : levels_) {
    std::ranges::sort(level.needed, std::greater<>());
    const std::vector<uint32_t>& value = *level.value;
    Holders& domains = level.domains;
    for (uint32_t n = 0; n < world_.nodes.size(); ++n) {
      if (value[n] == 0) continue;
      if (domains.left.size() <= value[n]) domains.left.resize(value[n] + 1, -1.0);
      if (domains.left[value[n]] < 0) {
        domains.left[value[n]] = 0;
        domains.order.push_back(value[n]);
      }
      domains.left[value[n]] += free[n];
    }
    std::ranges::stable_sort(domains.order, std::greater<>(),
                             [&](uint32_t d) { return domains.left[d]; });
  }
}

void KaiScenarioFilters::GainTopology(const KaiPod& victim) {
  for (Level& level : levels_) {
    const uint32_t domain = (*level.value)[victim.node];
    if (domain == 0) continue;
    Holders& domains = level.domains;
    domains.left[domain] += victim.accepted_quota;
    const auto at = std::ranges::find(domains.order, domain);
    auto to = at;
    while (to != domains.order.begin() && domains.left[*(to - 1)] < domains.left[domain]) --to;
    std::rotate(to, at, at + 1);
  }
}

bool KaiScenarioFilters::AdmitTopology(const KaiScenario& scenario) {
  if (levels_.empty()) return true;
  Follow(scenario, &by_topology_, [&](const KaiPod& pod) { GainTopology(pod); });
  return std::ranges::all_of(levels_,
                             [](const Level& level) { return Match(level.needed, level.domains); });
}

}  // namespace muster
