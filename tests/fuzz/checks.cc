// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/fuzz/checks.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/profile/profile.h"
#include "lib/scenario/state.h"
#include "tests/fuzz/target.h"

namespace muster::fuzz {
namespace {

std::string Outcome(const absl::StatusOr<Plan>& plan) {
  return plan.ok() ? plan->Digest() : plan.status().ToString();
}

}  // namespace

void CheckJson(std::string_view text, absl::string_view what) {
  if (nlohmann::json::accept(text)) return;
  Fail(absl::StrCat(what, " is no JSON: ", ToAbsl(text)));
}

void CheckWords(const absl::Status& error) {
  const std::string words(error.message());
  Require(!words.empty() && IsValidUtf8(words), "an error has no words, or they are not UTF-8");
}

void CheckRoundTrip(const Scenario& scenario) {
  const std::string text = WriteScenario(scenario);
  CheckJson(text, "a written scenario");
  const absl::StatusOr<Scenario> again = ParseScenario(text, {.rows = 1 << 16, .depth = 256});
  if (!again.ok()) {
    Fail(absl::StrCat("a written scenario is refused: ", again.status().ToString(), "\n", text));
  }
  const std::string twice = WriteScenario(*again);
  if (twice != text) Fail(absl::StrCat("a scenario is written as\n", text, "\nthen\n", twice));
}

absl::StatusOr<Plan> CheckedSchedule(Cluster* cluster, std::string_view profile,
                                     const ScheduleOptions& options) {
  const Snapshot snapshot = cluster->Freeze();
  absl::StatusOr<Plan> plan = cluster->Schedule(profile, options);
  const std::string living = Outcome(plan);
  const std::string over_snapshot = Outcome(Schedule(snapshot, profile, options));
  const std::string again = Outcome(cluster->Schedule(profile, options));
  if (living != over_snapshot || living != again) {
    Fail(absl::StrCat(ToAbsl(profile), ": the living cluster's plan is ", living,
                      ", the snapshot's ", over_snapshot, ", the second ", again));
  }
  if (plan.ok()) {
    CheckJson(plan->ToJson(), "a plan");
    plan->ToText();
  }
  return plan;
}

std::string RowsOf(const Cluster& cluster) { return WriteScenario(Describe(cluster)); }

void CheckCopies(Cluster* cluster, std::string_view profile, const ScheduleOptions& options) {
  const std::string state = SaveState(cluster);
  Cluster loaded;
  const absl::Status status = LoadState(state, &loaded);
  if (!status.ok()) Fail(absl::StrCat("a saved state is refused: ", status.ToString()));
  Require(StateText(loaded) == state, "a state that was loaded is saved as another");
  const absl::StatusOr<Plan> living = CheckedSchedule(cluster, profile, options);
  const std::string of_loaded = Outcome(loaded.Schedule(profile, options));
  if (Outcome(living) != of_loaded) {
    Fail(absl::StrCat(ToAbsl(profile), ": the living cluster's plan is ", Outcome(living),
                      ", the loaded one's ", of_loaded));
  }
  const Scenario scenario = Describe(*cluster);
  CheckRoundTrip(scenario);
  Cluster fresh;
  const absl::Status filled = Fill(scenario, &fresh);
  if (!filled.ok()) Fail(absl::StrCat("described rows are refused: ", filled.ToString()));
  const absl::StatusOr<Plan> rebuilt = fresh.Schedule(profile, options);
  const std::string words = living.ok() ? living->ToText() : living.status().ToString();
  const std::string other = rebuilt.ok() ? rebuilt->ToText() : rebuilt.status().ToString();
  if (words != other) {
    Fail(absl::StrCat(ToAbsl(profile), ": the living cluster's plan is\n", words,
                      "\nand that of its scenario\n", other, "\n", WriteScenario(scenario)));
  }
}

std::vector<std::string> AllSpecs() {
  std::vector<std::string> specs;
  for (const Preset& preset : Presets()) {
    const std::string name(preset.name);
    specs.push_back(name);
    std::string all;
    for (const ActionDecl& action : preset.catalogue) {
      absl::StrAppend(&all, all.empty() ? "" : "+", ToAbsl(action.name));
      specs.push_back(absl::StrCat(name, ":actions=", ToAbsl(action.name)));
    }
    specs.push_back(absl::StrCat(name, ":actions=", all));
    specs.push_back(absl::StrCat(name, ":lone_tasks=default"));
  }
  const std::string frame = "volcano:actions=admit+allocate+preempt+reclaim,tiers=gang/predicates";
  for (const PolicyDecl& policy : PolicyCatalogue()) {
    specs.push_back(absl::StrCat(frame, "+", ToAbsl(policy.name)));
  }
  return specs;
}

std::string SpecOf(Input* in) {
  static const std::vector<std::string>* const kSpecs = new std::vector<std::string>(AllSpecs());
  return (*kSpecs)[in->Below(kSpecs->size())];
}

}  // namespace muster::fuzz
