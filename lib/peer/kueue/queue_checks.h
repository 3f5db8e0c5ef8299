// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Kueue's webhooks refuse of queues, beyond what the model does.
//
//   if (absl::Status s = CheckQueues(tables, config); !s.ok()) return s;
#ifndef MUSTER_PEER_KUEUE_QUEUE_CHECKS_H_
#define MUSTER_PEER_KUEUE_QUEUE_CHECKS_H_

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/peer/kueue/gates.h"

namespace muster::kueue {

// Fails with InvalidArgument for the first queue that
// - has a limit of what it borrows or lends, and no parent;
// - with admission fair sharing goes by usage and has the history of a user that is no LocalQueue.
// O(queues and their rules).
absl::Status CheckQueues(const Tables& tables, const Config& config);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_QUEUE_CHECKS_H_
