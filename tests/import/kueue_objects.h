// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// For tests of Kueue's importer: its objects, and what a plan decides about an import.
//
//   const Import import = Imported(World({WorkloadJson("w", 3, "1")}), {});
//   EXPECT_THAT(DecidedUnder(import), HasSubstr("admit ns/w"));
#ifndef MUSTER_TESTS_IMPORT_KUEUE_OBJECTS_H_
#define MUSTER_TESTS_IMPORT_KUEUE_OBJECTS_H_

#include <string>
#include <utility>
#include <vector>

#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {

inline ObjectJson KueueObject(const std::string& kind, const std::string& name,
                              ObjectJson spec = ObjectJson::object(),
                              const std::string& space = "") {
  ObjectJson object = {{"apiVersion", "kueue.x-k8s.io/v1beta1"},
                       {"kind", kind},
                       {"metadata", {{"name", name}}},
                       {"spec", std::move(spec)}};
  if (!space.empty()) object["metadata"]["namespace"] = space;
  return object;
}

// A ClusterQueue with one flavor for cpu.
inline ObjectJson ClusterQueueJson(const std::string& name, const std::string& quota,
                                   const ObjectJson& more = ObjectJson::object()) {
  ObjectJson spec = {
      {"namespaceSelector", ObjectJson::object()},
      {"resourceGroups",
       {{{"coveredResources", {"cpu"}},
         {"flavors",
          {{{"name", "spot"}, {"resources", {{{"name", "cpu"}, {"nominalQuota", quota}}}}}}}}}}};
  spec.update(more);
  return KueueObject("ClusterQueue", name, spec);
}

inline ObjectJson WorkloadJson(const std::string& name, int count, const std::string& cpu,
                               const ObjectJson& more = ObjectJson::object()) {
  const ObjectJson pods = {{"spec", {{"containers", {ContainerJson({{"cpu", cpu}})}}}}};
  ObjectJson spec = {{"queueName", "q"},
                     {"podSets", {{{"name", "main"}, {"count", count}, {"template", pods}}}}};
  spec.update(more);
  return KueueObject("Workload", name, spec, "ns");
}

inline ObjectJson Admitted(ObjectJson workload, int count) {
  workload["status"] = {
      {"admission",
       {{"clusterQueue", "a"},
        {"podSetAssignments",
         {{{"name", "main"}, {"count", count}, {"flavors", {{"cpu", "spot"}}}}}}}},
      {"conditions",
       {{{"type", "QuotaReserved"},
         {"status", "True"},
         {"lastTransitionTime", "2026-01-01T00:00:05Z"}},
        {{"type", "Admitted"}, {"status", "True"}}}}};
  return workload;
}

inline constexpr char kHostLabel[] = "kubernetes.io/hostname";

inline const ObjectJson kFlavor =
    KueueObject("ResourceFlavor", "spot", {{"nodeLabels", {{"pool", "spot"}}}});
inline const ObjectJson kLocal = KueueObject("LocalQueue", "q", {{"clusterQueue", "a"}}, "ns");

// The world of one queue with a quota of 4 CPUs, and more.
inline std::vector<ObjectJson> World(std::vector<ObjectJson> more) {
  std::vector<ObjectJson> all = {kFlavor, kLocal, ClusterQueueJson("a", "4")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline std::string DecidedUnder(const Import& import, const std::string& profile = "") {
  Cluster cluster;
  const absl::Status filled = Fill(import.scenario, &cluster);
  EXPECT_TRUE(filled.ok()) << filled;
  const absl::StatusOr<Plan> plan =
      cluster.Schedule(profile.empty() ? import.scenario.profile : profile);
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

}  // namespace muster

#endif  // MUSTER_TESTS_IMPORT_KUEUE_OBJECTS_H_
