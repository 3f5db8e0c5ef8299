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
#ifndef MUSTER_EXTENSION_OPTIONS_H_
#define MUSTER_EXTENSION_OPTIONS_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/extension/policy.h"
#include "lib/fit/node_devices.h"

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

class Options {
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

// What a policy needs of the session beside answers to its questions. What several policies of a profile need is added up.
struct PolicyNeeds {
  // The books give out devices, and choose them by this. Of several policies the last one decides.
  std::optional<DevicePick> devices = {};
  // The books give whole CPUs to tasks that NUMA zones align.
  bool cpus = false;
  // What queues may share counts nodes that hold no more than they have.
  bool whole_nodes = false;
};

// A kind of policy: what profiles, help texts and bindings know about it.
struct PolicyDecl {
  std::string_view name;
  std::string_view summary;
  std::span<const OptionDecl> options;
  std::function<std::unique_ptr<Policy>(const Options& options)> make;
  // Grows by one with every release in which equal inputs get other decisions of it.
  int32_t revision = 1;
  // Adds what the policy needs with these options; null: it needs nothing.
  void (*needs)(const Options& options, PolicyNeeds* needs) = nullptr;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_OPTIONS_H_
