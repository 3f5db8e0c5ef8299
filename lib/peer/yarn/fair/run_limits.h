// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many applications run at once: limits of queues, of their ancestors, and of users. What is
// over a limit waits outside.
//
//   AdmitOrHold(cluster, app);      // a new application
//   Leave(cluster, app);            // an application that ended; others may start
//   AdmitAfterReload(cluster);      // limits changed
//
// Surprise. When an application leaves, at most as many start as there are lists of waiting
// applications that its end may have opened, the oldest first.
#ifndef MUSTER_PEER_YARN_FAIR_RUN_LIMITS_H_
#define MUSTER_PEER_YARN_FAIR_RUN_LIMITS_H_

#include "lib/peer/yarn/fair/cluster.h"

namespace muster::yarn::fair {

// `runs`: it starts whatever the limits, as it did before.
void AdmitOrHold(Cluster& cluster, AppIndex app, bool runs = false);
void Leave(Cluster& cluster, AppIndex app);
void AdmitAfterReload(Cluster& cluster);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_RUN_LIMITS_H_
