// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/digests/worlds.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_cpus.h"
#include "tests/support/random_devices.h"
#include "tests/support/random_domains.h"
#include "tests/support/random_jobs.h"
#include "tests/support/random_spec.h"
#include "tests/support/random_world.h"
#include "tests/support/random_zones.h"

namespace muster::testing {
namespace {

// Splits at any of `separators` that is in no parentheses.
std::vector<std::string> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && separators.find(c) != std::string_view::npos) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

std::string WithoutOptions(const std::string& word) { return word.substr(0, word.find('(')); }

using Names = std::set<std::string>;

Names NamesIn(std::string_view list) {
  Names names;
  for (const std::string& word : Split(list, "+/")) names.insert(WithoutOptions(word));
  return names;
}

// The actions and policies of a profile after the changes that a spec lists behind the colon.
void Change(const std::string& item, const Names& catalogue, Names* actions, Names* policies) {
  if (item.starts_with("actions=")) {
    *actions = NamesIn(item.substr(8));
  } else if (item.starts_with("tiers=")) {
    *policies = NamesIn(item.substr(6));
  } else if (item[0] == '-') {
    actions->erase(item.substr(1));
    policies->erase(item.substr(1));
  } else if (item[0] == '+') {
    const std::string name = WithoutOptions(item.substr(1));
    (catalogue.contains(name) ? actions : policies)->insert(name);
  }
}

std::string DrawnActions(const KnownProfile& profile, Rng& rng) {
  std::vector<std::string> actions = profile.catalogue;
  rng.Shuffle(actions);
  actions.resize(1 + rng.Below(actions.size()));
  std::string spec = profile.name + ":actions=";
  for (size_t i = 0; i < actions.size(); ++i) absl::StrAppend(&spec, i > 0 ? "+" : "", actions[i]);
  return spec;
}

}  // namespace

ClusterSpec WorldOf(uint64_t seed, Rng& rng) {
  enum Kind { kPlain, kRooted, kLending, kDevices, kCpus, kZones, kDomains, kBundles, kEstimates };
  const auto kind = static_cast<Kind>(seed % (kEstimates + 1));
  WorldKnobs knobs = {.rooted = kind == kRooted, .lending = kind == kLending};
  if (kind == kEstimates) {
    knobs = {.nodes = 4, .jobs = 14, .tasks = 4, .between_tasks = false, .extremes = false};
  }
  ClusterSpec world = RandomWorld(rng.Next(), knobs);
  if (kind == kDevices) AddDevices(rng, &world);
  if (kind == kCpus) AddCpus(rng, &world);
  if (kind == kZones) AddZones(rng, &world);
  if (kind == kDomains) AddDomains(rng, &world);
  if (kind == kBundles) AddBundleStrategies(rng, &world);
  if (kind == kEstimates) AddEstimates(rng, &world);
  return world;
}

std::vector<std::string> SpecsFor(std::span<const KnownProfile> profiles, Rng& rng) {
  std::vector<std::string> specs;
  for (const KnownProfile& profile : profiles) specs.push_back(profile.name);
  specs.push_back(DrawnActions(profiles[rng.Below(profiles.size())], rng));
  specs.push_back(OneOf(kVolcanoSpecs, rng));
  specs.push_back(RandomVolcanoSpec(rng));
  specs.push_back(OneOf(kKubeBatchSpecs, rng));
  specs.push_back(OneOf(kMusterSpecs, rng));
  specs.push_back(OneOf(kTranswarpSpecs, rng));
  specs.push_back(OneOf(kDeviceSpecs, rng));
  specs.push_back(OneOf(kCpuSpecs, rng));
  specs.push_back(OneOf(kZoneSpecs, rng));
  specs.push_back(OneOf(kDomainSpecs, rng));
  specs.push_back(OneOf(kRaySpecs, rng));
  specs.push_back("conservative:order=" + OneOf(kBatchOrders, rng));
  // A table may draw a profile as it comes.
  std::set<std::string> seen;
  std::erase_if(specs, [&](const std::string& spec) { return !seen.insert(spec).second; });
  return specs;
}

Tally::Tally(std::span<const KnownProfile> profiles, std::span<const std::string> policies)
    : profiles_(profiles) {
  for (const std::string& policy : policies) names_["policy " + policy] = 0;
  for (const KnownProfile& profile : profiles) {
    for (const std::string& action : profile.catalogue) {
      names_[absl::StrCat("action ", profile.name, "/", action)] = 0;
    }
  }
}

void Tally::CountSpec(const std::string& spec) {
  const size_t colon = std::min(spec.find(':'), spec.size());
  const std::string name = spec.substr(0, colon);
  const auto profile =
      std::find_if(profiles_.begin(), profiles_.end(),
                   [&](const KnownProfile& candidate) { return candidate.name == name; });
  if (profile == profiles_.end()) return;
  const Names catalogue(profile->catalogue.begin(), profile->catalogue.end());
  Names actions(profile->actions.begin(), profile->actions.end());
  Names policies(profile->policies.begin(), profile->policies.end());
  if (colon < spec.size()) {
    for (const std::string& item : Split(spec.substr(colon + 1), ",")) {
      Change(item, catalogue, &actions, &policies);
    }
  }
  for (const std::string& action : actions) ++names_[absl::StrCat("action ", name, "/", action)];
  for (const std::string& policy : policies) ++names_["policy " + policy];
}

void Tally::CountKinds(std::span<const std::string_view> kinds) {
  for (const std::string_view kind : kinds) {
    auto it = kinds_.find(kind);
    if (it == kinds_.end()) it = kinds_.emplace(kind, 0).first;
    ++it->second;
  }
}

std::string Tally::Text() const {
  std::string text;
  for (const auto& [name, count] : names_) absl::StrAppend(&text, name, " ", count, "\n");
  for (const auto& [kind, count] : kinds_) absl::StrAppend(&text, "kind ", kind, " ", count, "\n");
  return text;
}

std::vector<std::string> Tally::Missing() const {
  std::vector<std::string> missing;
  for (const auto& [name, count] : names_) {
    if (count == 0) missing.push_back(name);
  }
  return missing;
}

}  // namespace muster::testing
