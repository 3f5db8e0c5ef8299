// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kueue's configuration: options of action admit, and how objects are read by it.
#include "lib/import/kueue.h"
#include "tests/import/kueue_objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(KueueConfiguration, FairSharingIsASetting) {
  const auto profile = [](const std::string& configuration) {
    return Imported(World({}), {.configuration = configuration}).scenario.profile;
  };
  EXPECT_EQ(profile(R"({"fairSharing": {"enable": true}, "health": {}})"),
            "kueue:admit(fair_sharing=on)");
  EXPECT_EQ(profile(R"({"fairSharing": {"enable": false}})"), "kueue");
  const Import import = Imported(World({}), {.configuration = R"({"waitForPodsReady": {"a": 1}})"});
  EXPECT_EQ(import.report.size(), 1u);
}

TEST(KueueConfiguration, StrategiesOfFairSharingAreAnOption) {
  const auto profile = [](const std::string& strategies) {
    const absl::StatusOr<Import> import = TryImport(
        World({}),
        {.configuration = R"({"fairSharing": {"preemptionStrategies": )" + strategies + "}}"});
    return import.ok() ? import->scenario.profile : std::string(import.status().message());
  };
  const std::string final = R"("LessThanOrEqualToFinalShare")",
                    initial = R"("LessThanInitialShare")";
  EXPECT_EQ(profile("[]"), "kueue:admit(fair_sharing=on)");
  EXPECT_EQ(profile("[" + final + "," + initial + "]"), "kueue:admit(fair_sharing=on)");
  EXPECT_EQ(profile("[" + final + "]"), "kueue:admit(fair_sharing=on,preemption_strategies=final)");
  EXPECT_EQ(profile("[" + initial + "]"),
            "kueue:admit(fair_sharing=on,preemption_strategies=initial)");
  EXPECT_THAT(profile("[" + initial + "," + final + "]"),
              HasSubstr("fairSharing.preemptionStrategies: must be one strategy, or "
                        "LessThanOrEqualToFinalShare and then LessThanInitialShare"));
  EXPECT_THAT(profile(R"(["Least"])"), HasSubstr("\"Least\" is no strategy"));
}

TEST(KueueConfiguration, ResourcesWithoutQuotaMayBeIgnored) {
  const auto imported = [](const std::string& more) {
    return TryImport(World({WorkloadJson("w", 1, "1")}),
                     {.configuration = R"({"resources": {"quotaCheckStrategy": )" + more});
  };
  EXPECT_EQ(imported(R"("BlockUndeclared"}})")->scenario.profile, "kueue");
  EXPECT_EQ(imported(R"("IgnoreUndeclared"}})")->scenario.profile,
            "kueue:admit(quota_check_strategy=ignore_undeclared)");
  EXPECT_EQ(imported(R"("IgnoreUndeclared"}, "featureGates": {"QuotaCheckStrategy": false}})")
                ->scenario.profile,
            "kueue");
  EXPECT_THAT(imported(R"("Ignore"}})").status().message(),
              HasSubstr("resources.quotaCheckStrategy: \"Ignore\" is not known"));
  EXPECT_THAT(imported(R"("IgnoreUndeclared", "excludeResourcePrefixes": ["example.com/"]}})")
                  .status()
                  .message(),
              HasSubstr("set beside excludeResourcePrefixes; must be one of them"));
}

TEST(KueueConfiguration, ExcludedResourcesAreNotCounted) {
  ObjectJson workload = WorkloadJson("w", 1, "1");
  ObjectJson& requests =
      workload["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"];
  requests["example.com/license"] = "2";
  const auto imported = [&](const std::string& prefix) {
    return Imported(
        World({workload}),
        {.configuration = R"({"resources": {"excludeResourcePrefixes": [")" + prefix + R"("]}})"});
  };
  EXPECT_THAT(imported("example.org/").scenario.cluster.jobs[0].settings, IsEmpty());
  EXPECT_THAT(DecidedUnder(imported("example.org/")), HasSubstr("not admitted"));
  EXPECT_THAT(imported("example.com/").scenario.cluster.jobs[0].settings,
              ElementsAre(Pair("kueue/podset-quota-request/main", "cpu=1")));
  EXPECT_THAT(DecidedUnder(imported("example.com/")), HasSubstr("admit ns/w"));
  requests.erase("cpu");
  EXPECT_THAT(imported("example.com/").scenario.cluster.jobs[0].settings,
              ElementsAre(Pair("kueue/podset-quota-request/main", "example.com/license=0")));
}

TEST(KueueConfiguration, WorkloadsWithPodsThatWereLateGoByEitherTime) {
  ObjectJson workload = WorkloadJson("w", 1, "1");
  workload["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  workload["status"]["conditions"] = {{{"type", "Evicted"},
                                       {"status", "True"},
                                       {"reason", "PodsReadyTimeout"},
                                       {"lastTransitionTime", "2026-01-01T00:00:09Z"}}};
  const auto created = [&](const std::string& timestamp) {
    return Imported(
               World({workload}),
               {.configuration = R"({"waitForPodsReady": {"requeuingStrategy": {"timestamp": )" +
                                 timestamp + "}}}"})
        .scenario.cluster.jobs[0]
        .created;
  };
  EXPECT_EQ(created("\"Eviction\""), 1767225609);
  EXPECT_EQ(created("\"Creation\""), 1767225600);
  EXPECT_THAT(TryImport(World({workload}), {.configuration = R"({"waitForPodsReady": {
      "requeuingStrategy": {"timestamp": "Now"}}})"})
                  .status()
                  .message(),
              HasSubstr("requeuingStrategy.timestamp: \"Now\" is not known"));
}

// A LocalQueue with a weight and what it has consumed.
ObjectJson UsedLocalQueue(const std::string& name, const ObjectJson& weight,
                          const ObjectJson& consumed, const std::string& time) {
  ObjectJson local = KueueObject("LocalQueue", name, {{"clusterQueue", "a"}}, "ns");
  local["spec"]["fairSharing"] = {{"weight", weight}};
  local["status"]["fairSharing"]["admissionFairSharingStatus"] = {{"consumedResources", consumed},
                                                                  {"lastUpdate", time}};
  return local;
}

TEST(KueueConfiguration, AdmissionFairSharingIsReadWhole) {
  const ObjectJson by_usage = {
      {"admissionScope", {{"admissionMode", "UsageBasedAdmissionFairSharing"}}}};
  ObjectJson other = WorkloadJson("w2", 4, "1");
  other["spec"]["queueName"] = "r";
  const Import import =
      Imported({kFlavor, ClusterQueueJson("a", "4", by_usage), WorkloadJson("w1", 4, "1"), other,
                UsedLocalQueue("q", "500m", {{"cpu", "267868033n"}, {"memory", "2Gi"}},
                               "2026-01-01T00:00:00Z"),
                UsedLocalQueue("r", 2, {{"cpu", "300m"}}, "2026-01-01T00:00:05Z")},
               {.configuration = R"({"admissionFairSharing": {"usageHalfLifeTime": "168h",
          "usageSamplingInterval": "1m", "resourceWeights": {"memory": 0, "nvidia.com/gpu": 2.5}},
          "featureGates": {"AdmissionFairSharing": true}})"});
  EXPECT_EQ(import.scenario.profile,
            "kueue:admit(admission_fair_sharing=on,usage_half_life=604800,"
            "usage_sampling_interval=60,usage_weight.memory=0,usage_weight.nvidia.com/gpu=2.5)");
  const QueueSpec& queue = import.scenario.cluster.queues[0];
  EXPECT_TRUE(queue.rules->by_usage);
  EXPECT_THAT(queue.settings, ElementsAre(Pair("kueue/local-queue-weight/ns/q", "0.5"),
                                          Pair("kueue/local-queue-weight/ns/r", "2")));
  EXPECT_EQ(queue.history->as_of, 1767225605);
  ASSERT_EQ(queue.history->entries.size(), 2u);
  EXPECT_EQ(queue.history->entries[0].user, "ns/q");
  EXPECT_EQ(queue.history->entries[0].amounts[0].second.text, "0.267868033");
  EXPECT_EQ(queue.history->entries[0].amounts[1].second.text, "2147483648");
  EXPECT_THAT(import.scenario.cluster.jobs[0].settings,
              ElementsAre(Pair("kueue/local-queue", "ns/q")));
  ASSERT_EQ(import.report.size(), 1u);
  EXPECT_THAT(Describe(import.report[0]), HasSubstr("counts as of the latest update"));
  // 0.268 / 0.5 is more than 0.3 / 2.
  EXPECT_THAT(DecidedUnder(import), HasSubstr("admit ns/w2"));
  EXPECT_THAT(DecidedUnder(import, "kueue"), HasSubstr("admit ns/w1"));
}

TEST(KueueConfiguration, WrongValuesOfAdmissionFairSharingAreRefused) {
  const auto words = [](const ObjectJson& queue, const std::string& configuration) {
    return std::string(
        TryImport({kFlavor, queue}, {.configuration = configuration}).status().message());
  };
  const ObjectJson plain = ClusterQueueJson("a", "1");
  EXPECT_THAT(
      words(ClusterQueueJson("a", "1", {{"admissionScope", {{"admissionMode", "Fair"}}}}), "{}"),
      HasSubstr("spec.admissionScope.admissionMode: \"Fair\" is not known; expected one of "
                "UsageBasedAdmissionFairSharing, NoAdmissionFairSharing"));
  EXPECT_THAT(words(plain, R"({"admissionFairSharing": {"usageHalfLifeTime": "-1s"}})"),
              HasSubstr("admissionFairSharing.usageHalfLifeTime"));
  EXPECT_THAT(words(plain, R"({"admissionFairSharing": {"usageSamplingInterval": "0s"}})"),
              HasSubstr("admissionFairSharing.usageSamplingInterval"));
  EXPECT_THAT(words(plain, R"({"admissionFairSharing": {"resourceWeights": {"cpu": -1}}})"),
              HasSubstr("admissionFairSharing.resourceWeights.cpu"));
  const Import off = Imported({kFlavor, plain}, {.configuration = R"({
      "admissionFairSharing": {}, "featureGates": {"AdmissionFairSharing": false}})"});
  EXPECT_EQ(off.scenario.profile, "kueue");
  EXPECT_EQ(off.report.size(), 1u);
}

TEST(KueueConfiguration, FeatureGatesAreOptions) {
  const Import import =
      Imported(World({}), {.configuration = R"({"fairSharing": {}, "featureGates": {
                      "FlavorFungibility": false, "TASBalancedPlacement": true,
                      "ConcurrentAdmission": true, "LocalQueueMetrics": false}})"});
  EXPECT_EQ(import.scenario.profile,
            "kueue:admit(fair_sharing=on,flavor_fungibility=off,tas_balanced_placement=on)");
  ASSERT_EQ(import.report.size(), 2u);
  EXPECT_THAT(Describe(import.report[0]),
              HasSubstr("featureGates.ConcurrentAdmission: the gate changes no decision"));
  EXPECT_THAT(Describe(import.report[1]), HasSubstr("featureGates.LocalQueueMetrics"));
  EXPECT_THAT(DecidedUnder(import), Not(HasSubstr("INVALID_ARGUMENT")));
  EXPECT_THAT(
      TryImport(World({}), {.configuration = R"({"featureGates": {"FlavorFungibility": 1}})"})
          .status()
          .message(),
      HasSubstr("featureGates.FlavorFungibility"));
}

TEST(KueueConfiguration, WithoutSortingByPriorityReclaimedWorkloadsGoByThatTime) {
  ObjectJson workload = WorkloadJson("w", 1, "1");
  workload["metadata"]["creationTimestamp"] = "1970-01-01T00:00:05Z";
  workload["status"]["conditions"] = {{{"type", "Preempted"},
                                       {"status", "True"},
                                       {"reason", "InCohortReclaimWhileBorrowing"},
                                       {"lastTransitionTime", "1970-01-01T00:01:00Z"}}};
  EXPECT_EQ(Imported(World({workload}), {}).scenario.cluster.jobs[0].created, 5);
  const Import off =
      Imported(World({workload}),
               {.configuration = R"({"featureGates": {"PrioritySortingWithinCohort": false}})"});
  EXPECT_EQ(off.scenario.cluster.jobs[0].created, 61);
}

TEST(KueueConfiguration, AGateThatIsMisspeltIsNamed) {
  const Import import =
      Imported(World({}), {.configuration = R"({"featureGates": {"FlavorFungability": false}})"});
  EXPECT_EQ(import.scenario.profile, "kueue");
  ASSERT_EQ(import.report.size(), 1u);
  EXPECT_THAT(Describe(import.report[0]),
              HasSubstr("featureGates.FlavorFungability: is no gate of Kueue 0.20, did you mean "
                        "\"FlavorFungibility\"?"));
}

TEST(KueueConfiguration, BoostsOfPrioritiesCountByAGate) {
  ObjectJson workload = WorkloadJson("w", 1, "1");
  workload["metadata"]["annotations"]["kueue.x-k8s.io/priority-boost"] = "-7";
  const auto priority = [&](const std::string& gate) {
    return Imported(World({workload}),
                    {.configuration = R"({"featureGates": {"PriorityBoost": )" + gate + "}}"})
        .scenario.cluster.jobs[0]
        .priority;
  };
  EXPECT_EQ(priority("false"), 0);
  EXPECT_EQ(priority("true"), -7);
  workload["metadata"]["annotations"]["kueue.x-k8s.io/priority-boost"] = "much";
  EXPECT_THAT(TryImport(World({workload}),
                        {.configuration = R"({"featureGates": {"PriorityBoost": true}})"})
                  .status()
                  .message(),
              HasSubstr("\"much\" is no whole number of 32 bits"));
}

}  // namespace
}  // namespace muster
