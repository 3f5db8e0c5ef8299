// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HTCondor's ads and knobs as scenarios.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/import/import.h"
#include "muster/muster.h"

namespace muster::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kMachines = R"([
  {"MyType": "Machine", "Name": "slot1@a", "Machine": "a", "PartitionableSlot": true, "Cpus": 3,
   "TotalSlotCpus": 4, "TotalSlotMemory": 8192, "TotalSlotDisk": 1000000, "OpSys": "LINUX",
   "KFlops": 900, "Arch": "X86_64", "Start": "\/Expr(TARGET.Owner != \"eve\")\/",
   "Rank": "\/Expr(regexp(\"a\", TARGET.Owner))\/"},
  {"MyType": "Machine", "Name": "slot1_1@a", "DynamicSlot": true, "Cpus": 1, "Memory": 512,
   "Disk": 10, "State": "Claimed", "RemoteUser": "ann@x"},
  {"MyType": "Machine", "Name": "slot1_2@a", "DynamicSlot": true, "Cpus": 2, "Memory": 256,
   "Disk": 10, "State": "Claimed", "RemoteUser": "zoe@x", "AccountingGroup": "hep.zoe@x"}
])";
constexpr const char* kJobs = R"([
  {"MyType": "Job", "ClusterId": 7, "ProcId": 1, "JobStatus": 1, "Owner": "bob", "User": "bob@x",
   "JobPrio": 5, "QDate": 100, "RequestCpus": 2, "ImageSize": 2048,
   "RequestMemory":
     "\/Expr(ifThenElse(Usage =!= undefined, Usage, (ImageSize + 1023) \/ 1024))\/",
   "RequestDisk": 100, "AcctGroup": "hep.higgs",
   "Requirements": "\/Expr(TARGET.OpSys == \"LINUX\")\/",
   "Rank": "\/Expr(TARGET.KFlops)\/", "ConcurrencyLimits": "lic", "Iwd": "\/home\/bob"},
  {"MyType": "Job", "ClusterId": 6, "ProcId": 0, "JobStatus": 2, "Owner": "ann", "User": "ann@x",
   "RequestCpus": 1, "RequestMemory": 100, "RemoteHost": "slot1_1@a", "JobCurrentStartDate": 50},
  {"MyType": "Job", "ClusterId": 8, "ProcId": 0, "JobStatus": 5, "Owner": "ann", "User": "ann@x"},
  {"MyType": "Job", "ClusterId": 9, "ProcId": 0, "JobStatus": 4, "Owner": "ann", "User": "ann@x"}
])";
constexpr const char* kAccounting = R"([
  {"MyType": "Accounting", "Name": "ann@x", "Priority": 5250.5, "PriorityFactor": 1000.0},
  {"MyType": "Accounting", "Name": "hep.bob@x", "Priority": 50, "PriorityFactor": 10.0}
])";
constexpr const char* kKnobs = R"({
  "PRIORITY_HALFLIFE": 3600, "NEGOTIATOR_CONSIDER_PREEMPTION": "False", "GROUP_QUOTA_hep": 10,
  "GROUP_NAMES": "hep, hep.higgs", "GROUP_ACCEPT_SURPLUS_hep.higgs": true, "GROUP_QUOTA_none": 3,
  "PREEMPTION_REQUIREMENTS": "RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2",
  "lic_LIMIT": 2, "CONCURRENCY_LIMIT_DEFAULT_db": 4, "NEGOTIATOR_INTERVAL": 60
})";

absl::StatusOr<Import> ImportAll(const std::string& objects) {
  return ImportObjects(objects, {.configuration = kKnobs, .now = 1'000});
}

std::string Report(const Import& import) {
  std::string words;
  for (const ImportEntry& entry : import.report) words += Describe(entry) + "\n";
  return words;
}

TEST(HtCondorImport, MachinesAreNodesAndDynamicSlotsClaims) {
  const absl::StatusOr<Import> import = ImportAll(std::string(kMachines) + kJobs);
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  ASSERT_EQ(cluster.nodes.size(), 1u);
  const NodeSpec& node = cluster.nodes[0];
  EXPECT_EQ(node.name, "slot1@a");
  EXPECT_THAT(node.capacity, ElementsAre(Pair("cpu", Quantity("4000m")),
                                         Pair("memory", Quantity(int64_t{8192} << 20)),
                                         Pair("ephemeral-storage", Quantity(int64_t{1024000000}))));
  // Arch is named by no expression, and the rank is not in the subset.
  EXPECT_THAT(node.settings,
              ElementsAre(Pair("htcondor/START", "TARGET.Owner != \"eve\""),
                          Pair("htcondor/+OpSys", "\"LINUX\""), Pair("htcondor/+KFlops", "900")));
  EXPECT_THAT(Report(*import),
              HasSubstr("Machine slot1@a: Rank: is not read: expression, byte 7: function regexp "
                        "is not known"));
  EXPECT_THAT(Report(*import), HasSubstr("slot1_2@a: its job is not in the dump"));
}

TEST(HtCondorImport, JobsHaveOwnersGroupsAndRules) {
  const absl::StatusOr<Import> import = ImportAll(std::string(kMachines) + kJobs);
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  ASSERT_EQ(cluster.jobs.size(), 4u);
  EXPECT_EQ(cluster.jobs[0].name, "6.0");
  EXPECT_EQ(cluster.tasks[0].status, TaskStatus::kRunning);
  EXPECT_EQ(cluster.tasks[0].node, "slot1@a");
  // What its dynamic slot has, and not what the job requests.
  EXPECT_THAT(cluster.tasks[0].shape.request,
              Contains(Pair("memory", Quantity(int64_t{512} << 20))));
  const JobSpec& job = cluster.jobs[1];
  EXPECT_EQ(job.name, "7.1");
  EXPECT_EQ(job.owner->user, "bob@x");
  EXPECT_EQ(job.queue, "hep.higgs");
  EXPECT_EQ(job.priority, 5);
  EXPECT_THAT(job.settings, ElementsAre(Pair("htcondor/requirements", "TARGET.OpSys == \"LINUX\""),
                                        Pair("htcondor/rank", "TARGET.KFlops"),
                                        Pair("htcondor/concurrency_limits", "lic")));
  EXPECT_THAT(cluster.tasks[1].shape.request, Contains(Pair("memory", Quantity(int64_t{2} << 20))));
  EXPECT_THAT(cluster.tasks[2].gates, ElementsAre("held"));
  EXPECT_EQ(cluster.jobs[3].name, "slot1_2@a");
  EXPECT_EQ(cluster.jobs[3].queue, "hep");
  EXPECT_THAT(Report(*import), HasSubstr("Job 9.0: JobStatus: the job has ended"));
}

TEST(HtCondorImport, KnobsAreOptionsSettingsAndGroups) {
  const absl::StatusOr<Import> import = ImportAll(std::string(kMachines) + kJobs + kAccounting);
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->scenario.profile, "htcondor:negotiate(half_life=3600,preemption=off)");
  const std::vector<QueueSpec>& queues = import->scenario.cluster.queues;
  ASSERT_EQ(queues.size(), 3u);
  EXPECT_THAT(queues[0].settings,
              ElementsAre(Pair("htcondor/PREEMPTION_REQUIREMENTS",
                               "RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2"),
                          Pair("htcondor/concurrency_limits", "lic:2,db.*:4")));
  EXPECT_EQ(queues[0].history->entries[0].user, "ann@x");
  EXPECT_EQ(queues[0].history->entries[0].priority->text, "5.2505");
  EXPECT_THAT(queues[1].settings, ElementsAre(Pair("htcondor/quota", "10")));
  EXPECT_EQ(queues[1].history->entries[0].priority->text, "5");
  EXPECT_EQ(queues[2].parent, "hep");
  EXPECT_THAT(queues[2].settings, ElementsAre(Pair("htcondor/accept_surplus", "true")));
  EXPECT_THAT(Report(*import), HasSubstr("GROUP_QUOTA_none: this knob decides nothing here"));
  EXPECT_THAT(Report(*import), HasSubstr("NEGOTIATOR_INTERVAL: this knob decides nothing here"));
}

TEST(HtCondorImport, WhatWasImportedIsScheduled) {
  const absl::StatusOr<Import> import = ImportAll(std::string(kMachines) + kJobs);
  ASSERT_TRUE(import.ok()) << import.status();
  Cluster cluster;
  ASSERT_TRUE(Fill(import->scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), import->scenario.profile);
  ASSERT_TRUE(plan.ok()) << plan.status();
  // One cpu of four is free, and the job requests two.
  EXPECT_TRUE(plan->binds().empty());
  EXPECT_THAT(*plan->Explain("7.1"),
              HasSubstr("1 node: reject the job because of their own requirements"));
}

TEST(HtCondorImport, AnAdWithoutANameIsRefused) {
  const absl::StatusOr<Import> import = ImportAll(R"({"MyType": "Machine", "Cpus": 1})");
  EXPECT_THAT(std::string(import.status().message()), HasSubstr("each ad has a name"));
}

}  // namespace
}  // namespace muster::testing
