// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Each function evaluates in the order in which the peer does: a reordered sum is another share.
#include "lib/reference/amount.h"

#include <algorithm>
#include <cmath>

namespace muster::reference {

void Amount::set(size_t d, double v) {
  value[d] = v;
  if (IsScalar(d)) {
    present[d] = true;
    map = true;
  }
}

Amount AmountOf(std::span<const int64_t> row) {
  Amount amount(row.size());
  for (size_t d = 0; d < row.size(); ++d) {
    if (row[d] != kAbsent) amount.set(d, static_cast<double>(row[d]));
  }
  return amount;
}

Amount AmountOfBooks(const Row& row) {
  Amount amount(row.size());
  for (size_t d = 0; d < row.size(); ++d) {
    if (row[d] != 0) amount.set(d, static_cast<double>(row[d]));
  }
  return amount;
}

Amount Plus(Amount l, const Amount& r) {
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (!IsScalar(d) || r.present[d]) l.set(d, l.value[d] + r.value[d]);
  }
  return l;
}

Amount Minus(Amount l, const Amount& r) {
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (!IsScalar(d) || (l.map && r.present[d])) l.set(d, l.value[d] - r.value[d]);
  }
  return l;
}

Amount Times(Amount l, double factor) {
  for (double& v : l.value) v = v * factor;
  return l;
}

Amount MinDimension(Amount l, const Amount& r, Missing missing) {
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (!IsScalar(d)) {
      l.value[d] = std::min(l.value[d], r.value[d]);
    } else if (l.present[d]) {
      if (r.present[d]) {
        l.value[d] = std::min(l.value[d], r.value[d]);
      } else if (missing == Missing::kZero) {
        l.value[d] = 0;
      }
    }
  }
  return l;
}

Amount MaxOf(const Amount& l, const Amount& r) {
  Amount out(l.value.size());
  out.map = l.map || r.map;
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (!IsScalar(d) || (l.present[d] && r.present[d])) {
      out.set(d, std::max(l.value[d], r.value[d]));
    } else if (l.present[d]) {
      out.set(d, l.value[d]);
    } else if (r.present[d]) {
      out.set(d, r.value[d]);
    }
  }
  return out;
}

Amount MinOf(const Amount& l, const Amount& r) {
  Amount out(l.value.size());
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (!IsScalar(d) || (l.map && r.map && (l.present[d] || r.present[d]))) {
      out.set(d, std::min(l.value[d], r.value[d]));
    }
  }
  return out;
}

std::pair<Amount, Amount> Difference(const Amount& l, const Amount& r) {
  Amount more(l.value.size()), less(l.value.size());
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (IsScalar(d) && !l.present[d] && !r.present[d]) continue;
    if (l.value[d] > r.value[d]) {
      more.set(d, l.value[d] - r.value[d]);
    } else {
      less.set(d, r.value[d] - l.value[d]);
    }
  }
  return {more, less};
}

Amount ExceededPart(const Amount& l, const Amount& r) { return Difference(l, r).first; }

bool LessEqual(const Amount& l, const Amount& r) {
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (IsScalar(d) && !l.present[d]) continue;
    if (!(l.value[d] < r.value[d] || std::fabs(l.value[d] - r.value[d]) < kTolerance)) return false;
  }
  return true;
}

bool IsEmpty(const Amount& amount) {
  for (size_t d = 0; d < amount.value.size(); ++d) {
    if (d != kPods && amount.value[d] >= kTolerance) return false;
  }
  return true;
}

bool WithinRequested(const Amount& l, const Amount& r, const Amount& request) {
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (d == kPods || !(request.value[d] > 0)) continue;
    if (IsScalar(d) && !l.map) continue;
    if (l.value[d] > r.value[d]) return false;
  }
  return true;
}

std::vector<size_t> PositiveDimensions(const Amount& amount) {
  std::vector<size_t> names;
  for (size_t d = 0; d < amount.value.size(); ++d) {
    if (amount.value[d] >= kTolerance) names.push_back(d);
  }
  return names;
}

std::vector<size_t> RequestedWithin(const Amount& l, const Amount& r, const Amount& request) {
  std::vector<size_t> names;
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (d == kPods || !(request.value[d] > 0)) continue;
    if (l.value[d] < r.value[d] || std::fabs(l.value[d] - r.value[d]) < kTolerance)
      names.push_back(d);
  }
  return names;
}

std::vector<size_t> RequestedBeyond(const Amount& l, const Amount& r, const Amount& request) {
  std::vector<size_t> names;
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (d != kPods && request.value[d] > 0 && l.value[d] > r.value[d]) names.push_back(d);
  }
  return names;
}

Amount WithoutUnused(const Amount& request, const Amount& l, const Amount& r) {
  Amount out(request.value.size());
  for (size_t d = 0; d < request.value.size(); ++d) {
    const bool unused = l.value[d] < kTolerance && r.value[d] < kTolerance;
    if (request.value[d] > 0 && !unused) out.set(d, request.value[d]);
  }
  return out;
}

Amount OnlyNamed(const Amount& request, const Amount& r) {
  Amount out(request.value.size());
  for (size_t d = 0; d < request.value.size(); ++d) {
    const bool named = IsScalar(d) ? static_cast<bool>(r.present[d]) : r.value[d] >= kTolerance;
    if (request.value[d] > 0 && named) out.set(d, request.value[d]);
  }
  return out;
}

std::vector<size_t> CommonDimensions(const Amount& l, const Amount& r) {
  std::vector<size_t> common;
  for (size_t d : PositiveDimensions(l)) {
    if (r.value[d] >= kTolerance) common.push_back(d);
  }
  return common;
}

bool TolerantLessEqual(const Amount& l, const Amount& r, const std::vector<double>& tolerance) {
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (IsScalar(d) && (!l.present[d] || l.value[d] <= tolerance[d])) continue;
    if (!(l.value[d] < r.value[d] || std::fabs(l.value[d] - r.value[d]) < tolerance[d]))
      return false;
  }
  return true;
}

bool TolerantLess(const Amount& l, const Amount& r, const std::vector<double>& tolerance) {
  if (!(l.value[kCpu] < r.value[kCpu] && l.value[kMemory] < r.value[kMemory])) return false;
  if (l.map && !r.map) return false;
  for (size_t d = 0; d < l.value.size(); ++d) {
    if (!IsScalar(d)) continue;
    if (!l.map && r.present[d] && r.value[d] <= tolerance[d]) return false;
    if (l.present[d] && !(l.value[d] < r.value[d])) return false;
  }
  return true;
}

bool TolerantIsEmpty(const Amount& amount, const std::vector<double>& tolerance) {
  for (size_t d = 0; d < amount.value.size(); ++d) {
    if (amount.value[d] >= tolerance[d]) return false;
  }
  return true;
}

double ShareOf(double part, double whole) {
  if (whole == 0) return part == 0 ? 0 : 1;
  return part / whole;
}

}  // namespace muster::reference
