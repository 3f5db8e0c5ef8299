// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Members of pod groups in the queue of pods.
#include "lib/peer/kube_scheduler/pod_queue.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "muster/cluster.h"

namespace muster::kube {
namespace {

class GroupInQueue : public ::testing::Test {
 protected:
  // One pod group of that many pods, all of which wait.
  void Make(int64_t pods) {
    JobSpec job{.name = "j", .groups = {{.name = "w", .count = pods}}};
    job.pod_group.emplace();
    ASSERT_TRUE(cluster_.AddJob(job).ok());
    settings_.groups = true;
    for (TaskIndex t = 0; t < tables().tasks.alive.size(); ++t) queue_.Add(t);
  }
  const Tables& tables() { return *ImplOf(cluster_).tables; }
  std::string NameOf(TaskIndex t) { return std::string(tables().tasks.names.name(t)); }
  // The names of the pods of 0..n that the queue finds, by their numbers.
  std::vector<int> Found(int n) {
    std::vector<int> found;
    for (int t = 0; t < n; ++t) {
      const Member* member = queue_.FindMember(NameOf(TaskIndex(t)));
      if (member == nullptr) continue;
      EXPECT_EQ(member->task, TaskIndex(t));
      found.push_back(t);
    }
    return found;
  }

  Cluster cluster_;
  Settings settings_;
  PodClasses classes_{tables()};
  PodQueue queue_{&classes_, &settings_};
};

TEST_F(GroupInQueue, MembersAreFoundWhateverLeaves) {
  Make(6);
  EXPECT_EQ(Found(6), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  for (const int gone : {0, 5, 2}) queue_.Remove(NameOf(TaskIndex(gone)));
  EXPECT_EQ(Found(6), (std::vector<int>{1, 3, 4}));
  queue_.Remove("j-w-0");  // again
  queue_.Add(TaskIndex(0));
  EXPECT_EQ(Found(6), (std::vector<int>{0, 1, 3, 4}));
}

TEST_F(GroupInQueue, MembersAreFoundAfterAnAttempt) {
  Make(4);
  std::unique_ptr<Entity> entity = queue_.Pop();
  ASSERT_NE(entity, nullptr);
  EXPECT_EQ(queue_.FindMember("j-w-1"), nullptr);
  std::swap(entity->members[0], entity->members[3]);
  entity->members.erase(entity->members.begin() + 1);
  queue_.FailGroup(std::move(entity), PodQueue::GroupOutcome::kRejected, true);
  EXPECT_EQ(Found(4), (std::vector<int>{0, 2, 3}));
}

TEST_F(GroupInQueue, MembersAreFoundWhenTheyAreLoaded) {
  Make(4);
  queue_.Remove("j-w-2");
  MemorySlot pods, groups;
  queue_.Store(&pods, &groups);
  PodQueue loaded(&classes_, &settings_);
  loaded.Load(pods, groups, 0, queue_.sequence());
  for (const int t : {0, 1, 3}) {
    const Member* member = loaded.FindMember(NameOf(TaskIndex(t)));
    ASSERT_NE(member, nullptr);
    EXPECT_EQ(member->task, TaskIndex(t));
  }
  EXPECT_EQ(loaded.FindMember("j-w-2"), nullptr);
}

// A walk over the members for each of them would compare twenty billion names. Sanitizers, by which
// a pod costs a hundred times as much, get a tenth of them.
TEST_F(GroupInQueue, AMemberOfManyIsFoundWithoutAWalk) {
  const int pods = std::getenv("MUSTER_SANITIZED") == nullptr ? 200'000 : 20'000;
  Make(pods);
  EXPECT_EQ(Found(pods).size(), static_cast<size_t>(pods));
}

}  // namespace
}  // namespace muster::kube
