// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of plain Kubernetes: what pods, classes, groups and owners mean to kube-scheduler.
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Import PodImport(const std::vector<ObjectJson>& objects) {
  return Imported(objects, {.profile = "kube-scheduler"});
}

// "bind ns/p n1;"
std::string DecisionsOf(const Import& import) {
  Cluster cluster;
  EXPECT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  if (!plan.ok()) return plan.status().ToString();
  std::string words;
  for (const Eviction& eviction : plan->evictions()) {
    absl::StrAppend(&words, "evict ", std::string(plan->task_name(eviction.task)), ";");
  }
  for (const Bind& bind : plan->binds()) {
    absl::StrAppend(&words, "bind ", std::string(plan->task_name(bind.task)), " ",
                    std::string(plan->node_name(bind.node)), ";");
  }
  return words;
}

ObjectJson Running(const std::string& name, const std::string& node) {
  ObjectJson pod = PodJson(name, {{"nodeName", node}}, "");
  pod["status"]["phase"] = "Running";
  return pod;
}

ObjectJson ClassJson(const std::string& name, int value) {
  return {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", name}}},
          {"value", value}};
}

// The API server merges these keys into the selector. A dump of objects that were never there has
// them as they were written.
TEST(KubeSchedulerImport, TermsOfPodAffinityHaveTheirOwnLabels) {
  ObjectJson node = NodeJson();
  node["metadata"]["labels"] = {{"host", "a"}};
  ObjectJson old = Running("old", "n1");
  old["metadata"]["labels"] = {{"app", "x"}, {"rev", "1"}};
  const auto decided = [&](const std::string& key, const std::string& rev) {
    ObjectJson fresh = PodJson("new", ObjectJson::object(), "");
    fresh["metadata"]["labels"] = {{"app", "x"}, {"rev", rev}};
    ObjectJson term = {{"topologyKey", "host"},
                       {"labelSelector", {{"matchLabels", {{"app", "x"}}}}}};
    if (!key.empty()) term[key] = ObjectJson::array({"rev", "none"});
    fresh["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
        ObjectJson::array({term});
    return DecisionsOf(PodImport({node, old, fresh}));
  };
  EXPECT_EQ(decided("", "2"), "");
  EXPECT_EQ(decided("matchLabelKeys", "2"), "bind ns/new n1;");
  EXPECT_EQ(decided("matchLabelKeys", "1"), "");
  EXPECT_EQ(decided("mismatchLabelKeys", "1"), "bind ns/new n1;");
  EXPECT_EQ(decided("mismatchLabelKeys", "2"), "");
}

TEST(KubeSchedulerImport, APodThatDoesNotSayPreemptsAsItsClass) {
  const std::vector<ObjectJson> rest = {NodeJson("n1", {{"cpu", "1"}, {"pods", "10"}}),
                                        Running("low", "n1")};
  const auto decided = [&](ObjectJson priority_class, const ObjectJson& spec) {
    std::vector<ObjectJson> objects = rest;
    objects.push_back(std::move(priority_class));
    objects.push_back(PodJson("high", spec, ""));
    return DecisionsOf(PodImport(objects));
  };
  const ObjectJson of_class = {{"priorityClassName", "c"}};
  ObjectJson never = ClassJson("c", 100);
  never["preemptionPolicy"] = "Never";
  EXPECT_EQ(decided(ClassJson("c", 100), of_class), "evict ns/low;");
  EXPECT_EQ(decided(never, of_class), "");
  EXPECT_EQ(decided(never, {{"priorityClassName", "c"}, {"priority", 100}}), "");
  EXPECT_EQ(
      decided(never, {{"priorityClassName", "c"}, {"preemptionPolicy", "PreemptLowerPriority"}}),
      "evict ns/low;");
  ObjectJson fallback = never;
  fallback["globalDefault"] = true;
  EXPECT_EQ(PodImport({fallback, PodJson("p", ObjectJson::object(), "")})
                .scenario.cluster.tasks[0]
                .never_preempts,
            true);
}

TEST(KubeSchedulerImport, NotesOwnersThatAreNotThere) {
  ObjectJson pod = PodJson("p", ObjectJson::object(), "");
  pod["metadata"]["labels"] = {{"app", "x"}};
  pod["metadata"]["ownerReferences"] =
      ObjectJson::array({{{"kind", "ReplicaSet"}, {"name", "r"}, {"controller", true}}});
  const ObjectJson owner = {{"kind", "ReplicaSet"},
                            {"metadata", {{"name", "r"}, {"namespace", "ns"}}},
                            {"spec", {{"selector", {{"matchLabels", {{"app", "x"}}}}}}}};
  const Import there = PodImport({NodeJson(), pod, owner});
  EXPECT_EQ(there.scenario.cluster.tasks[0].shape.spread.size(), 2u);
  EXPECT_THAT(Lines(there), Not(Contains(HasSubstr("own pods"))));
  const std::string note = "dump: objects ReplicaSet that own pods are not there";
  EXPECT_THAT(Lines(PodImport({NodeJson(), pod})), Contains(HasSubstr(note)));
  pod["spec"]["topologySpreadConstraints"] = ObjectJson::array(
      {{{"topologyKey", "zone"}, {"maxSkew", 1}, {"whenUnsatisfiable", "ScheduleAnyway"}}});
  EXPECT_THAT(Lines(PodImport({NodeJson(), pod})), Not(Contains(HasSubstr("own pods"))));
}

// A pod that leaves for another reason than a preemption blocks no preemptor.
TEST(KubeSchedulerImport, ATerminatingPodHasTheMarkOfItsPreemption) {
  ObjectJson leaving = Running("v", "n1");
  leaving["spec"]["priority"] = 5;
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  ObjectJson preemptor = PodJson("p", {{"priority", 10}}, "");
  preemptor["status"]["nominatedNodeName"] = "n1";
  const ObjectJson amounts = {{"cpu", "1"}, {"pods", "10"}};
  const auto decided = [&](const ObjectJson& condition) {
    leaving["status"]["conditions"] = ObjectJson::array({condition});
    return DecisionsOf(PodImport({NodeJson("n1", amounts), NodeJson("n2", amounts), leaving,
                                  Running("w", "n2"), preemptor}));
  };
  ObjectJson condition = {
      {"type", "DisruptionTarget"}, {"status", "True"}, {"reason", "PreemptionByScheduler"}};
  EXPECT_EQ(decided(condition), "");
  EXPECT_EQ(decided(With(condition, "/status", "False")), "evict ns/w;");
  EXPECT_EQ(decided(With(condition, "/reason", "EvictionByEvictionAPI")), "evict ns/w;");
  EXPECT_EQ(decided(With(condition, "/type", "PodScheduled")), "evict ns/w;");
}

// Of Kubernetes 1.37. Profiles that follow 1.35 have no such images.
TEST(KubeSchedulerImport, ImagesOfVolumesCountAsThoseOfContainers) {
  ObjectJson pod = PodJson("p", ObjectJson::object(), "");
  pod["spec"]["volumes"] = ObjectJson::array({{{"name", "v"}, {"image", {{"reference", "y:1"}}}}});
  const auto containers = [&](const std::string& profile) {
    return Imported({NodeJson(), pod}, {.profile = profile})
        .scenario.cluster.tasks[0]
        .shape.containers;
  };
  const std::vector<ContainerSpec> listed = containers("kube-scheduler");
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[1].image, "y:1");
  EXPECT_EQ(Words(listed[1].request), "cpu=0 memory=0");
  EXPECT_EQ(containers("scheduler-plugins").size(), 1u);
}

TEST(KubeSchedulerImport, ReportsWhatAPodGroupSaysInVain) {
  ObjectJson group = {
      {"apiVersion", "scheduling.k8s.io/v1beta1"},
      {"kind", "PodGroup"},
      {"metadata", {{"name", "g"}, {"namespace", "ns"}}},
      {"spec",
       {{"schedulingPolicy", {{"gang", {{"minCount", 2}}}}},
        {"priorityClassName", "c"},
        {"preemptionPolicy", "Never"},
        {"schedulingConstraints", {{"topology", ObjectJson::array({{{"key", "rack"}}})}}}}}};
  const Import import = PodImport({NodeJson(), ClassJson("c", 7), group});
  EXPECT_EQ(import.scenario.cluster.jobs[0].priority, 7);
  EXPECT_THAT(Lines(import), Contains("PodGroup ns/g: spec.schedulingConstraints: places in "
                                      "topologies are not considered"));
  EXPECT_THAT(Lines(import),
              Contains("PodGroup ns/g: spec.preemptionPolicy: that of the pods counts"));
  EXPECT_THAT(Lines(PodImport({NodeJson(), group})),
              Contains(HasSubstr("spec.priorityClassName: the priority class is not there")));
}

TEST(KubeSchedulerImport, RefusesWordsThatSpreadDoesNotHave) {
  ObjectJson pod = PodJson("p", ObjectJson::object(), "");
  pod["spec"]["topologySpreadConstraints"] =
      ObjectJson::array({{{"topologyKey", "zone"}, {"maxSkew", 1}, {"whenUnsatisfiable", "Nope"}}});
  EXPECT_EQ(TryImport({NodeJson(), pod}, {.profile = "kube-scheduler"}).status().message(),
            "Pod ns/p: spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "
            "\"Nope\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\"");
  const ObjectJson hard = {
      {"topologyKey", "zone"}, {"maxSkew", 1}, {"whenUnsatisfiable", "DoNotSchedule"}};
  const ObjectJson soft = With(hard, "/whenUnsatisfiable", "ScheduleAnyway");
  const auto imported = [&](const ObjectJson& constraints) {
    pod["spec"]["topologySpreadConstraints"] = constraints;
    return TryImport({NodeJson(), pod}, {.profile = "kube-scheduler"});
  };
  const auto refusal = [&](const ObjectJson& constraints) {
    return std::string(imported(constraints).status().message());
  };
  for (const char* policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    const ObjectJson wrong = With(hard, absl::StrCat("/", policy), "Nope");
    EXPECT_EQ(refusal(ObjectJson::array({wrong})),
              absl::StrCat("Pod ns/p: spec.topologySpreadConstraints[0].", policy,
                           ": Unsupported value: \"Nope\": supported values: \"Honor\", "
                           "\"Ignore\""));
  }
  EXPECT_EQ(refusal(ObjectJson::array({hard, soft, hard})),
            "Pod ns/p: spec.topologySpreadConstraints[2]: Duplicate value: \"{zone, "
            "DoNotSchedule}\"");
  EXPECT_EQ(
      refusal(ObjectJson::array({With(soft, "/minDomains", 2)})),
      "Pod ns/p: spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use "
      "minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway");
  ObjectJson unsaid = hard;
  unsaid.erase("whenUnsatisfiable");
  const auto import = imported(ObjectJson::array({unsaid}));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_TRUE(import->scenario.cluster.tasks[0].shape.spread[0].required);
  EXPECT_THAT(Lines(*import), Contains("Pod ns/p: spec.topologySpreadConstraints[0]: has no "
                                       "whenUnsatisfiable; DoNotSchedule counts"));
}

TEST(KubeSchedulerImport, RefusesUnknownPoliciesOfPreemption) {
  const ObjectJson pod = PodJson("p", {{"preemptionPolicy", "Sometimes"}}, "");
  const std::string words =
      "preemptionPolicy: Unsupported value: \"Sometimes\": supported values: \"Never\", "
      "\"PreemptLowerPriority\"";
  const auto refusal = [](const std::vector<ObjectJson>& objects) {
    return std::string(TryImport(objects, {.profile = "kube-scheduler"}).status().message());
  };
  EXPECT_EQ(refusal({NodeJson(), pod}), "Pod ns/p: spec." + words);
  const ObjectJson named = With(ClassJson("c", 7), "/preemptionPolicy", "Sometimes");
  EXPECT_EQ(refusal({NodeJson(), named}), "PriorityClass c: " + words);
}

TEST(KubeSchedulerImport, AGroupHasOnePolicyAndAMinimumAboveZero) {
  const auto refusal = [](const ObjectJson& policy) {
    const ObjectJson group = {{"apiVersion", "scheduling.k8s.io/v1beta1"},
                              {"kind", "PodGroup"},
                              {"metadata", {{"name", "g"}, {"namespace", "ns"}}},
                              {"spec", {{"schedulingPolicy", policy}}}};
    return std::string(
        TryImport({NodeJson(), group}, {.profile = "kube-scheduler"}).status().message());
  };
  const std::string place = "PodGroup ns/g: spec.schedulingPolicy";
  EXPECT_EQ(refusal({{"basic", ObjectJson::object()}}), "");
  EXPECT_EQ(refusal({{"gang", {{"minCount", 1}}}}), "");
  EXPECT_EQ(refusal({{"gang", {{"minCount", 0}}}}),
            place + ".gang.minCount: Invalid value: 0: must be greater than or equal to 1");
  EXPECT_EQ(refusal(ObjectJson::object()),
            place + ": Invalid value: must specify one of: `basic`, `gang`");
  EXPECT_EQ(refusal({{"basic", ObjectJson::object()}, {"gang", {{"minCount", 1}}}}),
            place + ": Invalid value: must specify exactly one of: `basic`, `gang`");
}

}  // namespace
}  // namespace muster
