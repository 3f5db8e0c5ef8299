// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policy load-aware, slowly: resource by resource, each task on the node judged by itself.
#ifndef MUSTER_REFERENCE_PEER_KOORDINATOR_LOAD_AWARE_H_
#define MUSTER_REFERENCE_PEER_KOORDINATOR_LOAD_AWARE_H_

#include "lib/reference/rules.h"

namespace muster::reference {

PolicyTwins KoordinatorPolicies();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KOORDINATOR_LOAD_AWARE_H_
