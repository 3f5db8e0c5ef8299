// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/ad_functions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace muster::condor {
namespace {

using Kind = AdValue::Kind;

struct Known {
  std::string_view name;
  AdFunction function;
  size_t arguments;
};
constexpr Known kFunctions[] = {
    {"ifthenelse", AdFunction::kIfThenElse, 3},
    {"quantize", AdFunction::kQuantize, 2},
    {"floor", AdFunction::kFloor, 1},
    {"ceiling", AdFunction::kCeiling, 1},
    {"round", AdFunction::kRound, 1},
    {"int", AdFunction::kInt, 1},
    {"real", AdFunction::kReal, 1},
    {"isundefined", AdFunction::kIsUndefined, 1},
    {"iserror", AdFunction::kIsError, 1},
    {"member", AdFunction::kMember, 2},
    {"tolower", AdFunction::kToLower, 1},
};

// The real as an integer; error beyond the range of integers.
AdValue Whole(double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(real >= -kLimit && real < kLimit)) return AdValue::Error();
  return AdValue::Of(static_cast<int64_t>(real));
}

AdValue WholeOf(const AdValue& value, double (*round)(double)) {
  if (value.kind == Kind::kInteger) return value;
  double number = 0;
  if (!value.ToNumber(&number)) return value.is_undefined() ? value : AdValue::Error();
  return Whole(round(number));
}

// The smallest multiple of `step` that is not below the number.
AdValue Multiple(const AdValue& value, const AdValue& step) {
  double number = 0, by = 0;
  if (!value.ToNumber(&number) || !step.ToNumber(&by) || by == 0) return AdValue::Error();
  const double steps = std::ceil(number / by);
  if (value.kind != Kind::kReal && step.kind != Kind::kReal) return Whole(steps * by);
  return AdValue::Of(steps * by);
}

// The first of the list that is not below the value, or the smallest multiple of the last one.
AdValue Quantize(const AdValue& value, const std::vector<AdValue>& list) {
  if (value.is_undefined()) return value;
  double number = 0, item = 0;
  if (!value.ToNumber(&number) || list.empty()) return AdValue::Error();
  for (const AdValue& bound : list) {
    if (!bound.ToNumber(&item)) return AdValue::Error();
    if (number <= item) return bound;
  }
  return Multiple(value, list.back());
}

AdValue IsMember(const AdValue& value, const std::vector<AdValue>& list) {
  if (value.is_undefined() || value.kind == Kind::kError) return value;
  for (const AdValue& item : list) {
    double x = 0, y = 0;
    if (value.kind == Kind::kText && item.kind == Kind::kText &&
        absl::EqualsIgnoreCase(value.text, item.text)) {
      return AdValue::Of(true);
    }
    if (value.ToNumber(&x) && item.ToNumber(&y) && x == y) return AdValue::Of(true);
  }
  return AdValue::Of(false);
}

// Two's complement: what overflows wraps around.
int64_t Wrapped(char op, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return static_cast<int64_t>(op == '+' ? x + y : op == '-' ? x - y : x * y);
}

}  // namespace

std::optional<AdFunction> AdFunctionOf(std::string_view name) {
  for (const Known& known : kFunctions) {
    if (known.name == name) return known.function;
  }
  return std::nullopt;
}

size_t ArgumentsOf(AdFunction function) {
  const auto it = std::ranges::find(kFunctions, function, &Known::function);
  return it == std::end(kFunctions) ? 0 : it->arguments;
}

AdValue CallAdFunction(AdFunction function, const std::vector<AdValue>& arguments,
                       const std::vector<AdValue>& list) {
  const AdValue& first = arguments[0];
  switch (function) {
    case AdFunction::kQuantize:
      return arguments.size() == 2 ? Multiple(first, arguments[1]) : Quantize(first, list);
    case AdFunction::kFloor:
      return WholeOf(first, std::floor);
    case AdFunction::kCeiling:
      return WholeOf(first, std::ceil);
    case AdFunction::kRound:
      return WholeOf(first, std::round);
    case AdFunction::kInt:
      return WholeOf(first, std::trunc);
    case AdFunction::kReal: {
      double number = 0;
      if (first.ToNumber(&number)) return AdValue::Of(number);
      return first.is_undefined() ? first : AdValue::Error();
    }
    case AdFunction::kIsUndefined:
      return AdValue::Of(first.is_undefined());
    case AdFunction::kIsError:
      return AdValue::Of(first.kind == Kind::kError);
    case AdFunction::kMember:
      return IsMember(first, list);
    case AdFunction::kToLower:
      if (first.kind != Kind::kText) return first.is_undefined() ? first : AdValue::Error();
      return AdValue::Of(std::string(absl::AsciiStrToLower(first.text)));
    case AdFunction::kIfThenElse:
      break;
  }
  return AdValue::Error();
}

AdScalar Arithmetic(char op, const AdScalar& a, const AdScalar& b) {
  double x = 0, y = 0;
  if (a.kind == Kind::kError || b.kind == Kind::kError) return AdScalar::Error();
  if (a.is_undefined() || b.is_undefined()) return AdScalar();
  if (!a.ToNumber(&x) || !b.ToNumber(&y)) return AdScalar::Error();
  if (a.kind == Kind::kReal || b.kind == Kind::kReal) {
    switch (op) {
      case '+':
        return AdScalar::Of(x + y);
      case '-':
        return AdScalar::Of(x - y);
      case '*':
        return AdScalar::Of(x * y);
      case '/':
        return y == 0 ? AdScalar::Error() : AdScalar::Of(x / y);
      default:
        return AdScalar::Error();
    }
  }
  if (op == '+' || op == '-' || op == '*') return AdScalar::Of(Wrapped(op, a.integer, b.integer));
  if (b.integer == 0) return AdScalar::Error();
  // The one quotient that does not fit.
  if (b.integer == -1) return AdScalar::Of(op == '/' ? Wrapped('-', 0, a.integer) : int64_t{0});
  return AdScalar::Of(op == '/' ? a.integer / b.integer : a.integer % b.integer);
}

}  // namespace muster::condor
