// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tables of Volcano's policies and actions, and the policies of a few lines: cdp and shards.
#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

// All tasks but the running ones that are still protected.
TaskList AskCooldown(const Cycle& cycle, const ReferencePolicy&, TaskIndex,
                     const TaskList& candidates) {
  const TaskTable& tasks = cycle.tables().tasks;
  TaskList victims;
  for (TaskIndex t : candidates) {
    const bool protects =
        tasks.protected_until[t] != kAbsent && tasks.protected_until[t] > cycle.now;
    if (tasks.status[t] != TaskStatus::kRunning || !protects) victims.push_back(t);
  }
  return victims;
}

PolicyTwin CooldownPolicy() {
  PolicyTwin twin;
  twin.name = "cdp";
  twin.preemptable = twin.reclaimable = AskCooldown;
  return twin;
}

bool InOwnShard(const Cycle& cycle, const ReferencePolicy& policy, NodeIndex node) {
  return cycle.tables().nodes.spec[node].shard == TextOption(policy, "name", "");
}

bool SoftShards(const ReferencePolicy& policy) {
  return SwitchOption(policy.options, "soft", false);
}

std::optional<Refusal> ShardRefusal(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex,
                                    NodeIndex node) {
  if (SoftShards(policy) || InOwnShard(cycle, policy, node)) return std::nullopt;
  return Refusal{.code = RefusalCode::kPolicy,
                 .detail = "not in shard " + TextOption(policy, "name", "")};
}

// The nodes of the own shard, then the others.
std::vector<std::vector<NodeIndex>> ByShard(const Cycle& cycle, const ReferencePolicy& policy,
                                            const std::vector<NodeIndex>& nodes) {
  if (!SoftShards(policy)) return {};
  std::vector<NodeIndex> own, others;
  for (NodeIndex n : nodes) (InOwnShard(cycle, policy, n) ? own : others).push_back(n);
  return {own, others};
}

PolicyTwin ShardsPolicy() {
  PolicyTwin twin;
  twin.name = "shards";
  twin.refuse = ShardRefusal;
  twin.divide = ByShard;
  return twin;
}

}  // namespace

PolicyTwins VolcanoPolicies() {
  PolicyTwins all = {CapacityPolicy(),
                     NetworkTopologyPolicy(),
                     NumaAwarePolicy(),
                     UsagePolicy(),
                     ResourceStrategyFitPolicy(),
                     TaskTopologyPolicy(),
                     CooldownPolicy(),
                     ShardsPolicy()};
  for (const PolicyTwins& some : {AdmissionPolicies(), LendingPolicies()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

ActionTwins VolcanoActions() {
  return {{"admit", RunAdmit},
          {"allocate", RunAllocate},
          {"backfill", RunBackfill},
          {"preempt", RunPreempt},
          {"reclaim", RunReclaim},
          {"gangpreempt", RunGangPreempt},
          {"gangreclaim", RunGangReclaim},
          {"shuffle", RunShuffle}};
}

}  // namespace muster::reference
