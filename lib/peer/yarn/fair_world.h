// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fair scheduler over the cluster's rows (rows.h).
//
//   FairWorld world(context.tables, context.ledger, *std::move(tree));
//   for (const Given& given : world.Report(node)) ...
//
// Shares are computed once: when the cycle begins, or by Preempt.
//
//   for (const TaskIndex task : world.Preempt()) Evict(task);
//
// The world begins with what Keep wrote in the cycle before (kept.h, fair_kept.h). Applications
// that ran come before others, whatever the limits are now. Counts of a request are reports in vain
// at its level of locality, and that level, plus one.
#ifndef MUSTER_PEER_YARN_FAIR_WORLD_H_
#define MUSTER_PEER_YARN_FAIR_WORLD_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/peer/yarn/fair/scheduler.h"
#include "lib/peer/yarn/fair_kept.h"
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

  // Ends the containers that are due, and computes shares, starvation and marks. Returns the tasks
  // that are to be evicted. REQUIRES: option `preemption` of the core is on.
  std::vector<TaskIndex> Preempt();

 private:
  // A row of offered_.apps, and whether it ran before.
  struct Arrival {
    size_t row;
    bool ran;
  };

  // A task that held a node when the world was made, and its container.
  struct Held {
    TaskIndex task;
    fair::ContainerName container;
    bool is_spared;
  };

  void AddApps(const Cycle& before);
  std::vector<Arrival> Arrivals(const Cycle& before) const;
  absl::Status AddApp(const Arrival& arrival, const Cycle& before);
  void RecoverReservations(const Cycle& before);
  std::vector<fair::AskSpec> AsksOf(const AppRow& row) const;
  const RequestRow& RequestOf(AppIndex app, int32_t priority) const;
  Unserved WhyWaits(AppIndex app, const RequestRow& request) const;

  // Preemption: fair_world_preempt.cc.
  void RecoverPreemption(const Cycle& before);
  void RecoverMarks(const Cycle& before);
  void DelayCheck(AppIndex app);
  void EndDue(std::vector<TaskIndex>* evicted);
  void KeepPreemption(const Cycle& cycle) const;
  KeptMark MarkOf(const fair::Kill& kill, bool is_evicted) const;
  TaskIndex TaskOf(fair::ContainerName name) const;
  std::string_view JobOf(AppIndex app) const;
  AppIndex AppOf(std::string_view job) const;  // kNone: the job is no application

  const Tables& tables_;
  const Ledger& ledger_;
  const ClusterRows rows_;
  const FairTree tree_;
  absl::StatusOr<fair::FairScheduler> scheduler_;
  Offered offered_;
  std::vector<size_t> row_of_;                        // by application: in offered_.apps
  std::vector<AppIndex> app_of_;                      // by job; kNone: it is no application
  HashMap<AppIndex, std::vector<KeptRequest>> gone_;  // requests without tasks, of applications
  int64_t delays_ = -1;  // reports in vain after the last idle round; -1: none
  std::vector<fair::ContainerName> reported_;  // of the last report
  std::vector<Held> held_;                     // by application and number of the container
  std::vector<bool> is_noted_;                 // by application: preemption has looked at it
  std::vector<bool> is_minimum_noted_;         // by queue: the same of leaves
  std::vector<std::pair<TaskIndex, KeptMark>> leaving_;  // evicted tasks that are still there
  std::vector<AppIndex> waited_for_;  // for which tasks left until now; kNone: they have ended
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_FAIR_WORLD_H_
