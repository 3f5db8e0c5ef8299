// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The structs behind the handles that more than one file uses.
#ifndef MUSTER_CAPI_HANDLES_H_
#define MUSTER_CAPI_HANDLES_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/boundary.h"
#include "capi/memory.h"
#include "capi/record.h"
#include "muster/c.h"
#include "muster/cluster.h"
#include "muster/limits.h"
#include "muster/plan.h"
#include "muster/schedule.h"
#include "muster/snapshot.h"

struct muster_cluster {
  muster::Cluster cluster;
  std::shared_ptr<muster::capi::Memory> memory;
  muster::capi::Log log;
  muster::Limits limits;               // of each text that the cluster reads
  muster_executor executor = nullptr;  // of muster_cluster_advise; null: none
  uintptr_t executor_user = 0;
  int64_t executor_width = 1;
  std::unique_ptr<muster::capi::Recorder> recorder;  // null: none, or it has ended
  // True while a call runs: calls by its callbacks are refused.
  bool busy = false;
  // True once a callback has freed the cluster: the call that runs frees it at its end.
  bool freed = false;
  // True while rows are being changed. It stays true if memory runs out meanwhile.
  bool changing = false;
};

struct muster_snapshot {
  muster::Snapshot snapshot;
};

struct muster_stop {
  std::atomic<int32_t> is_set{0};
};

namespace muster::capi {

// Marks a cluster as busy for one call. Fails if another call runs, or the cluster is not whole.
class InUse {
 public:
  explicit InUse(muster_cluster* cluster);
  ~InUse() {
    if (cluster_ == nullptr) return;
    cluster_->busy = false;
    if (cluster_->freed) delete cluster_;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  muster_cluster* cluster_ = nullptr;
  absl::Status status_;
};

absl::Status CheckUsable(const muster_cluster* cluster);

// Runs `change`, which changes rows. If it throws, the cluster is no longer whole.
template <class F>
auto Changing(muster_cluster* cluster, F&& change) {
  cluster->changing = true;
  auto result = change();
  cluster->changing = false;
  return result;
}

// Combines Guard and InUse; `body` gets the cluster.
template <class F>
muster_status OnCluster(muster_cluster* cluster, muster_error* error, F&& body) noexcept {
  return Guard(error, [&]() -> absl::Status {
    const InUse use(cluster);
    if (!use.status().ok()) return use.status();
    return body();
  });
}

// Runs a cycle with the caller's options. `cycle` makes the plan, of `snapshot` if that is not
// null.
absl::Status RunCycle(const char* profile, const muster_schedule_options* options,
                      const std::function<absl::StatusOr<Plan>(const ScheduleOptions&)>& cycle,
                      const Snapshot* snapshot, const std::shared_ptr<Memory>& memory,
                      muster_plan** out, ScheduleOptions* said);

// Returns the plan of a handle.
const Plan& PlanOf(const muster_plan& plan);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_HANDLES_H_
