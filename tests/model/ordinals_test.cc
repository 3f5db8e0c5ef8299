// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The ordinal of the next task that a group makes from its count: one more than the largest, after
// every kind of change. tests/growth holds what it costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/rng.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "muster/cluster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

constexpr const char* kGroups[] = {"", "v", "w"};

JobSpec JobOf(int64_t count) {
  JobSpec job{.name = "j"};
  for (const char* group : kGroups) {
    job.groups.push_back({.name = group, .by_count = ByCount{.count = count}});
  }
  return job;
}

// What a look at all tasks finds.
int64_t NextOf(const Cluster& cluster, const std::string& group) {
  int64_t next = 0;
  for (const TaskSpec& task : cluster.Describe().tasks) {
    if (task.job == "j" && task.group == group) {
      next = std::max(next, task.ordinal.value_or(-1) + 1);
    }
  }
  return next;
}

class Ordinals {
 public:
  explicit Ordinals(uint64_t seed) : rng_(seed) {
    EXPECT_TRUE(cluster_.AddJob(JobOf(1'000'000)).ok());
  }

  void Step() {
    const std::string group = kGroups[rng_.Below(3)];
    const ClusterSpec now = cluster_.Describe();
    const TaskSpec* any = now.tasks.empty() ? nullptr : &now.tasks[rng_.Below(now.tasks.size())];
    switch (rng_.Below(8)) {
      case 0:
        if (any != nullptr) Must(cluster_.RemoveTask(any->name));
        break;
      case 1:
        Must(cluster_.AddTask(Named(absl::StrCat("t", ++added_), group)));
        break;
      case 2:
        if (any != nullptr) Must(cluster_.UpdateTask(Named(any->name, group)));
        break;
      case 3: {
        JobSpec job = now.jobs[0];
        std::ranges::reverse(job.groups);
        Must(cluster_.UpdateJob(job));
        break;
      }
      case 4:
        ImplOf(cluster_).editor.Compact();
        break;
      case 5:
        cluster_ = cluster_.Clone();
        break;
      default:
        Make(group);
    }
    EXPECT_EQ(Contradiction(cluster_), "");
  }

 private:
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }
  TaskSpec Named(const std::string& name, const std::string& group) {
    TaskSpec task{.name = name, .job = "j", .group = group};
    if (rng_.Chance(0.7)) task.ordinal = static_cast<int64_t>(rng_.Below(20));
    return task;
  }
  void Make(const std::string& group) {
    const int64_t first = NextOf(cluster_, group);
    const std::string begin = group.empty() ? "j-" : absl::StrCat("j-", group, "-");
    const absl::Status made = cluster_.MakeTasks("j", group, 2);
    if (!made.ok()) {  // a task of that name got another ordinal
      EXPECT_EQ(made.code(), absl::StatusCode::kAlreadyExists) << made;
      return;
    }
    const ClusterSpec now = cluster_.Describe();
    ASSERT_GE(now.tasks.size(), 2u);
    EXPECT_EQ(now.tasks[now.tasks.size() - 2].name, absl::StrCat(begin, first));
    EXPECT_EQ(now.tasks.back().name, absl::StrCat(begin, first + 1));
    EXPECT_EQ(now.tasks.back().ordinal, first + 1);
  }

  Rng rng_;
  Cluster cluster_;
  int added_ = 0;
};

TEST(Ordinals, AreOneMoreThanTheLargestAfterEveryChange) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Ordinals ordinals(seed);
    for (int i = 0; i < 60; ++i) ordinals.Step();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Ordinals, EndAtTheLargestNumber) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddJob(JobOf(5)).ok());
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  ASSERT_TRUE(cluster.AddTask({.name = "t", .job = "j", .group = "w", .ordinal = kLast - 1}).ok());
  EXPECT_FALSE(cluster.MakeTasks("j", "w", 1).ok());
  ASSERT_TRUE(cluster.RemoveTask("t").ok());
  EXPECT_TRUE(cluster.MakeTasks("j", "w", 1).ok());
}

}  // namespace
}  // namespace muster
