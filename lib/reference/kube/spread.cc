// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Topology spread. The filter asks that no domain gets more than max_skew tasks ahead of the
// emptiest domain of the whole cluster; the score prefers domains with fewer matching tasks. Tasks
// that are terminating do not count, and a selector that matches everything counts nothing.
#include <algorithm>
#include <cmath>
#include <set>

#include "lib/base/math.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/kube/selectors.h"

namespace muster::reference {

namespace {

constexpr char kHostname[] = "kubernetes.io/hostname";

std::vector<const SpreadConstraint*> Constraints(const TaskShape& shape, bool required) {
  std::vector<const SpreadConstraint*> constraints;
  for (const SpreadConstraint& c : shape.spread) {
    if (c.required == required) constraints.push_back(&c);
  }
  return constraints;
}

bool HasAllKeys(const NodeSpec& node, const std::vector<const SpreadConstraint*>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint* c) {
    return FindLabel(node.labels, c->topology_key) != nullptr;
  });
}

bool Included(const SpreadConstraint& c, const TaskShape& shape, const NodeSpec& node) {
  if (c.honor_node_affinity && !MatchesNode(shape, node)) return false;
  return !c.honor_taints || FirstUntolerated(shape, node) == nullptr;
}

int64_t CountOn(const Cycle& cycle, NodeIndex node, const SpreadConstraint& c,
                const TaskShape& shape) {
  if (IsEverything(c.selector)) return 0;
  int64_t count = 0;
  for (TaskIndex t : cycle.world.present[node]) {
    const TaskShape& other = cycle.world.shape(t);
    if (cycle.world.status[t] != TaskStatus::kReleasing && other.name_space == shape.name_space &&
        Matches(c.selector, other.labels)) {
      ++count;
    }
  }
  return count;
}

}  // namespace

void CountSpread(const Cycle& cycle, TaskIndex task, FilterState& state) {
  const TaskShape& shape = cycle.world.shape(task);
  const auto constraints = Constraints(shape, true);
  state.spread.resize(constraints.size());
  for (NodeIndex n : cycle.world.session_nodes()) {
    const NodeSpec& node = cycle.tables().nodes.spec[n];
    if (!HasAllKeys(node, constraints)) continue;
    for (size_t i = 0; i < constraints.size(); ++i) {
      const SpreadConstraint& c = *constraints[i];
      if (!Included(c, shape, node)) continue;
      state.spread[i][*FindLabel(node.labels, c.topology_key)] += CountOn(cycle, n, c, shape);
    }
  }
}

std::optional<RefusalCode> SpreadRefusal(const Cycle& cycle, const FilterState& state,
                                         TaskIndex task, NodeIndex node) {
  const TaskShape& shape = cycle.world.shape(task);
  const auto constraints = Constraints(shape, true);
  for (size_t i = 0; i < constraints.size(); ++i) {
    const SpreadConstraint& c = *constraints[i];
    const std::string* value = FindLabel(cycle.tables().nodes.spec[node].labels, c.topology_key);
    if (value == nullptr) return RefusalCode::kSpreadLabel;
    const auto& counts = state.spread[i];
    int64_t least = 0;
    if (static_cast<int64_t>(counts.size()) >= c.min_domains.value_or(1) && !counts.empty()) {
      least = std::min_element(counts.begin(), counts.end(), [](const auto& l, const auto& r) {
                return l.second < r.second;
              })->second;
    }
    const auto here = counts.find(*value);
    const int64_t self = Matches(c.selector, shape.labels) ? 1 : 0;
    const int64_t skew = (here == counts.end() ? 0 : here->second) + self - least;
    if (skew > c.max_skew) return RefusalCode::kSpread;
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> SpreadScores(const Cycle& cycle, TaskIndex task,
                                                 const std::vector<NodeIndex>& nodes) {
  const TaskShape& shape = cycle.world.shape(task);
  const auto constraints = Constraints(shape, false);
  if (constraints.empty()) return std::nullopt;
  const auto& specs = cycle.tables().nodes.spec;

  int64_t scored = 0;
  std::vector<std::map<std::string, int64_t>> counts(constraints.size());  // of registered domains
  for (NodeIndex n : nodes) {
    if (!HasAllKeys(specs[n], constraints)) continue;
    ++scored;
    for (size_t i = 0; i < constraints.size(); ++i) {
      const std::string& key = constraints[i]->topology_key;
      if (key != kHostname) counts[i][*FindLabel(specs[n].labels, key)] = 0;
    }
  }
  for (NodeIndex n : cycle.world.session_nodes()) {
    if (!HasAllKeys(specs[n], constraints)) continue;
    for (size_t i = 0; i < constraints.size(); ++i) {
      const auto domain = counts[i].find(*FindLabel(specs[n].labels, constraints[i]->topology_key));
      if (domain != counts[i].end() && Included(*constraints[i], shape, specs[n])) {
        domain->second += CountOn(cycle, n, *constraints[i], shape);
      }
    }
  }

  std::vector<int64_t> scores;
  std::vector<bool> ignored;
  int64_t most = 0;
  std::optional<int64_t> least;
  for (NodeIndex n : nodes) {
    ignored.push_back(!HasAllKeys(specs[n], constraints));
    scores.push_back(0);
    if (ignored.back()) continue;
    double sum = 0;
    for (size_t i = 0; i < constraints.size(); ++i) {
      const SpreadConstraint& c = *constraints[i];
      const bool host = c.topology_key == kHostname;
      const int64_t domains = host ? scored : static_cast<int64_t>(counts[i].size());
      const double weight = Log(static_cast<double>(domains + 2));
      const int64_t count = host ? CountOn(cycle, n, c, shape)
                                 : counts[i][*FindLabel(specs[n].labels, c.topology_key)];
      sum += static_cast<double>(count) * weight + static_cast<double>(c.max_skew - 1);
    }
    scores.back() = static_cast<int64_t>(std::round(sum));
    most = std::max(most, scores.back());
    least = least ? std::min(*least, scores.back()) : scores.back();
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    if (ignored[i]) {
      scores[i] = 0;
    } else {
      scores[i] = most == 0 ? 100 : 100 * (most + *least - scores[i]) / most;
    }
  }
  return scores;
}

}  // namespace muster::reference
