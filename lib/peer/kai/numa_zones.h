// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NUMA zones of a node of KAI Scheduler: whether a task can be aligned, and in which zones.
//
//   KaiNumaNode node = KaiNumaNode::Make(policy, scope, zones, aware);
//   KaiZonePlacement placement;
//   if (node.Solve(node.aware, requests, &placement)) node.Take(placement);
//
// Idea. By policy:
//   single-numa-node  the lowest zone that holds the whole request
//   restricted        for each resource, the fewest zones with room by their *allocatable*;
//                     all resources must agree on that number; then the lowest set of so many zones
//                     that has enough available
//   best-effort       zones one by one, the one that covers most of what is missing first
// Containers that run side by side are solved one after the other on what the earlier ones left.
// Init containers are each checked on what is available at first.
//
// Peer. A task that is not Guaranteed aligns only devices. cpu counts only in whole cores of a
// Guaranteed task. What a task holds in zones is known from its placement; one without holds
// nothing. Amounts of placements are whole numbers. Best effort never refuses in practice: it fails
// only where all zones together hold too little, and then nothing is placed.
//
// Ties. Lowest zone number; zones without a number come last, by id.
//
// Cost. O(zones * resources) a container; restricted tries sets in lexicographic order, which is
// exponential in zones at worst.
#ifndef MUSTER_PEER_KAI_NUMA_ZONES_H_
#define MUSTER_PEER_KAI_NUMA_ZONES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

enum class KaiNumaPolicy : uint8_t { kNone, kBestEffort, kRestricted, kSingleNode };
enum class KaiNumaScope : uint8_t { kContainer, kPod };

struct KaiZone {
  std::string id;
  std::vector<double> available, allocatable;  // by resource
};

// Requests of a task: containers side by side, and init containers for themselves.
struct KaiNumaRequests {
  std::vector<std::vector<double>> concurrent, serial;
};

// Amounts in each zone, ascending zones; whole numbers.
struct KaiZoneAmounts {
  uint32_t zone = 0;
  std::vector<double> amounts;  // by resource
  friend bool operator==(const KaiZoneAmounts&, const KaiZoneAmounts&) = default;
};
using KaiZonePlacement = std::vector<KaiZoneAmounts>;

struct KaiNumaNode {
  KaiNumaPolicy policy = KaiNumaPolicy::kNone;
  KaiNumaScope scope = KaiNumaScope::kContainer;
  std::vector<KaiZone> zones;             // in their order (OrderKaiZones)
  std::vector<uint32_t> aware;            // resources that zones report, ascending
  std::vector<std::vector<double>> most;  // of each aware resource: what the k+1 largest zones have

  // Orders the zones and derives the rest.
  static KaiNumaNode Make(KaiNumaPolicy policy, KaiNumaScope scope, std::vector<KaiZone> zones,
                          std::vector<uint32_t> aware);

  // Returns whether the requests can be aligned in `aligned` (some of `aware`). `placement` may be
  // null; it is empty where nothing needs a zone. After a refusal it holds what was drawn until
  // then, and nothing may be charged.
  bool Solve(std::span<const uint32_t> aligned, const KaiNumaRequests& requests,
             KaiZonePlacement* placement) const;
  // Charges a placement, and gives it back. A zone that the node does not have is skipped.
  void Take(const KaiZonePlacement& placement);
  void Release(const KaiZonePlacement& placement);
  // Makes all allocatable resources available: the start from which placements are taken.
  void Reset();
};

bool IsKaiNumaFiltering(KaiNumaPolicy policy);  // refuses tasks
bool IsKaiNumaScoring(KaiNumaPolicy policy);    // these and best-effort

// How a node aligns tasks with its zones, as its report has it.
struct KaiNumaRule {
  KaiNumaPolicy policy = KaiNumaPolicy::kNone;
  KaiNumaScope scope = KaiNumaScope::kContainer;
};

// Returns the rule of the attributes `policy` and `scope`. If `policy` is empty, returns the rule
// of `legacy`, a word of the older list of policies. Unknown words: no policy, scope container.
KaiNumaRule ParseKaiNumaRule(std::string_view policy, std::string_view scope,
                             std::string_view legacy);

// Returns whether only Guaranteed tasks are aligned in this resource: cpu, memory, huge pages.
bool IsKaiQosGated(std::string_view resource);

// Returns the score of a node by how many zones the task would span.
double KaiNumaSpanScore(size_t span);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_NUMA_ZONES_H_
