// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology_counts.h"

#include <algorithm>
#include <limits>

#include "lib/base/math.h"

namespace muster::kueue {
namespace {

int32_t Sum32(int64_t sum) {
  return static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
}

int32_t Rounded(int32_t pods, int32_t size) { return size > 0 ? pods / size * size : pods; }

}  // namespace

void TopologyAssumed::Add(const TopologyPlaces& places, std::span<const PodAmount> pod,
                          uint32_t pods_resource) {
  for (const auto& [leaf, count] : places) {
    int64_t* row = RowOf(leaf);
    for (const auto& [resource, amount] : pod) {
      row[resource] = SatAdd(row[resource], SatMul(amount, count));
    }
    row[pods_resource] = SatAdd(row[pods_resource], count);
  }
}

void TopologyAssumed::AddRow(uint32_t leaf, std::span<const int64_t> amounts) {
  int64_t* row = RowOf(leaf);
  for (size_t r = 0; r < amounts.size(); ++r) row[r] = SatAdd(row[r], amounts[r]);
}

int64_t* TopologyAssumed::RowOf(uint32_t leaf) {
  const auto [found, is_new] = index_.try_emplace(leaf, static_cast<uint32_t>(leaves_.size()));
  if (is_new) {
    leaves_.push_back(leaf);
    rows_.resize(rows_.size() + width_);
  }
  return rows_.data() + found->second * width_;
}

// Room beside a leader is the room without one, less the least that a child loses by having it.
DomainCounts SumOf(std::span<const DomainCounts> children, const SumRule& rule) {
  int64_t pods = 0, slices = 0;
  int32_t pods_lost = std::numeric_limits<int32_t>::max(), slices_lost = pods_lost;
  bool hosts_leader = false;
  DomainCounts sum;
  for (const DomainCounts& child : children) {
    const int32_t child_pods = Rounded(child.pods, rule.child_size);
    pods += child_pods;
    slices += child.slices;
    if (!rule.leader || child.leaders > 0) {
      hosts_leader = true;
      const int32_t beside = Rounded(child.pods_with_leader, rule.child_size);
      pods_lost = std::min(pods_lost, child_pods - beside);
      slices_lost = std::min(slices_lost, child.slices - child.slices_with_leader);
    }
    sum.leaders = std::max(sum.leaders, child.leaders);
    sum.affinity += child.affinity;
  }
  sum.pods = Sum32(pods);
  sum.pods_with_leader = hosts_leader ? sum.pods - pods_lost : 0;
  if (rule.at_slice_level) {
    sum.slices = sum.pods / rule.slice_size;
    sum.slices_with_leader = sum.pods_with_leader / rule.slice_size;
  } else {
    sum.slices = Sum32(slices);
    sum.slices_with_leader = hosts_leader ? sum.slices - slices_lost : 0;
  }
  return sum;
}

TopologyCounts::TopologyCounts(const TopologyBooks* books, const LeafFilters* filters)
    : books_(books), tree_(&books->tree()), filters_(filters), stale_(tree_->levels()) {
  for (uint32_t level = 0; level < tree_->levels(); ++level) {
    is_stale_.emplace_back(tree_->size(level), uint8_t{0});
  }
}

TopologyCounts::Board& TopologyCounts::Find(const Key& key) {
  const auto found = std::find_if(boards_.begin(), boards_.end(),
                                  [&](const auto& board) { return board->key == key; });
  if (found != boards_.end()) {
    (*found)->last_use = ++uses_;
    Follow(found->get());
    return **found;
  }
  if (boards_.size() >= kBoards) {
    boards_.erase(
        std::min_element(boards_.begin(), boards_.end(),
                         [](const auto& a, const auto& b) { return a->last_use < b->last_use; }));
  }
  boards_.push_back(std::make_unique<Board>());
  Board& board = *boards_.back();
  board.key = key;
  board.last_use = ++uses_;
  for (uint32_t level = 0; level < tree_->levels(); ++level) {
    board.at.emplace_back(tree_->size(level));
  }
  CountAll(&board);
  return board;
}

int64_t TopologyCounts::Room(const Key& key, uint32_t leaf, uint32_t resource,
                             const int64_t* assumed) const {
  int64_t room = books_->free(leaf, resource);
  if (!key.empty) room = SatDifference(room, books_->used(leaf, resource));
  return assumed == nullptr ? room : SatDifference(room, assumed[resource]);
}

DomainCounts TopologyCounts::CountLeaf(const Key& key, uint32_t leaf,
                                       const int64_t* assumed) const {
  const LeafFilter& filter = filters_->at(key.filter);
  DomainCounts counts;
  if (!filter.Allows(leaf)) return counts;
  if (key.scored) counts.affinity = filter.Score(leaf);
  const auto room = [&](uint32_t r) { return Room(key, leaf, r, assumed); };
  counts.pods = CountPods(key.pod, room);
  counts.pods_with_leader = counts.pods;
  if (key.leader && CountPods(*key.leader, room) > 0) {
    counts.leaders = 1;
    counts.pods_with_leader = CountPods(key.pod, [&](uint32_t r) {
      int64_t left = room(r);
      for (const auto& [resource, amount] : *key.leader) {
        if (resource == r) left = SatDifference(left, amount);
      }
      return left;
    });
  }
  if (key.slice_level == tree_->lowest()) {
    counts.slices = counts.pods / key.slice_size;
    counts.slices_with_leader = counts.pods_with_leader / key.slice_size;
  }
  return counts;
}

uint32_t TopologyCounts::LimitOf(const Key& key, uint32_t leaf,
                                 const TopologyAssumed* assumed) const {
  const int64_t* row = nullptr;
  if (assumed != nullptr) {
    const auto at = std::find(assumed->leaves().begin(), assumed->leaves().end(), leaf);
    if (at != assumed->leaves().end()) {
      row = assumed->row(static_cast<size_t>(at - assumed->leaves().begin())).data();
    }
  }
  return LimitOfPods(
      key.pod, [&](uint32_t r) { return Room(key, leaf, r, row); }, tree_->resources());
}

SumRule TopologyCounts::RuleAt(const Key& key, uint32_t level) const {
  return {.slice_size = key.slice_size,
          .at_slice_level = level == key.slice_level,
          .child_size = key.sizes.empty() ? 0 : key.sizes[level + 1],
          .leader = key.leader.has_value()};
}

void TopologyCounts::CountAll(Board* board) const {
  board->journal = books_->journal_end();
  std::vector<DomainCounts>& leaves = board->at[tree_->lowest()];
  for (uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    leaves[leaf] = CountLeaf(board->key, leaf, nullptr);
  }
  for (uint32_t level = tree_->lowest(); level-- > 0;) {
    const SumRule rule = RuleAt(board->key, level);
    const std::span<const DomainCounts> children = board->at[level + 1];
    for (uint32_t domain = 0; domain < board->at[level].size(); ++domain) {
      const uint32_t first = tree_->first_child(level, domain);
      board->at[level][domain] =
          SumOf(children.subspan(first, tree_->last_child(level, domain) - first), rule);
    }
  }
}

void TopologyCounts::Follow(Board* board) {
  const size_t end = books_->journal_end();
  if (board->journal < books_->journal_base() || end - board->journal > tree_->leaves()) {
    CountAll(board);
    return;
  }
  for (; board->journal < end; ++board->journal) {
    const uint32_t leaf = books_->changed(board->journal);
    Set(leaf, CountLeaf(board->key, leaf, nullptr), /*undoable=*/false, board);
  }
  SumUp(/*undoable=*/false, board);
}

void TopologyCounts::Set(uint32_t leaf, const DomainCounts& counts, bool undoable, Board* board) {
  const uint32_t level = tree_->lowest();
  DomainCounts& before = board->at[level][leaf];
  if (before == counts) return;
  if (undoable) board->undo.push_back({level, leaf, before});
  before = counts;
  if (level == 0) return;
  const uint32_t parent = tree_->parent(level, leaf);
  if (is_stale_[level - 1][parent] != 0) return;
  is_stale_[level - 1][parent] = 1;
  stale_[level - 1].push_back(parent);
}

void TopologyCounts::SumUp(bool undoable, Board* board) {
  for (uint32_t level = tree_->lowest(); level-- > 0;) {
    const SumRule rule = RuleAt(board->key, level);
    const std::span<const DomainCounts> children = board->at[level + 1];
    for (const uint32_t domain : stale_[level]) {
      is_stale_[level][domain] = 0;
      const uint32_t first = tree_->first_child(level, domain);
      const DomainCounts sum =
          SumOf(children.subspan(first, tree_->last_child(level, domain) - first), rule);
      DomainCounts& before = board->at[level][domain];
      if (sum == before) continue;
      if (undoable) board->undo.push_back({level, domain, before});
      before = sum;
      if (level == 0) continue;
      const uint32_t parent = tree_->parent(level, domain);
      if (is_stale_[level - 1][parent] != 0) continue;
      is_stale_[level - 1][parent] = 1;
      stale_[level - 1].push_back(parent);
    }
    stale_[level].clear();
  }
}

void TopologyCounts::Assume(const TopologyAssumed& assumed, Board* board) {
  for (size_t i = 0; i < assumed.leaves().size(); ++i) {
    const uint32_t leaf = assumed.leaves()[i];
    Set(leaf, CountLeaf(board->key, leaf, assumed.row(i).data()), /*undoable=*/true, board);
  }
  SumUp(/*undoable=*/true, board);
}

void TopologyCounts::Confine(uint32_t first, uint32_t last, Board* board) {
  for (uint32_t leaf = 0; leaf < tree_->leaves(); ++leaf) {
    if (leaf >= first && leaf < last) continue;
    DomainCounts none;  // the score of affinity stays
    none.affinity = board->at[tree_->lowest()][leaf].affinity;
    Set(leaf, none, /*undoable=*/true, board);
  }
  SumUp(/*undoable=*/true, board);
}

void TopologyCounts::Restore(Board* board) {
  for (auto row = board->undo.rbegin(); row != board->undo.rend(); ++row) {
    board->at[row->level][row->domain] = row->counts;
  }
  board->undo.clear();
}

}  // namespace muster::kueue
