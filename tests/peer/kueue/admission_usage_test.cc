// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Admission fair sharing: jobs of a queue by what their LocalQueues have used.
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/peer/kueue/profile_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kUsage[] =
    "kueue:admit(admission_fair_sharing=on,usage_half_life=10,usage_sampling_interval=10)";
constexpr char kSlot[] = "kueue-usage";

class KueueUsage : public KueueProfile {
 protected:
  void UsageQueue(int nominal, QueueRules rules = {}) {
    rules.by_usage = true;
    Queue("q", nominal, std::move(rules));
  }
  // A job of one task, which came by a LocalQueue.
  void LocalJob(const std::string& name, const std::string& local_queue, int cpu,
                int32_t priority = 0, const Labels& more = {}) {
    JobSpec job{.name = name, .queue = "q", .priority = priority, .min_available = 1};
    job.created = ++clock_;
    job.settings = more;
    if (!local_queue.empty()) job.settings.emplace_back("kueue/local-queue", local_queue);
    AddJob(cluster_, job, 1, {{"cpu", cpu}});
  }
  void UpdateJob(const std::string& name, const Labels& settings) {
    JobSpec job = JobNamed(name);
    job.settings = settings;
    Accept(cluster_.UpdateJob(job));
  }
  // Usage up to `as_of`, in cpu, by LocalQueue.
  void SetHistory(int64_t as_of, const std::vector<std::pair<std::string, Quantity>>& used) {
    for (QueueSpec queue : cluster_.Describe().queues) {
      if (queue.name != "q") continue;
      UsageHistory history{.as_of = as_of};
      for (const auto& [name, cpu] : used) {
        history.entries.push_back({.user = name, .amounts = {{"cpu", cpu}}});
      }
      queue.history = history;
      Accept(cluster_.UpdateQueue(queue));
    }
  }
  // What a plan at the time decides; the cluster follows it.
  std::string At(int64_t now, const std::string& profile = kUsage) {
    ScheduleOptions options;
    options.now = now;
    options.memory = cluster_.memory();
    const absl::StatusOr<Plan> plan = Schedule(cluster_.Freeze(), profile, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return "";
    const absl::StatusOr<Plan> live = cluster_.Schedule(profile, {.now = now});
    EXPECT_EQ(live->Digest(), plan->Digest());
    std::string words;
    for (const Admission& admission : plan->admissions()) {
      words += (words.empty() ? "" : " ") + std::string(plan->job_name(admission.job));
    }
    for (const Eviction& eviction : plan->evictions()) {
      words += " -" + std::string(plan->task_name(eviction.task));
    }
    EXPECT_TRUE(cluster_.Apply(*live).ok());
    return words;
  }
  // The cpu that the memory has for a LocalQueue, in billionths; -1: it has no row.
  int64_t Remembered(const std::string& local_queue) const {
    const MemorySlot* slot = cluster_.memory().Find(kSlot);
    const std::string key = "queue/" + local_queue;
    if (slot == nullptr || slot->Find(key) == nullptr) return -1;
    return slot->Integer(key, 2) * 1'000'000'000 + slot->Integer(key, 3);
  }
  const MemoryRow* PenaltyOf(const std::string& job) const {
    const MemorySlot* slot = cluster_.memory().Find(kSlot);
    return slot == nullptr ? nullptr : slot->Find("job/" + job);
  }
};

TEST_F(KueueUsage, TheLocalQueueThatUsedLessComesFirst) {
  UsageQueue(8);
  LocalJob("a1", "ns/a", 8);
  LocalJob("b1", "ns/b", 8);
  SetHistory(0, {{"ns/a", 8}, {"ns/b", 2}});
  EXPECT_EQ(Decide(cluster_, "kueue"), "admit a1");
  EXPECT_EQ(Decide(cluster_, kUsage), "admit b1");
}

TEST_F(KueueUsage, OfAQueueThatDoesNotGoByUsageNothingIsCounted) {
  Queue("q", 8);
  LocalJob("a1", "ns/a", 8);
  LocalJob("b1", "ns/b", 8);
  SetHistory(0, {{"ns/a", 8}});
  EXPECT_EQ(At(0), "a1");
  EXPECT_EQ(Remembered("ns/a"), -1);
}

TEST_F(KueueUsage, UsageComesBeforePriority) {
  UsageQueue(1);
  LocalJob("a1", "ns/a", 1, /*priority=*/9);
  LocalJob("b1", "ns/b", 1);
  SetHistory(0, {{"ns/a", "0.000000001"}});
  EXPECT_EQ(At(0), "b1");
}

TEST_F(KueueUsage, AnAdmissionCountsAtOnce) {
  UsageQueue(3);
  for (const char* job : {"a1", "a2", "a3"}) LocalJob(job, "ns/a", 1);
  for (const char* job : {"b1", "b2"}) LocalJob(job, "ns/b", 1);
  EXPECT_EQ(At(0), "a1 b1 a2");
}

// The penalty is (1 - 0.5^(10/10)) of 4 cpu. After the half-life half of it is left, and half of
// the 4 cpu in use comes to it.
TEST_F(KueueUsage, UsageDecaysFromPlanToPlan) {
  UsageQueue(4);
  LocalJob("a1", "ns/a", 4);
  EXPECT_EQ(At(100), "a1");
  EXPECT_EQ(Remembered("ns/a"), 2'000'000'000);
  // Before the interval of sampling is over nothing is settled.
  EXPECT_EQ(At(109), "");
  EXPECT_EQ(Remembered("ns/a"), 2'000'000'000);
  EXPECT_EQ(At(110), "");
  EXPECT_EQ(Remembered("ns/a"), 3'000'000'000);
  Accept(cluster_.RemoveJob("a1"));
  EXPECT_EQ(At(120), "");
  EXPECT_EQ(Remembered("ns/a"), 1'500'000'000);
  // Nothing that decides is left once the rest rounds to 0.
  EXPECT_EQ(At(120 + 10 * 64), "");
  EXPECT_EQ(Remembered("ns/a"), -1);
}

TEST_F(KueueUsage, WithoutAHalfLifeNothingIsCounted) {
  UsageQueue(3);
  for (const char* job : {"a1", "a2"}) LocalJob(job, "ns/a", 1);
  for (const char* job : {"b1", "b2"}) LocalJob(job, "ns/b", 1);
  EXPECT_EQ(At(0, "kueue:admission_fair_sharing=on"), "a1 a2 b1");
}

TEST_F(KueueUsage, AnAdmissionWaitsForItsChecksWithAPenalty) {
  UsageQueue(8);
  const Labels waits = {{"kueue/admission-check/c", "Pending"}};
  LocalJob("a1", "ns/a", 4, 0, waits);
  LocalJob("b1", "ns/b", 4, 0, waits);
  EXPECT_EQ(At(0), "a1 b1");
  EXPECT_EQ(Remembered("ns/a"), 0);
  ASSERT_NE(PenaltyOf("a1"), nullptr);
  EXPECT_EQ(*PenaltyOf("a1"), (MemoryRow{"ns/a", "cpu", int64_t{2}, int64_t{0}}));
  UpdateJob("a1", {{"kueue/local-queue", "ns/a"}, {"kueue/admission-check/c", "Ready"}});
  Accept(cluster_.RemoveJob("b1"));
  EXPECT_EQ(At(5), "");
  EXPECT_EQ(PenaltyOf("a1"), nullptr);
  EXPECT_EQ(PenaltyOf("b1"), nullptr);
  // What was in use for 5 s counts with 1 - 0.5^(5/10), and the penalty whole.
  EXPECT_NEAR(static_cast<double>(Remembered("ns/a")), 1e9 * (2 + 4 * (1 - 0.70710678)), 100);
}

TEST_F(KueueUsage, UsageIsDividedByTheWeight) {
  UsageQueue(1);
  LocalJob("a1", "ns/a", 1);
  LocalJob("b1", "ns/b", 1);
  SetHistory(0, {{"ns/a", 3}, {"ns/b", 2}});
  EXPECT_EQ(Decide(cluster_, kUsage), "admit b1");
  SetQueueSettings("q", {{"kueue/local-queue-weight/ns/a", "2"}});
  EXPECT_EQ(Decide(cluster_, kUsage), "admit a1");
  SetHistory(0, {});
  SetQueueSettings("q", {{"kueue/local-queue-weight/ns/a", "0"}});
  EXPECT_EQ(Decide(cluster_, kUsage), "admit b1");
}

TEST_F(KueueUsage, ResourcesHaveWeights) {
  UsageQueue(1);
  LocalJob("a1", "ns/a", 1);
  LocalJob("b1", "ns/b", 1);
  SetHistory(0, {{"ns/a", 3}});
  EXPECT_EQ(Decide(cluster_, "kueue:admit(admission_fair_sharing=on)"), "admit b1");
  EXPECT_EQ(Decide(cluster_, "kueue:admit(admission_fair_sharing=on,usage_weight.cpu=0)"),
            "admit a1");
}

TEST_F(KueueUsage, ALaterHistoryReplacesTheMemory) {
  UsageQueue(4);
  LocalJob("a1", "ns/a", 4);
  At(100);
  SetHistory(90, {{"ns/a", 7}});
  At(101);
  EXPECT_EQ(Remembered("ns/a"), 2'000'000'000);
  SetHistory(101, {{"ns/a", 7}});
  At(101);
  EXPECT_EQ(Remembered("ns/a"), 7'000'000'000);
}

TEST_F(KueueUsage, AJobWithoutALocalQueueHasUsedNothing) {
  UsageQueue(1);
  LocalJob("a1", "ns/a", 1);
  LocalJob("alone", "", 1);
  SetHistory(0, {{"ns/a", 1}});
  EXPECT_EQ(At(0), "alone");
}

TEST_F(KueueUsage, TheLocalQueueThatUsedMostGivesItsJobsFirst) {
  QueueRules rules;
  rules.preemption.within_queue = VictimScope::kLowerPriority;
  UsageQueue(2, rules);
  Node();
  LocalJob("a1", "ns/a", 1);
  LocalJob("b1", "ns/b", 1);
  EXPECT_EQ(At(0), "a1 b1");
  testing::Run(cluster_, "a10", "n");
  testing::Run(cluster_, "b10", "n");
  LocalJob("c1", "ns/c", 1, /*priority=*/1);
  EXPECT_EQ(Decide(cluster_, "kueue"), "evict a10 n");
  SetHistory(1, {{"ns/a", 1}, {"ns/b", 9}});
  EXPECT_EQ(At(1), " -b10");
}

TEST_F(KueueUsage, MalformedRowsOfTheMemoryAreSkipped) {
  UsageQueue(1);
  LocalJob("a1", "ns/a", 1);
  const absl::StatusOr<Memory> memory = Memory::Parse(R"({"version": 1, "slots": {"kueue-usage": {
      "version": 1, "generation": 0, "rows": {"queue/ns/b": [5, "cpu", -1, 0], "queue/": [],
      "job/x": [3], "odd": ["cpu"], "queue/ns/c": [0, "cpu", 1, 5, "memory"]}}}})");
  ASSERT_TRUE(memory.ok()) << memory.status();
  cluster_.SetMemory(*memory);
  EXPECT_EQ(At(5), "a1");
  EXPECT_EQ(Remembered("ns/b"), -1);
  EXPECT_EQ(Remembered("ns/c"), 1'000'000'005);
}

TEST_F(KueueUsage, WrongValuesAreRefused) {
  UsageQueue(1);
  const auto words = [&](const std::string& spec) {
    return std::string(cluster_.Schedule(spec).status().message());
  };
  EXPECT_THAT(words("kueue:usage_half_life=-1"), HasSubstr("must be a number from 0 to"));
  EXPECT_THAT(words("kueue:usage_sampling_interval=0"), HasSubstr("must be a number from 1 to"));
  EXPECT_THAT(words("kueue:admit(usage_weight.cpu=-1)"), HasSubstr("must be a number from 0 to"));
  SetHistory(0, {{"ann", 1}});
  EXPECT_EQ(words(kUsage),
            "queue \"q\", history of user \"ann\": must be of a LocalQueue, as NAMESPACE/NAME");
  EXPECT_EQ(words("kueue"), "");
  SetHistory(0, {});
  SetQueueSettings("q", {{"kueue/local-queue-weight/ns/a", "-1"}});
  EXPECT_THAT(words("kueue"), HasSubstr("\"kueue/local-queue-weight/ns/a\": is \"-1\"; must be a "
                                        "number from 0 to"));
  SetQueueSettings("q", {{"kueue/local-queue-weight/a", "1"}});
  EXPECT_THAT(words("kueue"), HasSubstr("must be of a LocalQueue, as NAMESPACE/NAME"));
}

}  // namespace
}  // namespace muster::testing
