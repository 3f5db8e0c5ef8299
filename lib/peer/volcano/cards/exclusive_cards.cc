// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/cards/exclusive_cards.h"

#include <algorithm>
#include <cstddef>

namespace muster {

bool FollowsRule(const CardLabels& labels, const CardLabels& rule) {
  return !labels.empty() && std::all_of(rule.begin(), rule.end(), [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

std::vector<int> ExclusiveCards::RulesOf(const CardLabels& labels) const {
  std::vector<int> rules;
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (FollowsRule(labels, rules_[i])) rules.push_back(static_cast<int>(i));
  }
  return rules;
}

std::vector<int> ExclusiveCards::Barred(const CardLabels& labels) const {
  std::set<int> barred;
  for (int rule : RulesOf(labels)) {
    const std::set<int>& cards = cards_[static_cast<size_t>(rule)];
    barred.insert(cards.begin(), cards.end());
  }
  return {barred.begin(), barred.end()};
}

void ExclusiveCards::Track(const std::string& task, const CardLabels& labels,
                           const VgpuMachine& machine) {
  const std::vector<int> rules = RulesOf(labels);
  if (rules.empty()) return;
  rules_of_[task] = rules;
  for (size_t i = 0; i < machine.cards.size(); ++i) {
    const std::vector<VgpuHolder>& holders = machine.cards[i].holders;
    const bool has = std::any_of(holders.begin(), holders.end(),
                                 [&](const VgpuHolder& holder) { return holder.task == task; });
    if (!has) continue;
    for (int rule : rules) cards_[static_cast<size_t>(rule)].insert(static_cast<int>(i));
  }
}

void ExclusiveCards::Untrack(const std::string& task, const VgpuMachine& machine) {
  const auto tracked = rules_of_.find(task);
  if (tracked == rules_of_.end()) return;
  const std::vector<int> rules = tracked->second;
  rules_of_.erase(tracked);
  for (int rule : rules) {
    std::erase_if(cards_[static_cast<size_t>(rule)], [&](int card) {
      const std::vector<VgpuHolder>& holders = machine.cards[static_cast<size_t>(card)].holders;
      return std::none_of(holders.begin(), holders.end(), [&](const VgpuHolder& holder) {
        return holder.task != task && rules_of_.count(holder.task) > 0;
      });
    });
  }
}

}  // namespace muster
