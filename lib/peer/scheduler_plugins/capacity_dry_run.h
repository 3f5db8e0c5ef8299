// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What capacity scheduling decides about one task and one node, whatever holds tasks and nodes.
//
//   QuotaDemand demand{.account = quotas.Find("vision"), .priority = 10, .charge = *request};
//   demand.AddNominated(quotas, other_account, other_priority, other_charge);   // for each
//   demand.AddOwn();
//   AdmitByQuotas(quotas, demand);                       // kFits, kAboveMax, kAboveMins
//   FindVictims(quotas, options, demand, tasks, breaks, node);
//
// capacity_preemption.h has the rules. The node is behind an interface, so that any filter may
// judge it. Cost. O(tasks of the node * (resources + a call of Fits)) and a sort.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_DRY_RUN_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_DRY_RUN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lib/peer/scheduler_plugins/capacity_quotas.h"

namespace muster {

enum class QuotaVerdict : uint8_t { kFits, kAboveMax, kAboveMins };

// What a task adds to the quotas, with the nominated tasks that come before it.
struct QuotaDemand {
  CapacityQuotas::Index account = CapacityQuotas::kNone;
  int32_t priority = 0;
  Sparse charge = {};
  SparseSum in_quota = {}, in_all = {};

  // Counts a task that is nominated to some node, if its rank or use makes it count.
  void AddNominated(const CapacityQuotas& quotas, CapacityQuotas::Index other,
                    int32_t other_priority, const Sparse& other_charge);
  void AddOwn();
};
QuotaVerdict AdmitByQuotas(const CapacityQuotas& quotas, const QuotaDemand& demand);
// Returns whether a task of that account and priority, which is leaving the node, makes room that
// the preemptor waits for.
bool MakesRoomFor(const CapacityQuotas& quotas, const QuotaDemand& demand,
                  CapacityQuotas::Index account, int32_t priority);

// A task of the node, as quotas see it.
struct QuotaHolder {
  CapacityQuotas::Index account = CapacityQuotas::kNone;
  bool is_counted = false;  // its quota counts it
  int32_t priority = 0;
  int64_t started = 0;
  Sparse charge = {};
};

// The node while tasks leave it and come back. Tasks are numbers of the list.
class DryRunNode {
 public:
  virtual ~DryRunNode() = default;
  // Returns whether the preemptor passes all filters now.
  virtual bool Fits() = 0;
  virtual void Leave(uint32_t task) = 0;
  virtual void Return(uint32_t task) = 0;
};

struct QuotaVictims {
  enum class Outcome : uint8_t {
    kVictims,
    kNoCandidate,   // no candidate on the node
    kUnfit,         // even with all candidates gone
    kOverQuota,     // the same
    kRemovedTwice,  // one fitted neither the node nor the quota
    kNeedless,      // all candidates may stay
  };
  Outcome outcome = Outcome::kNoCandidate;
  std::vector<uint32_t> victims;  // the most important first
  int broken_budgets = 0;
};
// `follow`: what victims use is given back to their quotas. `breaks` returns which of some tasks,
// evicted one after another, break a disruption budget. The node's tasks are as they were only if
// the outcome is kNoCandidate.
using BreaksBudgets = absl::FunctionRef<std::vector<bool>(std::span<const uint32_t> tasks)>;
QuotaVictims FindVictims(const CapacityQuotas& quotas, bool follow, const QuotaDemand& demand,
                         std::span<const QuotaHolder> tasks, BreaksBudgets breaks,
                         DryRunNode& node);

}  // namespace muster

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_CAPACITY_DRY_RUN_H_
