// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_filters.h"

#include <algorithm>

#include "lib/kube/selectors.h"

namespace muster::kueue {
namespace {

bool Repels(const Taint& taint) {
  return taint.effect == TaintEffect::kNoSchedule || taint.effect == TaintEffect::kNoExecute;
}

std::string TextOf(const Taint& taint) {
  std::string text = taint.key;
  if (!taint.value.empty()) text += "=" + taint.value;
  return text + (taint.effect == TaintEffect::kNoSchedule ? ":NoSchedule" : ":NoExecute");
}

// Texts of different values differ.
void Append(std::string_view text, std::string* key) {
  *key += std::to_string(text.size());
  *key += ':';
  *key += text;
}

void Append(const std::vector<Requirement>& requirements, std::string* key) {
  *key += std::to_string(requirements.size());
  for (const Requirement& r : requirements) {
    Append(r.key, key);
    *key += static_cast<char>('a' + static_cast<int>(r.op));
    *key += std::to_string(r.values.size());
    for (const std::string& value : r.values) Append(value, key);
  }
}

void Append(const NodeTerm& term, std::string* key) {
  *key += 't';
  Append(term.match_expressions, key);
  *key += 'f';
  Append(term.match_fields, key);
}

}  // namespace

LeafFilters::LeafFilters(const TopologyTree* tree, bool scores)
    : tree_(tree), scores_(scores), filters_(1) {
  if (!tree->leaves_are_hosts()) return;
  for (uint32_t leaf = 0; leaf < tree->leaves(); ++leaf) {
    const std::vector<Taint>& taints = tree->host(leaf).taints;
    taints_ = taints_ || std::any_of(taints.begin(), taints.end(), Repels);
  }
}

uint32_t LeafFilters::Find(const TaskShape& shape) {
  if (!tree_->leaves_are_hosts()) return 0;
  const bool scored = scores_ && !shape.preferred_node_affinity.empty();
  if (!taints_ && shape.node_selector.empty() && !shape.required_node_affinity && !scored) return 0;
  const auto [found, is_new] =
      by_key_.try_emplace(KeyOf(shape), static_cast<uint32_t>(filters_.size()));
  if (is_new) filters_.push_back(Make(shape));
  return found->second;
}

std::string LeafFilters::KeyOf(const TaskShape& shape) const {
  std::string key;
  for (const auto& [name, value] : shape.node_selector) {
    Append(name, &key);
    Append(value, &key);
  }
  key += '|';
  if (shape.required_node_affinity) {
    key += 'r';
    for (const NodeTerm& term : *shape.required_node_affinity) Append(term, &key);
  }
  if (scores_) {
    for (const PreferredNodeTerm& preferred : shape.preferred_node_affinity) {
      key += 'p' + std::to_string(preferred.weight);
      Append(preferred.term, &key);
    }
  }
  key += '|';
  if (!taints_) return key;
  for (const Toleration& t : shape.tolerations) {
    Append(t.key, &key);
    Append(t.value, &key);
    key += static_cast<char>('a' + static_cast<int>(t.op));
    key += static_cast<char>('a' + static_cast<int>(t.effect));
  }
  return key;
}

LeafFilter LeafFilters::Make(const TaskShape& shape) const {
  TaskShape tolerant, selects;  // each has one of the rules, so that the first that fails is known
  tolerant.tolerations = shape.tolerations;
  tolerant.tolerations.insert(tolerant.tolerations.end(), tree_->tolerations().begin(),
                              tree_->tolerations().end());
  selects.node_selector = shape.node_selector;
  LeafFilter filter;
  filter.allowed.assign(tree_->leaves(), 0);
  if (scores_) filter.scores.assign(tree_->leaves(), 0);
  for (uint32_t leaf = 0; leaf < tree_->leaves(); ++leaf) {
    const NodeSpec& host = tree_->host(leaf);
    if (const Taint* taint = FirstUntolerated(tolerant, host)) {
      const std::string text = TextOf(*taint);
      const auto row = std::find_if(filter.by_taint.begin(), filter.by_taint.end(),
                                    [&](const auto& r) { return r.first == text; });
      if (row == filter.by_taint.end()) {
        filter.by_taint.emplace_back(text, 1);
      } else {
        ++row->second;
      }
    } else if (!MatchesNode(selects, host)) {
      ++filter.by_selector;
    } else if (!MatchesNode(shape, host)) {
      ++filter.by_affinity;
    } else {
      filter.allowed[leaf] = 1;
      if (!scores_) continue;
      for (const PreferredNodeTerm& preferred : shape.preferred_node_affinity) {
        if (Matches(preferred.term, host)) filter.scores[leaf] += preferred.weight;
      }
    }
  }
  return filter;
}

}  // namespace muster::kueue
