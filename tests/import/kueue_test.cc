// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's objects: what they become, and what a plan then decides.
#include "lib/import/kueue.h"

#include "tests/import/kueue_objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(KueueImport, AdmitsWhatFitsAndSaysInItsWordsWhatDoesNot) {
  const Import import =
      Imported(World({WorkloadJson("w1", 3, "1"), WorkloadJson("w2", 5, "1")}), {});
  EXPECT_EQ(import.scenario.profile, "kueue");
  EXPECT_THAT(import.report, IsEmpty());
  const std::string text = DecidedUnder(import);
  EXPECT_THAT(text, HasSubstr("admit ns/w1 with 3 of main (cpu from spot)"));
  EXPECT_THAT(text, HasSubstr("pending ns/w2 (5 tasks): not admitted: couldn't assign flavors to "
                              "pod set main: insufficient quota for cpu in flavor spot, previously "
                              "considered podsets requests (0) + current podset request (5) > "
                              "maximum capacity (4)"));
}

TEST(KueueImport, AdmittedWorkloadsHoldQuotaAndTheirPodsAreRows) {
  ObjectJson pod = PodJson("p");
  pod["metadata"]["annotations"] = {{"kueue.x-k8s.io/workload", "w1"}};
  pod["spec"] = {{"nodeName", "n1"}, {"containers", {ContainerJson({{"cpu", "1500m"}})}}};
  pod["status"] = {{"phase", "Running"}};
  const Import import =
      Imported(World({NodeJson(), pod, Admitted(WorkloadJson("w1", 2, "1500m"), 2),
                      WorkloadJson("w2", 1, "1500m")}),
               {});
  const ClusterSpec& cluster = import.scenario.cluster;
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_EQ(cluster.jobs[0].phase, JobPhase::kAdmitted);
  EXPECT_EQ(cluster.jobs[0].admission->time, 1767225605);
  EXPECT_EQ(cluster.jobs[0].admission->groups[0].count, 2);
  // One pod is there; the other comes from the template, and must go where the flavor is.
  ASSERT_EQ(cluster.tasks.size(), 1u);
  EXPECT_EQ(cluster.tasks[0].status, TaskStatus::kRunning);
  EXPECT_EQ(cluster.jobs[0].groups[0].count, 1);
  EXPECT_THAT(cluster.jobs[0].groups[0].shape.node_selector,
              ElementsAre(std::pair<std::string, std::string>("pool", "spot")));
  EXPECT_THAT(DecidedUnder(import),
              HasSubstr("insufficient unused quota for cpu in flavor spot, 500m "
                        "more needed"));
}

TEST(KueueImport, PodsBelongToTheWorkloadOfTheirOwner) {
  ObjectJson workload = Admitted(WorkloadJson("w1", 1, "1"), 1);
  workload["metadata"]["ownerReferences"] = {{{"kind", "Job"}, {"uid", "u"}}};
  ObjectJson pod = PodJson("p");
  pod["metadata"]["ownerReferences"] = {{{"kind", "Job"}, {"uid", "u"}}};
  pod["spec"]["nodeName"] = "n1";
  ObjectJson alone = PodJson("alone");
  alone["spec"]["nodeName"] = "n1";
  const Import import = Imported(World({NodeJson(), pod, alone, PodJson("waits"), workload}), {});
  ASSERT_EQ(import.scenario.cluster.tasks.size(), 2u);
  EXPECT_EQ(import.scenario.cluster.tasks[0].job, "ns/w1");
  EXPECT_EQ(import.scenario.cluster.tasks[1].job, "");
  ASSERT_EQ(import.report.size(), 2u);
  EXPECT_EQ(Describe(import.report[0]),
            "Pod ns/waits: it waits, and belongs to no workload that is here");
  EXPECT_EQ(Describe(import.report[1]), "dump: 1 of 1 pods that wait are not scheduled");
}

// The admitted workload with a usage that is not what its template requests.
ObjectJson Using(ObjectJson workload, const ObjectJson& usage) {
  workload["status"]["admission"]["podSetAssignments"][0]["resourceUsage"] = usage;
  return workload;
}

TEST(KueueImport, AUsageThatIsNotTheRequestCounts) {
  const auto settings = [](const ObjectJson& usage) {
    return Imported(World({Using(Admitted(WorkloadJson("w", 2, "500m"), 2), usage)}), {})
        .scenario.cluster.jobs[0]
        .settings;
  };
  EXPECT_THAT(settings({{"cpu", "1"}}), IsEmpty());
  EXPECT_THAT(settings({{"cpu", "1"}, {"pods", "2"}}), IsEmpty());
  EXPECT_THAT(settings({{"cpu", "3"}, {"credits", 4}}),
              ElementsAre(std::pair<std::string, std::string>("kueue/podset-quota-request/main",
                                                              "cpu=1500m,credits=2")));
  const Import import =
      Imported(World({Using(Admitted(WorkloadJson("w1", 1, "1"), 1), {{"cpu", "3"}}),
                      WorkloadJson("w2", 2, "1")}),
               {});
  EXPECT_THAT(DecidedUnder(import),
              HasSubstr("insufficient unused quota for cpu in flavor spot, 1 more needed"));
}

TEST(KueueImport, AnAdmissionInPartShrinksOnlyBelowItsCount) {
  const auto count = [](int admitted, int reclaimable) {
    ObjectJson workload = Admitted(WorkloadJson("w", 10, "100m"), admitted);
    workload["spec"]["podSets"][0]["minCount"] = 1;
    workload["status"]["reclaimablePods"] = {{{"name", "main"}, {"count", reclaimable}}};
    const Import import = Imported(World({workload}), {});
    return import.scenario.cluster.jobs[0].admission->groups[0].count;
  };
  EXPECT_EQ(count(10, 0), 10);
  EXPECT_EQ(count(10, 2), 8);
  EXPECT_EQ(count(6, 2), 6);
  EXPECT_EQ(count(6, 7), 3);
}

TEST(KueueImport, CohortsThatAreOnlyNamedExist) {
  const Import import = Imported(
      {kFlavor, ClusterQueueJson("a", "4", {{"cohort", "org"}}),
       ClusterQueueJson("b", "2", {{"cohortName", "org"}}), kLocal, WorkloadJson("w", 6, "1")},
      {});
  EXPECT_EQ(import.scenario.cluster.queues[0].parent, "org");
  EXPECT_THAT(DecidedUnder(import), HasSubstr("admit ns/w with 6 of main (cpu from spot)"));
}

TEST(KueueImport, ACohortMayHaveTheNameOfAQueue) {
  const Import import = Imported(
      {kFlavor, KueueObject("Cohort", "a"), ClusterQueueJson("a", "4", {{"cohort", "a"}})}, {});
  ASSERT_EQ(import.scenario.cluster.queues.size(), 2u);
  EXPECT_EQ(import.scenario.cluster.queues[1].parent, "cohort:a");
  EXPECT_EQ(import.report.size(), 1u);
}

TEST(KueueImport, NothingIsAdmittedBelowCohortsInACycle) {
  const Import import =
      Imported({kFlavor, kLocal, KueueObject("Cohort", "x", {{"parentName", "y"}}),
                KueueObject("Cohort", "y", {{"parent", "x"}}),
                ClusterQueueJson("a", "4", {{"cohort", "x"}}), WorkloadJson("w", 1, "1")},
               {});
  EXPECT_EQ(import.report.size(), 2u);
  EXPECT_THAT(DecidedUnder(import), HasSubstr("pending ns/w"));
}

TEST(KueueImport, PrioritiesComeFromClasses) {
  ObjectJson high = KueueObject("WorkloadPriorityClass", "high");
  high["value"] = 10;
  const Import import =
      Imported(World({high, WorkloadJson("w1", 4, "1"),
                      WorkloadJson("w2", 4, "1", {{"priorityClassRef", {{"name", "high"}}}}),
                      WorkloadJson("w3", 1, "1", {{"priorityClassName", "none"}})}),
               {});
  EXPECT_THAT(DecidedUnder(import), HasSubstr("admit ns/w2 "));
  ASSERT_EQ(import.report.size(), 1u);
  EXPECT_THAT(Describe(import.report[0]), HasSubstr("priority class \"none\" is not there"));
}

TEST(KueueImport, ASelectorOfNamespacesDecides) {
  const auto decided = [](const ObjectJson& selector) {
    ObjectJson space = {{"kind", "Namespace"},
                        {"metadata", {{"name", "ns"}, {"labels", {{"dept", "x"}}}}}};
    return DecidedUnder(Imported(
        {kFlavor, kLocal, space, ClusterQueueJson("a", "4", {{"namespaceSelector", selector}}),
         WorkloadJson("w", 1, "1")},
        {}));
  };
  EXPECT_THAT(decided({{"matchLabels", {{"dept", "x"}}}}), HasSubstr("admit ns/w"));
  for (const ObjectJson& selector :
       {ObjectJson({{"matchLabels", {{"dept", "y"}}}}), ObjectJson(nullptr)}) {
    EXPECT_THAT(decided(selector),
                HasSubstr("Workload namespace doesn't match ClusterQueue selector"));
  }
}

TEST(KueueImport, WhatTakesNoPartIsNamed) {
  ObjectJson ended = WorkloadJson("ended", 1, "1");
  ended["status"]["conditions"] = {{{"type", "Finished"}, {"status", "True"}}};
  ObjectJson late = WorkloadJson("late", 1, "1");
  late["status"]["requeueState"] = {{"requeueAt", "2026-01-01T00:00:10Z"}};
  ObjectJson backs_off = WorkloadJson("backoff", 1, "1");
  backs_off["status"]["conditions"] = {{{"type", "Requeued"}, {"status", "False"}}};
  ObjectJson again = WorkloadJson("again", 1, "1");
  again["status"]["conditions"] = {{{"type", "Requeued"}, {"status", "True"}}};
  const Import import = Imported(
      World({ended, late, backs_off, again, WorkloadJson("off", 1, "1", {{"active", false}}),
             WorkloadJson("lost", 1, "1", {{"queueName", "none"}})}),
      {.now = 1767225600});
  ASSERT_EQ(import.scenario.cluster.jobs.size(), 1u);
  EXPECT_EQ(import.scenario.cluster.jobs[0].name, "ns/again");
  std::vector<std::string> words;
  for (const ImportEntry& entry : import.report) words.push_back(Describe(entry));
  EXPECT_THAT(
      words,
      ElementsAre("Workload ns/backoff: it is tried again later (condition Requeued is False)",
                  "Workload ns/ended: it has ended",
                  "Workload ns/late: it is tried again later (status.requeueState.requeueAt)",
                  "Workload ns/lost: spec.queueName: LocalQueue \"ns/none\" is not there; "
                  "the workload waits",
                  "Workload ns/off: it is not active"));
}

TEST(KueueImport, StoppedLocalQueuesAreSettings) {
  ObjectJson hold = KueueObject("LocalQueue", "hold", {{"clusterQueue", "a"}}, "ns");
  hold["spec"]["stopPolicy"] = "Hold";
  ObjectJson drain = KueueObject("LocalQueue", "drain", {{"clusterQueue", "a"}}, "ns");
  drain["spec"]["stopPolicy"] = "HoldAndDrain";
  const Import import =
      Imported(World({hold, drain, WorkloadJson("w1", 1, "1", {{"queueName", "hold"}}),
                      Admitted(WorkloadJson("w2", 1, "1", {{"queueName", "hold"}}), 1),
                      Admitted(WorkloadJson("w3", 1, "1", {{"queueName", "drain"}}), 1),
                      WorkloadJson("w4", 1, "1")}),
               {});
  EXPECT_THAT(import.report, IsEmpty());
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_THAT(cluster.queues[0].settings,
              ElementsAre(Pair("kueue/local-queue-stop/ns/hold", "Hold"),
                          Pair("kueue/local-queue-stop/ns/drain", "HoldAndDrain")));
  EXPECT_THAT(cluster.jobs[0].settings, ElementsAre(Pair("kueue/local-queue", "ns/hold")));
  EXPECT_THAT(cluster.jobs[3].settings, IsEmpty());
  // What drains is evicted first, in a plan of its own.
  const std::string text = DecidedUnder(import);
  EXPECT_THAT(text, HasSubstr("pending ns/w1 (1 task): not admitted: LocalQueue hold is stopped"));
  EXPECT_THAT(text, HasSubstr("pending ns/w3 (1 task): not admitted: LocalQueueStopped: The "
                              "LocalQueue is stopped"));
  hold["spec"]["stopPolicy"] = "Wait";
  EXPECT_THAT(std::string(TryImport(World({hold}), {}).status().message()),
              HasSubstr("LocalQueue ns/hold: spec.stopPolicy: \"Wait\" is not known; expected one "
                        "of None, Hold, HoldAndDrain"));
}

TEST(KueueImport, QueuesWithoutTheirFlavorOrCheckAdmitNothing) {
  const Import flavor =
      Imported({kLocal, ClusterQueueJson("a", "4"), WorkloadJson("w", 1, "1")}, {});
  EXPECT_THAT(DecidedUnder(flavor), HasSubstr("pending ns/w"));
  EXPECT_EQ(flavor.report.size(), 1u);
  const Import check =
      Imported({kFlavor, kLocal, ClusterQueueJson("a", "4", {{"admissionChecks", {"dry"}}}),
                WorkloadJson("w", 1, "1")},
               {});
  EXPECT_THAT(DecidedUnder(check), HasSubstr("pending ns/w"));
  EXPECT_EQ(check.report.size(), 1u);
}

TEST(KueueImport, QueuesThatAreDeletedOrHaveAnInactiveCheckAdmitNothing) {
  const auto decided = [](const ObjectJson& queue, const ObjectJson& status, size_t notes) {
    ObjectJson check = KueueObject("AdmissionCheck", "dry");
    check["status"] = status;
    const Import import = Imported({kFlavor, kLocal, check, queue, WorkloadJson("w", 1, "1")}, {});
    EXPECT_EQ(import.report.size(), notes);
    return DecidedUnder(import);
  };
  const auto active = [](const char* status) {
    return ObjectJson{{"conditions", {{{"type", "Active"}, {"status", status}}}}};
  };
  const ObjectJson queue = ClusterQueueJson("a", "4", {{"admissionChecks", {"dry"}}});
  EXPECT_THAT(decided(queue, active("True"), 0), HasSubstr("admit ns/w"));
  EXPECT_THAT(decided(queue, active("False"), 1), HasSubstr("pending ns/w"));
  EXPECT_THAT(decided(queue, ObjectJson::object(), 1), HasSubstr("pending ns/w"));
  ObjectJson leaves = queue;
  leaves["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_THAT(decided(leaves, active("True"), 1), HasSubstr("pending ns/w"));
}

TEST(KueueImport, RefusesWhatNoServerWouldTake) {
  const auto words = [](const std::vector<ObjectJson>& objects) {
    return std::string(TryImport(objects, {}).status().message());
  };
  EXPECT_THAT(words(World({WorkloadJson("w", 1, "4 GB")})),
              HasSubstr("Template of pods ns/w/main: spec.containers[0].resources.requests.cpu: "
                        "\"4 GB\" is not a quantity"));
  EXPECT_THAT(words({kFlavor, ClusterQueueJson("a", "1.2.3")}),
              HasSubstr("ClusterQueue a: spec.resourceGroups[0].flavors[0].resources[0]"));
  EXPECT_THAT(
      words({kFlavor, ClusterQueueJson("a", "1", {{"queueingStrategy", "LIFO"}})}),
      HasSubstr("ClusterQueue a: spec.queueingStrategy: \"LIFO\" is not known; expected one "
                "of StrictFIFO, BestEffortFIFO"));
  ObjectJson borrows = ClusterQueueJson("a", "1");
  borrows["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = "2";
  EXPECT_THAT(words({kFlavor, borrows}),
              HasSubstr("borrowingLimit: set for a queue without cohort; must be absent there"));
  EXPECT_THAT(words(World({KueueObject("Workload", "w", {{"queueName", "q"}}, "ns")})),
              HasSubstr("Workload ns/w: spec.podSets: no pod set; a workload has one or more"));
}

TEST(KueueImport, RefusesWhatItsWebhooksRefuse) {
  const auto words = [](const std::vector<ObjectJson>& objects) {
    return std::string(TryImport(objects, {}).status().message());
  };
  const auto queue = [&](const ObjectJson& more) {
    return words({kFlavor, ClusterQueueJson("a", "1", more)});
  };
  EXPECT_THAT(queue({{"cohortName", "c"},
                     {"preemption", {{"borrowWithinCohort", {{"policy", "LowerPriority"}}}}}}),
              HasSubstr("spec.preemption.borrowWithinCohort.policy: set beside"));
  EXPECT_THAT(queue({{"flavorFungibility",
                      {{"whenCanBorrow", "TryNextFlavor"},
                       {"whenCanPreempt", "MayStopSearch"},
                       {"preference", "PreemptionOverBorrowing"}}}}),
              HasSubstr("spec.flavorFungibility.preference: needs whenCanBorrow and"));
  EXPECT_THAT(queue({{"admissionChecksStrategy",
                      {{"admissionChecks", {{{"name", "m"}, {"onFlavors", {"gone"}}}}}}}}),
              HasSubstr("onFlavors: lists \"gone\"; must be flavors of this ClusterQueue"));
  ObjectJson lends = ClusterQueueJson("a", "1", {{"cohortName", "c"}});
  lends["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["lendingLimit"] = "2";
  EXPECT_THAT(words({kFlavor, lends}), HasSubstr("lendingLimit: more than nominalQuota"));
  ObjectJson lacks = ClusterQueueJson("a", "1");
  lacks["spec"]["resourceGroups"][0]["coveredResources"] = {"cpu", "memory"};
  EXPECT_THAT(words({kFlavor, lacks}),
              HasSubstr("flavors[0].resources: lists cpu; must be coveredResources in the same "
                        "order: cpu, memory"));
  EXPECT_THAT(
      words({KueueObject("ResourceFlavor", "spot", {{"topologyName", "t"}}),
             KueueObject("Topology", "t",
                         {{"levels", {{{"nodeLabel", kHostLabel}}, {{"nodeLabel", "rack"}}}}})}),
      HasSubstr("levels[1].nodeLabel: is below kubernetes.io/hostname; that level must be the"));
  ObjectJson workload = WorkloadJson("w", 2, "1");
  workload["spec"]["podSets"][0]["minCount"] = 3;
  EXPECT_THAT(words(World({workload})), HasSubstr("podSets[0].minCount: 3 is not in 1..2"));
  workload["spec"]["podSets"][0]["minCount"] = 1;
  workload["spec"]["podSets"].push_back(workload["spec"]["podSets"][0]);
  EXPECT_THAT(words(World({workload})), HasSubstr("podSets[1].minCount: set for a second pod set"));
  workload["spec"]["podSets"] =
      std::vector<ObjectJson>(19, WorkloadJson("w", 1, "1")["spec"]["podSets"][0]);
  EXPECT_THAT(words(World({workload})), HasSubstr("spec.podSets: has 19; must be at most 18"));
}

TEST(KueueImport, QuotasThatCannotBeCountedAreNoBound) {
  for (const char* const quota : {"9223372036854775807", "16E", "9Ei", "1e20"}) {
    const Import import =
        Imported({kFlavor, kLocal, ClusterQueueJson("a", quota), WorkloadJson("w", 9, "1000")}, {});
    EXPECT_THAT(DecidedUnder(import), HasSubstr("admit ns/w")) << quota;
  }
}

// Two racks of a host with 2 CPUs each, in a topology of the flavor.
std::vector<ObjectJson> RackWorld(std::vector<ObjectJson> more) {
  std::vector<ObjectJson> all = {
      KueueObject("ResourceFlavor", "spot", {{"topologyName", "default"}}),
      KueueObject("Topology", "default",
                  {{"levels", {{{"nodeLabel", "rack"}}, {{"nodeLabel", kHostLabel}}}}}),
      kLocal, ClusterQueueJson("a", "9")};
  for (int n = 0; n < 2; ++n) {
    const std::string name = n == 0 ? "n0" : "n1";
    ObjectJson node = NodeJson(name);
    node["metadata"]["labels"] = {{"rack", n == 0 ? "r0" : "r1"}, {kHostLabel, name}};
    node["status"]["allocatable"] = {{"cpu", "2"}, {"pods", "9"}};
    all.push_back(node);
  }
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

ObjectJson Requesting(ObjectJson workload, const ObjectJson& request) {
  workload["spec"]["podSets"][0]["topologyRequest"] = request;
  return workload;
}

TEST(KueueImport, ATopologyRequestBecomesSettings) {
  const Import import = Imported(
      RackWorld({Requesting(WorkloadJson("w1", 2, "1"), {{"required", "rack"}}),
                 Requesting(WorkloadJson("w2", 2, "1"), {{"unconstrained", true}}),
                 Requesting(WorkloadJson("w3", 2, "1"), {{"preferred", "rack"},
                                                         {"podSetSliceRequiredTopology", "rack"},
                                                         {"podSetSliceSize", 2}})}),
      {});
  EXPECT_THAT(import.report, IsEmpty());
  const auto setting = [](const char* key, const char* value) {
    return std::pair<std::string, std::string>(key, value);
  };
  EXPECT_THAT(import.scenario.cluster.jobs[0].settings,
              ElementsAre(setting("kueue/podset-required-topology/main", "rack")));
  EXPECT_THAT(import.scenario.cluster.jobs[1].settings,
              ElementsAre(setting("kueue/podset-unconstrained-topology/main", "true")));
  EXPECT_THAT(import.scenario.cluster.jobs[2].settings,
              ElementsAre(setting("kueue/podset-preferred-topology/main", "rack"),
                          setting("kueue/podset-slice-required-topology/main", "rack"),
                          setting("kueue/podset-slice-size/main", "2")));
  const std::string text = DecidedUnder(import);
  EXPECT_THAT(text, HasSubstr("admit ns/w1 with 2 of main (cpu from spot) in n0: 2\n"));
  EXPECT_THAT(text, HasSubstr("admit ns/w2 with 2 of main (cpu from spot) in n1: 2\n"));
  EXPECT_THAT(text, HasSubstr("topology \"default\" doesn't allow to fit any of 1 slice(s)"));
}

TEST(KueueImport, NodesThatAreNotReadyHaveNoPlaces) {
  std::vector<ObjectJson> objects =
      RackWorld({Requesting(WorkloadJson("w", 2, "1"), {{"required", "rack"}})});
  for (ObjectJson& object : objects) {
    if (object["metadata"]["name"] != "n0") continue;
    object["status"]["conditions"] = {{{"type", "Ready"}, {"status", "False"}},
                                      {{"type", "MemoryPressure"}, {"status", "True"}}};
  }
  const Import import = Imported(objects, {});
  EXPECT_FALSE(import.scenario.cluster.nodes[0].ready);
  EXPECT_FALSE(import.scenario.cluster.nodes[0].memory_pressure);
  EXPECT_THAT(DecidedUnder(import),
              HasSubstr("admit ns/w with 2 of main (cpu from spot) in n1: 2\n"));
}

TEST(KueueImport, PlacesOfAnAdmissionAreHeld) {
  const ObjectJson domains = {
      {"levels", {"rack", kHostLabel}},
      {"domains",
       {{{"values", {"r0", "n0"}}, {"count", 2}}, {{"values", {"r1", "n1"}}, {"count", 1}}}}};
  const ObjectJson slices = {
      {"levels", {kHostLabel}},
      {"slices",
       {{{"domainCount", 2},
         {"valuesPerLevel", {{{"individual", {{"prefix", "n"}, {"roots", {"0", "1"}}}}}}},
         {"podCounts", {{"individual", {2, 1}}}}}}}};
  for (const ObjectJson& assignment : {domains, slices}) {
    ObjectJson held = Admitted(WorkloadJson("w1", 3, "1"), 3);
    held["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"] = assignment;
    const Import import =
        Imported(RackWorld({held, Requesting(WorkloadJson("w2", 2, "1"), {{"required", "rack"}}),
                            WorkloadJson("w3", 1, "1")}),
                 {});
    EXPECT_THAT(import.report, IsEmpty());
    EXPECT_THAT(import.scenario.cluster.jobs[0].admission->groups[0].places,
                ElementsAre(AssignedPlace{{"n0"}, 2}, AssignedPlace{{"n1"}, 1}));
    const std::string text = DecidedUnder(import);
    EXPECT_THAT(text, HasSubstr("allows to fit only 1 out of 2 pod(s)"));
    EXPECT_THAT(text, HasSubstr("admit ns/w3 with 1 of main (cpu from spot) in n1: 1\n"));
  }
}

TEST(KueueImport, SlicesOfPlacesMustAgree) {
  const auto words = [](const ObjectJson& slice) {
    ObjectJson held = Admitted(WorkloadJson("w1", 3, "1"), 3);
    held["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"] = {
        {"slices", ObjectJson::array({slice})}};
    return std::string(TryImport(RackWorld({held}), {}).status().message());
  };
  const ObjectJson roots = {{{"individual", {{"roots", {"n0", "n1"}}}}}};
  EXPECT_THAT(words({{"domainCount", 0}}), HasSubstr("domainCount: must be 1 to 2147483647"));
  EXPECT_THAT(
      words({{"domainCount", 3}, {"valuesPerLevel", roots}, {"podCounts", {{"universal", 1}}}}),
      HasSubstr("roots: must be as many as domainCount"));
  EXPECT_THAT(
      words({{"domainCount", 2}, {"valuesPerLevel", roots}, {"podCounts", {{"individual", {1}}}}}),
      HasSubstr("individual: must be as many as domainCount"));
  EXPECT_THAT(words({{"domainCount", 2000000000},
                     {"valuesPerLevel", {{{"universal", "r0"}}}},
                     {"podCounts", {{"universal", 1}}}}),
              HasSubstr("no level tells the domains apart"));
}

TEST(KueueImport, StatesOfChecksAreSettings) {
  ObjectJson waits = WorkloadJson("w", 1, "1");
  waits["status"]["admissionChecks"] = {{{"name", "budget"}, {"state", "Retry"}}};
  const Import import = Imported(World({waits}), {});
  EXPECT_THAT(
      import.scenario.cluster.jobs[0].settings,
      ElementsAre(std::pair<std::string, std::string>("kueue/admission-check/budget", "Retry")));
  EXPECT_THAT(DecidedUnder(import), HasSubstr("The workload has failed admission checks"));
}

TEST(KueueImport, WhatIsAdmittedDespiteItsChecksIsASetting) {
  ObjectJson queue = ClusterQueueJson(
      "a", "4", {{"admissionChecksStrategy", {{"admissionChecks", {{{"name", "budget"}}}}}}});
  const ObjectJson check = {
      {"apiVersion", "kueue.x-k8s.io/v1beta1"},
      {"kind", "AdmissionCheck"},
      {"metadata", {{"name", "budget"}}},
      {"status", {{"conditions", {{{"type", "Active"}, {"status", "True"}}}}}}};
  const auto settings = [&](bool admitted, const std::string& state) {
    ObjectJson workload = Admitted(WorkloadJson("w", 1, "1"), 1);
    if (!admitted) workload["status"]["conditions"].erase(1);
    if (!state.empty()) {
      workload["status"]["admissionChecks"] = {{{"name", "budget"}, {"state", state}}};
    }
    const Import import = Imported({queue, check, kFlavor, kLocal, workload}, {});
    std::string words;
    for (const auto& [key, value] : import.scenario.cluster.jobs[0].settings) {
      words += key + "=" + value + ";";
    }
    return words;
  };
  EXPECT_EQ(settings(true, ""), "kueue/admitted=true;");
  EXPECT_EQ(settings(false, ""), "");
  EXPECT_EQ(settings(true, "Ready"), "kueue/admission-check/budget=Ready;");
  EXPECT_EQ(settings(true, "Pending"), "kueue/admission-check/budget=Pending;");
  EXPECT_EQ(settings(false, "Ready"), "kueue/admission-check/budget=Ready;kueue/admitted=false;");
}

TEST(KueueImport, AGatedWorkloadIsLeftOut) {
  ObjectJson gated = WorkloadJson("w", 1, "1");
  gated["metadata"]["annotations"] = {{"kueue.x-k8s.io/admission-gated-by", "example.com/gate"}};
  const Import import = Imported(World({gated}), {});
  EXPECT_TRUE(import.scenario.cluster.jobs.empty());
  ASSERT_EQ(import.report.size(), 1u);
  EXPECT_EQ(import.report[0].text, "its admission is gated by example.com/gate");
  const ObjectJson off = {{"apiVersion", "config.kueue.x-k8s.io/v1beta2"},
                          {"kind", "Configuration"},
                          {"featureGates", {{"AdmissionGatedBy", false}}}};
  EXPECT_THAT(DecidedUnder(Imported(World({gated}), {.configuration = off.dump()})),
              HasSubstr("admit ns/w"));
}

TEST(KueueImport, ASliceIsAdmittedInThePlaceOfTheOneBefore) {
  ObjectJson slice = WorkloadJson("w", 4, "1");
  slice["metadata"]["annotations"] = {{"kueue.x-k8s.io/workload-slice-replacement-for", "ns/v"}};
  const ObjectJson old = Admitted(WorkloadJson("v", 3, "1"), 3);
  EXPECT_THAT(DecidedUnder(Imported(World({old, slice}), {})), HasSubstr("admit ns/w"));
}

TEST(KueueImport, AWorkloadWithQuotaMayBeInactiveOrEvicted) {
  ObjectJson inactive = Admitted(WorkloadJson("v", 4, "1", {{"active", false}}), 4);
  EXPECT_THAT(DecidedUnder(Imported(World({inactive}), {})), HasSubstr("Deactivated"));
  ObjectJson evicted = Admitted(WorkloadJson("w", 1, "1"), 1);
  evicted["status"]["conditions"].push_back({{"type", "Evicted"}, {"status", "True"}});
  const Import import = Imported(World({evicted}), {});
  EXPECT_THAT(import.scenario.cluster.jobs[0].settings,
              ElementsAre(std::pair<std::string, std::string>("kueue/evicted", "true")));
}

TEST(KueueImport, WhatChecksAddToPodsIsPartOfTheirShape) {
  ObjectJson workload = Admitted(WorkloadJson("w", 1, "1"), 1);
  const ObjectJson update = {{"name", "main"},
                             {"labels", {{"team", "a"}}},
                             {"nodeSelector", {{"pool", "other"}, {"zone", "new"}}},
                             {"tolerations", {{{"key", "new"}, {"operator", "Exists"}}}}};
  workload["status"]["admissionChecks"] = {
      {{"name", "m"}, {"state", "Ready"}, {"podSetUpdates", {update}}}};
  const Import import = Imported(World({workload}), {});
  const TaskShape& shape = import.scenario.cluster.jobs[0].groups[0].shape;
  EXPECT_THAT(shape.node_selector, ElementsAre(std::pair<std::string, std::string>("pool", "other"),
                                               std::pair<std::string, std::string>("zone", "new")));
  EXPECT_THAT(shape.labels, ElementsAre(std::pair<std::string, std::string>("team", "a")));
  ASSERT_EQ(shape.tolerations.size(), 1u);
  workload["status"]["admissionChecks"][0]["state"] = "Pending";
  const Import waits = Imported(World({workload}), {});
  EXPECT_THAT(waits.scenario.cluster.jobs[0].groups[0].shape.node_selector,
              ElementsAre(std::pair<std::string, std::string>("pool", "spot")));
}

TEST(KueueImport, MembersThatAreNotReadAreReported) {
  ObjectJson workload = WorkloadJson("w", 1, "1", {{"maximumExecutionTimeSeconds", 60}});
  workload["status"]["nominatedClusterNames"] = {"far"};
  const Import import = Imported(
      {kFlavor,
       KueueObject("LocalQueue", "q", {{"clusterQueue", "a"}, {"stopPolcy", "Hold"}}, "ns"),
       ClusterQueueJson("a", "4", {{"preemption", {{"withinClusterqueue", "LowerPriority"}}}}),
       KueueObject("Cohort", "c", {{"parentNam", "d"}}), workload},
      {});
  std::string fields;
  for (const ImportEntry& entry : import.report) fields += entry.field + ";";
  EXPECT_EQ(fields,
            "status.nominatedClusterNames;spec.parentNam;spec.preemption.withinClusterqueue;"
            "spec.stopPolcy;spec.maximumExecutionTimeSeconds;");
}

TEST(KueueImport, LimitRangesFillInAndBound) {
  ObjectJson range = {{"apiVersion", "v1"},
                      {"kind", "LimitRange"},
                      {"metadata", {{"name", "r"}, {"namespace", "ns"}}}};
  range["spec"]["limits"] = {
      {{"type", "Container"}, {"defaultRequest", {{"cpu", "3"}}}, {"max", {{"cpu", "4"}}}},
      {{"type", "Pod"}, {"min", {{"cpu", "500m"}}}}};
  const ObjectJson kata = {{"apiVersion", "node.k8s.io/v1"},
                           {"kind", "RuntimeClass"},
                           {"metadata", {{"name", "kata"}}},
                           {"overhead", {{"podFixed", {{"cpu", "250m"}}}}}};
  const auto of_pod = [&](const ObjectJson& resources, const char* runtime = "") {
    ObjectJson workload = WorkloadJson("w", 1, "1");
    ObjectJson& pod = workload["spec"]["podSets"][0]["template"]["spec"];
    pod["containers"][0]["resources"] = resources;
    if (*runtime != 0) pod["runtimeClassName"] = runtime;
    return Imported(World({workload, range, kata}), {});
  };
  const auto request = [](const Import& import) {
    const Resources& all = import.scenario.cluster.jobs[0].groups[0].shape.request;
    return all.empty() ? "" : all[0].second.text;
  };
  EXPECT_EQ(request(of_pod(ObjectJson::object())), "3");
  EXPECT_EQ(request(of_pod({{"requests", {{"cpu", "1"}}}})), "1");
  EXPECT_EQ(request(of_pod({{"requests", {{"cpu", "1"}}}}, "kata")), "1250m");
  EXPECT_THAT(DecidedUnder(of_pod({{"requests", {{"cpu", "4"}}}})), HasSubstr("admit ns/w"));
  EXPECT_THAT(DecidedUnder(of_pod({{"limits", {{"cpu", "5"}}}})),
              HasSubstr("containers[0] is above the maximum of the LimitRange in cpu"));
  EXPECT_THAT(DecidedUnder(of_pod({{"requests", {{"cpu", "100m"}}}})),
              HasSubstr("the pod is below the minimum of the LimitRange in cpu"));
  EXPECT_THAT(DecidedUnder(of_pod({{"requests", {{"cpu", "3"}}}, {"limits", {{"cpu", "2"}}}})),
              HasSubstr("containers[0] requests more than its limit of cpu"));
}

TEST(KueueImport, AQueueOfWhichATopologyIsMissingAdmitsNothing) {
  const Import import = Imported({KueueObject("ResourceFlavor", "spot", {{"topologyName", "none"}}),
                                  kLocal, ClusterQueueJson("a", "4"), WorkloadJson("w", 1, "1")},
                                 {});
  EXPECT_EQ(import.report.size(), 1u);
  EXPECT_THAT(DecidedUnder(import), HasSubstr("pending ns/w"));
}

}  // namespace
}  // namespace muster
