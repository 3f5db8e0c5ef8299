// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A configuration is taken as a whole or not at all.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/yunikorn/yunikorn.h"

namespace muster::yunikorn {
namespace {

// root, with the parent "first" above the leaf "below", and the leaf "last".
PartitionConfig Reloadable() {
  PartitionConfig config;
  QueueConfig first{.name = "first", .parent = true, .queues = {{.name = "below"}}};
  first.has_most = true;
  first.most = {{"vcore", "4"}};
  config.queues = {{.name = "root", .parent = true, .submit_acl = "*"}};
  config.queues[0].queues = {std::move(first), {.name = "last"}};
  return config;
}

// A change of all queues, which is legal.
PartitionConfig Changed() {
  PartitionConfig config = Reloadable();
  QueueConfig& first = config.queues[0].queues[0];
  first.most = {{"vcore", "8"}};
  first.most_applications = 3;
  first.queues[0].most_applications = 2;
  first.properties = {{"application.sort.priority", "disabled"}};
  first.child_template.most_applications = 5;
  config.queues[0].queues[1] = {.name = "new", .submit_acl = "ann"};
  config.node_sort = "binpacking";
  config.preemption = false;
  return config;
}

std::string AmountsText(const Resource& amounts, const TypeNames& names) {
  if (amounts.nil()) return "nil";
  std::string text;
  for (int type : amounts.types()) absl::StrAppend(&text, names.name(type), amounts.Get(type));
  return text;
}

std::string TextOfQueues(const Partition& partition) {
  std::string text = absl::StrCat(partition.bin_packing, partition.preemption, " types ",
                                  partition.names.size(), "\n");
  for (const Queue& queue : partition.queues) {
    absl::StrAppend(&text, queue.path, queue.leaf ? " leaf" : "", queue.removed ? " removed" : "",
                    " state ", static_cast<int>(queue.state), " most ",
                    AmountsText(queue.most, partition.names), " applications ",
                    queue.most_applications, " children ", queue.children.size(), " template ",
                    queue.child_template.most_applications, " by priority ",
                    queue.rules.sort_by_priority, " users ", queue.submit_acl.users.size(), "\n");
  }
  return text;
}

Partition Loaded() {
  Partition partition;
  EXPECT_EQ(partition.Configure(Reloadable()), absl::OkStatus());
  return partition;
}

TEST(YuniKornReload, TakesALegalConfiguration) {
  Partition partition = Loaded();
  const std::string before = TextOfQueues(partition);
  EXPECT_EQ(partition.Configure(Changed()), absl::OkStatus());
  EXPECT_NE(TextOfQueues(partition), before);
}

// What the last queue has wrong shows only when queues before it could have been changed.
void ExpectRefused(const PartitionConfig& config, const std::string& words) {
  Partition partition = Loaded();
  const std::string before = TextOfQueues(partition);
  EXPECT_THAT(std::string(partition.Configure(config).message()), ::testing::HasSubstr(words));
  EXPECT_EQ(TextOfQueues(partition), before);
}

TEST(YuniKornReload, RefusesATemplateWithoutANumber) {
  PartitionConfig config = Changed();
  QueueConfig& last = config.queues[0].queues[1];
  last.parent = true;
  last.child_template.most = {{"vcore", "many"}};
  ExpectRefused(config, "queue new: quantity \"many\"");
}

TEST(YuniKornReload, RefusesAListOfUsersWithTwoSpaces) {
  PartitionConfig config = Changed();
  config.queues[0].queues[1].admin_acl = "ann  dev";  // CheckAcl counts fields, ReadAcl spaces
  ExpectRefused(config, "more than one space");
}

TEST(YuniKornReload, RefusesMoreTypesThanAPartitionHas) {
  PartitionConfig config = Changed();
  QueueConfig& last = config.queues[0].queues[1];
  last.has_most = true;
  for (int i = 0; i < kMostTypes; ++i) last.most[absl::StrCat("type-", i)] = "1";
  ExpectRefused(config, "types");
}

TEST(YuniKornReload, RefusesAQueueThatIsTooDeepBelowAnAddedRoot) {
  PartitionConfig config;
  config.queues = {{.name = "top"}};
  QueueConfig* queue = &config.queues[0];
  for (int i = 1; i < kMostDepth; ++i) {
    queue->queues = {{.name = "q"}};
    queue = &queue->queues[0];
  }
  ExpectRefused(config, "deeper");
}

TEST(YuniKornReload, RefusesABadRule) {
  PartitionConfig config = Changed();
  config.rules = {{.name = "unknown"}};
  ExpectRefused(config, "unknown");
}

}  // namespace
}  // namespace muster::yunikorn
