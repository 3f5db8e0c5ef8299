// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/readiness.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster::kueue {
namespace {

// What is wrong, the most important first.
struct Complaints {
  std::vector<std::string_view> reasons = {};
  std::vector<std::string> messages = {};
  void Add(std::string_view reason, std::string message) {
    reasons.push_back(reason);
    messages.push_back(std::move(message));
  }
};

template <class Wanted>
std::vector<std::string> NamesOf(const std::vector<QueueCheck>& checks, Wanted wanted) {
  std::vector<std::string> names;
  for (const QueueCheck& check : checks) {
    if (wanted(check)) names.push_back(check.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Listed(const std::vector<std::string>& names) { return absl::StrJoin(names, ","); }

void ComplainOfChecks(const std::vector<QueueCheck>& checks,
                      const std::vector<std::string>& elsewhere, Complaints* wrong) {
  const auto missing = NamesOf(checks, [](const QueueCheck& c) { return !c.found; });
  if (!missing.empty()) {
    wrong->Add("AdmissionCheckNotFound",
               absl::StrCat("references missing AdmissionCheck(s): ", Listed(missing)));
  }
  const auto inactive = NamesOf(checks, [](const QueueCheck& c) { return c.found && !c.active; });
  if (!inactive.empty()) {
    wrong->Add("AdmissionCheckInactive",
               absl::StrCat("references inactive AdmissionCheck(s): ", Listed(inactive)));
  }
  if (elsewhere.size() > 1) {
    wrong->Add("MultipleMultiKueueAdmissionChecks",
               absl::StrCat("Cannot use multiple MultiKueue AdmissionChecks on the same "
                            "ClusterQueue, found: ",
                            Listed(elsewhere)));
  }
  const auto partial = NamesOf(checks, [](const QueueCheck& c) {
    return c.found && c.kind == QueueCheck::Kind::kMultiKueue && !c.all_flavors;
  });
  if (!partial.empty()) {
    wrong->Add("MultiKueueAdmissionCheckAppliedPerFlavor",
               absl::StrCat("Cannot specify MultiKueue AdmissionCheck per flavor, found: ",
                            Listed(partial)));
  }
  const auto provisioning = NamesOf(checks, [](const QueueCheck& c) {
    return c.found && c.kind == QueueCheck::Kind::kProvisioning;
  });
  if (!elsewhere.empty() && !provisioning.empty()) {
    wrong->Add("MultiKueueWithProvisioningRequest",
               absl::StrCat("Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks "
                            "together, found: ",
                            Listed(elsewhere), ", ", Listed(provisioning)));
  }
}

}  // namespace

Readiness ReadinessOf(const QueueFacts& facts) {
  if (facts.terminating) {
    return {false, "Terminating", "Can't admit new workloads; clusterQueue is terminating"};
  }
  Complaints wrong;
  if (facts.stopped) wrong.Add("Stopped", "is stopped");
  if (!facts.missing_flavors.empty()) {
    wrong.Add("FlavorNotFound", absl::StrCat("references missing ResourceFlavor(s): ",
                                             Listed(facts.missing_flavors)));
  }
  const std::vector<std::string> elsewhere = NamesOf(facts.checks, [](const QueueCheck& c) {
    return c.found && c.kind == QueueCheck::Kind::kMultiKueue;
  });
  ComplainOfChecks(facts.checks, elsewhere, &wrong);
  if (wrong.reasons.empty() && !elsewhere.empty()) return {};
  for (const auto& [flavor, topology] : facts.missing_topologies) {
    wrong.Add("TopologyNotFound", absl::StrCat("there is no Topology \"", topology,
                                               "\" for TAS flavor \"", flavor, "\""));
  }
  if (wrong.reasons.empty()) return {};
  return {false, std::string(wrong.reasons.front()),
          absl::StrCat("Can't admit new workloads: ", absl::StrJoin(wrong.messages, ", "), ".")};
}

}  // namespace muster::kueue
