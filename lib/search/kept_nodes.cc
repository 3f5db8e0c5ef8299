// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Classes with policies of scope kCluster that answer about one node at a time: all nodes are asked
// once, and then those that changed (node_board.h).
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "lib/search/node_search.h"

namespace muster {

void NodeSearch::AskAnswers(ClassIndex c, ClassNeeds* needs) const {
  needs->by_node = true;
  needs->fit_improves = false;
  needs->by_level = nullptr;
  needs->levels = nullptr;
  const auto answers_of = [&](const PolicyEntry* entry) {
    auto* const answers = dynamic_cast<NodeAnswers*>(entry->policy);
    return answers != nullptr && answers->AnswersByNode(c) ? answers : nullptr;
  };
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    if (entry->fit->FitScope(c) != Scope::kCluster) continue;
    NodeAnswers* const answers = answers_of(entry);
    needs->by_node &= answers != nullptr;
    needs->fit_improves |= answers == nullptr || !answers->OnlyWorsens(c);
  }
  for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
    if (entry->score->ScoreScope(c) != Scope::kCluster) continue;
    NodeAnswers* const answers = answers_of(entry);
    // What a level is worth is added last, so no policy may come behind it.
    needs->by_node &= answers != nullptr && needs->levels == nullptr;
    if (answers != nullptr && answers->ScoresByLevel(c)) {
      needs->by_level = entry;
      needs->levels = answers;
    }
  }
}

bool NodeSearch::UseKeptNodes(const ClassNeeds& needs) const {
  const auto bytes =
      static_cast<int64_t>(ledger_.tables().nodes.alive.size() * NodeBoard::kBytesPerNode);
  return (needs.cluster_fit || needs.cluster_score) && needs.by_node && speed_.block_winners &&
         states_->exact() && kinds_->uniform(needs.row) && !ranks() &&
         !dispatcher_.node_ties().any() && bytes <= speed_.memory_limit / 4 &&
         !(meter_ != nullptr && meter_->explains());
}

NodeSearch::KeptNodes& NodeSearch::KeptOf(ClassIndex c, Want want) {
  constexpr size_t kMost = 8;  // a gang has few classes, and those of others come back late
  const size_t bytes = ledger_.tables().nodes.alive.size() * NodeBoard::kBytesPerNode;
  const auto limit = static_cast<size_t>(speed_.memory_limit / 4);
  const size_t most = std::clamp<size_t>(limit / std::max<size_t>(bytes, 1), 1, kMost);
  KeptNodes* oldest = nullptr;
  for (const auto& kept : kept_nodes_) {
    if (kept->task_class == c && kept->want == want) {
      kept->last_use = ++uses_;
      return *kept;
    }
    if (oldest == nullptr || kept->last_use < oldest->last_use) oldest = kept.get();
  }
  if (kept_nodes_.size() < most) {
    oldest = kept_nodes_.emplace_back(std::make_unique<KeptNodes>()).get();
  }
  oldest->task_class = c;
  oldest->want = want;
  oldest->cycle = 0;
  oldest->last_use = ++uses_;
  return *oldest;
}

// Returns the nodes that the ledger's journal names since, each once.
std::vector<NodeIndex> NodeSearch::ChangedNodes(const KeptNodes& kept) {
  std::vector<NodeIndex> nodes;
  seen_.resize(ledger_.tables().nodes.alive.size(), 0);
  for (const NodeIndex n : ledger_.journal().subspan(kept.position)) {
    if (!std::exchange(seen_[n], 1)) nodes.push_back(n);
  }
  for (const NodeIndex n : nodes) seen_[n] = 0;
  return nodes;
}

void NodeSearch::FollowNodes(TaskIndex task, const ClassNeeds& needs, KeptNodes* kept) {
  Scoreboard& board = Board(kept->task_class, kept->want);
  board.Refresh(context(), needs);
  const size_t all = ledger_.tables().nodes.alive.size();
  std::vector<NodeIndex> nodes;
  if (kept->cycle != cycle_ || kept->birth != ledger_.birth() ||
      ledger_.journal().size() - kept->position > all) {
    NodeBoard::LevelScore level_score;
    if (needs.levels != nullptr) {
      level_score = [levels = needs.levels](uint8_t level, uint8_t highest) {
        return levels->LevelScore(level, highest);
      };
    }
    kept->board.Reset(all, std::move(level_score));
    kept->cycle = cycle_;
    kept->birth = ledger_.birth();
    nodes.reserve(all);
    for (NodeIndex n = 0; n < all; ++n) nodes.push_back(n);
  } else {
    nodes = ChangedNodes(*kept);
    for (const NodeIndex n : nodes) kept->board.Clear(n);
  }
  kept->position = ledger_.journal().size();
  std::erase_if(nodes, [&](NodeIndex n) {
    const StateIndex slot = states_->state(n);
    return slot == kNone || !board.fits(slot);
  });
  if (nodes.empty()) return;
  if (needs.cluster_fit) KeepFitting(kept->task_class, kept->want == Want::kEvicting, &nodes);
  std::vector<double> order, batch;
  AddScores(task, needs, board, nodes, needs.by_level, &order, &batch);
  std::vector<uint8_t> levels(nodes.size());
  if (needs.levels != nullptr && !nodes.empty()) {
    Measured(meter_, *needs.by_level, nodes.size(),
             [&] { needs.levels->LevelNodes(kept->task_class, nodes, levels); });
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    kept->board.Set(nodes[i], order[i], batch[i], levels[i]);
  }
}

NodeIndex NodeSearch::BestKept(TaskIndex task, const ClassNeeds& needs, Want want) {
  if (meter_ != nullptr) ++meter_->searches().by_table;
  KeptNodes& kept = KeptOf(ClassOf(task), want);
  FollowNodes(task, needs, &kept);
  return kept.board.Best();
}

}  // namespace muster
