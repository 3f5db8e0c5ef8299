// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of Armada's importer, for its own files; other code calls ImportObjects.
//
// Armada's files have no objects of the Kubernetes API. The importer reads them as such, with the
// API group armadaproject.io:
//
//   {"apiVersion": "armadaproject.io/v1beta1", "kind": "Queue", "metadata": {"name": "a"},
//    "spec": {"priorityFactor": 2, "cordoned": false, "resourceLimitsByPriorityClassName":
//             {"p": {"maximumResourceFraction": {"cpu": 0.5}}}}}
//   {"apiVersion": "armadaproject.io/v1beta1", "kind": "Job",
//    "metadata": {"name": "01h...", "namespace": "ns", "annotations": {...}},
//    "spec": {"queue": "a", "priority": 3, "podSpec": {...}},
//    "status": {"state": "running", "node": "n1", "started": "2026-01-01T00:00:00Z",
//               "bid": 2, "runningBid": 3}}
//   {"apiVersion": "armadaproject.io/v1beta1", "kind": "Executor", "metadata": {"name": "east"},
//    "spec": {"cordoned": true, "nodes": ["n1"]}}
//
// A queue file may also stand as armadactl reads it, with `name` and the rest beside `kind`. `spec`
// is that of a queue file, or of an item of `jobs` in a file of jobs. Annotations and the
// namespace of a job may stand in either place; `metadata` goes first.
#ifndef MUSTER_IMPORT_ARMADA_H_
#define MUSTER_IMPORT_ARMADA_H_

#include <string>
#include <vector>

#include "lib/import/importer.h"
#include "muster/spec.h"

namespace muster::armada {

// What of the scheduling configuration rows depend on.
struct ImportedConfig {
  std::string profile = "armada";
  std::vector<std::string> classes, pools;
};

// The profile with the options that the configuration sets, null for none, and the executors that
// are cordoned, "NAME+..." (armada_config.cc).
ImportedConfig ReadConfig(const Field* configuration, const std::string& cordoned);

// Jobs of one queue and gang id are one job with a minimum; other jobs are jobs of one task. A job
// is where its pod is; other pods with a node occupy it (armada_jobs.cc).
void AddJobs(const ImportSource& source, const ImportedConfig& config, ClusterSpec* cluster);

}  // namespace muster::armada

#endif  // MUSTER_IMPORT_ARMADA_H_
