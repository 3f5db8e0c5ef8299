// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/spread_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster::kube {
namespace {

constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

}  // namespace

SpreadRules::SpreadRules(World& world, ClassIndex c, bool required)
    : world_(world), shape_(world.classes().shape(c)) {
  for (const SpreadConstraint& spec : shape_.spread) {
    if (spec.required != required) continue;
    Constraint& constraint = constraints_.emplace_back();
    constraint.spec = &spec;
    constraint.domains = &world.ByLabel(spec.topology_key);
    constraint.counts_all = spec.selector && spec.selector->match_labels.empty() &&
                            spec.selector->match_expressions.empty();
    constraint.selects.assign(world.tables().classes.shape.size(), -1);
  }
}

bool SpreadRules::HasAllKeys(NodeIndex n) const {
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Constraint& c) { return c.domains->of[n] != kNone; });
}

bool SpreadRules::Includes(size_t i, NodeIndex n) const {
  const SpreadConstraint& spec = *constraints_[i].spec;
  const NodeSpec& node = world_.spec(n);
  return (!spec.honor_node_affinity || MatchesNode(shape_, node)) &&
         (!spec.honor_taints || FirstUntolerated(shape_, node) == nullptr);
}

bool SpreadRules::Selects(size_t i, ClassIndex other) {
  int8_t& known = constraints_[i].selects[other];
  if (known < 0) {
    const TaskShape& theirs = world_.classes().shape(other);
    const std::optional<Selector>& selector = constraints_[i].spec->selector;
    known = theirs.name_space == shape_.name_space && selector && Matches(*selector, theirs.labels);
  }
  return known != 0;
}

int64_t SpreadRules::CountOn(size_t i, NodeIndex n) {
  if (constraints_[i].counts_all) return 0;
  int64_t count = 0;
  for (const TaskIndex t : world_.pods_on(n)) {
    count += !world_.terminating(t) && Selects(i, world_.class_of(t));
  }
  return count;
}

SpreadState::SpreadState(World& world, ClassIndex c) : rules_(world, c, /*required=*/true) {
  counts_.resize(rules_.size());
  for (size_t i = 0; i < rules_.size(); ++i) {
    counts_[i].pods.assign(rules_.at(i).domains->size, 0);
    counts_[i].exists.assign(rules_.at(i).domains->size, 0);
    counts_[i].self = rules_.Selects(i, c);
  }
  if (rules_.empty()) return;
  for (const NodeIndex n : world.order()) {
    if (!rules_.HasAllKeys(n)) continue;
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (!rules_.Includes(i, n)) continue;
      const LabelDomainIndex domain = rules_.at(i).domains->of[n];
      counts_[i].domains += !counts_[i].exists[domain];
      counts_[i].exists[domain] = 1;
      counts_[i].pods[domain] += rules_.CountOn(i, n);
    }
  }
}

void SpreadState::Count(ClassIndex other, NodeIndex n, int sign) {
  if (rules_.empty() || !rules_.HasAllKeys(n)) return;
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (!rules_.Selects(i, other) || !rules_.Includes(i, n)) continue;
    counts_[i].pods[rules_.at(i).domains->of[n]] += sign;
  }
}

int64_t SpreadState::Least(size_t i) const {
  const Counts& counts = counts_[i];
  if (counts.domains == 0 || counts.domains < rules_.at(i).spec->min_domains.value_or(1)) return 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t d = 0; d < counts.pods.size(); ++d) {
    if (counts.exists[d]) least = std::min(least, counts.pods[d]);
  }
  return least;
}

SpreadState::Answer SpreadState::Refusal(NodeIndex n) const {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const LabelDomainIndex domain = rules_.at(i).domains->of[n];
    if (domain == kNone) return Answer::kLacksLabel;
    const int64_t skew = counts_[i].pods[domain] + counts_[i].self - Least(i);
    if (skew > rules_.at(i).spec->max_skew) return Answer::kSkewed;
  }
  return Answer::kFits;
}

SpreadScores::SpreadScores(World& world, ClassIndex c, std::span<const NodeIndex> feasible)
    : rules_(world, c, /*required=*/false) {
  if (rules_.empty()) return;
  const TaskShape& shape = world.classes().shape(c);
  const bool needs_keys = !(shape.pod && shape.pod->default_spread);
  ignored_.assign(feasible.size(), 0);
  raw_.assign(feasible.size(), 0);
  size_t left = feasible.size();
  for (size_t f = 0; f < feasible.size(); ++f) {
    ignored_[f] = needs_keys && !rules_.HasAllKeys(feasible[f]);
    left -= ignored_[f];
  }
  std::vector<double> sums(feasible.size(), 0);
  for (size_t i = 0; i < rules_.size(); ++i) {
    const Topology& domains = *rules_.at(i).domains;
    const bool by_host = rules_.at(i).spec->topology_key == kHostnameLabel;
    // The last domain is that of nodes without the key.
    std::vector<uint8_t> registered(domains.size + 1, 0);
    std::vector<int64_t> pods(domains.size + 1, 0);
    size_t size = 0;
    for (size_t f = 0; f < feasible.size() && !by_host; ++f) {
      if (ignored_[f]) continue;
      uint8_t& known = registered[std::min(domains.of[feasible[f]].value(), domains.size)];
      size += !known;
      known = 1;
    }
    for (const NodeIndex n : world.order()) {
      if (by_host || (needs_keys && !rules_.HasAllKeys(n)) || !rules_.Includes(i, n)) continue;
      const uint32_t domain = std::min(domains.of[n].value(), domains.size);
      if (registered[domain]) pods[domain] += rules_.CountOn(i, n);
    }
    const double weight = Log(static_cast<double>((by_host ? left : size) + 2));
    const double extra = static_cast<double>(rules_.at(i).spec->max_skew - 1);
    for (size_t f = 0; f < feasible.size(); ++f) {
      const LabelDomainIndex domain = domains.of[feasible[f]];
      if (ignored_[f] || domain == kNone) continue;
      const int64_t count = by_host ? rules_.CountOn(i, feasible[f]) : pods[domain];
      sums[f] += static_cast<double>(count) * weight + extra;
    }
  }
  for (size_t f = 0; f < feasible.size(); ++f) {
    if (!ignored_[f]) raw_[f] = static_cast<int64_t>(std::round(sums[f]));
  }
}

}  // namespace muster::kube
