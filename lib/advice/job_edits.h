// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// New values of a job and of its pending tasks.
//
//   absl::Status made = EditJob({.name = "train", .priority = 5}, &clone);
//
// The meaning is that of JobEdit in what_if.h.
#ifndef MUSTER_ADVICE_JOB_EDITS_H_
#define MUSTER_ADVICE_JOB_EDITS_H_

#include "absl/status/status.h"
#include "muster/cluster.h"
#include "muster/what_if.h"

namespace muster {

// Fails as Rehearse does. An edit that is refused may be half made.
absl::Status EditJob(const JobEdit& edit, Cluster* cluster);

}  // namespace muster

#endif  // MUSTER_ADVICE_JOB_EDITS_H_
