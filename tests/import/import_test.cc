// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Imports as wholes: the importer of a dump, what comes out, and that no input crashes.
#include "lib/import/import.h"

#include <algorithm>
#include <random>

#include "lib/import/importer.h"
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Importers, TheTableHasWhatTheyNeed) {
  EXPECT_THAT(ImporterNames(),
              ElementsAre("volcano", "kube-batch", "kube-scheduler", "kueue", "kai", "armada",
                          "yunikorn", "htcondor", "mesos", "pulsar", "yarn-capacity", "yarn-fair",
                          "koordinator", "scheduler-plugins", "ray"));
  for (const Importer* importer : Importers()) {
    EXPECT_FALSE(importer->groups.empty()) << importer->name;
    EXPECT_FALSE(importer->kinds.empty()) << importer->name;
    const std::vector<ProfileInfo> profiles = Profiles();
    EXPECT_TRUE(std::any_of(profiles.begin(), profiles.end(), [&](const ProfileInfo& p) {
      return p.name == importer->name;
    })) << importer->name;
  }
}

TEST(Importers, ApiGroupsShowWhoseDumpItIs) {
  const auto profile = [](const std::vector<ObjectJson>& objects) {
    const absl::StatusOr<Import> import = TryImport(objects, {});
    return import.ok() ? import->scenario.profile : std::string(import.status().message());
  };
  const ObjectJson old =
      With(QueueJson("q"), "/apiVersion", "scheduling.incubator.k8s.io/v1alpha1");
  const ObjectJson other =
      With(QueueJson("r"), "/apiVersion", "scheduling.incubator.k8s.io/v1alpha1");
  EXPECT_EQ(profile({NodeJson(), QueueJson()}), "volcano");
  EXPECT_EQ(profile({NodeJson(), old}), "kube-batch");
  EXPECT_EQ(profile({old, QueueJson("z"), other}), "kube-batch");
  EXPECT_EQ(profile({{{"kind", "Secret"}, {"metadata", {{"name", "s"}}}}}),
            "dump: no object belongs to one scheduler alone; name the profile: one of volcano, "
            "kube-batch, kube-scheduler, kueue, kai, armada, yunikorn, htcondor, "
            "mesos, pulsar, yarn-capacity, yarn-fair, koordinator, "
            "scheduler-plugins, ray");
  EXPECT_EQ(profile({}), "dump: there are no objects in it");
  EXPECT_EQ(ImportObjects(" \n", {}).status().message(),
            "dump: this is empty; a dump is JSON: kubectl get ... -o json");
  EXPECT_EQ(profile({QueueJson("z"), old}),
            "dump: as many objects belong to one scheduler as to another, 1 each to volcano and "
            "kube-batch; name the profile");
  EXPECT_EQ(TryImport({}, {.profile = "vulcano"}).status().message(),
            "profile \"vulcano\": no importer has this name, did you mean \"volcano\"?");
  EXPECT_EQ(TryImport({}, {.profile = "easy"}).status().message(),
            "profile \"easy\": no importer has this name; expected one of volcano, "
            "kube-batch, kube-scheduler, kueue, kai, armada, yunikorn, htcondor, "
            "mesos, pulsar, yarn-capacity, yarn-fair, koordinator, "
            "scheduler-plugins, ray");
}

TEST(Importers, ADumpOfTwoSchedulersNamesTheOneThatIsNotRead) {
  const ObjectJson queue = {{"apiVersion", "kueue.x-k8s.io/v1beta1"},
                            {"kind", "ClusterQueue"},
                            {"metadata", {{"name", "c"}}}};
  const Import import = Imported({NodeJson(), QueueJson("a"), QueueJson("b"), queue}, {});
  EXPECT_EQ(import.scenario.profile, "volcano");
  EXPECT_THAT(Lines(import),
              ::testing::Contains(
                  "dump: read as profile volcano; objects of other schedulers are not read (1 of "
                  "kueue); name the profile to read those in place of volcano's"));
  // Volcano reads queues of kube-batch; a profile that is named needs no note.
  const ObjectJson old =
      With(QueueJson("o"), "/apiVersion", "scheduling.incubator.k8s.io/v1alpha1");
  for (const Import& silent :
       {Imported({NodeJson(), QueueJson("a"), QueueJson("b"), old}, {}),
        Imported({NodeJson(), QueueJson("a"), queue}, {.profile = "volcano"})}) {
    EXPECT_THAT(Lines(silent), ::testing::Each(::testing::Not(::testing::HasSubstr("read as"))));
  }
}

// Every pod that waits in a plain cluster is a task that a cycle places.
TEST(Importers, ADumpOfKubernetesAloneIsReadAndItsPodsAreScheduled) {
  const Import import =
      Imported({NodeJson(), PodJson("p", ObjectJson::object(), ""),
                With(PodJson("other", ObjectJson::object(), ""), "/spec/nodeName", "n1")},
               {});
  EXPECT_EQ(import.scenario.profile, "kube-scheduler");
  ASSERT_EQ(import.report.size(), 1u);
  EXPECT_EQ(Describe(import.report[0]),
            "dump: no object belongs to one scheduler alone; read as profile kube-scheduler");
  EXPECT_EQ(import.report[0].severity, ImportSeverity::kNote);
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->ToText(), "bind ns/p to n1\n");
}

// Every cluster has priority classes, and their API group is none of a scheduler's own objects.
TEST(Importers, PriorityClassesDoNotDecideOnTheScheduler) {
  std::vector<ObjectJson> objects = {NodeJson(), QueueJson()};
  for (const char* name : {"system-cluster-critical", "system-node-critical", "high"}) {
    objects.push_back({{"apiVersion", "scheduling.k8s.io/v1"},
                       {"kind", "PriorityClass"},
                       {"metadata", {{"name", name}}},
                       {"value", 5}});
  }
  EXPECT_EQ(Imported(objects, {}).scenario.profile, "volcano");
}

TEST(Importers, APriorityClassThatIsMissingIsReported) {
  const Import import = Imported(
      {NodeJson(), With(PodJson("p", ObjectJson::object(), ""), "/spec/priorityClassName", "high")},
      {});
  EXPECT_THAT(Lines(import), ::testing::Contains(
                                 "Pod ns/p: spec.priorityClassName: priority class \"high\" is not "
                                 "there; the default counts"));
}

TEST(Importers, AConfigurationOfSomethingElseIsReported) {
  ImportOptions options;
  options.configuration = R"({"muster": 1, "nodes": []})";
  EXPECT_THAT(Lines(Imported({NodeJson(), PodJson("p", ObjectJson::object(), "")}, options)),
              ::testing::Contains("scheduler configuration: has no key of a "
                                  "KubeSchedulerConfiguration; the defaults count"));
}

// Zones of nodes are reported by two schedulers in objects of one kind.
TEST(Importers, ReportsOfZonesBelongToTheSchedulerThatLeftMarks) {
  const ObjectJson zones = {{"apiVersion", "topology.node.k8s.io/v1alpha1"},
                            {"kind", "NodeResourceTopology"},
                            {"metadata", {{"name", "n1"}}}};
  const auto profile = [&](const ObjectJson& report, const std::string& scheduler) {
    return Imported(
        {NodeJson(), report,
         With(PodJson("p", ObjectJson::object(), ""), "/spec/schedulerName", scheduler)},
        {});
  };
  const std::string note =
      "dump: read as profile scheduler-plugins; name the profile if it is a dump of koordinator, "
      "which has objects of these kinds, too";
  const ObjectJson marked = With(zones, "/metadata/annotations",
                                 {{"node.koordinator.sh/cpu-topology", R"({"detail": []})"}});
  EXPECT_EQ(profile(marked, "x").scenario.profile, "koordinator");
  EXPECT_EQ(profile(zones, "koord-scheduler").scenario.profile, "koordinator");
  EXPECT_EQ(profile(zones, "x").scenario.profile, "scheduler-plugins");
  EXPECT_THAT(Lines(profile(zones, "x")), ::testing::Contains(note));
  EXPECT_THAT(Lines(profile(zones, "scheduler-plugins-scheduler")),
              ::testing::Not(::testing::Contains(note)));
}

// Pods that wait and that no cycle tries are counted, named and, where asked for, refused.
TEST(Importers, WhatIsLeftOutIsCountedNamedAndRefused) {
  const std::vector<ObjectJson> objects = {
      NodeJson(),
      QueueJson(),
      GroupJson("g", {{"minMember", 1}}),
      With(PodJson("in"), "/spec/schedulerName", "volcano"),
      With(PodJson("alone", ObjectJson::object(), ""), "/spec/schedulerName", "volcano"),
      With(PodJson("other"), "/spec/schedulerName", "default-scheduler"),
      With(PodJson("runs"), "/spec/nodeName", "n1")};
  const Import import = Imported(objects, {});
  ASSERT_FALSE(import.report.empty());
  EXPECT_EQ(Describe(import.report.back()),
            "dump: 2 of 3 pods that wait are not scheduled, 1 of them without a job; "
            "lone_tasks=QUEUE in the profile makes jobs of such pods");
  std::vector<std::string> names;
  for (const LeftOut& left_out : import.scenario.left_out) names.push_back(left_out.name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("ns/alone", "ns/other"));
  const absl::StatusOr<Scenario> again = ParseScenario(WriteScenario(import.scenario));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->left_out, import.scenario.left_out);

  const absl::StatusOr<Import> strict = TryImport(objects, {.strict = true});
  EXPECT_EQ(strict.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(strict.status().message()),
              ::testing::StartsWith("strict: something is left out; the first: Pod ns/"));
  EXPECT_TRUE(TryImport({objects.begin(), objects.begin() + 4}, {.strict = true}).ok());
}

// What is not considered could keep the pod from a node; of one that runs it does not matter.
TEST(Importers, StrictRefusesClaimsOfPodsThatWait) {
  const std::vector<ObjectJson> volumes = {
      {{"name", "d"}, {"persistentVolumeClaim", {{"claimName", "x"}}}}};
  const std::vector<ObjectJson> claims = {{{"name", "g"}, {"resourceClaimName", "gg"}}};
  for (const auto& [place, list] :
       {std::pair("/spec/volumes", volumes), std::pair("/spec/resourceClaims", claims)}) {
    const ObjectJson pod =
        With(With(PodJson(), "/spec/schedulerName", "volcano"), place, ObjectJson(list));
    std::vector<ObjectJson> objects = {NodeJson(), QueueJson(), GroupJson("g", {{"minMember", 1}}),
                                       pod};
    const absl::StatusOr<Import> waits = TryImport(objects, {.strict = true});
    EXPECT_THAT(std::string(waits.status().message()), ::testing::HasSubstr("are not considered"));
    objects.back() = With(pod, "/spec/nodeName", "n1");
    EXPECT_TRUE(TryImport(objects, {.strict = true}).ok());
  }
}

// The API server makes requests of limits where a container has no requests.
TEST(Importers, LimitsAloneAreRequests) {
  for (const bool both : {false, true}) {
    ObjectJson resources = {{"limits", {{"cpu", "2"}}}};
    if (both) resources["requests"] = {{"memory", "1Gi"}};
    const ObjectJson pod = With(With(PodJson(), "/spec/schedulerName", "volcano"),
                                "/spec/containers/0/resources", resources);
    const Import import =
        Imported({NodeJson(), QueueJson(), GroupJson("g", {{"minMember", 1}}), pod}, {});
    const Resources& request = import.scenario.cluster.tasks[0].shape.request;
    ASSERT_EQ(request.size(), 1u);
    EXPECT_EQ(request[0].first, both ? "memory" : "cpu");
  }
}

TEST(Importers, WhatComesOutRunsAndReadsBack) {
  const Import import = Imported({NodeJson(), QueueJson(), GroupJson("g", {{"minMember", 1}}),
                                  With(PodJson(), "/spec/schedulerName", "volcano")},
                                 {});
  const std::string text = WriteScenario(import.scenario);
  const absl::StatusOr<Scenario> again = ParseScenario(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteScenario(*again), text);
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan =
      cluster.Schedule(import.scenario.profile, import.scenario.options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->ToText(), HasSubstr("ns/p"));
}

// What no API server would have is refused here, and not by Fill.
TEST(Importers, AScenarioThatFillRefusesIsRefused) {
  const ObjectJson spread = {{{"topologyKey", "zone"}, {"maxSkew", 0}}};
  const ObjectJson pod = With(With(PodJson(), "/spec/schedulerName", "volcano"),
                              "/spec/topologySpreadConstraints", spread);
  const absl::StatusOr<Import> import =
      TryImport({NodeJson(), QueueJson(), GroupJson("g", {{"minMember", 1}}), pod}, {});
  EXPECT_EQ(import.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(import.status().message()), ::testing::StartsWith("dump: "));
  EXPECT_THAT(std::string(import.status().message()),
              HasSubstr("spread constraint \"zone\": max_skew is 0; must be 1 or more"));
}

TEST(Importers, AConfigurationThatIsNoProfileIsRefused) {
  ImportOptions options;
  options.configuration = R"({"tiers": [{"plugins": [{"name": "drff"}]}]})";
  EXPECT_EQ(TryImport({NodeJson(), QueueJson()}, options).status().message(),
            "scheduler configuration: profile: unknown policy \"drff\"; did you mean \"drf\"?");
}

TEST(Reports, AreJson) {
  EXPECT_EQ(WriteReport({}), "{\"entries\": []}\n");
  EXPECT_EQ(WriteReport({{ImportSeverity::kLeftOut, "Pod a/b", "x[\"y\"]", "lost"},
                         {ImportSeverity::kNote, "Node n", "", "kept"}}),
            "{\"entries\": [\n"
            "  {\"severity\": \"left_out\", \"object\": \"Pod a/b\", \"field\": \"x[\\\"y\\\"]\", "
            "\"text\": \"lost\"},\n"
            "  {\"severity\": \"note\", \"object\": \"Node n\", \"field\": \"\", \"text\": "
            "\"kept\"}\n]}\n");
  EXPECT_EQ(Describe({ImportSeverity::kNote, "Node n", "", "kept"}), "Node n: kept");
  EXPECT_EQ(Describe({ImportSeverity::kNote, "Node n", "f", "kept"}), "Node n: f: kept");
}

TEST(Reports, AnEntryIsListedOnce) {
  const ObjectJson odd = ContainerJson({{"storage", "1"}});
  const Import import =
      Imported({QueueJson(), GroupJson(), PodJson("p", {{"containers", {odd, odd}}})});
  EXPECT_EQ(import.report.size(), 1u);
}

// A dump with something of everything that is read.
std::vector<ObjectJson> Everything() {
  ObjectJson pod = PodJson("g-w-1", {{"nodeName", "n1"},
                                     {"initContainers", {ContainerJson()}},
                                     {"overhead", {{"cpu", "1"}}},
                                     {"tolerations", {{{"key", "k"}}}},
                                     {"nodeSelector", {{"a", "b"}}},
                                     {"volumes", {{{"ephemeral", 1}}}},
                                     {"topologySpreadConstraints", {{{"topologyKey", "z"}}}},
                                     {"affinity", {{"podAffinity", {{"x", 1}}}}}});
  pod["metadata"]["labels"] = {{"grp", "1"}};
  pod["status"]["phase"] = "Running";
  pod["status"]["startTime"] = "2026-01-01T00:00:00Z";
  ObjectJson queue = QueueJson("q", {{"capability", {{"cpu", "4"}}}, {"parent", "root"}});
  queue["metadata"]["annotations"] = {
      {"volcano.sh/hierarchy", "root/a"},
      {"volcano.sh/nodegroup-resource-limits", R"({"x": {"cpu": "1"}})"}};
  return {
      NodeJson(),
      queue,
      QueueJson("root"),
      GroupJson("g", {{"minTaskMember", {{"w", 1}}},
                      {"subGroupPolicy",
                       {{{"name", "s"}, {"matchLabelKeys", ObjectJson::array({"grp"})}}}}}),
      pod,
      {{"kind", "HyperNode"},
       {"metadata", {{"name", "h"}}},
       {"spec",
        {{"tier", 1},
         {"members", {{{"type", "Node"}, {"selector", {{"regexMatch", {{"pattern", "^n"}}}}}}}}}}},
      {{"kind", "Numatopology"},
       {"metadata", {{"name", "n1"}}},
       {"spec",
        {{"policies", {{"CPUManagerPolicy", "static"}}}, {"cpuDetail", {{"0", {{"numa", 0}}}}}}}},
      {{"kind", "NodeShard"},
       {"metadata", {{"name", "s"}}},
       {"spec", {{"nodesDesired", ObjectJson::array({"n1"})}}}},
      {{"kind", "MetricValue"},
       {"describedObject", {{"kind", "Node"}, {"name", "n1"}}},
       {"metric", {{"name", "node_cpu_usage_avg"}}},
       {"value", "1"}},
      {{"kind", "PodDisruptionBudget"}, {"metadata", {{"name", "b"}}}},
      {{"kind", "ResourceQuota"},
       {"metadata", {{"name", "r"}}},
       {"status", {{"hard", {{"cpu", "1"}}}}}}};
}

// All places of a value, deepest first.
void Places(const ObjectJson& value, const ObjectJson::json_pointer& at,
            std::vector<ObjectJson::json_pointer>* out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) Places(member, at / key, out);
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) Places(value[i], at / i, out);
  }
  out->push_back(at);
}

TEST(Importers, NothingThatGoesInCrashes) {
  const ObjectJson strange[] = {nullptr,
                                true,
                                0,
                                -1,
                                1.5,
                                int64_t{1} << 62,
                                "",
                                "x",
                                "-1",
                                "1e999",
                                "99999999999Ei",
                                "\xE2\x98\x83",
                                "2026-01-01",
                                ObjectJson::array(),
                                {1, "a", {{"b", 2}}},
                                ObjectJson::object(),
                                {{"a", "b"}},
                                "root",
                                "((((",
                                ObjectJson::array({"q", "q"})};
  std::mt19937 random(1);
  const ObjectJson whole = Everything();
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    ObjectJson dump = whole;
    for (int changes = 1 + round % 3; changes > 0; --changes) {
      std::vector<ObjectJson::json_pointer> places;
      Places(dump, ObjectJson::json_pointer(), &places);
      dump[places[random() % places.size()]] = strange[random() % std::size(strange)];
    }
    const std::string text = dump.dump();
    for (const char* profile : {"volcano", "kube-batch"}) {
      const absl::StatusOr<Import> import = ImportObjects(text, {.profile = profile});
      if (!import.ok()) {
        EXPECT_THAT(std::string(import.status().message()), HasSubstr(": ")) << text;
        continue;
      }
      ++read;
      EXPECT_TRUE(ParseScenario(WriteScenario(import->scenario)).ok()) << text;
    }
    const std::string cut = text.substr(0, random() % text.size());
    EXPECT_FALSE(cut != "" && ImportObjects(cut, {.profile = "volcano"}).ok()) << cut;
  }
  EXPECT_GT(read, 500);
}

TEST(Import, ResourcesThatNoNodeHasAreNoted) {
  const ObjectJson node = NodeJson("n1", {{"cpu", "4"}, {"pods", "10"}, {"nvidia.com/gpu", "2"}});
  const ObjectJson queue = QueueJson(
      "q", {{"capability", {{"cpu", "2"}, {"nvidia.com/gpuu", "2"}, {"example.com/x", "0"}}},
            {"deserved", {{"nvidia.com/gpu", "1"}}}});
  EXPECT_THAT(Lines(Imported({node, queue})),
              ElementsAre("Queue q: limit: no node has the resource \"nvidia.com/gpuu\", did you "
                          "mean \"nvidia.com/gpu\"?"));
  EXPECT_THAT(Lines(Imported({queue})), ::testing::IsEmpty());  // no nodes: not known
}

}  // namespace
}  // namespace muster
