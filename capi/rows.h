// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Specs from the columns of a table.
//
//   RowReader<TaskSpec> rows(table, resolver);
//   if (!rows.status().ok()) ...                 // an unknown column, defaults that are no JSON
//   TaskSpec spec = rows.blank();
//   absl::Status s = rows.Fill(17, &spec);       // sets the fields that row 17 has
//
// Columns are bound by the lists of lib/scenario/members.h, so each field of a scenario is a
// column. There are readers of nodes, queues, jobs, tasks, domains, budgets and namespaces, all
// compiled in rows.cc: a column acts on a field in the same way in every kind of row.
#ifndef MUSTER_CAPI_ROWS_H_
#define MUSTER_CAPI_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/table.h"
#include "muster/cluster.h"
#include "muster/spec.h"

namespace muster::capi {

// Returns the name that a number stands for in a column that names a row of `kind`; empty if there
// is no such row.
using Resolver = std::function<std::string_view(int32_t kind, int64_t index)>;

// Returns the kind of rows that column `key` of a table names; 0: none.
int32_t Names(int32_t table, std::string_view key);

// Parses `{"muster": 1, "TABLE": [ROW]}` with the row's JSON. REQUIRES: ROW is one JSON value.
absl::StatusOr<ClusterSpec> ParseRow(int32_t kind, std::string_view json);

// Fails with InvalidArgument if the text is anything else: a value must not end the row around it.
absl::Status CheckOneJsonValue(std::string_view json);

// Returns the rows of that kind.
template <class S>
std::vector<S>& RowsOf(ClusterSpec& spec) {
  if constexpr (std::is_same_v<S, NodeSpec>) return spec.nodes;
  if constexpr (std::is_same_v<S, QueueSpec>) return spec.queues;
  if constexpr (std::is_same_v<S, JobSpec>) return spec.jobs;
  if constexpr (std::is_same_v<S, TaskSpec>) return spec.tasks;
  if constexpr (std::is_same_v<S, DomainSpec>) return spec.domains;
  if constexpr (std::is_same_v<S, DisruptionBudgetSpec>) return spec.budgets;
  if constexpr (std::is_same_v<S, NamespaceSpec>) return spec.namespaces;
  if constexpr (std::is_same_v<S, FlavorSpec>) return spec.flavors;
  if constexpr (std::is_same_v<S, PartitionSpec>) return spec.partitions;
  if constexpr (std::is_same_v<S, ReservationSpec>) return spec.reservations;
}

class ColumnBinder;

template <class S>
class RowReader {
 public:
  RowReader(const muster_table& table, Resolver resolver);
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  ~RowReader();

  const absl::Status& status() const;
  size_t size() const;
  const S& blank() const { return blank_; }
  bool has_defaults() const;

  absl::Status Fill(size_t row, S* spec) const;

 private:
  S blank_;
  std::unique_ptr<ColumnBinder> binder_;
};

}  // namespace muster::capi

#endif  // MUSTER_CAPI_ROWS_H_
