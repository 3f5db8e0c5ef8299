// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Capacity scheduling within the cycles of the profile: queues are elastic quotas.
//
//   Quotas quotas(/*follow=*/true);
//   quotas.Open(&world, &nominations, now);
//   kube::Status status = quotas.PreFilter(task);
//   quotas.Reserve(task);
//   kube::Status status = quotas.SelectVictims(cycle, node, &candidate);
//
// The rules are those of capacity_dry_run.h. A queue with `guaranteed` or `limit` is the elastic
// quota of a namespace: its minimum and maximum. A task belongs to the queue of its job; one
// without a job to the queue that has its namespace's name. A task is charged what it holds or what
// it needs to start, whichever is more.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_QUOTAS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_QUOTAS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/budget_index.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/scheduler_plugins/capacity_dry_run.h"

namespace muster::scheduler_plugins {

class Quotas {
 public:
  // `follow`: what victims use is given back to their quotas in a dry run.
  explicit Quotas(bool follow) : follow_(follow) {}

  void Open(kube::World* world, const kube::Nominations* nominations, int64_t now);

  static bool Wakes(const kube::Happening& happening);
  kube::Status PreFilter(TaskIndex t);
  void Reserve(TaskIndex t);
  void Unreserve(TaskIndex t);
  std::string WhyIneligible(const kube::PodCycle& cycle);
  kube::Status SelectVictims(kube::PodCycle& cycle, NodeIndex n, kube::Candidate* candidate);

 private:
  struct Charge {
    NamedAmounts named;
    Sparse amounts;
  };
  const Charge& ChargeOf(TaskIndex t);
  CapacityQuotas::Index AccountOf(TaskIndex t) const;
  QuotaDemand DemandOf(TaskIndex t);
  QuotaHolder TaskOf(TaskIndex t);
  kube::Status Refuse(kube::Code code, const std::string& words) const;
  kube::Status NoVictims(TaskIndex t, NodeIndex n) const;

  const bool follow_;
  CapacityQuotas quotas_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  const kube::Nominations* nominations_ = nullptr;
  int64_t now_ = 0;
  std::vector<CapacityQuotas::Index> account_of_;  // by queue
  HashMap<ClassIndex, Charge> charges_;
  std::unique_ptr<BudgetTurns> budgets_;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_QUOTAS_H_
