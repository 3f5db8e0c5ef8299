// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows from tables into a cluster, all or none.
#ifndef MUSTER_CAPI_PUT_H_
#define MUSTER_CAPI_PUT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/handles.h"
#include "capi/rows.h"
#include "capi/table.h"

namespace muster::capi {

// Names of rows by index, as the cluster has them now.
Resolver ResolverOf(const muster_cluster& cluster);

// The table's rows of the default "nothing said", appended to the list of their kind.
absl::Status AppendRows(const muster_table& table, const Resolver& resolver, ClusterSpec* rows);

// In this order: domains, nodes, queues, jobs, tasks, namespaces, budgets. What was added is removed again where a row
// is refused; `place` is said before the words of that row.
absl::Status AddRows(muster_cluster* cluster, const ClusterSpec& rows, std::string_view place);
absl::Status UpdateRows(muster_cluster* cluster, const muster_table& table);

// The quick way for many nodes or tasks (bulk.cc): rows that differ in little are checked once. False: nothing was
// done, because the table asks for more than this can, or some row is not in order.
absl::StatusOr<bool> AddInBulk(muster_cluster* cluster, const muster_table& table);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_PUT_H_
