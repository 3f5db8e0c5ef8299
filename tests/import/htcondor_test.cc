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
using ::testing::Not;
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

// One machine of each architecture, and a job with these requirements.
std::string PoolOf(const std::string& requirements, const std::string& more = "") {
  return R"([{"MyType": "Machine", "Name": "slot1@x", "Cpus": 4, "Memory": 4096, "Disk": 1000,
              "Arch": "X86_64"},
             {"MyType": "Machine", "Name": "slot1@arm", "Cpus": 4, "Memory": 4096, "Disk": 1000,
              "Arch": "ARM64"},
             {"MyType": "Job", "ClusterId": 1, "ProcId": 0, "JobStatus": 1, "User": "ann@x",
              "RequestCpus": 1, "Requirements": )" +
         requirements + more + "}]";
}

std::string PlanOf(const Import& import) {
  Cluster cluster;
  EXPECT_TRUE(Fill(import.scenario, &cluster).ok());
  const absl::StatusOr<Plan> plan =
      Schedule(cluster.Freeze(), import.scenario.profile, {.now = 1'000});
  return plan.ok() ? plan->ToText() : plan.status().ToString();
}

TEST(HtCondorImport, AJobWithUnreadableNeedsIsLeftOut) {
  const auto left_out = [](const std::string& objects) {
    const absl::StatusOr<Import> import = ImportObjects(objects, {});
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok()) return std::string();
    EXPECT_TRUE(import->scenario.cluster.jobs.empty());
    EXPECT_EQ(import->scenario.left_out.size(), 1u);
    const absl::StatusOr<Import> strict = ImportObjects(objects, {.strict = true});
    EXPECT_THAT(std::string(strict.status().message()), HasSubstr("strict: something is left out"));
    return Report(*import);
  };
  EXPECT_THAT(
      left_out(PoolOf(R"("/Expr(TARGET.Arch == \"ARM64\" && regexp(\"a\", Owner))/")")),
      HasSubstr("Job 1.0: Requirements: is not read: expression, byte 33: function regexp"));
  EXPECT_THAT(left_out(PoolOf(R"("/Expr(TARGET.Arch == )/")")),
              HasSubstr("an operand is expected"));
  EXPECT_THAT(left_out(PoolOf("true", R"(, "RequestMemory": "/Expr(Unknown / 2)/")")),
              HasSubstr("Job 1.0: RequestMemory has no value within the ad"));
  EXPECT_THAT(left_out(PoolOf("true", R"(, "ConcurrencyLimits": "/Expr(f(1))/")")),
              HasSubstr("Job 1.0: ConcurrencyLimits: is not read"));
}

TEST(HtCondorImport, RequirementsDecideWhereAJobGoes) {
  const auto plan = [](const std::string& requirements) {
    const absl::StatusOr<Import> import = ImportObjects(PoolOf(requirements), {});
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? PlanOf(*import) : "";
  };
  EXPECT_THAT(plan(R"("/Expr(TARGET.Arch is \"ARM64\")/")"), HasSubstr("bind 1.0 to slot1@arm"));
  EXPECT_THAT(plan(R"("/Expr(stringListIMember(TARGET.Arch, \"arm64,ppc\"))/")"),
              HasSubstr("bind 1.0 to slot1@arm"));
  EXPECT_THAT(plan(R"("/Expr(TARGET.Memory / 2 > 1000 && time() >= 1000)/")"), HasSubstr("bind"));
  EXPECT_THAT(plan(R"("/Expr(time() < 1000)/")"), Not(HasSubstr("bind")));
  // An expression that divides by zero is an error, and no match.
  EXPECT_THAT(plan(R"("/Expr(TARGET.Memory / 0 > 1)/")"), Not(HasSubstr("bind")));
}

TEST(HtCondorImport, AJobThatRunsKeepsItsSlotWhateverItRequires) {
  const absl::StatusOr<Import> import = ImportObjects(
      R"([{"MyType": "Machine", "Name": "slot1@x", "Cpus": 4, "State": "Claimed"},
          {"MyType": "Job", "ClusterId": 1, "ProcId": 0, "JobStatus": 2, "User": "ann@x",
           "RequestCpus": 1, "RemoteHost": "slot1@x", "Requirements": "/Expr(f(1))/"}])",
      {});
  ASSERT_TRUE(import.ok()) << import.status();
  ASSERT_EQ(import->scenario.cluster.tasks.size(), 1u);
  EXPECT_EQ(import->scenario.cluster.tasks[0].node, "slot1@x");
  EXPECT_THAT(import->scenario.cluster.jobs[0].settings,
              ElementsAre(Pair("htcondor/requirements", "false")));
  EXPECT_THAT(Report(*import), HasSubstr("the job keeps its slot and gets no other"));
  // A static slot is claimed as a whole.
  EXPECT_THAT(import->scenario.cluster.tasks[0].shape.request,
              Contains(Pair("cpu", Quantity("4000m"))));
}

TEST(HtCondorImport, SlotsStartWhatTheirRequirementsLet) {
  const auto start = [](const std::string& rules, std::string* report = nullptr) {
    const absl::StatusOr<Import> import = ImportObjects(
        R"({"MyType": "Machine", "Name": "slot1@x", "Cpus": 4, "Tier": 2, )" + rules + "}", {});
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok()) return std::string();
    if (report != nullptr) *report = Report(*import);
    std::string text;
    for (const auto& [key, value] : import->scenario.cluster.nodes[0].settings) {
      text += key.substr(std::string("htcondor/").size()) + "=" + value + ";";
    }
    return text;
  };
  EXPECT_EQ(start(R"("Start": true, "Requirements": "/Expr((START) && (WithinResourceLimits))/")"),
            "START=true;");
  EXPECT_EQ(start(R"("Start": "/Expr(A || B)/",
                     "Requirements": "/Expr(MY.Start && WithinResourceLimits && Tier > 1)/")"),
            "START=(A || B) && true && Tier > 1;+Tier=2;");
  EXPECT_EQ(start(R"("Requirements": "/Expr(TARGET.Start == \"start\")/")"),
            "START=TARGET.Start == \"start\";");
  std::string report;
  EXPECT_EQ(start(R"("Start": "/Expr(f(1))/")", &report), "START=false;");
  EXPECT_THAT(report, HasSubstr("Machine slot1@x: Start: is not read"));
  EXPECT_THAT(report, HasSubstr("no job starts there"));
  // A long START that is named often.
  std::string often = "true", sum = "1";
  for (int i = 0; i < 5'000; ++i) often += " && START", sum += "+1";
  EXPECT_EQ(start("\"Start\": \"/Expr(" + sum + ")/\", \"Requirements\": \"/Expr(" + often + ")/\"",
                  &report),
            "START=false;");
  EXPECT_THAT(report, HasSubstr("longer than 65536 bytes"));
}

TEST(HtCondorImport, AnAttributeThatCannotBeReadIsAnError) {
  const absl::StatusOr<Import> import = ImportObjects(
      R"({"MyType": "Machine", "Name": "slot1@x", "Cpus": 4, "Start": "/Expr(Odd =?= undefined)/",
          "Odd": "/Expr(f(1))/"})",
      {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(import->scenario.cluster.nodes[0].settings, Contains(Pair("htcondor/+Odd", "error")));
  EXPECT_THAT(Report(*import), HasSubstr("Odd: is not read"));
}

TEST(HtCondorImport, KnobsOfSlotsAndLimitsOfSubmittersAreRead) {
  const absl::StatusOr<Import> import = ImportObjects(
      R"([{"MyType": "Machine", "Name": "slot1@x", "Cpus": 4, "PartitionableSlot": true,
           "ConsumptionMemory": "/Expr(quantize(TARGET.RequestMemory, {256}))/"},
          {"MyType": "Accounting", "Name": "Hep.bob@x", "Ceiling": 7, "Floor": 2},
          {"MyType": "Accounting", "Name": "ann@x", "Ceiling": -1, "Floor": 0, "Priority": 500},
          {"MyType": "Accounting", "Name": "hep", "Ceiling": 3}])",
      {.configuration = R"({"CONSUMPTION_POLICY": true, "CONSUMPTION_CPUS": "TARGET.RequestCpus",
        "START": "TARGET.Owner != \"eve\"", "RANK": "TARGET.JobPrio", "SLOT_WEIGHT": "Cpus * 2",
        "NEGOTIATOR_IGNORE_JOB_RANKS": true, "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "Cpus > 1"})",
       .now = 1'000});
  ASSERT_TRUE(import.ok()) << import.status();
  const ClusterSpec& cluster = import->scenario.cluster;
  EXPECT_EQ(import->scenario.profile, "htcondor:negotiate(consumption=on)");
  EXPECT_THAT(
      cluster.nodes[0].settings,
      ElementsAre(Pair("htcondor/+ConsumptionMemory", "quantize(TARGET.RequestMemory, {256})"),
                  Pair("htcondor/+ConsumptionCPUS", "TARGET.RequestCpus")));
  EXPECT_THAT(
      cluster.queues[0].settings,
      ElementsAre(Pair("htcondor/START", "TARGET.Owner != \"eve\""),
                  Pair("htcondor/RANK", "TARGET.JobPrio"), Pair("htcondor/SLOT_WEIGHT", "Cpus * 2"),
                  Pair("htcondor/ceilings", "hep.bob@x:7"),
                  Pair("htcondor/floors", "hep.bob@x:2")));
  EXPECT_THAT(Report(*import), HasSubstr("NEGOTIATOR_IGNORE_JOB_RANKS: is not considered: ranks"));
  EXPECT_THAT(Report(*import), HasSubstr("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT: is not considered"));
  EXPECT_THAT(Report(*import), HasSubstr("Accounting hep: Ceiling: is not considered"));
  // The imported settings are those of the profile.
  EXPECT_EQ(PlanOf(*import).find("INVALID_ARGUMENT"), std::string::npos) << PlanOf(*import);
}

TEST(HtCondorImport, AnUnreadableStartOfThePoolLetsNoJobStart) {
  const absl::StatusOr<Import> import =
      ImportObjects(PoolOf("true"), {.configuration = R"x({"START": "f(1)"})x"});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(Report(*import), HasSubstr("START: is not read"));
  EXPECT_THAT(PlanOf(*import), Not(HasSubstr("bind")));
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
