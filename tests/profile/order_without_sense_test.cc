// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies with comparisons that are no order. muster/policy/order.h promises some order, and never
// a crash.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/profile/profile.h"
#include "muster/muster.h"
#include "muster/policy.h"

namespace muster {
namespace {

// Of two rows each is before the other. With `flips` the answers change from call to call.
class Senseless : public Policy, public OrderPolicy {
 public:
  explicit Senseless(bool flips) : flips_(flips) {}
  std::string_view name() const override { return "senseless"; }
  PointSet points() const override {
    return {Point::kJobOrder, Point::kQueueOrder, Point::kTaskOrder, Point::kSubGroupOrder,
            Point::kVictimQueueOrder};
  }
  OrderPolicy* order() override { return this; }
  int CompareJobs(JobIndex, JobIndex) override { return Answer(); }
  int CompareQueues(QueueIndex, QueueIndex) override { return Answer(); }
  int CompareTasks(TaskIndex, TaskIndex) override { return Answer(); }
  int CompareSubGroups(const SubGroup&, const SubGroup&) override { return Answer(); }
  int CompareVictimQueues(QueueIndex, QueueIndex, QueueIndex) override { return Answer(); }

 private:
  int Answer() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return flips_ && state_ >> 63 == 1 ? 1 : -1;
  }

  const bool flips_;
  uint64_t state_ = 1;
};

// More rows of each kind than a sort takes in one run (16 in libstdc++), jobs that are alike in all
// but their names among them, and a full node to evict from.
Cluster World() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddNodes(3, {.name = "n", .capacity = {{"cpu", 60}, {"pods", 500}}}).ok());
  EXPECT_TRUE(cluster.AddQueue({.name = "a"}).ok());
  EXPECT_TRUE(cluster.AddQueue({.name = "b"}).ok());
  for (int i = 0; i < 40; ++i) {
    JobSpec job{.name = absl::StrCat("j", i), .queue = i % 2 == 0 ? "a" : "b"};
    job.min_resources = Resources{{"cpu", 1}};
    job.groups = {{.count = i == 0 ? 40 : 1, .shape = {.request = {{"cpu", 1}}}}};
    job.min_available = 1;
    EXPECT_TRUE(cluster.AddJob(job).ok());
  }
  for (int i = 0; i < 60; ++i) {
    const TaskSpec task{.name = absl::StrCat("r", i),
                        .job = absl::StrCat("j", i % 40),
                        .shape = {.request = {{"cpu", 1}}},
                        .status = TaskStatus::kRunning,
                        .node = "n0"};
    EXPECT_TRUE(cluster.AddTask(task).ok());
  }
  for (int i = 0; i < 60; ++i) {
    JobSpec job{.name = absl::StrCat("alike", i), .queue = "a", .min_available = 1};
    job.groups = {{.count = 1, .shape = {.request = {{"cpu", 2}}}}};
    EXPECT_TRUE(cluster.AddJob(job).ok());
  }
  return cluster;
}

std::vector<std::string> Specs() {
  std::vector<std::string> specs;
  for (const Preset& preset : Presets()) {
    specs.emplace_back(preset.name);
    for (const ActionDecl& action : preset.catalogue) {
      specs.push_back(
          absl::StrCat(std::string(preset.name), ":actions=", std::string(action.name)));
    }
  }
  return specs;
}

TEST(OrderWithoutSense, GivesSomeOrder) {
  for (const bool flips : {false, true}) {
    auto extensions = std::make_shared<Extensions>();
    int64_t asked = 0;
    extensions->policies.push_back(
        {.name = "senseless", .summary = "has no order", .make = [&asked, flips](const Options&) {
           ++asked;
           return std::make_unique<Senseless>(flips);
         }});
    int64_t planned = 0;
    for (const std::string& spec : Specs()) {
      SCOPED_TRACE(spec);
      Cluster cluster = World();
      const absl::StatusOr<Plan> plan = cluster.Schedule(spec, {.extensions = extensions});
      if (!plan.ok()) continue;  // a profile without some point
      ++planned;
      EXPECT_TRUE(cluster.Apply(*plan).ok());
    }
    EXPECT_GT(asked, 0);
    EXPECT_GT(planned, 10);
  }
}

}  // namespace
}  // namespace muster
