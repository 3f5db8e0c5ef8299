// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a watch reports: events that may come late, twice or out of order, and full listings.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "capi/handles.h"
#include "capi/put.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/plan/json_text.h"

namespace muster::capi {
namespace {

absl::StatusOr<Removal::Kind> RemovalKind(int32_t kind) {
  switch (kind) {
    case MUSTER_KIND_NODES:
      return Removal::Kind::kNode;
    case MUSTER_KIND_QUEUES:
      return Removal::Kind::kQueue;
    case MUSTER_KIND_JOBS:
      return Removal::Kind::kJob;
    case MUSTER_KIND_TASKS:
      return Removal::Kind::kTask;
    case MUSTER_KIND_FLAVORS:
      return Removal::Kind::kFlavor;
    case MUSTER_KIND_PARTITIONS:
      return Removal::Kind::kPartition;
    case MUSTER_KIND_RESERVATIONS:
      return Removal::Kind::kReservation;
    case MUSTER_KIND_DOMAINS:
      return Removal::Kind::kDomain;
    case MUSTER_KIND_BUDGETS:
      return Removal::Kind::kBudget;
    case MUSTER_KIND_NAMESPACES:
      return Removal::Kind::kNamespace;
    default:
      return absl::InvalidArgumentError(absl::StrCat("there are no events of rows of kind ", kind));
  }
}

// The rows of a table as events, and why each cannot be read: one that cannot is refused alone.
struct ReadRows {
  std::vector<Delta> deltas;
  std::vector<absl::Status> read;
  std::vector<ClusterSpec> recorded;  // empty where nothing is recorded
};

template <class S>
absl::Status ReadAll(const muster_cluster& cluster, const muster_table& table,
                     const uint64_t* generations, ReadRows* rows) {
  const RowReader<S> reader(table, ResolverOf(cluster));
  if (!reader.status().ok()) return reader.status();
  for (size_t i = 0; i < reader.size(); ++i) {
    S row = reader.blank();
    rows->read.push_back(reader.Fill(i, &row));
    if (cluster.recorder != nullptr) {
      ClusterSpec& one = rows->recorded.emplace_back();
      if (rows->read.back().ok()) RowsOf<S>(one).push_back(row);
    }
    rows->deltas.push_back({.generation = generations[i], .object = std::move(row)});
  }
  return absl::OkStatus();
}

absl::Status ReadTable(const muster_cluster& cluster, const muster_table& table,
                       const uint64_t* generations, ReadRows* rows) {
  const auto read = [&]<class S>(const S&) {
    return ReadAll<S>(cluster, table, generations, rows);
  };
  switch (table.kind) {
    case MUSTER_KIND_NODES:
      return read(NodeSpec());
    case MUSTER_KIND_QUEUES:
      return read(QueueSpec());
    case MUSTER_KIND_JOBS:
      return read(JobSpec());
    case MUSTER_KIND_TASKS:
      return read(TaskSpec());
    case MUSTER_KIND_FLAVORS:
      return read(FlavorSpec());
    case MUSTER_KIND_PARTITIONS:
      return read(PartitionSpec());
    case MUSTER_KIND_DOMAINS:
      return read(DomainSpec());
    case MUSTER_KIND_BUDGETS:
      return read(DisruptionBudgetSpec());
    case MUSTER_KIND_NAMESPACES:
      return read(NamespaceSpec());
    default:
      return read(ReservationSpec());
  }
}

absl::StatusOr<ReadRows> ReadEvents(const muster_cluster& cluster, const muster_table* table,
                                    const uint64_t* generations) {
  if (table == nullptr) return NullArgument("table");
  if (auto kind = RemovalKind(table->kind); !kind.ok()) return kind.status();
  if (generations == nullptr && table->rows > 0) return NullArgument("generations");
  ReadRows rows;
  if (absl::Status s = ReadTable(cluster, *table, generations, &rows); !s.ok()) return s;
  return rows;
}

// Applies a row that could be read, and records it.
absl::StatusOr<DeltaOutcome> Take(muster_cluster* cluster, const ReadRows& rows, size_t row) {
  const Delta& delta = rows.deltas[row];
  absl::StatusOr<DeltaOutcome> outcome = cluster->cluster.ApplyDelta(delta);
  if (outcome.ok() && cluster->recorder != nullptr) {
    cluster->recorder->Deltas(rows.recorded[row], &delta.generation, 1);
  }
  return outcome;
}

// Applies the rows that could be read, and returns a line for each that is refused.
std::string TakeAll(muster_cluster* cluster, std::string_view table, const ReadRows& rows,
                    int32_t* outcomes) {
  std::string lines;
  for (size_t i = 0; i < rows.deltas.size(); ++i) {
    DeltaOutcome outcome = DeltaOutcome::kRefused;
    if (!rows.read[i].ok()) {
      // The words begin with the place in the table, which an object has not.
      const std::string place = absl::StrCat("table of ", ToAbsl(table), ", row ", i, ", ");
      absl::string_view words = rows.read[i].message();
      absl::ConsumePrefix(&words, place);
      NoteRefused(cluster->cluster, rows.deltas[i], absl::Status(rows.read[i].code(), words));
      absl::StrAppend(&lines, ToAbsl(table), "[", i, "]: ", words, "\n");
    } else if (const auto taken = Take(cluster, rows, i); taken.ok()) {
      outcome = *taken;
    } else {
      absl::StrAppend(&lines, ToAbsl(table), "[", i, "]: ", taken.status().message(), "\n");
    }
    if (outcomes != nullptr) outcomes[i] = static_cast<int32_t>(outcome);
  }
  return lines;
}

// A line of JSON for each.
std::string AssumptionsText(const std::vector<Assumption>& assumptions) {
  std::string lines;
  for (const Assumption& assumption : assumptions) {
    absl::StrAppend(&lines, "{\"task\":");
    AppendJson(assumption.task, &lines);
    absl::StrAppend(&lines, ",\"status\":\"", ToAbsl(TaskStatusName(assumption.status)),
                    "\",\"node\":");
    AppendJson(assumption.node, &lines);
    absl::StrAppend(&lines, ",\"since\":", assumption.since, "}\n");
  }
  return lines;
}

std::string_view DriftName(Drift::Kind kind) {
  switch (kind) {
    case Drift::Kind::kMissing:
      return "missing ";
    case Drift::Kind::kExtra:
      return "extra ";
    case Drift::Kind::kDifferent:
      return "different ";
  }
  return "";
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's
using muster::ClusterSpec;

muster_status muster_cluster_apply_deltas(muster_cluster* cluster, const muster_table* table,
                                          const uint64_t* generations, int32_t* outcomes,
                                          int64_t* done, muster_error* error) {
  if (done != nullptr) *done = 0;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const absl::StatusOr<ReadRows> rows = ReadEvents(*cluster, table, generations);
    if (!rows.ok()) return rows.status();
    for (const absl::Status& read : rows->read) {
      if (!read.ok()) return read;
    }
    for (size_t i = 0; i < rows->deltas.size(); ++i) {
      const auto outcome = Changing(cluster, [&] { return Take(cluster, *rows, i); });
      if (!outcome.ok()) {
        return absl::Status(outcome.status().code(),
                            absl::StrCat(muster::ToAbsl(TableName(table->kind)), "[", i,
                                         "]: ", outcome.status().message()));
      }
      if (outcomes != nullptr) outcomes[i] = static_cast<int32_t>(*outcome);
      if (done != nullptr) *done = static_cast<int64_t>(i) + 1;
    }
    return absl::OkStatus();
  });
}

muster_status muster_cluster_take_deltas(muster_cluster* cluster, const muster_table* table,
                                         const uint64_t* generations, int32_t* outcomes,
                                         muster_text** refusals, muster_error* error) {
  if (refusals != nullptr) *refusals = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const absl::StatusOr<ReadRows> rows = ReadEvents(*cluster, table, generations);
    if (!rows.ok()) return rows.status();
    // With the text: without it the caller would not know which rows are there.
    return Changing(cluster, [&]() -> absl::Status {
      const std::string lines = TakeAll(cluster, TableName(table->kind), *rows, outcomes);
      if (refusals == nullptr) return absl::OkStatus();
      return GiveText(cluster->memory, lines, refusals);
    });
  });
}

muster_status muster_cluster_refused_events(const muster_cluster* cluster, muster_text** out,
                                            muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    std::string lines;
    for (const muster::RefusedEvent& event : cluster->cluster.RefusedEvents()) {
      absl::StrAppend(&lines, event.object, ": ", event.why, "\n");
    }
    return GiveText(cluster->memory, lines, out);
  });
}

muster_status muster_cluster_apply_removal(muster_cluster* cluster, int32_t kind, const char* name,
                                           int64_t size, uint64_t generation, int32_t* outcome,
                                           muster_error* error) {
  return OnCluster(cluster, error, [&]() -> absl::Status {
    const auto text = TextIn("name", name, size);
    if (!text.ok()) return text.status();
    const auto row = RemovalKind(kind);
    if (!row.ok()) return row.status();
    muster::Delta delta;
    delta.generation = generation;
    delta.object = muster::Removal{*row, std::string(*text)};
    const auto done = Changing(cluster, [&] { return cluster->cluster.ApplyDelta(delta); });
    if (!done.ok()) return done.status();
    if (outcome != nullptr) *outcome = static_cast<int32_t>(*done);
    if (cluster->recorder != nullptr) cluster->recorder->Removal(kind, *text, generation);
    return absl::OkStatus();
  });
}

muster_status muster_cluster_waiting_events(const muster_cluster* cluster, muster_text** out,
                                            muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    std::string lines;
    for (const muster::WaitingEvent& event : cluster->cluster.WaitingEvents()) {
      absl::StrAppend(&lines, event.object, " waits for ", event.missing, "\n");
    }
    return GiveText(cluster->memory, lines, out);
  });
}

muster_status muster_cluster_reconcile(muster_cluster* cluster, const muster_table* const* tables,
                                       int32_t count, muster_text** drift, muster_error* error) {
  if (drift != nullptr) *drift = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    if (count < 0) return absl::InvalidArgumentError(absl::StrCat("count is ", count));
    if (tables == nullptr && count > 0) return NullArgument("tables");
    ClusterSpec full;
    for (int32_t i = 0; i < count; ++i) {
      if (tables[i] == nullptr) return NullArgument("a table");
      if (absl::Status s = AppendRows(*tables[i], ResolverOf(*cluster), &full); !s.ok()) return s;
    }
    const absl::Status done = Changing(cluster, [&]() -> absl::Status {
      const auto found = cluster->cluster.Reconcile(full);
      if (!found.ok() || drift == nullptr) return found.status();
      std::string lines;
      for (const muster::Drift& one : *found) {
        absl::StrAppend(&lines, muster::ToAbsl(DriftName(one.kind)), one.object, "\n");
      }
      return GiveText(cluster->memory, lines, drift);
    });
    if (done.ok() && cluster->recorder != nullptr) cluster->recorder->Rows("reconcile", full);
    return done;
  });
}

muster_status muster_cluster_assumptions(const muster_cluster* cluster, muster_text** out,
                                         muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckUsable(cluster); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    return GiveText(cluster->memory, AssumptionsText(cluster->cluster.Assumptions()), out);
  });
}

muster_status muster_cluster_expire_assumptions(muster_cluster* cluster, int64_t now,
                                                int64_t bind_limit, int64_t evict_limit,
                                                muster_text** expired, muster_error* error) {
  if (expired != nullptr) *expired = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    muster::AssumptionLimits limits;
    if (bind_limit != MUSTER_ABSENT) limits.bind = bind_limit;
    if (evict_limit != MUSTER_ABSENT) limits.evict = evict_limit;
    const absl::Status done = Changing(cluster, [&]() -> absl::Status {
      const auto over = cluster->cluster.ExpireAssumptions(now, limits);
      if (!over.ok() || expired == nullptr) return over.status();
      return GiveText(cluster->memory, AssumptionsText(*over), expired);
    });
    if (done.ok() && cluster->recorder != nullptr) cluster->recorder->Expire(now, limits);
    return done;
  });
}
