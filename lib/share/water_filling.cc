// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/share/water_filling.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

bool LessOrSame(double left, double right) {
  return left < right || std::abs(left - right) < kSmallestAmount;
}

void AddTo(MaybeAmounts* sum, const MaybeAmounts& more) {
  for (size_t d = 0; d < more.value.size(); ++d) {
    if (!more.has[d]) continue;
    sum->value[d] += more.value[d];
    sum->has[d] = 1;
  }
}

bool NothingLeft(const MaybeAmounts& amounts) {
  for (size_t d = 0; d < amounts.value.size(); ++d) {
    if (d != 2 && amounts.value[d] >= kSmallestAmount) return false;
  }
  return true;
}

// Whether anything but cpu, memory and pods is named.
bool NamesOthers(const MaybeAmounts& amounts) {
  return std::any_of(amounts.has.begin() + std::min<size_t>(3, amounts.has.size()),
                     amounts.has.end(), [](uint8_t has) { return has; });
}

// Less in every dimension: the dimensions named by `left` count; where it
// names none but cpu and memory, what `right` has of others must be more than nothing.
bool IsLess(const MaybeAmounts& left, const MaybeAmounts& right, const std::vector<double>& slack) {
  const bool others = NamesOthers(left);
  for (size_t i = 0; i < left.value.size(); ++i) {
    if (left.has[i] && !(left.value[i] < right.value[i])) return false;
    if (!others && i > 2 && right.has[i] && right.value[i] <= slack[i]) return false;
  }
  return true;
}

// The smaller amounts. Where one of the two names nothing but cpu and memory, neither does the
// result.
void TakeLesser(const MaybeAmounts& other, MaybeAmounts* amounts) {
  const bool others = NamesOthers(other);
  for (size_t i = 0; i < amounts->value.size(); ++i) {
    amounts->value[i] = std::min(amounts->value[i], other.value[i]);
    if (i > 2 && !others) amounts->has[i] = 0;
  }
}

// Gives the claim its part of what remains, and adds the changes. Returns whether it is met.
bool Raise(const AmountCells& remaining, double weights, Claim* claim, const AmountCells& increased,
           const AmountCells& decreased) {
  const AmountCells deserved(claim->deserved), request(claim->request), guarantee(claim->guarantee),
      capability(claim->capability);
  const double part = claim->weight / weights;
  const size_t dimensions = claim->deserved.value.size();
  bool within = true, same = true;
  for (size_t i = 0; i < dimensions; ++i) {
    const double then = deserved.value[i], wanted = request.has[i] ? request.value[i] : 0;
    double now = then;
    bool has = deserved.has[i];
    if (remaining.has[i]) {
      now += remaining.value[i] * part;
      has = true;
    }
    if (has && capability.has[i]) now = std::min(now, capability.value[i]);
    if (has) now = std::min(now, wanted);
    if (guarantee.has[i]) {
      now = std::max(now, guarantee.value[i]);
      has = true;
    }
    if (has || deserved.has[i]) {
      if (now > then) {
        increased.Add(i, now - then);
      } else {
        decreased.Add(i, then - now);
      }
    }
    within &= !request.has[i] || LessOrSame(wanted, has ? now : 0);
    same &= !deserved.Put(i, has, now);
  }
  return within || same;
}

}  // namespace

bool WithinAmounts(const MaybeAmounts& left, const MaybeAmounts& right) {
  for (size_t d = 0; d < left.value.size(); ++d) {
    if (left.has[d] && !LessOrSame(left.value[d], right.has[d] ? right.value[d] : 0)) return false;
  }
  return true;
}

MaybeAmounts Exceeding(const MaybeAmounts& left, const MaybeAmounts& right) {
  MaybeAmounts result(left.value.size());
  for (size_t d = 0; d < left.value.size(); ++d) {
    if (!left.has[d] && !right.has[d]) continue;
    const double l = left.has[d] ? left.value[d] : 0, r = right.has[d] ? right.value[d] : 0;
    // What is used up is nothing of cpu and memory; of all else it is no longer named.
    if (l > r || d < 2) result.Set(d, l > r ? l - r : 0);
  }
  return result;
}

void FillByWeight(const MaybeAmounts& total, std::vector<Claim>* claims) {
  const size_t dimensions = total.value.size();
  MaybeAmounts remaining = total;
  std::vector<uint8_t> met(claims->size(), 0);
  for (Claim& claim : *claims) claim.deserved = MaybeAmounts(dimensions);
  for (;;) {
    double weights = 0;
    for (size_t q = 0; q < claims->size(); ++q) {
      if (!met[q]) weights += (*claims)[q].weight;
    }
    if (weights == 0) return;
    const MaybeAmounts old_remaining = remaining;
    MaybeAmounts increased(dimensions), decreased(dimensions);
    const AmountCells left(remaining), more(increased), less(decreased);
    for (size_t q = 0; q < claims->size(); ++q) {
      if (!met[q]) met[q] = Raise(left, weights, &(*claims)[q], more, less);
    }
    AddTo(&remaining, decreased);
    remaining = Exceeding(remaining, increased);
    if (NothingLeft(remaining) || remaining == old_remaining) return;
  }
}

void FillByWeightWithin(const std::vector<double>& slack, const MaybeAmounts& total,
                        std::vector<Claim>* claims) {
  const size_t dimensions = total.value.size();
  MaybeAmounts remaining = total;
  std::vector<uint8_t> met(claims->size(), 0);
  for (Claim& claim : *claims) claim.deserved = MaybeAmounts(dimensions);
  for (;;) {
    double weights = 0;
    for (size_t q = 0; q < claims->size(); ++q) {
      if (!met[q]) weights += (*claims)[q].weight;
    }
    if (weights == 0) return;
    MaybeAmounts increased(dimensions), decreased(dimensions);
    for (size_t q = 0; q < claims->size(); ++q) {
      if (met[q]) continue;
      Claim& claim = (*claims)[q];
      const MaybeAmounts before = claim.deserved;
      const double part = claim.weight / weights;
      for (size_t i = 0; i < dimensions; ++i) {
        if (!remaining.has[i]) continue;
        claim.deserved.Set(i, claim.deserved.value[i] + remaining.value[i] * part);
      }
      if (IsLess(claim.request, claim.deserved, slack)) {
        TakeLesser(claim.request, &claim.deserved);
        met[q] = 1;
      }
      for (size_t i = 0; i < dimensions; ++i) {
        const double change = claim.deserved.value[i] - before.value[i];
        if (claim.deserved.has[i] && change > 0) increased.Set(i, increased.value[i] + change);
        if (claim.deserved.has[i] && change < 0) decreased.Set(i, decreased.value[i] - change);
      }
    }
    bool nothing = true;
    for (size_t i = 0; i < dimensions; ++i) {
      remaining.value[i] = remaining.value[i] - increased.value[i] + decreased.value[i];
      nothing &= !remaining.has[i] || remaining.value[i] < slack[i];
    }
    if (nothing) return;
  }
}

}  // namespace muster
