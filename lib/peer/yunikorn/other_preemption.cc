// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Preemption without guarantees: for requests that may be on one node only, and of queues above a
// limit that was lowered.
#include <cmath>

#include "lib/peer/yunikorn/partition.h"
#include "lib/peer/yunikorn/shares.h"
#include "lib/peer/yunikorn/victim_orders.h"

namespace muster::yunikorn {
namespace {

// What is below zero, as positive amounts.
Resource Shortfall(const Resource& amounts) {
  Resource shortfall;
  for (int type : amounts.types()) {
    const Quantity amount = amounts.Get(type);
    if (amount < 0)
      shortfall.Set(type, static_cast<Quantity>(std::abs(static_cast<double>(amount))));
  }
  return shortfall;
}

}  // namespace

// --- required nodes

// Stops pods of the node until they make up the request, whatever is free besides. A failed attempt
// is made again; a successful one never.
void Partition::TryRequiredNodePreemption(Index index, Index request) {
  Allocation& ask = allocations[request];
  Node& node = nodes[index];
  std::vector<Index> candidates, victims;
  for (Index allocation : AllocationsOn(node)) {
    const Allocation& alloc = allocations[allocation];
    if (alloc.foreign || !alloc.required_node.empty() || alloc.priority > ask.priority) continue;
    if (alloc.preempted || alloc.released || !MatchAny(ask.resource, alloc.resource)) continue;
    candidates.push_back(allocation);
  }
  SortRequiredNodeVictims(allocations, candidates);
  Resource sum;
  for (Index victim : candidates) {
    if (AtLeast(sum, ask.resource)) break;
    sum.AddTo(allocations[victim].resource);
    victims.push_back(victim);
  }
  ask.preemption_refusal = PreemptionRefusal::kRequiredNode;
  if (victims.empty() || !AtLeast(Add(sum, node.available), ask.resource)) return;
  ask.preemption_refusal = PreemptionRefusal::kNone;
  for (Index victim : victims) {
    allocations[victim].preempted = true;
    IncPreempting(applications[allocations[victim].application].queue,
                  allocations[victim].resource);
  }
  ask.preemption_triggered = true;
  ++attempt_changes;
  StopAll(victims, Termination::kPreempted, request);
}

// --- lowered limits

void Partition::TryQuotaPreemption() {
  EndOperation();
  if (!queues.empty()) TryQuotaPreemptionIn(0);
}

void Partition::TryQuotaPreemptionIn(Index index) {
  Queue& queue = queues[index];
  if (queue.managed) {
    if (AtLeastOnlyExisting(queue.most, queue.allocated)) {
      queue.quota_preemption_start = kNever;
    } else if (queue.quota_preemption_start != kNever && now >= queue.quota_preemption_start) {
      PreemptOverQuota(index);
      queues[index].quota_preemption_start = kNever;
      return;
    }
  }
  for (Index child : std::vector<Index>(queue.children)) TryQuotaPreemptionIn(child);
}

// What a queue has above guarantees is negative here; of queues without a guarantee all that they
// use is positive, and does not count.
Resource Partition::PreemptableOf(Index index) const {
  Resource preemptable;
  std::vector<Index> path;
  for (; index != kNone; index = queues[index].parent) path.push_back(index);
  for (size_t i = path.size(); i-- > 0;) {
    const Queue& queue = queues[path[i]];
    const Resource own = queue.guaranteed.nil()
                             ? queue.allocated
                             : SubOnlyExisting(queue.guaranteed, queue.allocated);
    preemptable = Min(own, preemptable);
  }
  return preemptable;
}

// Nil if there is nothing.
Resource Partition::QuotaPreemptable(Index index) const {
  const Queue& queue = queues[index];
  const Resource used = SubOnlyExisting(queue.allocated, queue.preempting);
  if (queue.most.empty() || used.empty()) return Resource::Nil();
  const Resource over = Shortfall(SubOnlyExisting(queue.most, used));
  const Resource preemptable = MinOnlyExisting(over, Shortfall(PreemptableOf(index)));
  return preemptable.empty() ? Resource::Nil() : preemptable;
}

void Partition::PreemptOverQuota(Index index) {
  const Resource preemptable = QuotaPreemptable(index);
  if (queues[index].leaf) {
    PreemptInLeaf(index, preemptable);
  } else {
    DivideQuota(index, preemptable);
  }
}

// Divides what is to be preempted among children that have more than their guarantee, in
// proportion to what they have above it. The depth of the recursion is that of the tree.
void Partition::DivideQuota(Index index, const Resource& preemptable) {
  struct Part {
    Index child;
    Resource own;
  };
  std::vector<Part> parts;
  Resource sum;
  for (Index child : queues[index].children) {
    const Queue& queue = queues[child];
    if (queue.allocated.empty() || AtLeastOnlyExisting(queue.guaranteed, queue.allocated)) continue;
    const Resource used = queue.guaranteed.empty()
                              ? queue.allocated
                              : SubOnlyExisting(queue.guaranteed, queue.allocated);
    Resource own;
    for (int type : used.types()) {
      own.Set(type, used.Get(type) < 0 ? MulSaturating(used.Get(type), -1) : used.Get(type));
    }
    parts.push_back({child, own});
    sum.AddTo(own);
  }
  for (const Part& part : parts) {
    Resource share;
    for (int type : Types(part.own.bits() & preemptable.bits())) {
      const bool none = part.own.Get(type) == 0;
      const double ratio = none ? 0.0 : ShareOf(part.own, sum, type);
      share.Set(type, static_cast<Quantity>(
                          std::floor(ratio * static_cast<double>(preemptable.Get(type)))));
    }
    if (queues[part.child].leaf) {
      PreemptInLeaf(part.child, share);
    } else {
      DivideQuota(part.child, share);
    }
  }
}

// Takes each victim that fits in what is left to preempt.
void Partition::PreemptInLeaf(Index leaf, const Resource& preemptable) {
  if (IsZero(preemptable)) return;
  std::vector<Index> candidates, victims;
  for (Index application : queues[leaf].applications) {
    for (Index allocation : AllocationsOf(applications[application])) {
      const Allocation& alloc = allocations[allocation];
      if (!MatchAny(preemptable, alloc.resource) || !alloc.required_node.empty()) continue;
      if (!alloc.released && !alloc.preempted) candidates.push_back(allocation);
    }
  }
  SortQuotaVictims(allocations, queues[leaf].most, preemptable, candidates);
  Resource sum;
  for (Index candidate : candidates) {
    const Resource& resource = allocations[candidate].resource;
    if (!FitsInLimits(preemptable, resource)) continue;
    sum.AddTo(resource);
    if (AtLeastOnlyExisting(preemptable, sum)) {
      victims.push_back(candidate);
    } else {
      sum.SubFrom(resource);
    }
  }
  for (Index victim : victims) {
    allocations[victim].preempted = true;
    IncPreempting(leaf, allocations[victim].resource);
  }
  StopAll(victims, Termination::kPreempted);
}

}  // namespace muster::yunikorn
