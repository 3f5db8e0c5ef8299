// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Armada alone reads of a node, a queue or a job: their settings "armada/...".
//
//   QueueSettings queue;
//   if (absl::Status s = ReadQueueSettings(spec, config, &queue); !s.ok()) return s;
//
//   node   pool             the pool of the node; default: the pool without a name
//          executor         the executor that has it, which option cordoned may name; default: none
//   queue  priority_factor  its weight is the inverse; 0 and below: the weight is 1. Default: the
//                           field `weight` is the weight, and weight 0 is that of factor 1e9
//          class_limits     CLASS/RESOURCE:FRACTION+..., beside those of option class_limits, which
//                           give way
//          pool_class_limits  POOL:CLASS/RESOURCE:FRACTION+..., of one pool, before both
//   job    class            its priority class; default: option default_class
//          uniformity       the label of which all nodes of the gang have one value
//          pools            POOL+..., that it may run in; default: all
//          bid, running_bid prices in a market, while it waits and while it runs; default: 0
//
// Cost. A row without settings costs O(1).
#ifndef MUSTER_PEER_ARMADA_ROW_SETTINGS_H_
#define MUSTER_PEER_ARMADA_ROW_SETTINGS_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/model/tables.h"
#include "lib/peer/armada/config.h"
#include "muster/spec.h"

namespace muster::armada {

struct NodeSettings {
  std::string pool, executor;
};

struct QueueSettings {
  double weight = 1;
  std::vector<ClassFraction> class_limits;
};

struct JobSettings {
  int priority_class = 0;
  std::string uniformity;
  std::vector<std::string> pools;  // empty: all
  double bid = 0, running_bid = 0;
};

absl::Status ReadNodeSettings(const NodeSpec& spec, NodeSettings* settings);
absl::Status ReadQueueSettings(const QueueSpec& spec, const Config& config,
                               QueueSettings* settings);
absl::Status ReadJobSettings(const JobSpec& spec, const Config& config, JobSettings* settings);

// Checks the settings of all rows, and that amounts can be added up. O(rows).
absl::Status CheckRows(const muster::Tables& tables, const Config& config);
// The same for tables that were in order before these changes. O(changes + nodes + classes).
absl::Status CheckChangedRows(const muster::Tables& tables, const Config& config,
                              std::span<const Change> changes);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_ROW_SETTINGS_H_
