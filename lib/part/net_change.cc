// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/net_change.h"

#include <cstddef>
#include <vector>

#include "lib/base/hash_map.h"

namespace muster {
namespace {

// The decisions about the place of one task that the plan evicts.
struct Story {
  TaskIndex beneficiary = kNone;  // of the last eviction
  NodeIndex decided = kNone;      // the node of the last placement since that eviction
  size_t last = 0;                // the position of the last decision
};

bool IsAboutPlace(DecisionKind kind) {
  return kind == DecisionKind::kEvict || kind == DecisionKind::kBind ||
         kind == DecisionKind::kNominate;
}

// Returns whether the plan is its net change as it stands, which nearly all plans are: each task
// that it evicts has this one decision and no place afterwards.
bool IsNetChange(const Ledger& ledger, const PlanData& plan) {
  const TaskTable& tasks = ledger.tables().tasks;
  std::vector<bool> evicted;  // by task; empty until there is one
  for (const Decision& d : plan.decisions) {
    if (!IsAboutPlace(d.kind)) continue;
    if (!evicted.empty() && evicted[d.task]) return false;
    if (d.kind != DecisionKind::kEvict || tasks.node[d.task] != d.node) continue;
    const bool is_gone =
        ledger.status(d.task) == TaskStatus::kReleasing && ledger.promised_node(d.task) == kNone;
    if (!is_gone) return false;
    if (evicted.empty()) evicted.resize(tasks.alive.size());
    evicted[d.task] = true;
  }
  return true;
}

HashMap<TaskIndex, Story> EvictedTasks(const Tables& tables, const PlanData& plan) {
  HashMap<TaskIndex, Story> stories;
  for (size_t i = 0; i < plan.decisions.size(); ++i) {
    const Decision& d = plan.decisions[i];
    if (!IsAboutPlace(d.kind)) continue;
    const bool evicts = d.kind == DecisionKind::kEvict;
    if (evicts && tables.tasks.node[d.task] == d.node) {
      stories[d.task].beneficiary = d.beneficiary;
    }
    const auto story = stories.find(d.task);
    if (story == stories.end()) continue;
    story->second.decided = evicts ? kNone : d.node;
    story->second.last = i;
  }
  return stories;
}

// Returns the node of the task once the plan has been carried out: its own if it stays or returns,
// another if the plan placed it there; kNone: the task is gone.
NodeIndex PlaceAfter(const Ledger& ledger, TaskIndex task, const Story& story) {
  const NodeIndex own = ledger.tables().tasks.node[task];
  const bool leaves = ledger.status(task) == TaskStatus::kReleasing;
  const NodeIndex now = leaves ? ledger.promised_node(task) : ledger.node_of(task);
  return now == own || now == story.decided ? now : kNone;
}

}  // namespace

void KeepNetChange(const Ledger& ledger, PlanData* plan) {
  if (IsNetChange(ledger, *plan)) return;
  const Tables& tables = ledger.tables();
  const HashMap<TaskIndex, Story> stories = EvictedTasks(tables, *plan);
  std::vector<Decision> kept;
  kept.reserve(plan->decisions.size());
  for (size_t i = 0; i < plan->decisions.size(); ++i) {
    Decision decision = plan->decisions[i];
    const auto found = IsAboutPlace(decision.kind) ? stories.find(decision.task) : stories.end();
    if (found == stories.end()) {
      kept.push_back(decision);
      continue;
    }
    const auto& [task, story] = *found;
    const NodeIndex from = tables.tasks.node[task];
    const NodeIndex to = PlaceAfter(ledger, task, story);
    if (story.last != i || to == from) continue;
    decision.beneficiary = story.beneficiary;
    decision.after_eviction = false;
    decision.kind = to == kNone ? DecisionKind::kEvict : DecisionKind::kMove;
    decision.node = to == kNone ? from : to;
    if (to != kNone) {
      const TaskStatus status = ledger.status(task);
      const bool nominated = status == TaskStatus::kReleasing || status == TaskStatus::kNominated;
      decision.index = static_cast<uint32_t>(plan->by_kind.moves.size());
      plan->by_kind.moves.push_back({task, from, to, nominated, story.beneficiary});
    }
    kept.push_back(decision);
  }
  plan->decisions = std::move(kept);
}

}  // namespace muster
