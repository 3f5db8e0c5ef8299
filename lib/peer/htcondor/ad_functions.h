// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Functions and arithmetic of ClassAd expressions.
//
//   AdValue sum = Arithmetic('+', AdValue::Of(int64_t{1}), AdValue::Of(0.5));       // 1.5
//   AdValue rounded = CallAdFunction(AdFunction::kQuantize, {AdValue::Of(int64_t{3})},
//                                    {AdValue::Of(int64_t{8})});                      // 8
//
// Integers stay integers, and wrap around; with a real both are reals. Division by zero is an
// error.
#ifndef MUSTER_PEER_HTCONDOR_AD_FUNCTIONS_H_
#define MUSTER_PEER_HTCONDOR_AD_FUNCTIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/peer/htcondor/value.h"

namespace muster::condor {

enum class AdFunction : uint8_t {
  kIfThenElse,
  kQuantize,
  kFloor,
  kCeiling,
  kRound,
  kInt,
  kReal,
  kIsUndefined,
  kIsError,
  kMember,
  kToLower,
};

// Returns the function of the name in lower case; none: it is not in the subset.
std::optional<AdFunction> AdFunctionOf(std::string_view name);
// The numbers of arguments that it takes, a list being one.
size_t ArgumentsOf(AdFunction function);

// `list`: the items of the argument that is a list. REQUIRES: the right number of arguments, and
// not kIfThenElse, which evaluates what it needs alone.
AdValue CallAdFunction(AdFunction function, const std::vector<AdValue>& arguments,
                       const std::vector<AdValue>& list);
AdScalar Arithmetic(char op, const AdScalar& a, const AdScalar& b);

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_AD_FUNCTIONS_H_
