// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The search keeps its path on a list, not on the stack, because a gang may have thousands of
// tasks.
#include "lib/fit/gang_packing.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace muster {
namespace {

constexpr size_t kNoNode = std::numeric_limits<size_t>::max();

class Search {
 public:
  Search(std::span<const PackShape> shapes, std::span<const PackNode> nodes,
         std::span<const PackTask> tasks, const PackNeed& need, int64_t most_tries, PackParts parts)
      : shapes_(shapes), tasks_(tasks), most_tries_(most_tries), parts_(parts), missing_(need.all) {
    nodes_.assign(nodes.begin(), nodes.end());
    size_t groups = need.of_group.size();
    for (const PackTask& task : tasks) groups = std::max(groups, task.group + 1);
    lacking_ = need.of_group;
    lacking_.resize(groups, 0);
    left_of_group_.assign(groups, 0);
    for (const PackTask& task : tasks) ++left_of_group_[task.group];
    left_ = static_cast<int64_t>(tasks.size());
    SortTasks();
  }

  std::vector<PackStep> Run() {
    std::vector<PackStep> steps;
    size_t at = 0;
    Begin(0);
    while (!Whole()) {
      if (at < order_.size() && Choose(at)) {
        Begin(++at);
      } else if (at == 0 || tries_ > most_tries_) {
        return steps;
      } else {
        Undo(--at);
      }
    }
    for (size_t i = 0; i < at; ++i) {
      if (chosen_[i] < nodes_.size()) steps.push_back({order_[i], chosen_[i]});
    }
    return steps;
  }

 private:
  void SortTasks() {
    const size_t resources = shapes_[0].to_start.size();
    std::vector<int64_t> size;
    for (const PackShape& shape : shapes_) size.push_back(shape.size);
    for (size_t r = 0; r < resources; ++r) {
      __int128 all = 0;
      for (const PackNode& node : nodes_) all += std::max<int64_t>(node.room[r], 0);
      if (all == 0) continue;
      for (size_t s = 0; s < shapes_.size(); ++s) {
        const __int128 part = static_cast<__int128>(shapes_[s].to_start[r]) * 1'000'000 / all;
        size[s] += static_cast<int64_t>(std::min<__int128>(part, 1'000'000));
      }
    }
    order_.resize(tasks_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      const PackTask &left = tasks_[a], &right = tasks_[b];
      return std::tuple(-size[left.shape], left.shape, left.group) <
             std::tuple(-size[right.shape], right.shape, right.group);
    });
    chosen_.resize(order_.size());
    next_.resize(order_.size());
    last_.resize(order_.size());
    books_.resize(order_.size());
  }

  bool Whole() const {
    return missing_ <= 0 && std::all_of(lacking_.begin(), lacking_.end(),
                                        [](int64_t lacking) { return lacking <= 0; });
  }
  // Whether one more of the group brings it nearer.
  bool Wants(size_t group) const {
    int64_t owed = 0;
    for (int64_t lacking : lacking_) owed += std::max<int64_t>(lacking, 0);
    return lacking_[group] > 0 || missing_ > owed;
  }
  bool MayLeaveOut(size_t group) const {
    return left_ - 1 >= missing_ && left_of_group_[group] - 1 >= lacking_[group];
  }

  void Begin(size_t at) {
    if (at == order_.size()) return;
    const PackTask& task = tasks_[order_[at]];
    last_[at] = kNoNode;
    next_[at] = 0;
    if (at > 0) {
      const PackTask& before = tasks_[order_[at - 1]];
      const bool alike = before.shape == task.shape && before.group == task.group;
      if (alike) next_[at] = chosen_[at - 1];
    }
    if (!Wants(task.group)) next_[at] = nodes_.size();
  }

  bool Fits(const PackTask& task, const PackNode& node) const {
    if (!node.takes[task.shape]) return false;
    const std::vector<int64_t>& to_start = shapes_[task.shape].to_start;
    for (size_t r = 0; r < to_start.size(); ++r) {
      if (to_start[r] > 0 && to_start[r] > node.room[r]) return false;
    }
    return true;
  }

  // The next way for the task, into the books.
  bool Choose(size_t at) {
    const PackTask& task = tasks_[order_[at]];
    for (size_t n = next_[at]; n < nodes_.size(); ++n) {
      if (!Fits(task, nodes_[n])) continue;
      if (last_[at] != kNoNode && nodes_[n].takes == nodes_[last_[at]].takes &&
          nodes_[n].room == nodes_[last_[at]].room && nodes_[n].book == nodes_[last_[at]].book) {
        continue;
      }
      uint32_t book = nodes_[n].book;
      if (shapes_[task.shape].parts) book = parts_(task.shape, book);
      if (book == kNoParts) continue;
      last_[at] = n;
      return Take(at, n, book);
    }
    return next_[at] <= nodes_.size() && MayLeaveOut(task.group) && Take(at, nodes_.size(), 0);
  }

  bool Take(size_t at, size_t node, uint32_t book) {
    if (++tries_ > most_tries_) return false;
    chosen_[at] = node;
    next_[at] = node + 1;
    books_[at] = book;
    Count(at, 1);
    return true;
  }
  void Undo(size_t at) { Count(at, -1); }
  void Count(size_t at, int64_t sign) {
    const PackTask& task = tasks_[order_[at]];
    left_ -= sign;
    left_of_group_[task.group] -= sign;
    if (chosen_[at] == nodes_.size()) return;
    missing_ -= sign;
    lacking_[task.group] -= sign;
    PackNode& node = nodes_[chosen_[at]];
    const std::vector<int64_t>& held = shapes_[task.shape].held;
    for (size_t r = 0; r < held.size(); ++r) node.room[r] -= sign * held[r];
    std::swap(node.book, books_[at]);
  }

  const std::span<const PackShape> shapes_;
  const std::span<const PackTask> tasks_;
  const int64_t most_tries_;
  const PackParts parts_;
  std::vector<PackNode> nodes_;
  std::vector<size_t> order_;
  // Along the order: the node of each task (their number: left out), where it goes on, the last one
  // tried.
  std::vector<size_t> chosen_, next_, last_;
  std::vector<uint32_t>
      books_;  // that of the node with the task on it, or, once it is there, without
  int64_t missing_, left_ = 0, tries_ = 0;
  std::vector<int64_t> lacking_, left_of_group_;
};

}  // namespace

std::vector<PackStep> PackGang(std::span<const PackShape> shapes, std::span<const PackNode> nodes,
                               std::span<const PackTask> tasks, const PackNeed& need,
                               int64_t most_tries, PackParts parts) {
  return Search(shapes, nodes, tasks, need, most_tries, parts).Run();
}

}  // namespace muster
