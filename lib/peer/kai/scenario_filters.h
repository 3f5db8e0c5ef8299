// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Filters of KAI Scheduler that reject a scenario before it is simulated.
//
//   KaiScenarioFilters filters(world, scenario, feasible);
//   scenario.AddVictims(step);
//   if (!filters.Admit(scenario)) ...      // more victims are needed
//
// Idea. Three upper bounds of what the victims could free, kept up while victims are added:
//   nodes     each pending task with a selector matches a node that is feasible or has a victim
//   topology  the GPUs that each sub-group with a required level needs find a domain, largest first
//   GPUs      the GPUs that each pending task needs find one of the emptiest nodes, largest first
//
// Peer. The list of the emptiest nodes has as many places as there are pending tasks. A node that
// gains is moved by a binary search over the list in which its old place is already wrong.
//
// Cost. O(victims added * log + tasks * places) a call.
#ifndef MUSTER_PEER_KAI_SCENARIO_FILTERS_H_
#define MUSTER_PEER_KAI_SCENARIO_FILTERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "lib/peer/kai/scenario.h"

namespace muster {

// GPUs that were free at some time.
struct KaiFreeGpus {
  std::vector<double> by_node = {};
  std::vector<uint32_t> nodes = {};  // where it is not 0, ascending
};

class KaiScenarioFilters {
 public:
  // `feasible`: by node. `then`: what was free when the victims still had their places; null: they
  // have them now.
  KaiScenarioFilters(const KaiWorld& world, const KaiScenario& first,
                     std::span<const uint8_t> feasible, const KaiFreeGpus* then = nullptr);
  bool Admit(const KaiScenario& scenario);

 private:
  // GPUs that a holder, a node or a domain, has left.
  struct Holders {
    std::vector<double> left;     // by holder
    std::vector<uint32_t> order;  // descending
  };
  struct Level {
    const KaiTopologyWish* wish;
    const std::vector<uint32_t>* value;  // by node: its domain; 0: none
    std::vector<double> needed;          // of sub-groups, descending
    Holders domains;
  };

  void BeginGpus(const KaiScenario& first, const std::vector<double>& free,
                 std::span<const uint32_t> nodes_with_gpus);
  void BeginTopology(const KaiScenario& first, std::span<const double> free);
  void CollectLevels(const KaiJob& job, uint32_t group);
  bool AdmitNodes(const KaiScenario& scenario);
  bool AdmitTopology(const KaiScenario& scenario);
  bool AdmitGpus(const KaiScenario& scenario);
  void GainGpus(const KaiPod& victim);
  void GainTopology(const KaiPod& victim);
  // What one filter has seen of the scenario.
  struct Followed {
    size_t recorded = 0, potential = 0;
    std::vector<bool> seen = {};  // by task
  };
  // Calls `gain` for victims with tasks that were not seen before.
  template <class Gain>
  void Follow(const KaiScenario& scenario, Followed* followed, Gain&& gain);
  // `is_new`: the holder is known not to be in the list.
  static void Insert(Holders* holders, uint32_t holder, bool replace, bool is_new);
  static bool Match(std::span<const double> needed, const Holders& holders);

  const KaiWorld& world_;
  bool selects_ = false;
  std::vector<uint8_t> near_;  // by node: feasible, or with a victim
  Followed by_nodes_, by_topology_, by_gpus_;
  std::vector<Level> levels_;
  std::vector<double> needed_;  // GPUs of pending tasks, descending
  Holders nodes_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_SCENARIO_FILTERS_H_
