// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes one after the other, for actions that make room: by score, or in index order.
#include <algorithm>
#include <limits>
#include <vector>

#include "lib/search/node_search.h"

namespace muster {
namespace {

// Four at a time, because each comparison waits for the one before it.
double Highest(std::span<const double> scores) {
  constexpr size_t kLanes = 4;
  double best[kLanes];
  for (double& b : best) b = -std::numeric_limits<double>::infinity();
  size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) best[k] = scores[i + k] > best[k] ? scores[i + k] : best[k];
  }
  for (; i < scores.size(); ++i) best[0] = std::max(best[0], scores[i]);
  return std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
}

}  // namespace

std::vector<Ranked> NodeSearch::RankForEviction(TaskIndex task, Want want) {
  const ClassIndex c = ClassOf(task);
  const ClassNeeds& needs = SyncedNeeds(c);
  std::vector<Ranked> ranked = ScanNodes(c, needs, want, want == Want::kEvicting, task);
  std::make_heap(ranked.begin(), ranked.end());
  return ranked;
}

bool NodeSearch::VisitByScore(TaskIndex task, Want want, const std::vector<uint8_t>* refused,
                              absl::FunctionRef<bool(NodeIndex)> visit) {
  const ClassIndex c = ClassOf(task);
  const ClassNeeds& needs = SyncedNeeds(c);
  std::vector<Ranked> ranked;
  if (UseStates(needs) && needs.uniform) {
    // Usually the best node serves at once. Otherwise scores are taken as they are now, so that
    // visits cannot reorder what follows: the nodes of the best score in index order, then of the
    // next best. When many scores were looked at in vain, the rest becomes a heap.
    const NodeIndex winner = Board(c, want).Best(context(), needs);
    if (winner == kNone) return false;
    if ((refused == nullptr || !(*refused)[winner]) && visit(winner)) return true;
    // The visit may have moved nodes between states, and used the board for another class.
    states_->Sync();
    Scoreboard& board = Board(c, want);
    board.Refresh(context(), needs);
    constexpr double kNever = Scoreboard::kNoScore;
    // A node that was not visited stays in its state, and the state in its slot.
    const size_t nodes = ledger_.tables().nodes.alive.size();
    std::vector<uint8_t> done(nodes, 0);
    if (refused != nullptr) std::copy_n(refused->begin(), nodes, done.begin());
    done[winner] = 1;
    const std::span<const StateIndex> states = states_->states();
    std::vector<double> scores(states_->slots(), kNever);
    for (StateIndex slot = 0; slot < scores.size(); ++slot) {
      if (states_->head(slot) != kNone) scores[slot] = board.score(slot);
    }
    constexpr int kGroups = 4;
    double best = Highest(scores);
    for (int group = 0; group < kGroups && best != kNever; ++group) {
      for (NodeIndex n = 0; n < nodes; ++n) {
        if (done[n] || states[n] == kNone || scores[states[n]] != best) continue;
        done[n] = 1;
        if (visit(n)) return true;
      }
      for (double& score : scores) score = score < best ? score : kNever;
      best = Highest(scores);
    }
    for (NodeIndex n = 0; n < nodes && best != kNever; ++n) {
      if (done[n] || states[n] == kNone) continue;
      const double score = scores[states[n]];
      if (score != kNever) ranked.push_back({score, n});
    }
  } else {
    ranked = ScanNodes(c, needs, want, want == Want::kEvicting, task, refused);
  }
  std::make_heap(ranked.begin(), ranked.end());
  while (!ranked.empty()) {
    std::pop_heap(ranked.begin(), ranked.end());
    const NodeIndex node = ranked.back().node;
    ranked.pop_back();
    if (visit(node)) return true;
  }
  return false;
}

bool NodeSearch::VisitInOrder(ClassIndex c, Want want, NodeIndex from,
                              absl::FunctionRef<bool(NodeIndex)> visit) {
  const auto& alive = ledger_.tables().nodes.alive;
  // Resources aside, a refusal that an eviction might cure is none. What is left depends on the
  // node's kind, except where a policy tells single nodes apart: no state is looked at.
  const ClassNeeds& unsynced = Needs(c);
  const bool by_kind = want == Want::kEvicting && !unsynced.cluster_fit && !ranks() &&
                       !rules_.overfull_nodes_are_out &&
                       std::ranges::none_of(unsynced.fit_policies, [](const PolicyEntry* entry) {
                         return entry->traits.tells_nodes_apart;
                       });
  if (by_kind) {
    const uint32_t row = unsynced.row;
    for (NodeIndex n = from; n < alive.size(); ++n) {
      if (alive[n] && kinds_->fits(row, kinds_->kind(n)) && visit(n)) return true;
    }
    return false;
  }
  const ClassNeeds& needs = SyncedNeeds(c);
  if (!UseStates(needs)) {
    for (const Ranked& r : ScanNodes(c, needs, want, want == Want::kEvicting, kNone)) {
      if (r.node >= from && visit(r.node)) return true;
    }
    return false;
  }
  // A visit changes the state of its own node alone, and no node is visited twice.
  Scoreboard& board = Board(c, want);
  board.Refresh(context(), needs);
  for (NodeIndex n = from; n < alive.size(); ++n) {
    const StateIndex slot = states_->state(n);
    if (slot != kNone && board.fits(slot) && visit(n)) return true;
  }
  return false;
}

std::vector<NodeIndex> NodeSearch::ListForEviction(ClassIndex c, Want want) {
  std::vector<NodeIndex> nodes;
  VisitInOrder(c, want, 0, [&](NodeIndex node) {
    nodes.push_back(node);
    return false;
  });
  return nodes;
}

}  // namespace muster
