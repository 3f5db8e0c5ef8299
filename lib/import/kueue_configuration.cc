// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's configuration as a spec string of profile kueue.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/kueue.h"
#include "lib/peer/kueue/gates.h"

namespace muster::kueue {
namespace {

// Settings that say nothing about decisions.
constexpr std::string_view kKueueQuiet[] = {"apiVersion",
                                            "kind",
                                            "metadata",
                                            "namespace",
                                            "health",
                                            "metrics",
                                            "webhook",
                                            "controller",
                                            "leaderElection",
                                            "internalCertManagement",
                                            "integrations",
                                            "clientConnection",
                                            "manageJobsWithoutQueueName",
                                            "queueVisibility",
                                            "tls",
                                            "managedJobsNamespaceSelector",
                                            "objectRetentionPolicies",
                                            "multiKueue"};

constexpr std::string_view kUsageGate = "AdmissionFairSharing";
constexpr std::string_view kKueueStrategies[] = {"LessThanOrEqualToFinalShare",
                                                 "LessThanInitialShare"};

// Returns whether the section switches fair sharing on. Newer versions have no switch: the section
// itself is one.
bool ReadFairSharing(const Field& configuration) {
  const Field section = configuration.Section("fairSharing");
  for (const std::string& word : section.Texts("preemptionStrategies")) {
    if (std::ranges::find(kKueueStrategies, word) != std::end(kKueueStrategies)) continue;
    section["preemptionStrategies"].Refuse(
        absl::StrCat(Quote(word), " is no strategy; expected LessThanOrEqualToFinalShare or ",
                     "LessThanInitialShare"));
  }
  if (section["preemptionStrategies"].truthy()) {
    section["preemptionStrategies"].Ignored("both strategies count, in the default order");
  }
  return section.given() && section.Bool("enable", true);
}

// Adds what admission fair sharing is set to. The section itself switches it on, unless its gate is
// off.
void ReadUsageOptions(const Field& configuration, std::vector<std::string>* options) {
  const Field section = configuration.Section("admissionFairSharing");
  if (!section.given()) return;
  if (!configuration.Section("featureGates").Bool(kUsageGate, true)) {
    return section.Ignored("feature gate AdmissionFairSharing is off");
  }
  options->push_back("admission_fair_sharing=on");
  if (const auto seconds = section.Duration("usageHalfLifeTime")) {
    options->push_back(absl::StrCat("usage_half_life=", *seconds));
  }
  if (const auto seconds = section.Duration("usageSamplingInterval", /*least=*/1)) {
    options->push_back(absl::StrCat("usage_sampling_interval=", *seconds));
  }
  for (const Field& weight : section.Section("resourceWeights").Children()) {
    options->push_back(
        absl::StrCat("usage_weight.", ToAbsl(weight.key()), "=", DecimalText(ReadAmount(weight))));
  }
}

// Adds what the feature gates set: "flavor_fungibility=off".
void ReadGates(const Field& configuration, std::vector<std::string>* options) {
  const Field section = configuration.Section("featureGates");
  for (const Field& value : section.Children()) {
    const std::string name(value.key());
    const bool on = section.Bool(name, false);
    const auto rule = std::ranges::find(kGateRules, name, &GateRule::name);
    if (name == "PriorityBoost" || name == kUsageGate) {
      continue;  // workloads are read by the first, and a section by the second
    } else if (rule == std::end(kGateRules) || rule->option.empty()) {
      value.Ignored("the gate changes no decision of profile kueue");
    } else {
      options->push_back(absl::StrCat(ToAbsl(rule->option), on ? "=on" : "=off"));
    }
  }
}

}  // namespace

std::string ReadConfiguration(const Field& configuration) {
  configuration.RequireKind("Configuration");
  configuration.Quiet(kKueueQuiet);
  std::vector<std::string> options;
  if (ReadFairSharing(configuration)) options.push_back("fair_sharing=on");
  ReadUsageOptions(configuration, &options);
  ReadGates(configuration, &options);
  if (options.empty()) return "kueue";
  return absl::StrCat("kueue:admit(", absl::StrJoin(options, ","), ")");
}

}  // namespace muster::kueue
