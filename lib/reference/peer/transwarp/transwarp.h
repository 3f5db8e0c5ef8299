// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What preset transwarp adds to preset muster, slowly: four policies.
#ifndef MUSTER_REFERENCE_PEER_TRANSWARP_TRANSWARP_H_
#define MUSTER_REFERENCE_PEER_TRANSWARP_TRANSWARP_H_

#include "lib/reference/rules.h"

namespace muster::reference {

PolicyTwins TranswarpPolicies();  // borrowing, hdrf, leaf-order, bindings

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_TRANSWARP_TRANSWARP_H_
