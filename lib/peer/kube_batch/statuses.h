// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a task's status counts for in kube-batch's accounts, where it differs from the ledger's own
// table.
//
//   config.accounting.statuses = kKubeBatchStatuses;
//
// A nominated task takes its request out of what is being released and counts as used at once; the
// ledger's own table counts it as pipelined. A task that was evicted in the cycle stays in the
// Kubernetes view of its node.
#ifndef MUSTER_PEER_KUBE_BATCH_STATUSES_H_
#define MUSTER_PEER_KUBE_BATCH_STATUSES_H_

#include "lib/ledger/status_table.h"

namespace muster {

inline constexpr StatusTable kKubeBatchStatuses = [] {
  StatusTable table = kStatusTable;
  table[TaskStatus::kNominated] = {.releasing = -1, .used = 1, .allocated = 1, .in_view = 1};
  table[TaskStatus::kReleasing].in_view = 1;
  return table;
}();

}  // namespace muster

#endif  // MUSTER_PEER_KUBE_BATCH_STATUSES_H_
