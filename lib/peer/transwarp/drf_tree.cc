// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares of a tree of groups kept by one path an event; and the division of divisible tasks.
#include "lib/peer/transwarp/drf_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr double kNoShare = std::numeric_limits<double>::infinity();
constexpr double kEqual = 1e-12;  // shares closer than this part of them are equal
constexpr int64_t kMostTasks = int64_t{1} << 31;

}  // namespace

DrfTree::DrfTree(const Options& options, std::vector<int64_t> capacity)
    : options_(options),
      capacity_(std::move(capacity)),
      used_(capacity_.size(), 0),
      is_full_(capacity_.size(), false),
      nodes_(1) {
  for (int64_t& amount : capacity_) amount = std::max<int64_t>(amount, 0);
}

absl::StatusOr<DrfTree::Index> DrfTree::Add(Index parent, double weight) {
  if (parent >= nodes_.size() || nodes_[parent].is_leaf) {
    return absl::InvalidArgumentError(absl::StrCat("parent ", parent, " is no group"));
  }
  if (!(weight > 0) || !std::isfinite(weight)) {
    return absl::InvalidArgumentError(absl::StrCat("a weight of ", weight, " is not above 0"));
  }
  const Index node = static_cast<Index>(nodes_.size());
  nodes_.emplace_back();
  nodes_[node].parent = parent;
  nodes_[node].position = static_cast<uint32_t>(nodes_[parent].children.size());
  nodes_[node].weight = weight;
  nodes_[parent].children.push_back(node);
  is_prepared_ = false;
  return node;
}

absl::StatusOr<DrfTree::Index> DrfTree::AddGroup(Index parent, double weight) {
  return Add(parent, weight);
}

absl::StatusOr<DrfTree::Index> DrfTree::AddLeaf(Index parent, const Leaf& leaf) {
  if (leaf.task.size() != capacity_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a task of ", leaf.task.size(), " resources where there are ", capacity_.size()));
  }
  const auto is_bad = [](int64_t amount) { return amount < 0 || amount > int64_t{1} << 53; };
  if (std::any_of(leaf.task.begin(), leaf.task.end(), is_bad)) {
    return absl::InvalidArgumentError("a task takes 0 to 2^53 of a resource");
  }
  if (std::all_of(leaf.task.begin(), leaf.task.end(), [](int64_t amount) { return amount == 0; })) {
    return absl::InvalidArgumentError("a task that takes nothing has no share");
  }
  if (leaf.cap < 0) return absl::InvalidArgumentError(absl::StrCat("a cap of ", leaf.cap));
  absl::StatusOr<Index> added = Add(parent, leaf.weight);
  if (!added.ok()) return added.status();
  Node& node = nodes_[*added];
  node.is_leaf = true;
  node.task = leaf.task;
  node.cap = std::min(leaf.cap, kMostTasks);
  double most = 0;
  for (size_t r = 0; r < capacity_.size(); ++r) {
    const double capacity = static_cast<double>(capacity_[r]);
    node.direction.push_back(capacity == 0 ? 0 : static_cast<double>(node.task[r]) / capacity);
    most = std::max(most, node.direction.back());
  }
  for (double& part : node.direction) part = most == 0 ? 0 : part / most * node.weight;
  return added;
}

// --- a group's tree over its children

void DrfTree::Write(const Node& child, double* slot) const {
  const size_t resources = capacity_.size();
  slot[0] = child.share;
  slot[1] = child.is_blocked ? kNoShare : child.share;
  const bool is_scaled = options_.form == DrfForm::kStatic ||
                         (options_.form == DrfForm::kDynamic && !child.is_blocked);
  for (size_t r = 0; r < resources; ++r) {
    slot[2 + r] = is_scaled ? 0 : child.vector[r];
    double direction = 0;
    if (is_scaled && child.share > 0) {
      direction = child.is_leaf ? child.direction[r] : child.vector[r] / child.share;
    }
    slot[2 + resources + r] = direction;
  }
}

void DrfTree::Combine(Node* group, size_t at) const {
  const size_t slots = Slots();
  double* sum = &group->sums[at * slots];
  const double* left = &group->sums[2 * at * slots];
  const double* right = left + slots;
  sum[0] = std::min(left[0], right[0]);
  sum[1] = std::min(left[1], right[1]);
  for (size_t i = 2; i < slots; ++i) sum[i] = left[i] + right[i];
}

void DrfTree::Count(Index at) {
  Node& node = nodes_[at];
  const size_t resources = capacity_.size();
  if (node.is_leaf) {
    node.share = 0;
    for (size_t r = 0; r < resources; ++r) {
      const double taken = static_cast<double>(node.tasks) * static_cast<double>(node.task[r]);
      node.vector[r] = capacity_[r] == 0 ? 0 : taken / static_cast<double>(capacity_[r]);
      node.share = std::max(node.share, node.vector[r] / node.weight);
    }
    const bool has_no_room = node.short_of > 0 && !options_.stops_at_misfit;
    node.is_blocked = has_no_room || node.tasks >= node.cap;
    return;
  }
  const double* sums = &node.sums[Slots()];  // of all children
  const double least = options_.form == DrfForm::kStatic ? sums[0] : sums[1];
  node.is_blocked = sums[1] == kNoShare;
  node.share = 0;
  for (size_t r = 0; r < resources; ++r) {
    node.vector[r] = sums[2 + r];
    if (least != kNoShare) node.vector[r] += least * sums[2 + resources + r];
    if (options_.form == DrfForm::kDynamic && is_full_[r]) continue;
    node.share = std::max(node.share, node.vector[r] / node.weight);
  }
}

void DrfTree::CountPath(Index at) {
  Count(at);
  while (at != kRoot) {
    const Node& child = nodes_[at];
    Node& group = nodes_[child.parent];
    size_t slot = group.width + child.position;
    Write(child, &group.sums[slot * Slots()]);
    for (slot /= 2; slot > 0; slot /= 2) Combine(&group, slot);
    at = child.parent;
    Count(at);
  }
}

void DrfTree::CountAll() {
  // Children come after their groups.
  for (Index at = static_cast<Index>(nodes_.size()); at-- > 0;) {
    Node& node = nodes_[at];
    if (!node.is_leaf) {
      for (size_t i = 0; i < node.children.size(); ++i) {
        Write(nodes_[node.children[i]], &node.sums[(node.width + i) * Slots()]);
      }
      for (size_t slot = node.width; slot-- > 1;) Combine(&node, slot);
    }
    Count(at);
  }
}

void DrfTree::Prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  const size_t resources = capacity_.size();
  std::vector<Index> leaves;
  for (Index at = 0; at < nodes_.size(); ++at) {
    Node& node = nodes_[at];
    node.vector.assign(resources, 0);
    node.short_of = 0;
    if (node.is_leaf) {
      leaves.push_back(at);
      continue;
    }
    // A tree of one child has its sums at slot 1, too.
    node.width = std::bit_ceil(std::max<size_t>(node.children.size(), 1));
    node.sums.assign(2 * node.width * Slots(), 0);
    for (size_t slot = 0; slot < 2 * node.width; ++slot) {
      node.sums[slot * Slots()] = node.sums[slot * Slots() + 1] = kNoShare;
    }
  }
  by_need_.assign(resources, leaves);
  short_.assign(resources, 0);
  std::vector<Index> changed;
  for (size_t r = 0; r < resources; ++r) {
    std::stable_sort(by_need_[r].begin(), by_need_[r].end(),
                     [&](Index a, Index b) { return nodes_[a].task[r] > nodes_[b].task[r]; });
    is_full_[r] = used_[r] >= capacity_[r];
    Watch(r, &changed);
  }
  CountAll();
}

// --- events

// Finds the leaves for which the next task no longer fits, or fits again. Returns whether the
// resource is used up now, or no longer is.
bool DrfTree::Watch(size_t r, std::vector<Index>* changed) {
  const std::vector<Index>& leaves = by_need_[r];
  const int64_t free = capacity_[r] - used_[r];
  const auto fits = [&](Index leaf) {
    return nodes_[leaf].task[r] == 0 || nodes_[leaf].task[r] <= free;
  };
  for (; short_[r] < leaves.size() && !fits(leaves[short_[r]]); ++short_[r]) {
    if (++nodes_[leaves[short_[r]]].short_of == 1) changed->push_back(leaves[short_[r]]);
  }
  for (; short_[r] > 0 && fits(leaves[short_[r] - 1]); --short_[r]) {
    if (--nodes_[leaves[short_[r] - 1]].short_of == 0) changed->push_back(leaves[short_[r] - 1]);
  }
  const bool is_full = used_[r] >= capacity_[r];
  if (is_full == is_full_[r]) return false;
  is_full_[r] = is_full;
  return true;
}

void DrfTree::Move(Index at, int64_t tasks) {
  Prepare();
  Node& leaf = nodes_[at];
  leaf.tasks += tasks;
  std::vector<Index> changed;
  bool all = false;
  for (size_t r = 0; r < capacity_.size(); ++r) {
    if (leaf.task[r] == 0) continue;
    used_[r] += tasks * leaf.task[r];
    all |= Watch(r, &changed) && options_.form == DrfForm::kDynamic;
  }
  if (all) {
    CountAll();
    return;
  }
  CountPath(at);
  for (Index other : changed) CountPath(other);
}

void DrfTree::Start(Index leaf) {
  for (size_t r = 0; r < capacity_.size(); ++r) {
    // A task that cannot be counted is not started.
    if (used_[r] > std::numeric_limits<int64_t>::max() / 2) return;
  }
  if (nodes_[leaf].is_leaf && nodes_[leaf].tasks < kMostTasks) Move(leaf, 1);
}

void DrfTree::End(Index leaf) {
  if (nodes_[leaf].is_leaf && nodes_[leaf].tasks > 0) Move(leaf, -1);
}

std::optional<DrfTree::Index> DrfTree::Next() {
  Prepare();
  Index at = kRoot;
  while (!nodes_[at].is_leaf) {
    const Node& group = nodes_[at];
    const size_t slots = Slots();
    const double least = group.sums[slots + 1];
    if (least == kNoShare) return std::nullopt;
    const double enough = least + least * kEqual;
    size_t slot = 1;
    while (slot < group.width) {
      slot *= 2;
      if (group.sums[slot * slots + 1] > enough) ++slot;
    }
    at = group.children[slot - group.width];
  }
  if (nodes_[at].short_of > 0) return std::nullopt;  // only where a misfit stops all
  return at;
}

double DrfTree::Share(Index node) {
  Prepare();
  return nodes_[node].share;
}

// --- divisible tasks

absl::StatusOr<std::vector<double>> DivideDrf(const std::vector<int64_t>& capacity,
                                              const std::vector<DrfUser>& users) {
  const size_t resources = capacity.size();
  std::vector<double> rates, tasks(users.size(), 0), left(capacity.begin(), capacity.end());
  std::vector<size_t> active;
  for (size_t i = 0; i < users.size(); ++i) {
    const DrfUser& user = users[i];
    const auto refuse = [&](auto... rule) {
      return absl::InvalidArgumentError(absl::StrCat("user ", i, ": ", rule...));
    };
    if (user.task.size() != resources) return refuse("a task of ", user.task.size(), " resources");
    if (!(user.weight > 0) || !std::isfinite(user.weight)) return refuse("weight ", user.weight);
    double most = 0;
    bool could = user.cap.value_or(kNoShare) > 0;
    for (size_t r = 0; r < resources; ++r) {
      if (user.task[r] < 0) return refuse("takes ", user.task[r]);
      if (user.task[r] == 0) continue;
      could &= capacity[r] > 0;
      if (capacity[r] > 0) {
        most = std::max(most, static_cast<double>(user.task[r]) / static_cast<double>(capacity[r]));
      }
    }
    if (could && most == 0) return refuse("a task that takes nothing has no share");
    rates.push_back(could ? user.weight / most : 0);
    if (could) active.push_back(i);
  }
  while (!active.empty()) {
    // The time until a resource or a cap ends the growth of some user. The user is kept as found
    // and not recomputed.
    double time = kNoShare;
    std::vector<double> flow(resources, 0);
    for (size_t i : active) {
      for (size_t r = 0; r < resources; ++r) {
        flow[r] += rates[i] * static_cast<double>(users[i].task[r]);
      }
      if (users[i].cap.has_value()) time = std::min(time, (*users[i].cap - tasks[i]) / rates[i]);
    }
    for (size_t r = 0; r < resources; ++r) {
      if (flow[r] > 0) time = std::min(time, left[r] / flow[r]);
    }
    time = std::max(time, 0.0);
    std::vector<bool> is_full(resources);
    for (size_t r = 0; r < resources; ++r) {
      is_full[r] = flow[r] > 0 && left[r] / flow[r] <= time;
      left[r] = is_full[r] ? 0 : left[r] - time * flow[r];
    }
    std::vector<size_t> rest;
    for (size_t i : active) {
      const bool is_capped =
          users[i].cap.has_value() && (*users[i].cap - tasks[i]) / rates[i] <= time;
      tasks[i] = is_capped ? *users[i].cap : tasks[i] + time * rates[i];
      bool grows = !is_capped;
      for (size_t r = 0; r < resources; ++r) grows &= !is_full[r] || users[i].task[r] == 0;
      if (grows) rest.push_back(i);
    }
    active = std::move(rest);
  }
  return tasks;
}

}  // namespace muster
