// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The front doors of rehearsal.h.
#include "muster/rehearsal.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/executor_of.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"

namespace muster {
namespace {

absl::Status MakeAll(std::span<const WhatIfChange> changes, Cluster* clone) {
  for (size_t i = 0; i < changes.size(); ++i) {
    if (const absl::Status s = MakeChange(changes[i], clone); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("changes[", i, "]: ", s.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MakeChanges(std::span<const WhatIfChange> changes, Cluster* cluster) {
  if (IsLost(ImplOf(*cluster))) return LostError();
  Cluster clone = cluster->Clone();
  if (absl::Status s = MakeAll(changes, &clone); !s.ok()) return s;
  *cluster = std::move(clone);
  return absl::OkStatus();
}

absl::StatusOr<Rehearsal> Rehearse(const Cluster& cluster, std::string_view profile,
                                   std::span<const WhatIfChange> changes,
                                   const ScheduleOptions& options, Executor* executor) {
  if (IsLost(ImplOf(cluster))) return LostError();
  const Snapshot now = cluster.Freeze();
  Cluster clone = cluster.Clone();
  const absl::Status made = MakeAll(changes, &clone);
  const Snapshot then = clone.Freeze();
  absl::StatusOr<Plan> before = absl::UnknownError(""), after = absl::UnknownError("");
  RunPieces(ExecutorOf(executor, options), made.ok() ? 2 : 1, [&](size_t i) {
    if (i == 0) before = Schedule(now, profile, options);
    if (i == 1) after = Schedule(then, profile, options);
  });
  if (!before.ok()) return before.status();
  if (!made.ok()) return made;
  if (!after.ok()) return after.status();
  PlanDifference difference = Difference(now, *before, then, *after);
  return Rehearsal{*std::move(before), *std::move(after), std::move(difference)};
}

}  // namespace muster
