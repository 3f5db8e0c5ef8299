// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options of policies and actions: declared as a table, checked once, read by name.
//
//   constexpr OptionDecl kOptions[] = {{"weight", OptionKind::kNumber, "1", 0, 1e6, "how much it counts"}};
//   absl::StatusOr<Options> options = Options::Check("policy binpack", kOptions, {{"weight", "5"}});
//   double weight = options->number("weight");
//
// An unknown name is refused with the nearest declared one, a value out of range with the range. A name that
// ends in ".*" declares a family ("resource.*"): one option per dimension.
#ifndef MUSTER_POLICY_OPTIONS_H_
#define MUSTER_POLICY_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"

namespace muster {

// A choice's help begins with what there is to choose from: "one|other: what it is".
enum class OptionKind : uint8_t { kNumber, kFlag, kText, kChoice };

struct OptionDecl {
  std::string_view name;
  OptionKind kind;
  std::string_view default_value;
  double min, max;  // numbers
  std::string_view help;
};

using OptionValues = std::vector<std::pair<std::string, std::string>>;

class MUSTER_EXPORT Options {
 public:
  // `place` begins the error messages.
  static absl::StatusOr<Options> Check(std::string_view place, std::span<const OptionDecl> declared,
                                       const OptionValues& given);

  double number(std::string_view name) const;
  bool flag(std::string_view name) const;  // on, off
  std::string text(std::string_view name) const;
  // The given members of a family: (what stands for the star, value).
  std::vector<std::pair<std::string, double>> family(std::string_view prefix) const;
  const OptionValues& given() const { return given_; }

 private:
  std::span<const OptionDecl> declared_;
  OptionValues given_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_OPTIONS_H_
