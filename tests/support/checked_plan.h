// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A plan of a living cluster that was compared with the frozen one's and validated.
#ifndef MUSTER_TESTS_SUPPORT_CHECKED_PLAN_H_
#define MUSTER_TESTS_SUPPORT_CHECKED_PLAN_H_

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "muster/muster.h"
#include "tests/support/profile_specs.h"
#include "tests/support/validator.h"

namespace muster::testing {

// Schedules the living cluster. Fails the test if a frozen one decides otherwise, or where the plan
// breaks an invariant of the profile.
inline absl::StatusOr<Plan> CheckedPlan(Cluster* cluster, const std::string& profile, int64_t now) {
  const Snapshot snapshot = cluster->Freeze();
  absl::StatusOr<Plan> living = cluster->Schedule(profile, {.now = now});
  if (!living.ok()) return living;
  const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, {.now = now});
  EXPECT_TRUE(frozen.ok()) << frozen.status();
  if (frozen.ok()) {
    EXPECT_EQ(living->Digest(), frozen->Digest());
  }
  for (const std::string& words : Violations(snapshot, *living, InvariantsOf(profile))) {
    ADD_FAILURE() << words;
  }
  return living;
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_CHECKED_PLAN_H_
