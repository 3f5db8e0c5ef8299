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

SpreadRules::SpreadRules(World& world, ClassIndex c, bool required, bool off)
    : world_(world), shape_(world.classes().shape(c)) {
  if (off) return;
  const NodeTable& nodes = world.tables().nodes;
  for (const SpreadConstraint& spec : shape_.spread) {
    if (spec.required != required) continue;
    Constraint& constraint = constraints_.emplace_back();
    constraint.spec = &spec;
    constraint.domains = &world.ByLabel(spec.topology_key);
    constraint.counts_all = spec.selector && spec.selector->match_labels.empty() &&
                            spec.selector->match_expressions.empty();
    constraint.selects.assign(world.tables().classes.shape.size(), -1);
    constraint.includes.assign(nodes.alive.size(), 0);
    for (const NodeIndex n : world.order()) {
      const NodeSpec& node = world.spec(n);
      constraint.includes[n] = (!spec.honor_node_affinity || MatchesNode(shape_, node)) &&
                               (!spec.honor_taints || FirstUntolerated(shape_, node) == nullptr);
    }
  }
  if (constraints_.empty()) return;
  has_all_keys_.assign(nodes.alive.size(), 0);
  for (const NodeIndex n : world.order()) {
    has_all_keys_[n] =
        std::all_of(constraints_.begin(), constraints_.end(),
                    [&](const Constraint& known) { return known.domains->of[n] != kNone; });
  }
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

SpreadState::SpreadState(World& world, ClassIndex c, bool off)
    : rules_(world, c, /*required=*/true, off) {
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
    counts_[i].most.reset();
  }
}

void SpreadState::Follow(std::span<const WorldChange> changes) {
  if (rules_.empty()) return;
  for (const WorldChange& change : changes) {
    if (change.staying == 0 || !rules_.HasAllKeys(change.node)) continue;
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (rules_.at(i).counts_all || !rules_.Includes(i, change.node) ||
          !rules_.Selects(i, change.pod_class)) {
        continue;
      }
      counts_[i].pods[rules_.at(i).domains->of[change.node]] += change.staying;
      counts_[i].most.reset();
    }
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

int64_t SpreadState::MostOf(size_t i) const {
  const Counts& counts = counts_[i];
  if (!counts.most) counts.most = rules_.at(i).spec->max_skew + Least(i) - counts.self;
  return *counts.most;
}

SpreadState::Limits SpreadState::LimitsNow() const {
  Limits limits;
  for (size_t i = 0; i < rules_.size(); ++i) {
    limits.limits_.push_back({rules_.at(i).domains->of.data(), counts_[i].pods.data(), MostOf(i)});
  }
  return limits;
}

SpreadState::Answer SpreadState::Refusal(NodeIndex n) const {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const SpreadRules::Constraint& rule = rules_.at(i);
    const LabelDomainIndex domain = rule.domains->of[n];
    if (domain == kNone) return Answer::kLacksLabel;
    if (counts_[i].pods[domain] > MostOf(i)) return Answer::kSkewed;
  }
  return Answer::kFits;
}

SpreadScores::SpreadScores(World& world, ClassIndex c) : rules_(world, c, /*required=*/false) {
  if (rules_.empty()) return;
  const TaskShape& shape = world.classes().shape(c);
  needs_keys_ = !(shape.pod && shape.pod->default_spread);
  size_t most = 0;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const Topology& domains = *rules_.at(i).domains;
    by_host_.push_back(rules_.at(i).spec->topology_key == kHostnameLabel);
    std::vector<int64_t>& pods = pods_.emplace_back(by_host_[i] ? domains.of.size() : domains.size);
    most = std::max<size_t>(most, domains.size + 1);
    for (const NodeIndex n : world.order()) {
      if (!Counts(i, n)) continue;
      pods[by_host_[i] ? n.value() : domains.of[n].value()] += rules_.CountOn(i, n);
    }
  }
  seen_.assign(most, 0);
}

bool SpreadScores::Counts(size_t i, NodeIndex n) const {
  if (rules_.at(i).counts_all) return false;
  return by_host_[i] || (rules_.at(i).domains->of[n] != kNone &&
                         (!needs_keys_ || rules_.HasAllKeys(n)) && rules_.Includes(i, n));
}

void SpreadScores::Follow(std::span<const WorldChange> changes) {
  if (rules_.empty()) return;
  for (const WorldChange& change : changes) {
    if (change.staying == 0) continue;
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (!Counts(i, change.node) || !rules_.Selects(i, change.pod_class)) continue;
      const NodeIndex n = change.node;
      pods_[i][by_host_[i] ? n.value() : rules_.at(i).domains->of[n].value()] += change.staying;
    }
  }
}

size_t SpreadScores::CountDomains(size_t i, std::span<const NodeIndex> feasible) {
  const Topology& domains = *rules_.at(i).domains;
  ++round_;
  size_t count = 0;
  for (size_t f = 0; f < feasible.size(); ++f) {
    if (ignored_[f]) continue;
    // The last domain is that of nodes without the key.
    uint32_t& seen = seen_[std::min(domains.of[feasible[f]].value(), domains.size)];
    count += seen != round_;
    seen = round_;
  }
  return count;
}

void SpreadScores::Score(std::span<const NodeIndex> feasible) {
  if (rules_.empty()) return;
  ignored_.assign(feasible.size(), 0);
  raw_.assign(feasible.size(), 0);
  sums_.assign(feasible.size(), 0);
  size_t left = feasible.size();
  for (size_t f = 0; f < feasible.size(); ++f) {
    ignored_[f] = needs_keys_ && !rules_.HasAllKeys(feasible[f]);
    left -= ignored_[f];
  }
  for (size_t i = 0; i < rules_.size(); ++i) {
    const Topology& domains = *rules_.at(i).domains;
    const size_t size = by_host_[i] ? left : CountDomains(i, feasible);
    const double weight = Log(static_cast<double>(size + 2));
    const double extra = static_cast<double>(rules_.at(i).spec->max_skew - 1);
    for (size_t f = 0; f < feasible.size(); ++f) {
      const LabelDomainIndex domain = domains.of[feasible[f]];
      if (ignored_[f] || domain == kNone) continue;
      const int64_t count = pods_[i][by_host_[i] ? feasible[f].value() : domain.value()];
      sums_[f] += static_cast<double>(count) * weight + extra;
    }
  }
  double last = 0;  // most neighbours are alike
  int64_t rounded = 0;
  for (size_t f = 0; f < feasible.size(); ++f) {
    if (ignored_[f]) continue;
    if (sums_[f] != last) rounded = static_cast<int64_t>(std::round(last = sums_[f]));
    raw_[f] = rounded;
  }
}

std::vector<int64_t> SpreadScores::Scaled() const {
  int64_t least = kMaxQuantity, most = 0;
  for (size_t f = 0; f < raw_.size(); ++f) {
    if (ignored_[f]) continue;
    least = std::min(least, raw_[f]);
    most = std::max(most, raw_[f]);
  }
  std::vector<int64_t> scores(raw_.size(), 0);
  int64_t last = -1, scaled = 0;  // most neighbours are alike
  for (size_t f = 0; f < raw_.size(); ++f) {
    if (ignored_[f]) continue;
    if (raw_[f] != last) {
      last = raw_[f];
      scaled = most == 0 ? 100 : 100 * (most + least - last) / most;
    }
    scores[f] = scaled;
  }
  return scores;
}

}  // namespace muster::kube
