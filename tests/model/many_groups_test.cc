// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs with many groups: their groups are found by name, and not one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/scenario/state.h"
#include "muster/cluster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

std::string Name(int i) { return absl::StrCat("g", i); }

JobSpec JobOf(int groups, int64_t count) {
  JobSpec job{.name = "j"};
  for (int i = 0; i < groups; ++i) {
    job.groups.push_back({.name = Name(i), .count = count, .min_available = i});
    job.sub_groups.push_back({.name = absl::StrCat("s", i)});
  }
  return job;
}

// The groups and sub-groups of all tasks, by what the tables have.
std::string Places(const Cluster& cluster) {
  std::string out;
  for (const TaskSpec& task : cluster.Describe().tasks) {
    absl::StrAppend(&out, task.name, ":", task.group, "/", task.sub_group, " ");
  }
  return out;
}

TEST(ManyGroups, AreFoundAfterEveryChange) {
  Cluster cluster;
  JobSpec job = JobOf(100, 0);
  ASSERT_TRUE(cluster.AddJob(job).ok());
  const auto add = [&](const char* name, const char* group, const char* sub_group) {
    return std::string(
        cluster.AddTask({.name = name, .job = "j", .group = group, .sub_group = sub_group})
            .message());
  };
  EXPECT_EQ(add("a", "g0", "s99"), "");
  EXPECT_EQ(add("b", "g99", "s0"), "");
  EXPECT_EQ(add("c", "", ""), "");
  EXPECT_EQ(add("d", "g100", ""), "task \"d\": job \"j\" has no group \"g100\"");
  EXPECT_EQ(add("d", "g1", "s100"), "task \"d\": job \"j\" has no sub-group \"s100\"");
  std::ranges::reverse(job.groups);
  std::ranges::reverse(job.sub_groups);
  job.groups.erase(job.groups.begin() + 50);  // g49
  ASSERT_TRUE(cluster.UpdateJob(job).ok());
  EXPECT_EQ(add("d", "g49", ""), "task \"d\": job \"j\" has no group \"g49\"");
  EXPECT_EQ(add("d", "g48", "s48"), "");
  const std::string places = "a:g0/s99 b:g99/s0 c:/ d:g48/s48 ";
  EXPECT_EQ(Places(cluster), places);
  // The job gets another row.
  JobSpec other = JobOf(100, 0);
  other.name = "other";
  ASSERT_TRUE(cluster.AddJob(other).ok());
  Cluster clone = cluster.Clone();
  for (Cluster* of : {&cluster, &clone}) {
    ASSERT_TRUE(of->RemoveJob("j").ok());
    ImplOf(*of).editor.Compact();
    ASSERT_TRUE(of->AddTask({.name = "e", .job = "other", .group = "g99"}).ok());
    ASSERT_TRUE(of->AddJob(JobOf(3, 0)).ok());
    EXPECT_FALSE(of->AddTask({.name = "f", .job = "j", .group = "g3"}).ok());
    ASSERT_TRUE(of->AddTask({.name = "f", .job = "j", .group = "g2"}).ok());
    EXPECT_EQ(Places(*of), "e:g99/ f:g2/ ");
    EXPECT_EQ(Contradiction(*of), "");
  }
}

// A search from the front would compare billions of names. Sanitizers, by which a task costs a
// hundred times as much, get a tenth of them.
TEST(ManyGroups, OfOneJobTakeNoLongerThanOfMany) {
  const int groups = std::getenv("MUSTER_SANITIZED") == nullptr ? 80'000 : 8'000;
  JobSpec job = JobOf(groups, 1);
  for (int i = 0; i < groups; ++i) {
    if (!job.admission) job.admission.emplace();
    job.admission->groups.push_back({.group = Name(i)});
  }
  Cluster cluster;
  ASSERT_TRUE(cluster.AddJob(job).ok());
  for (int i = 0; i < groups; ++i) {
    ASSERT_TRUE(cluster
                    .AddTask({.name = absl::StrCat("t", i),
                              .job = "j",
                              .group = Name(i),
                              .sub_group = absl::StrCat("s", i)})
                    .ok());
  }
  ASSERT_TRUE(cluster.UpdateJob(job).ok());
  Cluster loaded;
  ASSERT_TRUE(LoadState(SaveState(&cluster), &loaded).ok());
  EXPECT_EQ(loaded.Describe().tasks.size(), static_cast<size_t>(2 * groups));
  job.priority = 1;
  ASSERT_TRUE(cluster.ApplyDelta({.generation = 1, .object = job}).ok());
}

}  // namespace
}  // namespace muster
