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

// Gates that change no decision, beside those of kGateRules.
constexpr std::string_view kOtherGates[] = {"MultiKueue",
                                            "TASReplaceNodeDueToNotReadyOverFixedTime",
                                            "TASCacheNodeMatchResults",
                                            "TASCachingRemainingResources",
                                            "TASCacheTopologyTree",
                                            "TASValidateWorkloadSliceSize",
                                            "SkipReassignmentForPodOwnedWorkloads",
                                            "VectorizedResourceRequests",
                                            "KueueDRAIntegration",
                                            "KueueDRAIntegrationExtendedResource",
                                            "KueueDRAIntegrationPartitionableDevices",
                                            "KueueDRAIntegrationConsumableCapacity",
                                            "WorkloadValidateResourcesAreNonNegative",
                                            "WorkloadPriorityClassDefaulting",
                                            "UnadmittedWorkloadsObservability",
                                            "UnadmittedWorkloadsExplicitStatus",
                                            "MultiKueueIncrementalDispatcherConfig",
                                            "MultiKueueIncrementalDispatcherRespectConfigOrder",
                                            "MultiKueueOrchestratedPreemption",
                                            "MultiKueueManagerQuotaAutomation",
                                            "MetricsForCohorts",
                                            "LocalQueueMetrics",
                                            "SchedulerLibraryIntegration",
                                            "FastQuotaReleaseInPodIntegration",
                                            "DisableWaitForPodsReady",
                                            "ManagedJobsNamespaceSelectorAlwaysRespected"};

constexpr std::string_view kUsageGate = "AdmissionFairSharing";
constexpr std::string_view kQuotaCheckGate = "QuotaCheckStrategy";
constexpr std::string_view kFinalShare = "LessThanOrEqualToFinalShare";
constexpr std::string_view kInitialShare = "LessThanInitialShare";

// Gates by which workloads are read, and fields of the configuration.
constexpr std::string_view kReadElsewhere[] = {"PriorityBoost", "AdmissionGatedBy",
                                               "ElasticJobsViaWorkloadSlices", kUsageGate,
                                               kQuotaCheckGate};

// Returns the option that the list stands for; empty: the default. Kueue takes three lists alone.
std::string StrategiesOf(const Field& section) {
  const std::vector<std::string> words = section.Texts("preemptionStrategies");
  for (const std::string& word : words) {
    if (word == kFinalShare || word == kInitialShare) continue;
    section["preemptionStrategies"].Refuse(absl::StrCat(Quote(word), " is no strategy; expected ",
                                                        ToAbsl(kFinalShare), " or ",
                                                        ToAbsl(kInitialShare)));
    return "";
  }
  if (words.empty()) return "";
  if (words.size() == 1) return words[0] == kFinalShare ? "final" : "initial";
  if (words.size() == 2 && words[0] == kFinalShare && words[1] == kInitialShare) return "";
  section["preemptionStrategies"].Refuse(absl::StrCat(
      "must be one strategy, or ", ToAbsl(kFinalShare), " and then ", ToAbsl(kInitialShare)));
  return "";
}

// Adds what fair sharing is set to. Newer versions have no switch: the section itself is one.
void ReadFairSharing(const Field& configuration, std::vector<std::string>* options) {
  const Field section = configuration.Section("fairSharing");
  const std::string strategies = StrategiesOf(section);
  if (!section.given() || !section.Bool("enable", true)) return;
  options->push_back("fair_sharing=on");
  if (!strategies.empty()) options->push_back(absl::StrCat("preemption_strategies=", strategies));
}

// Adds what becomes of resources that no quota is about.
void ReadQuotaCheck(const Field& configuration, std::vector<std::string>* options) {
  const Field field = configuration.Section("resources")["quotaCheckStrategy"];
  const std::string word = field.AsText();
  if (word.empty() || word == "BlockUndeclared") return;
  if (word != "IgnoreUndeclared") {
    return field.Refuse(absl::StrCat(Quote(word), " is not known; expected one of ",
                                     "BlockUndeclared, IgnoreUndeclared"));
  }
  if (!configuration.Section("featureGates").Bool(kQuotaCheckGate, true)) {
    return field.Ignored("feature gate QuotaCheckStrategy is off");
  }
  if (configuration.Section("resources")["excludeResourcePrefixes"].truthy()) {
    return field.Refuse("set beside excludeResourcePrefixes; must be one of them");
  }
  options->push_back("quota_check_strategy=ignore_undeclared");
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
    if (std::ranges::find(kReadElsewhere, name) != std::end(kReadElsewhere)) {
      continue;
    } else if (rule == std::end(kGateRules) &&
               std::ranges::find(kOtherGates, name) == std::end(kOtherGates)) {
      std::vector<std::string_view> known(std::begin(kOtherGates), std::end(kOtherGates));
      for (const GateRule& one : kGateRules) known.push_back(one.name);
      value.Ignored(absl::StrCat("is no gate of Kueue 0.20", SuggestName(name, known)));
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
  ReadFairSharing(configuration, &options);
  ReadQuotaCheck(configuration, &options);
  ReadUsageOptions(configuration, &options);
  ReadGates(configuration, &options);
  if (options.empty()) return "kueue";
  return absl::StrCat("kueue:admit(", absl::StrJoin(options, ","), ")");
}

}  // namespace muster::kueue
