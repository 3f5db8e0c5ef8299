// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/zone_config.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace muster::scheduler_plugins {
namespace {

constexpr int64_t kDefaultZones = 8;
constexpr int64_t kMostZones = 1024;

struct PolicyName {
  std::string_view name;
  ZonePolicy policy;
  ZoneScope scope;
};
constexpr PolicyName kPolicyNames[] = {
    {"SingleNUMANodeContainerLevel", ZonePolicy::kSingle, ZoneScope::kContainer},
    {"SingleNUMANodePodLevel", ZonePolicy::kSingle, ZoneScope::kPod},
    {"RestrictedContainerLevel", ZonePolicy::kRestricted, ZoneScope::kContainer},
    {"RestrictedPodLevel", ZonePolicy::kRestricted, ZoneScope::kPod},
    {"BestEffortContainerLevel", ZonePolicy::kBestEffort, ZoneScope::kContainer},
    {"BestEffortPodLevel", ZonePolicy::kBestEffort, ZoneScope::kPod},
};

// Decimal digits after a sign, if any; nothing for any other text, or beyond 64 bits.
std::optional<int64_t> WholeNumber(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ZonePolicy> ZonePolicyOf(std::string_view word) {
  if (word == "none") return ZonePolicy::kNone;
  if (word == "best-effort") return ZonePolicy::kBestEffort;
  if (word == "restricted") return ZonePolicy::kRestricted;
  if (word == "single-numa-node") return ZonePolicy::kSingle;
  return std::nullopt;
}

std::optional<ZoneScope> ZoneScopeOf(std::string_view word) {
  if (word == "container") return ZoneScope::kContainer;
  if (word == "pod") return ZoneScope::kPod;
  return std::nullopt;
}

void ApplyPolicies(std::span<const std::string> policies, ZoneConfig* config) {
  if (policies.empty()) return;
  for (const PolicyName& known : kPolicyNames) {
    if (known.name != policies.front()) continue;
    config->policy = known.policy;
    config->scope = known.scope;
  }
}

void ApplyAttributes(NodeAttributes attributes, ZoneConfig* config) {
  for (const auto& [name, value] : attributes) {
    if (name == "topologyManagerPolicy") {
      if (const auto policy = ZonePolicyOf(value)) config->policy = policy;
    } else if (name == "topologyManagerScope") {
      if (const auto scope = ZoneScopeOf(value)) config->scope = scope;
    } else if (name == "topologyManagerMaxNUMANodes") {
      const std::optional<int64_t> zones = WholeNumber(value);
      if (zones.has_value() && *zones > 1) config->most_zones = std::min(*zones, kMostZones);
    }
  }
}

ZoneConfig ReadZoneConfig(std::span<const std::string> policies, NodeAttributes attributes) {
  ZoneConfig config{ZonePolicy::kNone, ZoneScope::kContainer, kDefaultZones};
  ApplyPolicies(policies, &config);
  ApplyAttributes(attributes, &config);
  return config;
}

}  // namespace muster::scheduler_plugins
