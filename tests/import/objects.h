// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// For tests of the importers: small objects as a dump has them, and what is made of them.
//
//   const Import import = Imported({NodeJson("n1"), QueueJson("q"), GroupJson("g"), PodJson("p")});
//   EXPECT_EQ(import.scenario.cluster.tasks[0].job, "ns/g");
#ifndef MUSTER_TESTS_IMPORT_OBJECTS_H_
#define MUSTER_TESTS_IMPORT_OBJECTS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/import/import.h"
#include "nlohmann/json.hpp"

namespace muster {

using ObjectJson = nlohmann::ordered_json;  // keeps the order of keys, as text does

inline ObjectJson NodeJson(const std::string& name = "n1",
                           ObjectJson allocatable = {{"cpu", "4"}, {"pods", "10"}}) {
  return {{"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"status", {{"allocatable", std::move(allocatable)}}}};
}

inline ObjectJson QueueJson(const std::string& name = "q",
                            const ObjectJson& spec = ObjectJson::object()) {
  ObjectJson queue = {{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                      {"kind", "Queue"},
                      {"metadata", {{"name", name}}},
                      {"spec", {{"weight", 1}}},
                      {"status", {{"state", "Open"}}}};
  queue["spec"].update(spec);
  return queue;
}

inline ObjectJson GroupJson(const std::string& name = "g",
                            const ObjectJson& spec = ObjectJson::object(),
                            const ObjectJson& annotations = ObjectJson::object()) {
  ObjectJson group = {
      {"apiVersion", "scheduling.volcano.sh/v1beta1"},
      {"kind", "PodGroup"},
      {"metadata", {{"name", name}, {"namespace", "ns"}, {"annotations", annotations}}},
      {"spec", {{"queue", "q"}}},
      {"status", {{"phase", "Pending"}}}};
  group["spec"].update(spec);
  return group;
}

inline ObjectJson ContainerJson(const ObjectJson& requests = {{"cpu", "1"}}) {
  return {{"name", "c"}, {"resources", {{"requests", requests}}}};
}

inline ObjectJson PodJson(const std::string& name = "p",
                          const ObjectJson& spec = ObjectJson::object(),
                          const std::string& group = "g") {
  ObjectJson pod = {{"kind", "Pod"},
                    {"metadata", {{"name", name}, {"namespace", "ns"}}},
                    {"spec", {{"containers", ObjectJson::array({ContainerJson()})}}},
                    {"status", {{"phase", "Pending"}}}};
  if (!group.empty()) pod["metadata"]["annotations"] = {{"scheduling.k8s.io/group-name", group}};
  pod["spec"].update(spec);
  return pod;
}

inline ObjectJson With(ObjectJson object, const std::string& pointer, const ObjectJson& value) {
  object[ObjectJson::json_pointer(pointer)] = value;
  return object;
}

inline absl::StatusOr<Import> TryImport(const std::vector<ObjectJson>& objects,
                                        ImportOptions options = {.profile = "volcano"}) {
  return ImportObjects(ObjectJson(objects).dump(), options);
}

inline Import Imported(const std::vector<ObjectJson>& objects,
                       ImportOptions options = {.profile = "volcano"}) {
  absl::StatusOr<Import> import = TryImport(objects, options);
  EXPECT_TRUE(import.ok()) << import.status();
  return import.ok() ? *std::move(import) : Import();
}

inline std::string Refusal(const std::vector<ObjectJson>& objects) {
  return std::string(TryImport(objects).status().message());
}

inline std::vector<std::string> Lines(const Import& import) {
  std::vector<std::string> lines;
  for (const ImportEntry& entry : import.report) lines.push_back(Describe(entry));
  return lines;
}

// "cpu=4 pods=10"
inline std::string Words(const Resources& resources) {
  std::string words;
  for (const auto& [name, amount] : resources) {
    absl::StrAppend(&words, words.empty() ? "" : " ", name, "=", amount.text);
  }
  return words;
}

}  // namespace muster

#endif  // MUSTER_TESTS_IMPORT_OBJECTS_H_
