// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tasks of one kind that never share a GPU with each other.
//
//   ExclusiveCards exclusive({{{"app", "training"}, {"team", "ml"}}, {{"workload", "inference"}}});
//   TakeCards("uid", request, order, &machine, exclusive.Barred(labels));
//   exclusive.Track("uid", labels, machine);
//
// A rule is a set of labels; a task with all of them follows it. Cards that tasks of a rule have
// are barred from further tasks of that rule only. So tasks of two rules may share, and tasks of
// none may, too. A task that leaves frees a card unless another task that follows any rule is on
// it.
//
// Peer. Volcano's deviceshare, rules of deviceshare.GPUExclusiveRules, which it applies to
// HAMi-core machines alone.
#ifndef MUSTER_PEER_VOLCANO_CARDS_EXCLUSIVE_CARDS_H_
#define MUSTER_PEER_VOLCANO_CARDS_EXCLUSIVE_CARDS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/volcano/cards/vgpu.h"

namespace muster {

using CardLabels = std::map<std::string, std::string>;

// A task without labels follows no rule.
bool FollowsRule(const CardLabels& labels, const CardLabels& rule);

class ExclusiveCards {
 public:
  explicit ExclusiveCards(std::vector<CardLabels> rules)
      : rules_(std::move(rules)), cards_(rules_.size()) {}

  std::vector<int> RulesOf(const CardLabels& labels) const;
  std::vector<int> Barred(const CardLabels& labels) const;  // cards of the machine, ascending

  // Adds a task that has cards of the machine now.
  void Track(const std::string& task, const CardLabels& labels, const VgpuMachine& machine);
  // Removes a task; call it once the machine's books are without the task.
  void Untrack(const std::string& task, const VgpuMachine& machine);

 private:
  std::vector<CardLabels> rules_;
  std::vector<std::set<int>> cards_;                  // of each rule
  std::map<std::string, std::vector<int>> rules_of_;  // of each task that follows any
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_EXCLUSIVE_CARDS_H_
