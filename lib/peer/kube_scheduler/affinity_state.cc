// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/affinity_state.h"

#include <algorithm>

namespace muster::kube {

size_t KeyCounts::KeyNumber(World& world, const std::string& key) {
  for (size_t k = 0; k < keys_.size(); ++k) {
    if (keys_[k].name == key) return k;
  }
  const Topology& domains = world.ByLabel(key);
  keys_.push_back({key, &domains, std::vector<int64_t>(domains.size, 0)});
  return keys_.size() - 1;
}

void KeyCounts::MarkOccupied(size_t key, std::span<const NodeIndex> nodes,
                             std::vector<uint8_t>* marks) const {
  const auto& domains = keys_[key].domains->of;
  const std::vector<int64_t>& counts = keys_[key].counts;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const LabelDomainIndex domain = domains[nodes[i]];
    (*marks)[i] |= static_cast<uint8_t>(domain != kNone && counts[domain] > 0);
  }
}

AffinityState::AffinityState(World& world, ClassIndex c, bool off)
    : world_(world),
      class_(c),
      shape_(world.classes().shape(c)),
      off_(off),
      terms_(!shape_.required_affinity.empty() || !shape_.required_anti_affinity.empty()) {
  if (off_) return;
  for (const AffinityTerm& term : shape_.required_affinity) {
    affinity_keys_.push_back(affinity_.KeyNumber(world, term.topology_key));
  }
  for (const AffinityTerm& term : shape_.required_anti_affinity) {
    anti_keys_.push_back(anti_.KeyNumber(world, term.topology_key));
  }
  matches_itself_ =
      std::all_of(shape_.required_affinity.begin(), shape_.required_affinity.end(),
                  [&](const AffinityTerm& term) { return world.classes().MatchesOwn(term, c, c); });
  if (!terms_ && world.repelling() == 0) return;
  for (const TaskIndex t : world.placed()) {
    // Without terms of its own, only pods that repel others matter to the pod.
    if (terms_ || world.pod(t).repels) Count(world.class_of(t), world.node_of(t), 1);
  }
}

void AffinityState::Follow(std::span<const WorldChange> changes) {
  if (off_) return;
  if (!terms_ && world_.repelling_until() <= world_.journal().size() - changes.size()) return;
  for (const WorldChange& change : changes) {
    if (change.pods == 0) continue;
    if (!terms_ && !world_.classes().at(change.pod_class).repels) continue;
    Count(change.pod_class, change.node, change.pods);
  }
}

const AffinityState::Effect& AffinityState::EffectOf(ClassIndex other) {
  const auto it = effects_.find(other);
  if (it != effects_.end()) return it->second;
  Effect effect;
  PodClasses& classes = world_.classes();
  effect.matches_all = !shape_.required_affinity.empty() &&
                       std::all_of(shape_.required_affinity.begin(), shape_.required_affinity.end(),
                                   [&](const AffinityTerm& term) {
                                     return classes.MatchesOwn(term, class_, other);
                                   });
  for (size_t i = 0; i < shape_.required_anti_affinity.size(); ++i) {
    if (classes.MatchesOwn(shape_.required_anti_affinity[i], class_, other)) {
      effect.anti.push_back(static_cast<uint32_t>(anti_keys_[i]));
    }
  }
  for (const AffinityTerm& term : classes.shape(other).required_anti_affinity) {
    if (!classes.MatchesHeld(term, other, class_)) continue;
    effect.existing.push_back(
        static_cast<uint32_t>(existing_.KeyNumber(world_, term.topology_key)));
  }
  return effects_[other] = std::move(effect);
}

void AffinityState::Count(ClassIndex other, NodeIndex n, int sign) {
  const Effect& effect = EffectOf(other);
  if (effect.matches_all) {
    for (const size_t key : affinity_keys_) {
      if (affinity_.Add(key, n, sign)) matching_ += sign;
    }
  }
  for (const uint32_t key : effect.anti) anti_.Add(key, n, sign);
  for (const uint32_t key : effect.existing) {
    if (existing_.Add(key, n, sign)) existing_count_ += sign;
  }
}

AffinityState::Answer AffinityState::Refusal(NodeIndex n) const {
  bool keys = true, everywhere = true;
  for (const size_t key : affinity_keys_) {
    keys &= affinity_.has(key, n);
    everywhere &= affinity_.at(key, n) > 0;
  }
  if (!keys || (!everywhere && !(matching_ == 0 && matches_itself_))) return Answer::kAffinity;
  for (const size_t key : anti_keys_) {
    if (anti_.at(key, n) > 0) return Answer::kAntiAffinity;
  }
  for (size_t key = 0; key < existing_.size(); ++key) {
    if (existing_.at(key, n) > 0) return Answer::kExisting;
  }
  return Answer::kFits;
}

void AffinityState::MarkRefused(std::span<const NodeIndex> nodes,
                                std::vector<uint8_t>* marks) const {
  if (!affinity_keys_.empty()) {
    for (size_t i = 0; i < nodes.size(); ++i) (*marks)[i] |= Refusal(nodes[i]) != Answer::kFits;
    return;
  }
  for (const size_t key : anti_keys_) anti_.MarkOccupied(key, nodes, marks);
  for (size_t key = 0; key < existing_.size(); ++key) existing_.MarkOccupied(key, nodes, marks);
}

AffinityScores::AffinityScores(World& world, ClassIndex c, const Settings& settings)
    : world_(world), class_(c), settings_(settings) {
  const TaskShape& shape = world.classes().shape(c);
  own_ = !shape.preferred_affinity.empty() || !shape.preferred_anti_affinity.empty();
  scores_ = own_ || !settings.ignores_preferred_terms;
  if (!scores_ || (!own_ && world.with_affinity() == 0)) return;
  for (const TaskIndex t : world.placed()) {
    if (own_ || world.pod(t).has_affinity) Count(world.class_of(t), world.node_of(t), 1);
  }
}

void AffinityScores::Count(ClassIndex other, NodeIndex n, int sign) {
  for (const auto& [key, weight] : EffectOf(other)) {
    if (counts_.Add(key, n, sign * weight)) contributions_ += sign;
  }
}

void AffinityScores::Follow(std::span<const WorldChange> changes) {
  if (!scores_) return;
  if (!own_ && world_.affinity_until() <= world_.journal().size() - changes.size()) return;
  for (const WorldChange& change : changes) {
    if (change.pods == 0) continue;
    if (!own_ && !world_.classes().at(change.pod_class).has_affinity) continue;
    Count(change.pod_class, change.node, change.pods);
  }
}

const AffinityScores::Effect& AffinityScores::EffectOf(ClassIndex other) {
  const auto it = effects_.find(other);
  if (it != effects_.end()) return it->second;
  Effect effect;
  PodClasses& classes = world_.classes();
  const TaskShape &mine = classes.shape(class_), &theirs = classes.shape(other);
  const auto add = [&](const AffinityTerm& term, int64_t weight) {
    effect.emplace_back(static_cast<uint32_t>(counts_.KeyNumber(world_, term.topology_key)),
                        weight);
  };
  for (const auto& [weight, term] : mine.preferred_affinity) {
    if (classes.MatchesOwn(term, class_, other)) add(term, weight);
  }
  for (const auto& [weight, term] : mine.preferred_anti_affinity) {
    if (classes.MatchesOwn(term, class_, other)) add(term, -weight);
  }
  if (settings_.required_weight > 0) {
    for (const AffinityTerm& term : theirs.required_affinity) {
      if (classes.MatchesHeld(term, other, class_)) add(term, settings_.required_weight);
    }
  }
  for (const auto& [weight, term] : theirs.preferred_affinity) {
    if (classes.MatchesHeld(term, other, class_)) add(term, weight);
  }
  for (const auto& [weight, term] : theirs.preferred_anti_affinity) {
    if (classes.MatchesHeld(term, other, class_)) add(term, -weight);
  }
  return effects_[other] = std::move(effect);
}

std::vector<int64_t> AffinityScores::Scaled(const std::vector<int64_t>& raw) {
  const auto [least, most] = std::minmax_element(raw.begin(), raw.end());
  const double range = static_cast<double>(*most - *least);
  std::vector<int64_t> scores;
  scores.reserve(raw.size());
  for (const int64_t score : raw) {
    // Divided before it is multiplied.
    const double part = range > 0 ? static_cast<double>(score - *least) / range : 0;
    scores.push_back(static_cast<int64_t>(100.0 * part));
  }
  return scores;
}

int64_t AffinityScores::Raw(NodeIndex n) const {
  int64_t raw = 0;
  for (size_t key = 0; key < counts_.size(); ++key) raw += counts_.at(key, n);
  return raw;
}

}  // namespace muster::kube
