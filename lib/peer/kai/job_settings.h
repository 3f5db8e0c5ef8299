// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What jobs have for profile kai alone.
//
//   kai/scheduling-backoff   "-1" (the default): the job is tried in every cycle. "1": it has one
//                            attempt, and is left alone once that has failed
//   kai/unschedulable        "true": its attempt failed. "false": it did not. Absent: as earlier
//                            plans left it (gang_memory.h). Without a backoff it has no effect, as
//                            the peer does not look at the condition then
#ifndef MUSTER_PEER_KAI_JOB_SETTINGS_H_
#define MUSTER_PEER_KAI_JOB_SETTINGS_H_

#include <optional>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/part/action.h"

namespace muster {

struct KaiJobSettings {
  bool one_attempt = false;
  std::optional<bool> unschedulable = {};
};

// REQUIRES: CheckKaiSettings accepts the tables.
KaiJobSettings ReadKaiSettings(const JobSpec& spec);

// Fails with InvalidArgument for the first setting of profile kai that is not known, or has a wrong
// value.
absl::Status CheckKaiSettings(const Tables& tables, const Options& options);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_JOB_SETTINGS_H_
