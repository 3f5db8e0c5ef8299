// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What every importer reads alike: pods that are being deleted, and durations and times that cannot
// be read.
#include <map>

#include "lib/import/importer.h"
#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

ObjectJson Object(const std::string& version, const std::string& kind, const std::string& name,
                  const ObjectJson& spec = ObjectJson::object()) {
  ObjectJson object = {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
  if (!spec.empty()) object["spec"] = spec;
  return object;
}

ObjectJson KaiQueue(const ObjectJson& more = ObjectJson::object()) {
  const ObjectJson free = {{"quota", -1}, {"limit", -1}};
  ObjectJson spec = {{"resources", {{"cpu", free}, {"memory", free}, {"gpu", free}}}};
  spec.update(more);
  return Object("scheduling.run.ai/v2", "Queue", "q", spec);
}

ObjectJson KaiGroup(const ObjectJson& more = ObjectJson::object(),
                    const ObjectJson& annotations = ObjectJson::object()) {
  ObjectJson spec = {{"queue", "q"}, {"minMember", 1}};
  spec.update(more);
  ObjectJson group = Object("scheduling.run.ai/v2alpha2", "PodGroup", "g", spec);
  group["metadata"]["namespace"] = "ns";
  group["metadata"]["annotations"] = annotations;
  return group;
}

// What the pod of Waiting needs to be scheduled by each importer that reads pods, beside a node.
const std::map<std::string, std::vector<ObjectJson>>& Around() {
  const auto old = [](const ObjectJson& object) {
    return With(object, "/apiVersion", "scheduling.incubator.k8s.io/v1alpha2");
  };
  const ObjectJson inqueue = With(GroupJson("g", {{"minMember", 1}}), "/status/phase", "Inqueue");
  ObjectJson flavors = {
      {{"coveredResources", {"cpu"}},
       {"flavors", {{{"name", "f"}, {"resources", {{{"name", "cpu"}, {"nominalQuota", "9"}}}}}}}}};
  ObjectJson workload =
      Object("kueue.x-k8s.io/v1beta1", "Workload", "w",
             {{"queueName", "l"},
              {"podSets",
               {{{"name", "main"},
                 {"count", 1},
                 {"template", {{"spec", {{"containers", {ContainerJson()}}}}}}}}}});
  workload["metadata"]["namespace"] = "ns";
  workload["metadata"]["uid"] = "u";
  workload["status"] = {{"conditions",
                         {{{"type", "QuotaReserved"}, {"status", "True"}},
                          {{"type", "Admitted"}, {"status", "True"}}}},
                        {"admission",
                         {{"clusterQueue", "c"},
                          {"podSetAssignments",
                           {{{"name", "main"},
                             {"count", 1},
                             {"flavors", {{"cpu", "f"}}},
                             {"resourceUsage", {{"cpu", "1"}}}}}}}}};
  ObjectJson local = Object("kueue.x-k8s.io/v1beta1", "LocalQueue", "l", {{"clusterQueue", "c"}});
  local["metadata"]["namespace"] = "ns";
  static const std::map<std::string, std::vector<ObjectJson>> around = {
      {"volcano", {QueueJson(), inqueue}},
      {"kube-batch", {old(QueueJson()), old(inqueue)}},
      {"kube-scheduler", {}},
      {"kueue",
       {Object("kueue.x-k8s.io/v1beta1", "ResourceFlavor", "f"),
        Object("kueue.x-k8s.io/v1beta1", "ClusterQueue", "c",
               {{"resourceGroups", flavors}, {"namespaceSelector", ObjectJson::object()}}),
        local, workload}},
      {"kai", {KaiQueue(), KaiGroup()}},
      {"armada", {}},  // its pods are those of jobs, or only occupy nodes
      {"yunikorn", {}},
      {"koordinator", {}},
      {"scheduler-plugins", {}}};
  return around;
}

// A pod that each scheduler takes for its own.
ObjectJson Waiting(const Importer& importer) {
  ObjectJson pod = PodJson("p", ObjectJson::object(), "g");
  pod["metadata"]["annotations"]["pod-group-name"] = "g";
  pod["metadata"]["annotations"]["kueue.x-k8s.io/workload"] = "w";
  pod["metadata"]["labels"] = {{"applicationId", "app"}, {"kueue.x-k8s.io/podset", "main"}};
  if (importer.name == "yunikorn") pod["spec"]["schedulerName"] = "yunikorn";
  if (!importer.schedulers.empty()) pod["spec"]["schedulerName"] = importer.schedulers[0];
  return pod;
}

bool ReadsPods(const Importer& importer) {
  return std::ranges::any_of(importer.kinds,
                             [](const KindRule& rule) { return rule.kind == "Pod"; });
}

// The import of a node, a pod and what it needs, and the plan that follows.
std::pair<Import, std::string> PlanWith(const Importer& importer, const ObjectJson& pod) {
  const std::string name(importer.name);
  std::vector<ObjectJson> objects = Around().at(name);
  objects.insert(objects.begin(), NodeJson());
  objects.push_back(pod);
  std::pair<Import, std::string> out{Imported(objects, {.profile = name}), ""};
  Cluster cluster;
  EXPECT_TRUE(Fill(out.first.scenario, &cluster).ok());
  // Kueue admits, and leaves nodes to another scheduler.
  const absl::StatusOr<Plan> plan = cluster.Schedule(
      absl::StrCat(out.first.scenario.profile, name == "kueue" ? ":+allocate" : ""));
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (plan.ok()) out.second = plan->ToText();
  return out;
}

// Kubernetes lists a pod that is deleted until its grace period is over. One without a node never
// gets one.
TEST(Readers, PodsThatEndWithoutANodeAreLeftOut) {
  for (const Importer* importer : Importers()) {
    if (!ReadsPods(*importer)) continue;
    SCOPED_TRACE(importer->name);
    const ObjectJson pod = Waiting(*importer);
    const bool takes_it = importer->name != "armada";
    if (takes_it) {
      EXPECT_THAT(PlanWith(*importer, pod).second, HasSubstr("bind ns/p to n1"));
    }
    const auto [import, plan] =
        PlanWith(*importer, With(pod, "/metadata/deletionTimestamp", "2026-01-01T00:00:00Z"));
    EXPECT_THAT(plan, Not(HasSubstr("ns/p")));
    for (const TaskSpec& task : import.scenario.cluster.tasks) EXPECT_NE(task.name, "ns/p");
    if (takes_it) {
      EXPECT_THAT(Lines(import), Contains("Pod ns/p: metadata.deletionTimestamp: the pod is ending "
                                          "without ever having had a node"));
    }
  }
}

TEST(Readers, PodsThatEndOnANodeHoldIt) {
  for (const Importer* importer : Importers()) {
    if (!ReadsPods(*importer)) continue;
    SCOPED_TRACE(importer->name);
    ObjectJson pod =
        With(Waiting(*importer), "/metadata/deletionTimestamp", "2026-01-01T00:00:00Z");
    pod["spec"]["nodeName"] = "n1";
    pod["status"]["phase"] = "Running";
    const Import import = PlanWith(*importer, pod).first;
    ASSERT_EQ(import.scenario.cluster.tasks.size(), 1u);
    EXPECT_EQ(import.scenario.cluster.tasks[0].status, TaskStatus::kReleasing);
  }
}

// A bind that is under way is a node.
TEST(Readers, APodThatEndsWhileItIsBoundHoldsItsNode) {
  const Import import =
      Imported({NodeJson(), KaiQueue(), KaiGroup(),
                With(With(PodJson("p"), "/metadata/annotations/pod-group-name", "g"),
                     "/metadata/deletionTimestamp", "2026-01-01T00:00:00Z"),
                With(Object("scheduling.run.ai/v1alpha2", "BindRequest", "p",
                            {{"podName", "p"}, {"selectedNode", "n1"}}),
                     "/metadata/namespace", "ns")},
               {.profile = "kai"});
  ASSERT_EQ(import.scenario.cluster.tasks.size(), 1u);
  EXPECT_EQ(import.scenario.cluster.tasks[0].node, "n1");
  EXPECT_EQ(import.scenario.cluster.tasks[0].status, TaskStatus::kReleasing);
}

// A place where an importer reads a duration or a time.
struct Place {
  std::string profile;
  std::vector<ObjectJson> objects;
  std::string pointer;  // in the last object
  std::string words;    // what the entry or refusal names
  std::string configuration = {};
};

std::vector<Place> Places() {
  const std::string koordinator = "scheduling.koordinator.sh/v1alpha1";
  const ObjectJson pod = PodJson("p");
  ObjectJson runs = With(PodJson("p"), "/spec/nodeName", "n1");
  runs["status"]["conditions"] = {{{"type", "PodScheduled"},
                                   {"status", "True"},
                                   {"lastTransitionTime", "2026-01-01T00:00:00Z"}}};
  runs["metadata"]["labels"] = ObjectJson::object();
  const ObjectJson reservation =
      Object(koordinator, "Reservation", "r",
             {{"template", {{"spec", {{"containers", {ContainerJson()}}}}}},
              {"owners", {{{"labelSelector", ObjectJson::object()}}}}});
  ObjectJson metric = Object("slo.koordinator.sh/v1alpha1", "NodeMetric", "n1");
  metric["status"] = {{"updateTime", "2026-01-01T00:00:00Z"},
                      {"nodeMetric", {{"aggregatedNodeUsages", {{{"duration", "5m"}}}}}}};
  ObjectJson gang = With(GroupJson("g"), "/apiVersion", "scheduling.sigs.k8s.io/v1alpha1");
  const std::string stamp = "/metadata/annotations/kai.scheduler~1";
  return {{"kai", {KaiQueue()}, "/spec/preemptMinRuntime", "preemptMinRuntime"},
          {"kai", {KaiQueue()}, "/spec/reclaimMinRuntime", "reclaimMinRuntime"},
          {"kai", {KaiQueue(), KaiGroup()}, "/spec/preemptionDelay", "preemptionDelay"},
          {"kai", {KaiQueue(), KaiGroup()}, "/spec/stalenessGracePeriod", "stalenessGracePeriod"},
          {"kai", {KaiQueue(), KaiGroup()}, stamp + "last-start-timestamp", "last-start-timestamp"},
          {"kai",
           {KaiQueue(), KaiGroup()},
           stamp + "stale-podgroup-timestamp",
           "stale-podgroup-timestamp"},
          {"kai",
           {KaiQueue(), KaiGroup()},
           stamp + "last-eviction-timestamp",
           "last-eviction-timestamp"},
          {"volcano",
           {QueueJson(), GroupJson()},
           "/metadata/annotations/volcano.sh~1sla-waiting-time",
           "sla-waiting-time"},
          {"volcano",
           {QueueJson(), GroupJson()},
           "/metadata/annotations/sla-waiting-time",
           "sla-waiting-time"},
          {"volcano",
           {NodeJson(), QueueJson(), GroupJson(), runs},
           "/metadata/annotations/volcano.sh~1cooldown-time",
           "metadata.annotations[\"volcano.sh/cooldown-time\"]"},
          {"volcano",
           {NodeJson(), QueueJson(), GroupJson(), runs},
           "/metadata/labels/volcano.sh~1cooldown-time",
           "metadata.labels[\"volcano.sh/cooldown-time\"]"},
          {"koordinator", {reservation}, "/spec/ttl", "spec.ttl"},
          {"koordinator",
           {NodeJson(), metric},
           "/status/nodeMetric/aggregatedNodeUsages/0/duration",
           "aggregatedNodeUsages[0]"},
          {"koordinator",
           {gang},
           "/metadata/annotations/gang.scheduling.koordinator.sh~1waiting-time",
           "waiting-time"}};
}

// The report and the refusal.
std::string WordsOf(const std::vector<ObjectJson>& objects, const ImportOptions& options) {
  const absl::StatusOr<Import> import = TryImport(objects, options);
  if (!import.ok()) return std::string(import.status().message());
  std::string words;
  for (const ImportEntry& entry : import->report) absl::StrAppend(&words, Describe(entry), "\n");
  return words;
}

TEST(Readers, DurationsAndTimesThatCannotBeReadAreNamed) {
  for (Place place : Places()) {
    for (const std::string text : {"5d", "junk", "12", "10000000000000000000h"}) {
      ObjectJson& last = place.objects.back();
      last[ObjectJson::json_pointer(place.pointer)] = text;
      const std::string words = WordsOf(place.objects, {.profile = place.profile});
      EXPECT_THAT(words, HasSubstr(place.words)) << place.profile << place.pointer << " " << text;
      if (place.words != "aggregatedNodeUsages[0]") {
        EXPECT_THAT(words, HasSubstr(absl::StrCat("\"", text, "\""))) << place.pointer;
      }
    }
  }
}

TEST(Readers, DurationsOfConfigurationsThatCannotBeReadAreNamed) {
  for (const char* text : {"5d", "junk", "12", "10000000000000000000h", "-5m", "0s"}) {
    const std::string sla = absl::StrCat(
        R"({"tiers": [{"plugins": [{"name": "sla", "arguments": {"sla-waiting-time": ")", text,
        R"("}}]}]})");
    EXPECT_THAT(WordsOf({}, {.profile = "volcano", .configuration = sla}),
                HasSubstr(absl::StrCat("\"", text, "\" is no duration of a second or more")));
    for (const char* key :
         {"preemption.delay", "application.unschedasks.backoff.delay", "quota.preemption.delay"}) {
      const std::string delay = absl::StrCat(
          R"({"partitions": [{"name": "default", "queues": [{"name": "root", "queues": [
                {"name": "a", "properties": {")",
          key, "\": \"", text, R"("}}]}]}]})");
      EXPECT_THAT(WordsOf({}, {.profile = "yunikorn", .configuration = delay}),
                  HasSubstr(absl::StrCat("\"", text, "\" is no duration above 0")))
          << key;
    }
  }
}

TEST(Readers, AGraceBelow0NeverEnds) {
  const auto grace = [](const std::string& text) {
    return Imported({KaiQueue(), KaiGroup({{"stalenessGracePeriod", text}})}, {.profile = "kai"})
        .scenario.cluster.jobs.at(0)
        .gang->staleness_grace;
  };
  EXPECT_EQ(grace("90s"), 90);
  EXPECT_EQ(grace("-1s"), -1);
  EXPECT_EQ(grace("-1ms"), -1);
  EXPECT_THAT(WordsOf({KaiQueue({{"preemptMinRuntime", "-1s"}})}, {.profile = "kai"}),
              HasSubstr("\"-1s\" is no duration of 0 or more"));
}

}  // namespace
}  // namespace muster
