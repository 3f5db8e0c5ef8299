// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Unsatisfied queues are rows, by descending priority. A round goes over the rows of a priority
// without branches on their numbers, and moves rows that are satisfied into a list of results: the
// others keep their order, so sums run as over all queues.
#include "lib/peer/kai/fair_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace muster {
namespace {

// A queue that misses something. Not initialized: arrays of it are written front to back.
struct ClaimRow {
  double requestable, fair_share, weight, usage;
  double remainder;  // of the last part that was rounded down; 0: none
  uint32_t queue;
};

struct ShareResult {
  uint32_t queue;
  double fair_share;
};

// floor(part), and 0 below 0.
double WholePart(double part) {
  constexpr double kExact = 1LL << 62;
  if (part >= kExact) return std::floor(part);
  return std::max(0.0, static_cast<double>(static_cast<int64_t>(part)));
}

class LevelDivision {
 public:
  LevelDivision(size_t resource, double k, size_t most, KaiQueueTree* tree)
      : resource_(resource),
        k_(k),
        tree_(tree),
        rows_(std::make_unique_for_overwrite<ClaimRow[]>(most + 1)) {}

  // Adds a queue, unless it misses nothing, or has no weight (and no use below 0, which would count
  // as weight). Each queue is added at most once. Writes in either case, as branches cost more.
  void Add(uint32_t queue, const KaiShare& share, double requestable) {
    rows_[size_] = {requestable, share.fair_share, share.over_quota_weight, share.usage, 0, queue};
    const bool is_open =
        requestable > share.fair_share && (share.over_quota_weight != 0 || share.usage < 0);
    size_ += is_open ? 1 : 0;
  }
  bool empty() const { return size_ == 0; }

  double Divide(double left) {
    SortRows();
    std::vector<std::pair<size_t, size_t>> groups;  // rows left of each priority
    for (size_t begin = 0; begin < size_;) {
      size_t end = begin + 1;
      while (end < size_ && PriorityOf(rows_[end]) == PriorityOf(rows_[begin])) ++end;
      size_t count = end - begin;
      while (left != 0 && Round(begin, &count, &left)) {
      }
      groups.emplace_back(begin, begin + count);
      begin = end;
    }
    for (const auto& [begin, end] : groups) {
      if (left > 0) left = GiveRemainders(begin, end, left);
      for (size_t i = begin; i < end; ++i) Set(rows_[i].queue, rows_[i].fair_share);
    }
    for (size_t i = 0; i < done_; ++i) Set(results_[i].queue, results_[i].fair_share);
    return left;
  }

 private:
  int64_t PriorityOf(const ClaimRow& row) const { return tree_->rank[row.queue].priority; }
  void Set(uint32_t queue, double fair_share) {
    tree_->share[queue][resource_].fair_share = fair_share;
  }

  void SortRows() {
    const auto before = [this](const ClaimRow& a, const ClaimRow& b) {
      return PriorityOf(a) > PriorityOf(b);
    };
    ClaimRow* const begin = rows_.get();
    if (!std::is_sorted(begin, begin + size_, before)) {
      std::stable_sort(begin, begin + size_, before);
    }
    parts_ = std::make_unique_for_overwrite<double[]>(size_);
    results_ = std::make_unique_for_overwrite<ShareResult[]>(size_ + 1);
  }

  // Sets the parts of these rows, and returns their sum; 0 ends the phase.
  double WeighParts(size_t begin, size_t count) {
    const ClaimRow* rows = rows_.get() + begin;
    double weights = 0, sum = 0;
    for (size_t i = 0; i < count; ++i) weights += rows[i].weight;
    if (weights == 0) return 0;
    for (size_t i = 0; i < count; ++i) {
      const double normal = rows[i].weight / weights;
      parts_[i] = std::max(0.0, normal + k_ * (normal - rows[i].usage));
    }
    for (size_t i = 0; i < count; ++i) sum += parts_[i];
    return sum;
  }

  // A queue that is met but not full shares again, without a remainder. One that is full
  // by rounding alone shares no more, but keeps its remainder.
  static void MendRounding(bool is_met, ClaimRow* row) {
    if (is_met) {
      row->remainder = 0;
    } else {
      row->weight = row->usage = 0;
    }
  }

  // Returns whether another round has something to give.
  bool Round(size_t begin, size_t* count, double* left) {
    const double amount = *left;
    const double sum = WeighParts(begin, *count);
    if (sum == 0) return false;
    ClaimRow* rows = rows_.get() + begin;
    bool again = false;
    double rest = amount;
    size_t kept = 0, i = 0;
    for (; i < *count && rest != 0; ++i) {
      ClaimRow row = rows[i];
      if (row.weight == 0) {
        rows[kept++] = row;
        continue;
      }
      const double part = amount * (parts_[i] / sum);
      const double missing = row.requestable - row.fair_share;
      const double whole = WholePart(part);
      // Which of the two it is cannot be predicted; a load is cheaper than a wrong guess.
      const double gives[2] = {whole, missing};
      const bool is_met = missing <= part;
      const double give = gives[is_met ? 1 : 0];
      again |= is_met && missing < part;
      row.fair_share += give;
      rest -= give;
      if (part - whole > 0) row.remainder = part - whole;
      const bool is_full = row.requestable <= row.fair_share;
      if (is_full != is_met) MendRounding(is_met, &row);
      results_[done_] = {row.queue, row.fair_share};
      rows[kept] = row;
      const size_t leaves = is_met && is_full ? 1 : 0;
      done_ += leaves;
      kept += 1 - leaves;
    }
    for (; i < *count; ++i, ++kept) rows[kept] = rows[i];
    *count = kept;
    *left = rest;
    return again && rest != 0;
  }

  // Gives one each to the largest remainders while something is left.
  double GiveRemainders(size_t begin, size_t end, double left) {
    std::vector<uint32_t> order;
    for (size_t i = begin; i < end; ++i) {
      if (rows_[i].remainder > 0) order.push_back(static_cast<uint32_t>(i));
    }
    const auto before = [this](uint32_t a, uint32_t b) {
      if (rows_[a].remainder != rows_[b].remainder) {
        return rows_[a].remainder > rows_[b].remainder;
      }
      const int64_t left_created = tree_->rank[rows_[a].queue].created;
      const int64_t right_created = tree_->rank[rows_[b].queue].created;
      return left_created != right_created ? left_created < right_created : a < b;
    };
    // The first ones get a whole unit, the next one what is left then.
    const double whole = std::floor(left);
    const bool is_enough = whole >= static_cast<double>(order.size());
    const size_t fed = is_enough ? order.size() : static_cast<size_t>(whole);
    if (!is_enough) {
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(fed), order.end(),
                       before);
    }
    for (size_t i = 0; i < fed; ++i) rows_[order[i]].fair_share += 1;
    left -= static_cast<double>(fed);
    if (is_enough) return left;
    rows_[order[fed]].fair_share += left;
    return 0;
  }

  const size_t resource_;
  const double k_;
  KaiQueueTree* const tree_;
  std::unique_ptr<ClaimRow[]> rows_;  // the first size_
  size_t size_ = 0;
  std::unique_ptr<double[]> parts_;
  std::unique_ptr<ShareResult[]> results_;  // of queues that are satisfied: the first done_
  size_t done_ = 0;
};

// What queues get of their quotas in one resource.
struct QuotaPhase {
  double total, left;

  void Grant(bool from_zero, uint32_t queue, KaiShare* share, LevelDivision* rest) {
    const double most = share->requestable();
    const double deserved = share->deserved == kKaiUnlimited ? total : share->deserved;
    const double amount = std::min(deserved, most);
    share->fair_share = from_zero ? amount : share->fair_share + amount;
    left -= amount;
    rest->Add(queue, *share, most);
  }
};

void DivideLevel(const KaiAmounts& total, double k, bool from_zero,
                 std::span<const uint32_t> queues, KaiQueueTree* tree) {
  // Three variables stay in registers, which an array does not.
  QuotaPhase cpu = {total[kKaiCpu], total[kKaiCpu]};
  QuotaPhase memory = {total[kKaiMemory], total[kKaiMemory]};
  QuotaPhase gpu = {total[kKaiGpu], total[kKaiGpu]};
  LevelDivision rest[kKaiResources] = {{kKaiCpu, k, queues.size(), tree},
                                       {kKaiMemory, k, queues.size(), tree},
                                       {kKaiGpu, k, queues.size(), tree}};
  KaiShares* const shares = tree->share.data();
  for (const uint32_t q : queues) {
    cpu.Grant(from_zero, q, &shares[q][kKaiCpu], &rest[kKaiCpu]);
    memory.Grant(from_zero, q, &shares[q][kKaiMemory], &rest[kKaiMemory]);
    gpu.Grant(from_zero, q, &shares[q][kKaiGpu], &rest[kKaiGpu]);
  }
  const double left[kKaiResources] = {cpu.left, memory.left, gpu.left};
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (left[r] > 0 && !rest[r].empty()) rest[r].Divide(left[r]);
  }
}

}  // namespace

double DivideKaiOverQuota(size_t resource, double total, double k, std::span<const uint32_t> queues,
                          KaiQueueTree* tree) {
  LevelDivision division(resource, k, queues.size(), tree);
  for (const uint32_t q : queues) {
    const KaiShare& share = tree->share[q][resource];
    division.Add(q, share, share.requestable());
  }
  return division.Divide(total);
}

double DivideKaiResource(size_t resource, double total, double k, std::span<const uint32_t> queues,
                         KaiQueueTree* tree) {
  QuotaPhase phase = {total, total};
  LevelDivision rest(resource, k, queues.size(), tree);
  for (const uint32_t q : queues) {
    phase.Grant(/*from_zero=*/false, q, &tree->share[q][resource], &rest);
  }
  return phase.left > 0 ? rest.Divide(phase.left) : 0;
}

void DivideKaiLevel(const KaiAmounts& total, double k, std::span<const uint32_t> queues,
                    KaiQueueTree* tree) {
  DivideLevel(total, k, /*from_zero=*/false, queues, tree);
}

void SetKaiFairShares(const KaiAmounts& total, double k, KaiQueueTree* tree) {
  DivideLevel(total, k, /*from_zero=*/true, tree->tops, tree);
  for (const uint32_t queue : tree->inner) {
    DivideLevel(tree->fair_share(queue), k, /*from_zero=*/true, tree->queues[queue].children, tree);
  }
}

}  // namespace muster
