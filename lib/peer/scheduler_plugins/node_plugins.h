// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plug-ins that look at nodes within the cycles of the profile: zones, and scores.
//
//   NodePlugins plugins(settings.nodes);
//   plugins.Open(&world, &nominations, &ledger, now);
//   kube::Status status = plugins.Filter(task, node);
//   std::vector<kube::ExtraScore> scores = plugins.Score(task, feasible);
//
// What the rules read of the model:
// - NodeResourceTopologyMatch: zones and alignment of nodes, as policy zones reads them
//   (lib/policy/zone_books.h). Pods take room from every zone until a report knows them.
// - Trimaran: NodeSpec::usage as an average of cpu and memory; deviations are settings of the node
//   (node_marks.h). Limits are the requests of guaranteed tasks, and unknown for all others.
//   What came later than a minute before the measurement counts on top for target load.
// - Peaks: the same usage, what the pod requests of cpu, and models of power, which are settings of
//   the node.
// - NodeResourcesAllocatable and PodState: amounts and pods of nodes.
// - NodeMetadata: a number in a label of the node, or in a setting.
// - NetworkOverhead: network_overhead.h.
//
// A plug-in of weight 0 is off. Cost. O(feasible nodes) a pod; low risk O(pods of these nodes).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_NODE_PLUGINS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_NODE_PLUGINS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/scheduler_plugins/load/metrics.h"
#include "lib/peer/scheduler_plugins/node_marks.h"
#include "lib/peer/scheduler_plugins/plugin_settings.h"
#include "lib/policy/zone_books.h"

namespace muster::scheduler_plugins {

class NodePlugins {
 public:
  // `settings` must outlive this.
  explicit NodePlugins(const NodeSettings& settings)
      : settings_(settings), network_(settings.network) {}

  void Open(kube::World* world, const kube::Nominations* nominations, const Ledger* ledger,
            int64_t now);

  // Before the other questions about the pod.
  void PreFilter(TaskIndex t) { network_.PreFilter(t); }
  bool LooksAtNodes(TaskIndex t);
  kube::Status Filter(TaskIndex t, NodeIndex n);
  std::vector<kube::ExtraScore> Score(TaskIndex t, std::span<const NodeIndex> feasible);

  // Returns the class of service, for the order of the queue.
  ServiceClass ServiceOfTask(TaskIndex t);

 private:
  using ScoreOf = std::function<int64_t(NodeIndex)>;
  using Scale = std::vector<int64_t> (*)(std::span<const int64_t>);
  kube::Status FilterByZones(TaskIndex t, NodeIndex n);
  const PodView& ViewOf(TaskIndex t);
  int64_t AllocatableOf(NodeIndex n) const;
  int64_t PodStateOf(NodeIndex n) const;
  int64_t TargetLoadOf(TaskIndex t, NodeIndex n);
  int64_t LoadVariationOf(TaskIndex t, NodeIndex n);
  int64_t LowRiskOf(TaskIndex t, NodeIndex n);
  int64_t ZonesOf(TaskIndex t, NodeIndex n);
  int64_t PowerOf(TaskIndex t, NodeIndex n) const;
  std::optional<int64_t> MarkOf(NodeIndex n) const;
  int64_t ExpectedCpuOf(TaskIndex t);
  int64_t MissingCpuOn(NodeIndex n);
  std::vector<Metric> MetricsOf(NodeIndex n) const;
  CpuMemory Capacity(NodeIndex n) const;

  const NodeSettings& settings_;
  kube::World* world_ = nullptr;
  const Tables* tables_ = nullptr;
  const kube::Nominations* nominations_ = nullptr;
  int64_t now_ = 0;
  ZoneBooks zones_{{.most_zones = MostZonesOf, .numbers_by_name = true}};
  ZoneScoring zone_scoring_;
  HashMap<ClassIndex, PodView> views_;
  NetworkOverhead network_;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_NODE_PLUGINS_H_
