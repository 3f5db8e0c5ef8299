// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Adds the rows of tables to a cluster, all or none.
#ifndef MUSTER_CAPI_PUT_H_
#define MUSTER_CAPI_PUT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/handles.h"
#include "capi/rows.h"
#include "capi/table.h"

namespace muster::capi {

// Returns a function from indices to names of rows, as the cluster has them now.
Resolver ResolverOf(const muster_cluster& cluster);

// Appends the table's rows to the list of their kind. Fields that it does not set are the defaults.
absl::Status AppendRows(const muster_table& table, const Resolver& resolver, ClusterSpec* rows);

// Adds rows in this order: domains, nodes, queues, jobs, tasks, and then those that are set. If a
// row is refused, takes back what was added; the error begins with `place`. Nothing that waits for
// a row is woken before all are in.
absl::Status AddRows(muster_cluster* cluster, const ClusterSpec& rows, std::string_view place);
absl::Status UpdateRows(muster_cluster* cluster, const muster_table& table);

// Adds many nodes or tasks the fast way (bulk.cc): rows that differ in little are checked once.
// Returns false, with nothing done, if the table needs more than this offers, or a row breaks a
// rule.
absl::StatusOr<bool> AddInBulk(muster_cluster* cluster, const muster_table& table);

}  // namespace muster::capi

#endif  // MUSTER_CAPI_PUT_H_
