// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/zones/zone_cache.h"

#include <algorithm>

namespace muster::scheduler_plugins {
namespace {

// Takes a request from every zone that lists its resources.
void TakeFromZones(const Amounts& request, NodeReport* report) {
  for (ReportedZone& zone : report->zones) {
    for (ReportedAmount& amount : zone.amounts) {
      const auto asked = request.find(amount.resource);
      if (asked == request.end()) continue;
      amount.available = std::max(amount.available - asked->second, int64_t{0});
    }
  }
}

ZoneConfig ConfigOf(const NodeReport& report) {
  return ReadZoneConfig(report.policies, report.attributes);
}

// The names that a fingerprint counts.
std::vector<PodName> CountedPods(const std::vector<NodePod>& pods, bool only_exclusive) {
  std::vector<PodName> names;
  for (const NodePod& pod : pods) {
    if (!only_exclusive || pod.is_exclusive) names.push_back(pod.name);
  }
  return names;
}

}  // namespace

NodePod NodePodOf(const PodName& name, const PodView& pod, const ResourceNames& of_zones) {
  NodePod out{.name = name};
  const bool guaranteed = ServiceOf(pod) == ServiceClass::kGuaranteed;
  for (const ContainerView& container : pod.containers) {
    if (container.part == ZonedTask::Part::kInit) continue;
    const bool holds =
        std::any_of(container.requests.begin(), container.requests.end(), [&](const auto& asked) {
          return IsExclusive(asked.first, asked.second, guaranteed, of_zones);
        });
    if (holds) out.pinned.push_back(container.name);
  }
  out.is_exclusive = !out.pinned.empty();
  return out;
}

bool CountsOnNode(std::string_view phase, std::string_view node, bool own_list) {
  return own_list ? phase != "Pending" && !node.empty() : phase == "Running";
}

std::optional<ForeignPods> ForeignPodsOf(std::optional<std::string_view> word) {
  if (!word.has_value() || *word == "All") return ForeignPods::kAll;
  if (*word == "None") return ForeignPods::kNone;
  if (*word == "OnlyExclusiveResources") return ForeignPods::kOnlyExclusive;
  return std::nullopt;
}

bool IsForeign(const ScheduledPod& pod, const ForeignRule& rule, const ResourceNames& of_zones) {
  if (pod.node.empty() || rule.schedulers.contains(pod.scheduler)) return false;
  if (rule.counts == ForeignPods::kOnlyExclusive) return RequestsExclusive(pod.view, of_zones);
  return rule.counts == ForeignPods::kAll;
}

void OverReserveCache::Put(const NodeReport& report) { reports_[report.node] = report; }

CachedReport OverReserveCache::Get(const std::string& node) const {
  CachedReport answer{.generation = generation_};
  if (foreign_.contains(node)) return answer;
  answer.is_fresh = true;
  const auto known = reports_.find(node);
  if (known == reports_.end()) return answer;
  answer.report = known->second;
  const auto reserved = reserved_.find(node);
  if (reserved == reserved_.end()) return answer;
  for (const auto& [pod, request] : reserved->second) TakeFromZones(request, &*answer.report);
  return answer;
}

bool OverReserveCache::Reserve(const std::string& node, const std::string& pod,
                               const Amounts& request) {
  return reports_.contains(node) && !reserved_[node].insert_or_assign(pod, request).second;
}
bool OverReserveCache::Unreserve(const std::string& node, const std::string& pod) {
  const auto reserved = reserved_.find(node);
  return reserved != reserved_.end() && reserved->second.erase(pod) > 0;
}
void OverReserveCache::MarkForeign(const std::string& node) {
  if (reports_.contains(node)) foreign_.insert(node);
}

bool OverReserveCache::NoteChange(const NodeReport& report) {
  const auto known = reports_.find(report.node);
  if (known == reports_.end() || ConfigOf(known->second) == ConfigOf(report)) return false;
  changed_.insert(report.node);
  return true;
}

OverReserveCache::Desynced OverReserveCache::desynced() const {
  std::set<std::string> dirty = foreign_;
  dirty.insert(over_reserved_.begin(), over_reserved_.end());
  return {generation_, {dirty.begin(), dirty.end()}, {changed_.begin(), changed_.end()}};
}

std::vector<NodeReport> OverReserveCache::Updates(const Desynced& nodes,
                                                  const std::map<std::string, NodeReport>& latest,
                                                  const PodsOfNodes& pods) const {
  std::vector<NodeReport> updates;
  for (const std::string& node : nodes.dirty) {
    const auto report = latest.find(node);
    const auto here = pods.find(node);
    if (report == latest.end() || here == pods.end()) continue;
    const ExpectedFingerprint expected = FingerprintOf(report->second, method_);
    const std::vector<PodName> names = CountedPods(here->second, expected.only_exclusive);
    if (CheckFingerprint(expected.text, names) != FingerprintCheck::kMatch) continue;
    updates.push_back(report->second);
  }
  for (const std::string& node : nodes.config_changed) {
    if (const auto report = latest.find(node); report != latest.end()) {
      updates.push_back(report->second);
    }
  }
  return updates;
}

uint64_t OverReserveCache::Flush(std::span<const NodeReport> reports) {
  if (reports.empty()) return generation_;
  for (const NodeReport& report : reports) {
    Put(report);
    reserved_.erase(report.node);
    over_reserved_.erase(report.node);
    foreign_.erase(report.node);
    changed_.erase(report.node);
  }
  return ++generation_;
}

uint64_t OverReserveCache::Resync(const std::map<std::string, NodeReport>& latest,
                                  const PodsOfNodes& pods) {
  return Flush(Updates(desynced(), latest, pods));
}

void DiscardReservedCache::Release(const std::string& node, const std::string& uid) {
  const auto at = reserved_.find(node);
  if (at != reserved_.end()) at->second.erase(uid);
}
bool DiscardReservedCache::IsFresh(const std::string& node) const {
  const auto at = reserved_.find(node);
  return at == reserved_.end() || at->second.empty();
}

}  // namespace muster::scheduler_plugins
