// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_choice.h"

#include <algorithm>
#include <numeric>

#include "absl/numeric/int128.h"

namespace muster {
namespace {

constexpr int64_t kWholeScore = 100, kPreferredScore = 1000;

}  // namespace

int64_t ReservationScore(const Sparse& request, const Reserved& reserved) {
  int64_t sum = 0, resources = 0;
  // With victims, owners count in the resources that are reserved alone.
  const uint64_t counted = reserved.preempted.keys() == 0 ? ~uint64_t{0} : reserved.names;
  ForEachResource(reserved.total.keys(), [&](size_t r) {
    const int64_t total = reserved.total.at(r);
    if (total == 0) return;
    ++resources;
    absl::int128 used = 0;
    if (counted >> r & 1) used = absl::int128(reserved.used.at(r)) - reserved.preempted.at(r);
    const absl::int128 all = std::max<absl::int128>(used, 0) + request.at(r);
    if (all <= total) sum += static_cast<int64_t>(kWholeScore * all / total);
  });
  return resources == 0 ? 0 : sum / resources;
}

size_t LeastOrder(std::span<const int64_t> orders) {
  size_t least = kNoReservation;
  for (size_t i = 0; i < orders.size(); ++i) {
    if (orders[i] == 0) continue;
    if (least == kNoReservation || orders[i] < orders[least]) least = i;
  }
  return least;
}

size_t NominateReservation(std::span<const ReservationOffer> offers) {
  std::vector<int64_t> orders;
  for (const ReservationOffer& offer : offers) orders.push_back(offer.order);
  if (const size_t ordered = LeastOrder(orders); ordered != kNoReservation) return ordered;
  const auto best = std::max_element(
      offers.begin(), offers.end(),
      [](const ReservationOffer& a, const ReservationOffer& b) { return a.score < b.score; });
  return best == offers.end() ? kNoReservation : static_cast<size_t>(best - offers.begin());
}

std::vector<size_t> BestFillFirst(std::span<const Sparse> tasks, const Reserved& reserved) {
  std::vector<int64_t> scores;
  for (const Sparse& task : tasks) scores.push_back(ReservationScore(task, reserved));
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  return order;
}

std::vector<int64_t> ReservationNodeScores(std::span<const ReservationNode> nodes) {
  std::vector<int64_t> orders, scores;
  for (const ReservationNode& node : nodes) {
    orders.push_back(node.least_order);
    scores.push_back(node.score);
  }
  if (const size_t preferred = LeastOrder(orders); preferred != kNoReservation) {
    scores[preferred] = kPreferredScore;
  }
  return scores;
}

}  // namespace muster
