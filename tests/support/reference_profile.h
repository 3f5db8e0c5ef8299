// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A profile as the slow twin reads it. Benchmarks use it, too, so it needs no test framework.
//
//   PlanData plan = ReferenceSchedule(tables, ReferenceProfileOf(*ResolveProfile("volcano")), now);
#ifndef MUSTER_TESTS_SUPPORT_REFERENCE_PROFILE_H_
#define MUSTER_TESTS_SUPPORT_REFERENCE_PROFILE_H_

#include "lib/profile/profile.h"
#include "lib/reference/reference.h"

namespace muster::testing {

// What the twin must run to be compared with the profile.
ReferenceProfile ReferenceProfileOf(const ProfileConfig& config);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_REFERENCE_PROFILE_H_
