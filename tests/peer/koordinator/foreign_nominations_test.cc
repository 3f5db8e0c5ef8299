// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Promises of other schedulers, and nodes that a task prefers.
#include "lib/peer/koordinator/nomination/foreign_nominations.h"

#include <gtest/gtest.h>

#include "lib/peer/koordinator/nomination/preferred_nodes.h"

namespace muster {
namespace {

using Names = std::vector<std::string>;

Names Uids(const std::vector<NominatedTask>& tasks) {
  Names uids;
  for (const NominatedTask& task : tasks) uids.push_back(task.uid);
  return uids;
}

TEST(ForeignNominations, KeepsOpenPromisesOfOthers) {
  ForeignNominations foreign;
  foreign.AddOwnScheduler("ours");
  const NominatedTask task = {.uid = "a", .promised = "n", .scheduler = "theirs"};
  EXPECT_TRUE(foreign.Concerns(task));
  NominatedTask other = task;
  other.scheduler = "ours";
  EXPECT_FALSE(foreign.Concerns(other));
  foreign.Follow(nullptr, &task);
  EXPECT_EQ(Uids(foreign.On("n")), Names{"a"});
  foreign.Follow(&task, &other);
  EXPECT_TRUE(foreign.On("n").empty());
  NominatedTask bound = task, moved = task;
  bound.node = "n";
  moved.promised = "m";
  EXPECT_FALSE(foreign.Concerns(bound));
  foreign.Put(task);
  foreign.Follow(&task, &moved);
  EXPECT_TRUE(foreign.On("n").empty());
  EXPECT_EQ(Uids(foreign.On("m")), Names{"a"});
  foreign.Follow(&moved, nullptr);
  EXPECT_TRUE(foreign.On("m").empty());
}

TEST(ForeignNominations, APutWithoutAPromiseChangesNothing) {
  ForeignNominations foreign;
  foreign.Put({.uid = "a", .promised = "n"});
  foreign.Put({.uid = "a"});
  EXPECT_EQ(Uids(foreign.On("n")), Names{"a"});
  foreign.Change({.uid = "a"}, {.uid = "a"});
  EXPECT_TRUE(foreign.On("n").empty());
}

TEST(ForeignNominations, EqualPriorityCountsOnlyOfThisScheduler) {
  const std::vector<NominatedTask> own = {{.uid = "a", .priority = 5}, {.uid = "b", .priority = 4}};
  const std::vector<NominatedTask> others = {{.uid = "c", .priority = 5},
                                             {.uid = "d", .priority = 6}};
  const NominatedTask asker = {.uid = "x", .priority = 5};
  EXPECT_EQ(Uids(CountedNominations(asker, own, others, {})), (Names{"a", "d"}));
  EXPECT_EQ(Uids(CountedNominations(asker, own, others, {"a"})), Names{"d"});
  EXPECT_EQ(Uids(CountedNominations({.uid = "a", .priority = 5}, own, others, {})), Names{"d"});
}

TEST(PreferredNodes, AreCutBeforeTheyAreFiltered) {
  const Names preferred = {"c", "a", "b"};
  const std::set<std::string> allowed = {"a", "b"};
  EXPECT_EQ(PreferredNodes(preferred, nullptr, 2), (Names{"c", "a"}));
  EXPECT_EQ(PreferredNodes(preferred, &allowed, 3), (Names{"a", "b"}));
  EXPECT_TRUE(PreferredNodes(preferred, &allowed, 1).empty());
}

}  // namespace
}  // namespace muster
