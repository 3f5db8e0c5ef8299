// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Functions and arithmetic of ClassAd expressions.
//
//   AdValue sum = Arithmetic('+', AdValue::Of(int64_t{1}), AdValue::Of(0.5));       // 1.5
//   const std::vector<AdValue> steps = {AdValue::Of(int64_t{8})};
//   AdValue rounded =
//       CallAdFunction(AdFunction::kQuantize, {AdValue::Of(int64_t{3})}, &steps);            // 8
//
// Integers stay integers, and wrap around; with a real both are reals. Division by zero is an
// error, and so is a text of more than kMostTextBytes.
#ifndef MUSTER_PEER_HTCONDOR_AD_FUNCTIONS_H_
#define MUSTER_PEER_HTCONDOR_AD_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/peer/htcondor/value.h"

namespace muster::condor {

// Of a text that a function makes. The peer has no such limit.
inline constexpr size_t kMostTextBytes = 1 << 16;

enum class AdFunction : uint8_t {
  kIfThenElse,
  kQuantize,
  kFloor,
  kCeiling,
  kRound,
  kInt,
  kReal,
  kString,
  kIsUndefined,
  kIsError,
  kIsBoolean,
  kIsInteger,
  kIsReal,
  kIsString,
  kIsList,
  kMember,
  kSum,
  kAverage,
  kMin,
  kMax,
  kSize,
  kStrCat,
  kSubstr,
  kToLower,
  kToUpper,
  kStringListMember,
  kStringListIMember,
  kTime,
};

// Whether an argument is a list.
enum class ListRule : uint8_t { kNever, kMay, kMust };

struct AdSignature {
  std::string_view name;  // in lower case
  AdFunction function;
  size_t least, most;  // numbers of arguments
  // Of one argument, the list or what stands in its place; all others are values.
  ListRule list = ListRule::kNever;
  size_t list_place = 0;
};

// Returns the function of the name in lower case; null: it is not in the subset.
const AdSignature* FindAdFunction(std::string_view name);

// `list`: the items of the argument that is a list, which `arguments` leave out; null: none is.
// REQUIRES: the right number of arguments, and neither kIfThenElse, which evaluates what it needs
// alone, nor kTime, which the parser replaces.
AdValue CallAdFunction(AdFunction function, const std::vector<AdValue>& arguments,
                       const std::vector<AdValue>* list);
AdScalar Arithmetic(char op, const AdScalar& a, const AdScalar& b);

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_AD_FUNCTIONS_H_
