// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fewest zones of a machine that together hold a request, and how close they are to one
// another.
#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/container/inlined_vector.h"
#include "lib/fit/zoned_node.h"

namespace muster {
namespace {

constexpr float kNoDistance = 255;  // of no zones, and the most that counts as close
constexpr float kTooFar = 256;      // from here on a set is no answer
constexpr int64_t kMostSets = int64_t{1} << 20;

int64_t SetsOf(size_t zones, size_t count) {
  int64_t sets = 1;
  for (size_t i = 0; i < count && sets <= kMostSets; ++i) {
    sets = sets * static_cast<int64_t>(zones - i) / static_cast<int64_t>(i + 1);
  }
  return sets;
}

// Calls visit(positions) for each set of `count` of `zones`, in lexicographic order, until it
// returns false.
template <typename Visit>
void ForEachSet(size_t zones, size_t count, Visit visit) {
  absl::InlinedVector<size_t, 16> set(count);
  std::iota(set.begin(), set.end(), size_t{0});
  while (visit(std::span<const size_t>(set.data(), count))) {
    size_t last = count;
    while (last > 0 && set[last - 1] == zones - count + last - 1) --last;
    if (last == 0) return;
    ++set[last - 1];
    for (size_t i = last; i < count; ++i) set[i] = set[i - 1] + 1;
  }
}

}  // namespace

int64_t ZonedNode::Pairs(std::span<const size_t> positions) const {
  int64_t sum = 0;
  for (size_t from : positions) {
    for (size_t to : positions) sum += distances_[from * ids_.size() + to];
  }
  return sum;
}

float ZonedNode::Distance(std::span<const size_t> positions) const {
  if (positions.empty()) return kNoDistance;
  return static_cast<float>(Pairs(positions)) /
         static_cast<float>(positions.size() * positions.size());
}

float ZonedNode::ClosestDistance(size_t count) const {
  if (count < closest_.size()) return closest_[count];
  float closest = kNoDistance;
  if (count == 0 || count > ids_.size()) return closest;
  ForEachSet(ids_.size(), count, [&](std::span<const size_t> set) {
    closest = std::min(closest, Distance(set));
    return true;
  });
  return closest;
}

bool ZonedNode::ConcernsNoZone(const ZonedRequest& request) const {
  return std::none_of(request.begin(), request.end(), [&](const ZonedAmount& asked) {
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (available(i, asked.resource) != Zone::kAbsent) return true;
    }
    return false;
  });
}

// Whether the best `count` zones of each resource have enough of it: if not, no set of that size
// has.
bool ZonedNode::CouldHold(const ZonedRequest& request, bool guaranteed, size_t count) const {
  absl::InlinedVector<int64_t, 16> amounts;
  for (const ZonedAmount& asked : request) {
    amounts.clear();
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (const int64_t has = available(i, asked.resource); has != Zone::kAbsent) {
        amounts.push_back(has);
      }
    }
    if (amounts.size() < count) return false;  // every zone of the set must have the resource
    if (asked.amount == 0 || (!guaranteed && asked.kind.is_bound)) continue;
    if (count == 1) {
      if (*std::ranges::max_element(amounts) < asked.amount) return false;
      continue;
    }
    std::partial_sort(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(count),
                      amounts.end(), std::greater<>());
    int64_t sum = 0;
    for (size_t i = 0; i < count && sum < asked.amount; ++i) sum += amounts[i];
    if (sum < asked.amount) return false;
  }
  return true;
}

std::optional<ZonedNode::ZoneSet> ZonedNode::SetOf(size_t count, const ZonedRequest& request,
                                                   bool guaranteed) const {
  const float closest = ClosestDistance(count);
  absl::InlinedVector<size_t, 16> best;
  float best_distance = kTooFar;
  const auto holds = [&](std::span<const size_t> set, const ZonedAmount& asked) {
    if (asked.resource >= resources_) return false;
    const int64_t* const has = &amounts_[asked.resource * ids_.size()];
    int64_t sum = 0;
    for (const size_t position : set) {
      if (has[position] == Zone::kAbsent) return false;
      sum = std::min(sum + has[position], std::numeric_limits<int64_t>::max() / 2);
    }
    return asked.amount <= 0 || (!guaranteed && asked.kind.is_bound) || sum >= asked.amount;
  };
  ForEachSet(ids_.size(), count, [&](std::span<const size_t> set) {
    for (const ZonedAmount& asked : request) {
      if (!holds(set, asked)) return true;
    }
    const float distance = Distance(set);
    if (distance == closest || distance < best_distance) {
      best.assign(set.begin(), set.end());
      best_distance = distance;
    }
    return distance != closest;
  });
  if (best.empty()) return std::nullopt;
  return ZoneSet{{best.begin(), best.end()}, best_distance == closest};
}

std::optional<ZonedNode::ZoneSet> ZonedNode::FewestZones(const ZonedRequest& request,
                                                         bool guaranteed) const {
  for (size_t count = 1; count <= ids_.size(); ++count) {
    if (!CouldHold(request, guaranteed, count)) continue;
    if (SetsOf(ids_.size(), count) > kMostSets) return std::nullopt;
    if (std::optional<ZoneSet> set = SetOf(count, request, guaranteed)) return set;
  }
  return std::nullopt;
}

int64_t ZonedNode::CountScore(size_t zones, bool is_closest, int64_t most_zones) {
  const int64_t step = 100 / most_zones;
  return 100 - static_cast<int64_t>(zones) * step + (is_closest ? step / 2 : 0);
}

int64_t ZonedNode::FewestZonesScore(const ZonedTask& task) const {
  if (options_.scope == ZoneScope::kPod) {
    if (ConcernsNoZone(task.whole)) return 100;
    const std::optional<ZoneSet> set = FewestZones(task.whole, task.guaranteed);
    if (!set.has_value()) return 0;
    return CountScore(set->positions.size(), set->is_closest, options_.most_zones);
  }
  size_t most = 0;
  bool all_closest = true;
  std::optional<ZonedNode> left;
  for (size_t i = 0; i < task.parts.size(); ++i) {
    const ZonedRequest& request = task.parts[i].second;
    const ZonedNode& now = left.has_value() ? *left : *this;
    if (now.ConcernsNoZone(request)) continue;
    const std::optional<ZoneSet> set = now.FewestZones(request, task.guaranteed);
    if (!set.has_value()) return 0;
    all_closest &= set->is_closest;
    most = std::max(most, set->positions.size());
    if (i + 1 == task.parts.size()) break;
    std::vector<int> ids;
    for (size_t position : set->positions) ids.push_back(ids_[position]);
    std::sort(ids.begin(), ids.end());
    if (!left.has_value()) left = *this;
    left->TakeAcross(ids, request);
  }
  return most == 0 ? 100 : CountScore(most, all_closest, options_.most_zones);
}

}  // namespace muster
