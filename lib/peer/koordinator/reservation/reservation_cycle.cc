// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_cycle.h"

#include <algorithm>
#include <set>

#include "lib/kube/selectors.h"

namespace muster {
namespace {

bool RemoveHeld(const std::string& uid, ReservationView* view) {
  const auto found =
      std::find_if(view->tasks.begin(), view->tasks.end(),
                   [&](const ReservationBook::Held& held) { return held.task == uid; });
  if (found == view->tasks.end()) return false;
  view->tasks.erase(found);
  return true;
}

Sparse SumOf(const std::vector<ReservationBook::Held>& tasks) {
  Sparse sum;
  for (const ReservationBook::Held& held : tasks) sum.Add(held.request);
  return sum;
}

}  // namespace

Sparse ReservationView::Requested() const {
  Sparse sum = Difference(SumOf(tasks), given_back);
  return sum;
}

bool ReservationCycle::Passes(const TaskShape& shape, const NamedNodes& named,
                              const NodeSpec& node) const {
  if (named.names.empty()) return MatchesNode(shape, node);
  return std::binary_search(named.names.begin(), named.names.end(), node.name);
}

Labels ReservationCycle::NodeLabels(const ReservationView& view) const {
  return options_.ignores_node_labels ? Labels() : view.node.labels;
}

void ReservationCycle::MatchNode(const ReservationAsker& task, const ReservationView& view) {
  Node node;
  ReservationTally tally;
  for (const ReservationBook::Entry* entry : books_.book.MatchableOn(view.node.name)) {
    const ReservationOffered& offered = entry->record.offered;
    const ReservationMatch match = MatchReservation(task, offered, NodeLabels(view));
    tally.Count(match, FirstRepelling(task, offered));
    if (IsMatch(match)) {
      node.matched.push_back(*entry);
    } else if (!entry->tasks.empty()) {
      node.unmatched.push_back(*entry);
    }
  }
  if (tally.ignored > 0 || tally.owned > 0) state_.tallies[view.node.name] = tally;
  if (node.matched.empty() && (node.unmatched.empty() || task.wish)) return;
  state_.nodes[view.node.name] = std::move(node);
}

ReservationCode ReservationCycle::PrepareTask(const ReservationAsker& task, const TaskShape& shape,
                                              const std::optional<std::vector<std::string>>& nodes,
                                              bool restores, ReservationViews* views) {
  state_ = State();
  if (!task.is_readable) return ReservationCode::kError;
  const NamedNodes named = NodesNamedBy(shape);
  if (named.conflict) return ReservationCode::kUnresolvable;
  for (const std::string& name : nodes ? *nodes : books_.book.Nodes(false)) {
    const auto view = views->find(name);
    if (view == views->end() || !Passes(shape, named, view->second.node)) continue;
    MatchNode(task, view->second);
  }
  state_.has_affinity = task.wish.has_value();
  if (task.wish) state_.wished = task.wish->name;
  state_.request = task.request;
  if (restores && !Restore(StateNodes(), false, views)) return ReservationCode::kError;
  return ReservationCode::kSuccess;
}

std::vector<RunningTask> ReservationCycle::CandidatesOf(
    const PlacedReservation& placed, const std::vector<RunningTask>& running) const {
  std::vector<RunningTask> candidates;
  if (placed.of_cluster) {
    for (const std::string& node : books_.candidates.Nodes()) {
      for (const std::string& uid : books_.candidates.Of(node)) {
        for (const RunningTask& task : running) {
          if (task.asker.object.uid == uid) candidates.push_back(task);
        }
      }
    }
    return candidates;
  }
  std::set<std::string> known;
  for (const OwnerRule& owner : placed.record.offered.owners) {
    if (!owner.selector) continue;
    for (const RunningTask& task : running) {
      if (task.node.empty() || task.holds_reservation || task.stands_for_reservation) continue;
      if (!Matches(*owner.selector, task.asker.labels)) continue;
      if (known.insert(task.asker.object.uid).second) candidates.push_back(task);
    }
  }
  return candidates;
}

ReservationCode ReservationCycle::PrepareReservation(
    const PlacedReservation& placed, const std::vector<RunningTask>& running,
    const std::optional<std::vector<std::string>>& nodes, bool restores, ReservationViews* views) {
  state_ = State();
  const NamedNodes named = NodesNamedBy(placed.shape);
  if (named.conflict) return ReservationCode::kUnresolvable;
  if (placed.takes_over) {
    const bool may = placed.record.policy == Reserved::Policy::kRestricted &&
                     placed.record.offered.owners_can_be_read &&
                     (!placed.of_cluster || options_.of_cluster);
    if (!may) return ReservationCode::kUnresolvable;
  }
  std::map<std::string, std::vector<RunningTask>> candidates;
  if (placed.takes_over) {
    for (RunningTask& task : CandidatesOf(placed, running)) {
      candidates[task.node].push_back(std::move(task));
    }
  }
  std::set<std::string> visited;
  if (nodes) {
    visited.insert(nodes->begin(), nodes->end());
  } else {
    for (const std::string& node : books_.book.Nodes(true)) visited.insert(node);
    for (const auto& [node, tasks] : candidates) visited.insert(node);
  }
  for (const std::string& name : visited) {
    const auto view = views->find(name);
    if (view == views->end() || !Passes(placed.shape, named, view->second.node)) continue;
    Node node;
    for (const ReservationBook::Entry* entry : books_.book.MatchableOn(name)) {
      node.unmatched.push_back(*entry);
    }
    ReservationTally tally;
    for (const RunningTask& task : candidates[name]) {
      const ReservationMatch match = MatchRunningTask(task.asker, placed.record.offered,
                                                      NodeLabels(view->second), !placed.of_cluster);
      tally.Count(match, FirstRepelling(task.asker, placed.record.offered));
      if (IsMatch(match)) node.candidates.push_back({task.asker.object.uid, task.asker.request});
    }
    if (tally.owned > 0) state_.tallies[name] = tally;
    if (node.candidates.empty() && (node.unmatched.empty() || placed.must_take_over)) continue;
    state_.nodes[name] = std::move(node);
  }
  state_.own = placed;
  state_.request = placed.request;
  if (restores && !Restore(StateNodes(), false, views)) return ReservationCode::kError;
  return ReservationCode::kSuccess;
}

std::vector<std::string> ReservationCycle::StateNodes() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : state_.nodes) names.push_back(name);
  return names;
}

bool ReservationCycle::RestoreNode(Node* node, bool keeps_view, ReservationView* view) const {
  node->is_restored = true;
  node->held_by_owners = Sparse();
  for (const ReservationBook::Entry& entry : node->matched) node->held_by_owners.Add(entry.used);
  if (!keeps_view) {
    for (const ReservationBook::Entry& entry : node->unmatched) {
      if (!entry.tasks.empty()) view->given_back.Add(entry.used);
    }
  }
  node->requested = view->Requested();
  if (keeps_view) return true;
  for (const ReservationBook::Entry& entry : node->matched) {
    if (!RemoveHeld(entry.record.uid, view)) return false;
  }
  for (const ReservationBook::Held& task : node->candidates) {
    if (!RemoveHeld(task.task, view)) return false;
  }
  return true;
}

bool ReservationCycle::Restore(const std::vector<std::string>& nodes, bool keeps_views,
                               ReservationViews* views) {
  for (const std::string& name : nodes) {
    const auto node = state_.nodes.find(name);
    const auto view = views->find(name);
    if (node == state_.nodes.end() || view == views->end() || node->second.is_restored) continue;
    if (!RestoreNode(&node->second, keeps_views, &view->second)) return false;
  }
  return true;
}

}  // namespace muster
