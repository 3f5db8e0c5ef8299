// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster with queues of one cohort, for tests of profile kueue.
//
//   Queue("a", 2);
//   Job("j", "a", 2);
//   EXPECT_EQ(Live(), "admit j");   // decided alike by a fresh cluster, and applied
#ifndef MUSTER_TESTS_PEER_KUEUE_PROFILE_FIXTURE_H_
#define MUSTER_TESTS_PEER_KUEUE_PROFILE_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "muster/cluster.h"
#include "muster/schedule.h"
#include "tests/support/plan_words.h"

namespace muster::testing {

class KueueProfile : public ::testing::Test {
 protected:
  void Queue(const std::string& name, int nominal, QueueRules rules = {}) {
    if (!cluster_.Freeze().FindQueue("cohort")) Accept(cluster_.AddQueue({.name = "cohort"}));
    QueueSpec queue{.name = name, .parent = "cohort"};
    rules.groups = {
        {.resources = {"cpu"}, .flavors = {{.flavor = "spot", .nominal = {{"cpu", nominal}}}}}};
    queue.rules = std::move(rules);
    Accept(cluster_.AddQueue(queue));
  }
  // A gang of tasks NAME0, NAME1, ... with one cpu each.
  void Job(const std::string& name, const std::string& queue, int tasks, int32_t priority = 0) {
    JobSpec job{.name = name, .queue = queue, .priority = priority, .min_available = tasks};
    job.created = ++clock_;
    AddJob(cluster_, job, tasks, {{"cpu", 1}});
  }
  void ByCountJob(const std::string& name, int64_t count, int32_t priority = 0,
                  std::optional<int64_t> min_count = {}) {
    JobSpec job{.name = name, .queue = "a", .priority = priority, .min_available = 1};
    job.created = ++clock_;
    job.groups = {{.name = "w",
                   .shape = {.request = {{"cpu", 1}}},
                   .by_count = ByCount{.count = count, .min_count = min_count}}};
    Accept(cluster_.AddJob(job));
  }
  JobSpec JobNamed(const std::string& name) {
    for (const JobSpec& job : cluster_.Describe().jobs) {
      if (job.name == name) return job;
    }
    ADD_FAILURE() << "no job " << name;
    return {};
  }
  void SetJobSettings(const std::string& name, const Labels& settings) {
    JobSpec job = JobNamed(name);
    job.settings = settings;
    Accept(cluster_.UpdateJob(job));
  }
  void SetQueueSettings(const std::string& name, const Labels& settings) {
    for (QueueSpec queue : cluster_.Describe().queues) {
      if (queue.name != name) continue;
      queue.settings = settings;
      Accept(cluster_.UpdateQueue(queue));
    }
  }
  void Node() {
    Accept(cluster_.AddNode({.name = "n", .capacity = {{"cpu", 100}, {"pods", 100}}}));
  }
  std::string Live(const std::string& profile = "kueue") {
    const std::string words = Decide(cluster_, profile);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile);
    EXPECT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<Plan> fresh = Schedule(cluster_.Freeze(), profile);
    EXPECT_EQ(plan->Digest(), fresh->Digest());
    EXPECT_TRUE(cluster_.Apply(*plan).ok());
    return words;
  }
  void SetUp() override { Accept(cluster_.SetFlavor({.name = "spot"})); }

  Cluster cluster_;
  int64_t clock_ = 0;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_PEER_KUEUE_PROFILE_FIXTURE_H_
