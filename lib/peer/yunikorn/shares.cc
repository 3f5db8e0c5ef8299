// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/shares.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace muster::yunikorn {
namespace {

// Returns whether `denominators` has the type, and its share.
bool ShareIn(const Resource& denominators, int type, Quantity allocated, double* share) {
  if (!denominators.Has(type)) return false;
  const Quantity denominator = denominators.Get(type);
  if (denominator <= 0) {
    *share = allocated <= 0 ? 0.0 : 1.0;
  } else {
    *share = static_cast<double>(allocated) / static_cast<double>(denominator);
  }
  return true;
}

int SignOfRest(const ShareList& list, int at) {
  for (; at >= 0; --at) {
    const double share = list.values[static_cast<size_t>(at)];
    if (share > 0) return 1;
    if (share < 0) return -1;
  }
  return 0;
}

void Sort(ShareList& list) { std::sort(list.values.begin(), list.values.begin() + list.count); }

double Largest(const ShareList& list) {
  return list.count == 0 ? 0.0 : list.values[static_cast<size_t>(list.count - 1)];
}

}  // namespace

double ShareOf(const Resource& resource, const Resource& total, int type) {
  const double amount = static_cast<double>(resource.Get(type));
  const Quantity whole = total.Get(type);
  return whole == 0 ? amount : amount / static_cast<double>(whole);
}

ShareList SharesOf(const Resource& resource, const Resource& total) {
  ShareList list;
  for (int type : resource.types()) {
    const bool none = resource.Get(type) == 0;
    list.values[static_cast<size_t>(list.count++)] = none ? 0.0 : ShareOf(resource, total, type);
  }
  Sort(list);
  return list;
}

int CompareShares(const ShareList& left, const ShareList& right) {
  int l = left.count - 1, r = right.count - 1;
  for (; l >= 0 && r >= 0; --l, --r) {
    const double of_left = left.values[static_cast<size_t>(l)];
    const double of_right = right.values[static_cast<size_t>(r)];
    if (of_left > of_right) return 1;
    if (of_left < of_right) return -1;
  }
  return l >= 0 ? SignOfRest(left, l) : -SignOfRest(right, r);
}

int CompareUsage(const Resource& left, const Resource& right, const Resource& total) {
  return CompareShares(SharesOf(left, total), SharesOf(right, total));
}

int CompareUsageOf(const Resource& left, const Resource& right, const Resource& total,
                   const Resource& types) {
  if (types.nil()) return CompareUsage(left, right, total);
  const auto shares = [&](const Resource& resource) {
    ShareList list;
    for (int type : types.types()) {
      if (resource.Get(type) == 0) continue;
      list.values[static_cast<size_t>(list.count++)] = ShareOf(resource, total, type);
    }
    Sort(list);
    return list;
  };
  return CompareShares(shares(left), shares(right));
}

double FairnessRatio(const Resource& left, const Resource& right, const Resource& total) {
  const double ratio = Largest(SharesOf(left, total)) / Largest(SharesOf(right, total));
  return std::isnan(ratio) ? 1.0 : ratio;
}

double FairShare(const Resource& allocated, const Resource& guaranteed, const Resource& fair) {
  double most = 0.0;
  for (int type : allocated.types()) {
    const Quantity amount = allocated.Get(type);
    double share = 0.0;
    if (amount < 0) continue;
    if (!ShareIn(guaranteed, type, amount, &share) && !ShareIn(fair, type, amount, &share)) {
      continue;
    }
    most = std::max(most, share);
  }
  return most;
}

double FitScore(const Resource& available, const Resource& fit) {
  if (available.nil()) return fit.nil() ? 0.0 : fit.count();
  double score = 0.0;
  for (int type : fit.types()) {
    const Quantity asked = fit.Get(type), free = available.Get(type);
    if (asked <= 0) continue;
    if (free <= 0) {
      score += 1.0;
    } else if (asked > free) {
      score += static_cast<double>(asked - free) / static_cast<double>(asked);
    }
  }
  return score;
}

Resource UsedPercent(const Resource& capacity, const Resource& used) {
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  Resource percents;
  for (int type : Types(capacity.bits() & used.bits())) {
    const Quantity whole = capacity.Get(type), part = used.Get(type);
    if (part <= 0) {
      percents.Set(type, 0);
    } else if (whole <= 0) {
      percents.Set(type, 100);
    } else {
      const double percent = static_cast<double>(part) / static_cast<double>(whole) * 100;
      percents.Set(type, static_cast<Quantity>(std::min(percent, kMost)));
    }
  }
  return percents;
}

}  // namespace muster::yunikorn
