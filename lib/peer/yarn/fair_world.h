// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fair scheduler over the cluster's rows (rows.h).
//
//   FairWorld world(context.tables, context.ledger, *std::move(tree));
//   for (const Given& given : world.Report(node)) ...
//
// Shares are computed once, when the cycle begins.
//
// The world begins with what Keep wrote in the cycle before (kept.h). Applications that ran come
// before others, whatever the limits are now. Counts of a request are reports in vain at its level
// of locality, and that level, plus one.
#ifndef MUSTER_PEER_YARN_FAIR_WORLD_H_
#define MUSTER_PEER_YARN_FAIR_WORLD_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/yarn/fair/scheduler.h"
#include "lib/peer/yarn/fair_settings.h"
#include "lib/peer/yarn/kept.h"
#include "lib/peer/yarn/reporting.h"
#include "lib/peer/yarn/rows.h"

namespace muster::yarn {

class FairWorld : public Reporting {
 public:
  // `tree` was read from these tables without a failure.
  FairWorld(const Tables& tables, const Ledger& ledger, FairTree tree, const Cycle& before);

  std::vector<Given> Report(muster::NodeIndex node) override;
  void TakeBack(uint32_t container) override;
  bool MayGiveLater(int64_t idle) override;
  std::vector<Unserved> WhatWaits() override;
  void Keep(const Cycle& cycle) override;

 private:
  // A row of offered_.apps, and whether it ran before.
  struct Arrival {
    size_t row;
    bool ran;
  };

  void AddApps(const Cycle& before);
  std::vector<Arrival> Arrivals(const Cycle& before) const;
  absl::Status AddApp(const Arrival& arrival, const Cycle& before);
  void RecoverReservations(const Cycle& before);
  std::vector<fair::AskSpec> AsksOf(const AppRow& row) const;
  const RequestRow& RequestOf(AppIndex app, int32_t priority) const;
  Unserved WhyWaits(AppIndex app, const RequestRow& request) const;

  const Tables& tables_;
  const ClusterRows rows_;
  const FairTree tree_;
  absl::StatusOr<fair::FairScheduler> scheduler_;
  Offered offered_;
  std::vector<size_t> row_of_;                        // by application: in offered_.apps
  HashMap<AppIndex, std::vector<KeptRequest>> gone_;  // requests without tasks, of applications
  int64_t delays_ = -1;  // reports in vain after the last idle round; -1: none
  std::vector<fair::ContainerName> reported_;  // of the last report
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_FAIR_WORLD_H_
