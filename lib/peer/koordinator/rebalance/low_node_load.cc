// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One round: pools, sources and targets, and the tasks that leave until loads fit.
#include "lib/peer/koordinator/rebalance/low_node_load.h"

#include <algorithm>
#include <utility>

#include "lib/base/go_sort.h"
#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster::koordinator {

// One pool of one round.
class PoolRound {
 public:
  PoolRound(LowNodeLoad* balancer, const LoadPool& pool, std::span<const LoadedNode> nodes,
            std::span<const size_t> indices)
      : balancer_(balancer), pool_(pool), view_(pool.thresholds, nodes, indices) {}

  // Returns false if nothing was done; else sets `handled` to the nodes over of all tasks.
  bool Run(size_t pool_size, FitsTarget fits, int64_t now, EvictionBook* book,
           std::vector<TaskMove>* moves);
  std::vector<size_t> handled;

 private:
  struct Side {
    LoadSide side;
    std::vector<size_t> sources, targets;
    std::vector<int64_t> room;  // of the targets, by resource
  };

  std::vector<size_t> Abnormal(const std::vector<size_t>& nodes, LoadSide side, int64_t now);
  void Reset(const std::vector<size_t>& nodes, LoadSide side, int64_t now);
  void SortBusiestFirst(LoadSide side, std::vector<size_t>* nodes);
  std::vector<int64_t> RoomOf(const std::vector<size_t>& nodes, LoadSide side);
  void Evict(const LoadView::Classes& classes, Side all, Side production);
  void BalanceSide(Side* side);
  bool FitsSome(const LoadedTask& task, const Side& side);
  void EvictFrom(size_t node, const std::vector<const LoadedTask*>& tasks, Side* side);
  bool Continues(size_t node, const Side& side);
  void Subtract(const NamedAmounts& usage, size_t node, Side* side);

  AnomalyBook& BookOf(LoadSide side) {
    return side == LoadSide::kAll ? balancer_->all_ : balancer_->production_;
  }
  const std::string& NameOf(size_t node) { return view_.Given(view_.nodes()[node]).name; }
  LoadLevel& LevelOf(size_t node, LoadSide side) {
    return LoadView::LevelOf(view_.nodes()[node], side);
  }

  LowNodeLoad* balancer_;
  const LoadPool& pool_;
  LoadView view_;
  // Of this run.
  const FitsTarget* fits_ = nullptr;
  EvictionBook* book_ = nullptr;
  std::vector<TaskMove>* moves_ = nullptr;
  int64_t now_ = 0;
};

std::vector<size_t> PoolRound::Abnormal(const std::vector<size_t>& nodes, LoadSide side,
                                        int64_t now) {
  std::vector<std::string> names;
  for (const size_t node : nodes) names.push_back(NameOf(node));
  const std::vector<std::string> abnormal = LongAbnormal(names, pool_.anomaly, now, &BookOf(side));
  std::vector<size_t> found;
  for (const size_t node : nodes) {
    if (std::find(abnormal.begin(), abnormal.end(), NameOf(node)) != abnormal.end()) {
      found.push_back(node);
    }
  }
  return found;
}

void PoolRound::Reset(const std::vector<size_t>& nodes, LoadSide side, int64_t now) {
  for (const size_t node : nodes) BookOf(side).Reset(NameOf(node), now);
}

void PoolRound::SortBusiestFirst(LoadSide side, std::vector<size_t>* nodes) {
  std::vector<std::pair<int64_t, size_t>> scored;
  for (const size_t n : *nodes) {
    const ViewedNode& node = view_.nodes()[n];
    scored.emplace_back(
        UsageScore(view_.UsageOf(node, side), view_.Given(node).capacity, pool_.weights), n);
  }
  GoSort(scored, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < scored.size(); ++i) (*nodes)[i] = scored[i].second;
}

std::vector<int64_t> PoolRound::RoomOf(const std::vector<size_t>& nodes, LoadSide side) {
  std::vector<int64_t> room(view_.resources().size());
  for (const size_t node : nodes) {
    const LoadLevel& level = LevelOf(node, side);
    for (size_t r = 0; r < room.size(); ++r)
      room[r] = SatAdd(room[r], level.high[r] - level.used[r]);
  }
  return room;
}

bool PoolRound::Run(size_t pool_size, FitsTarget fits, int64_t now, EvictionBook* book,
                    std::vector<TaskMove>* moves) {
  fits_ = &fits, now_ = now, book_ = book, moves_ = moves;
  const LoadView::Classes classes = view_.Classify();
  if (classes.over.empty() && classes.production_over.empty()) return false;
  Side all{LoadSide::kAll, Abnormal(classes.over, LoadSide::kAll, now), {}, {}};
  Side production{
      LoadSide::kProduction, Abnormal(classes.production_over, LoadSide::kProduction, now), {}, {}};
  if (all.sources.empty() && production.sources.empty()) return false;
  const size_t under =
      classes.under.size() + classes.production_under.size() + classes.both_under.size();
  if (under == 0) return false;
  Reset(classes.under, LoadSide::kAll, now);
  Reset(classes.production_under, LoadSide::kProduction, now);
  Reset(classes.both_under, LoadSide::kAll, now);
  if (static_cast<int64_t>(under) <= balancer_->rules_.idle_nodes || under == pool_size) {
    return false;
  }
  SortBusiestFirst(LoadSide::kAll, &all.sources);
  SortBusiestFirst(LoadSide::kProduction, &production.sources);
  Evict(classes, all, production);
  for (const size_t node : all.sources) BookOf(LoadSide::kAll).MarkNormal(NameOf(node), now);
  for (const size_t node : production.sources) {
    BookOf(LoadSide::kProduction).MarkNormal(NameOf(node), now);
  }
  for (const size_t node : classes.over) handled.push_back(view_.nodes()[node].index);
  return true;
}

void PoolRound::Evict(const LoadView::Classes& classes, Side all, Side production) {
  const auto join = [](std::vector<size_t> a, const std::vector<size_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  all.targets = join(classes.under, classes.both_under);
  production.targets = join(classes.production_under, classes.both_under);
  all.room = RoomOf(classes.under, LoadSide::kAll);
  production.room = RoomOf(classes.production_under, LoadSide::kProduction);
  std::vector<int64_t> both = RoomOf(classes.both_under, LoadSide::kAll);
  const std::vector<int64_t> production_both = RoomOf(classes.both_under, LoadSide::kProduction);
  for (size_t r = 0; r < both.size(); ++r) all.room[r] = SatAdd(all.room[r], both[r]);
  BalanceSide(&all);
  // What the first side has left of the nodes under of both bounds what the second may use there.
  for (size_t r = 0; r < both.size(); ++r) {
    both[r] = std::min(both[r], all.room[r]);
    production.room[r] = SatAdd(production.room[r], std::min(production_both[r], both[r]));
  }
  BalanceSide(&production);
}

bool PoolRound::FitsSome(const LoadedTask& task, const Side& side) {
  if (!task.usage.has_value()) return false;
  std::vector<int64_t> usage;
  for (const std::string& resource : view_.resources()) {
    usage.push_back(AmountOf(*task.usage, resource));
  }
  for (const size_t target : side.targets) {
    LoadLevel& level = LevelOf(target, side.side);
    if (!StaysWithin(usage, level)) continue;
    if ((*fits_)(task, view_.Given(view_.nodes()[target]))) return TakeTarget(usage, {&level});
  }
  return false;
}

void PoolRound::BalanceSide(Side* side) {
  if (side->targets.empty()) return;
  for (const size_t node : side->sources) {
    std::vector<const LoadedTask*> tasks;
    for (const LoadedTask& task : view_.Given(view_.nodes()[node]).tasks) {
      if (side->side == LoadSide::kProduction && task.rank.band != Band::kProduction) continue;
      if (!task.is_evictable) continue;
      if (balancer_->rules_.checks_targets && !FitsSome(task, *side)) continue;
      tasks.push_back(&task);
    }
    if (!tasks.empty()) EvictFrom(node, tasks, side);
  }
}

bool PoolRound::Continues(size_t node, const Side& side) {
  if (LoadView::OverResources(LevelOf(node, side.side)).empty()) {
    BookOf(side.side).Reset(NameOf(node), now_);
    return false;
  }
  return std::all_of(side.room.begin(), side.room.end(), [](int64_t room) { return room > 0; });
}

void PoolRound::EvictFrom(size_t node, const std::vector<const LoadedTask*>& tasks, Side* side) {
  const LoadLevel& level = LevelOf(node, side->side);
  NamedAmounts excess, weights;
  for (const size_t r : LoadView::OverResources(level)) {
    const std::string& resource = view_.resources()[r];
    excess.emplace_back(resource, level.used[r] - level.high[r]);
    weights.emplace_back(resource, AmountOf(pool_.weights, resource));
  }
  for (const size_t i : OrderOnNode(tasks, excess, weights)) {
    if (!Continues(node, *side)) return;
    const LoadedTask& task = *tasks[i];
    if (!book_->Allows(NameOf(node), task.name_space)) continue;
    book_->Count(NameOf(node), task.name_space);
    moves_->push_back({NameOf(node), task.name, side->side == LoadSide::kProduction});
    if (task.usage.has_value()) Subtract(*task.usage, node, side);
  }
}

void PoolRound::Subtract(const NamedAmounts& usage, size_t node, Side* side) {
  for (size_t r = 0; r < side->room.size(); ++r) {
    const std::string& resource = view_.resources()[r];
    const int64_t amount = resource == "pods" ? 1000 : AmountOf(usage, resource);
    side->room[r] -= amount;
    LevelOf(node, LoadSide::kAll).used[r] -= amount;
    if (side->side == LoadSide::kProduction) {
      LevelOf(node, LoadSide::kProduction).used[r] -= amount;
    }
  }
}

std::vector<TaskMove> LowNodeLoad::Balance(std::span<const LoadedNode> nodes, FitsTarget fits,
                                           int64_t now) {
  std::vector<TaskMove> moves;
  if (rules_.is_paused) return moves;
  EvictionBook book(rules_.limits);
  std::vector<bool> is_handled(nodes.size());
  for (const LoadPool& pool : rules_.pools) {
    const std::vector<size_t> indices = PoolNodes(pool.selector, nodes, is_handled);
    if (indices.empty()) continue;
    PoolRound round(this, pool, nodes, indices);
    if (!round.Run(indices.size(), fits, now, &book, &moves)) continue;
    for (const size_t index : round.handled) is_handled[index] = true;
  }
  return moves;
}

std::vector<size_t> PoolNodes(const std::optional<Selector>& selector,
                              std::span<const LoadedNode> nodes,
                              const std::vector<bool>& is_handled) {
  std::vector<size_t> chosen;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (selector.has_value() && (is_handled[n] || !Matches(*selector, nodes[n].labels))) continue;
    chosen.push_back(n);
  }
  return chosen;
}

std::vector<std::string> LongAbnormal(const std::vector<std::string>& nodes,
                                      const std::optional<AnomalyRules>& rules, int64_t now,
                                      AnomalyBook* book) {
  if (!rules.has_value() || rules->abnormal_rounds == 1) return nodes;
  std::vector<std::string> abnormal;
  for (const std::string& node : nodes) {
    if (book->MarkAbnormal(node, *rules, now)) abnormal.push_back(node);
  }
  return abnormal;
}

bool StaysWithin(const std::vector<int64_t>& usage, const LoadLevel& level) {
  for (size_t r = 0; r < usage.size(); ++r) {
    if (SatAdd(level.used[r], usage[r]) > level.high[r]) return false;
  }
  return true;
}

bool TakeTarget(const std::vector<int64_t>& usage, const std::vector<LoadLevel*>& levels) {
  for (LoadLevel* level : levels) {
    if (!StaysWithin(usage, *level)) continue;
    for (size_t r = 0; r < usage.size(); ++r) level->used[r] = SatAdd(level->used[r], usage[r]);
    return true;
  }
  return false;
}

std::vector<size_t> OrderOnNode(const std::vector<const LoadedTask*>& tasks,
                                const NamedAmounts& excess, const NamedAmounts& weights) {
  std::vector<EvictionRank> ranks;
  for (const LoadedTask* task : tasks) {
    ranks.push_back(task->rank);
    if (task->usage.has_value()) {
      ranks.back().relief = ReliefScore(*task->usage, excess, weights);
    }
  }
  return EvictionOrder(ranks);
}

}  // namespace muster::koordinator
