// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of objects through the C interface: texts in and out, options, refusals.
#include <cstring>
#include <string>

#include "tests/capi/capi_support.h"

namespace muster {
namespace {

constexpr char kDump[] = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "n1"},
   "status": {"allocatable": {"cpu": "4", "pods": "10"}}},
  {"kind": "Queue", "apiVersion": "scheduling.volcano.sh/v1beta1", "metadata": {"name": "q"},
   "spec": {"weight": 1}, "status": {"state": "Open"}},
  {"kind": "PodGroup", "apiVersion": "scheduling.volcano.sh/v1beta1",
   "metadata": {"name": "g", "namespace": "ns"}, "spec": {"queue": "q", "minMember": 1}},
  {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns",
   "annotations": {"scheduling.k8s.io/group-name": "g"}},
   "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}},
  {"kind": "Secret", "metadata": {"name": "s"}}]})";

class ImportC : public ::testing::Test {
 protected:
  muster_error error = MUSTER_ERROR_INIT;
  Held<muster_text> scenario, report;

  int Import(const char* objects, const muster_import_options* options = nullptr) {
    return muster_import(objects, MUSTER_TO_NUL, options, Out(scenario), Out(report), &error);
  }
};

TEST_F(ImportC, AClusterReadsWhatComesOut) {
  ASSERT_OK_C(Import(kDump));
  Held<muster_cluster> cluster;
  ASSERT_OK_C(muster_cluster_new(nullptr, Out(cluster), &error));
  Held<muster_text> profile;
  ASSERT_OK_C(muster_cluster_read_scenario(cluster.get(), muster_text_data(scenario.get()),
                                           muster_text_size(scenario.get()), Out(profile), &error));
  EXPECT_EQ(Words(profile), "volcano");
  int32_t index = -1;
  EXPECT_OK_C(muster_cluster_find(cluster.get(), MUSTER_KIND_TASKS, "ns/p", 4, &index, &error));
  EXPECT_EQ(Words(report),
            "{\"entries\": [\n  {\"severity\": \"ignored\", \"object\": \"Secret s\", \"field\": "
            "\"\", \"text\": \"objects of this kind are not considered\"}\n]}\n");
  EXPECT_EQ(muster_has_feature("import"), 1);
}

TEST_F(ImportC, OptionsAreTaken) {
  muster_import_options options = MUSTER_IMPORT_OPTIONS_INIT;
  options.profile = "kube-batch";
  options.configuration = R"({"actions": "allocate"})";
  options.default_queue = "q";
  options.now = 7;
  ASSERT_OK_C(Import(kDump, &options));
  EXPECT_NE(Words(scenario).find("\"profile\": \"kube-batch:actions=allocate\""),
            std::string::npos);
  EXPECT_NE(Words(scenario).find("\"now\": 7"), std::string::npos);
  // The report is the caller's choice.
  EXPECT_OK_C(muster_import(kDump, std::strlen(kDump), &options, Out(scenario), nullptr, &error));
}

TEST_F(ImportC, RefusalsNameThePlace) {
  EXPECT_EQ(Import(R"([{"kind": "Pod", "metadata": {}}])"), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error), "Pod: metadata.name: missing; each object has a name");
  EXPECT_EQ(scenario, nullptr);
  EXPECT_EQ(report, nullptr);
  muster_import_options options = MUSTER_IMPORT_OPTIONS_INIT;
  options.profile = "vulcano";
  EXPECT_EQ(Import(kDump, &options), MUSTER_E_INVALID_ARGUMENT);
  EXPECT_EQ(Words(error).find("profile \"vulcano\": no importer has this name"), 0u);
  options.struct_size = 4;
  EXPECT_EQ(Import(kDump, &options), MUSTER_E_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace muster
