// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rules between tasks: inter-task affinity and topology spread. Their state is counted from the
// whole cluster for one task at a time, and never carried on. A domain is here all nodes that have
// one value of a label; a peer's tree of domains above nodes is restated in the peer's own folder.
#ifndef MUSTER_REFERENCE_KUBE_DOMAINS_H_
#define MUSTER_REFERENCE_KUBE_DOMAINS_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/reference/cycle.h"

namespace muster::reference {

using Domain = std::pair<std::string, std::string>;  // label key and value

struct FilterState {
  // Of the affinity filter: tasks there with an anti-affinity that matches this task; tasks that
  // match all its affinity terms; tasks that match its anti-affinity terms.
  std::map<Domain, int64_t> existing_anti, affinity, anti;
  // Of each required spread constraint: matching tasks in each domain that counts.
  std::vector<std::map<std::string, int64_t>> spread;
};

void CountAffinity(const Cycle& cycle, TaskIndex task, FilterState& state);
void CountSpread(const Cycle& cycle, TaskIndex task, FilterState& state);

// nullopt: the rule accepts the node.
std::optional<RefusalCode> AffinityRefusal(const Cycle& cycle, const FilterState& state,
                                           TaskIndex task, NodeIndex node);
std::optional<RefusalCode> SpreadRefusal(const Cycle& cycle, const FilterState& state,
                                         TaskIndex task, NodeIndex node);

// Scores over a list of nodes, normalised to 0..100; nullopt: the rule has nothing to say.
std::optional<std::vector<int64_t>> AffinityScores(const Cycle& cycle, TaskIndex task,
                                                   const std::vector<NodeIndex>& nodes);
std::optional<std::vector<int64_t>> SpreadScores(const Cycle& cycle, TaskIndex task,
                                                 const std::vector<NodeIndex>& nodes);

// The same in Kubernetes 1.16.
std::optional<RefusalCode> OldAffinityRefusal(const Cycle& cycle, TaskIndex task, NodeIndex node);
std::vector<int64_t> OldAffinityScores(const Cycle& cycle, TaskIndex task,
                                       const std::vector<NodeIndex>& nodes);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_KUBE_DOMAINS_H_
