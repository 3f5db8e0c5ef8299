// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/take_over_candidates.h"

namespace muster {

void TakeOverCandidates::Follow(const Shown& before, const Shown& now) {
  const bool was = !before.uid.empty() && before.is_candidate;
  if (now.uid.empty() || now.node.empty()) {
    if (was) Remove(before.node, before.uid);
    return;
  }
  if (!was && now.is_candidate) return Add(now);
  if (was && !now.is_candidate) return Remove(now.node, now.uid);
  if (!was) return;
  if (before.node != now.node) {
    Remove(before.node, before.uid);
    return Add(now);
  }
  if (before.priority != now.priority) ChangePriority(now);
}

void TakeOverCandidates::Add(const Shown& task) {
  if (task.node.empty()) return;
  OnNode& node = nodes_[task.node];
  node.order.insert({task.priority, task.uid});
  node.priorities[task.uid] = task.priority;
}

void TakeOverCandidates::ChangePriority(const Shown& task) {
  const auto node = nodes_.find(task.node);
  if (task.node.empty() || node == nodes_.end()) return;
  OnNode& on_node = node->second;
  if (const auto old = on_node.priorities.find(task.uid); old != on_node.priorities.end()) {
    on_node.order.erase({old->second, task.uid});
  }
  on_node.order.insert({task.priority, task.uid});
  on_node.priorities[task.uid] = task.priority;
}

void TakeOverCandidates::Remove(const std::string& node, const std::string& uid) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  OnNode& on_node = found->second;
  if (const auto old = on_node.priorities.find(uid); old != on_node.priorities.end()) {
    on_node.order.erase({old->second, uid});
    on_node.priorities.erase(old);
  }
  if (on_node.order.empty()) nodes_.erase(found);
}

std::vector<std::string> TakeOverCandidates::Of(const std::string& node) const {
  std::vector<std::string> uids;
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return uids;
  for (const Place& place : found->second.order) uids.push_back(place.uid);
  return uids;
}

std::vector<std::string> TakeOverCandidates::Nodes() const {
  std::vector<std::string> names;
  for (const auto& [node, on_node] : nodes_) names.push_back(node);
  return names;
}

bool TakeOverCandidates::Before(const Shown& a, const Shown& b) {
  return Place{a.priority, a.uid} < Place{b.priority, b.uid};
}

}  // namespace muster
