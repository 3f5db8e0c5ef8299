// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of KAI Scheduler's importer, for its own files and their tests; other code calls
// ImportObjects.
//
//   kai::Shard shard = kai::ReadShard(source);      // which part of the cluster, and its settings
//   kai::AddQueues(source, shard, &cluster);
//   kai::AddJobs(source, shard, &cluster);
//   kai::AddPods(source, shard, &cluster);          // after nodes and jobs
//   kai::AddClaims(source, &cluster);               // after pods
//
// Each call reads objects of some kinds of the dump and appends rows to the cluster.
#ifndef MUSTER_IMPORT_KAI_H_
#define MUSTER_IMPORT_KAI_H_

#include <optional>
#include <string>
#include <string_view>

#include "lib/import/importer.h"
#include "muster/spec.h"

namespace muster::kai {

// The pool of nodes to which a node, queue or pod group belongs.
inline constexpr std::string_view kPoolLabel = "kai.scheduler/node-pool";

// A part of the cluster with a scheduler of its own, and that scheduler's profile.
struct Shard {
  // The value of the label kai.scheduler/node-pool of its nodes, queues and pod groups. Empty:
  // those without the label. Absent: all of the cluster.
  std::optional<std::string> pool = {};
  std::string profile = {};

  bool Has(const ApiObject& object) const;
};

// Reads a SchedulingShard: the configuration, or else the one of the dump, or else of several the
// one named "default". A configuration may also be the scheduler's own file: it names no part of
// the cluster, so all of it is read.
Shard ReadShard(const ImportSource& source);

// Return the spec string of the profile with the settings of a SchedulingShard, or with those of
// the scheduler's own file, which has `tiers` or lists its `actions` in a text (kai_settings.cc).
std::string ReadShardSettings(const Field& spec);
std::string ReadFileSettings(const Field& file);

// Queues with quota, limit and weight of cpu, memory and GPUs (kai_queues.cc). A queue below one
// that is not there is left out.
void AddQueues(const ImportSource& source, const Shard& shard, ClusterSpec* cluster);

// PodGroups as jobs, with their trees of sub-groups, and Topologies (kai_jobs.cc).
void AddJobs(const ImportSource& source, const Shard& shard, ClusterSpec* cluster);

// Pods as tasks, with the devices that they share (kai_pods.cc). Pods on nodes of other shards are
// left out.
void AddPods(const ImportSource& source, const Shard& shard, ClusterSpec* cluster);

// GPUs that pods claim, and slices of GPUs of nodes (kai_claims.cc); after pods. Returns whether
// there are any: the profile then needs option claims=on.
bool AddClaims(const ImportSource& source, ClusterSpec* cluster);

}  // namespace muster::kai

#endif  // MUSTER_IMPORT_KAI_H_
