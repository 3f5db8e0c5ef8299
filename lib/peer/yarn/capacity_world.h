// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The capacity scheduler over the cluster's rows (rows.h).
//
//   CapacityWorld world(context.tables, context.ledger, *std::move(tree));
//   for (const Given& given : world.Report(node)) ...
//
// Sizes of requests are rounded up to multiples of the least allocation, but not above the largest
// one.
#ifndef MUSTER_PEER_YARN_CAPACITY_WORLD_H_
#define MUSTER_PEER_YARN_CAPACITY_WORLD_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/capacity_settings.h"
#include "lib/peer/yarn/reporting.h"
#include "lib/peer/yarn/rows.h"

namespace muster::yarn {

class CapacityWorld : public Reporting {
 public:
  // `tree` was read from these tables without a failure.
  CapacityWorld(const Tables& tables, const Ledger& ledger, CapacityTree tree);

  std::vector<Given> Report(muster::NodeIndex node) override;
  int64_t IdleRounds() const override { return idle_rounds_; }
  void TakeBack(uint32_t container) override;
  std::vector<Unserved> WhatWaits() override;

  // A task that held a node when the world was made, and its container.
  struct Held {
    TaskIndex task;
    ContainerIndex container;
  };
  const std::vector<Held>& held() const { return held_; }
  // Null where the settings were refused.
  CapacityScheduler* scheduler() { return scheduler_.ok() ? &*scheduler_ : nullptr; }

 private:
  void AddApps(const Tables& tables);
  absl::StatusOr<AppIndex> Submit(const Tables& tables, const AppRow& row, uint32_t id);
  void AskFor(AppIndex app, Partition partition, const RequestRow& request);
  Unserved WhyWaits(AppIndex app, const RequestRow& request);

  const ClusterRows rows_;
  const std::vector<uint32_t> queue_of_;
  const Partitions partitions_;
  int64_t idle_rounds_ = 0;
  absl::StatusOr<CapacityScheduler> scheduler_;
  Offered offered_;
  std::vector<size_t> row_of_;  // by application: in offered_.apps
  std::vector<Held> held_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_WORLD_H_
