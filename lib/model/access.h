// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What public classes keep to themselves, for the rooms of the library and their tests.
//
//   const Tables& tables = TablesOf(snapshot);       // or of a cluster
//   ImplOf(cluster).editor.EraseJob(job);
//   Plan plan = PlanOf(std::make_shared<PlanData>(std::move(data)));
//   const PlanData* data = DataOf(plan);             // null: an empty plan
//
// Public headers name internal::Access as their one friend, so that no public member leads here. A
// reference is valid as long as its argument. Each call costs O(1).
#ifndef MUSTER_MODEL_ACCESS_H_
#define MUSTER_MODEL_ACCESS_H_

#include <memory>
#include <utility>

#include "lib/model/cluster_impl.h"
#include "lib/model/tables.h"
#include "muster/action.h"
#include "muster/cluster.h"
#include "muster/plan.h"
#include "muster/snapshot.h"

namespace muster {

namespace internal {

struct Access {
  static ClusterImpl& Impl(Cluster& cluster) { return *cluster.impl_; }
  static const ClusterImpl& Impl(const Cluster& cluster) { return *cluster.impl_; }
  static void NoteRefused(Cluster& cluster, const Delta& delta, const absl::Status& why) {
    cluster.NoteRefused(delta, why);
  }
  static const std::shared_ptr<const Tables>& SharedTables(const Snapshot& snapshot) {
    return snapshot.tables_;
  }
  static Snapshot MakeSnapshot(std::shared_ptr<const Tables> tables) {
    return Snapshot(std::move(tables));
  }
  static const PlanData* Data(const Plan& plan) { return plan.data_.get(); }
  static Workbench MakeWorkbench(const Cycle& cycle, ActionContext& context) {
    return Workbench(cycle, context);
  }
  static Plan MakePlan(std::shared_ptr<const PlanData> data) { return Plan(std::move(data)); }
};

}  // namespace internal

inline internal::ClusterImpl& ImplOf(Cluster& cluster) { return internal::Access::Impl(cluster); }
inline const internal::ClusterImpl& ImplOf(const Cluster& cluster) {
  return internal::Access::Impl(cluster);
}
inline const Tables& TablesOf(const Cluster& cluster) { return *ImplOf(cluster).tables; }

// Remembers that an event was refused before it was one: its row could not be read.
inline void NoteRefused(Cluster& cluster, const Delta& delta, const absl::Status& why) {
  internal::Access::NoteRefused(cluster, delta, why);
}

inline const std::shared_ptr<const Tables>& SharedTablesOf(const Snapshot& snapshot) {
  return internal::Access::SharedTables(snapshot);
}
inline const Tables& TablesOf(const Snapshot& snapshot) { return *SharedTablesOf(snapshot); }
inline Snapshot SnapshotOf(std::shared_ptr<const Tables> tables) {
  return internal::Access::MakeSnapshot(std::move(tables));
}

inline const PlanData* DataOf(const Plan& plan) { return internal::Access::Data(plan); }
// Returns whether the plan was computed from these very rows, and they have not changed since: only
// then are its indices theirs. Defined in lib/plan, which knows what a plan points to.
bool IsOf(const Plan& plan, const Tables& tables);
inline Plan PlanOf(std::shared_ptr<const PlanData> data) {
  return internal::Access::MakePlan(std::move(data));
}

}  // namespace muster

#endif  // MUSTER_MODEL_ACCESS_H_
