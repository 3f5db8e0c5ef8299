// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile pulsar on clusters: what its rows become, what moves, and what is remembered.
#include "lib/peer/pulsar/profile.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "tests/support/plan_words.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kThousand = 1'000, kMega = 1'000'000;

class PulsarProfile : public ::testing::Test {
 protected:
  void Broker(const std::string& name, int cpu, Labels settings = {}, int64_t measured = 0) {
    NodeSpec node{.name = name, .capacity = {{"cpu", 8}, {"pods", 100}}};
    node.usage = NodeUsage{.cpu = cpu, .measured = measured};
    node.settings = std::move(settings);
    Accept(cluster_.AddNode(node));
  }
  void Namespace(const std::string& name, Labels settings = {}) {
    JobSpec job{.name = name};
    job.settings = std::move(settings);
    Accept(cluster_.AddJob(job));
  }
  // On no broker if `broker` is empty.
  void Bundle(const std::string& space, int number, const std::string& broker, int64_t bytes,
              int64_t topics = 1) {
    TaskSpec task{.name = absl::StrCat(space, "/0x", number, "0000000_0x", number + 1, "0000000"),
                  .job = space};
    if (!broker.empty()) {
      task.status = TaskStatus::kRunning;
      task.node = broker;
    }
    task.usage =
        TaskUsage{.amounts = {{"bytes_in", bytes}, {"rate_in", bytes / 1000}, {"topics", topics}}};
    Accept(cluster_.AddTask(task));
  }
  // One that was never measured.
  void NewBundle(const std::string& space, int number, const std::string& broker) {
    TaskSpec task{.name = absl::StrCat(space, "/0x", number, "0000000_0x", number + 1, "0000000"),
                  .job = space};
    if (!broker.empty()) {
      task.status = TaskStatus::kRunning;
      task.node = broker;
    }
    Accept(cluster_.AddTask(task));
  }
  // Bundles by their first digit: "1>b2" is placed or moves, "1/2" splits.
  std::string Cycle(const std::string& profile = "pulsar", int64_t now = 0, bool apply = true) {
    ScheduleOptions options;
    options.now = now;
    const absl::StatusOr<Plan> frozen = Schedule(cluster_.Freeze(), profile, options);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return plan.status().ToString();
    EXPECT_EQ(plan->Digest(), frozen->Digest());
    EXPECT_EQ(plan->memory(), frozen->memory());
    std::string words;
    for (const Decision& d : plan->decisions()) {
      const std::string task(plan->task_name(d.task));
      const std::string digit = task.substr(0, task.find("0000000"));
      const std::string name = digit.substr(digit.rfind('x') + 1);
      if (d.kind == DecisionKind::kSplit) absl::StrAppend(&words, name, "/2 ");
      if (d.kind == DecisionKind::kMove || d.kind == DecisionKind::kBind) {
        absl::StrAppend(&words, name, ">", std::string(plan->node_name(d.node)), " ");
      }
    }
    plan_ = *plan;
    if (apply) EXPECT_TRUE(cluster_.Apply(plan_).ok());
    return words;
  }
  std::string Refusal() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("pulsar");
    return plan.ok() ? "" : std::string(plan.status().message());
  }

  Cluster cluster_;
  Plan plan_;
};

TEST_F(PulsarProfile, ThresholdUnloadsWhatIsAboveTheMean) {
  Broker("b1", 90);
  Broker("b2", 20);
  Namespace("t/n");
  Bundle("t/n", 1, "b1", 40 * kMega);
  Bundle("t/n", 2, "b1", 60 * kMega);
  // The mean is 0.55: 0.9 - 0.55 - 0.1 + 0.05 = 0.3 of 100 MB is 30 MB, and the largest goes first.
  EXPECT_EQ(Cycle(), "2>b2 ");
}

TEST_F(PulsarProfile, ABundleMovesOnceInItsGrace) {
  Broker("b1", 90);
  Broker("b2", 20);
  Namespace("t/n");
  for (const int i : {1, 2, 3}) Bundle("t/n", i, "b1", 60 * kMega);
  const std::string profile = "pulsar:rebalance(grace=100,history=0)";
  EXPECT_EQ(Cycle(profile, 10), "1>b2 ");
  Accept(cluster_.SetTaskStatus("t/n/0x10000000_0x20000000", TaskStatus::kRunning, "b1"));
  EXPECT_EQ(Cycle(profile, 110), "2>b2 ");
  Accept(cluster_.SetTaskStatus("t/n/0x20000000_0x30000000", TaskStatus::kRunning, "b1"));
  EXPECT_EQ(Cycle(profile, 111), "1>b2 ");
}

TEST_F(PulsarProfile, PairsActOnTheSecondRoundOfALargeDifference) {
  Broker("b1", 90);
  Broker("b2", 20);
  Namespace("t/n");
  Bundle("t/n", 1, "b1", 5 * kMega);
  Bundle("t/n", 2, "b1", 60 * kMega);
  const std::string profile = "pulsar:rebalance(shedding=avg,placement=avg)";
  EXPECT_EQ(Cycle(profile), "");
  EXPECT_EQ(Cycle(profile), "1>b2 ");
}

TEST_F(PulsarProfile, TransfersWaitForTheirHits) {
  Broker("b1", 90);
  Broker("b2", 20);
  Namespace("t/n");
  for (const int i : {1, 2, 3, 4}) Bundle("t/n", i, "b1", i * 10 * kMega);
  const std::string profile = "pulsar:rebalance(shedding=transfer,hits=1,split=off)";
  EXPECT_EQ(Cycle(profile), "");
  // Half the lead of 0.7 is 35 of 90: 38.9 of 100 MB, from the smallest bundle on.
  EXPECT_EQ(Cycle(profile), "1>b2 2>b2 ");
}

TEST_F(PulsarProfile, PendingBundlesGoToTheLeastRateAndSpreadByNamespace) {
  Broker("b1", 10);
  Broker("b2", 10);
  Namespace("t/n");
  Namespace("t/m");
  Bundle("t/m", 7, "b1", 9 * kMega);
  for (const int i : {1, 2, 3}) Bundle("t/n", i, "", kMega);
  EXPECT_EQ(Cycle("pulsar:actions=place"), "1>b2 2>b1 3>b2 ");
}

// Each counts as the peer's default on the broker that it goes to, so that the next goes elsewhere.
TEST_F(PulsarProfile, NewBundlesCountBeforeTheirFirstSample) {
  Broker("b1", 10);
  Broker("b2", 10);
  for (const int i : {1, 2, 3, 4}) {
    Namespace(absl::StrCat("t/n", i));
    NewBundle(absl::StrCat("t/n", i), i, "");
  }
  EXPECT_EQ(Cycle("pulsar:actions=place"), "1>b1 2>b2 3>b1 4>b2 ");
}

// One that runs counts for 100 messages a second where it is: more than 99, less than 101.
TEST_F(PulsarProfile, ANewBundleCountsWhereItRuns) {
  for (const auto& [rate, broker] : {std::pair(99, "b2"), std::pair(101, "b1")}) {
    cluster_ = Cluster();
    Broker("b1", 10);
    Broker("b2", 10);
    for (const char* name : {"t/n", "t/m", "t/o"}) Namespace(name);
    NewBundle("t/n", 1, "b1");
    Bundle("t/m", 2, "b2", rate * 1000);
    NewBundle("t/o", 3, "");
    EXPECT_EQ(Cycle("pulsar:actions=place"), absl::StrCat("3>", broker, " "));
  }
}

// Its broker has not reported it. The other one alone is no reason to unload.
TEST_F(PulsarProfile, NoShedderMovesANewBundle) {
  Broker("b1", 90);
  Broker("b2", 20);
  for (const char* name : {"t/n", "t/m"}) Namespace(name);
  NewBundle("t/n", 1, "b1");
  Bundle("t/m", 2, "b1", 60 * kMega);
  EXPECT_EQ(Cycle("pulsar:rebalance(shedding=overload)"), "");
  Bundle("t/m", 3, "b1", 50 * kMega);
  EXPECT_EQ(Cycle("pulsar:rebalance(shedding=overload)"), "2>b2 ");
}

// 210 messages a second and 260 average to 235, below the 240 of the other broker.
TEST_F(PulsarProfile, RatesAreAveragesOverSamples) {
  Broker("b1", 10);
  Broker("b2", 10);
  for (const char* name : {"t/n", "t/m", "t/o"}) Namespace(name);
  Bundle("t/n", 1, "b1", 210 * kThousand);
  Bundle("t/m", 2, "b2", 240 * kThousand);
  EXPECT_EQ(Cycle("pulsar:actions=place"), "");
  const auto measure = [&](int64_t messages, int64_t measured) {
    TaskSpec task{.name = "t/n/0x10000000_0x20000000",
                  .job = "t/n",
                  .status = TaskStatus::kRunning,
                  .node = "b1"};
    task.usage =
        TaskUsage{.amounts = {{"bytes_in", 1}, {"rate_in", messages}}, .measured = measured};
    Accept(cluster_.UpdateTask(task));
  };
  measure(280, 10);
  NewBundle("t/o", 3, "");
  EXPECT_EQ(Cycle("pulsar:actions=place", 10, /*apply=*/false), "3>b2 ");
  measure(260, 10);  // 235
  EXPECT_EQ(Cycle("pulsar:actions=place", 10, /*apply=*/false), "3>b1 ");
  // The same sample again is none; one at another time is.
  EXPECT_EQ(Cycle("pulsar:actions=place", 11), "3>b1 ");
  EXPECT_EQ(Cycle("pulsar:actions=place", 12), "");
  const MemorySlot* const samples = cluster_.memory().Find("pulsar-samples");
  ASSERT_NE(samples, nullptr);
  EXPECT_EQ(samples->Integer("t/n/0x10000000_0x20000000", 5), 2);
  EXPECT_EQ(samples->Real("t/n/0x10000000_0x20000000", 8), 235);
  measure(260, 20);
  EXPECT_EQ(Cycle("pulsar:actions=place", 20), "");
  EXPECT_EQ(cluster_.memory().Find("pulsar-samples")->Integer("t/n/0x10000000_0x20000000", 5), 3);
  Accept(cluster_.RemoveTask("t/n/0x10000000_0x20000000"));
  EXPECT_EQ(Cycle("pulsar:actions=place", 21), "");
  EXPECT_EQ(cluster_.memory().Find("pulsar-samples")->rows().size(), 1u);
}

// A usage with windows has its averages itself.
TEST_F(PulsarProfile, WindowsAreAverages) {
  Broker("b1", 10);
  Broker("b2", 10);
  for (const char* name : {"t/n", "t/m", "t/o"}) Namespace(name);
  Bundle("t/n", 1, "b1", 210 * kThousand);
  Bundle("t/m", 2, "b2", 240 * kThousand);
  TaskSpec task{.name = "t/n/0x10000000_0x20000000",
                .job = "t/n",
                .status = TaskStatus::kRunning,
                .node = "b1"};
  task.usage = TaskUsage{.amounts = {{"rate_in", 210}}};
  task.usage->windows = {{.seconds = 1000, .average = {{"rate_in", 250}}}};
  Accept(cluster_.UpdateTask(task));
  NewBundle("t/o", 3, "");
  EXPECT_EQ(Cycle("pulsar:actions=place"), "3>b2 ");
  EXPECT_EQ(cluster_.memory().Find("pulsar-samples")->rows().size(), 1u);
}

// Bundles of equal traffic share a destination, also in later cycles, until the first of them gets
// another sample.
TEST_F(PulsarProfile, DestinationsAreKept) {
  Broker("b1", 90);
  Broker("b2", 20);
  for (const char* name : {"t/n", "t/m", "t/o"}) Namespace(name);
  Bundle("t/n", 1, "b1", 5 * kMega);
  Bundle("t/n", 2, "b1", 60 * kMega);
  const std::string profile =
      "pulsar:place(placement=avg),rebalance(shedding=avg,placement=avg,high_hits=1)";
  EXPECT_EQ(Cycle(profile), "1>b2 ");
  Bundle("t/m", 3, "", 5 * kMega);
  EXPECT_EQ(Cycle("pulsar:actions=place,place(placement=avg)"), "3>b2 ");
  TaskSpec task{.name = "t/n/0x10000000_0x20000000", .job = "t/n"};
  task.status = TaskStatus::kRunning;
  task.node = "b2";
  task.usage = TaskUsage{.amounts = {{"bytes_in", 1}}, .measured = 10};
  Accept(cluster_.UpdateTask(task));
  Bundle("t/o", 4, "", 5 * kMega);
  EXPECT_EQ(Cycle("pulsar:actions=place,place(placement=avg)"), "4>b1 ");
}

TEST_F(PulsarProfile, TurnsGoOnInTheNextCycle) {
  for (const char* name : {"b1", "b2", "b3"}) Broker(name, 10);
  Namespace("t/n");
  const std::string profile = "pulsar:actions=place,place(placement=round_robin,even=off)";
  Bundle("t/n", 1, "", kMega);
  EXPECT_EQ(Cycle(profile), "1>b1 ");
  Bundle("t/n", 2, "", kMega);
  Bundle("t/n", 3, "", kMega);
  EXPECT_EQ(Cycle(profile), "2>b2 3>b3 ");
}

TEST_F(PulsarProfile, AntiAffinityAndExclusion) {
  Broker("b1", 80);
  Broker("b2", 20);
  Namespace("t/n", {{"pulsar/anti_affinity_group", "g"}});
  Namespace("t/m", {{"pulsar/anti_affinity_group", "g"}});
  Namespace("t/x", {{"pulsar/excluded", "true"}});
  Bundle("t/n", 1, "b2", kMega);
  Bundle("t/m", 2, "", kMega);
  Bundle("t/x", 3, "b1", 90 * kMega);
  Bundle("t/x", 4, "b1", 90 * kMega);
  EXPECT_EQ(Cycle(), "2>b1 ");
}

TEST_F(PulsarProfile, LargeBundlesSplit) {
  Broker("b1", 20);
  Namespace("t/n");
  Bundle("t/n", 1, "b1", kMega, 1001);
  Bundle("t/n", 2, "b1", kMega, 1000);
  EXPECT_EQ(Cycle(), "1/2 ");
  EXPECT_EQ(Cycle("pulsar:rebalance(split=off)"), "");
}

// The extensible manager waits for hits, and splits so many in a round.
TEST_F(PulsarProfile, TransfersSplitAfterTheirHitsAndAFewAtATime) {
  Broker("b1", 20);
  Namespace("t/n");
  for (const int i : {1, 2, 3}) Bundle("t/n", i, "b1", kMega, 1001);
  const std::string profile = "pulsar:rebalance(shedding=transfer,split_hits=1,most_splits=2)";
  EXPECT_EQ(Cycle(profile), "");
  EXPECT_EQ(Cycle(profile), "1/2 2/2 ");
}

TEST_F(PulsarProfile, TransfersSplitInTheFourthRoundByDefault) {
  Broker("b1", 20);
  Namespace("t/n");
  Bundle("t/n", 1, "b1", kMega, 1001);
  const std::string profile = "pulsar:rebalance(shedding=transfer)";
  for (int round = 0; round < 3; ++round) EXPECT_EQ(Cycle(profile), "");
  EXPECT_EQ(Cycle(profile), "1/2 ");
}

// A name without a range of hashes has no parts.
TEST_F(PulsarProfile, OnlyARangeSplits) {
  Broker("b1", 10);
  Namespace("t/n");
  for (const char* name : {"t/n/", "t/n/0xff_0x0", "t/n/0x-5_0xff", "t/n/0x5_0x6", "t/n/x"}) {
    TaskSpec task{.name = name, .job = "t/n", .status = TaskStatus::kRunning, .node = "b1"};
    task.usage = TaskUsage{.amounts = {{"topics", 5'000}}};
    Accept(cluster_.AddTask(task));
  }
  Bundle("t/n", 3, "b1", 0, 5'000);
  EXPECT_EQ(Cycle(), "3/2 ");
}

TEST_F(PulsarProfile, ABundleWithoutABrokerHasThePeersReason) {
  Namespace("t/n");
  Bundle("t/n", 1, "", kMega);
  EXPECT_EQ(Cycle(), "");
  EXPECT_THAT(plan_.ToText(), HasSubstr("no broker is available for the bundle"));
}

TEST_F(PulsarProfile, WrongSettingsRefuseTheCycle) {
  Broker("b1", 20, {{"pulsar/bandwidth_in", "70"}});
  EXPECT_THAT(Refusal(), HasSubstr("node \"b1\", setting \"pulsar/bandwidth_in\": "));
  EXPECT_THAT(Refusal(), HasSubstr("must be USED/LIMIT"));
  Accept(cluster_.RemoveNode("b1"));
  Namespace("t/n", {{"pulsar/exclude", "true"}});
  EXPECT_THAT(Refusal(), HasSubstr("did you mean \"excluded\"?"));
}

// The decisions but phases, which follow when a plan closes.
std::vector<Decision> Choices(const Plan& plan) {
  std::vector<Decision> choices(plan.decisions().begin(), plan.decisions().end());
  std::erase_if(choices, [](const Decision& d) { return d.kind == DecisionKind::kPhase; });
  return choices;
}

// Measures nodes and running tasks at random, in steps that make ties.
void Measure(Rng& rng, int64_t now, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    node.ready = true;
    if (rng.Chance(0.9)) {
      node.usage = NodeUsage{.cpu = static_cast<int64_t>(rng.Below(5) * 25), .measured = now};
    }
  }
  for (TaskSpec& task : world->tasks) {
    const auto amount = [&] { return static_cast<int64_t>(rng.Below(4) * 20'000'000); };
    task.usage = TaskUsage{.amounts = {{"bytes_in", amount()},
                                       {"bytes_out", amount()},
                                       {"rate_in", amount() / 10'000},
                                       {"topics", static_cast<int64_t>(rng.Below(4) * 500)}}};
  }
}

TEST(PulsarWorlds, KeepTheInvariantsAndDecideAlikeLivingAndFrozen) {
  int64_t moves = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    Rng rng(seed);
    const std::string profile = kPulsarSpecs[seed % std::size(kPulsarSpecs)];
    ClusterSpec world =
        RandomWorld(seed, {.nodes = 4, .jobs = 12, .between_tasks = false, .extremes = false});
    Measure(rng, 0, &world);
    Cluster cluster = MakeCluster(world);
    for (int64_t cycle = 0; cycle < 3; ++cycle) {
      ScheduleOptions options;
      options.now = cycle * 1000;
      const Snapshot snapshot = cluster.Freeze();
      const absl::StatusOr<Plan> plan = cluster.Schedule(profile, options);
      ASSERT_TRUE(plan.ok()) << plan.status() << AsScenario(world, profile);
      const absl::StatusOr<Plan> frozen = Schedule(snapshot, profile, options);
      ASSERT_EQ(plan->Digest(), frozen->Digest()) << seed << AsScenario(world, profile);
      ASSERT_THAT(Violations(snapshot, *plan, InvariantsOf(profile)), ::testing::IsEmpty())
          << "seed " << seed << AsScenario(world, profile);
      moves += static_cast<int64_t>(plan->moves().size());
      options.turn = NextDecisions{1};
      const absl::StatusOr<Plan> first = Schedule(snapshot, profile, options);
      ASSERT_TRUE(first.ok()) << first.status();
      const std::vector<Decision> head = Choices(*first), all = Choices(*plan);
      ASSERT_LE(head.size(), all.size());
      ASSERT_TRUE(std::equal(head.begin(), head.end(), all.begin()))
          << "seed " << seed << AsScenario(world, profile);
      ASSERT_TRUE(cluster.Apply(*plan).ok());
    }
  }
  EXPECT_GT(moves, 5);
}

}  // namespace
}  // namespace muster::testing
