// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How KAI Scheduler places the next tasks of a job.
//
//   KaiStatement statement(&world);
//   KaiPlacer placer(&world, &statement, /*pipeline_only=*/false);
//   if (!placer.Place(job, world.all_nodes())) statement.Discard();
//
// Idea. Sub-groups are placed one after the other down their tree. Where a group wishes a topology,
// the topology gives an ordered list of node sets, and the first one that holds the group is taken.
// Within a set the tasks go one by one, without a look ahead, each to the node with the highest
// score that has room: now, or when what is leaving is gone.
//
// Peer. Scores are sums of bands (node_scores.h), in the order of the peer's plugins. A node
// without a score of a topology that the group has, or inherited, is passed over. A task without
// GPUs gets the score of shared devices on a node where some device is shared.
//
// Ties. The node with the smaller name. Devices: those of the fuller (or emptier) group, then the
// older group, then whole devices.
//
// Cost. O(nodes * dimensions) a task.
#ifndef MUSTER_PEER_KAI_PLACING_H_
#define MUSTER_PEER_KAI_PLACING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/kai/capacity_gate.h"
#include "lib/peer/kai/statement.h"
#include "lib/peer/kai/world.h"

namespace muster {

// What the tasks count for their queue, before a node is known.
KaiAmounts KaiQuotaOf(const KaiWorld& world, std::span<KaiPod* const> pods);

class KaiPlacer {
 public:
  KaiPlacer(KaiWorld* world, KaiStatement* statement, bool pipeline_only)
      : world_(world), statement_(statement), pipeline_only_(pipeline_only) {}

  // Places the next tasks of the job, or none. `job` may be a copy.
  bool Place(const KaiJob& job, std::span<const uint32_t> nodes);

 private:
  using Pods = std::vector<KaiPod*>;
  using NodeSets = std::vector<std::vector<uint32_t>>;

  bool PlaceSet(uint32_t set, const Pods& pods, std::span<const uint32_t> nodes);
  bool PlaceMembers(uint32_t set, const Pods& pods, std::span<const uint32_t> nodes);
  bool PlacePodSet(uint32_t set, const Pods& pods, std::span<const uint32_t> nodes);
  bool PlaceTasks(const Pods& pods, std::span<const uint32_t> nodes);
  bool PlaceTask(KaiPod* pod, std::span<const uint32_t> nodes);
  bool PlaceOn(KaiPod* pod, uint32_t node);
  bool PlacePart(KaiPod* pod, uint32_t node);
  // Returns false if the group's wish cannot be read; no sets: nothing holds the group. `all` is
  // set where the group has no wish: the nodes are one set.
  bool NodeSetsOf(uint32_t group, const Pods& pods, std::span<const uint32_t> nodes, NodeSets* sets,
                  bool* all);
  template <class Try>
  bool TrySets(uint32_t group, const Pods& pods, std::span<const uint32_t> nodes, Try&& attempt);
  Pods Of(uint32_t group, const Pods& pods) const;
  bool IsBelow(uint32_t group, uint32_t ancestor) const;
  bool MayTake(const KaiPod& pod, uint32_t node) const;
  const std::vector<double>* TopologyScores(uint32_t pod_set) const;

  KaiWorld* world_;
  KaiStatement* statement_;
  const bool pipeline_only_;
  const KaiJob* job_ = nullptr;
  // By group: scores by node, negative where the node has none; empty: the group has no scores.
  std::vector<std::vector<double>> scores_;
  int64_t placed_ = 0;
  std::shared_ptr<const KaiFitErrors> errors_;  // of the last task that found no node
  bool no_topology_ = false;    // a group's topology, or a level of it, does not exist
  std::string topology_words_;  // why a topology had no nodes for the last group that asked
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_PLACING_H_
