// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#ifndef MUSTER_CAPI_PLAN_H_
#define MUSTER_CAPI_PLAN_H_

#include <memory>

#include "absl/status/status.h"
#include "capi/memory.h"
#include "muster/c.h"
#include "muster/cycle_metrics.h"
#include "muster/plan.h"
#include "muster/snapshot.h"

namespace muster::capi {

// Makes a handle of the plan, with its columns. `snapshot`: the one that the plan was made from;
// null: a living cluster. `metrics`: what its cycle cost; null: it was not measured.
absl::Status MakePlan(Plan plan, const Snapshot* snapshot, const CycleMetrics* metrics,
                      const std::shared_ptr<Memory>& memory, muster_plan** out);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_PLAN_H_
