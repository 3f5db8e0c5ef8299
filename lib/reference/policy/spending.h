// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of policy spending.
#ifndef MUSTER_REFERENCE_POLICY_SPENDING_H_
#define MUSTER_REFERENCE_POLICY_SPENDING_H_

#include "lib/reference/rules.h"

namespace muster::reference {

PolicyTwins SpendingTwins();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_POLICY_SPENDING_H_
