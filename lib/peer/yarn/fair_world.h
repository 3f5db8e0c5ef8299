// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fair scheduler over the cluster's rows (rows.h).
//
//   FairWorld world(context.tables, context.ledger, *std::move(tree));
//   for (const Given& given : world.Report(node)) ...
//
// Shares are computed once, when the cycle begins. Applications are without a master.
#ifndef MUSTER_PEER_YARN_FAIR_WORLD_H_
#define MUSTER_PEER_YARN_FAIR_WORLD_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/yarn/fair/scheduler.h"
#include "lib/peer/yarn/fair_settings.h"
#include "lib/peer/yarn/reporting.h"
#include "lib/peer/yarn/rows.h"

namespace muster::yarn {

class FairWorld : public Reporting {
 public:
  // `tree` was read from these tables without a failure.
  FairWorld(const Tables& tables, const Ledger& ledger, FairTree tree);

  std::vector<Given> Report(muster::NodeIndex node) override;
  void TakeBack(uint32_t container) override;
  std::vector<Unserved> WhatWaits() override;

 private:
  void AddApps(const Tables& tables);
  std::vector<fair::AskSpec> AsksOf(const AppRow& row) const;
  Unserved WhyWaits(AppIndex app, const RequestRow& request) const;

  const ClusterRows rows_;
  const FairTree tree_;
  absl::StatusOr<fair::FairScheduler> scheduler_;
  Offered offered_;
  std::vector<size_t> row_of_;                 // by application: in offered_.apps
  std::vector<fair::ContainerName> reported_;  // of the last report
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_FAIR_WORLD_H_
