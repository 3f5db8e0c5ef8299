// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which members of the specs of Kueue's objects are read, or decide nothing. All others are
// reported, so that a misspelt rule is not ignored in silence.
#include <span>
#include <string>
#include <string_view>

#include "lib/import/importer.h"
#include "lib/import/kueue.h"

namespace muster::kueue {
namespace {

// Paths of members; "[]" stands behind an array. Those below one member stand together.
constexpr std::string_view kGroupKeys[] = {"resourceGroups[].coveredResources",
                                           "resourceGroups[].flavors[].name",
                                           "resourceGroups[].flavors[].resources[].name",
                                           "resourceGroups[].flavors[].resources[].nominalQuota",
                                           "resourceGroups[].flavors[].resources[].borrowingLimit",
                                           "resourceGroups[].flavors[].resources[].lendingLimit",
                                           "fairSharing.weight"};
constexpr std::string_view kClusterQueueKeys[] = {
    "cohort",
    "cohortName",
    "queueingStrategy",
    "namespaceSelector",
    "flavorFungibility.whenCanBorrow",
    "flavorFungibility.whenCanPreempt",
    "flavorFungibility.preference",
    "preemption.reclaimWithinCohort",
    "preemption.borrowWithinCohort.policy",
    "preemption.borrowWithinCohort.maxPriorityThreshold",
    "preemption.withinClusterQueue",
    "admissionChecks",
    "admissionChecksStrategy.admissionChecks[].name",
    "admissionChecksStrategy.admissionChecks[].onFlavors",
    "stopPolicy",
    "admissionScope.admissionMode",
    "concurrentAdmissionPolicy"};
constexpr std::string_view kCohortKeys[] = {"parent", "parentName"};
constexpr std::string_view kLocalQueueKeys[] = {"clusterQueue", "stopPolicy", "fairSharing.weight"};
constexpr std::string_view kFlavorKeys[] = {"nodeLabels",
                                            "nodeTaints[].key",
                                            "nodeTaints[].value",
                                            "nodeTaints[].effect",
                                            "nodeTaints[].timeAdded",
                                            "tolerations[].key",
                                            "tolerations[].value",
                                            "tolerations[].operator",
                                            "tolerations[].effect",
                                            "tolerations[].tolerationSeconds",
                                            "topologyName"};
constexpr std::string_view kTopologyKeys[] = {"levels[].nodeLabel"};
constexpr std::string_view kWorkloadKeys[] = {
    "queueName",
    "priority",
    "priorityClassName",
    "priorityClassSource",
    "priorityClassRef.name",
    "priorityClassRef.kind",
    "priorityClassRef.group",
    "active",
    "podSets[].name",
    "podSets[].template",
    "podSets[].count",
    "podSets[].minCount",
    "podSets[].topologyRequest.required",
    "podSets[].topologyRequest.preferred",
    "podSets[].topologyRequest.unconstrained",
    "podSets[].topologyRequest.podIndexLabel",
    "podSets[].topologyRequest.subGroupIndexLabel",
    "podSets[].topologyRequest.subGroupCount",
    "podSets[].topologyRequest.podSetGroupName",
    "podSets[].topologyRequest.podSetSliceRequiredTopology",
    "podSets[].topologyRequest.podSetSliceSize",
    "podSets[].topologyRequest.podsetSliceRequiredTopologyConstraints[].topology",
    "podSets[].topologyRequest.podsetSliceRequiredTopologyConstraints[].size"};

// Settles the members below the value that have a path which begins with `prefix`.
void SettleKnown(const Field& value, std::span<const std::string_view> paths,
                 const std::string& prefix) {
  std::string_view last;
  for (const std::string_view path : paths) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view rest = path.substr(prefix.size());
    const size_t dot = rest.find('.');
    const std::string_view step = rest.substr(0, dot);
    if (dot == std::string_view::npos) {
      value.Quiet({step});
    } else if (step != last) {
      last = step;
      const std::string deeper(path.substr(0, prefix.size() + dot + 1));
      if (!step.ends_with("[]")) {
        SettleKnown(value.Section(step), paths, deeper);
        continue;
      }
      for (const Field& item : value.Items(step.substr(0, step.size() - 2))) {
        SettleKnown(item, paths, deeper);
      }
    }
  }
}

void ReportUnknown(const ImportSource& source, std::string_view kind,
                   std::span<const std::string_view> paths,
                   std::span<const std::string_view> more = {}) {
  for (const ApiObject* object : source.dump.OfKind(kind)) {
    object->spec().ReadWhole([&](const Field& spec) {
      SettleKnown(spec, paths, "");
      SettleKnown(spec, more, "");
    });
  }
}

}  // namespace

void ReportUnknownKeys(const ImportSource& source) {
  ReportUnknown(source, "ResourceFlavor", kFlavorKeys);
  ReportUnknown(source, "Topology", kTopologyKeys);
  ReportUnknown(source, "Cohort", kCohortKeys, kGroupKeys);
  ReportUnknown(source, "ClusterQueue", kClusterQueueKeys, kGroupKeys);
  ReportUnknown(source, "LocalQueue", kLocalQueueKeys);
  ReportUnknown(source, "Workload", kWorkloadKeys);
}

}  // namespace muster::kueue
