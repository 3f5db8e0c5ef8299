// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Values of ClassAd expressions.
//
//   AdValue value = AdValue::Of(int64_t{3});
//   double number;
//   if (value.ToNumber(&number)) ...
//
// Numbers and truth values become each other where an operator asks for the other. Undefined is the
// value of an attribute that no ad has; an operator that cannot work with a value returns error.
#ifndef MUSTER_PEER_HTCONDOR_VALUE_H_
#define MUSTER_PEER_HTCONDOR_VALUE_H_

#include <cstdint>
#include <string>
#include <utility>

namespace muster::condor {

struct AdValue {
  enum class Kind : uint8_t { kUndefined, kError, kBool, kInteger, kReal, kText };

  static AdValue Undefined() { return {}; }
  static AdValue Error() { return {.kind = Kind::kError}; }
  static AdValue Of(bool value) { return {.kind = Kind::kBool, .integer = value}; }
  static AdValue Of(int64_t value) { return {.kind = Kind::kInteger, .integer = value}; }
  static AdValue Of(double value) { return {.kind = Kind::kReal, .real = value}; }
  static AdValue Of(std::string value) { return {.kind = Kind::kText, .text = std::move(value)}; }

  bool is_number() const { return kind == Kind::kInteger || kind == Kind::kReal; }
  bool is_undefined() const { return kind == Kind::kUndefined; }
  // Integers, reals and truth values are numbers.
  bool ToNumber(double* number) const {
    if (kind == Kind::kReal) {
      *number = real;
    } else if (kind == Kind::kInteger || kind == Kind::kBool) {
      *number = static_cast<double>(integer);
    } else {
      return false;
    }
    return true;
  }
  // Returns whether the value counts as true; undefined, error and texts do not.
  bool IsTrue() const {
    double number = 0;
    return ToNumber(&number) && number != 0;
  }

  Kind kind = Kind::kUndefined;
  int64_t integer = 0;  // and truth values
  double real = 0;
  std::string text = {};
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_VALUE_H_
