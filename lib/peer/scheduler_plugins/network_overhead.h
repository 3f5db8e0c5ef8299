// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NetworkOverhead within the cycles of the profile: nodes by how far they are from the pods that a
// pod's workload depends on (network.h).
//
//   NetworkOverhead network(settings.network);
//   network.Open(&world);
//   network.PreFilter(task);                  // before all else of a cycle
//   network.AnswerOf(node).fits();
//
// Application and workload of a pod are its labels appgroup.diktyo.x-k8s.io and
// appgroup.diktyo.x-k8s.io.workload; region and zone of a node those of Kubernetes. Pods of the
// application that hold a node count, but for those that wait there. The peer also counts pods that
// have ended and are listed still.
//
// Cost. Opening: O(tasks). A pod: O(pods of its application), and for each node O(those that have a
// node x dependencies).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_NETWORK_OVERHEAD_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_NETWORK_OVERHEAD_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/peer/kube_scheduler/world.h"
#include "lib/peer/scheduler_plugins/network.h"

namespace muster::scheduler_plugins {

struct NetworkSettings {
  int64_t weight = 0;  // 0: nodes are neither filtered nor scored
  // By application and workload.
  std::map<std::pair<std::string, std::string>, std::vector<Dependency>> dependencies;
  NetworkCosts costs;

  // Reads APP:WORKLOAD:OTHER:COST+..., and FROM:TO:COST+... of zones and of regions. Returns the
  // rule that one of the texts breaks; empty: none.
  std::string Read(std::string_view dependencies_text, std::string_view zone_costs,
                   std::string_view region_costs);
};

class NetworkOverhead {
 public:
  // `settings` must outlive this.
  explicit NetworkOverhead(const NetworkSettings& settings) : settings_(settings) {}

  void Open(const kube::World* world);
  // Finds what the pod depends on, and where that is.
  void PreFilter(TaskIndex t);
  // Returns whether the pod of the last PreFilter depends on a pod that has a node.
  bool any() const { return dependencies_ != nullptr && !placed_.empty(); }
  NetworkAnswer AnswerOf(NodeIndex n) const;
  const NetworkNode& node(NodeIndex n) const { return nodes_[n]; }

 private:
  std::string_view LabelOf(TaskIndex t, std::string_view key) const;

  const NetworkSettings& settings_;
  const kube::World* world_ = nullptr;
  std::vector<NetworkNode> nodes_;
  HashMap<std::string, std::vector<TaskIndex>> pods_;  // by application
  const std::vector<Dependency>* dependencies_ = nullptr;
  std::vector<PlacedPod> placed_;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_NETWORK_OVERHEAD_H_
