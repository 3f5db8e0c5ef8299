// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which hosts of an admission have failed, so that its tasks need other places.
//
//   NodeFailures failures(context.tables, world, topology);
//   std::vector<std::string> hosts = failures.Of(workload, job);   // {"n3"}: it is to be replaced
//
// A host has failed for a workload with a place on it
// - once no node has its name, at once;
// - else once no task of the workload is on it, but such that leave or have ended, if the node is
//   not ready, is marked unschedulable, or has a taint that the pod set does not tolerate.
// Places in domains of other levels than kubernetes.io/hostname do not fail.
//
// Without gate TASReplaceNodeOnPodTermination tasks that run keep no host from failing, and without
// TASReplaceNodeOnNodeTaints neither marks nor taints count.
//
// Peer. These are Kueue's rules. A mark is a taint there, too.
//
// Cost. O(nodes) once, and O(places + tasks of the job, sorted) a call.
#ifndef MUSTER_PEER_KUEUE_NODE_FAILURES_H_
#define MUSTER_PEER_KUEUE_NODE_FAILURES_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/model/tables.h"
#include "lib/peer/kueue/topology_world.h"
#include "lib/peer/kueue/world.h"

namespace muster::kueue {

class NodeFailures {
 public:
  // All must outlive this.
  NodeFailures(const Tables& tables, const World& world, const TopologyWorld& topology)
      : tables_(tables), world_(world), topology_(topology) {}

  // Returns the hosts that have failed for the workload, each once, in the order of its places.
  std::vector<std::string> Of(WorkloadIndex workload, JobIndex job);

 private:
  std::optional<NodeIndex> FindHost(const std::string& name);
  bool HasFailed(const std::string& host, const PodSet& pod_set, FlavorIndex flavor,
                 const std::vector<NodeIndex>& in_use);
  bool Repels(const NodeSpec& node, const PodSet& pod_set, FlavorIndex flavor) const;

  const Tables& tables_;
  const World& world_;
  const TopologyWorld& topology_;
  std::optional<HashMap<std::string, NodeIndex>> nodes_;  // by label kubernetes.io/hostname
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_NODE_FAILURES_H_
