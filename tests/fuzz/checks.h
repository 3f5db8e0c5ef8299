// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What targets check of clusters and plans. Each function ends the process by Fail where a promise
// is broken.
#ifndef MUSTER_TESTS_FUZZ_CHECKS_H_
#define MUSTER_TESTS_FUZZ_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/scenario/scenario.h"
#include "muster/cluster.h"
#include "muster/schedule.h"
#include "tests/fuzz/input.h"

namespace muster::fuzz {

// The text is one JSON document; parsers refuse text that is not UTF-8.
void CheckJson(std::string_view text, absl::string_view what);

// The error has words, in UTF-8.
void CheckWords(const absl::Status& error);

// What is written is read again, and written equal.
void CheckRoundTrip(const Scenario& scenario);

// Runs a cycle on the living cluster, over a snapshot of it, and twice on each. The plans, or the
// errors, are equal, and the plan's texts can be written.
absl::StatusOr<Plan> CheckedSchedule(Cluster* cluster, std::string_view profile,
                                     const ScheduleOptions& options);

// Everything that a caller sees of the rows.
std::string RowsOf(const Cluster& cluster);

// Saves the state, which numbers the rows anew; the loaded cluster and the one that is read from
// the scenario make the plan that the living one makes.
void CheckCopies(Cluster* cluster, std::string_view profile, const ScheduleOptions& options);

// Each profile of the registry, alone and with each of its actions, and a profile with each of the
// policies.
std::vector<std::string> AllSpecs();
// One of them.
std::string SpecOf(Input* in);

}  // namespace muster::fuzz

#endif  // MUSTER_TESTS_FUZZ_CHECKS_H_
