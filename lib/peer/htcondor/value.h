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

// A value but for its text.
struct AdScalar {
  enum class Kind : uint8_t { kUndefined, kError, kBool, kInteger, kReal, kText };

  static AdScalar Error() { return {.kind = Kind::kError}; }
  static AdScalar Of(bool value) { return {.kind = Kind::kBool, .integer = value}; }
  static AdScalar Of(int64_t value) { return {.kind = Kind::kInteger, .integer = value}; }
  static AdScalar Of(double value) { return {.kind = Kind::kReal, .real = value}; }

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
};

struct AdView;

struct AdValue : AdScalar {
  AdValue() = default;
  AdValue(const AdView&) = delete;  // see ToValue
  // REQUIRES: the value has no text.
  AdValue(const AdScalar& value) : AdScalar(value) {}  // NOLINT(google-explicit-constructor)

  static AdValue Undefined() { return {}; }
  static AdValue Error() { return AdScalar::Error(); }
  static AdValue Of(bool value) { return AdScalar::Of(value); }
  static AdValue Of(int64_t value) { return AdScalar::Of(value); }
  static AdValue Of(double value) { return AdScalar::Of(value); }
  static AdValue Of(std::string value) {
    AdValue made;
    made.kind = Kind::kText;
    made.text = std::move(value);
    return made;
  }

  std::string text;
};

// A value of which another object holds the text.
struct AdView : AdScalar {
  AdView() = default;
  AdView(const AdScalar& value) : AdScalar(value) {}  // NOLINT(google-explicit-constructor)
  explicit AdView(const AdValue& value) : AdScalar(value), text(&value.text) {}

  AdValue ToValue() const {
    const AdScalar& scalar = *this;
    return kind == Kind::kText ? AdValue::Of(*text) : AdValue(scalar);
  }

  const std::string* text = nullptr;  // null: the value has none
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_VALUE_H_
