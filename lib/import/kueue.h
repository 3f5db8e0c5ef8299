// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of Kueue's importer, for its own files and their tests; other code calls ImportObjects.
//
// Flavors and queues are read first, then workloads, which name both:
//
//   scenario->profile = kueue::ReadConfiguration(*source.configuration);
//   kueue::AddFlavors(source, &cluster);
//   kueue::AddQueues(source, &cluster);
//   kueue::AddWorkloads(source, &cluster);
//
// Each reads objects of some kinds of the dump and appends rows to the cluster.
#ifndef MUSTER_IMPORT_KUEUE_H_
#define MUSTER_IMPORT_KUEUE_H_

#include <string>
#include <vector>

#include "lib/import/amounts.h"
#include "lib/import/importer.h"
#include "lib/peer/kueue/job_settings.h"
#include "muster/spec.h"

namespace muster::kueue {

// Returns the amount with all its decimals: "0.267868033".
std::string DecimalText(ExactAmount amount);

// Returns the spec string of the profile that Kueue's Configuration stands for
// (kueue_configuration.cc).
std::string ReadConfiguration(const Field& configuration);

// The tolerations of a flavor, or of what a check adds to pods (kueue_queues.cc).
std::vector<Toleration> ReadTolerationsOf(const Field& spec);

// Reports members of objects that no reader knows (kueue_keys.cc).
void ReportUnknownKeys(const ImportSource& source);

// ResourceFlavors in the order of the dump, with the levels of their topologies
// (kueue_queues.cc).
void AddFlavors(const ImportSource& source, ClusterSpec* cluster);

// Cohorts, also those that are only named, and ClusterQueues below them. A cohort with the name of
// a ClusterQueue becomes "cohort:NAME". LocalQueues that are stopped, or have a weight, are
// settings of their queue, and the usage of LocalQueues is its history.
void AddQueues(const ImportSource& source, ClusterSpec* cluster);

// Workloads as jobs. Pods of the dump that belong to a pod set are rows; those that do not exist
// yet come from its template. Other pods with a node occupy it (kueue_workloads.cc).
void AddWorkloads(const ImportSource& source, ClusterSpec* cluster);

// The places of a topologyAssignment, by domains or in slices; none where it is absent. Of a host
// its hostname alone (kueue_topology.cc).
std::vector<AssignedPlace> ReadPlaces(const Field& assignment);

// Adds the topologyRequest of a pod set to the settings of its job: Kueue's annotations of pods,
// with the group behind.
void ReadTopologyRequest(const Field& request, const std::string& group, Labels* settings);

}  // namespace muster::kueue

#endif  // MUSTER_IMPORT_KUEUE_H_
