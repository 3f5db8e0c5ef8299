// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Armada's queues, jobs and scheduling configuration: what they become, and what a plan decides.
#include "lib/import/armada.h"

#include "muster/schedule.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ObjectJson ArmadaObject(const std::string& kind, const std::string& name, ObjectJson spec,
                        const ObjectJson& annotations = ObjectJson::object()) {
  return {{"apiVersion", "armadaproject.io/v1beta1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ns"}, {"annotations", annotations}}},
          {"spec", std::move(spec)}};
}

ObjectJson ArmadaJob(const std::string& name, const std::string& queue, const std::string& cpu,
                     const ObjectJson& annotations = ObjectJson::object()) {
  const ObjectJson pod = {{"containers", {ContainerJson({{"cpu", cpu}})}}};
  return ArmadaObject("Job", name, {{"queue", queue}, {"priority", 3}, {"podSpec", pod}},
                      annotations);
}

ObjectJson Gang(const std::string& name) {
  return ArmadaJob(name, "a", "1",
                   {{"armadaproject.io/gangId", "g"},
                    {"armadaproject.io/gangCardinality", "2"},
                    {"armadaproject.io/gangNodeUniformityLabel", "zone"}});
}

std::string ArmadaPlan(const Import& import) {
  Cluster cluster;
  const absl::Status filled = Fill(import.scenario, &cluster);
  EXPECT_TRUE(filled.ok()) << filled;
  const absl::StatusOr<Plan> plan = cluster.Schedule(import.scenario.profile);
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

TEST(ArmadaImport, AQueueFileOfArmadactl) {
  const ObjectJson queue = {{"apiVersion", "armadaproject.io/v1beta1"},
                            {"kind", "Queue"},
                            {"name", "a"},
                            {"priorityFactor", 2.5},
                            {"cordoned", true}};
  const Import import = Imported({NodeJson(), queue}, {});
  ASSERT_EQ(import.scenario.cluster.queues.size(), 1u);
  const QueueSpec& read = import.scenario.cluster.queues[0];
  EXPECT_EQ(read.name, "a");
  EXPECT_EQ(read.state, QueueState::kClosed);
  EXPECT_EQ(read.settings, (Labels{{"armada/priority_factor", "2.5"}}));
  EXPECT_TRUE(import.report.empty());
}

TEST(ArmadaImport, OnlyQueuesAreReadWithoutMetadata) {
  const auto read = [](const char* kind, const char* name) {
    return TryImport({NodeJson(),
                      {{"apiVersion", "armadaproject.io/v1beta1"},
                       {"kind", kind},
                       {"name", name},
                       {"cordoned", true}}},
                     {});
  };
  for (const char* kind : {"Executor", "Job"}) {
    EXPECT_EQ(read(kind, "east").status().message(),
              std::string(kind) + ": name: missing; each object has a name");
  }
  const absl::StatusOr<Import> import = read("Queue", "q://a");
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.cluster.queues[0].name, "q://a");
}

TEST(ArmadaImport, QueuesAndJobsBecomeRows) {
  ObjectJson queue = ArmadaObject(
      "Queue", "a",
      {{"priorityFactor", 2.5},
       {"cordoned", true},
       {"resourceLimitsByPriorityClassName",
        {{"armada-default", {{"maximumResourceFraction", {{"cpu", 0.5}, {"memory", 1}}}}}}}});
  ObjectJson runs = ArmadaJob("j1", "b", "1");
  runs["status"] = {{"state", "running"}, {"node", "n1"}, {"started", "1970-01-01T00:00:09Z"}};
  const Import import = Imported({NodeJson(), queue, Gang("g1"), Gang("g2"), runs}, {});
  const ClusterSpec& cluster = import.scenario.cluster;
  EXPECT_EQ(import.scenario.profile, "armada");
  ASSERT_EQ(cluster.queues.size(), 2u);
  EXPECT_EQ(cluster.queues[0].state, QueueState::kClosed);
  EXPECT_EQ(cluster.queues[0].settings,
            (Labels{{"armada/priority_factor", "2.5"},
                    {"armada/class_limits", "armada-default/cpu:0.5+armada-default/memory:1"}}));
  ASSERT_EQ(cluster.jobs.size(), 2u);
  EXPECT_EQ(cluster.jobs[0].name, "a/g");
  EXPECT_EQ(cluster.jobs[0].min_available, 2);
  EXPECT_EQ(cluster.jobs[0].settings, (Labels{{"armada/uniformity", "zone"}}));
  ASSERT_EQ(cluster.tasks.size(), 3u);
  EXPECT_EQ(cluster.tasks[0].priority, -3);
  EXPECT_EQ(cluster.tasks[2].status, TaskStatus::kRunning);
  EXPECT_EQ(cluster.tasks[2].node, "n1");
  EXPECT_EQ(cluster.tasks[2].started, 9);
  EXPECT_THAT(Lines(import),
              ElementsAre("Job ns/j1: spec.queue: queue \"b\" is not in the dump; made"));
}

TEST(ArmadaImport, PodsTellWhereJobsAre) {
  ObjectJson of_job = PodJson("armada-j1-0", {{"nodeName", "n1"}}, "");
  of_job["metadata"]["labels"] = {{"armada_job_id", "j1"}};
  of_job["status"] = {{"phase", "Running"}};
  ObjectJson other = PodJson("daemon", {{"nodeName", "n1"}}, "");
  other["status"] = {{"phase", "Running"}};
  const Import import = Imported({NodeJson(), ArmadaJob("j1", "default", "3"), of_job, other}, {});
  const ClusterSpec& cluster = import.scenario.cluster;
  ASSERT_EQ(cluster.tasks.size(), 2u);
  EXPECT_EQ(cluster.tasks[0].status, TaskStatus::kRunning);
  EXPECT_EQ(cluster.tasks[1].name, "pod:ns/daemon");
  EXPECT_EQ(cluster.tasks[1].job, "");
}

const ObjectJson kConfig = {
    {"scheduling",
     {{"priorityClasses",
       {{"low",
         {{"priority", 10},
          {"preemptible", true},
          {"awayNodeTypes", {{{"priority", 5}, {"wellKnownNodeTypeName", "gpu"}}}},
          {"maximumResourceFractionPerQueue", {{"cpu", 0.5}}}}},
        {"high", {{"priority", 20}}}}},
      {"defaultPriorityClassName", "low"},
      {"wellKnownNodeTypes",
       {{{"name", "gpu"},
         {"taints", {{{"key", "gpu"}, {"value", "*"}, {"effect", "NoSchedule"}}}}}}},
      {"protectedFractionOfFairShare", 0.8},
      {"maximumSchedulingBurst", 7},
      {"indexedResources", {{{"name", "cpu"}, {"resolution", "100m"}}}},
      {"somethingNew", true}}}};

TEST(ArmadaImport, TheConfigurationBecomesOptions) {
  const Import import = Imported({NodeJson(), ArmadaJob("j", "default", "1")},
                                 {.profile = "armada", .configuration = kConfig.dump()});
  EXPECT_EQ(import.scenario.profile,
            "armada:round(burst=7,class_limits=low/cpu:0.5,classes=low:10:preemptible:gpu@5+"
            "high:20,default_class=low,indexed=cpu:100m,node_types=gpu:gpu:*:NoSchedule,"
            "protected=0.8)");
  EXPECT_THAT(Lines(import), ::testing::Contains(HasSubstr("somethingNew: not considered")));
  EXPECT_THAT(ArmadaPlan(import), HasSubstr("bind ns/j to n1"));
}

TEST(ArmadaImport, EachPoolIsARound) {
  const ObjectJson config = {
      {"pools",
       {{{"name", "a"}, {"awayPools", {"b"}}, {"disableUrgencyScheduling", true}},
        {{"name", "b"},
         {"fairsharePreemptionRateLimit", {{"maximumRate", 1}, {"maximumBurst", 2}}}}}}};
  ObjectJson node = NodeJson("nb");
  node["metadata"]["labels"] = {{"armadaproject.io/pool", "b"}};
  const Import import = Imported({NodeJson("n0"), node, ArmadaJob("j", "default", "1")},
                                 {.profile = "armada", .configuration = config.dump()});
  EXPECT_EQ(import.scenario.profile,
            "armada:actions=round(away=a:b,pool=a,urgency=off)+"
            "round(away=a:b,pool=b,preemption_burst=2,preemption_rate=1)");
  EXPECT_THAT(Lines(import), ::testing::Contains(HasSubstr("the node is in no pool")));
  EXPECT_THAT(ArmadaPlan(import), HasSubstr("bind ns/j to nb"));
}

TEST(ArmadaImport, AJobHasItsNamespaceAndMarksInEitherPlace) {
  ObjectJson first = Gang("g1"), second = Gang("g2");
  for (ObjectJson* job : {&first, &second}) {
    (*job)["spec"]["annotations"] = (*job)["metadata"]["annotations"];
    (*job)["spec"]["namespace"] = "team";
    (*job)["metadata"].erase("annotations");
    (*job)["metadata"].erase("namespace");
  }
  ObjectJson bare = ArmadaJob("j", "a", "1");
  bare["metadata"].erase("namespace");
  bare["spec"]["requiredNodeLabels"] = {{"a", "b"}};
  const Import import = Imported({NodeJson(), first, second, bare}, {});
  const ClusterSpec& cluster = import.scenario.cluster;
  ASSERT_EQ(cluster.tasks.size(), 3u);
  EXPECT_EQ(cluster.tasks[0].shape.name_space, "team");
  EXPECT_EQ(cluster.tasks[0].job, "a/g");
  EXPECT_EQ(cluster.tasks[2].shape.name_space, "default");
  EXPECT_THAT(Lines(import), ::testing::Contains("Job j: spec.requiredNodeLabels: not considered"));
  EXPECT_THAT(ArmadaPlan(import), HasSubstr("bind j to n1"));
}

TEST(ArmadaImport, JobsHaveBids) {
  ObjectJson priced = ArmadaJob("p", "default", "1");
  priced["status"] = {{"bid", 2.5}, {"runningBid", 3}};
  const ObjectJson band = ArmadaJob("q", "default", "1", {{"armadaproject.io/priceBand", "A"}});
  const Import import = Imported({NodeJson(), priced, band}, {});
  EXPECT_EQ(import.scenario.cluster.jobs[0].settings,
            (Labels{{"armada/bid", "2.5"}, {"armada/running_bid", "3"}}));
  EXPECT_TRUE(import.scenario.cluster.jobs[1].settings.empty());
  EXPECT_THAT(Lines(import), ::testing::Contains(HasSubstr("the dump has no prices of bands")));
  priced["status"]["bid"] = "much";
  EXPECT_THAT(std::string(TryImport({NodeJson(), priced}, {}).status().message()),
              HasSubstr("Job ns/p: status.bid: expected a number"));
}

TEST(ArmadaImport, ThePoolsOwnRulesBecomeOptions) {
  const ObjectJson config = {
      {"priorityClasses",
       {{"p",
         {{"priority", 1},
          {"preemptible", true},
          {"maximumResourceFractionPerQueue", {{"cpu", 0.5}}},
          {"maximumResourceFractionPerQueueByPool",
           {{"a", {{"cpu", 0.25}}}, {"none", {{"cpu", 0.1}}}}}}}}},
      {"maximumResourceFractionToScheduleByPool", {{"b", {{"cpu", 0.3}}}}},
      {"pools",
       {{{"name", "a"},
         {"shortJobPenaltyCutoff", "5m"},
         {"experimentalOptimiser",
          {{"enabled", true},
           {"interval", "10s"},
           {"timeout", "1s"},
           {"maximumJobsPerRound", 3},
           {"maximumResourceFractionToSchedule", {{"cpu", 0.1}}},
           {"minimumJobSizeToSchedule", {{"cpu", 2}}},
           {"maximumJobSizeToPreempt", {{"memory", "4Gi"}}}}}},
        {{"name", "b"},
         {"dominantResourceFairnessResourcesToConsider", {{{"name", "cpu"}, {"multiplier", 2}}}},
         {"experimentalMarketScheduling", {{"enabled", true}, {"spotPriceCutoff", 0.9}}}}}}};
  const ObjectJson queue =
      ArmadaObject("Queue", "q",
                   {{"resourceLimitsByPriorityClassName",
                     {{"p",
                       {{"maximumResourceFraction", {{"cpu", 1}}},
                        {"maximumResourceFractionByPool",
                         {{"b", {{"maximumResourceFraction", {{"cpu", 0.2}}}}}}}}}}}});
  const Import import =
      Imported({NodeJson("n0"), queue}, {.profile = "armada", .configuration = config.dump()});
  EXPECT_EQ(import.scenario.profile,
            "armada:actions=round(class_limits=p/cpu:0.5+p/cpu:0.25,classes=p:1:preemptible,"
            "optimiser=on,optimiser_gain=0,optimiser_interval=10,optimiser_jobs=3,"
            "optimiser_largest=memory:4Gi,optimiser_limit=cpu:0.1,optimiser_smallest=cpu:2,pool=a,"
            "short_job_cutoff=300)+round(class_limits=p/cpu:0.5,classes=p:1:preemptible,market=on,"
            "pool=b,resources=cpu:2,round_limit=cpu:0.3,spot_cutoff=0.9)");
  EXPECT_EQ(
      import.scenario.cluster.queues[0].settings,
      (Labels{{"armada/class_limits", "p/cpu:1"}, {"armada/pool_class_limits", "b:p/cpu:0.2"}}));
  EXPECT_THAT(Lines(import), ::testing::Contains(HasSubstr("has no such pool")));
  EXPECT_THAT(ArmadaPlan(import), Not(HasSubstr("INVALID")));
}

TEST(ArmadaImport, CordonedExecutorsTakeNoJobs) {
  const ObjectJson east = ArmadaObject("Executor", "east", {{"cordoned", true}, {"nodes", {"n0"}}});
  const ObjectJson west = ArmadaObject("Executor", "west", {{"nodes", {{{"name", "n1"}}}}});
  const Import import =
      Imported({NodeJson("n0"), NodeJson("n1"), east, west, ArmadaJob("j", "default", "1")}, {});
  EXPECT_EQ(import.scenario.profile, "armada:round(cordoned=east)");
  EXPECT_EQ(import.scenario.cluster.nodes[0].settings, (Labels{{"armada/executor", "east"}}));
  EXPECT_EQ(import.scenario.cluster.nodes[1].settings, (Labels{{"armada/executor", "west"}}));
  EXPECT_THAT(ArmadaPlan(import), HasSubstr("bind ns/j to n1"));
  // The only executor has all nodes.
  const ObjectJson only = ArmadaObject("Executor", "only", {{"cordoned", true}});
  EXPECT_THAT(ArmadaPlan(Imported({NodeJson("n0"), only, ArmadaJob("j", "default", "1")}, {})),
              Not(HasSubstr("bind")));
}

TEST(ArmadaImport, NodesOfOtherPoolsAreInNoRound) {
  ObjectJson node = NodeJson("n0");
  node["metadata"]["labels"] = {{"armadaproject.io/pool", "other"}};
  const ObjectJson config = {{"pools", {{{"name", "a"}}}}};
  const Import import = Imported({node, ArmadaJob("j", "default", "1")},
                                 {.profile = "armada", .configuration = config.dump()});
  EXPECT_THAT(Lines(import), ::testing::Contains(HasSubstr("has no pool \"other\", so no round")));
  EXPECT_THAT(ArmadaPlan(import), Not(HasSubstr("bind")));
  ObjectJson second = NodeJson("n1");
  second["metadata"]["labels"] = {{"armadaproject.io/pool", "a"}};
  EXPECT_THAT(Lines(Imported({node, second, ArmadaJob("j", "default", "1")}, {})),
              ::testing::Contains(HasSubstr("pools \"other\" and \"a\" are one")));
}

TEST(ArmadaImport, RefusesAGangOfJobsThatDiffer) {
  const auto refusal = [](const ObjectJson& second) {
    return std::string(TryImport({NodeJson(), Gang("g1"), second}, {}).status().message());
  };
  EXPECT_EQ(refusal(Gang("g2")), "");
  const auto marked = [](const char* key, const char* value) {
    ObjectJson job = Gang("g2");
    job["metadata"]["annotations"][key] = value;
    return job;
  };
  EXPECT_EQ(refusal(marked("armadaproject.io/gangCardinality", "3")),
            "Job ns/g2: metadata.annotations: inconsistent gang cardinality in gang g: expected 2 "
            "but got 3");
  EXPECT_EQ(refusal(marked("armadaproject.io/gangNodeUniformityLabel", "rack")),
            "Job ns/g2: metadata.annotations: inconsistent nodeUniformityLabel in gang g: expected "
            "zone but got rack");
  EXPECT_EQ(refusal(With(Gang("g2"), "/spec/podSpec/priorityClassName", "high")),
            "Job ns/g2: metadata.annotations: inconsistent PriorityClassName in gang g: expected  "
            "but got high");
  EXPECT_THAT(refusal(marked("armadaproject.io/failFast", "false")),
              HasSubstr("may not set fail fast flag (annotation - armadaproject.io/failFast)"));
  EXPECT_THAT(refusal(marked("armadaproject.io/gangId", "")),
              HasSubstr("armadaproject.io/gangId must not be empty"));
}

TEST(ArmadaImport, AGangOfOneIsAJob) {
  ObjectJson lone = Gang("g3");
  lone["metadata"]["annotations"]["armadaproject.io/gangCardinality"] = "1";
  const Import import = Imported({NodeJson(), Gang("g1"), Gang("g2"), lone}, {});
  ASSERT_EQ(import.scenario.cluster.jobs.size(), 2u);
  EXPECT_EQ(import.scenario.cluster.jobs[1].name, "ns/g3");
  EXPECT_EQ(import.scenario.cluster.jobs[1].min_available, JobSpec().min_available);
}

TEST(ArmadaImport, RefusesWhatItCannotRead) {
  const auto refusal = [](const ObjectJson& job) {
    return std::string(TryImport({NodeJson(), job}, {}).status().message());
  };
  EXPECT_EQ(refusal(ArmadaObject("Job", "j", {{"queue", "a"}})),
            "Job ns/j: spec.podSpec: not given; must be the pod of the job");
  EXPECT_EQ(refusal(With(ArmadaJob("j", "a", "1"), "/spec/priority", -1)),
            "Job ns/j: spec.priority: -1 is not in 0..2147483647");
  EXPECT_THAT(refusal(With(ArmadaJob("j", "a", "1"), "/status", ObjectJson{{"state", "odd"}})),
              HasSubstr("status.state: \"odd\" is not known"));
  EXPECT_THAT(refusal(ArmadaJob("j", "a", "1", {{"armadaproject.io/gangId", "g"}})),
              HasSubstr("armadaproject.io/gangCardinality must be a number of 1 or more"));
}

}  // namespace
}  // namespace muster
