// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Network-aware placement: how far a pod would be from the pods that its workload depends on, and
// which workloads of an application go first.
//
//   NetworkCosts costs;
//   costs.SetZones("Z1", "Z2", 5);
//   const NetworkAnswer answer =
//       NetworkCostOf(node, {{.workload = "db", .most_cost = 10}}, pods, costs);
//   answer.fits();   // no more dependencies are violated than satisfied
//   answer.cost;     // the less, the better: ScoresOfCosts (load/load_scores.h) makes scores of it
//
// Each pod of the application that has a node is looked at once for each dependency on its
// workload:
//   on the same node                              satisfied, cost 0
//   in the same zone of the same region           satisfied, cost 1
//   in another zone of the same region            by the cost between the zones
//   in another region                             by the cost between the regions
//   on another node without region and zone       violated, cost 100
// A cost up to what the dependency tolerates (default 0) satisfies it; a higher one violates it. A
// pair without a cost does neither, and adds 100. Regions are equal by their names, so nodes
// without one share a region.
//
// Order. Workloads of one application go by their place in its order, which a controller computes
// and lists by workload name. A workload that is not listed has place -1. Of pods of different
// applications, or of none, the more important goes first, then the one that came first.
//
// Ties: of two pods with equal places each is before the other, as for the peer; this is no strict
// order. Cost: O(pods x dependencies x log costs); an order: O(log workloads).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_NETWORK_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_NETWORK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace muster::scheduler_plugins {

struct NetworkNode {
  std::string name;
  std::string region = {}, zone = {};  // labels of the node; empty: none
};

// Costs from an origin to a destination. A pair has the cost that was set last.
class NetworkCosts {
 public:
  void SetZones(std::string origin, std::string destination, int64_t cost);
  void SetRegions(std::string origin, std::string destination, int64_t cost);
  std::optional<int64_t> OfZones(const std::string& origin, const std::string& destination) const;
  std::optional<int64_t> OfRegions(const std::string& origin, const std::string& destination) const;

 private:
  using Pairs = std::map<std::pair<std::string, std::string>, int64_t>;
  Pairs zones_, regions_;
};

struct Dependency {
  std::string workload;
  int64_t most_cost = 0;
};
// A pod of the application that has a node.
struct PlacedPod {
  std::string workload;
  NetworkNode node;
};

struct NetworkAnswer {
  int64_t satisfied = 0, violated = 0, cost = 0;
  bool fits() const { return violated <= satisfied; }
  friend bool operator==(const NetworkAnswer&, const NetworkAnswer&) = default;
};
NetworkAnswer NetworkCostOf(const NetworkNode& node, std::span<const Dependency> dependencies,
                            std::span<const PlacedPod> pods, const NetworkCosts& costs);
// The peer's words for a node that does not fit.
std::string NetworkReason(const NetworkNode& node, const NetworkAnswer& answer);

// A workload of an application and its place in the order.
struct WorkloadPlace {
  std::string workload;
  int64_t place = 0;
};
// REQUIRES: `order` ascends by workload. Returns -1 for a workload that is not listed.
int64_t PlaceOf(std::string_view workload, std::span<const WorkloadPlace> order);

struct AppPod {
  std::string application = {}, workload = {};  // empty: none
  int32_t priority = 0;
  double queued = 0;
};
// `order`: that of a's application; not looked at where b has another one.
bool IsBeforeByTopology(const AppPod& a, const AppPod& b, std::span<const WorkloadPlace> order);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_NETWORK_H_
