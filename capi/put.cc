// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/put.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/describe.h"
#include "lib/model/quiet_rows.h"
#include "lib/model/validate.h"

namespace muster::capi {
namespace {

template <class S>
absl::Status Append(const muster_table& table, const Resolver& resolver, ClusterSpec* rows) {
  const RowReader<S> reader(table, resolver);
  if (!reader.status().ok()) return reader.status();
  std::vector<S>& list = RowsOf<S>(*rows);
  list.reserve(list.size() + reader.size());
  for (size_t i = 0; i < reader.size(); ++i) {
    list.push_back(reader.blank());
    if (absl::Status s = reader.Fill(i, &list.back()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status At(std::string_view place, std::string_view table, size_t row,
                const absl::Status& status) {
  return absl::Status(
      status.code(), absl::StrCat(ToAbsl(place), ToAbsl(table), "[", row, "]: ", status.message()));
}

absl::Status NotThere(int32_t kind, std::string_view name) {
  return absl::NotFoundError(
      absl::StrCat(ToAbsl(RowName(kind)), " ", Quote(name), ": does not exist"));
}

template <class S>
absl::Status UpdateAll(muster_cluster* handle, const muster_table& table) {
  Cluster& cluster = handle->cluster;
  const RowReader<S> reader(table, ResolverOf(*handle));
  if (!reader.status().ok()) return reader.status();
  if (reader.has_defaults()) {
    return absl::InvalidArgumentError(absl::StrCat("table of ", ToAbsl(TableName(table.kind)),
                                                   ": an update has no defaults, only columns"));
  }
  ClusterSpec rows;
  std::vector<S>& after = RowsOf<S>(rows);
  // Names first: the other columns change the row of that name.
  for (size_t i = 0; i < reader.size(); ++i) {
    S spec;
    if (absl::Status s = reader.Fill(i, &spec); !s.ok()) return s;
    if (!DescribeRow(ImplOf(cluster).editor, &spec))
      return At("", TableName(table.kind), i, NotThere(table.kind, spec.name));
    if (absl::Status s = reader.Fill(i, &spec); !s.ok()) return s;
    after.push_back(std::move(spec));
  }
  RowsTogether together(ImplOf(cluster));
  const absl::Status done = Changing(handle, [&] {
    for (size_t i = 0; i < after.size(); ++i) {
      if (absl::Status s = together.Update(after[i]); !s.ok()) {
        return together.TakeBack(At("", TableName(table.kind), i, s));
      }
    }
    together.Wake();
    return absl::OkStatus();
  });
  if (done.ok() && handle->recorder != nullptr) handle->recorder->Rows("update", rows);
  return done;
}

// Adds the rows that other rows name, and tasks.
absl::Status AddNamedRows(const ClusterSpec& rows, std::string_view place, RowsTogether* together) {
  const auto add = [&](int32_t kind, const auto& list) -> absl::Status {
    for (size_t i = 0; i < list.size(); ++i) {
      if (absl::Status s = together->Add(list[i]); !s.ok()) return At(place, TableName(kind), i, s);
    }
    return absl::OkStatus();
  };
  absl::Status s = add(MUSTER_KIND_DOMAINS, rows.domains);
  if (s.ok()) s = add(MUSTER_KIND_NODES, rows.nodes);
  if (s.ok()) s = add(MUSTER_KIND_QUEUES, rows.queues);
  if (s.ok()) s = add(MUSTER_KIND_JOBS, rows.jobs);
  if (s.ok()) s = add(MUSTER_KIND_TASKS, rows.tasks);
  return s;
}

// The rows of `rows` that went in. The row that was refused is left out, because it may have bytes
// that no document can hold.
ClusterSpec AddedOf(const ClusterSpec& rows, const RowsTogether& together) {
  ClusterSpec added;
  const auto keep = [&together](RowKind kind, const auto& from, auto* to) {
    to->assign(from.begin(), from.begin() + together.count(kind));
  };
  keep(RowKind::kDomain, rows.domains, &added.domains);
  keep(RowKind::kNode, rows.nodes, &added.nodes);
  keep(RowKind::kQueue, rows.queues, &added.queues);
  keep(RowKind::kJob, rows.jobs, &added.jobs);
  keep(RowKind::kTask, rows.tasks, &added.tasks);
  return added;
}

// Calls each(row) for the rows that are set, not added, while it returns OK.
template <class F>
absl::Status ForSetRows(const ClusterSpec& rows, std::string_view place, const F& each) {
  const auto all = [&](int32_t kind, const auto& list) -> absl::Status {
    for (size_t i = 0; i < list.size(); ++i) {
      if (absl::Status s = each(list[i]); !s.ok()) return At(place, TableName(kind), i, s);
    }
    return absl::OkStatus();
  };
  absl::Status s = all(MUSTER_KIND_NAMESPACES, rows.namespaces);
  if (s.ok()) s = all(MUSTER_KIND_BUDGETS, rows.budgets);
  if (s.ok()) s = all(MUSTER_KIND_FLAVORS, rows.flavors);
  if (s.ok()) s = all(MUSTER_KIND_PARTITIONS, rows.partitions);
  if (s.ok()) s = all(MUSTER_KIND_RESERVATIONS, rows.reservations);
  return s;
}

absl::Status Check(const NamespaceSpec& row) { return CheckNamespace(row); }
absl::Status Check(const DisruptionBudgetSpec& row) { return CheckBudget(row); }
absl::Status Check(const FlavorSpec& row) { return CheckFlavor(row); }
absl::Status Check(const PartitionSpec& row) { return CheckPartition(row); }
absl::Status Check(const ReservationSpec& row) { return CheckReservation(row); }

absl::Status Set(Cluster& cluster, const NamespaceSpec& row) { return cluster.SetNamespace(row); }
absl::Status Set(Cluster& cluster, const DisruptionBudgetSpec& row) {
  return cluster.SetDisruptionBudget(row);
}
absl::Status Set(Cluster& cluster, const FlavorSpec& row) { return cluster.SetFlavor(row); }
absl::Status Set(Cluster& cluster, const PartitionSpec& row) { return cluster.SetPartition(row); }
absl::Status Set(Cluster& cluster, const ReservationSpec& row) {
  return cluster.SetReservation(row);
}

// The rules of the rows that are set by themselves, and whether their tables hold them.
absl::Status CheckSetRows(const Cluster& cluster, const ClusterSpec& rows, std::string_view place) {
  absl::Status s = ForSetRows(rows, place, [](const auto& row) { return Check(row); });
  const Tables& t = TablesOf(cluster);
  const auto check_room = [&](const NameTable& names, const auto& list) {
    int64_t bytes = 0;
    for (const auto& row : list) bytes += static_cast<int64_t>(row.name.size());
    const auto count = static_cast<int64_t>(list.size());
    if (s.ok()) s = ImplOf(cluster).editor.CheckRoom(names, count, bytes);
  };
  check_room(t.flavors.names, rows.flavors);
  check_room(t.partitions.names, rows.partitions);
  check_room(t.reservations.names, rows.reservations);
  return s;
}

// Returns why the namespaces cannot be set: one binds a queue that does not exist.
absl::Status CheckQueuesOf(const Cluster& cluster, const ClusterSpec& rows,
                           std::string_view place) {
  for (size_t i = 0; i < rows.namespaces.size(); ++i) {
    absl::Status s = CheckBindings(TablesOf(cluster), rows.namespaces[i]);
    if (!s.ok()) return At(place, TableName(MUSTER_KIND_NAMESPACES), i, s);
  }
  return absl::OkStatus();
}

}  // namespace

Resolver ResolverOf(const muster_cluster& handle) {
  return [&cluster = handle.cluster](int32_t kind, int64_t index) -> std::string_view {
    const Tables& t = TablesOf(cluster);
    const auto name = [index](const NameTable& names, const std::vector<uint8_t>& alive) {
      const bool there = index >= 0 && static_cast<uint64_t>(index) < alive.size() &&
                         alive[static_cast<size_t>(index)] != 0;
      return there ? names.name(static_cast<uint32_t>(index)) : std::string_view();
    };
    switch (kind) {
      case MUSTER_KIND_NODES:
        return name(t.nodes.names, t.nodes.alive);
      case MUSTER_KIND_QUEUES:
        return name(t.queues.names, t.queues.alive);
      case MUSTER_KIND_JOBS:
        return name(t.jobs.names, t.jobs.alive);
      case MUSTER_KIND_DOMAINS:
        return name(t.domains.names, t.domains.alive);
      default:
        return {};
    }
  };
}

absl::Status AppendRows(const muster_table& table, const Resolver& resolver, ClusterSpec* rows) {
  switch (table.kind) {
    case MUSTER_KIND_NODES:
      return Append<NodeSpec>(table, resolver, rows);
    case MUSTER_KIND_QUEUES:
      return Append<QueueSpec>(table, resolver, rows);
    case MUSTER_KIND_JOBS:
      return Append<JobSpec>(table, resolver, rows);
    case MUSTER_KIND_TASKS:
      return Append<TaskSpec>(table, resolver, rows);
    case MUSTER_KIND_DOMAINS:
      return Append<DomainSpec>(table, resolver, rows);
    case MUSTER_KIND_BUDGETS:
      return Append<DisruptionBudgetSpec>(table, resolver, rows);
    case MUSTER_KIND_FLAVORS:
      return Append<FlavorSpec>(table, resolver, rows);
    case MUSTER_KIND_PARTITIONS:
      return Append<PartitionSpec>(table, resolver, rows);
    case MUSTER_KIND_RESERVATIONS:
      return Append<ReservationSpec>(table, resolver, rows);
    default:
      return Append<NamespaceSpec>(table, resolver, rows);
  }
}

absl::Status AddRows(muster_cluster* handle, const ClusterSpec& rows, std::string_view place) {
  Cluster& cluster = handle->cluster;
  if (absl::Status s = CheckSetRows(cluster, rows, place); !s.ok()) return s;
  RowsTogether together(ImplOf(cluster));
  ClusterSpec taken_back;
  bool any_taken_back = false;
  const absl::Status done = Changing(handle, [&]() -> absl::Status {
    absl::Status s = AddNamedRows(rows, place, &together);
    if (s.ok()) s = CheckQueuesOf(cluster, rows, place);
    if (!s.ok()) {
      any_taken_back = !together.empty();
      if (handle->recorder != nullptr) taken_back = AddedOf(rows, together);
      return together.TakeBack(s);
    }
    s = ForSetRows(rows, place, [&](const auto& row) { return Set(cluster, row); });
    together.Wake();
    return s;
  });
  if (handle->recorder == nullptr) return done;
  if (done.ok()) {
    handle->recorder->Rows("add", rows);
  } else if (any_taken_back) {
    // Rows that were removed again have used up indices: a replay must use them up, too.
    handle->recorder->Rows("add_refused", taken_back);
  }
  return done;
}

absl::Status UpdateRows(muster_cluster* cluster, const muster_table& table) {
  switch (table.kind) {
    case MUSTER_KIND_NODES:
      return UpdateAll<NodeSpec>(cluster, table);
    case MUSTER_KIND_QUEUES:
      return UpdateAll<QueueSpec>(cluster, table);
    case MUSTER_KIND_JOBS:
      return UpdateAll<JobSpec>(cluster, table);
    case MUSTER_KIND_TASKS:
      return UpdateAll<TaskSpec>(cluster, table);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("table of ", ToAbsl(TableName(table.kind)), ": cannot be updated"));
  }
}

}  // namespace muster::capi
