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

// What a call has added, for its removal if a later row is refused.
class Added {
 public:
  explicit Added(Cluster& cluster) : cluster_(cluster) {}
  void Remember(int32_t kind, std::string_view name) { rows_.emplace_back(kind, name); }
  bool any() const { return !rows_.empty(); }
  absl::Status TakeBack() {
    for (size_t i = rows_.size(); i-- > 0;) {
      const auto& [kind, name] = rows_[i];
      absl::Status s;
      switch (kind) {
        case MUSTER_KIND_NODES:
          s = cluster_.RemoveNode(name);
          break;
        case MUSTER_KIND_QUEUES:
          s = cluster_.RemoveQueue(name);
          break;
        case MUSTER_KIND_JOBS:
          s = cluster_.RemoveJob(name);
          break;
        case MUSTER_KIND_TASKS:
          s = cluster_.RemoveTask(name);
          break;
        default:
          s = cluster_.RemoveDomain(name);
      }
      if (!s.ok()) return s;
    }
    return absl::OkStatus();
  }
  // Rows that were removed again have used up indices: a replay must use them up, too. The row that
  // was refused is left out, because it may have bytes that no document can hold.
  void RecordTakenBack(const ClusterSpec& rows, Recorder* recorder) const {
    ClusterSpec kept;
    const auto keep = [this](int32_t kind, const auto& from, auto* to) {
      const auto count =
          std::count_if(rows_.begin(), rows_.end(), [&](const auto& r) { return r.first == kind; });
      to->assign(from.begin(), from.begin() + count);
    };
    keep(MUSTER_KIND_DOMAINS, rows.domains, &kept.domains);
    keep(MUSTER_KIND_NODES, rows.nodes, &kept.nodes);
    keep(MUSTER_KIND_QUEUES, rows.queues, &kept.queues);
    keep(MUSTER_KIND_JOBS, rows.jobs, &kept.jobs);
    keep(MUSTER_KIND_TASKS, rows.tasks, &kept.tasks);
    recorder->Rows("add", kept);
    for (size_t i = rows_.size(); i-- > 0;) recorder->Remove(rows_[i].first, rows_[i].second);
  }

 private:
  Cluster& cluster_;
  std::vector<std::pair<int32_t, std::string>> rows_;
};

absl::Status At(std::string_view place, std::string_view table, size_t row,
                const absl::Status& status) {
  return absl::Status(
      status.code(), absl::StrCat(ToAbsl(place), ToAbsl(table), "[", row, "]: ", status.message()));
}

absl::Status NotThere(int32_t kind, std::string_view name) {
  return absl::NotFoundError(
      absl::StrCat(ToAbsl(RowName(kind)), " ", Quote(name), ": does not exist"));
}

// Set `*spec` to the row of that name as the cluster has it.
absl::Status Describe(const Cluster& cluster, NodeSpec* spec) {
  const NodeTable& nodes = ImplOf(cluster).tables->nodes;
  const auto row = nodes.names.Find(spec->name);
  if (!row) return NotThere(MUSTER_KIND_NODES, spec->name);
  *spec = nodes.spec[*row];
  return absl::OkStatus();
}
absl::Status Describe(const Cluster& cluster, QueueSpec* spec) {
  const QueueTable& queues = ImplOf(cluster).tables->queues;
  const auto row = queues.names.Find(spec->name);
  if (!row) return NotThere(MUSTER_KIND_QUEUES, spec->name);
  *spec = queues.spec[*row];
  return absl::OkStatus();
}
absl::Status Describe(const Cluster& cluster, JobSpec* spec) {
  const JobTable& jobs = ImplOf(cluster).tables->jobs;
  const auto row = jobs.names.Find(spec->name);
  if (!row) return NotThere(MUSTER_KIND_JOBS, spec->name);
  *spec = jobs.spec[*row];
  return absl::OkStatus();
}
absl::Status Describe(const Cluster& cluster, TaskSpec* spec) {
  const auto row = ImplOf(cluster).tables->tasks.names.Find(spec->name);
  if (!row) return NotThere(MUSTER_KIND_TASKS, spec->name);
  *spec = DescribeTask(ImplOf(cluster).editor, *row);
  return absl::OkStatus();
}
absl::Status Update(Cluster& cluster, const NodeSpec& spec) { return cluster.UpdateNode(spec); }
absl::Status Update(Cluster& cluster, const QueueSpec& spec) { return cluster.UpdateQueue(spec); }
absl::Status Update(Cluster& cluster, const JobSpec& spec) { return cluster.UpdateJob(spec); }
absl::Status Update(Cluster& cluster, const TaskSpec& spec) { return cluster.UpdateTask(spec); }

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
    const std::string name = spec.name;
    if (absl::Status s = Describe(cluster, &spec); !s.ok())
      return At("", TableName(table.kind), i, s);
    if (absl::Status s = reader.Fill(i, &spec); !s.ok()) return s;
    after.push_back(std::move(spec));
  }
  std::vector<S> before;
  const absl::Status done = Changing(handle, [&] {
    for (size_t i = 0; i < after.size(); ++i) {
      S old;
      old.name = after[i].name;
      absl::Status s = Describe(cluster, &old);
      if (s.ok()) s = Update(cluster, after[i]);
      if (s.ok()) {
        before.push_back(std::move(old));
        continue;
      }
      for (size_t k = before.size(); k-- > 0;) {
        if (absl::Status back = Update(cluster, before[k]); !back.ok()) {
          return absl::InternalError(absl::StrCat("taking an update back: ", back.message()));
        }
      }
      return At("", TableName(table.kind), i, s);
    }
    return absl::OkStatus();
  });
  if (done.ok() && handle->recorder != nullptr) handle->recorder->Rows("update", rows);
  return done;
}

// Sets flavors, partitions and reservations, which name rows that need not exist.
absl::Status SetRecords(Cluster& cluster, const ClusterSpec& rows, std::string_view place) {
  const auto set_all = [place](int32_t kind, const auto& list, const auto& set) -> absl::Status {
    for (size_t i = 0; i < list.size(); ++i) {
      if (absl::Status s = set(list[i]); !s.ok()) return At(place, TableName(kind), i, s);
    }
    return absl::OkStatus();
  };
  absl::Status s = set_all(MUSTER_KIND_FLAVORS, rows.flavors,
                           [&](const auto& row) { return cluster.SetFlavor(row); });
  if (!s.ok()) return s;
  s = set_all(MUSTER_KIND_PARTITIONS, rows.partitions,
              [&](const auto& row) { return cluster.SetPartition(row); });
  if (!s.ok()) return s;
  return set_all(MUSTER_KIND_RESERVATIONS, rows.reservations,
                 [&](const auto& row) { return cluster.SetReservation(row); });
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
  // Namespaces, budgets and records are set, not added: they come last, when only their own form
  // can break a rule, and that is tried on another cluster first.
  Cluster trial;
  if (absl::Status s = SetRecords(trial, rows, place); !s.ok()) return s;
  for (size_t i = 0; i < rows.namespaces.size(); ++i) {
    if (absl::Status s = trial.SetNamespace(rows.namespaces[i]); !s.ok()) {
      return At(place, TableName(MUSTER_KIND_NAMESPACES), i, s);
    }
  }
  for (size_t i = 0; i < rows.budgets.size(); ++i) {
    if (absl::Status s = trial.SetDisruptionBudget(rows.budgets[i]); !s.ok()) {
      return At(place, TableName(MUSTER_KIND_BUDGETS), i, s);
    }
  }
  Added added(cluster);
  const absl::Status done = Changing(handle, [&]() -> absl::Status {
    const auto add = [&](int32_t kind, const auto& list, const auto& put) {
      for (size_t i = 0; i < list.size(); ++i) {
        if (absl::Status s = put(list[i]); !s.ok()) return At(place, TableName(kind), i, s);
        added.Remember(kind, list[i].name);
      }
      return absl::OkStatus();
    };
    absl::Status s = add(MUSTER_KIND_DOMAINS, rows.domains,
                         [&](const auto& row) { return cluster.AddDomain(row); });
    if (s.ok()) {
      s = add(MUSTER_KIND_NODES, rows.nodes, [&](const auto& row) { return cluster.AddNode(row); });
    }
    if (s.ok()) {
      s = add(MUSTER_KIND_QUEUES, rows.queues,
              [&](const auto& row) { return cluster.AddQueue(row); });
    }
    if (s.ok()) {
      s = add(MUSTER_KIND_JOBS, rows.jobs, [&](const auto& row) { return cluster.AddJob(row); });
    }
    if (s.ok()) {
      s = add(MUSTER_KIND_TASKS, rows.tasks, [&](const auto& row) { return cluster.AddTask(row); });
    }
    for (const NamespaceSpec& row : rows.namespaces) {
      if (s.ok()) s = cluster.SetNamespace(row);
    }
    for (const DisruptionBudgetSpec& row : rows.budgets) {
      if (s.ok()) s = cluster.SetDisruptionBudget(row);
    }
    if (s.ok()) s = SetRecords(cluster, rows, place);
    if (s.ok()) return s;
    if (absl::Status back = added.TakeBack(); !back.ok()) {
      return absl::InternalError(absl::StrCat(s.message(), "; taking rows back: ", back.message()));
    }
    return s;
  });
  if (handle->recorder != nullptr) {
    if (done.ok()) {
      handle->recorder->Rows("add", rows);
    } else if (added.any()) {
      added.RecordTakenBack(rows, handle->recorder.get());
    }
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
