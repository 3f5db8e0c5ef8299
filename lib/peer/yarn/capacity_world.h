// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The capacity scheduler over the cluster's rows (rows.h).
//
//   CapacityWorld world(context.tables, context.ledger, *std::move(tree));
//   for (const Given& given : world.Report(node)) ...
//
// Sizes of requests are rounded up to multiples of the least allocation, but not above the largest
// one.
//
// The world begins with what Keep wrote in the cycle before (kept.h, kept_leaves.h). Applications
// come before the new ones, the active first, whatever the limits are now. Counts of a request are
// missed opportunities, those of requests without label, and reports of reserved nodes in vain. A
// reservation is as old as the cycle that made it.
#ifndef MUSTER_PEER_YARN_CAPACITY_WORLD_H_
#define MUSTER_PEER_YARN_CAPACITY_WORLD_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/capacity_settings.h"
#include "lib/peer/yarn/kept.h"
#include "lib/peer/yarn/kept_leaves.h"
#include "lib/peer/yarn/reporting.h"
#include "lib/peer/yarn/rows.h"

namespace muster::yarn {

class CapacityWorld : public Reporting {
 public:
  // `tree` was read from these tables without a failure.
  CapacityWorld(const Tables& tables, const Ledger& ledger, CapacityTree tree, const Cycle& before);

  std::vector<Given> Report(muster::NodeIndex node) override;
  bool MayGiveLater(int64_t idle) override;
  void TakeBack(uint32_t container) override;
  std::vector<Unserved> WhatWaits() override;
  void Keep(const Cycle& cycle) override;

  // A task that held a node when the world was made, and its container.
  struct Held {
    TaskIndex task;
    ContainerIndex container;
  };
  const std::vector<Held>& held() const { return held_; }
  // Null where the settings were refused.
  CapacityScheduler* scheduler() { return scheduler_.ok() ? &*scheduler_ : nullptr; }

 private:
  // A row of offered_.apps, and how far it came before.
  struct Arrival {
    size_t row;
    std::optional<AppState> before;
  };

  void ReadApps();
  std::vector<Arrival> Arrivals(const Cycle& before) const;
  void AddApp(const Arrival& arrival, const Cycle& before);
  absl::StatusOr<AppIndex> Submit(const Arrival& arrival);
  void AskFor(AppIndex app, Partition partition, const RequestRow& request);
  void RecoverReservations(const Cycle& before);
  void ReadPasts(const Cycle& before);
  bool IsServedAt(const AppRow& row, const RequestRow& request, NodePlace place) const;
  const RequestRow& RequestOf(AppIndex app, int32_t priority) const;
  std::vector<KeptRequest> RequestsOf(AppIndex app) const;
  std::string WhyDelayed(AppIndex app, const RequestRow& request) const;
  Unserved WhyWaits(AppIndex app, const RequestRow& request);

  const Tables& tables_;
  const ClusterRows rows_;
  const std::vector<uint32_t> queue_of_job_;
  const HashMap<JobIndex, std::string> refusals_;
  const std::vector<muster::QueueIndex> home_of_;
  const int64_t now_;  // ms
  const Partitions partitions_;
  int64_t idle_rounds_ = 0;
  absl::StatusOr<CapacityScheduler> scheduler_;
  Offered offered_;
  std::vector<size_t> row_of_;                        // by application: in offered_.apps
  HashMap<AppIndex, std::vector<KeptRequest>> gone_;  // requests without tasks, of applications
  std::vector<Held> held_;
  std::vector<std::pair<QueueIndex, LeafPast>> pasts_;  // of leaves, before the cycle
  bool is_outdated_ = false;                            // one of them
  bool has_wishes_ = false;
  int64_t delays_ = -1;  // opportunities that were missed after the last idle round; -1: none
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_WORLD_H_
