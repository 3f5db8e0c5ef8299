// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What is known of the zones of nodes between their reports: two caches of the NUMA plugin.
//
//   OverReserveCache cache(ResyncMethod::kAutodetect);
//   cache.Put(report);
//   cache.Reserve("n", "team/web-0", EffectiveRequest(pod));
//   cache.Get("n");                  // the report, less the request in every zone
//   cache.MarkOverReserved("n");     // a pod did not fit; perhaps because of that
//   cache.Resync(latest, pods);      // takes a report if its fingerprint is that of the known pods
//
// Over-reserve. It is unknown which zone a pod gets, so its request is subtracted from every zone
// that lists the resource, down to 0, from Reserve until a report takes it over: after binding,
// too. A node that refused a pod is marked, and so is one with a foreign pod, which another
// scheduler placed; the latter is not fresh until it is flushed. A resync looks for the latest
// report of each marked node. If its fingerprint is that of the pods that are known there, the
// report replaces the old one, and marks and reservations of the node are forgotten. A node with
// another policy, scope or number of zones is flushed in any case. Nodes without a report have no
// reservations, and pods there are not foreign.
//
// Discard-reserved. A node is not fresh while a pod is between Reserve and its binding.
//
// Ties: lists of nodes ascend. Cost: O(log nodes) a call, and O(pods of the node x zones x
// resources) where reservations are subtracted.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_ZONE_CACHE_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_ZONE_CACHE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/scheduler_plugins/pod_view.h"
#include "lib/peer/scheduler_plugins/zones/node_report.h"

namespace muster::scheduler_plugins {

// A pod that is known on a node.
struct NodePod {
  PodName name;
  bool is_exclusive = false;
  std::vector<std::string> pinned = {};  // its containers with exclusive resources
};
// Sidecars and main containers count.
NodePod NodePodOf(const PodName& name, const PodView& pod, const ResourceNames& of_zones);
using PodsOfNodes = std::map<std::string, std::vector<NodePod>>;

// Whether a pod counts for its node. A shared list of pods counts those that run; a list of the
// plugin's own counts those that have a node and are not pending.
bool CountsOnNode(std::string_view phase, std::string_view node, bool own_list);

enum class ForeignPods : uint8_t { kAll, kNone, kOnlyExclusive };
// Reads a setting; absent: kAll. Returns nothing for any other word.
std::optional<ForeignPods> ForeignPodsOf(std::optional<std::string_view> word);

struct ForeignRule {
  std::set<std::string> schedulers = {};  // those that are not foreign
  ForeignPods counts = ForeignPods::kAll;
};
struct ScheduledPod {
  std::string node, scheduler;  // empty node: none yet
  PodView view = {};
};
bool IsForeign(const ScheduledPod& pod, const ForeignRule& rule, const ResourceNames& of_zones);

// What is known of a node. `report` is absent if the node never reported, or is not fresh.
struct CachedReport {
  bool is_fresh = false;
  uint64_t generation = 0;
  std::optional<NodeReport> report = {};
};

class OverReserveCache {
 public:
  explicit OverReserveCache(ResyncMethod method) : method_(method) {}

  // Takes a report over as it is; marks and reservations stay.
  void Put(const NodeReport& report);

  CachedReport Get(const std::string& node) const;
  // Return whether the pod had a reservation there.
  bool Reserve(const std::string& node, const std::string& pod, const Amounts& request);
  bool Unreserve(const std::string& node, const std::string& pod);
  void MarkOverReserved(const std::string& node) { over_reserved_.insert(node); }
  void MarkForeign(const std::string& node);
  // A node changed its report. Marks it, and returns true, if its configuration changed.
  bool NoteChange(const NodeReport& report);

  struct Desynced {
    uint64_t generation = 0;
    std::vector<std::string> dirty;  // over-reserved or with foreign pods
    std::vector<std::string> config_changed;
  };
  Desynced desynced() const;
  // Returns the reports among the latest that replace old ones.
  std::vector<NodeReport> Updates(const Desynced& nodes,
                                  const std::map<std::string, NodeReport>& latest,
                                  const PodsOfNodes& pods) const;
  // Replaces reports and forgets marks and reservations. Returns the generation, which grows if
  // there is a report.
  uint64_t Flush(std::span<const NodeReport> reports);
  uint64_t Resync(const std::map<std::string, NodeReport>& latest, const PodsOfNodes& pods);

 private:
  ResyncMethod method_;
  uint64_t generation_ = 0;
  std::map<std::string, NodeReport> reports_;
  std::map<std::string, std::map<std::string, Amounts>> reserved_;  // of each node: by pod
  std::set<std::string> over_reserved_, foreign_, changed_;
};

class DiscardReservedCache {
 public:
  void Reserve(const std::string& node, const std::string& uid) { reserved_[node].insert(uid); }
  // The pod gave the node up, or is bound.
  void Release(const std::string& node, const std::string& uid);
  bool IsFresh(const std::string& node) const;

 private:
  std::map<std::string, std::set<std::string>> reserved_;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_ZONES_ZONE_CACHE_H_
