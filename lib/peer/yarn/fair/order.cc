// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/peer/yarn/java_order.h"

namespace muster::yarn::fair {
namespace {

enum Group : uint8_t { kNeedy, kOther, kIdle };

double Ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

void SetFairKey(const Sibling& sibling, OrderKey* key) {
  const int64_t used = sibling.usage.memory;
  const int64_t min = std::min(sibling.min.memory, sibling.demand.memory);
  if (used < min) {
    key->group = kNeedy;
    key->first = min > 1 ? Ratio(used, min) : static_cast<double>(used);
  } else {
    key->group = sibling.demand.memory == 0 ? kIdle : kOther;
  }
  key->weightless = !(sibling.weight > 0);
  key->second = static_cast<double>(used);
  if (!key->weightless) key->second /= static_cast<double>(sibling.weight);
}

void SetDrfKey(const Sibling& sibling, const Resource& cluster, OrderKey* key) {
  const Resource& used = sibling.usage;
  const Resource& min = sibling.min;
  double memory = Ratio(used.memory, cluster.memory);
  double vcores = Ratio(used.vcores, cluster.vcores);
  const bool by_vcores = vcores > memory;
  const bool needy = by_vcores ? used.vcores < min.vcores : used.memory < min.memory;
  key->group = needy ? kNeedy : kOther;
  if (needy) {
    memory = Ratio(used.memory, min.memory);
    vcores = Ratio(used.vcores, min.vcores);
  } else {
    memory /= static_cast<double>(sibling.weight);
    vcores /= static_cast<double>(sibling.weight);
  }
  key->first = by_vcores ? vcores : memory;
  key->second = by_vcores ? memory : vcores;
}

// 0 where one of them is NaN.
int Sign(double a, double b) { return a < b ? -1 : (a > b ? 1 : 0); }

}  // namespace

OrderKey KeyOf(Policy policy, const Sibling& sibling, const Resource& cluster) {
  OrderKey key{.start_time = sibling.start_time, .name_order = sibling.name_order};
  if (policy == Policy::kFair) SetFairKey(sibling, &key);
  if (policy == Policy::kDrf) SetDrfKey(sibling, cluster, &key);
  key.comparable = !std::isnan(key.first) && !std::isnan(key.second);
  return key;
}

int Compare(const OrderKey& a, const OrderKey& b) {
  if (a.group != b.group) return a.group < b.group ? -1 : 1;
  if (const int sign = Sign(a.first, b.first)) return sign;
  if (a.weightless != b.weightless) return b.weightless ? -1 : 1;
  if (const int sign = Sign(a.second, b.second)) return sign;
  if (a.start_time != b.start_time) return a.start_time < b.start_time ? -1 : 1;
  if (a.name_order != b.name_order) return a.name_order < b.name_order ? -1 : 1;
  return 0;
}

bool Candidates::Next(uint32_t* index) {
  if (!sorted_) SortNext();
  // An application that is listed twice is visited once.
  while (next_ > 0 && next_ < all_.size() && all_[next_].index == all_[next_ - 1].index) ++next_;
  if (next_ == all_.size()) return false;
  *index = all_[next_++].index;
  return true;
}

void Candidates::SortNext() {
  const auto before = [](const Candidate& a, const Candidate& b) {
    return Compare(*a.key, *b.key) < 0;
  };
  sorted_ = next_ == 1 || !comparable_ || all_.size() < 2;
  if (!comparable_) {
    const auto compare = [this](size_t a, size_t b) { return Compare(*all_[a].key, *all_[b].key); };
    std::vector<Candidate> arranged;
    for (size_t i : TreeOrder(all_.size(), compare)) arranged.push_back(all_[i]);
    all_ = std::move(arranged);
  } else if (sorted_) {
    std::sort(all_.begin() + static_cast<std::ptrdiff_t>(next_), all_.end(), before);
  } else {
    std::swap(all_.front(), *std::min_element(all_.begin(), all_.end(), before));
  }
}

}  // namespace muster::yarn::fair
