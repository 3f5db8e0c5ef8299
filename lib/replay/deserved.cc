// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/deserved.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace muster {
namespace {

constexpr double kClose = 1e-12;
constexpr int kHalvings = 90;

// One queue among its siblings. Parts are of the machine.
struct Claim {
  std::vector<double> wanted;  // by dimension
  double dominant = 0;         // the largest of them
  double weight = 0, least = 0, most = 0;
  double granted = 0;  // its dominant share
  bool stays = false;  // a resource that it requests is full

  double At(double level) const {
    return stays ? granted : std::clamp(level * weight, least, most);
  }
  // What it holds of a dimension at the dominant share.
  double Holds(size_t d, double share) const {
    return dominant > 0 ? wanted[d] * (share / dominant) : 0;
  }
};

// Returns whether the dimension holds claims back. One that none of those that still rise requests
// does not: guarantees may exceed it.
bool IsFull(std::span<const Claim> claims, const std::vector<double>& room, size_t d,
            double level) {
  double held = 0;
  bool rises = false;
  for (const Claim& claim : claims) {
    held += claim.Holds(d, claim.At(level));
    rises |= !claim.stays && claim.wanted[d] > 0;
  }
  return rises && held > room[d] + kClose;
}

bool IsAnyFull(std::span<const Claim> claims, const std::vector<double>& room, double level) {
  for (size_t d = 0; d < room.size(); ++d) {
    if (IsFull(claims, room, d, level)) return true;
  }
  return false;
}

// Returns the level from which on all that still rise have the most that they may have.
double Top(std::span<const Claim> claims) {
  double top = 0;
  for (const Claim& claim : claims) {
    if (!claim.stays && claim.weight > 0) top = std::max(top, claim.most / claim.weight);
  }
  return top;
}

void Fill(const std::vector<double>& room, std::span<Claim> claims) {
  double level = 0;
  for (size_t round = 0; round <= room.size(); ++round) {
    double low = level, high = Top(claims);
    const bool ends = !IsAnyFull(claims, room, high);
    for (int i = 0; i < kHalvings && !ends; ++i) {
      const double middle = low + (high - low) / 2;
      (IsAnyFull(claims, room, middle) ? high : low) = middle;
    }
    level = ends ? std::max(level, high) : low;
    std::vector<uint8_t> full(room.size());
    for (size_t d = 0; d < room.size() && !ends; ++d) full[d] = IsFull(claims, room, d, high);
    for (Claim& claim : claims) {
      claim.granted = claim.At(level);
      for (size_t d = 0; d < room.size(); ++d) claim.stays |= full[d] && claim.wanted[d] > 0;
    }
    if (ends) return;
  }
}

// Returns the largest dominant share at which what is held stays within `amounts`, of those that
// are set and requested: infinity if there are none. Without amounts, `none`.
double Within(const Claim& claim, const std::optional<DivisionAmounts>& amounts,
              const DivisionAmounts& capacity, double none) {
  if (!amounts) return none;
  double share = std::numeric_limits<double>::infinity();
  for (size_t d = 0; d < capacity.size(); ++d) {
    if ((*amounts)[d] < 0 || claim.wanted[d] <= 0) continue;
    const double part = static_cast<double>((*amounts)[d]) / static_cast<double>(capacity[d]);
    share = std::min(share, claim.dominant * (part / claim.wanted[d]));
  }
  return share;
}

}  // namespace

MachineDivision::MachineDivision(std::vector<DivisionQueue> queues)
    : queues_(std::move(queues)), children_(queues_.size() + 1) {
  for (size_t q = 0; q < queues_.size(); ++q) {
    children_[std::min(queues_[q].parent, queues_.size())].push_back(q);
  }
  order_ = children_.back();
  for (size_t i = 0; i < order_.size(); ++i) {
    const std::vector<size_t>& below = children_[order_[i]];
    order_.insert(order_.end(), below.begin(), below.end());
  }
}

std::vector<double> MachineDivision::Divide(std::span<const std::vector<double>> wanted,
                                            const DivisionAmounts& capacity) const {
  std::vector<Claim> claims(queues_.size());
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    Claim& claim = claims[*at];
    claim.wanted.resize(capacity.size());
    for (size_t d = 0; d < capacity.size(); ++d) {
      if (capacity[d] <= 0) continue;
      claim.wanted[d] += std::max(wanted[*at][d], 0.0) / static_cast<double>(capacity[d]);
      claim.dominant = std::max(claim.dominant, claim.wanted[d]);
    }
    const DivisionQueue& queue = queues_[*at];
    claim.weight = static_cast<double>(queue.weight);
    claim.most = std::min(claim.dominant, Within(claim, queue.limit, capacity, claim.dominant));
    const double floor = Within(claim, queue.guaranteed, capacity, 0);
    claim.least = std::isfinite(floor) ? std::min(claim.most, floor) : 0;
    if (queue.parent >= claims.size()) continue;
    std::vector<double>& above = claims[queue.parent].wanted;
    above.resize(capacity.size());
    for (size_t d = 0; d < capacity.size(); ++d) above[d] += claim.wanted[d];
  }
  const auto divide = [&](const std::vector<size_t>& siblings, const std::vector<double>& room) {
    std::vector<Claim> level;
    for (const size_t q : siblings) level.push_back(std::move(claims[q]));
    Fill(room, level);
    for (size_t i = 0; i < siblings.size(); ++i) claims[siblings[i]] = std::move(level[i]);
  };
  divide(children_.back(), std::vector<double>(capacity.size(), 1.0));
  for (const size_t q : order_) {
    if (children_[q].empty()) continue;
    std::vector<double> room(capacity.size());
    for (size_t d = 0; d < room.size(); ++d) room[d] = claims[q].Holds(d, claims[q].granted);
    divide(children_[q], room);
  }
  std::vector<double> deserved(claims.size());
  for (size_t q = 0; q < claims.size(); ++q) deserved[q] = claims[q].granted;
  return deserved;
}

void MachineDivision::AddChildren(std::vector<DivisionAmounts>* held) const {
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    const size_t above = queues_[*at].parent;
    if (above >= queues_.size()) continue;
    for (size_t d = 0; d < (*held)[*at].size(); ++d) (*held)[above][d] += (*held)[*at][d];
  }
}

}  // namespace muster
