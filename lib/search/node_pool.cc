// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/node_pool.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace muster {

void NodePool::Fill(NodeSearch& search, std::span<const NodeIndex> nodes) {
  std::vector<std::pair<StateIndex, NodeIndex>> by_state;
  by_state.reserve(nodes.size());
  for (NodeIndex n : nodes) {
    if (const StateIndex state = search.StateOf(n); state != kNone) by_state.emplace_back(state, n);
  }
  std::sort(by_state.begin(), by_state.end());
  entries_.clear();
  oldest_.clear();
  // In ascending order a list of nodes is a heap already.
  for (const auto& [state, node] : by_state) {
    if (entries_.empty() || entries_.back().state != state) {
      entries_.push_back({state, {}});
      oldest_.push_back(node);
    }
    entries_.back().nodes.push_back(node);
  }
}

NodeIndex NodePool::Best(NodeSearch& search, TaskIndex task, Want want) {
  const NodeIndex best = search.BestAmong(task, want, oldest_, nullptr);
  if (best != kNone) {
    last_ = static_cast<size_t>(std::find(oldest_.begin(), oldest_.end(), best) - oldest_.begin());
  }
  return best;
}

void NodePool::Moved(NodeSearch& search) {
  Entry& entry = entries_[last_];
  const NodeIndex node = oldest_[last_];
  std::pop_heap(entry.nodes.begin(), entry.nodes.end(), std::greater<>());
  entry.nodes.pop_back();
  if (!entry.nodes.empty()) {
    oldest_[last_] = entry.nodes.front();
  } else {
    std::swap(entries_[last_], entries_.back());
    oldest_[last_] = oldest_.back();
    entries_.pop_back();
    oldest_.pop_back();
  }
  Add(search.StateOf(node), node);
}

void NodePool::Add(StateIndex state, NodeIndex node) {
  if (state == kNone) return;
  size_t i = 0;
  while (i < entries_.size() && entries_[i].state != state) ++i;
  if (i == entries_.size()) {
    entries_.push_back({state, {}});
    oldest_.push_back(node);
  }
  entries_[i].nodes.push_back(node);
  std::push_heap(entries_[i].nodes.begin(), entries_[i].nodes.end(), std::greater<>());
  oldest_[i] = entries_[i].nodes.front();
}

}  // namespace muster
