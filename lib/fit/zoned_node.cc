// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What zones hold, the check, and the scores of single zones. zoned_sets.cc looks for sets of
// zones.
#include "lib/fit/zoned_node.h"

#include <algorithm>
#include <bit>

#include "absl/container/inlined_vector.h"
#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr int64_t kUnknownDistance = 255;
constexpr int64_t kLargestAmount = int64_t{1} << 53;
constexpr int64_t kFarthest = int64_t{1} << 40;
constexpr size_t kFewZones = 8;  // all sets of so many are looked at when the machine is read

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Units are 1 or 1,000: a division by a number that the compiler knows is no division.
int64_t WholeUnits(int64_t amount, int64_t unit) {
  if (unit == 1) return amount;
  if (unit == 1'000) return (amount + 999) / 1'000;
  return (amount + unit - 1) / unit;
}

// REQUIRES: both are at least 0. Small numbers divide quicker.
int64_t Divided(int64_t a, int64_t b) {
  if (((a | b) >> 32) != 0) return a / b;
  return static_cast<int64_t>(static_cast<uint32_t>(a) / static_cast<uint32_t>(b));
}

// The zones that suit a request for one resource, as bits by id.
struct SuitableZones {
  uint64_t ids = 0;
  bool is_zoned = false;  // some zone has the resource
};
// `has`: what each zone has.
SuitableZones Suitable(const ZonedAmount& asked, bool guaranteed, std::span<const int> ids,
                       const int64_t* has) {
  const int64_t least = !guaranteed && asked.kind.is_bound ? 0 : std::max<int64_t>(0, asked.amount);
  SuitableZones zones;
  for (size_t i = 0; i < ids.size(); ++i) {
    zones.is_zoned |= has[i] != Zone::kAbsent;
    zones.ids |= uint64_t{has[i] >= least} << ids[i];
  }
  return zones;
}

bool AreEqual(const ZonedRequest& a, const ZonedRequest& b) {
  return std::ranges::equal(a, b, [](const ZonedAmount& x, const ZonedAmount& y) {
    return x.resource == y.resource && x.amount == y.amount && x.kind.unit == y.kind.unit;
  });
}

// Sample variance; the second sum takes out what the mean was rounded by.
double Variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double count = static_cast<double>(values.size());
  double sum = 0, squares = 0, rest = 0;
  for (double value : values) sum += value;
  const double mean = sum / count;
  for (double value : values) {
    const double difference = value - mean;
    squares += difference * difference;
    rest += difference;
  }
  return (squares - rest * rest / count) / (count - 1);
}

}  // namespace

ZonedResource ZonedResourceOf(std::string_view name) {
  const bool is_native = name.find('/') == std::string_view::npos ||
                         name.find("kubernetes.io/") != std::string_view::npos;
  return {.is_bound = name == "cpu" || name == "memory" || StartsWith(name, "hugepages-"),
          .may_float = name == "ephemeral-storage" || name == "storage" || !is_native,
          .unit = name == "cpu" ? 1000 : 1,
          .is_native = is_native};
}

absl::StatusOr<ZonedNode> ZonedNode::Make(const Options& options, std::span<const Zone> zones,
                                          std::vector<bool> on_machine) {
  ZonedNode node;
  if (options.most_zones < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a machine of at most ", options.most_zones, " zones"));
  }
  node.options_ = options;
  node.on_machine_ = std::move(on_machine);
  for (const Zone& zone : zones) {
    const auto refuse = [&](auto... rule) {
      return absl::InvalidArgumentError(absl::StrCat("zone ", zone.id, ": ", rule...));
    };
    if (zone.id < 0 || zone.id >= kMostZones) return refuse("ids are 0 to 63");
    if (std::count(node.ids_.begin(), node.ids_.end(), zone.id) > 0)
      return refuse("is there twice");
    for (int64_t amount : zone.available) {
      if (amount < Zone::kAbsent || amount > kLargestAmount) {
        return refuse("an amount of ", amount, " is not within 0 and 2^53");
      }
    }
    for (const auto& [to, distance] : zone.distances) {
      if (distance < 0 || distance > kFarthest) return refuse("a distance of ", distance);
    }
    node.ids_.push_back(zone.id);
    node.resources_ = std::max(node.resources_, zone.available.size());
  }
  const size_t count = zones.size();
  node.amounts_.assign(node.resources_ * count, Zone::kAbsent);
  node.distances_.assign(count * count, kUnknownDistance);
  for (size_t i = 0; i < count; ++i) {
    for (size_t r = 0; r < zones[i].available.size(); ++r) *node.At(i, r) = zones[i].available[r];
    for (const auto& [to, distance] : zones[i].distances) {
      const auto it = std::find(node.ids_.begin(), node.ids_.end(), to);
      if (it == node.ids_.end()) continue;  // of a zone that is not there
      node.distances_[i * count + static_cast<size_t>(it - node.ids_.begin())] = distance;
    }
  }
  if (count <= kFewZones) {
    std::vector<float> closest;
    for (size_t k = 0; k <= count; ++k) closest.push_back(node.ClosestDistance(k));
    node.closest_ = std::move(closest);
  }
  return node;
}

std::optional<int> ZonedNode::SingleZone(const ZonedRequest& request, bool guaranteed,
                                         size_t* short_of) const {
  return SingleZoneOf(amounts_, request, guaranteed, short_of);
}

std::optional<int> ZonedNode::SingleZoneOf(std::span<const int64_t> amounts,
                                           const ZonedRequest& request, bool guaranteed,
                                           size_t* short_of) const {
  uint64_t suitable = ~uint64_t{0};
  for (const ZonedAmount& asked : request) {
    if (asked.amount == 0) continue;
    if (short_of != nullptr) *short_of = asked.resource;
    if (asked.resource >= on_machine_.size() || !on_machine_[asked.resource]) return std::nullopt;
    SuitableZones zones;
    if (asked.resource < resources_) {
      zones = Suitable(asked, guaranteed, ids_, amounts.data() + asked.resource * ids_.size());
    }
    if (!zones.is_zoned && asked.kind.may_float) continue;
    suitable &= zones.ids;
    if (suitable == 0) return std::nullopt;
  }
  return std::countr_zero(suitable);
}

absl::Status ZonedNode::TakeFrom(int id, const ZonedRequest& request, bool guaranteed) {
  return TakeFromOf(amounts_, id, request, guaranteed);
}

absl::Status ZonedNode::TakeFromOf(std::span<int64_t> amounts, int id, const ZonedRequest& request,
                                   bool guaranteed) const {
  const auto it = std::find(ids_.begin(), ids_.end(), id);
  if (it == ids_.end()) return absl::OkStatus();
  const size_t position = static_cast<size_t>(it - ids_.begin());
  for (const ZonedAmount& asked : request) {
    if (asked.resource >= resources_) continue;
    int64_t& left = amounts[asked.resource * ids_.size() + position];
    const int64_t has = left;
    if (asked.amount == 0 || has == Zone::kAbsent || (!guaranteed && asked.kind.is_bound)) continue;
    if (has < asked.amount) {
      return absl::FailedPreconditionError(absl::StrCat("zone ", id, ": ", asked.amount,
                                                        " of resource ", asked.resource, " asked, ",
                                                        has, " there"));
    }
    left = has - asked.amount;
  }
  return absl::OkStatus();
}

void ZonedNode::TakeAcross(std::span<const int> positions, const ZonedRequest& request) {
  for (const ZonedAmount& asked : request) {
    int64_t rest = asked.amount;
    for (int position : positions) {
      const size_t at = static_cast<size_t>(position);
      if (at >= ids_.size() || available(at, asked.resource) == Zone::kAbsent) continue;
      const int64_t taken = std::min(rest, available(at, asked.resource));
      *At(at, asked.resource) -= taken;
      rest -= taken;
    }
  }
}

void ZonedNode::TakeFromAll(size_t resource, int64_t amount) {
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (available(i, resource) == Zone::kAbsent) continue;
    *At(i, resource) -= std::min(amount, available(i, resource));
  }
}

std::optional<ZonedNode::Refusal> ZonedNode::Check(const ZonedTask& task) const {
  if (!task.is_judged || options_.policy != ZonePolicy::kSingle) return std::nullopt;
  size_t short_of = 0;
  if (options_.scope == ZoneScope::kPod) {
    if (SingleZone(task.whole, task.guaranteed, &short_of).has_value()) return std::nullopt;
    return Refusal{0, short_of};
  }
  absl::InlinedVector<int64_t, 32> left;  // what zones have once something was taken
  for (size_t i = 0; i < task.parts.size(); ++i) {
    const auto& [part, request] = task.parts[i];
    const std::span<const int64_t> now = left.empty()
                                             ? std::span<const int64_t>(amounts_)
                                             : std::span<const int64_t>(left.data(), left.size());
    const std::optional<int> zone = SingleZoneOf(now, request, task.guaranteed, &short_of);
    if (!zone.has_value()) return Refusal{i, short_of};
    if (part != ZonedTask::Part::kMain || i + 1 == task.parts.size()) continue;
    if (left.empty()) left.assign(amounts_.begin(), amounts_.end());
    // A zone that suits has enough; one with no request may not, and then the task is
    // refused.
    const absl::Status taken =
        TakeFromOf(std::span<int64_t>(left.data(), left.size()), *zone, request, task.guaranteed);
    if (!taken.ok()) return Refusal{i, short_of};
  }
  return std::nullopt;
}

int64_t ZonedNode::ZonesScore(const ZonedRequest& request, const ZoneScoring& scoring) const {
  const bool balanced = scoring.strategy == ZoneStrategy::kBalanced;
  struct Asked {
    int64_t amount, unit, wanted, weight;
    const int64_t* has;  // by zone; null: no zone has the resource
  };
  absl::InlinedVector<Asked, 8> all;
  absl::int128 weights = 0;
  for (const ZonedAmount& asked : request) {
    const int64_t weight = asked.resource < scoring.weights.size()
                               ? std::max<int64_t>(1, scoring.weights[asked.resource])
                               : 1;
    weights += weight;
    all.push_back(
        {asked.amount, asked.kind.unit, WholeUnits(asked.amount, asked.kind.unit), weight,
         asked.resource < resources_ ? &amounts_[asked.resource * ids_.size()] : nullptr});
  }
  constexpr int64_t kMostWeights = int64_t{1} << 56;
  const bool is_small = weights <= kMostWeights;
  absl::InlinedVector<double, 8> fractions;
  int64_t smallest = 0;
  for (size_t zone = 0; zone < ids_.size(); ++zone) {
    absl::int128 large = 0;
    int64_t sum = 0, score = 0;
    bool is_above = false;
    fractions.clear();
    for (const Asked& asked : all) {
      const int64_t has = asked.has == nullptr ? 0 : std::max<int64_t>(0, asked.has[zone]);
      if (balanced) {
        const int64_t whole = WholeUnits(has, asked.unit);
        fractions.push_back(
            whole == 0 ? 1 : static_cast<double>(asked.wanted) / static_cast<double>(whole));
        is_above |= fractions.back() > 1;
        continue;
      }
      if (has == 0 || asked.amount > has) continue;
      const int64_t whole = WholeUnits(has, asked.unit);
      const int64_t counted =
          scoring.strategy == ZoneStrategy::kMostAllocated ? asked.wanted : whole - asked.wanted;
      const int64_t part = Divided(counted * 100, whole);
      if (is_small) {
        sum += part * asked.weight;
      } else {
        large += absl::int128(part) * asked.weight;
      }
    }
    if (balanced) {
      if (!is_above) score = static_cast<int64_t>((1 - Variance(fractions)) * 100);
    } else if (is_small && weights > 0) {
      score = Divided(sum, static_cast<int64_t>(weights));
    } else if (weights > 0) {
      score = static_cast<int64_t>(large / weights);
    }
    if (smallest == 0 || (score != 0 && score < smallest)) smallest = score;
  }
  return smallest;
}

int64_t ZonedNode::Score(const ZonedTask& task, const ZoneScoring& scoring) const {
  if (!task.guaranteed) return 100;
  if (scoring.strategy == ZoneStrategy::kFewestZones) return FewestZonesScore(task);
  if (options_.policy != ZonePolicy::kSingle) return 0;
  if (options_.scope == ZoneScope::kPod) return ZonesScore(task.whole, scoring);
  if (task.parts.empty()) return 0;
  int64_t sum = 0;
  int64_t score = 0;
  for (size_t i = 0; i < task.parts.size(); ++i) {
    const ZonedRequest& request = task.parts[i].second;
    // Containers of a task are often alike.
    if (i == 0 || !AreEqual(request, task.parts[i - 1].second))
      score = ZonesScore(request, scoring);
    sum += score;
  }
  return sum / static_cast<int64_t>(task.parts.size());
}

}  // namespace muster
