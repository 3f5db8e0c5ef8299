// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Options of policies and actions: declared as a table, checked once, read by name.
//
//   static constexpr muster::OptionDecl kOptions[] = {
//       {"weight", muster::OptionKind::kNumber, "1", 0, 1e6, "how much the score counts"},
//       {"invert", muster::OptionKind::kFlag, "off", 0, 0, "prefer the fullest node"}};
//   absl::StatusOr<muster::Options> options =
//       muster::Options::Check("policy emptiest", kOptions, {{"weight", "5"}});
//   double weight = options->number("weight");  // 5
//   bool invert = options->flag("invert");      // false: the default
//
// Promise. Options that Check returned have a value for every declared name. A policy lists its
// table in PolicyDecl::options, and its `make` receives options that are checked. A spec string
// sets them: "volcano:+emptiest(weight=5)", where "+" adds the policy to the profile.
// Failure. Check fails with InvalidArgument: for an unknown name, with the nearest declared one;
// for a name that is given twice; for a value out of range, with the range or the choices.
// Ownership. Options keep a view of the table, which must outlive them: declare it constexpr.
// Threads. Like a value: any number of threads may read one.
// Cost. A look-up costs O(options declared and given) and parses the text: read options in the
// constructor of a policy, not in its answers.
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

// What values an option takes.
//   kNumber  a finite number from `min` to `max`
//   kFlag    "on" or "off"
//   kText    any text
//   kWhole   a whole number from `min` to `max`
//   kChoice  one of the words that the help begins with: "pack|spread|best-fit: how to choose"
enum class OptionKind : uint8_t { kNumber, kFlag, kText, kChoice, kWhole };

// One option. A name that ends in ".*" declares a family, one option for each dimension:
// "resource.*" stands for "resource.cpu", "resource.memory" and so on.
struct OptionDecl {
  std::string_view name;
  OptionKind kind;
  std::string_view default_value;  // as it would be given; not checked
  double min, max;                 // of kNumber and kWhole, both allowed
  std::string_view help;           // one line, for help texts
};

// Names and values, as a spec string has them.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

// Checked options: the given values over the declared defaults.
class MUSTER_EXPORT Options {
 public:
  // Checks `given` against `declared`. `place` begins the error messages: "policy binpack".
  static absl::StatusOr<Options> Check(std::string_view place, std::span<const OptionDecl> declared,
                                       const OptionValues& given);

  // Return the value of the option, given or default. REQUIRES: `name` is declared with that kind;
  // text() also serves kChoice. For other names they return 0, false and "".
  double number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  // Returns the given members of a family of numbers: pairs of what stands for the star, and the
  // value. `prefix` is the name without the star: "resource.".
  std::vector<std::pair<std::string, double>> family(std::string_view prefix) const;
  // Returns the values that were given, without defaults.
  const OptionValues& given() const { return given_; }

 private:
  std::span<const OptionDecl> declared_;
  OptionValues given_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_OPTIONS_H_
