// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's configuration and pods: what they become, and what is refused.
#include "lib/import/yunikorn.h"

#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kFile[] = R"({"partitions": [{"name": "default",
  "nodesortpolicy": {"type": "binpacking", "resourceweights": {"vcore": 2}},
  "placementrules": [{"name": "provided"}, {"name": "tag", "value": "namespace", "create": true}],
  "queues": [{"name": "root", "submitacl": "*",
    "properties": {"preemption.policy": "disabled", "application.sort.policy": "fair"},
    "childtemplate": {"maxapplications": 7, "resources": {"max": {"vcore": "2"}}},
    "queues": [{"name": "ETL", "resources": {"guaranteed": {"vcore": "500m"}, "max": {"vcore": 4}},
      "limits": [{"limit": "ann", "users": ["ann"], "maxresources": {"vcore": "3"}}]}]}]}]})";

ObjectJson YuniKornPod(const std::string& name, const std::string& app,
                       const ObjectJson& annotations = ObjectJson::object(),
                       const std::string& node = "", int second = 0) {
  ObjectJson pod = PodJson(name, {{"schedulerName", "yunikorn"}}, "");
  pod["metadata"]["labels"] = {{"applicationId", app}};
  pod["metadata"]["annotations"] = annotations;
  pod["metadata"]["creationTimestamp"] = absl::StrCat("2026-01-01T00:00:0", second, "Z");
  if (node.empty()) return pod;
  pod["spec"]["nodeName"] = node;
  pod["status"]["phase"] = "Running";
  return pod;
}

Import FromFile(const std::vector<ObjectJson>& objects, const std::string& file = kFile) {
  return Imported(objects, {.profile = "yunikorn", .configuration = file});
}

const QueueSpec& QueueNamed(const Import& import, const std::string& name) {
  for (const QueueSpec& queue : import.scenario.cluster.queues) {
    if (queue.name == name) return queue;
  }
  ADD_FAILURE() << "no queue " << name;
  static const QueueSpec none;
  return none;
}

ObjectJson NamespaceOf(const std::string& name, const ObjectJson& annotations) {
  return {{"apiVersion", "v1"},
          {"kind", "Namespace"},
          {"metadata", {{"name", name}, {"annotations", annotations}}}};
}

std::string FileRefusal(const std::string& file) {
  return std::string(
      TryImport({NodeJson()}, {.profile = "yunikorn", .configuration = file}).status().message());
}

TEST(YuniKornImport, NamespacesHaveQuotasForTheQueuesThatAreMadeForThem) {
  const ObjectJson quota = NamespaceOf(
      "ns", {{"yunikorn.apache.org/namespace.quota", R"({"cpu": "1500m", "memory": "2Gi"})"},
             {"yunikorn.apache.org/namespace.guaranteed", R"({"cpu": 1})"},
             {"yunikorn.apache.org/namespace.maxApps", "3"}});
  const Import import =
      Imported({NodeJson(), quota, YuniKornPod("p", "app")}, {.profile = "yunikorn"});
  const QueueSpec& queue = QueueNamed(import, "root.ns");
  EXPECT_EQ(Words(*queue.limit), Words(Resources{{"cpu", "1500m"}, {"memory", "2147483648"}}));
  EXPECT_EQ(Words(*queue.guaranteed), Words(Resources{{"cpu", "1000m"}}));
  EXPECT_THAT(queue.settings, ::testing::Contains(Pair("yunikorn/maxapplications", "3")));
  // The older form, and a text that is no quantity.
  const ObjectJson older = NamespaceOf("ns", {{"yunikorn.apache.org/namespace.max.cpu", "2"}});
  const Import second =
      Imported({NodeJson(), older, YuniKornPod("p", "app")}, {.profile = "yunikorn"});
  EXPECT_EQ(Words(*QueueNamed(second, "root.ns").limit), Words(Resources{{"cpu", "2000m"}}));
  const ObjectJson wrong =
      NamespaceOf("ns", {{"yunikorn.apache.org/namespace.quota", R"({"cpu": "much"})"}});
  EXPECT_THAT(
      std::string(TryImport({NodeJson(), wrong, YuniKornPod("p", "app")}, {.profile = "yunikorn"})
                      .status()
                      .message()),
      HasSubstr("namespace.quota: \"much\" is no quantity"));
}

TEST(YuniKornImport, QueuesKeepWhatTheFileSays) {
  const Import import = FromFile({NodeJson()});
  EXPECT_EQ(import.scenario.profile, "yunikorn:schedule(node_sort=binpacking,weight.cpu=2)");
  const QueueSpec& etl = QueueNamed(import, "root.etl");
  EXPECT_EQ(etl.parent, "root");
  EXPECT_EQ(Words(*etl.guaranteed), "cpu=500m");
  EXPECT_EQ(Words(*etl.limit), "cpu=4000m");
  EXPECT_EQ(Words(*etl.users->limits.at(0).limit), "cpu=3000m");
  EXPECT_THAT(etl.settings, ElementsAre(Pair("yunikorn/application.sort.policy", "fair"),
                                        Pair("yunikorn/preemption.policy", "disabled")));
  EXPECT_THAT(import.report, IsEmpty());
}

TEST(YuniKornImport, RulesPlaceApplicationsAndMakeQueues) {
  const Import import = FromFile({NodeJson(), YuniKornPod("p", "a")});
  EXPECT_EQ(import.scenario.cluster.jobs.at(0).queue, "root.ns");
  const QueueSpec& made = QueueNamed(import, "root.ns");
  EXPECT_EQ(Words(*made.limit), "cpu=2000m");
  EXPECT_THAT(made.settings, ::testing::Contains(Pair("yunikorn/maxapplications", "7")));
  Cluster cluster;
  ASSERT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->binds().size(), 1u);
}

TEST(YuniKornImport, PodsNameQueueAndUser) {
  const Import import = FromFile(
      {NodeJson(),
       YuniKornPod("p", "a",
                   {{"yunikorn.apache.org/queue", "root.etl"},
                    {"yunikorn.apache.org/user.info", R"({"user": "ann", "groups": ["dev"]})"}})});
  const JobSpec& job = import.scenario.cluster.jobs.at(0);
  EXPECT_EQ(job.queue, "root.etl");
  EXPECT_EQ(job.owner->user, "ann");
  EXPECT_THAT(job.owner->groups, ElementsAre("dev"));
}

TEST(YuniKornImport, PlaceholdersAreWhereTheirPodsWait) {
  const ObjectJson groups = {
      {"yunikorn.apache.org/task-groups", R"([{"name": "w", "minMember": 2}])"},
      {"yunikorn.apache.org/schedulingPolicyParameters",
       "placeholderTimeoutInSeconds=30 gangSchedulingStyle=Hard x=y"}};
  const ObjectJson worker = {{"yunikorn.apache.org/task-group-name", "w"}};
  ObjectJson placeholder = worker;
  placeholder["yunikorn.apache.org/placeholder"] = "true";
  const Import import =
      FromFile({NodeJson(), YuniKornPod("driver", "a", groups, "n1", 0),
                YuniKornPod("hold", "a", placeholder, "n1", 1),
                YuniKornPod("w0", "a", worker, "", 2), YuniKornPod("w1", "a", worker, "", 3)});
  const JobSpec& job = import.scenario.cluster.jobs.at(0);
  EXPECT_EQ(job.groups.at(0).min_available, 2);
  EXPECT_THAT(job.settings, ElementsAre(Pair("yunikorn/originator", ""),
                                        Pair("yunikorn/placeholderTimeoutInSeconds", "30"),
                                        Pair("yunikorn/gangSchedulingStyle", "Hard")));
  const std::vector<TaskSpec>& tasks = import.scenario.cluster.tasks;
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[1].name, "ns/w0");
  EXPECT_EQ(tasks[1].status, TaskStatus::kWaiting);
  EXPECT_EQ(tasks[1].node, "n1");
  EXPECT_EQ(tasks[2].status, TaskStatus::kPending);
  EXPECT_THAT(Lines(import), ElementsAre(HasSubstr("\"x=y\" is not read")));
}

TEST(YuniKornImport, APlaceholderWithoutItsGangOnlyOccupies) {
  for (const ObjectJson& group :
       {ObjectJson::object(), ObjectJson{{"yunikorn.apache.org/task-group-name", "w"}}}) {
    ObjectJson placeholder = group;
    placeholder["yunikorn.apache.org/placeholder"] = "true";
    const Import import = FromFile({NodeJson(), YuniKornPod("hold", "a", placeholder, "n1", 1),
                                    YuniKornPod("w0", "a", group, "", 2)});
    const std::vector<TaskSpec>& tasks = import.scenario.cluster.tasks;
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_EQ(tasks[0].name, "ns/hold");
    EXPECT_EQ(tasks[0].job, "");
    EXPECT_EQ(tasks[1].name, "ns/w0");
    EXPECT_EQ(tasks[1].status, TaskStatus::kPending);  // no place is kept for it
    EXPECT_THAT(Lines(import), ElementsAre(HasSubstr("task group that no pod")));
  }
}

TEST(YuniKornImport, APlaceholderWithoutItsGangAndWithoutANodeIsLeftOut) {
  const Import import = FromFile(
      {NodeJson(), YuniKornPod("hold", "a", {{"yunikorn.apache.org/placeholder", "true"}}, "", 1),
       YuniKornPod("w0", "a", ObjectJson::object(), "", 2)});
  ASSERT_EQ(import.scenario.cluster.tasks.size(), 1u);
  EXPECT_EQ(import.scenario.cluster.tasks[0].name, "ns/w0");
  ASSERT_FALSE(import.report.empty());
  EXPECT_EQ(import.report[0].severity, ImportSeverity::kLeftOut);
  EXPECT_EQ(Describe(import.report[0]),
            "Pod ns/hold: a placeholder of a task group that no pod of its application defines");
}

TEST(YuniKornImport, WithoutAFileEachNamespaceHasAQueue) {
  const Import import = Imported({NodeJson(), YuniKornPod("p", "a")}, {.profile = "yunikorn"});
  EXPECT_EQ(import.scenario.cluster.jobs.at(0).queue, "root.ns");
  EXPECT_EQ(import.scenario.profile, "yunikorn");
}

TEST(YuniKornImport, NamesWhatIsRejected) {
  const std::string file =
      R"({"partitions": [{"queues": [{"name": "root", "queues": [{"name": "a"}]}]}]})";
  const Import import =
      FromFile({NodeJson(), YuniKornPod("p", "x", {{"yunikorn.apache.org/queue", "root.b"}}),
                YuniKornPod("runs", "x", {}, "n1")},
               file);
  EXPECT_THAT(import.scenario.cluster.jobs, IsEmpty());
  EXPECT_EQ(import.scenario.cluster.tasks.at(0).name, "ns/runs");
  EXPECT_THAT(Lines(import), ::testing::Contains(HasSubstr("no placement rule matched")));
}

TEST(YuniKornImport, RefusesFilesThatThePeerRefuses) {
  EXPECT_EQ(FileRefusal(R"({"partitions": [{"queues": [{"name": "a b"}]}]})"),
            "scheduler configuration: partitions[0]: queue root: \"a b\" is no name of a child");
  EXPECT_THAT(FileRefusal(R"({"partitions": []})"), HasSubstr("partitions: has no entry"));
  EXPECT_THAT(FileRefusal(R"({"partitions": [{"queues": [{"name": "a",
                "resources": {"max": {"vcore": "1x"}}}]}]})"),
              HasSubstr("quantity \"1x\""));
  EXPECT_THAT(
      FileRefusal(R"({"partitions": [{"queues": [{"name": "a", "maxapplications": -1}]}]})"),
      HasSubstr("-1 is below 0"));
}

}  // namespace
}  // namespace muster
