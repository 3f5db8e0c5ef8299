// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What schedulers of pod groups have in common: Queue objects become queues, PodGroup objects jobs,
// pods tasks.
//
//   const Dump::Objects jobs = ReadPodGroups(source, &scenario->cluster);   // of each row
//   const Dump::Objects pods = ReadTasks(source, {.scheduler = "volcano"}, &scenario->cluster);
//
// Rows come in ascending order of their keys, because the schedulers' own maps have no order. Order
// keys (second of creation, rank of the uid) hold the last tie-breaks, so that the engine compares
// numbers only.
//
// Each call fills one table of the cluster, from the tables before it, and returns the object of
// each row. Tasks on a missing node get an empty node of that name.
//
// Cost. O(n log n) each.
#ifndef MUSTER_IMPORT_POD_GROUPS_H_
#define MUSTER_IMPORT_POD_GROUPS_H_

#include <string>
#include <string_view>

#include "lib/base/hash_map.h"
#include "lib/import/importer.h"
#include "lib/import/kubernetes.h"
#include "muster/snapshot.h"

namespace muster {

class PodReader;

// The annotation of a pod that names its group.
inline constexpr std::string_view kGroupName = "scheduling.k8s.io/group-name";

// Name, weight, order keys.
Dump::Objects ReadQueues(const ImportSource& source, ClusterSpec* cluster);

// Name, queue, priority, minimum, phase, order keys. A group of a missing queue is left out.
Dump::Objects ReadPodGroups(const ImportSource& source, ClusterSpec* cluster);

struct TaskRules {
  std::string_view scheduler;  // pods of other schedulers that wait are left out
  PodRules pods = {};
  // The job of each pod, by keys; null: the annotation names it.
  const HashMap<std::string, std::string>* jobs = nullptr;
  // Reads what the table of tasks has of Kubernetes' own scheduler, too: gates, priority classes,
  // images, default spread, static pods. Null: `pods` rules, and the priority of a pod that states
  // none is 1.
  const PodReader* reader = nullptr;
};
// Name, job, shape, status, node, priority, order keys.
Dump::Objects ReadTasks(const ImportSource& source, const TaskRules& rules, ClusterSpec* cluster);

// "500" and "-3", not "5x"; nothing where the number does not fit.
std::optional<int64_t> WholeNumber(std::string_view text);

}  // namespace muster

#endif  // MUSTER_IMPORT_POD_GROUPS_H_
