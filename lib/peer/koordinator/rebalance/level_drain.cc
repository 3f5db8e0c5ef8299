// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Levels of nodes, single tasks and whole nodes.
#include "lib/peer/koordinator/rebalance/level_drain.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "lib/kube/selectors.h"
#include "lib/peer/koordinator/rebalance/eviction_order.h"

namespace muster::koordinator {
namespace {

constexpr int kMissesInARow = 5;

// Takes the requests off what is left, or returns false and takes nothing.
bool TakeRoom(const NamedAmounts& requests, NamedAmounts* left) {
  const auto room_of = [left](const std::string& resource) {
    return std::find_if(left->begin(), left->end(),
                        [&](const auto& room) { return room.first == resource; });
  };
  for (const auto& [resource, amount] : requests) {
    const auto room = room_of(resource);
    if (room != left->end() && amount > room->second) return false;
  }
  for (const auto& [resource, amount] : requests) {
    const auto room = room_of(resource);
    // All but CPU is taken in whole units.
    if (room != left->end()) {
      room->second -= resource == "cpu" ? amount : ScoredAmount(resource, amount) * 1000;
    }
  }
  return true;
}

class WholeNodes {
 public:
  WholeNodes(std::span<const DrainNode> nodes, const std::vector<size_t>& targets,
             bool checks_targets, FitsDrainTarget fits)
      : nodes_(nodes), targets_(targets), checks_targets_(checks_targets), fits_(fits) {
    for (const size_t target : targets) left_.push_back(nodes[target].left);
  }

  // Returns whether all tasks of the node have a place, and takes these places.
  bool Drain(const DrainNode& node, const std::vector<size_t>& tasks) {
    std::vector<NamedAmounts> left = left_;
    for (const size_t task : tasks) {
      if (!Place(node.tasks[task], &left)) return false;
    }
    left_ = std::move(left);
    return true;
  }

 private:
  bool Place(const DrainNode::Task& task, std::vector<NamedAmounts>* left) const {
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (checks_targets_ && !fits_(task, nodes_[targets_[i]])) continue;
      if (TakeRoom(task.requests, &(*left)[i])) return true;
    }
    return false;
  }

  std::span<const DrainNode> nodes_;
  const std::vector<size_t>& targets_;
  const bool checks_targets_;
  FitsDrainTarget fits_;
  std::vector<NamedAmounts> left_;
};

}  // namespace

absl::Status CheckLevels(std::span<const DrainLevel> levels) {
  if (levels.size() < 2) return absl::InvalidArgumentError("levels: two or more are required");
  std::set<std::string> names;
  for (const DrainLevel& level : levels) {
    if (level.name.empty()) return absl::InvalidArgumentError("levels: a name is required");
    if (!names.insert(level.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("level \"", level.name, "\": named twice"));
    }
    if (!level.selector.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("level \"", level.name, "\": a selector is required"));
    }
  }
  return absl::OkStatus();
}

std::vector<std::vector<size_t>> NodesOfLevels(std::span<const DrainLevel> levels,
                                               std::span<const DrainNode> nodes) {
  std::vector<std::vector<size_t>> found(levels.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (size_t l = 0; l < levels.size(); ++l) {
      if (!levels[l].selector.has_value() || !Matches(*levels[l].selector, nodes[n].labels)) {
        continue;
      }
      found[l].push_back(n);
      break;
    }
  }
  return found;
}

std::vector<size_t> SmallFirst(const DrainNode& node) {
  std::vector<size_t> tasks;
  for (size_t i = 0; i < node.tasks.size(); ++i) {
    if (node.tasks[i].may_leave) tasks.push_back(i);
  }
  const auto key = [&](size_t i) {
    const DrainNode::Task& task = node.tasks[i];
    return std::tuple(AmountOf(task.requests, "cpu"),
                      ScoredAmount("memory", AmountOf(task.requests, "memory")),
                      std::string_view(task.name_space), std::string_view(task.name));
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return tasks;
}

std::vector<size_t> TasksThatFit(const DrainNode& node, const std::vector<size_t>& tasks,
                                 std::span<const DrainNode> nodes,
                                 const std::vector<size_t>& targets, FitsDrainTarget fits) {
  std::vector<size_t> fitting;
  int misses = 0;
  for (const size_t task : tasks) {
    const bool is_held = std::any_of(targets.begin(), targets.end(), [&](size_t target) {
      return fits(node.tasks[task], nodes[target]);
    });
    if (is_held) {
      fitting.push_back(task);
      misses = 0;
    } else if (++misses == kMissesInARow) {
      break;
    }
  }
  return fitting;
}

std::vector<DrainMove> DrainLevels(const std::vector<std::vector<size_t>>& levels,
                                   std::span<const DrainNode> nodes, const DrainRules& rules,
                                   FitsDrainTarget fits) {
  std::vector<DrainMove> moves;
  for (size_t l = 0; l < levels.size(); ++l) {
    std::vector<size_t> targets;
    for (size_t later = l + 1; later < levels.size(); ++later) {
      targets.insert(targets.end(), levels[later].begin(), levels[later].end());
    }
    if (targets.empty()) continue;
    WholeNodes whole(nodes, targets, rules.checks_targets, fits);
    for (const size_t node : levels[l]) {
      std::vector<size_t> tasks = SmallFirst(nodes[node]);
      if (rules.whole_nodes) {
        if (!whole.Drain(nodes[node], tasks)) tasks.clear();
      } else if (rules.checks_targets) {
        tasks = TasksThatFit(nodes[node], tasks, nodes, targets, fits);
      }
      for (const size_t task : tasks) moves.push_back({node, task});
    }
  }
  return moves;
}

}  // namespace muster::koordinator
