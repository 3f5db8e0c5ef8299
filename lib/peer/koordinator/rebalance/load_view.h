// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Measured nodes against thresholds: which are over, which are under, and how much room these have.
//
//   LoadView view(pool, nodes);
//   for (size_t n : view.over) ...      // by index into view.nodes
//
// Idea. A node's load is what its system and its tasks were measured to use. It is over if one
// resource is above its high threshold, and under if no resource is above its low one and the node
// takes tasks. The same holds of production alone, by thresholds of its own. Thresholds are
// percentages of what the node has, or distances from the average load of all nodes of the pool.
//
// Peer. Koordinator's LowNodeLoad. Where it surprises:
// - A resource without a low threshold loses its high one, too; both become the whole node.
// - A resource with a low threshold alone has a high one of zero.
// - Memory is always compared, with the whole node as its threshold.
// - By distance, a low threshold of zero makes the whole node both thresholds.
// - The average divides by all measured nodes, also by those without the resource.
// - Usage of tasks that the node no longer has counts, except for production.
//
// Amounts are in thousandths. Sums of doubles go by the order of nodes, where the peer goes through
// a map.
//
// Cost. O(nodes * tasks * resources).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_LOAD_VIEW_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_LOAD_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/koordinator/rebalance/eviction_order.h"
#include "lib/share/resource_names.h"
#include "muster/shape.h"

namespace muster::koordinator {

struct LoadedTask {
  std::string name = {}, name_space = {};
  EvictionRank rank = {};                  // without relief
  std::optional<NamedAmounts> usage = {};  // absent: not measured
  bool is_evictable = true;
};

struct LoadedNode {
  std::string name = {};
  Labels labels = {};
  NamedAmounts capacity = {};  // before any amplification
  bool takes_tasks = true;
  bool is_measured = true;                  // and not too long ago
  NamedAmounts system = {};                 // measured usage outside of tasks
  std::vector<NamedAmounts> unlisted = {};  // measured usage of tasks that the node lacks
  std::vector<LoadedTask> tasks = {};       // those that have not ended
};

using Percents = std::vector<std::pair<std::string, double>>;

struct Thresholds {
  Percents low = {}, high = {};
};

struct LoadThresholds {
  Thresholds all = {}, production = {};
  bool is_distance = false;  // from the average
};

// Of all tasks, or of production alone; amounts by index into the view's resources.
struct LoadLevel {
  std::vector<int64_t> used, low, high;
};

struct ViewedNode {
  size_t index = 0;  // into the given nodes
  LoadLevel all = {}, production = {};
  int64_t tasks = 0, production_tasks = 0;
};

// A side of a view: of all tasks, or of production.
enum class LoadSide : uint8_t { kAll, kProduction };

class LoadView {
 public:
  LoadView(const LoadThresholds& thresholds, std::span<const LoadedNode> nodes,
           std::span<const size_t> pool);

  const std::vector<std::string>& resources() const { return resources_; }
  std::vector<ViewedNode>& nodes() { return nodes_; }
  const std::vector<ViewedNode>& nodes() const { return nodes_; }
  const LoadedNode& Given(const ViewedNode& node) const { return given_[node.index]; }

  // Indices into nodes(), by load: over and under of all tasks, of production alone, and under of
  // both.
  struct Classes {
    std::vector<size_t> over, under, production_over, production_under, both_under;
  };
  Classes Classify() const;

  static LoadLevel& LevelOf(ViewedNode& node, LoadSide side) {
    return side == LoadSide::kAll ? node.all : node.production;
  }
  // Returns the indices of the resources above their high thresholds.
  static std::vector<size_t> OverResources(const LoadLevel& level);

  // Returns amounts by the names of resources. The node's usage has the number of tasks, too.
  NamedAmounts Named(const std::vector<int64_t>& amounts) const;
  NamedAmounts UsageOf(const ViewedNode& node, LoadSide side) const;

 private:
  void Measure(ViewedNode* node) const;
  void SetThresholds(const LoadThresholds& thresholds);

  std::span<const LoadedNode> given_;
  std::vector<std::string> resources_;  // ascending
  std::vector<ViewedNode> nodes_;
};

// Returns both lists with every resource that one of them names, or memory, filled in.
void FillThresholds(LoadThresholds* thresholds);

// Returns a percentage of an amount in thousandths: thousandths for cpu, whole units for others.
int64_t PercentOfAmount(std::string_view resource, int64_t amount, double percent);

// Returns whether a measurement is too old to be used. Without a limit none is.
bool IsExpired(std::optional<int64_t> measured, int64_t now, std::optional<int64_t> seconds);

// Returns the usage of each resource in percent of the capacity; resources without any are left
// out.
Percents UsagePercents(const NamedAmounts& usage, const NamedAmounts& capacity);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_LOAD_VIEW_H_
