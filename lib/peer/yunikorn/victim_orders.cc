// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/victim_orders.h"

#include "lib/peer/yunikorn/shares.h"
#include "lib/peer/yunikorn/stable_sort.h"

namespace muster::yunikorn {
namespace {

// Kinds of pods for a required node.
int KindOf(const Allocation& allocation) {
  if (allocation.originator) return 3;
  return allocation.may_be_preempted ? 1 : 2;
}

// Hours since year one, as the peer cuts times. The epoch is a whole number of hours after that.
int64_t HourOf(Nanos time) {
  constexpr Nanos kHour = 3600 * kSecond;
  return time / kHour - (time % kHour < 0 ? 1 : 0);
}

template <class Before>
void Sort(const std::vector<Allocation>& allocations, std::vector<Index>& victims, Before before) {
  GoStableSort(victims, [&](size_t i, size_t j) {
    return before(allocations[victims[i]], allocations[victims[j]]);
  });
}

}  // namespace

uint64_t VictimScore(const Allocation& allocation) {
  return (allocation.originator ? kScoreOriginator : 0) |
         (allocation.may_be_preempted ? 0 : kScoreOptedOut);
}

void SortNodeVictims(const std::vector<Allocation>& allocations, std::vector<Index>& victims) {
  Sort(allocations, victims, [](const Allocation& l, const Allocation& r) {
    if (l.may_be_preempted != r.may_be_preempted) return l.may_be_preempted;
    if (l.originator != r.originator) return r.originator;
    return l.create_time > r.create_time;
  });
}

void SortMoreVictims(const std::vector<Allocation>& allocations, std::vector<Index>& victims) {
  Sort(allocations, victims, [](const Allocation& l, const Allocation& r) {
    const uint64_t left = VictimScore(l), right = VictimScore(r);
    return left != right ? left < right : l.create_time > r.create_time;
  });
}

void SortRequiredNodeVictims(const std::vector<Allocation>& allocations,
                             std::vector<Index>& victims) {
  Sort(allocations, victims, [](const Allocation& l, const Allocation& r) {
    if (KindOf(l) != KindOf(r)) return KindOf(l) < KindOf(r);
    if (l.priority != r.priority) return l.priority < r.priority;
    if (l.create_time != r.create_time) return l.create_time > r.create_time;
    return Equals(l.resource, r.resource) || !AboveZero(Sub(l.resource, r.resource));
  });
}

void SortQuotaVictims(const std::vector<Allocation>& allocations, const Resource& total,
                      const Resource& excess, std::vector<Index>& victims) {
  Sort(allocations, victims, [&](const Allocation& l, const Allocation& r) {
    const uint64_t left = VictimScore(l) + TypeMatching(l.resource, excess);
    const uint64_t right = VictimScore(r) + TypeMatching(r.resource, excess);
    if (left != right) return left > right;
    if (l.priority != r.priority) return l.priority < r.priority;
    const int64_t left_hour = HourOf(l.create_time), right_hour = HourOf(r.create_time);
    if (left_hour != right_hour) return left_hour > right_hour;
    return CompareUsageOf(l.resource, r.resource, total, excess) <= 0;
  });
}

}  // namespace muster::yunikorn
