// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Every rule of what only some rows have: the message names the row and the rule, and nothing
// changes.
#include <gtest/gtest.h>

#include <string>

#include "muster/cluster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

class BadRules : public ::testing::Test {
 protected:
  void Refuses(const absl::Status& status, const std::string& message) {
    EXPECT_EQ(std::string(status.message()), message);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(Dump(cluster_), rows_) << message;
  }
  void RefusesQueue(const QueueSpec& queue, const std::string& rest) {
    Refuses(cluster_.AddQueue(queue), "queue \"q\"" + rest);
    Refuses(cluster_.ApplyDelta({1, queue}).status(), "queue \"q\"" + rest);
  }
  void RefusesRules(const QueueRules& rules, const std::string& rest) {
    RefusesQueue({.name = "q", .rules = rules}, rest);
  }
  void RefusesJob(const JobSpec& job, const std::string& rest) {
    Refuses(cluster_.AddJob(job), "job \"j\"" + rest);
    Refuses(cluster_.ApplyDelta({1, job}).status(), "job \"j\"" + rest);
  }
  void RefusesCount(const ByCount& tasks, const std::string& rest) {
    RefusesJob({.name = "j", .groups = {{.name = "w", .by_count = tasks}}},
               ", group \"w\": by_count, " + rest);
  }
  void RefusesTask(const TaskSpec& task, const std::string& rest) {
    Refuses(cluster_.AddTask(task), "task \"t\"" + rest);
    Refuses(cluster_.ApplyDelta({1, task}).status(), "task \"t\"" + rest);
  }

  Cluster cluster_;
  const std::map<std::string, std::string> rows_ = Dump(cluster_);
};

TEST_F(BadRules, QuotaByFlavor) {
  RefusesRules({.groups = {{}}}, ": a resource group has no resources; must be 1 or more");
  RefusesRules({.groups = {{.resources = {"cpu"}}, {.resources = {"cpu"}}}},
               ", resource \"cpu\": is listed twice");
  RefusesRules({.groups = {{.resources = {"cpu"}, .flavors = {{.flavor = ""}}}}},
               ", flavor \"\": the name is empty");
  RefusesRules({.groups = {{.resources = {"cpu"}, .flavors = {{.flavor = "a"}, {.flavor = "a"}}}}},
               ", flavor \"a\": is listed twice");
  const auto quota = [](const FlavorQuota& one) {
    return QueueRules{.groups = {{.resources = {"cpu"}, .flavors = {one}}}};
  };
  const std::string rule = "is not a resource of its group; must be one of `resources`";
  RefusesRules(quota({.flavor = "a", .nominal = {{"gpu", 1}}}), ", nominal \"gpu\": " + rule);
  RefusesRules(quota({.flavor = "a", .borrow_limit = {{"gpu", 1}}}),
               ", borrow_limit \"gpu\": " + rule);
  RefusesRules(quota({.flavor = "a", .lend_limit = {{"gpu", 1}}}), ", lend_limit \"gpu\": " + rule);
  RefusesRules(quota({.flavor = "a", .nominal = {{"cpu", -1}}}),
               ", nominal \"cpu\": quantity \"-1\": an amount must not be negative");
}

TEST_F(BadRules, SharesAndPreemption) {
  RefusesRules({.fair_weight = "x"},
               ", rules \"fair_weight\": quantity \"x\": an amount must begin with a number");
  RefusesRules({.preemption = {.within_queue = VictimScope::kAny}},
               ": preemption, within_queue is any; must be one of never, lower_priority, "
               "lower_or_newer_equal_priority");
  RefusesRules({.preemption = {.reclaim = VictimScope::kLowerOrNewerEqualPriority}},
               ": preemption, reclaim is lower_or_newer_equal_priority; must be one of never, "
               "lower_priority, any");
  RefusesRules({.preemption = {.while_borrowing = VictimScope::kAny}},
               ": preemption, while_borrowing is any; must be one of never, lower_priority");
  RefusesRules({.preemption = {.delay = -1}}, ": delay is -1; must be 0 or more");
  RefusesRules({.preemption = {.quota_delay = -1}}, ": quota_delay is -1; must be 0 or more");
  RefusesRules({.preemption = {.preempt_min_runtime = -1}},
               ": preempt_min_runtime is -1; must be 0 or more");
  RefusesRules({.preemption = {.reclaim_min_runtime = -2}},
               ": reclaim_min_runtime is -2; must be 0 or more");
  RefusesRules({.checks = {{.name = "c"}, {.name = "c"}}}, ", check \"c\": is listed twice");
  RefusesRules({.checks = {{.name = ""}}}, ", check \"\": the name is empty");
  RefusesRules({.partitions = {{.partition = "p", .capacity = 50, .weight = 1}}},
               ", partition \"p\": has a capacity and a weight; must be one of them");
  RefusesRules({.partitions = {{.partition = "p"}, {.partition = "p"}}},
               ", partition \"p\": is listed twice");
  RefusesRules({.partitions = {{.partition = "p", .capacity = -1}}},
               ", capacity of partition \"p\": quantity \"-1\": an amount must not be negative");
}

TEST_F(BadRules, UsersAndHistory) {
  RefusesQueue({.name = "q", .users = UserRules{.limits = {{.name = ""}}}},
               ", user \"\": the name is empty");
  RefusesQueue({.name = "q", .users = UserRules{.limits = {{.name = "a"}, {.name = "a"}}}},
               ", user \"a\": is listed twice");
  RefusesQueue(
      {.name = "q", .users = UserRules{.limits = {{.name = "a", .group = true, .max_jobs = -1}}}},
      ", group of users \"a\": max_jobs is -1; must be 0 or more");
  EXPECT_TRUE(
      Cluster()
          .AddQueue({.name = "q",
                     .users = UserRules{.limits = {{.name = "a"}, {.name = "a", .group = true}}}})
          .ok());
  RefusesQueue({.name = "q", .history = UsageHistory{.half_life = 0}},
               ": history, half_life is 0; must be 1 or more");
  RefusesQueue({.name = "q", .history = UsageHistory{.entries = {{.user = "a"}, {.user = "a"}}}},
               ", history of user \"a\": is listed twice");
  RefusesQueue({.name = "q", .history = UsageHistory{.entries = {{.user = "a", .factor = -1}}}},
               ", factor of user \"a\": quantity \"-1\": an amount must not be negative");
  RefusesJob({.name = "j", .owner = JobOwner{}}, ", user \"\": the name is empty");
  RefusesJob({.name = "j", .owner = JobOwner{"a", {"g", "g"}}},
             ", group of users \"g\": is listed twice");
}

TEST_F(BadRules, CountsAndAdmissions) {
  RefusesCount({.count = 0}, "count is 0; must be 1 to 134217728");
  RefusesCount({.count = 2, .min_count = 3}, "min_count is 3; must be 0 to 2");
  RefusesCount({.count = 2, .parallelism = 0}, "parallelism is 0; must be 1 or more");
  RefusesCount({.count = 2, .admitted = 3}, "admitted is 3; must be 0 to 2");
  RefusesCount({.count = 2, .admitted = 1, .running = 2}, "running is 2; must be 0 to 1");
  RefusesCount({.count = 2, .failed = -1}, "failed is -1; must be 0 to 134217728");
  RefusesJob({.name = "j", .groups = {{.name = "w", .count = 1, .by_count = ByCount{.count = 1}}}},
             ", group \"w\": count is 1 beside by_count; must be 0");
  const auto admitted = [](GroupAdmission group) {
    return JobSpec{
        .name = "j", .groups = {{.name = "w"}}, .admission = JobAdmission{.groups = {group}}};
  };
  RefusesJob(admitted({.group = "x"}),
             ", admission of group \"x\": does not exist; must be a group of the job");
  RefusesJob(admitted({.group = "w", .count = -1}),
             ", admission of group \"w\": count is -1; must be 0 or more");
  RefusesJob(admitted({.group = "w", .flavors = {{"cpu", "a"}, {"cpu", "b"}}}),
             ", flavor of resource \"cpu\": is listed twice");
  RefusesJob(admitted({.group = "w", .places = {{.values = {}, .count = 1}}}),
             ", place of group \"w\": has 0 values; must have 1 to 16");
  RefusesJob(admitted({.group = "w", .places = {{.values = {"a", "b"}}}}),
             ", place \"a,b\": count is 0; must be 1 to 2147483647");
  RefusesJob(admitted({.group = "w", .places = {{{"a"}, 1}, {{"a"}, 2}}}),
             ", place \"a\": is listed twice");
}

TEST_F(BadRules, UsageAndLifetimes) {
  RefusesTask({.name = "t", .usage = TaskUsage{.windows = {{.seconds = 0}}}},
              ", window \"0\": seconds must be 1 or more");
  RefusesTask({.name = "t", .usage = TaskUsage{.windows = {{.seconds = 5}, {.seconds = 5}}}},
              ", window \"5\": is listed twice");
  RefusesTask({.name = "t", .usage = TaskUsage{.amounts = {{"cpu", "x"}}}},
              ", usage, amounts \"cpu\": quantity \"x\": an amount must begin with a number");
  RefusesTask({.name = "t", .lifetime = Lifetime{.max_runtime = -1}},
              ": lifetime, max_runtime is -1; must be 0 or more");
  RefusesJob({.name = "j", .lifetime = Lifetime{.restart_cost = -1}},
             ": lifetime, restart_cost is -1; must be 0 or more");
  NodeSpec node{.name = "n", .usage = NodeUsage{}};
  node.usage->detail = UsageDetail{.interval = -1};
  Refuses(cluster_.AddNode(node), "node \"n\": usage, interval is -1; must be 0 or more");
}

TEST_F(BadRules, Records) {
  Refuses(cluster_.SetFlavor({}), "flavor \"\": the name is empty");
  Refuses(
      cluster_.SetFlavor({.name = "f", .taints = {{.key = "a", .effect = TaintEffect::kUnset}}}),
      "flavor \"f\", taint \"a\": effect is \"\"; must be one of NoSchedule, "
      "PreferNoSchedule, NoExecute");
  Refuses(cluster_.SetFlavor({.name = "f", .topology = FlavorTopology{.name = "t"}}),
          "flavor \"f\", topology \"t\": has 0 levels; must be 1 to 16");
  Refuses(cluster_.SetFlavor({.name = "f", .topology = FlavorTopology{"t", {"a", "a"}}}),
          "flavor \"f\", topology level \"a\": is listed twice");
  Refuses(cluster_.SetPartition({.name = "p", .nodes = {"n", "n"}}),
          "partition \"p\", node \"n\": is listed twice");
  Refuses(cluster_.SetReservation({.name = "r", .phase = ReservationPhase::kAvailable}),
          "reservation \"r\": phase available needs a node");
  Refuses(cluster_.SetReservation({.name = "r", .node = "n"}),
          "reservation \"r\": phase pending holds no node, but node \"n\" is given");
  Refuses(cluster_.SetReservation({.name = "r", .shape = {.request = {{"cpu", -1}}}}),
          "reservation \"r\", request \"cpu\": quantity \"-1\": an amount must not be negative");
  Refuses(cluster_.SetReservation({.name = "r", .order = -1}),
          "reservation \"r\": order is -1; must be 0 or more");
  Refuses(cluster_.SetReservation({.name = "r", .holders = {""}}),
          "reservation \"r\", holder \"\": the name is empty");
}

}  // namespace
}  // namespace muster
