// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From specs to a cluster, row by row in the order of the file, because a row's index breaks ties.
// A parent may come after its children. Queues then first enter as roots and get their parent in a
// second round. Domains, which cannot be updated, wait for their parent.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/describe.h"
#include "lib/model/memory_data.h"
#include "lib/model/quiet_rows.h"
#include "lib/model/replace.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

// The place of the row, then the cluster's error.
absl::Status At(std::string_view table, size_t row, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("scenario: ", ToAbsl(table), "[", row, "]: ", status.message()));
}

template <class Row, class Add>
absl::Status AddAll(std::string_view table, const std::vector<Row>& rows, const Add& add) {
  for (size_t i = 0; i < rows.size(); ++i) {
    absl::Status status = At(table, i, add(rows[i]));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Adds the domains. A domain with a parent that comes later in the file is added right after it.
absl::Status AddDomains(const std::vector<DomainSpec>& domains, Cluster* cluster) {
  HashMap<std::string, size_t> rows;
  for (size_t i = 0; i < domains.size(); ++i) rows.try_emplace(domains[i].name, i);
  std::vector<std::vector<size_t>> waiting(domains.size());
  std::vector<bool> added(domains.size(), false);
  std::vector<size_t> ready;
  for (size_t i = 0; i < domains.size(); ++i) {
    const auto parent = rows.find(domains[i].parent);
    if (parent != rows.end() && !added[parent->second]) {
      waiting[parent->second].push_back(i);
      continue;
    }
    ready.push_back(i);
    while (!ready.empty()) {
      const size_t row = ready.back();
      ready.pop_back();
      absl::Status status = At("domains", row, cluster->AddDomain(domains[row]));
      if (!status.ok()) return status;
      added[row] = true;
      ready.insert(ready.end(), waiting[row].rbegin(), waiting[row].rend());
      waiting[row].clear();
    }
  }
  for (size_t i = 0; i < domains.size(); ++i) {
    if (added[i]) continue;
    return At("domains", i,
              absl::InvalidArgumentError(
                  absl::StrCat("domain ", Quote(domains[i].name), ": its parents form a cycle")));
  }
  return absl::OkStatus();
}

// Records would replace each other: a file has each name once.
template <class Row, class Set>
absl::Status AddRecordsOf(const std::string& kind, const std::vector<Row>& rows, const Set& set) {
  HashSet<std::string> names;
  return AddAll(kind + "s", rows, [&](const Row& row) -> absl::Status {
    if (!names.insert(row.name).second) {
      return absl::AlreadyExistsError(absl::StrCat(kind, " ", Quote(row.name), ": is given twice"));
    }
    return set(row);
  });
}

absl::Status AddQueues(const std::vector<QueueSpec>& queues, Cluster* cluster) {
  HashMap<std::string, size_t> rows;
  for (size_t i = 0; i < queues.size(); ++i) {
    rows.try_emplace(queues[i].name, i);
    // "default" is there from the start. Where the file has it, it takes its place from the file.
    if (queues[i].name != "default" || rows["default"] != i) continue;
    absl::Status status = cluster->RemoveQueue("default");
    if (!status.ok()) return status;
  }
  std::vector<size_t> later;
  for (size_t i = 0; i < queues.size(); ++i) {
    const auto parent = rows.find(queues[i].parent);
    const bool parent_is_later = parent != rows.end() && parent->second >= i;
    QueueSpec queue = queues[i];
    if (parent_is_later) {
      queue.parent.clear();
      later.push_back(i);
    }
    absl::Status status = At("queues", i, cluster->AddQueue(queue));
    if (!status.ok()) return status;
  }
  for (const size_t i : later) {
    absl::Status status = At("queues", i, cluster->UpdateQueue(queues[i]));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddRecords(const ClusterSpec& spec, Cluster* cluster) {
  absl::Status status = AddRecordsOf("flavor", spec.flavors,
                                     [&](const auto& row) { return cluster->SetFlavor(row); });
  if (!status.ok()) return status;
  status = AddRecordsOf("partition", spec.partitions,
                        [&](const auto& row) { return cluster->SetPartition(row); });
  if (!status.ok()) return status;
  return AddRecordsOf("reservation", spec.reservations,
                      [&](const auto& row) { return cluster->SetReservation(row); });
}

}  // namespace

absl::Status Fill(const Scenario& scenario, Cluster* cluster) {
  Cluster fresh;
  if (absl::Status s = FillEmpty(scenario, &fresh); !s.ok()) return s;
  FillMemory(scenario, &fresh);
  ReplaceBy(std::move(fresh), cluster);
  return absl::OkStatus();
}

void FillMemory(const Scenario& scenario, Cluster* cluster) {
  if (scenario.events.has_value()) {
    ImplOf(*cluster).editor.RestoreMemory(scenario.memory, *scenario.events);
  } else if (!scenario.memory.empty()) {
    cluster->SetMemory(scenario.memory);
  }
}

namespace {

Scenario WithRows(const Tables& tables, ClusterSpec rows) {
  Scenario scenario;
  scenario.cluster = std::move(rows);
  scenario.default_queue = tables.queues.names.Find("default").has_value();
  scenario.memory = tables.memory;
  if (tables.memory.empty()) return scenario;
  const uint64_t oldest = internal::OldestGeneration(tables.memory);
  const ClusterEvents events = tables.events.Since(oldest);
  if (!events.everything) scenario.events.emplace(events.list.begin(), events.list.end());
  return scenario;
}

}  // namespace

Scenario Describe(const Cluster& cluster) {
  return WithRows(TablesOf(cluster), cluster.Describe());
}
Scenario Describe(const Snapshot& snapshot) {
  return WithRows(TablesOf(snapshot), DescribeTables(TablesOf(snapshot)));
}

absl::Status FillEmpty(const Scenario& scenario, Cluster* cluster) {
  const ClusterSpec& spec = scenario.cluster;
  Cluster& fresh = *cluster;
  if (!scenario.default_queue) {
    if (absl::Status s = fresh.RemoveQueue("default"); !s.ok()) return s;
  }
  absl::Status status = AddDomains(spec.domains, &fresh);
  if (!status.ok()) return status;
  status = AddAll("nodes", spec.nodes, [&](const NodeSpec& node) { return fresh.AddNode(node); });
  if (!status.ok()) return status;
  status = AddQueues(spec.queues, &fresh);
  if (!status.ok()) return status;
  status = AddAll("namespaces", spec.namespaces,
                  [&](const NamespaceSpec& name_space) { return fresh.SetNamespace(name_space); });
  if (!status.ok()) return status;
  status = AddAll("budgets", spec.budgets, [&](const DisruptionBudgetSpec& budget) {
    return fresh.SetDisruptionBudget(budget);
  });
  if (!status.ok()) return status;
  status = AddAll("jobs", spec.jobs, [&](const JobSpec& job) { return fresh.AddJob(job); });
  if (!status.ok()) return status;
  status = AddAll("tasks", spec.tasks, [&](const TaskSpec& task) {
    return AddQuietly(ImplOf(fresh), task, HoldRule::kReported);
  });
  if (!status.ok()) return status;
  return AddRecords(spec, &fresh);
}

}  // namespace muster
