// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A full listing replaces what the cluster holds. A second cluster is filled from the listing,
// which checks it as any other input. Then the two are compared row by row, by name. Without drift
// nothing changes, not even the order of rows. With drift the second cluster replaces the first,
// its rows in the order of the listing.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/describe.h"
#include "lib/model/quiet_rows.h"
#include "lib/model/spec_key.h"

namespace muster {
namespace {

// Parents may be listed after their children: a domain goes in right after its ancestors.
absl::Status AddDomains(const std::vector<DomainSpec>& domains, Cluster& cluster) {
  HashMap<absl::string_view, size_t> places;
  for (size_t i = 0; i < domains.size(); ++i) {
    if (!places.try_emplace(domains[i].name, i).second) {
      return absl::AlreadyExistsError(
          absl::StrCat(PlaceOf("domain", domains[i].name), ": is listed twice"));
    }
  }
  enum : uint8_t { kNew, kOnPath, kIn };
  std::vector<uint8_t> state(domains.size(), kNew);
  for (size_t i = 0; i < domains.size(); ++i) {
    std::vector<size_t> path;  // i and those of its ancestors that are not in yet
    for (size_t at = i; state[at] != kIn;) {
      if (state[at] == kOnPath) {
        return absl::InvalidArgumentError(
            absl::StrCat(PlaceOf("domain", domains[at].name), ": lies below itself"));
      }
      state[at] = kOnPath;
      path.push_back(at);
      const auto parent = places.find(domains[at].parent);
      if (parent == places.end()) break;
      at = parent->second;
    }
    for (; !path.empty(); path.pop_back()) {
      if (absl::Status status = cluster.AddDomain(domains[path.back()]); !status.ok())
        return status;
      state[path.back()] = kIn;
    }
  }
  return absl::OkStatus();
}

// First all as roots, in their order, then every one below its parent.
absl::Status AddQueues(const std::vector<QueueSpec>& queues, Cluster& cluster) {
  if (absl::Status status = cluster.RemoveQueue("default"); !status.ok()) return status;
  for (const QueueSpec& queue : queues) {
    QueueSpec root = queue;
    root.parent.clear();
    if (absl::Status status = cluster.AddQueue(root); !status.ok()) return status;
  }
  for (const QueueSpec& queue : queues) {
    if (queue.parent.empty()) continue;
    if (absl::Status status = cluster.UpdateQueue(queue); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status FillRecords(const ClusterSpec& full, Cluster& cluster) {
  const auto set_all = [](const char* kind, const auto& list, const auto& records,
                          const auto& set) -> absl::Status {
    for (const auto& spec : list) {
      if (records.names.Find(spec.name)) {
        return absl::AlreadyExistsError(
            absl::StrCat(PlaceOf(kind, spec.name), ": is listed twice"));
      }
      if (absl::Status status = set(spec); !status.ok()) return status;
    }
    return absl::OkStatus();
  };
  const Tables& tables = *ImplOf(cluster).tables;
  absl::Status status = set_all("flavor", full.flavors, tables.flavors,
                                [&](const auto& spec) { return cluster.SetFlavor(spec); });
  if (!status.ok()) return status;
  status = set_all("partition", full.partitions, tables.partitions,
                   [&](const auto& spec) { return cluster.SetPartition(spec); });
  if (!status.ok()) return status;
  return set_all("reservation", full.reservations, tables.reservations,
                 [&](const auto& spec) { return cluster.SetReservation(spec); });
}

absl::Status Fill(const ClusterSpec& full, Cluster& cluster) {
  absl::Status status = AddDomains(full.domains, cluster);
  if (status.ok()) status = AddQueues(full.queues, cluster);
  for (size_t i = 0; status.ok() && i < full.nodes.size(); ++i)
    status = cluster.AddNode(full.nodes[i]);
  for (size_t i = 0; status.ok() && i < full.jobs.size(); ++i) {
    JobSpec job = full.jobs[i];
    // All tasks are listed by themselves.
    for (GroupSpec& group : job.groups) group.count = std::min<int64_t>(group.count, 0);
    status = cluster.AddJob(job);
  }
  for (size_t i = 0; status.ok() && i < full.tasks.size(); ++i)
    status = AddQuietly(ImplOf(cluster), full.tasks[i], HoldRule::kReported);
  for (size_t i = 0; status.ok() && i < full.budgets.size(); ++i) {
    status = cluster.SetDisruptionBudget(full.budgets[i]);
    if (status.ok() && ImplOf(cluster).tables->budgets.size() == i) {
      status = absl::AlreadyExistsError(
          absl::StrCat(PlaceOf("disruption budget", full.budgets[i].name), ": is listed twice"));
    }
  }
  for (size_t i = 0; status.ok() && i < full.namespaces.size(); ++i) {
    status = cluster.SetNamespace(full.namespaces[i]);
    if (status.ok() && ImplOf(cluster).tables->namespaces.size() == i) {
      status = absl::AlreadyExistsError(
          absl::StrCat(PlaceOf("namespace", full.namespaces[i].name), ": is listed twice"));
    }
  }
  if (status.ok()) status = FillRecords(full, cluster);
  return status;
}

template <class Id>
void Compare(const char* kind, const IndexNames<Id>& before, const IndexNames<Id>& after,
             const std::vector<uint8_t>& alive_before, const std::vector<uint8_t>& alive_after,
             const auto& is_equal, std::vector<Drift>& drift) {
  for (Id i = 0; i < alive_before.size(); ++i) {
    if (!alive_before[i]) continue;
    const std::optional<Id> now = after.Find(before.name(i));
    if (now && is_equal(i, *now)) continue;
    drift.push_back(
        {now ? Drift::Kind::kDifferent : Drift::Kind::kExtra, PlaceOf(kind, before.name(i))});
  }
  for (Id i = 0; i < alive_after.size(); ++i) {
    if (!alive_after[i] || before.Find(after.name(i))) continue;
    drift.push_back({Drift::Kind::kMissing, PlaceOf(kind, after.name(i))});
  }
}

template <class Table>
void CompareSpecs(const char* kind, const Table& before, const Table& after,
                  std::vector<Drift>& drift) {
  const auto is_equal = [&](uint32_t i, uint32_t now) {
    return MeaningKey(before.spec[i]) == MeaningKey(after.spec[now]);
  };
  Compare(kind, before.names, after.names, before.alive, after.alive, is_equal, drift);
}

// Budgets and namespaces, which are few.
template <class Spec>
void CompareLists(const char* kind, const std::vector<Spec>& before, const std::vector<Spec>& after,
                  const auto& name_of, std::vector<Drift>& drift) {
  HashMap<std::string, std::string> now;
  for (const Spec& spec : after) now[name_of(spec)] = MeaningKey(spec);
  HashSet<std::string> was;
  for (const Spec& spec : before) {
    was.insert(name_of(spec));
    const auto found = now.find(name_of(spec));
    if (found != now.end() && found->second == MeaningKey(spec)) continue;
    drift.push_back({found == now.end() ? Drift::Kind::kExtra : Drift::Kind::kDifferent,
                     PlaceOf(kind, name_of(spec))});
  }
  for (const Spec& spec : after) {
    if (!was.contains(name_of(spec)))
      drift.push_back({Drift::Kind::kMissing, PlaceOf(kind, name_of(spec))});
  }
}

void CompareTasks(const Editor& before, const Editor& after, std::vector<Drift>& drift) {
  // Classes of both get numbers that are equal where the shapes mean the same.
  HashMap<std::string, uint32_t> numbers;
  const auto number_classes = [&](const Tables& tables) {
    std::vector<uint32_t> result;
    for (const TaskShape& shape : tables.classes.shape) {
      const auto next = static_cast<uint32_t>(numbers.size());
      result.push_back(numbers.try_emplace(MeaningKey(shape), next).first->second);
    }
    return result;
  };
  const std::vector<uint32_t> classes_before = number_classes(before.tables());
  const std::vector<uint32_t> classes_after = number_classes(after.tables());
  const TaskTable& was = before.tables().tasks;
  const TaskTable& is = after.tables().tasks;
  constexpr uint8_t kTold = kTaskPreemptable | kTaskNeverPreempts;
  const auto is_equal = [&](TaskIndex i, TaskIndex now) {
    if (classes_before[was.task_class[i]] != classes_after[is.task_class[now]]) return false;
    if (was.status[i] != is.status[now] || was.priority[i] != is.priority[now] ||
        was.created[i] != is.created[now] || was.ordinal[i] != is.ordinal[now] ||
        was.uid_rank[i] != is.uid_rank[now] || was.started[i] != is.started[now] ||
        was.protected_until[i] != is.protected_until[now] ||
        was.waits_until[i] != is.waits_until[now] ||
        (was.flags[i] & kTold) != (is.flags[now] & kTold)) {
      return false;
    }
    TaskSpec a = DescribeTask(before, i), b = DescribeTask(after, now);
    return a.job == b.job && a.group == b.group && a.sub_group == b.sub_group && a.node == b.node &&
           a.nominated_node == b.nominated_node && a.priority_class == b.priority_class &&
           a.gates == b.gates && a.devices == b.devices && a.waiting_group == b.waiting_group &&
           a.uid == b.uid && MeaningKey(a.usage, a.lifetime) == MeaningKey(b.usage, b.lifetime);
  };
  Compare("task", was.names, is.names, was.alive, is.alive, is_equal, drift);
}

}  // namespace

absl::StatusOr<std::vector<Drift>> Cluster::Reconcile(const ClusterSpec& full) {
  if (IsLost(*impl_)) return LostError();
  Cluster listed;
  if (absl::Status status = Fill(full, listed); !status.ok()) return status;

  std::vector<Drift> drift;
  const Tables& before = *impl_->tables;
  Tables& after = *listed.impl_->tables;
  CompareSpecs("node", before.nodes, after.nodes, drift);
  CompareSpecs("queue", before.queues, after.queues, drift);
  CompareSpecs("job", before.jobs, after.jobs, drift);
  CompareTasks(impl_->editor, listed.impl_->editor, drift);
  CompareSpecs("domain", before.domains, after.domains, drift);
  CompareSpecs("flavor", before.flavors, after.flavors, drift);
  CompareSpecs("partition", before.partitions, after.partitions, drift);
  CompareSpecs("reservation", before.reservations, after.reservations, drift);
  const auto budget_name = [](const DisruptionBudgetSpec& b) {
    return absl::StrCat(b.name_space, "/", b.name);
  };
  const auto own_name = [](const NamespaceSpec& n) { return n.name; };
  CompareLists("disruption budget", before.budgets, after.budgets, budget_name, drift);
  CompareLists("namespace", before.namespaces, after.namespaces, own_name, drift);

  if (drift.empty()) {
    impl_->deltas.Forget();
    impl_->editor.SetRefused(nullptr);
    return drift;
  }
  // The memory stays: its keys are names. None of its slots has seen what the listing changed.
  listed.impl_->editor.ReplaceMemory(before.memory);
  after.events.Overflow(before.events.generation());
  if (before.events.recording()) after.events.Start();
  after.version = before.version + 1;
  after.layout += before.layout;
  after.log_start = before.log_start + before.log.size();
  after.log.clear();
  listed.impl_->cycle = std::move(impl_->cycle);
  impl_ = std::move(listed.impl_);
  return drift;
}

}  // namespace muster
