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

EstimateUse UseOf(const ConfiguredAction& action) {
  const std::string_view name = action.decl.name;
  // Batch systems; fcfs reads estimates to order by them alone.
  if (name == "easy" || name == "conservative") return EstimateUse::kNeeded;
  if (name == "fcfs") {
    const std::string order = action.options.text("order");
    const bool reads = order == "sjf" || order == "ljf" || order == "area";
    return reads ? EstimateUse::kNeeded : EstimateUse::kNone;
  }
  return OptionReads(action, "promise", "off") ? EstimateUse::kOptional : EstimateUse::kNone;
}

EstimateUse UseOf(const ConfiguredPolicy& policy) {
  const std::string_view name = policy.decl.name;
  if (name == "due") return EstimateUse::kOptional;
  if (name == "finish-time") return EstimateUse::kNeeded;
  if (name != "joborder") return EstimateUse::kNone;
  const std::string by = policy.options.text("by");
  const bool reads = by != "smallest" && by != "largest" && by != "edf" && by != "las";
  return reads ? EstimateUse::kNeeded : EstimateUse::kNone;
}

}  // namespace

EstimateUse UseOfEstimates(const ProfileConfig& config) {
  EstimateUse most = EstimateUse::kNone;
  for (const ConfiguredAction& action : config.actions) most = std::max(most, UseOf(action));
  for (const auto& tier : config.tiers) {
    for (const ConfiguredPolicy& policy : tier) most = std::max(most, UseOf(policy));
  }
  return most;
}

bool ReadsCheckpoints(const ProfileConfig& config) {
  return std::ranges::any_of(config.actions, [](const ConfiguredAction& action) {
    return OptionReads(action, "exchange", "0") || OptionReads(action, "by_loss", "off");
  });
}

bool LacksEstimates(const Trace& trace) {
  return std::find(trace.estimate.begin(), trace.estimate.end(), kAbsent) != trace.estimate.end();
}

}  // namespace muster
