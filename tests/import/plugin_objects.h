// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// For tests of scheduler-plugins' importer: the objects of its plug-ins, and imports under a
// configuration.
//
//   const Import import = ImportedUnder(R"({"schedulerName": "..."})", PluginObjects());
#ifndef MUSTER_TESTS_IMPORT_PLUGIN_OBJECTS_H_
#define MUSTER_TESTS_IMPORT_PLUGIN_OBJECTS_H_

#include <string>
#include <vector>

#include "tests/import/objects.h"

namespace muster {

inline ObjectJson ObjectOf(const std::string& group, const std::string& kind,
                           const std::string& name, const ObjectJson& spec) {
  return {{"apiVersion", group + "/v1alpha1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ns"}}},
          {"spec", spec}};
}

inline ObjectJson PluginPod(const std::string& name) {
  ObjectJson pod = PodJson(name, {{"schedulerName", "scheduler-plugins-scheduler"}}, "");
  pod["metadata"]["labels"] = {{"scheduling.x-k8s.io/pod-group", "train"}};
  return pod;
}

inline std::vector<ObjectJson> PluginObjects() {
  ObjectJson zones = {{"apiVersion", "topology.node.k8s.io/v1alpha2"},
                      {"kind", "NodeResourceTopology"},
                      {"metadata", {{"name", "n1"}}},
                      {"topologyPolicies", {"SingleNUMANodePodLevel"}}};
  for (const char* name : {"node-1", "node-0"}) {
    zones["zones"].push_back(
        {{"name", name},
         {"type", "Node"},
         {"costs", ObjectJson::array({{{"name", "node-0"}, {"value", 20}}})},
         {"resources",
          ObjectJson::array({{{"name", "cpu"}, {"capacity", "2"}, {"available", "1"}}})}});
  }
  return {NodeJson(),
          zones,
          ObjectOf("scheduling.x-k8s.io", "ElasticQuota", "a",
                   {{"min", {{"cpu", "2"}}}, {"max", {{"cpu", "3"}, {"memory", "1Gi"}}}}),
          ObjectOf("scheduling.x-k8s.io", "ElasticQuota", "b", {{"min", {{"cpu", "9"}}}}),
          ObjectOf(
              "scheduling.x-k8s.io", "PodGroup", "train",
              {{"minMember", 2}, {"scheduleTimeoutSeconds", 30}, {"minResources", {{"cpu", "2"}}}}),
          PluginPod("p0"),
          PluginPod("p1")};
}

// `profile`: an entry of the profiles of a KubeSchedulerConfiguration.
inline Import ImportedUnder(const std::string& profile,
                            const std::vector<ObjectJson>& objects = {}) {
  const std::string text = absl::StrCat(R"({"profiles": [)", profile, "]}");
  return Imported(objects, {.profile = "scheduler-plugins", .configuration = text});
}

}  // namespace muster

#endif  // MUSTER_TESTS_IMPORT_PLUGIN_OBJECTS_H_
