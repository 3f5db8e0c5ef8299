// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Koordinator's agents and controllers report: measurements, thresholds of nodes, owners of
// pods, migrations under way.
//
//   ReadNodeMetrics(source.dump, now, &cluster);   // after nodes and tasks
//   ReadWorkloads(pods, &cluster);                 // `pods` are those of cluster.tasks, in order
//
// NodeMetric becomes `usage` of its node and of the pods that it lists, NodeSLO settings of its
// node, an owner and the marks of eviction settings of the pod's job, and PodMigrationJob a row of
// the memory of action rebalance. Of a job with several pods the first one counts. Annotations
// usage-thresholds and raw-allocatable of a node become settings of it. A pod that is measured
// as one of another band than production gets the label koordinator/measured-as, with that band, or
// `none` where the metric names none; one of a lower band itself does not.
//
// Cost. O(objects).
#ifndef MUSTER_IMPORT_KOORDINATOR_LOAD_H_
#define MUSTER_IMPORT_KOORDINATOR_LOAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/import/api_object.h"
#include "lib/import/importer.h"
#include "muster/snapshot.h"

namespace muster {

// A statistic of what a node uses, over so many seconds; 0: over the longest time there is.
struct LoadStatistic {
  std::string name;
  int64_t seconds = 0;
};
// Returns the statistic of which two fields have the type and the time; nothing where there is no
// type that is known, which is reported.
std::optional<LoadStatistic> ReadLoadStatistic(const Field& aggregated, std::string_view type,
                                               std::string_view duration);

void ReadNodeMetrics(const Dump& dump, int64_t now, ClusterSpec* cluster);
void ReadNodeLoadMarks(const Dump& dump, ClusterSpec* cluster);
void ReadNodeSlos(const Dump& dump, ClusterSpec* cluster);
void ReadWorkloads(const Dump::Objects& pods, ClusterSpec* cluster);
void ReadMigrationJobs(const Dump& dump, Scenario* scenario);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_LOAD_H_
