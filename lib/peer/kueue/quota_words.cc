// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/quota_words.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/messages.h"

namespace muster::kueue {
namespace {

const char* WordOf(Policy policy) {
  switch (policy) {
    case Policy::kUnset:
      return "unset";
    case Policy::kNever:
      return "Never";
    case Policy::kLowerPriority:
      return "LowerPriority";
    case Policy::kLowerOrNewerEqual:
      return "LowerOrNewerEqualPriority";
    case Policy::kAny:
      return "Any";
  }
  return "";
}

// Returns how many of the users the policy lets a workload evict.
size_t CountAllowed(Policy policy, const WorkloadRow& row,
                    const std::vector<std::pair<int64_t, int64_t>>& users) {
  const auto below = [&](const std::pair<int64_t, int64_t>& end) {
    return static_cast<size_t>(std::ranges::lower_bound(users, end) - users.begin());
  };
  switch (policy) {
    case Policy::kAny:
      return users.size();
    case Policy::kLowerPriority:
      return below({row.priority, std::numeric_limits<int64_t>::min()});
    case Policy::kLowerOrNewerEqual:
      return below({row.priority, -row.queue_time});
    case Policy::kUnset:
    case Policy::kNever:
      return 0;
  }
  return 0;
}

}  // namespace

// The node's own workloads and those of all queues below it.
const QuotaWords::Users& QuotaWords::UsersIn(Queue node, Cell cell) {
  const auto [known, is_new] = users_.try_emplace({node, cell});
  if (!is_new) return known->second;
  Users& users = known->second;
  std::vector<Queue> stack = {node};
  while (!stack.empty()) {
    const Queue queue = stack.back();
    stack.pop_back();
    const auto children = world_.tree.children(queue);
    stack.insert(stack.end(), children.begin(), children.end());
    for (const WorkloadIndex w : world_.queues[queue].holders) {
      const WorkloadRow& row = world_.workloads[w];
      if (std::ranges::find(row.usage, cell, &CellAmount::cell) == row.usage.end()) continue;
      users.emplace_back(row.priority, -row.queue_time);
    }
  }
  std::ranges::sort(users);
  return users;
}

std::string QuotaWords::LevelsOf(Queue queue, Cell cell) const {
  std::string text;
  const std::string& resource = world_.resources[world_.resource_of(cell)];
  for (Queue q = queue; q != kNothing; q = world_.tree.parent(q)) {
    absl::StrAppend(&text, text.empty() ? "queue " : ", cohort ", world_.queues[q].name, " uses ",
                    QuantityText(resource, world_.tree.usage(q, cell)), " of ",
                    QuantityText(resource, world_.tree.subtree_quota(q, cell)));
    if (!world_.tree.IsBoundByLimit(q, cell)) continue;
    absl::StrAppend(&text, " and may borrow ",
                    QuantityText(resource, world_.tree.borrow_limit(q, cell)));
  }
  return text;
}

std::string QuotaWords::CellText(Cell cell) const {
  return absl::StrCat(world_.resources[world_.resource_of(cell)], " from ",
                      world_.flavors[world_.flavor_of(cell)].name, ": ");
}

std::string QuotaWords::BoundsOf(Queue queue, Cell cell) const {
  const std::string& resource = world_.resources[world_.resource_of(cell)];
  std::string text;
  bool bounds = false;
  for (Queue q = queue; q != kNothing; q = world_.tree.parent(q)) {
    absl::StrAppend(&text, text.empty() ? "queue " : ", cohort ", world_.queues[q].name, " has ",
                    QuantityText(resource, world_.tree.subtree_quota(q, cell)));
    if (!world_.tree.IsPotentialBoundByLimit(q, cell)) continue;
    bounds = true;
    absl::StrAppend(&text, " and may borrow ",
                    QuantityText(resource, world_.tree.borrow_limit(q, cell)));
  }
  return bounds ? absl::StrCat(CellText(cell), text) : "";
}

std::string QuotaWords::CandidatesOf(const WorkloadRow& row, Cell cell) {
  const QueueRow& queue = world_.queues[row.queue];
  const Users& own = UsersIn(row.queue, cell);
  std::string text =
      absl::StrCat("it may evict ", CountAllowed(queue.within, row, own), " of ", own.size(),
                   " workloads of its queue (withinClusterQueue ", WordOf(queue.within), ")");
  if (!world_.HasParent(row.queue)) return text;
  const Users& all = UsersIn(world_.tree.Root(row.queue), cell);
  absl::StrAppend(&text, " and ",
                  CountAllowed(queue.reclaim, row, all) - CountAllowed(queue.reclaim, row, own),
                  " of ", all.size() - own.size(), " of its cohort (reclaimWithinCohort ",
                  WordOf(queue.reclaim), ")");
  return text;
}

std::string QuotaWords::Of(WorkloadIndex workload, std::span<const Cell> cells) {
  const WorkloadRow& row = world_.workloads[workload];
  std::string text;
  for (const Cell cell : cells) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", CellText(cell), LevelsOf(row.queue, cell),
                    "; ", CandidatesOf(row, cell));
  }
  return text;
}

}  // namespace muster::kueue
