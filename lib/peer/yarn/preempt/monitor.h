// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The preemption monitor of the capacity scheduler: which containers leave, round by round.
//
//   PreemptionMonitor monitor(settings);
//   const PreemptionRound round = monitor.Run(&scheduler, now);
//   for (ContainerIndex c : round.killed) scheduler.EndContainer(c);
//
// A round computes what each queue should hold, then asks selectors in turn for containers. A
// container that is chosen for the first time is marked; it is killed when it is chosen again after
// a wait. The round itself changes nothing of the scheduler but limits that it computes; callers
// apply what it returns.
//
// Surprises. The allowance of a round is shared by all selectors and partitions, and the last
// container may exceed what was wanted. Marks of containers that are chosen no more stay for two
// waits. A later selector takes each chosen container off what its queue still gives only if that
// is more, so the order of the chosen decides where their sizes differ.
//
// Tie-break. That order is the peer's, a walk through its hash tables (table_order.h), where
// `started` is known; else the largest id goes first.
#ifndef MUSTER_PEER_YARN_PREEMPT_MONITOR_H_
#define MUSTER_PEER_YARN_PREEMPT_MONITOR_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/preempt/shares.h"

namespace muster::yarn {

struct PreemptionSettings {
  int64_t max_wait = 15000;           // ms, from mark to kill
  int64_t balance_max_wait = 300000;  // the same for kBalance; 0: max_wait
  float per_round = 0.1F;             // of the cluster
  double max_ignored = 0.1;           // beyond a guarantee
  double natural_termination = 0.2;   // of what is wanted, taken in one round
  bool conservative = false;
  bool reserved_containers = false, additional_balance = false;
  bool balances_satisfied = false;
  bool intra_queue = false, user_limit_first = true, intra_conservative = true;
  float intra_threshold = 0.5F, intra_limit = 0.2F;
  bool priorities = false, moves_reservations = false;
  int64_t reservation_delay = 60000;  // ms: the age from which a reservation takes by priority
  std::optional<int64_t> started = std::nullopt;  // ms since 1970: the resource manager
};

enum class Selector : uint8_t { kPriority, kReserved, kFifo, kBalance, kIntraQueue };

struct PreemptionRound {
  std::vector<std::pair<Selector, std::vector<ContainerIndex>>> selected;  // in order of selectors
  std::vector<ContainerIndex> marked, killed;                              // by container id
  std::vector<ContainerIndex> dropped;                                     // reservations
  std::vector<QueueShare> shares;  // of the default partition, by queue
};

class PreemptionMonitor {
 public:
  explicit PreemptionMonitor(const PreemptionSettings& settings) : settings_(settings) {}
  PreemptionRound Run(CapacityScheduler* scheduler, int64_t now);

  // Marks a container as a round at that time would have.
  void Mark(const ContainerId& container, int64_t when);
  // Returns when the container was marked; none: it is not.
  std::optional<int64_t> MarkOf(const ContainerId& container) const;

 private:
  void MarkOrKill(const CapacityScheduler& scheduler, int64_t now, PreemptionRound* round);

  PreemptionSettings settings_;
  HashMap<uint64_t, int64_t> marks_;  // by container, when it was marked
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_PREEMPT_MONITOR_H_
