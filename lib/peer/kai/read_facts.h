// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From the tables of a cluster to the facts of a cycle of KAI Scheduler.
//
//   KaiReading reading = ReadKai(tables, options, now);
//   KaiWorld world(std::move(reading.facts), std::move(reading.tree), ...);
//
// Idea. Field by field:
//   queues      deserved, limit: a dimension that is not listed is unlimited. Weights beyond the
//               quota: QueueRules::over_quota_weight, else `weight`. Minimum run times:
//               PreemptionRules
//   jobs        min_available, or the tree of sub_groups (gang.h); preemptable, else by priority
//   tasks       a request for nvidia.com/gpu is for whole devices, one for nvidia.com/mig-* for
//               slices; a DeviceRequest of kind "gpu" is for parts (milli), or for memory; an
//               exclusive one may stand for devices of a resource claim (option claims)
//   nodes       labels as the peer reads them: nvidia.com/gpu.memory, nvidia.com/gpu.count, ...;
//               devices of kind "gpu" may count where nvidia.com/gpu does not (option claims)
//   topologies  those of flavors
// A nominated task is pending: the peer decides again, unless the options keep promises. A task
// with status unknown holds what it has, and gives nothing back.
//
// Cost. O(rows + classes * nodes).
#ifndef MUSTER_PEER_KAI_READ_FACTS_H_
#define MUSTER_PEER_KAI_READ_FACTS_H_

#include <cstdint>
#include <vector>

#include "lib/model/tables.h"
#include "lib/peer/kai/world.h"

namespace muster {

// A device that a task has for itself alone.
struct KaiHeldDevice {
  uint32_t node, device;  // by its place among those of the node
  uint32_t task;
};

struct KaiReading {
  KaiFacts facts;
  KaiQueueTree tree;
  std::vector<KaiTopology> topologies;
  std::vector<KaiOpening> opening;
  std::vector<uint32_t> queue_of;  // by queue of the tables: that of `tree`
  std::vector<QueueIndex> queues;  // by queue of `tree`
  std::vector<uint32_t> task_of;   // by task of the tables; kKaiNone: no job's
  // By group of the opening: the place of the device among those of its node.
  std::vector<uint32_t> device_of;
  std::vector<KaiHeldDevice> held;  // ascending by node
};

KaiReading ReadKai(const Tables& tables, const KaiOptions& options, int64_t now);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_READ_FACTS_H_
