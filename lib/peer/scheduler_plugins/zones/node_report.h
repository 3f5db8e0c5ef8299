// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a node reports of its NUMA zones, and the fingerprint of the pods that it knows.
//
//   const ExpectedFingerprint expected = FingerprintOf(report, ResyncMethod::kAutodetect);
//   CheckFingerprint(expected.text, {{"team", "web-0"}});   // kMatch, or why the two differ
//
// A report is late: pods come and go before the node lists them. Its fingerprint tells which pods
// it is made of, without their names: "pfp0v001" and the hash of the sorted hashes of all pods. The
// hash of a pod is that of its name, seeded by that of its namespace. The report may say that only
// pods with exclusive resources count. The fingerprint is an attribute of the report, or else an
// annotation, which always counts all pods.
//
// Hashes are XXH64. Cost: O(pods log pods).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_NODE_REPORT_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_NODE_REPORT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/peer/scheduler_plugins/pod_view.h"
#include "lib/peer/scheduler_plugins/zone_config.h"

namespace muster::scheduler_plugins {

using AttributeList = std::vector<std::pair<std::string, std::string>>;

struct ReportedAmount {
  std::string resource;
  int64_t allocatable = 0, available = 0;
  friend bool operator==(const ReportedAmount&, const ReportedAmount&) = default;
};
struct ReportedZone {
  std::string name;  // "node-0"
  std::vector<ReportedAmount> amounts = {};
  AttributeList attributes = {};
  friend bool operator==(const ReportedZone&, const ReportedZone&) = default;
};
struct NodeReport {
  std::string node;
  std::vector<std::string> policies = {};
  AttributeList attributes = {};
  std::string fingerprint_annotation = {};  // empty: none
  std::vector<ReportedZone> zones = {};
  friend bool operator==(const NodeReport&, const NodeReport&) = default;
};

// Returns the number in a name such as "node-3", or nothing.
std::optional<int> ZoneIdOf(std::string_view name);
ResourceNames ResourceNamesOf(const NodeReport& report);
// Returns null if there is no such attribute.
const std::string* FindAttribute(const AttributeList& attributes, std::string_view name);

enum class ResyncMethod : uint8_t { kAutodetect, kAll, kOnlyExclusive };
// Reads a setting; absent: kAutodetect. Returns nothing for any other word.
std::optional<ResyncMethod> ResyncMethodOf(std::optional<std::string_view> word);

struct ExpectedFingerprint {
  std::string text;  // empty: the report has none
  bool only_exclusive = false;
};
ExpectedFingerprint FingerprintOf(const NodeReport& report, ResyncMethod method);

struct PodName {
  std::string name_space, name;
};
std::string PodsFingerprint(std::span<const PodName> pods);
enum class FingerprintCheck : uint8_t { kMatch, kMalformed, kOtherVersion, kMismatch };
FingerprintCheck CheckFingerprint(std::string_view expected, std::span<const PodName> pods);

uint64_t HashOf(std::string_view text, uint64_t seed = 0);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_NODE_REPORT_H_
