// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/search_meter.h"

#include <string>
#include <utility>

namespace muster {

void SearchMeter::Count(const PolicyEntry& entry, size_t nodes, int64_t begin) {
  PolicyCost& cost = policies_[&entry];
  if (cost.questions == 0) cost.policy = std::string(entry.policy->name());
  ++cost.questions;
  cost.nodes += static_cast<int64_t>(nodes);
  cost.time += Now() - begin;
}

void SearchMeter::Choose(NodeChoice choice) { choices_[choice.task] = std::move(choice); }

void SearchMeter::Finish(std::span<const Decision> decisions) {
  for (auto& [entry, cost] : policies_) metrics_.policies.push_back(std::move(cost));
  policies_.clear();
  std::map<TaskIndex, NodeChoice> kept;
  for (const Decision& decision : decisions) {
    const bool places =
        decision.kind == DecisionKind::kBind || decision.kind == DecisionKind::kNominate ||
        decision.kind == DecisionKind::kMove || decision.kind == DecisionKind::kReserve;
    const auto choice = choices_.find(decision.task);
    if (!places || choice == choices_.end() || choice->second.chosen != decision.node) continue;
    kept.insert(choices_.extract(choice));
  }
  for (auto& [task, choice] : kept) metrics_.choices.push_back(std::move(choice));
  choices_.clear();
}

}  // namespace muster
