// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// kube-batch's actions, slowly.
#ifndef MUSTER_REFERENCE_PEER_KUBE_BATCH_KUBE_BATCH_H_
#define MUSTER_REFERENCE_PEER_KUBE_BATCH_KUBE_BATCH_H_

#include "lib/reference/rules.h"

namespace muster::reference {

ActionTwins KubeBatchActions();

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_KUBE_BATCH_KUBE_BATCH_H_
