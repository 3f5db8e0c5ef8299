// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// YuniKorn's core on partitions of two queues: limits, order of nodes, required nodes, gangs, ends.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/yunikorn/yunikorn.h"

namespace muster::yunikorn {
namespace {

// A root with the leaves "a", limited to 4 vcore, and "b".
Partition TwoQueues(const std::string& node_sort = "fair") {
  Partition partition;
  PartitionConfig config;
  config.queues = {{.name = "root", .parent = true, .queues = {{.name = "a"}, {.name = "b"}}}};
  config.queues[0].submit_acl = "*";
  config.queues[0].queues[0].has_most = true;
  config.queues[0].queues[0].most = {{"vcore", "4"}};
  config.node_sort = node_sort;
  EXPECT_TRUE(partition.Configure(config).ok());
  return partition;
}

Resource Vcores(int64_t count, Partition& partition) {
  return *ReadResource({{"vcore", std::to_string(count)}}, partition.names);
}

void AddNode(const std::string& id, int64_t vcores, Partition& partition) {
  EXPECT_TRUE(partition.AddNode(id, Vcores(vcores, partition)).ok());
}

void AddApplication(const std::string& id, const std::string& queue, Partition& partition) {
  Application application;
  application.id = id;
  application.queue_path = queue;
  application.usage.user = "ann";
  EXPECT_EQ(partition.AddApplication(application), absl::OkStatus());
}

void Ask(const std::string& application, const std::string& key, int64_t vcores,
         Partition& partition, const std::string& required_node = "") {
  Allocation request;
  request.key = key;
  request.resource = Vcores(vcores, partition);
  request.required_node = required_node;
  EXPECT_TRUE(partition.UpdateAllocation(std::move(request), application, "").ok());
}

// "key@node" of the next decision, or "".
std::string Next(Partition& partition) {
  const std::optional<Result> result = partition.Cycle();
  if (!result) return "";
  return partition.allocations[result->request].key + "@" + partition.nodes[result->node].id;
}

// The node that the request has reserved, or "".
std::string ReservedBy(const std::string& key, const Partition& partition) {
  for (const Application& app : partition.applications) {
    for (const Reservation& reservation : app.reservations) {
      if (partition.allocations[reservation.request].key == key) {
        return partition.nodes[reservation.node].id;
      }
    }
  }
  return "";
}

TEST(YuniKornPartition, OneDecisionACall) {
  Partition partition = TwoQueues();
  AddNode("n1", 8, partition);
  AddApplication("app", "root.b", partition);
  Ask("app", "x", 2, partition);
  Ask("app", "y", 2, partition);
  EXPECT_EQ(Next(partition), "x@n1");
  EXPECT_EQ(Next(partition), "y@n1");
  EXPECT_EQ(Next(partition), "");
}

TEST(YuniKornPartition, AQueueStaysWithinItsLimit) {
  Partition partition = TwoQueues();
  AddNode("n1", 8, partition);
  AddApplication("app", "root.a", partition);
  Ask("app", "x", 3, partition);
  Ask("app", "y", 3, partition);
  EXPECT_EQ(Next(partition), "x@n1");
  EXPECT_EQ(Next(partition), "");
}

TEST(YuniKornPartition, FairSpreadsAndBinpackingFills) {
  for (const auto& [sort, second] : {std::pair("fair", "y@n2"), std::pair("binpacking", "y@n1")}) {
    Partition partition = TwoQueues(sort);
    AddNode("n1", 8, partition);
    AddNode("n2", 8, partition);
    AddApplication("app", "root.b", partition);
    Ask("app", "x", 2, partition);
    EXPECT_EQ(Next(partition), "x@n1") << sort;
    Ask("app", "y", 2, partition);
    EXPECT_EQ(Next(partition), second) << sort;
  }
}

TEST(YuniKornPartition, ARequiredNodeIsTheOnlyOne) {
  Partition partition = TwoQueues();
  AddNode("n1", 8, partition);
  AddNode("n2", 8, partition);
  AddApplication("app", "root.b", partition);
  Ask("app", "daemon", 2, partition, "n2");
  EXPECT_EQ(Next(partition), "daemon@n2");
}

TEST(YuniKornPartition, WhatEndsMakesRoom) {
  Partition partition = TwoQueues();
  AddNode("n1", 2, partition);
  AddApplication("first", "root.b", partition);
  AddApplication("second", "root.b", partition);
  Ask("first", "x", 2, partition);
  Ask("second", "y", 2, partition);
  EXPECT_EQ(Next(partition), "x@n1");
  EXPECT_EQ(Next(partition), "");
  EXPECT_THAT(partition.RemoveApplication("first"), ::testing::ElementsAre("x"));
  EXPECT_EQ(Next(partition), "y@n1");
  partition.RemoveEnded();
  EXPECT_TRUE(partition.application_index.contains("second"));  // it still runs
}

TEST(YuniKornPartition, RefusesWhatItDoesNotKnow) {
  Partition partition = TwoQueues();
  Allocation request;
  request.key = "x";
  EXPECT_FALSE(partition.UpdateAllocation(std::move(request), "nowhere", "").ok());
  EXPECT_FALSE(partition.SetSchedulable("nowhere", true).ok());
  Application application;
  application.id = "app";
  application.queue_path = "root.nowhere";
  EXPECT_FALSE(partition.AddApplication(application).ok());
  EXPECT_FALSE(ReadQuantity("many", true).ok());
}

// A request that has a node reserved looks only for room. What it passed over meanwhile is looked
// at again once the reservation is gone.
TEST(YuniKornPartition, ALostReservationIsReplacedByAnother) {
  Partition partition = TwoQueues();
  partition.now = 100 * kSecond;  // requests are old enough to reserve
  AddNode("n1", 4, partition);
  AddNode("n2", 4, partition);
  AddNode("n3", 80, partition);  // what it has counts for root's limit
  EXPECT_TRUE(partition.SetSchedulable("n3", false).ok());
  AddApplication("app", "root.b", partition);
  for (const char* key : {"x1", "x2", "s1", "s2"}) Ask("app", key, 4, partition);
  EXPECT_EQ(Next(partition), "x1@n1");
  EXPECT_EQ(Next(partition), "x2@n2");
  EXPECT_EQ(Next(partition), "");  // s1 reserves n1
  EXPECT_EQ(Next(partition), "");  // s2 reserves n2
  Ask("app", "r", 2, partition);
  EXPECT_EQ(Next(partition), "");  // r finds nothing
  ASSERT_EQ(partition.reservations, 2);
  partition.Release("app", "s1", Termination::kStopped);
  partition.Release("app", "s2", Termination::kStopped);
  EXPECT_EQ(ReservedBy("r", partition), "");
  EXPECT_EQ(Next(partition), "");
  EXPECT_EQ(ReservedBy("r", partition), "n1");
  EXPECT_EQ(Next(partition), "");
  AddApplication("a", "root.b", partition);
  Ask("a", "d", 1, partition, "n1");
  EXPECT_EQ(Next(partition), "");  // d takes n1 from r
  EXPECT_EQ(ReservedBy("d", partition), "n1");
  EXPECT_EQ(ReservedBy("r", partition), "");
  EXPECT_EQ(Next(partition), "");
  EXPECT_EQ(ReservedBy("r", partition), "n2");
}

}  // namespace
}  // namespace muster::yunikorn
