// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places the bundles of a group: all on one machine, each on its own, or something in between.
//
//   PlaceBundles(nodes, bundles, {.strategy = BundleStrategy::kPack});   // a node for each bundle
//
// Idea. The most important bundle goes first: by what it takes of the first resource, then of the
// second, and so on. So the caller numbers resources from the scarcest on. A node's score is the
// sum, over what the bundle takes, of the part of the free amount that stays free. The emptiest
// node wins, the first of equals.
//
// Strategies:
// - kPack: the best node for the most important bundle, then every other bundle that still fits
//   there; then the next node.
// - kSpread: the best node without a bundle of the group, else the best with one.
// - kStrictPack: one node for all, the wished one if it has room.
// - kStrictSpread: a node each, and none that the group already uses.
//
// Domains. With `domains`, nodes of one label value form a domain, and the whole group goes to one.
// Domains are tried by value; the first that places the group by its strategy wins. One is skipped
// if some bundle is larger than every node of it, or all bundles together exceed the sum of its
// nodes.
//
// Devices. A request of the first resource may be a part of one device or whole ones: a node then
// has DeviceParts, and bundles are held to them beside the sums. Scores are of sums alone.
//
// Outcome. Infeasible: not even on empty nodes (some bundle is larger than every node that it may
// use, or the strategy needs more nodes than there are), in any domain. Failed: not now.
//
// Peer. Ray's placement groups. Amounts are its ten-thousandths. Where Ray takes the first of equal
// nodes in a hash table's order, this takes the first in the order given.
//
// Cost. Scores of a node change only when it is used, so bundles of one shape share one heap of
// nodes: O(shapes * nodes + bundles * log nodes). For kSpread beyond one bundle a node, O(nodes
// used) for each further one. With domains, the same for the nodes and bundles of each domain that
// is not skipped for its sum, and O(bundles * nodes of the domain) there for bundles with labels.
#ifndef MUSTER_PEER_RAY_BUNDLES_H_
#define MUSTER_PEER_RAY_BUNDLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/ray/device_parts.h"
#include "muster/spec.h"

namespace muster {

// Amounts of each resource, by the caller's numbers; absent at the end: 0.
using BundleAmounts = std::vector<int64_t>;

inline int64_t AmountOf(const BundleAmounts& amounts, size_t resource) {
  return resource < amounts.size() ? amounts[resource] : 0;
}
// Returns whether a request fits into amounts.
bool Holds(const BundleAmounts& amounts, const BundleAmounts& request);

struct BundleNode {
  BundleAmounts total, available;
  // Of the first resource. Default: it is not kept by device.
  DeviceParts devices = {};
};
// Return whether a request fits into what is free of the node, or into the node when it is empty.
bool HasRoom(const BundleNode& node, const BundleAmounts& request);
bool HoldsEmpty(const BundleNode& node, const BundleAmounts& request);

struct Bundle {
  BundleAmounts request;
  std::vector<bool> nodes = {};  // that its labels allow; empty: all
};

struct BundleOptions {
  BundleStrategy strategy = BundleStrategy::kPack;
  std::optional<size_t> wished = {};    // kStrictPack: the node to try first
  std::vector<bool> used_already = {};  // kStrictSpread: nodes with bundles of the group
  // The domain of each node, empty: in none. An empty list: the group needs no domain.
  std::vector<std::string_view> domains = {};
  std::string_view domain = {};  // that the group has already; empty: any
};

struct BundlePlan {
  enum class Outcome : uint8_t { kPlaced, kInfeasible, kFailed };
  Outcome outcome = Outcome::kFailed;
  std::vector<size_t> nodes;  // of each bundle, where they are placed
};

// Returns an error for amounts below 0, free amounts above a node's total, and lists of nodes that
// are not as long as `nodes`.
absl::StatusOr<BundlePlan> PlaceBundles(std::span<const BundleNode> nodes,
                                        std::span<const Bundle> bundles,
                                        const BundleOptions& options);

}  // namespace muster

#endif  // MUSTER_PEER_RAY_BUNDLES_H_
