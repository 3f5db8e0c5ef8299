// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A resource vector as the peers compute shares with: doubles, and a map of scalars that may lack a
// name or not exist at all. Several of the peers' functions look at the left map only, or drop what
// the left map lacks, so "no map", "no such name" and "zero" are three different things here.
//
// cpu and memory always have a value. All other dimensions are scalars.
#ifndef MUSTER_REFERENCE_AMOUNT_H_
#define MUSTER_REFERENCE_AMOUNT_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "muster/types.h"

namespace muster::reference {

// The books of nodes, jobs and queues: exact integers, absent written as zero.
using Row = std::vector<int64_t>;

struct Amount {
  explicit Amount(size_t dimensions = 0) : value(dimensions, 0.0), present(dimensions, false) {}

  std::vector<double> value;
  std::vector<bool> present;  // of a scalar: it has an entry in the map
  bool map = false;           // the map exists

  double get(size_t d) const { return value[d]; }  // a missing entry is zero
  void set(size_t d, double v);
  friend bool operator==(const Amount&, const Amount&) = default;
};

inline bool IsScalar(size_t d) { return d != kCpu && d != kMemory; }

// Absent cells have no entry.
Amount AmountOf(std::span<const int64_t> row);
// Zero cells have no entry.
Amount AmountOfBooks(const Row& row);

Amount Plus(Amount l, const Amount& r);
Amount Minus(Amount l,
             const Amount& r);  // without a map on the left, the right's scalars are dropped
Amount Times(Amount l, double factor);

enum class Missing { kZero, kInfinite };
// Per dimension the smaller one. Of the scalars only the left's are looked at.
Amount MinDimension(Amount l, const Amount& r, Missing missing);
// cpu and memory: the larger one; scalars of both, the larger one where both have it.
Amount MaxOf(const Amount& l, const Amount& r);
// cpu and memory: the smaller one; scalars (missing is zero) only where both maps exist.
Amount MinOf(const Amount& l, const Amount& r);
// (what l has more, what it has less); every scalar is named in exactly one of the two.
std::pair<Amount, Amount> Difference(const Amount& l, const Amount& r);
// What l has more than r.
Amount ExceededPart(const Amount& l, const Amount& r);

// Without a Tolerance, amounts are equal within a tenth of any unit.
inline constexpr double kTolerance = 0.1;
bool LessEqual(const Amount& l, const Amount& r);  // over l's dimensions, missing in r is zero
bool IsEmpty(const Amount& amount);  // nothing as large as the tolerance, pods ignored
// Whether l stays within r in every dimension that `request` asks for, without any tolerance; pods
// never count.
bool WithinRequested(const Amount& l, const Amount& r, const Amount& request);
std::vector<size_t> PositiveDimensions(
    const Amount& amount);  // dimensions as large as the tolerance, ascending

// Of what `request` asks for, pods apart: where l stays within r; and where l is more, without any
// tolerance.
std::vector<size_t> RequestedWithin(const Amount& l, const Amount& r, const Amount& request);
std::vector<size_t> RequestedBeyond(const Amount& l, const Amount& r, const Amount& request);
// The request without what neither l nor r has any of.
Amount WithoutUnused(const Amount& request, const Amount& l, const Amount& r);
// The request without cpu or memory of which r has none, and without scalars that r does not name.
Amount OnlyNamed(const Amount& request, const Amount& r);
// Dimensions that both have some of.
std::vector<size_t> CommonDimensions(const Amount& l, const Amount& r);

// Comparisons within a Tolerance, given in the units of each dimension: over l's scalars that
// exceed the tolerance. Without a map there are none.
bool TolerantLessEqual(const Amount& l, const Amount& r, const std::vector<double>& tolerance);
// Strictly, in all of l's dimensions. Without a map on the left: whether r has no scalar within the
// tolerance.
bool TolerantLess(const Amount& l, const Amount& r, const std::vector<double>& tolerance);
bool TolerantIsEmpty(const Amount& amount, const std::vector<double>& tolerance);

double ShareOf(double part, double whole);  // nothing of nothing is 0, something of nothing is 1

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_AMOUNT_H_
