// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/reference_profile.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/share/rate_filling.h"

namespace muster::testing {
namespace {

std::map<std::string, std::string> GivenOptions(const Options& options) {
  return {options.given().begin(), options.given().end()};
}

// As FillRates has them, which tests of its own hold to be right.
std::vector<std::vector<int64_t>> FairParts(const std::vector<std::vector<int64_t>>& rates,
                                            const std::vector<int64_t>& widths,
                                            const std::vector<int64_t>& machines) {
  std::vector<RateJob> jobs;
  for (size_t m = 0; m < rates.size(); ++m) jobs.push_back({rates[m], widths[m]});
  return FillRates(jobs, machines).time;
}

}  // namespace

ReferenceProfile ReferenceProfileOf(const ProfileConfig& config) {
  ReferenceProfile profile;
  profile.preset = config.name.substr(0, config.name.find(':'));
  for (const ConfiguredAction& action : config.actions) {
    profile.actions.emplace_back(action.decl.name);
    profile.action_options[std::string(action.decl.name)] = GivenOptions(action.options);
  }
  for (const auto& tier : config.tiers) {
    profile.tiers.emplace_back();
    for (const ConfiguredPolicy& policy : tier) {
      ReferencePolicy& mine = profile.tiers.back().emplace_back();
      mine.name = std::string(policy.decl.name);
      mine.options = GivenOptions(policy.options);
      const PointSet all = policy.decl.make(policy.options)->points();
      for (int p = 0; p < kPointCount; ++p) {
        const Point point = static_cast<Point>(p);
        if (all.has(point) && !policy.points.has(point)) mine.without.emplace(PointName(point));
      }
    }
  }
  profile.fair_parts = FairParts;
  return profile;
}

}  // namespace muster::testing
