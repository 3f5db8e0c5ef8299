// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One walk over the containers: each gets a set of zones by the policy's rule, and its amounts are
// drawn from them, the first zone first.
#include "lib/peer/kai/numa_zones.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "absl/strings/numbers.h"
#include "lib/base/strings.h"
#include "lib/peer/kai/node_scores.h"

namespace muster {
namespace {

using ZoneSet = std::vector<uint32_t>;

double Get(std::span<const double> amounts, uint32_t resource) {
  return resource < amounts.size() ? amounts[resource] : 0;
}

// The zones of a node, less what containers of this walk drew from them.
class ZoneView {
 public:
  ZoneView(const KaiNumaNode& node, std::span<const uint32_t> aligned)
      : node_(node), aligned_(aligned) {}

  double Available(uint32_t zone, uint32_t resource) const {
    const double drawn = drawn_.empty() ? 0 : Get(drawn_[zone], resource);
    return Get(node_.zones[zone].available, resource) - drawn;
  }

  std::optional<ZoneSet> Choose(std::span<const double> request) const {
    switch (node_.policy) {
      case KaiNumaPolicy::kSingleNode:
        return FirstZone(request);
      case KaiNumaPolicy::kBestEffort:
        return Cover(request);
      default:
        return OfPreferredWidth(request);
    }
  }

  // Draws the request from the zones, and adds it to `placed` unless that is null.
  void Draw(std::span<const double> request, const ZoneSet& zones,
            std::vector<std::vector<double>>* placed) {
    if (drawn_.empty()) drawn_.resize(node_.zones.size());
    for (const uint32_t resource : aligned_) {
      double missing = Get(request, resource);
      for (const uint32_t zone : zones) {
        if (missing <= 0) break;
        const double take = std::min(Available(zone, resource), missing);
        if (take <= 0) continue;
        Put(resource, take, &drawn_[zone]);
        if (placed != nullptr) Put(resource, take, &(*placed)[zone]);
        missing -= take;
      }
    }
  }

 private:
  static void Put(uint32_t resource, double amount, std::vector<double>* amounts) {
    if (amounts->size() <= resource) amounts->resize(resource + 1);
    (*amounts)[resource] += amount;
  }

  bool Holds(const ZoneSet& zones, std::span<const double> request) const {
    return std::all_of(aligned_.begin(), aligned_.end(), [&](uint32_t resource) {
      const double need = Get(request, resource);
      if (need <= 0) return true;
      double sum = 0;
      for (const uint32_t zone : zones) sum += Available(zone, resource);
      return sum >= need;
    });
  }

  std::optional<ZoneSet> FirstZone(std::span<const double> request) const {
    for (uint32_t zone = 0; zone < node_.zones.size(); ++zone) {
      if (Holds({zone}, request)) return ZoneSet{zone};
    }
    return std::nullopt;
  }

  // Zone by zone, the one that covers most of what is missing.
  std::optional<ZoneSet> Cover(std::span<const double> request) const {
    std::vector<double> missing;
    for (const uint32_t resource : aligned_) missing.push_back(Get(request, resource));
    const auto is_met = [&] {
      return std::all_of(missing.begin(), missing.end(), [](double m) { return m <= 0; });
    };
    ZoneSet chosen;
    std::vector<bool> is_used(node_.zones.size());
    while (chosen.size() < node_.zones.size() && !is_met()) {
      const std::optional<uint32_t> best = MostCovering(missing, is_used);
      if (!best) break;
      is_used[*best] = true;
      chosen.push_back(*best);
      for (size_t i = 0; i < aligned_.size(); ++i) missing[i] -= Available(*best, aligned_[i]);
    }
    return is_met() ? std::optional(chosen) : std::nullopt;
  }

  std::optional<uint32_t> MostCovering(const std::vector<double>& missing,
                                       const std::vector<bool>& is_used) const {
    std::optional<uint32_t> best;
    double most = 0;
    for (uint32_t zone = 0; zone < node_.zones.size(); ++zone) {
      if (is_used[zone]) continue;
      double cover = 0;
      for (size_t i = 0; i < aligned_.size(); ++i) {
        if (missing[i] > 0) cover += std::min(missing[i], Available(zone, aligned_[i]));
      }
      if (cover > most) {
        most = cover;
        best = zone;
      }
    }
    return best;
  }

  // The fewest zones with enough allocatable of the resource.
  std::optional<size_t> Width(uint32_t resource, double need) const {
    const auto at = std::find(node_.aware.begin(), node_.aware.end(), resource);
    if (at == node_.aware.end()) return std::nullopt;
    const std::vector<double>& sums = node_.most[static_cast<size_t>(at - node_.aware.begin())];
    if (sums.empty() || sums.back() < need) return std::nullopt;
    const auto enough =
        std::find_if(sums.begin(), sums.end(), [&](double sum) { return sum >= need; });
    return enough == sums.end() ? std::nullopt
                                : std::optional(static_cast<size_t>(enough - sums.begin()) + 1);
  }

  std::optional<ZoneSet> OfPreferredWidth(std::span<const double> request) const {
    size_t width = 0;
    for (const uint32_t resource : aligned_) {
      const double need = Get(request, resource);
      if (need <= 0) continue;
      const std::optional<size_t> preferred = Width(resource, need);
      if (!preferred || (width != 0 && *preferred != width)) return std::nullopt;
      width = *preferred;
    }
    if (width == 0) return ZoneSet();
    return width == 1 ? FirstZone(request) : FirstSet(width, request);
  }

  // Sets of this size in lexicographic order.
  std::optional<ZoneSet> FirstSet(size_t width, std::span<const double> request) const {
    const size_t n = node_.zones.size();
    if (width > n) return std::nullopt;
    ZoneSet set(width);
    std::iota(set.begin(), set.end(), 0);
    for (;;) {
      if (Holds(set, request)) return set;
      size_t i = width;
      while (i > 0 && set[i - 1] == n - width + (i - 1)) --i;
      if (i == 0) return std::nullopt;
      ++set[i - 1];
      for (size_t j = i; j < width; ++j) set[j] = set[j - 1] + 1;
    }
  }

  const KaiNumaNode& node_;
  std::span<const uint32_t> aligned_;
  std::vector<std::vector<double>> drawn_;
};

// The number at the end of a zone's name.
std::optional<int64_t> ZoneNumber(std::string_view id) {
  const size_t last = id.find_last_not_of("0123456789");
  const std::string_view digits = last == std::string_view::npos ? id : id.substr(last + 1);
  int64_t number = 0;
  if (digits.empty() || !absl::SimpleAtoi(ToAbsl(digits), &number)) return std::nullopt;
  return number;
}

bool ZoneBefore(const KaiZone& a, const KaiZone& b) {
  const std::optional<int64_t> left = ZoneNumber(a.id), right = ZoneNumber(b.id);
  if (left && right && *left != *right) return *left < *right;
  if (left.has_value() != right.has_value()) return left.has_value();
  return a.id < b.id;
}

KaiZonePlacement Whole(const std::vector<std::vector<double>>& placed,
                       std::span<const uint32_t> aware) {
  KaiZonePlacement placement;
  for (uint32_t zone = 0; zone < placed.size(); ++zone) {
    if (placed[zone].empty()) continue;
    KaiZoneAmounts& row = placement.emplace_back();
    row.zone = zone;
    for (const uint32_t resource : aware) {
      const double amount = Get(placed[zone], resource);
      if (amount <= 0) continue;
      if (row.amounts.size() <= resource) row.amounts.resize(resource + 1);
      row.amounts[resource] = static_cast<double>(static_cast<int64_t>(amount));
    }
  }
  return placement;
}

void Charge(const KaiZonePlacement& placement, double sign, std::vector<KaiZone>* zones) {
  for (const KaiZoneAmounts& row : placement) {
    if (row.zone >= zones->size()) continue;
    std::vector<double>& available = (*zones)[row.zone].available;
    if (available.size() < row.amounts.size()) available.resize(row.amounts.size());
    for (size_t i = 0; i < row.amounts.size(); ++i) available[i] += sign * row.amounts[i];
  }
}

struct NamedPolicy {
  std::string_view name;
  KaiNumaRule rule;
};
constexpr NamedPolicy kLegacyPolicies[] = {
    {"SingleNUMANodePodLevel", {KaiNumaPolicy::kSingleNode, KaiNumaScope::kPod}},
    {"SingleNUMANodeContainerLevel", {KaiNumaPolicy::kSingleNode, KaiNumaScope::kContainer}},
    {"RestrictedPodLevel", {KaiNumaPolicy::kRestricted, KaiNumaScope::kPod}},
    {"Restricted", {KaiNumaPolicy::kRestricted, KaiNumaScope::kContainer}},
    {"RestrictedContainerLevel", {KaiNumaPolicy::kRestricted, KaiNumaScope::kContainer}},
    {"BestEffortPodLevel", {KaiNumaPolicy::kBestEffort, KaiNumaScope::kPod}},
    {"BestEffort", {KaiNumaPolicy::kBestEffort, KaiNumaScope::kContainer}},
    {"BestEffortContainerLevel", {KaiNumaPolicy::kBestEffort, KaiNumaScope::kContainer}},
};

}  // namespace

KaiNumaNode KaiNumaNode::Make(KaiNumaPolicy policy, KaiNumaScope scope, std::vector<KaiZone> zones,
                              std::vector<uint32_t> aware) {
  KaiNumaNode node = {policy, scope, std::move(zones), std::move(aware), {}};
  std::stable_sort(node.zones.begin(), node.zones.end(), ZoneBefore);
  for (const uint32_t resource : node.aware) {
    std::vector<double>& sums = node.most.emplace_back();
    for (const KaiZone& zone : node.zones) sums.push_back(Get(zone.allocatable, resource));
    std::sort(sums.begin(), sums.end(), std::greater<>());
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
  }
  return node;
}

bool KaiNumaNode::Solve(std::span<const uint32_t> aligned, const KaiNumaRequests& requests,
                        KaiZonePlacement* placement) const {
  ZoneView view(*this, aligned);
  std::vector<std::vector<double>> placed(zones.size());
  bool fits = true;
  for (size_t i = 0; i < requests.concurrent.size() && fits; ++i) {
    const std::optional<ZoneSet> set = view.Choose(requests.concurrent[i]);
    fits = set.has_value();
    const bool is_last = i + 1 == requests.concurrent.size();
    if (fits && (placement != nullptr || !is_last)) {
      view.Draw(requests.concurrent[i], *set, &placed);
    }
  }
  const ZoneView pristine(*this, aligned);
  for (size_t i = 0; i < requests.serial.size() && fits; ++i) {
    fits = pristine.Choose(requests.serial[i]).has_value();
  }
  if (placement != nullptr) *placement = Whole(placed, aware);
  return fits;
}

void KaiNumaNode::Take(const KaiZonePlacement& placement) { Charge(placement, -1, &zones); }

void KaiNumaNode::Release(const KaiZonePlacement& placement) { Charge(placement, 1, &zones); }

void KaiNumaNode::Reset() {
  for (KaiZone& zone : zones) zone.available = zone.allocatable;
}

bool IsKaiNumaFiltering(KaiNumaPolicy policy) {
  return policy == KaiNumaPolicy::kSingleNode || policy == KaiNumaPolicy::kRestricted;
}

bool IsKaiNumaScoring(KaiNumaPolicy policy) { return policy != KaiNumaPolicy::kNone; }

KaiNumaRule ParseKaiNumaRule(std::string_view policy, std::string_view scope,
                             std::string_view legacy) {
  if (policy.empty()) {
    for (const NamedPolicy& named : kLegacyPolicies) {
      if (named.name == legacy) return named.rule;
    }
    return {};
  }
  return {policy == "single-numa-node" ? KaiNumaPolicy::kSingleNode
          : policy == "restricted"     ? KaiNumaPolicy::kRestricted
          : policy == "best-effort"    ? KaiNumaPolicy::kBestEffort
                                       : KaiNumaPolicy::kNone,
          scope == "pod" ? KaiNumaScope::kPod : KaiNumaScope::kContainer};
}

bool IsKaiQosGated(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

double KaiNumaSpanScore(size_t span) { return kKaiNumaScore / static_cast<double>(span); }

}  // namespace muster
