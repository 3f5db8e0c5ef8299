// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster {
namespace {

constexpr char kHostname[] = "kubernetes.io/hostname";

bool IsEverything(const Selector& selector) {
  return selector.match_labels.empty() && selector.match_expressions.empty();
}

// The domains in which there is a node, ascending.
std::vector<LabelDomainIndex> DomainsOf(const Topology& topology) {
  std::vector<uint8_t> exists(topology.size, 0);
  for (const LabelDomainIndex domain : topology.of) {
    if (domain != kNone) exists[domain] = 1;
  }
  std::vector<LabelDomainIndex> domains;
  for (LabelDomainIndex d = 0; d < topology.size; ++d) {
    if (exists[d]) domains.push_back(d);
  }
  return domains;
}

}  // namespace

void InterSpread::Open(InterView* view, InterClasses* classes) {
  view_ = view;
  classes_ = classes;
  required_.clear();
  preferred_.clear();
  required_.resize(view->tables().classes.shape.size());
  preferred_.resize(view->tables().classes.shape.size());
  included_.clear();
}

bool InterSpread::HasConstraint(ClassIndex c, bool required) const {
  const std::vector<SpreadConstraint>& spread = shape(c).spread;
  return std::any_of(spread.begin(), spread.end(),
                     [&](const SpreadConstraint& s) { return s.required == required; });
}

TopologyRef InterSpread::Included(ClassIndex c, const SpreadConstraint& constraint,
                                  const std::vector<std::string>& keys) {
  // Classes with equal node constraints share the answer.
  TopologyRef& known =
      included_[{keys, constraint.topology_key, view_->tables().classes.constraints[c],
                 constraint.honor_node_affinity, constraint.honor_taints}];
  if (known != nullptr) return known;
  const TopologyRef all_keys = view_->ByLabels(keys);
  auto topology = std::make_shared<Topology>(*view_->ByLabels({constraint.topology_key}));
  for (NodeIndex n = 0; n < view_->node_rows(); ++n) {
    const NodeSpec& node = view_->tables().nodes.spec[n];
    const bool included = view_->counted(n) && all_keys->of[n] != kNone &&
                          (!constraint.honor_node_affinity || MatchesNode(shape(c), node)) &&
                          (!constraint.honor_taints || FirstUntolerated(shape(c), node) == nullptr);
    if (!included) topology->of[n] = kNone;
  }
  known = std::move(topology);
  return known;
}

InterSpread::Rules& InterSpread::RulesOf(ClassIndex c, bool required) {
  std::unique_ptr<Rules>& known = required ? required_[c] : preferred_[c];
  if (known != nullptr) return *known;
  known = std::make_unique<Rules>();
  Rules& rules = *known;
  std::vector<std::string> keys;
  for (const SpreadConstraint& spec : shape(c).spread) {
    if (spec.required == required) keys.push_back(spec.topology_key);
  }
  rules.keys = view_->ByLabels(keys);
  for (const SpreadConstraint& spec : shape(c).spread) {
    if (spec.required != required) continue;
    Constraint constraint;
    constraint.spec = &spec;
    constraint.values = view_->ByLabels({spec.topology_key});
    constraint.per_node = !required && spec.topology_key == kHostname;
    constraint.self = spec.selector && Matches(*spec.selector, shape(c).labels);
    const TopologyRef counted = constraint.per_node ? view_->ByNode() : Included(c, spec, keys);
    if (required) constraint.domains = DomainsOf(*counted);
    constraint.counter = rules.counters.Add(counted);
    if (spec.selector && !IsEverything(*spec.selector)) {
      for (const ClassIndex e : classes_->Selected(*spec.selector)) {
        if (shape(e).name_space != shape(c).name_space) continue;
        rules.counters.Effect(e, constraint.counter, 1);
      }
    }
    rules.constraints.push_back(std::move(constraint));
  }
  rules.counters.Seal();
  return rules;
}

int64_t InterSpread::Least(const Counters& counters, Constraint* constraint) {
  const int64_t domains = static_cast<int64_t>(constraint->domains.size());
  if (domains == 0 || domains < constraint->spec->min_domains.value_or(1)) return 0;
  if (constraint->stamp != counters.stamp(constraint->counter)) {
    constraint->stamp = counters.stamp(constraint->counter);
    constraint->least = std::numeric_limits<int64_t>::max();
    for (const LabelDomainIndex d : constraint->domains) {
      constraint->least = std::min(constraint->least, counters.InDomain(constraint->counter, d));
    }
  }
  return constraint->least;
}

void InterSpread::Fit(ClassIndex c, std::span<const NodeIndex> nodes, Refusals* refusals) {
  if (!FitDepends(c)) return;
  Rules& rules = RulesOf(c, true);
  rules.counters.Follow(*view_);
  std::vector<uint8_t> done(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) done[i] = !refusals->asked(i);
  for (Constraint& constraint : rules.constraints) {
    const int64_t least = Least(rules.counters, &constraint);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (done[i]) continue;
      const LabelDomainIndex domain = constraint.values->of[nodes[i]];
      if (domain == kNone) {
        refusals->Add(i, RefusalCode::kSpreadLabel, true);
        done[i] = 1;
        continue;
      }
      const int64_t there = rules.counters.InDomain(constraint.counter, domain);
      if (there + constraint.self - least > constraint.spec->max_skew) {
        refusals->Add(i, RefusalCode::kSpread, false);
        done[i] = 1;
      }
    }
  }
}

int64_t InterSpread::CountDomains(const Constraint& constraint, const Rules& rules,
                                  std::span<const NodeIndex> nodes) {
  seen_.assign(constraint.per_node ? view_->node_rows() : constraint.values->size, 0);
  int64_t domains = 0;
  for (const NodeIndex n : nodes) {
    if (rules.keys->of[n] == kNone) continue;
    uint8_t& seen = seen_[constraint.per_node ? n.value() : constraint.values->of[n].value()];
    domains += !seen;
    seen = 1;
  }
  return domains;
}

void InterSpread::Score(ClassIndex c, std::span<const NodeIndex> nodes, double weight,
                        std::span<double> scores) {
  if (!ScoreDepends(c)) return;
  Rules& rules = RulesOf(c, false);
  rules.counters.Follow(*view_);
  std::vector<double> sums(nodes.size(), 0.0);
  for (const Constraint& constraint : rules.constraints) {
    const int64_t domains = CountDomains(constraint, rules, nodes);
    const double domain_weight = Log(static_cast<double>(domains + 2));
    const double allowance = static_cast<double>(constraint.spec->max_skew - 1);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const NodeIndex n = nodes[i];
      if (rules.keys->of[n] == kNone) continue;
      const LabelDomainIndex domain =
          constraint.per_node ? LabelDomainIndex(n.value()) : constraint.values->of[n];
      const int64_t there = rules.counters.InDomain(constraint.counter, domain);
      sums[i] += static_cast<double>(there) * domain_weight + allowance;
    }
  }
  raw_.assign(nodes.size(), 0);
  int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (rules.keys->of[nodes[i]] == kNone) continue;
    raw_[i] = static_cast<int64_t>(std::round(sums[i]));
    least = std::min(least, raw_[i]);
    most = std::max(most, raw_[i]);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (rules.keys->of[nodes[i]] == kNone) continue;
    const int64_t score = most == 0 ? 100 : 100 * (most + least - raw_[i]) / most;
    scores[i] += weight * static_cast<double>(score);
  }
}

}  // namespace muster
