// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/kube/inter_affinity.h"

#include <algorithm>

namespace muster {
namespace {

// Numbers of counters by topology key, so that terms of one key share a counter.
class ByKey {
 public:
  ByKey(Counters* counters, InterView* view, bool by_node)
      : counters_(counters), view_(view), by_node_(by_node) {}

  size_t Counter(const std::string& key) {
    const auto it = std::find(keys_.begin(), keys_.end(), key);
    if (it != keys_.end()) return numbers_[it - keys_.begin()];
    keys_.push_back(key);
    numbers_.push_back(counters_->Add(by_node_ ? view_->ByNode() : view_->ByLabels({key})));
    return numbers_.back();
  }
  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<size_t>& numbers() const { return numbers_; }

 private:
  Counters* counters_;
  InterView* view_;
  bool by_node_;
  std::vector<std::string> keys_;
  std::vector<size_t> numbers_;
};

std::vector<std::string> KeysOf(const std::vector<AffinityTerm>& terms) {
  std::vector<std::string> keys;
  keys.reserve(terms.size());
  for (const AffinityTerm& term : terms) keys.push_back(term.topology_key);
  return keys;
}

}  // namespace

void InterAffinity::Open(InterView* view, InterClasses* classes, const KubernetesRules& rules) {
  view_ = view;
  classes_ = classes;
  rules_ = rules;
  filters_.clear();
  scorers_.clear();
  filters_.resize(view->tables().classes.shape.size());
  scorers_.resize(view->tables().classes.shape.size());
}

bool InterAffinity::MatchesAll(const std::vector<AffinityTerm>& terms, ClassIndex owner,
                               ClassIndex other) const {
  return std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return classes_->MatchesOwn(term, shape(owner), shape(other));
  });
}

// REQUIRES: there is a term.
std::vector<ClassIndex> InterAffinity::MatchingAll(const std::vector<AffinityTerm>& terms,
                                                   ClassIndex owner) {
  std::vector<ClassIndex> matching = Matching(terms[0], owner);
  std::erase_if(matching, [&](ClassIndex e) { return !MatchesAll(terms, owner, e); });
  return matching;
}

std::vector<ClassIndex> InterAffinity::Matching(const AffinityTerm& term, ClassIndex owner) {
  if (!term.selector) return {};
  std::vector<ClassIndex> matching = classes_->Selected(*term.selector);
  std::erase_if(matching,
                [&](ClassIndex e) { return !classes_->MatchesOwn(term, shape(owner), shape(e)); });
  return matching;
}

void InterAffinity::CountAffinity(ClassIndex c, Filter* filter) {
  const std::vector<AffinityTerm>& terms = shape(c).required_affinity;
  if (terms.empty()) return;
  for (const AffinityTerm& term : terms) {
    filter->keys.push_back(view_->ByLabels({term.topology_key}));
  }
  filter->self_match = MatchesAll(terms, c, c);
  Counters& counters = filter->counters;
  if (!rules_.terms_apart) {
    filter->affinity = {counters.Add(view_->ByLabels(KeysOf(terms)))};
    filter->anywhere = counters.Add(view_->ByLabels({}));
  } else {
    ByKey by_key(&counters, view_, false);
    for (const AffinityTerm& term : terms) by_key.Counter(term.topology_key);
    filter->affinity = by_key.numbers();
    filter->anywhere = counters.Add(view_->WithAnyOf(by_key.keys()));
  }
  for (const ClassIndex e : MatchingAll(terms, c)) {
    for (const size_t counter : filter->affinity) counters.Effect(e, counter, 1);
    counters.Effect(e, filter->anywhere, 1);
  }
}

void InterAffinity::CountAnti(ClassIndex c, Filter* filter) {
  const std::vector<AffinityTerm>& terms = shape(c).required_anti_affinity;
  if (terms.empty()) return;
  Counters& counters = filter->counters;
  if (!rules_.terms_apart) {
    filter->anti = {counters.Add(view_->ByLabels(KeysOf(terms)))};
    for (const ClassIndex e : MatchingAll(terms, c)) counters.Effect(e, filter->anti[0], 1);
    return;
  }
  ByKey by_key(&counters, view_, false);
  for (const AffinityTerm& term : terms) {
    const size_t counter = by_key.Counter(term.topology_key);
    for (const ClassIndex e : Matching(term, c)) counters.Effect(e, counter, 1);
  }
  filter->anti = by_key.numbers();
}

void InterAffinity::CountExisting(ClassIndex c, Filter* filter) {
  ByKey by_key(&filter->counters, view_, false);
  for (const HeldTerm* held : classes_->TermsAbout(c)) {
    if (held->kind != TermKind::kRequiredAnti) continue;
    filter->counters.Effect(held->owner, by_key.Counter(held->term->topology_key), 1);
  }
  filter->existing = by_key.numbers();
}

InterAffinity::Filter& InterAffinity::FilterOf(ClassIndex c) {
  if (filters_[c] == nullptr) {
    filters_[c] = std::make_unique<Filter>(/*leaving=*/rules_.sees_all_tasks);
    Filter* filter = filters_[c].get();
    CountAffinity(c, filter);
    CountAnti(c, filter);
    CountExisting(c, filter);
    filter->counters.Seal();
    filter->active = !filter->keys.empty() || filter->counters.has_effects();
  }
  return *filters_[c];
}

void InterAffinity::Fit(ClassIndex c, std::span<const NodeIndex> nodes, Refusals* refusals) {
  Filter& filter = FilterOf(c);
  if (!filter.active) return;
  Counters& counters = filter.counters;
  counters.Follow(*view_);
  const bool first_of_group =
      !filter.keys.empty() && filter.self_match && counters.InDomain(filter.anywhere, 0) == 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!refusals->asked(i)) continue;
    const NodeIndex n = nodes[i];
    const auto present = [&](size_t counter) { return counters.At(counter, n) > 0; };
    const auto lacks = [&](const TopologyRef& key) { return key->of[n] == kNone; };
    const bool bound_to_keys = rules_.first_needs_keys || !first_of_group;
    if ((bound_to_keys && std::any_of(filter.keys.begin(), filter.keys.end(), lacks)) ||
        (!first_of_group &&
         !std::all_of(filter.affinity.begin(), filter.affinity.end(), present))) {
      refusals->Add(i, RefusalCode::kAffinity, true);
    } else if (std::any_of(filter.anti.begin(), filter.anti.end(), present)) {
      refusals->Add(i, RefusalCode::kAntiAffinity, false);
    } else if (std::any_of(filter.existing.begin(), filter.existing.end(), present)) {
      refusals->Add(i, RefusalCode::kExistingAntiAffinity, false);
    }
  }
}

InterAffinity::Scorer& InterAffinity::ScorerOf(ClassIndex c) {
  if (scorers_[c] != nullptr) return *scorers_[c];
  scorers_[c] = std::make_unique<Scorer>();
  Scorer& scorer = *scorers_[c];
  ByKey by_key(&scorer.counters, view_, /*by_node=*/!rules_.scores_all_nodes);
  const auto count_own = [&](const std::vector<PreferredAffinityTerm>& terms, int64_t sign) {
    for (const auto& [weight, term] : terms) {
      for (const ClassIndex e : Matching(term, c)) {
        scorer.counters.Effect(e, by_key.Counter(term.topology_key), sign * weight);
      }
    }
  };
  count_own(shape(c).preferred_affinity, 1);
  count_own(shape(c).preferred_anti_affinity, -1);
  for (const HeldTerm* held : classes_->TermsAbout(c)) {
    int64_t weight = 0;
    switch (held->kind) {
      case TermKind::kRequired:
        weight = rules_.required_weight;
        break;
      case TermKind::kRequiredAnti:
        break;
      case TermKind::kPreferred:
        weight = held->weight;
        break;
      case TermKind::kPreferredAnti:
        weight = -int64_t{held->weight};
        break;
    }
    if (weight == 0) continue;
    scorer.counters.Effect(held->owner, by_key.Counter(held->term->topology_key), weight);
  }
  for (const std::string& key : by_key.keys()) scorer.keys.push_back(view_->ByLabels({key}));
  scorer.counters.Seal();
  return scorer;
}

void InterAffinity::RawScores(Scorer& scorer, std::span<const NodeIndex> nodes) {
  raw_.assign(nodes.size(), 0);
  for (size_t k = 0; k < scorer.keys.size(); ++k) {
    const std::vector<LabelDomainIndex>& domain = scorer.keys[k]->of;
    if (!rules_.scores_all_nodes) {
      // The counters are per node there: only candidates add to the sums of their domains.
      sums_.assign(scorer.keys[k]->size, 0);
      for (const NodeIndex n : nodes) {
        if (domain[n] != kNone) sums_[domain[n]] += scorer.counters.At(k, n);
      }
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (domain[nodes[i]] != kNone) raw_[i] += sums_[domain[nodes[i]]];
      }
    } else {
      for (size_t i = 0; i < nodes.size(); ++i) raw_[i] += scorer.counters.At(k, nodes[i]);
    }
  }
}

void InterAffinity::Score(ClassIndex c, std::span<const NodeIndex> nodes, double weight,
                          std::span<double> scores) {
  Scorer& scorer = ScorerOf(c);
  if (nodes.empty() || !scorer.counters.has_effects()) return;
  scorer.counters.Follow(*view_);
  RawScores(scorer, nodes);
  int64_t most = *std::max_element(raw_.begin(), raw_.end());
  int64_t least = *std::min_element(raw_.begin(), raw_.end());
  if (rules_.scores_from_zero) {
    most = std::max<int64_t>(most, 0);
    least = std::min<int64_t>(least, 0);
  }
  if (most == least) return;
  const double top = rules_.top_score;
  for (size_t i = 0; i < nodes.size(); ++i) {
    // The expression of Kubernetes: divided before it is multiplied.
    const double part = static_cast<double>(raw_[i] - least) / static_cast<double>(most - least);
    scores[i] += weight * static_cast<double>(static_cast<int64_t>(top * part));
  }
}

}  // namespace muster
