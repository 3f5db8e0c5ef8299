// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A sweep finds the level, over the points where a portion leaves its floor or reaches its ceiling.
// Weights are below 2^32, portions fewer than 2^31 and amounts below 2^63, so no product reaches
// 2^127.
#include "lib/share/weighted_division.h"

#include <algorithm>

#include "absl/numeric/int128.h"

namespace muster {
namespace {

using absl::int128;

constexpr int64_t kLargestWeight = int64_t{1} << 31;

// At level amount / weight the portion starts to grow, or stops.
struct Bend {
  int64_t amount, weight;
  bool starts;
};

int128 SumOf(const std::vector<Portion>& portions, int64_t Portion::*part) {
  int128 sum = 0;
  for (const Portion& p : portions) sum += p.*part;
  return sum;
}

void Divide(int128 total, std::vector<Portion>& portions) {
  if (SumOf(portions, &Portion::ceiling) <= total) {
    for (Portion& p : portions) p.amount = p.ceiling;
    return;
  }
  if (SumOf(portions, &Portion::floor) > total) {
    std::vector<Portion> floors = portions;
    for (Portion& p : floors) p = {p.weight, 0, p.floor};
    Divide(std::max(total, int128(0)), floors);
    for (size_t i = 0; i < portions.size(); ++i) portions[i].amount = floors[i].amount;
    return;
  }
  std::vector<Bend> bends;
  bends.reserve(2 * portions.size());
  int128 settled = 0, weights = 0;  // held by portions that stopped; weight of those that grow
  for (const Portion& p : portions) {
    settled += p.floor;
    bends.push_back({p.floor, p.weight, true});
    bends.push_back({p.ceiling, p.weight, false});
  }
  std::sort(bends.begin(), bends.end(), [](const Bend& a, const Bend& b) {
    return int128(a.amount) * b.weight < int128(b.amount) * a.weight;
  });
  for (const Bend& bend : bends) {
    if (int128(bend.amount) * weights >= (total - settled) * bend.weight && weights > 0) break;
    settled += bend.starts ? -int128(bend.amount) : int128(bend.amount);
    weights += bend.starts ? bend.weight : -bend.weight;
  }
  for (Portion& p : portions) {
    const int128 amount = weights > 0 ? (total - settled) * p.weight / weights : int128(p.ceiling);
    p.amount = static_cast<int64_t>(std::clamp(amount, int128(p.floor), int128(p.ceiling)));
  }
}

}  // namespace

void DivideByWeight(int64_t total, std::vector<Portion>& portions) {
  // Where there is enough for all, weights do not matter.
  if (SumOf(portions, &Portion::ceiling) <= total) {
    for (Portion& p : portions) p.amount = p.ceiling;
    return;
  }
  const auto is_plain = [](const Portion& p) { return p.weight > 0 && p.weight <= kLargestWeight; };
  if (std::all_of(portions.begin(), portions.end(), is_plain)) {
    Divide(std::max<int64_t>(total, 0), portions);
    return;
  }
  std::vector<Portion> weighted, unweighted;
  weighted.reserve(portions.size());
  int128 left = total;
  for (const Portion& p : portions) {
    if (p.weight > 0) {
      weighted.push_back({std::min(p.weight, kLargestWeight), p.floor, p.ceiling});
    } else {
      unweighted.push_back({1, p.floor, p.ceiling});
      left -= p.floor;
    }
  }
  Divide(std::max(left, int128(0)), weighted);
  if (!unweighted.empty()) {
    const int128 floors = SumOf(unweighted, &Portion::floor);
    int128 rest = int128(total) - SumOf(weighted, &Portion::amount);
    // What rounding left over exceeds no floor while others are below theirs.
    if (SumOf(weighted, &Portion::floor) + floors > total) rest = std::min(rest, floors);
    Divide(rest, unweighted);
  }
  size_t next[2] = {0, 0};
  for (Portion& p : portions) {
    p.amount = p.weight > 0 ? weighted[next[0]++].amount : unweighted[next[1]++].amount;
  }
}

}  // namespace muster
