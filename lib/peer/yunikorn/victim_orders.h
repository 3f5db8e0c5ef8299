// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The orders in which victims are taken. Each sorts as the peer does, equals included.
#ifndef MUSTER_PEER_YUNIKORN_VICTIM_ORDERS_H_
#define MUSTER_PEER_YUNIKORN_VICTIM_ORDERS_H_

#include <cstdint>
#include <vector>

#include "lib/peer/yunikorn/objects.h"

namespace muster::yunikorn {

inline constexpr uint64_t kScoreFits = uint64_t{1} << 32;  // scores below it disturb no one
inline constexpr uint64_t kScoreOriginator = uint64_t{1} << 33;
inline constexpr uint64_t kScoreOptedOut = uint64_t{1} << 34;
inline constexpr uint64_t kScoreUnfit = uint64_t{1} << 35;

// How bad it is to stop the pod.
uint64_t VictimScore(const Allocation& allocation);

// On one node: pods that may be preempted, then those that are no originators, then the newest.
void SortNodeVictims(const std::vector<Allocation>& allocations, std::vector<Index>& victims);
// Anywhere: by VictimScore, then the newest.
void SortMoreVictims(const std::vector<Allocation>& allocations, std::vector<Index>& victims);
// For a required node: regular pods, opted-out ones, originators; then the least priority, the
// newest, the smallest. Of equal pods each is before the other.
void SortRequiredNodeVictims(const std::vector<Allocation>& allocations,
                             std::vector<Index>& victims);
// Over a lowered limit: the highest VictimScore plus matching types, then the least priority, the
// latest hour of creation, the smallest share of `total` of the types of `excess`. Surprise: the
// peer takes opted-out pods and originators first.
void SortQuotaVictims(const std::vector<Allocation>& allocations, const Resource& total,
                      const Resource& excess, std::vector<Index>& victims);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_VICTIM_ORDERS_H_
