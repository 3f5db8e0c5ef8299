// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/estimate_readers.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace muster {
namespace {

// Returns whether the option is there and is not `unread`.
bool OptionReads(const ConfiguredAction& action, std::string_view option, std::string_view unread) {
  const auto& options = action.decl.options;
  return std::any_of(options.begin(), options.end(),
                     [&](const OptionDecl& decl) { return decl.name == option; }) &&
         action.options.text(option) != unread;
}

bool ActionReads(const ConfiguredAction& action) {
  const std::string_view name = action.decl.name;
  // Batch systems; fcfs reads estimates to order by them alone.
  if (name == "easy" || name == "conservative") return true;
  if (name == "fcfs") {
    const std::string order = action.options.text("order");
    return order == "sjf" || order == "ljf" || order == "area";
  }
  return OptionReads(action, "promise", "off");
}

bool PolicyReads(const ConfiguredPolicy& policy) {
  const std::string_view name = policy.decl.name;
  if (name == "due") return true;
  if (name != "joborder") return false;
  const std::string by = policy.options.text("by");
  return by != "smallest" && by != "largest" && by != "edf" && by != "las";
}

}  // namespace

bool ReadsEstimates(const ProfileConfig& config) {
  const bool acts = std::any_of(config.actions.begin(), config.actions.end(), ActionReads);
  return acts || std::any_of(config.tiers.begin(), config.tiers.end(), [](const auto& tier) {
           return std::any_of(tier.begin(), tier.end(), PolicyReads);
         });
}

bool LacksEstimates(const Trace& trace) {
  return std::find(trace.estimate.begin(), trace.estimate.end(), kAbsent) != trace.estimate.end();
}

}  // namespace muster
