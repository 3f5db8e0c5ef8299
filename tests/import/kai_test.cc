// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// KAI Scheduler's objects: what they become, and what a plan then decides.
#include "lib/import/kai.h"

#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ObjectJson KaiObject(const std::string& kind, const std::string& name,
                     ObjectJson spec = ObjectJson::object(), const std::string& space = "") {
  ObjectJson object = {{"apiVersion", "scheduling.run.ai/v2"},
                       {"kind", kind},
                       {"metadata", {{"name", name}}},
                       {"spec", std::move(spec)}};
  if (!space.empty()) object["metadata"]["namespace"] = space;
  return object;
}

ObjectJson GpuNode(const std::string& name, const std::string& gpus) {
  return NodeJson(name,
                  {{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}, {"nvidia.com/gpu", gpus}});
}

// A leaf below "org", with so many GPUs of its own.
ObjectJson LeafJson(const std::string& name, double gpus) {
  const auto own = [](double quota) {
    return ObjectJson({{"quota", quota}, {"limit", -1}, {"overQuotaWeight", 1}});
  };
  return KaiObject("Queue", name,
                   {{"parentQueue", "org"},
                    {"resources", {{"cpu", own(-1)}, {"memory", own(-1)}, {"gpu", own(gpus)}}}});
}
const ObjectJson kOrg = LeafJson("org", -1);

ObjectJson Root() {
  ObjectJson root = kOrg;
  root["spec"].erase("parentQueue");
  return root;
}

ObjectJson PodGroupJson(const std::string& name, const std::string& queue,
                        const ObjectJson& more = ObjectJson::object()) {
  ObjectJson spec = {{"queue", queue}, {"minMember", 1}};
  spec.update(more);
  return KaiObject("PodGroup", name, spec, "ns");
}

ObjectJson PodOf(const std::string& name, const std::string& group, const ObjectJson& requests,
                 const ObjectJson& annotations = ObjectJson::object()) {
  ObjectJson pod = PodJson(name);
  pod["metadata"]["annotations"] = {{"pod-group-name", group}};
  pod["metadata"]["annotations"].update(annotations);
  pod["spec"] = {{"schedulerName", "kai-scheduler"}, {"containers", {ContainerJson(requests)}}};
  pod["status"] = {{"phase", "Pending"}};
  return pod;
}

std::string Decided(const Import& import) {
  Cluster cluster;
  const absl::Status filled = Fill(import.scenario, &cluster);
  EXPECT_TRUE(filled.ok()) << filled;
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

TEST(KaiImport, AGangIsPlacedWhole) {
  const ObjectJson gpu = {{"nvidia.com/gpu", "4"}};
  const Import import = Imported(
      {GpuNode("n0", "8"), Root(), LeafJson("q", 8), PodGroupJson("g", "q", {{"minMember", 2}}),
       PodOf("a", "g", gpu), PodOf("b", "g", gpu), PodGroupJson("h", "q", {{"minMember", 3}}),
       PodOf("c", "h", gpu), PodOf("d", "h", gpu), PodOf("e", "h", gpu)},
      {});
  EXPECT_EQ(import.scenario.profile, "kai");
  EXPECT_THAT(import.report, IsEmpty());
  const std::string text = Decided(import);
  EXPECT_THAT(text, HasSubstr("bind ns/a to n0"));
  EXPECT_THAT(text, HasSubstr("bind ns/b to n0"));
  EXPECT_THAT(text, HasSubstr("pending ns/h (3 tasks)"));
}

ObjectJson DeviceJson(const std::string& kind, const std::string& name, ObjectJson spec,
                      const std::string& space) {
  ObjectJson object = KaiObject(kind, name, std::move(spec), space);
  object["apiVersion"] = "resource.k8s.io/v1";
  return object;
}

ObjectJson ClaimSpec(int count, const std::string& device_class = "nvidia.com/gpu") {
  const ObjectJson exactly = {
      {"deviceClassName", device_class}, {"allocationMode", "ExactCount"}, {"count", count}};
  return {{"devices", {{"requests", {{{"name", "r"}, {"exactly", exactly}}}}}}};
}

ObjectJson ClaimJson(const std::string& name, int count, const std::string& queue) {
  ObjectJson claim = DeviceJson("ResourceClaim", name, ClaimSpec(count), "ns");
  if (!queue.empty()) claim["metadata"]["labels"] = {{"kai.scheduler/queue", queue}};
  return claim;
}

ObjectJson SliceJson(const std::string& node, int devices) {
  ObjectJson list = ObjectJson::array();
  for (int i = 0; i < devices; ++i) list.push_back({{"name", std::to_string(i)}});
  return DeviceJson("ResourceSlice", "of-" + node,
                    {{"nodeName", node}, {"driver", "nvidia.com/gpu"}, {"devices", list}}, "");
}

ObjectJson Claiming(const std::string& name, const std::string& key, const std::string& claim) {
  ObjectJson pod = PodOf(name, name, {{"cpu", "1"}});
  pod["spec"]["resourceClaims"] = {{{"name", "gpu"}, {key, claim}}};
  return pod;
}

std::vector<ObjectJson> WorldOfClaims(const std::vector<ObjectJson>& more) {
  std::vector<ObjectJson> world = {
      NodeJson("n0", {{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}}), SliceJson("n0", 3),
      DeviceJson("DeviceClass", "nvidia.com/gpu", ObjectJson::object(), ""), Root(),
      LeafJson("q", 8)};
  world.insert(world.end(), more.begin(), more.end());
  return world;
}

TEST(KaiImport, ClaimedGpusAreCounted) {
  const Import import = Imported(
      WorldOfClaims({ClaimJson("two", 2, "q"), ClaimJson("more", 2, "q"),
                     DeviceJson("ResourceClaimTemplate", "one", {{"spec", ClaimSpec(1)}}, "ns"),
                     PodGroupJson("a", "q"), Claiming("a", "resourceClaimName", "two"),
                     PodGroupJson("b", "q"), Claiming("b", "resourceClaimName", "more"),
                     PodGroupJson("c", "q"), Claiming("c", "resourceClaimTemplateName", "one")}),
      {});
  EXPECT_THAT(import.report, IsEmpty());
  EXPECT_EQ(import.scenario.profile, "kai:kai-rules(claims=on)");
  const std::string text = Decided(import);
  EXPECT_THAT(text, HasSubstr("bind ns/a to n0"));
  EXPECT_THAT(text, HasSubstr("pending ns/b"));
  EXPECT_THAT(text, HasSubstr("bind ns/c to n0"));
}

TEST(KaiImport, AClaimNeedsTheQueueOfItsPod) {
  const auto imported = [](const std::string& queue) {
    return Imported(WorldOfClaims({ClaimJson("one", 1, queue), PodGroupJson("a", "q"),
                                   Claiming("a", "resourceClaimName", "one")}),
                    {});
  };
  EXPECT_THAT(Decided(imported("q")), HasSubstr("bind ns/a to n0"));
  for (const char* queue : {"", "r"}) {
    const Import import = imported(queue);
    EXPECT_THAT(import.scenario.cluster.tasks.at(0).gates,
                ElementsAre("resource claim ns/one without label kai.scheduler/queue=q"));
    EXPECT_THAT(Decided(import), HasSubstr("pending ns/a (1 task): gated"));
  }
}

TEST(KaiImport, WhatIsNotCountedOfClaimsIsNamed) {
  const ObjectJson other = DeviceJson("ResourceClaim", "other", ClaimSpec(1, "nic"), "ns");
  const Import import =
      Imported(WorldOfClaims({ClaimJson("one", 1, "q"), other, PodGroupJson("a", "q"),
                              Claiming("a", "resourceClaimName", "one"), PodGroupJson("b", "q"),
                              Claiming("b", "resourceClaimName", "one"), PodGroupJson("c", "q"),
                              Claiming("c", "resourceClaimName", "gone")}),
               {});
  std::vector<std::string> report;
  for (const ImportEntry& entry : import.report) report.push_back(Describe(entry));
  EXPECT_THAT(report, ElementsAre(HasSubstr("devices of class \"nic\" are not considered"),
                                  HasSubstr("pod ns/a has the claim, too, and counts its GPUs"),
                                  HasSubstr("the claim is not there, and counts as none")));
  EXPECT_THAT(import.scenario.cluster.tasks.at(2).gates,
              ElementsAre("resource claim ns/gone is not there"));
}

TEST(KaiImport, APodThatClaimsMoreThanGpusIsNotStrict) {
  const auto imported = [](const ObjectJson& spec) {
    return TryImport(
        WorldOfClaims({DeviceJson("ResourceClaimTemplate", "t", {{"spec", spec}}, "ns"),
                       PodGroupJson("a", "q"), Claiming("a", "resourceClaimTemplateName", "t")}),
        {.strict = true});
  };
  const absl::StatusOr<Import> whole = imported(ClaimSpec(2, "example.com/Big-GPU"));
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->scenario.cluster.tasks.at(0).shape.devices.at(0).count, 2);
  const absl::StatusOr<Import> part = imported(ClaimSpec(2, "nic"));
  EXPECT_THAT(std::string(part.status().message()),
              HasSubstr("Pod ns/a: spec.resourceClaims[0]: a part of the claim is not considered"));
  ObjectJson all = ClaimSpec(2);
  all["devices"]["requests"][0]["exactly"]["allocationMode"] = "All";
  EXPECT_THAT(std::string(imported(all).status().message()), HasSubstr("a part of the claim"));
}

TEST(KaiImport, QueuesCountInTheirOwnUnits) {
  const Import import =
      Imported({KaiObject("Queue", "q",
                          {{"priority", 7},
                           {"preemptMinRuntime", "5m"},
                           {"resources",
                            {{"cpu", {{"quota", 1500}, {"limit", -1}}},
                             {"memory", {{"quota", 2}, {"limit", 3}, {"overQuotaWeight", 2}}},
                             {"gpu", {{"quota", 0.5}, {"limit", 1}, {"overQuotaWeight", -1}}}}}})},
               {});
  const QueueSpec& queue = import.scenario.cluster.queues.at(0);
  EXPECT_EQ(queue.priority, 7);
  EXPECT_EQ(queue.deserved,
            (Resources{{"cpu", "1500m"}, {"memory", 2000000}, {"nvidia.com/gpu", "500m"}}));
  EXPECT_EQ(queue.limit, (Resources{{"memory", 3000000}, {"nvidia.com/gpu", 1}}));
  EXPECT_EQ(queue.rules->over_quota_weight,
            (Resources{{"cpu", 0}, {"memory", 2}, {"nvidia.com/gpu", 0}}));
  EXPECT_EQ(queue.rules->preemption.preempt_min_runtime, 300);
}

TEST(KaiImport, PartsOfAGpuShareOne) {
  const auto part = [](const std::string& name, const std::string& milli) {
    return PodOf(name, name, {{"cpu", "1"}}, {{"gpu-fraction", milli}});
  };
  ObjectJson runs = part("r", "0.5");
  runs["metadata"]["labels"] = {{"runai-gpu-group", "x"}};
  runs["spec"]["nodeName"] = "n0";
  runs["status"]["phase"] = "Running";
  const Import import = Imported(
      {GpuNode("n0", "1"), Root(), LeafJson("q", 8), PodGroupJson("r", "q"), runs,
       PodGroupJson("a", "q"), part("a", "0.25"), PodGroupJson("b", "q"), part("b", "0.75")},
      {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(cluster.nodes[0].devices.size(), 4u);  // one, and one more for each part
  EXPECT_EQ(cluster.tasks[2].devices.at(0).device, "g000");
  EXPECT_EQ(cluster.tasks[0].shape.devices.at(0).milli, 250);
  const std::string text = Decided(import);
  EXPECT_THAT(text, HasSubstr("bind ns/a to n0"));
  EXPECT_THAT(text, HasSubstr("pending ns/b"));
}

TEST(KaiImport, SubGroupsHavePlacesInATopology) {
  const Import import = Imported(
      {KaiObject("Topology", "dc", {{"levels", {{{"nodeLabel", "rack"}}}}}),
       With(GpuNode("n0", "1"), "/metadata/labels", {{"rack", "r0"}}),
       With(GpuNode("n1", "1"), "/metadata/labels", {{"rack", "r1"}}),
       With(GpuNode("n2", "1"), "/metadata/labels", {{"rack", "r1"}}), Root(), LeafJson("q", 8),
       PodGroupJson(
           "g", "q",
           {{"minSubGroup", 1},
            {"subGroups",
             {{{"name", "s"},
               {"minMember", 2},
               {"topologyConstraint", {{"topology", "dc"}, {"requiredTopologyLevel", "rack"}}}}}}}),
       With(PodOf("a", "g", {{"nvidia.com/gpu", "1"}}), "/metadata/labels",
            {{"kai.scheduler/subgroup-name", "s"}}),
       With(PodOf("b", "g", {{"nvidia.com/gpu", "1"}}), "/metadata/labels",
            {{"kai.scheduler/subgroup-name", "s"}})},
      {});
  const JobSpec& job = import.scenario.cluster.jobs.at(0);
  EXPECT_EQ(job.sub_groups.at(0).place->levels->required, "rack");
  EXPECT_EQ(job.gang->min_sub_groups, 1);
  const std::string text = Decided(import);
  EXPECT_THAT(text, HasSubstr("to n1"));
  EXPECT_THAT(text, HasSubstr("to n2"));
}

TEST(KaiImport, AShardIsAPartOfTheCluster) {
  const ObjectJson shard =
      KaiObject("SchedulingShard", "blue",
                {{"partitionLabelValue", "blue"},
                 {"placementStrategy", {{"gpu", "spread"}, {"cpu", "binpack"}}},
                 {"kValue", 2},
                 {"minRuntime", {{"reclaimMinRuntime", "10m"}}},
                 {"queueDepthPerAction", {{"reclaim", 5}}}});
  const ObjectJson node =
      With(GpuNode("n0", "1"), "/metadata/labels", {{"kai.scheduler/node-pool", "blue"}});
  const Import import = Imported({shard, node, GpuNode("n1", "1"), Root()}, {});
  EXPECT_EQ(import.scenario.profile,
            "kai:kai-rules(gpu=spread,sharing=off,cpu=binpack,k=2,reclaim_min_runtime=600,"
            "device=spread),actions=allocate+reclaim(depth=5)+preempt+stalegangeviction");
  EXPECT_EQ(import.scenario.cluster.nodes.size(), 1u);
  EXPECT_THAT(import.scenario.cluster.queues, IsEmpty());
  EXPECT_THAT(import.report, IsEmpty());
}

TEST(KaiImport, BindRequestsHoldTheirNode) {
  const Import import =
      Imported({GpuNode("n0", "1"), Root(), LeafJson("q", 8), PodGroupJson("g", "q"),
                PodOf("a", "g", {{"nvidia.com/gpu", "1"}}),
                KaiObject("BindRequest", "a", {{"podName", "a"}, {"selectedNode", "n0"}}, "ns")},
               {});
  EXPECT_EQ(import.scenario.cluster.tasks.at(0).status, TaskStatus::kBinding);
  EXPECT_EQ(import.scenario.cluster.tasks.at(0).node, "n0");
}

TEST(KaiImport, JobsArePreemptibleByPriorityUnlessTheySayOtherwise) {
  const auto preemptable = [](const ObjectJson& more) {
    const ObjectJson high = {
        {"kind", "PriorityClass"}, {"metadata", {{"name", "build"}}}, {"value", 100}};
    return *Imported({high, Root(), LeafJson("q", 8), PodGroupJson("g", "q", more)}, {})
                .scenario.cluster.jobs.at(0)
                .preemptable;
  };
  EXPECT_TRUE(preemptable(ObjectJson::object()));
  EXPECT_FALSE(preemptable({{"priorityClassName", "build"}}));
  EXPECT_TRUE(preemptable({{"priorityClassName", "build"}, {"preemptibility", "preemptible"}}));
}

TEST(KaiImport, ABackoffIsOneAttemptInEachPool) {
  const auto settings = [](int64_t backoff, const char* last_pool) {
    ObjectJson group = PodGroupJson("g", "q", {{"schedulingBackoff", backoff}});
    const auto condition = [](const char* pool, const char* id) {
      return ObjectJson(
          {{"type", "UnschedulableOnNodePool"}, {"nodePool", pool}, {"transitionID", id}});
    };
    group["status"]["schedulingConditions"] = {condition(last_pool, "10"), condition("other", "9")};
    return Imported({Root(), LeafJson("q", 8), group}, {}).scenario.cluster.jobs.at(0).settings;
  };
  const Labels one_attempt = {{"kai/scheduling-backoff", "1"}};
  EXPECT_EQ(settings(-1, "default"), Labels());
  EXPECT_EQ(settings(1, "spare"), one_attempt);
  EXPECT_EQ(settings(1, "default"), Labels({one_attempt[0], {"kai/unschedulable", "true"}}));
}

TEST(KaiImport, AGlobalDefaultIsThePriorityOfJobsWithoutAClass) {
  const auto priority = [](const ObjectJson& standard, const ObjectJson& more) {
    return Imported({standard, Root(), LeafJson("q", 8), PodGroupJson("g", "q", more)}, {})
        .scenario.cluster.jobs.at(0);
  };
  const ObjectJson standard = {{"kind", "PriorityClass"},
                               {"metadata", {{"name", "standard"}}},
                               {"value", 150},
                               {"globalDefault", true}};
  EXPECT_EQ(priority(standard, ObjectJson::object()).priority, 150);
  EXPECT_EQ(priority(standard, ObjectJson::object()).preemptable, false);
  EXPECT_EQ(priority(standard, {{"priorityClassName", "none"}}).priority, 150);
  EXPECT_EQ(priority(With(standard, "/globalDefault", false), ObjectJson::object()).priority, 50);
}

TEST(KaiImport, NodesThatAreNotReadyGetNoPods) {
  const auto decided = [](const std::string& type, const std::string& status) {
    const ObjectJson node =
        With(NodeJson("n1"), "/status/conditions", {{{"type", type}, {"status", status}}});
    return Decided(Imported(
        {node, Root(), LeafJson("q", 8), PodGroupJson("g", "q"), PodOf("a", "g", {{"cpu", "1"}})},
        {}));
  };
  EXPECT_THAT(decided("Ready", "True"), HasSubstr("bind ns/a to n1"));
  EXPECT_THAT(decided("Ready", "False"), HasSubstr("1 node: not ready"));
  EXPECT_THAT(decided("Ready", "Unknown"), HasSubstr("1 node: not ready"));
  EXPECT_THAT(decided("MemoryPressure", "True"), HasSubstr("1 node: not ready"));
}

TEST(KaiImport, WhatIsLeftOutIsNamed) {
  const Import import =
      Imported({Root(), With(LeafJson("q", 1), "/spec/parentQueue", "none"), LeafJson("r", 1),
                PodGroupJson("g", "q"), PodOf("a", "g", {{"cpu", "1"}}),
                With(PodOf("b", "g", {{"cpu", "1"}}), "/spec/nodeName", "n9")},
               {});
  std::vector<std::string> words;
  for (const ImportEntry& entry : import.report) words.push_back(Describe(entry));
  EXPECT_THAT(words, ElementsAre("Queue q: spec.parentQueue: queue \"none\" is not there",
                                 "PodGroup ns/g: spec.queue: queue \"q\" is not there; the job is "
                                 "left out, its pods only occupy nodes",
                                 "Pod ns/a: metadata.annotations.pod-group-name: the pod waits, "
                                 "and is in no pod group that is here",
                                 "Pod ns/b: spec.nodeName: node \"n9\" is not there",
                                 "dump: 1 of 1 pods that wait are not scheduled"));
}

TEST(KaiImport, KeysThatAreNotReadAreNamed) {
  ObjectJson queue = LeafJson("q", 1);
  queue["spec"]["displayName"] = "Q";
  queue["spec"]["resources"]["gpu"]["burst"] = 2;
  const Import import =
      Imported({Root(), queue,
                PodGroupJson("g", "q",
                             {{"schedulingBackoff", 1},
                              {"backoffLimit", 3},
                              {"markUnschedulable", true},
                              {"topologyConstraint", {{"requiredTopologyLevel", "rack"}}},
                              {"subGroups", {{{"name", "s"}, {"minMembers", 2}}}}})},
               {});
  std::vector<std::string> words;
  for (const ImportEntry& entry : import.report) words.push_back(Describe(entry));
  EXPECT_THAT(words,
              ::testing::UnorderedElementsAre(
                  HasSubstr("Queue q: spec.resources.gpu.burst: not"),
                  HasSubstr("PodGroup ns/g: spec.backoffLimit: not"),
                  HasSubstr("PodGroup ns/g: spec.markUnschedulable: not"),
                  HasSubstr("PodGroup ns/g: spec.topologyConstraint.requiredTopologyLevel: not"),
                  HasSubstr("PodGroup ns/g: spec.subGroups[0].minMembers: not")));
}

TEST(KaiImport, DevicesCountAsRows) {
  EXPECT_EQ(TryImport({GpuNode("n0", "4000000"), Root(), LeafJson("q", 8), PodGroupJson("g", "q"),
                       PodOf("a", "g", {{"cpu", "1"}}, {{"gpu-fraction", "0.5"}})},
                      {})
                .status()
                .message(),
            "node \"n0\": nvidia.com/gpu: 4000001 devices in all; at most 4000000 are made");
}

// As at the peer a bad value stands for none; the report names it.
TEST(KaiImport, PartsThatAreNoneDoNotCount) {
  const auto read = [](const ObjectJson& annotations) {
    return Imported({GpuNode("n0", "4"), Root(), LeafJson("q", 8), PodGroupJson("g", "q"),
                     PodOf("a", "g", {{"cpu", "1"}}, annotations)},
                    {});
  };
  const auto words = [&](const ObjectJson& annotations) {
    const Import import = read(annotations);
    return import.report.empty() ? "" : Describe(import.report[0]);
  };
  EXPECT_EQ(words({{"gpu-fraction", "1.5"}}),
            "Pod ns/a: metadata.annotations.gpu-fraction: \"1.5\" is no part of a GPU, which is "
            "above 0 and at most 1");
  EXPECT_THAT(words({{"gpu-fraction", "0"}}), HasSubstr("\"0\" is no part of a GPU"));
  EXPECT_THAT(words({{"gpu-fraction", "0.5"}, {"gpu-fraction-num-devices", "0"}}),
              HasSubstr("\"0\" is no number of devices; 1 counts"));
  EXPECT_THAT(words({{"gpu-fraction-num-devices", "2"}}),
              HasSubstr("decides nothing without gpu-fraction or gpu-memory"));
  EXPECT_THAT(words({{"gpu-memory", "-1"}}), HasSubstr("\"-1\" is no number of MiB"));
  EXPECT_THAT(words({{"gpu-memory", "5"}, {"gpu-fraction", "0.5"}}),
              HasSubstr("set beside gpu-fraction, which counts"));
  EXPECT_THAT(read({{"gpu-fraction", "x"}}).scenario.cluster.tasks.at(0).shape.devices, IsEmpty());
  EXPECT_EQ(read({{"gpu-memory", "5"}, {"gpu-fraction", "0.5"}})
                .scenario.cluster.tasks.at(0)
                .shape.devices.at(0)
                .milli,
            500);
}

TEST(KaiImport, AFractionOf1IsAWholeGpu) {
  const auto pod = [](const std::string& name, const ObjectJson& annotations) {
    return PodOf(name, name, {{"cpu", "1"}}, annotations);
  };
  const Import import = Imported(
      {GpuNode("n0", "3"), Root(), LeafJson("q", 8), PodGroupJson("a", "q"), PodGroupJson("b", "q"),
       PodGroupJson("c", "q"), pod("a", {{"gpu-fraction", "1"}, {"gpu-fraction-num-devices", "2"}}),
       pod("b", {{"gpu-fraction", "1"}}), pod("c", {{"gpu-fraction", "1.0"}})},
      {});
  EXPECT_THAT(import.report, IsEmpty());
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_THAT(cluster.nodes.at(0).devices, IsEmpty());
  EXPECT_THAT(cluster.tasks.at(0).shape.request,
              ::testing::Contains(::testing::Pair("nvidia.com/gpu", Quantity(2))));
  const std::string text = Decided(import);
  EXPECT_THAT(text, HasSubstr("bind ns/a to n0"));
  EXPECT_THAT(text, HasSubstr("bind ns/b to n0"));
  EXPECT_THAT(text, HasSubstr("pending ns/c"));
}

// Pods of the old kind request slices of devices in annotations; the peer places none.
TEST(KaiImport, SlicesOfOldPodsAreRead) {
  const auto decided = [](const ObjectJson& annotations) {
    return Decided(Imported({GpuNode("n0", "1"), Root(), LeafJson("q", 8), PodGroupJson("g", "q"),
                             PodOf("a", "g", {{"cpu", "1"}}, annotations)},
                            {}));
  };
  EXPECT_THAT(decided(ObjectJson::object()), HasSubstr("bind ns/a to n0"));
  EXPECT_THAT(decided({{"nvidia.com/mig-1g.5gb", "1"}}), HasSubstr("pending ns/g"));
  EXPECT_THAT(decided({{"nvidia.com/mig-9g.99gb", "1"}}), HasSubstr("pending ns/g"));
  EXPECT_THAT(decided({{"nvidia.com/mig-1g.5gb", "one"}}), HasSubstr("bind ns/a to n0"));
}

TEST(KaiImport, RefusesStrategiesThatAreNone) {
  EXPECT_THAT(
      TryImport({KaiObject("SchedulingShard", "s", {{"placementStrategy", {{"gpu", "best"}}}})}, {})
          .status()
          .message(),
      HasSubstr("SchedulingShard s: spec.placementStrategy.gpu: \"best\" is no strategy"));
}

TEST(KaiImport, TreesOfSubGroupsHaveNoCycles) {
  const absl::StatusOr<Import> import = TryImport(
      {Root(), LeafJson("q", 1),
       PodGroupJson(
           "g", "q",
           {{"subGroups", {{{"name", "a"}, {"parent", "b"}}, {{"name", "b"}, {"parent", "a"}}}}})},
      {});
  ASSERT_FALSE(import.ok());
  EXPECT_THAT(import.status().message(), HasSubstr("job \"ns/g\""));
}

}  // namespace
}  // namespace muster
