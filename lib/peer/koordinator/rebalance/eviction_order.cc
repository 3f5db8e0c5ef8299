// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Comparisons of ranks, and the scores of usage that one of them needs.
#include "lib/peer/koordinator/rebalance/eviction_order.h"

#include <algorithm>
#include <numeric>

#include "lib/base/go_sort.h"
#include "lib/peer/koordinator/colocation/cpu_memory.h"

namespace muster::koordinator {
namespace {

// A task without a band is more important than production.
int PlaceOf(Band band) { return band == Band::kNone ? 5 : ImportanceOf(band); }

int PlaceOf(Service service) {
  switch (service) {
    case Service::kNone:
      return 5;
    case Service::kSystem:
    case Service::kLse:
      return 4;
    case Service::kLsr:
      return 3;
    case Service::kLs:
      return 2;
    case Service::kBe:
      return 1;
  }
  return 0;
}

int PlaceOf(KubeService service) {
  switch (service) {
    case KubeService::kGuaranteed:
      return 3;
    case KubeService::kBurstable:
      return 2;
    case KubeService::kBestEffort:
      return 1;
  }
  return 0;
}

template <class T>
int Compare(T a, T b) {
  return a == b ? 0 : a < b ? -1 : 1;
}

// The larger relief first; a task without a measurement behind all others.
int CompareRelief(const std::optional<double>& a, const std::optional<double>& b) {
  if (a.has_value() && b.has_value()) return Compare(*b, *a);
  return Compare(b.has_value(), a.has_value());
}

template <class Less>
std::vector<size_t> OrderOf(size_t count, Less less) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  GoSort(order, less);
  return order;
}

}  // namespace

int CompareRanks(const EvictionRank& a, const EvictionRank& b) {
  for (const int result :
       {Compare(PlaceOf(a.band), PlaceOf(b.band)), Compare(a.priority, b.priority),
        Compare(PlaceOf(a.kube), PlaceOf(b.kube)), Compare(PlaceOf(a.service), PlaceOf(b.service)),
        Compare(a.deletion_cost, b.deletion_cost), Compare(a.eviction_cost, b.eviction_cost),
        CompareRelief(a.relief, b.relief), Compare(b.created, a.created)}) {
    if (result != 0) return result;
  }
  return 0;
}

std::vector<size_t> EvictionOrder(std::span<const EvictionRank> ranks) {
  return OrderOf(ranks.size(),
                 [ranks](size_t a, size_t b) { return CompareRanks(ranks[a], ranks[b]) < 0; });
}

int64_t AmountOf(const NamedAmounts& amounts, std::string_view resource) {
  for (const auto& [name, amount] : amounts) {
    if (name == resource) return amount;
  }
  return 0;
}

int64_t ScoredAmount(std::string_view resource, int64_t thousandths) {
  return resource == "cpu" ? thousandths : WholeUnits(thousandths);
}

int64_t BusyScore(int64_t used, int64_t capacity) {
  return capacity == 0 ? 0 : std::min(used, capacity) * 1000 / capacity;
}

double ReliefRatio(int64_t used, int64_t excess) {
  if (excess == 0) return 0;
  const double ratio = static_cast<double>(used) / static_cast<double>(excess);
  return ratio >= 1 ? 1 / ratio + 1 : ratio;
}

int64_t UsageScore(const NamedAmounts& usage, const NamedAmounts& capacity,
                   const NamedAmounts& weights) {
  int64_t sum = 0, sum_of_weights = 0;
  for (const auto& [resource, used] : usage) {
    const int64_t weight = AmountOf(weights, resource);
    sum += weight * BusyScore(ScoredAmount(resource, used),
                              ScoredAmount(resource, AmountOf(capacity, resource)));
    sum_of_weights += weight;
  }
  return sum_of_weights == 0 ? 0 : sum / sum_of_weights;
}

double ReliefScore(const NamedAmounts& usage, const NamedAmounts& excess,
                   const NamedAmounts& weights) {
  double sum = 0;
  int64_t sum_of_weights = 0;
  for (const auto& [resource, used] : usage) {
    const int64_t weight = AmountOf(weights, resource);
    sum += ReliefRatio(ScoredAmount(resource, used),
                       ScoredAmount(resource, AmountOf(excess, resource))) *
           static_cast<double>(weight);
    sum_of_weights += weight;
  }
  return sum_of_weights == 0 ? 0 : sum / static_cast<double>(sum_of_weights);
}

std::vector<size_t> OrderByPriority(std::span<const SimpleRank> ranks) {
  return OrderOf(ranks.size(), [ranks](size_t i, size_t j) {
    const SimpleRank &a = ranks[i], &b = ranks[j];
    if (a.priority != b.priority) return a.priority < b.priority;  // an absent one is the lowest
    if (a.kube == KubeService::kBestEffort) return true;
    return a.kube == KubeService::kBurstable && b.kube == KubeService::kGuaranteed;
  });
}

std::vector<size_t> OrderByAge(std::span<const int64_t> created) {
  return OrderOf(created.size(), [created](size_t a, size_t b) { return created[a] < created[b]; });
}

}  // namespace muster::koordinator
