// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Flavors, partitions and reservations; tasks that are counts; what few tasks have.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "muster/cluster.h"
#include "tests/model/dump.h"

namespace muster {
namespace {

std::string Words(const absl::Status& status) { return std::string(status.message()); }

TEST(Boxed, IsAPointerWideAndHoldsAValueOfItsOwn) {
  static_assert(sizeof(Boxed<QueueRules>) == sizeof(void*));
  static_assert(std::is_nothrow_move_constructible_v<Boxed<QueueRules>>);
  Boxed<Lifetime> a;
  EXPECT_FALSE(a.has_value());
  EXPECT_EQ(a, Boxed<Lifetime>());
  a = Lifetime{.max_runtime = 5};
  Boxed<Lifetime> b = a;
  EXPECT_EQ(a, b);
  b->max_runtime = 6;
  EXPECT_EQ(a->max_runtime, 5);
  EXPECT_FALSE(a == b);
  a = b;
  EXPECT_EQ(a->max_runtime, 6);
  b.emplace();
  EXPECT_EQ(*b, Lifetime());
  b.reset();
  EXPECT_FALSE(b);
  EXPECT_FALSE(a == b);
}

TEST(Records, AreSetReplacedAndRemoved) {
  Cluster cluster;
  ASSERT_TRUE(cluster.SetFlavor({.name = "spot"}).ok());
  ASSERT_TRUE(cluster.SetFlavor({.name = "reserved"}).ok());
  ASSERT_TRUE(cluster.SetPartition({.name = "gpu", .nodes = {"not-there"}}).ok());
  ASSERT_TRUE(cluster.SetReservation({.name = "r"}).ok());
  const Snapshot before = cluster.Freeze();
  const uint64_t version = cluster.version();
  ASSERT_TRUE(cluster.SetFlavor({.name = "spot", .node_labels = {{"tier", "spot"}}}).ok());
  EXPECT_GT(cluster.version(), version);
  EXPECT_TRUE(TablesOf(before).flavors.spec[0].node_labels.empty());

  const ClusterSpec spec = cluster.Describe();
  ASSERT_EQ(spec.flavors.size(), 2u);
  EXPECT_EQ(spec.flavors[0].name, "spot");
  EXPECT_EQ(spec.flavors[0].node_labels.size(), 1u);

  ASSERT_TRUE(cluster.RemoveFlavor("spot").ok());
  EXPECT_EQ(Words(cluster.RemoveFlavor("spot")), "flavor \"spot\": does not exist");
  EXPECT_EQ(Words(cluster.RemovePartition("x")), "partition \"x\": does not exist");
  EXPECT_EQ(Words(cluster.RemoveReservation("x")), "reservation \"x\": does not exist");
  ASSERT_TRUE(cluster.RemovePartition("gpu").ok());
  ASSERT_TRUE(cluster.RemoveReservation("r").ok());
  // A name that comes again is a new row, behind the others.
  ASSERT_TRUE(cluster.SetFlavor({.name = "spot"}).ok());
  EXPECT_EQ(cluster.Describe().flavors[1].name, "spot");
  ImplOf(cluster).editor.Compact();
  EXPECT_EQ(ImplOf(cluster).tables->flavors.alive.size(), 2u);
  EXPECT_EQ(cluster.Describe().flavors[0].name, "reserved");
  EXPECT_TRUE(cluster.Describe().partitions.empty());
  EXPECT_EQ(Contradiction(cluster), "");
}

TEST(Records, OfEventsTheNewestWins) {
  Cluster cluster;
  const auto apply = [&](uint64_t generation, auto object) {
    return cluster.ApplyDelta({generation, std::move(object)}).value();
  };
  const Removal removal{Removal::Kind::kReservation, "r"};
  EXPECT_EQ(apply(2, ReservationSpec{.name = "r", .order = 2}), DeltaOutcome::kApplied);
  EXPECT_EQ(apply(1, ReservationSpec{.name = "r", .order = 1}), DeltaOutcome::kStale);
  EXPECT_EQ(cluster.Describe().reservations[0].order, 2);
  EXPECT_EQ(apply(4, removal), DeltaOutcome::kApplied);
  EXPECT_EQ(apply(3, ReservationSpec{.name = "r"}), DeltaOutcome::kStale);
  EXPECT_TRUE(cluster.Describe().reservations.empty());
  EXPECT_EQ(apply(5, ReservationSpec{.name = "r", .order = 5}), DeltaOutcome::kApplied);
  // Kinds are name spaces of their own.
  EXPECT_EQ(apply(1, FlavorSpec{.name = "r"}), DeltaOutcome::kApplied);
  EXPECT_EQ(apply(1, PartitionSpec{.name = "r"}), DeltaOutcome::kApplied);
  EXPECT_EQ(apply(2, Removal{Removal::Kind::kFlavor, "r"}), DeltaOutcome::kApplied);
  EXPECT_EQ(apply(2, Removal{Removal::Kind::kPartition, "r"}), DeltaOutcome::kApplied);
  EXPECT_EQ(cluster.Describe().reservations.size(), 1u);
  EXPECT_TRUE(cluster.Describe().flavors.empty());
  EXPECT_FALSE(cluster.ApplyDelta({1, FlavorSpec{.name = ""}}).ok());
}

TEST(Records, AListingNamesWhatDiffers) {
  Cluster cluster;
  ASSERT_TRUE(cluster.SetFlavor({.name = "a"}).ok());
  ASSERT_TRUE(cluster.AddQueue({.name = "q", .rules = QueueRules{.fair_weight = "1"}}).ok());
  ClusterSpec full = cluster.Describe();
  full.queues[1].rules->fair_weight = "1000m";  // means the same
  EXPECT_TRUE(cluster.Reconcile(full)->empty());
  full.queues[1].rules->stop = StopPolicy::kHold;
  full.flavors[0].name = "b";
  full.partitions.push_back({.name = "p"});
  const auto drift = cluster.Reconcile(full);
  ASSERT_TRUE(drift.ok()) << drift.status();
  std::string objects;
  for (const Drift& one : *drift) objects += one.object + ";";
  EXPECT_EQ(objects, "queue \"q\";flavor \"a\";flavor \"b\";partition \"p\";");
  full.flavors.push_back({.name = "b"});
  EXPECT_EQ(Words(cluster.Reconcile(full).status()), "flavor \"b\": is listed twice");
}

TEST(Facts, OfFewTasksStayWithTheirTask) {
  Cluster cluster;
  const TaskUsage usage{.amounts = {{"cpu", "350m"}}, .measured = 7};
  ASSERT_TRUE(cluster.AddTask({.name = "a"}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "b", .usage = usage}).ok());
  ASSERT_TRUE(cluster.AddTask({.name = "c", .lifetime = Lifetime{.expected_end = 9}}).ok());
  EXPECT_EQ(ImplOf(cluster).tables->tasks.facts.size(), 2u);
  ASSERT_TRUE(cluster.RemoveTask("a").ok());
  ImplOf(cluster).editor.Compact();
  const ClusterSpec spec = cluster.Describe();
  EXPECT_EQ(spec.tasks[0].usage, Boxed<TaskUsage>(usage));
  EXPECT_FALSE(spec.tasks[0].lifetime);
  EXPECT_EQ(spec.tasks[1].lifetime->expected_end, 9);
  ASSERT_TRUE(cluster.UpdateTask({.name = "b"}).ok());
  ASSERT_TRUE(cluster.RemoveTask("c").ok());
  EXPECT_TRUE(ImplOf(cluster).tables->tasks.facts.empty());
}

class Counts : public ::testing::Test {
 protected:
  void SetUp() override {
    JobSpec job{.name = "j", .priority = 3};
    job.groups = {{.name = "w",
                   .shape = {.request = {{"cpu", 1}}},
                   .by_count = ByCount{.count = 10'000, .min_count = 9'999, .admitted = 9'998}}};
    ASSERT_TRUE(cluster_.AddJob(job).ok());
  }
  const ByCount& Left() { return *ImplOf(cluster_).tables->jobs.spec[0].groups[0].by_count; }

  Cluster cluster_;
};

TEST_F(Counts, TakeNoRowsUntilTheyAreMade) {
  EXPECT_TRUE(cluster_.Describe().tasks.empty());
  EXPECT_EQ(ImplOf(cluster_).tables->jobs.by_count, 1u);
  ASSERT_TRUE(cluster_.MakeTasks("j", "w", 2).ok());
  ASSERT_TRUE(cluster_.MakeTasks("j", "w", 1).ok());
  const ClusterSpec spec = cluster_.Describe();
  ASSERT_EQ(spec.tasks.size(), 3u);
  EXPECT_EQ(spec.tasks[2].name, "j-w-2");
  EXPECT_EQ(spec.tasks[2].priority, 3);
  EXPECT_EQ(spec.tasks[2].shape.request.size(), 1u);
  EXPECT_EQ(Left().count, 9'997);
  EXPECT_EQ(Left().min_count, 9'997);
  EXPECT_EQ(Left().admitted, 9'997);
  EXPECT_EQ(Contradiction(cluster_), "");
}

TEST_F(Counts, EndWithTheLastRow) {
  ASSERT_TRUE(cluster_.MakeTasks("j", "w", 10'000).ok());
  EXPECT_EQ(ImplOf(cluster_).tables->jobs.by_count, 0u);
  EXPECT_FALSE(cluster_.Describe().jobs[0].groups[0].by_count);
  EXPECT_EQ(cluster_.Describe().tasks.size(), 10'000u);
}

TEST_F(Counts, AreCountedThroughEveryDoor) {
  const auto by_count = [&] { return ImplOf(cluster_).tables->jobs.by_count; };
  JobSpec job = cluster_.Describe().jobs[0];
  ASSERT_TRUE(cluster_.UpdateJob(job).ok());
  EXPECT_EQ(by_count(), 1u);
  job.groups[0].by_count.reset();
  ASSERT_TRUE(cluster_.ApplyDelta({1, job}).ok());
  EXPECT_EQ(by_count(), 0u);
  job.groups[0].by_count = ByCount{.count = 5};
  ASSERT_TRUE(cluster_.ApplyDelta({2, job}).ok());
  EXPECT_EQ(by_count(), 1u);
  ASSERT_TRUE(cluster_.Reconcile(cluster_.Describe()).ok());
  EXPECT_EQ(by_count(), 1u);
  ASSERT_TRUE(cluster_.RemoveJob("j").ok());
  EXPECT_EQ(by_count(), 0u);
}

TEST_F(Counts, AreNotMadeWhereTheyCannotBe) {
  const std::string place = "job \"j\", group \"w\": ";
  const uint64_t version = cluster_.version();
  EXPECT_EQ(Words(cluster_.MakeTasks("k", "w", 1)), "job \"k\": does not exist");
  EXPECT_EQ(Words(cluster_.MakeTasks("j", "x", 1)),
            "job \"j\", group \"x\": does not exist; must be a group of the job");
  const std::string most = "; must be 0 to 10000, the tasks that are counts";
  EXPECT_EQ(Words(cluster_.MakeTasks("j", "w", 10'001)), place + "count is 10001" + most);
  EXPECT_EQ(Words(cluster_.MakeTasks("j", "w", -1)), place + "count is -1" + most);
  EXPECT_EQ(cluster_.version(), version);
  ASSERT_TRUE(cluster_.AddTask({.name = "j-w-1"}).ok());
  EXPECT_EQ(Words(cluster_.MakeTasks("j", "w", 2)), place + "task \"j-w-1\" exists already");
  EXPECT_EQ(Left().count, 10'000);
}

}  // namespace
}  // namespace muster
