// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Slow twins of the policies that order jobs by a number. They have no memory: every job is seen
// for the first time.
#ifndef MUSTER_REFERENCE_POLICY_JOB_ORDERS_H_
#define MUSTER_REFERENCE_POLICY_JOB_ORDERS_H_

#include "lib/reference/rules.h"

namespace muster::reference {

PolicyTwins JobOrderTwins();  // due and joborder

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_POLICY_JOB_ORDERS_H_
