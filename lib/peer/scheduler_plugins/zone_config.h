// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How a node aligns tasks to its NUMA zones, by what the node reports of its topology manager.
//
//   const ZoneConfig config = ReadZoneConfig({"RestrictedPodLevel"},
//                                            {{"topologyManagerScope", "container"}});
//   config.policy;      // kRestricted
//   config.scope;       // kContainer: attributes override policies
//   config.most_zones;  // 8
//
// A NodeResourceTopology object has two places for this. The deprecated list topologyPolicies has
// names such as SingleNUMANodePodLevel, each with a policy and a scope; only its first name is
// read. Attributes have one value each: topologyManagerPolicy, topologyManagerScope and
// topologyManagerMaxNUMANodes. They are read after the list. The defaults are policy none, scope
// container and 8 zones.
//
// Values that are none of the words, in the same case, are ignored; so are numbers of zones below
// 2. A number above 1024 counts as 1024. Cost: O(attributes).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_ZONE_CONFIG_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_ZONE_CONFIG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lib/fit/zoned_node.h"

namespace muster::scheduler_plugins {

// What one source sets; what it leaves open is absent, or 0 zones.
struct ZoneConfig {
  std::optional<ZonePolicy> policy;
  std::optional<ZoneScope> scope;
  int64_t most_zones = 0;
  friend bool operator==(const ZoneConfig&, const ZoneConfig&) = default;
};

using NodeAttributes = std::span<const std::pair<std::string, std::string>>;

// Return nothing for any other word.
std::optional<ZonePolicy> ZonePolicyOf(std::string_view word);
std::optional<ZoneScope> ZoneScopeOf(std::string_view word);

// Set what the first policy, or the attributes, set; leave all else.
void ApplyPolicies(std::span<const std::string> policies, ZoneConfig* config);
void ApplyAttributes(NodeAttributes attributes, ZoneConfig* config);

// Returns the defaults, overridden by the policies, overridden by the attributes. Nothing is
// absent.
ZoneConfig ReadZoneConfig(std::span<const std::string> policies, NodeAttributes attributes);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_ZONE_CONFIG_H_
