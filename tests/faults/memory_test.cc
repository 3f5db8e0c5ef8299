// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memory runs out at the first, second, ... allocation of each call of the C++ interface, once and
// for good. The call then ends by std::bad_alloc. A cluster is afterwards as it was, or is lost and
// refuses every call; no byte leaks.
//
// The operators new and delete of this executable are those of tests/capi/failing_new.cc. The list
// of profiles and of importers comes from the registries.
#include "muster/memory.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lib/import/import.h"
#include "lib/scenario/state.h"
#include "muster/cycle_metrics.h"
#include "muster/executor.h"
#include "muster/rehearsal.h"
#include "muster/remedy.h"
#include "muster/upkeep.h"
#include "muster/what_if.h"
#include "tests/capi/failing_new.h"
#include "tests/faults/fault_world.h"
#include "tests/faults/trace_calls.h"

namespace muster {
namespace {

using Calls = FaultCalls;
using Call = Calls::mapped_type;

TaskSpec LoneTask(const char* name, const char* job) {
  return {.name = name, .job = job, .group = "w", .shape = {.request = {{"cpu", 1}}}};
}

void AddRowCalls(Calls* calls) {
  Calls& c = *calls;
  const NodeSpec node{.name = "a node with a name of some length",
                      .capacity = {{"cpu", 4}, {"nvidia.com/gpu", 2}},
                      .labels = {{"a label of some length", "and its value"}}};
  c["AddNode"] = [=](FaultWorld& w) { (void)w.cluster.AddNode(node); };
  c["AddNodes"] = [=](FaultWorld& w) { (void)w.cluster.AddNodes(70, node); };
  c["UpdateNode"] = [=](FaultWorld& w) {
    NodeSpec changed = node;
    changed.name = "n1";
    (void)w.cluster.UpdateNode(changed);
  };
  c["RemoveNode"] = [](FaultWorld& w) { (void)w.cluster.RemoveNode("n2"); };
  const QueueSpec queue{
      .name = "a queue with a name of some length", .parent = "root", .limit = {{{"cpu", 4}}}};
  c["AddQueue"] = [=](FaultWorld& w) { (void)w.cluster.AddQueue(queue); };
  c["UpdateQueue"] = [=](FaultWorld& w) {
    QueueSpec changed = queue;
    changed.name = "vision";
    (void)w.cluster.UpdateQueue(changed);
  };
  c["RemoveQueue"] = [](FaultWorld& w) { (void)w.cluster.RemoveQueue("default"); };
  const JobSpec job{.name = "a job with a name of some length",
                    .queue = "vision",
                    .min_available = 2,
                    .groups = {{.name = "w", .count = 9, .shape = {.request = {{"cpu", 1}}}}}};
  c["AddJob"] = [=](FaultWorld& w) { (void)w.cluster.AddJob(job); };
  c["UpdateJob"] = [=](FaultWorld& w) {
    JobSpec changed = job;
    changed.name = "fits";
    (void)w.cluster.UpdateJob(changed);
  };
  c["RemoveJob"] = [](FaultWorld& w) { (void)w.cluster.RemoveJob("fits"); };
  c["MakeTasks"] = [=](FaultWorld& w) {
    JobSpec counted = job;
    counted.groups[0].count = 0;
    counted.groups[0].by_count = ByCount{.count = 10};
    (void)w.cluster.AddJob(counted);
    (void)w.cluster.MakeTasks(job.name, "w", 5);
  };
  c["AddTask"] = [](FaultWorld& w) { (void)w.cluster.AddTask(LoneTask("another task", "fits")); };
  c["UpdateTask"] = [](FaultWorld& w) {
    TaskSpec task = LoneTask("fits-w-0", "fits");
    task.gates = {"a gate with a name of some length"};
    (void)w.cluster.UpdateTask(task);
  };
  c["RemoveTask"] = [](FaultWorld& w) { (void)w.cluster.RemoveTask("large-w-0"); };
  c["SetTaskStatus"] = [](FaultWorld& w) {
    (void)w.cluster.SetTaskStatus("fits-w-0", TaskStatus::kRunning, "n2");
  };
  c["SetTaskStatusOfAKeptSnapshot"] = [](FaultWorld& w) {
    w.kept = w.cluster.Freeze();
    (void)w.cluster.SetTaskStatus("fits-w-0", TaskStatus::kRunning, "n2");
  };
  c["Domains"] = [](FaultWorld& w) {
    (void)w.cluster.AddDomain({.name = "a domain with a name of some length", .tier = 2});
    (void)w.cluster.RemoveDomain("a domain with a name of some length");
  };
  c["Budgets"] = [](FaultWorld& w) {
    (void)w.cluster.SetDisruptionBudget({.name = "a budget with a name of some length"});
    (void)w.cluster.SetNamespace({.name = "a name space with a name of some length"});
    (void)w.cluster.RemoveDisruptionBudget("default", "a budget with a name of some length");
    (void)w.cluster.RemoveNamespace("a name space with a name of some length");
  };
  c["Records"] = [](FaultWorld& w) {
    (void)w.cluster.SetFlavor({.name = "a flavor with a name of some length"});
    (void)w.cluster.SetPartition({.name = "a partition with a name of some length"});
    (void)w.cluster.RemoveFlavor("a flavor with a name of some length");
    (void)w.cluster.RemovePartition("a partition with a name of some length");
    (void)w.cluster.SetReservation({.name = "a reservation with a name of some length"});
    (void)w.cluster.RemoveReservation("a reservation with a name of some length");
  };
  c["ApplyDelta"] = [=](FaultWorld& w) {
    (void)w.cluster.ApplyDelta({.generation = 1, .object = node});
    (void)w.cluster.ApplyDelta({.generation = 2, .object = LoneTask("waits for its job", "later")});
    (void)w.cluster.ApplyDelta({.generation = 3, .object = Removal{Removal::Kind::kJob, "large"}});
  };
  c["ApplyDeltaOfOtherKinds"] = [=](FaultWorld& w) {
    const std::string rack = "a rack with a name of some length";
    (void)w.cluster.ApplyDelta({1, DomainSpec{.name = rack, .parent = "a row that comes later"}});
    (void)w.cluster.ApplyDelta({1, DomainSpec{.name = "a row that comes later", .tier = 2}});
    (void)w.cluster.ApplyDelta({1, Removal{Removal::Kind::kDomain, "a row that comes later"}});
    (void)w.cluster.ApplyDelta({1, DisruptionBudgetSpec{.name = rack}});
    (void)w.cluster.ApplyDelta({1, NamespaceSpec{.name = rack}});
    (void)w.cluster.ApplyDelta({2, Removal{Removal::Kind::kBudget, rack}});
    (void)w.cluster.ApplyDelta({2, Removal{Removal::Kind::kNamespace, rack}});
  };
  c["Uids"] = [=](FaultWorld& w) {
    TaskSpec task = LoneTask("fits-w-0", "fits");
    task.uid = "a uid that is longer than short texts";
    (void)w.cluster.ApplyDelta({1, task});
    task.uid = "another uid that is longer than short texts";
    (void)w.cluster.ApplyDelta({2, task});
  };
  c["ApplyDeltas"] = [=](FaultWorld& w) {
    NodeSpec refused = node;
    refused.capacity = {{"cpu", Quantity("no amount")}};
    const std::vector<Delta> deltas = {{1, node}, {2, refused}, {3, node}};
    (void)w.cluster.ApplyDeltas(deltas);
    (void)w.cluster.RefusedEvents();
  };
  c["Reconcile"] = [=](FaultWorld& w) {
    ClusterSpec full = w.cluster.Describe();
    full.nodes.push_back(node);
    (void)w.cluster.Reconcile(full);
  };
}

void AddCycleCalls(Calls* calls) {
  Calls& c = *calls;
  for (const ProfileInfo& info : Profiles()) {
    std::string name = info.name;
    for (char& letter : name) letter = letter == '-' ? '_' : letter;
    c["Schedule_" + name] = [profile = info.name](FaultWorld& w) {
      (void)w.cluster.Schedule(profile);
    };
    c["ScheduleASnapshot_" + name] = [profile = info.name](FaultWorld& w) {
      (void)Schedule(w.cluster.Freeze(), profile);
    };
  }
  c["ScheduleAndRemember"] = [](FaultWorld& w) {
    const auto plan = w.cluster.Schedule("volcano:+sampling(remember=on)", {.now = 7});
    if (plan.ok()) (void)w.cluster.Apply(*plan);
  };
  c["Apply"] = [](FaultWorld& w) { (void)w.cluster.Apply(*w.plan); };
  c["ReportEvictFailed"] = [](FaultWorld& w) {
    (void)w.cluster.SetTaskStatus("fits-w-0", TaskStatus::kRunning, "n0");
    (void)w.cluster.SetTaskStatus("fits-w-0", TaskStatus::kReleasing);
    (void)w.cluster.ReportEvictFailed("fits-w-0");
    (void)w.cluster.ApplyDelta({.generation = 1, .object = LoneTask("waits for its job", "later")});
    (void)w.cluster.WaitingEvents();
  };
  c["ReportBindFailed"] = [](FaultWorld& w) {
    (void)w.cluster.Apply(*w.plan);
    (void)w.cluster.ReportBindFailed("fits-w-0");
  };
  c["ExpireAssumptions"] = [](FaultWorld& w) {
    (void)w.cluster.Apply(*w.plan);
    (void)w.cluster.Assumptions();
    (void)w.cluster.ExpireAssumptions(1000, {.bind = 0, .evict = 0});
  };
  c["MeasuredCycle"] = [](FaultWorld& w) {
    CycleMetrics metrics;
    metrics.explain_nodes = true;
    (void)w.cluster.Schedule("volcano", {.metrics = &metrics});
  };
  c["WhatIf"] = [](FaultWorld& w) {
    (void)WhatIf(w.cluster, "muster", {{{.queue = QueueEdit{.name = "vision", .weight = 3}}}});
    (void)WhatIf(w.cluster.Freeze(), "volcano", {{{.remove_job = "large"}}});
  };
  c["Clone"] = [](FaultWorld& w) { (void)w.cluster.Clone(); };
  c["Rehearse"] = [](FaultWorld& w) {
    const std::vector<WhatIfChange> changes = {{.remove_job = "large"}};
    const auto rehearsal = Rehearse(w.cluster, "volcano", changes);
    if (rehearsal.ok()) (void)rehearsal->difference.ToJson();
    (void)Difference(w.cluster.Freeze(), *w.plan, w.cluster.Freeze(), *w.plan);
    (void)MakeChanges(changes, &w.cluster);
  };
  c["MakeThreads"] = [](FaultWorld&) { (void)MakeThreads(3); };
  c["Diagnose"] = [](FaultWorld& w) {
    (void)Diagnose(w.cluster, "volcano", "large", {.trials = 2});
  };
  c["Upkeep"] = [](FaultWorld& w) {
    (void)Drain(w.cluster, "volcano", std::vector<std::string>{"n2"});
    const std::vector<NodeOffer> offers = {{.node = {.name = "a type with a name of some length"}}};
    (void)NeedNodes(w.cluster, "volcano", offers, {.most = 1});
  };
  c["PlanTexts"] = [](FaultWorld& w) {
    (void)w.plan->ToText();
    (void)w.plan->ToJson();
    (void)w.plan->Explain("large");
    (void)w.plan->Digest();
    (void)w.plan->memory().ToText();
  };
  c["SetMemory"] = [](FaultWorld& w) {
    const auto memory = Memory::Parse(
        R"({"version": 1, "slots": {"sampling": {"version": 1, "rows": {"next": [3]}}}})");
    if (memory.ok()) w.cluster.SetMemory(*memory);
  };
  c["Lists"] = [](FaultWorld&) {
    (void)Profiles();
    (void)Policies();
  };
}

void AddTextCalls(Calls* calls) {
  Calls& c = *calls;
  c["Scenario"] = [](FaultWorld& w) {
    const absl::StatusOr<Scenario> scenario = ParseScenario(WriteScenario(Describe(w.cluster)));
    Cluster other;
    if (scenario.ok()) (void)Fill(*scenario, &other);
  };
  c["State"] = [](FaultWorld& w) {
    const std::string state = SaveState(&w.cluster);
    Cluster other;
    (void)LoadState(state, &other);
  };
  for (const std::string_view importer : ImporterNames()) {
    const std::string name(importer);
    std::string word = name;
    for (char& letter : word) letter = letter == '-' ? '_' : letter;
    c["Import_" + word] = [name](FaultWorld&) {
      (void)ImportObjects(
          R"([{"kind": "Node", "metadata": {"name": "a node with a long name"},
               "status": {"allocatable": {"cpu": "4", "pods": "10"}}},
              {"kind": "PodGroup", "apiVersion": "scheduling.volcano.sh/v1beta1",
               "metadata": {"name": "g", "namespace": "ns"}, "spec": {"minMember": 1}},
              {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns",
               "annotations": {"scheduling.k8s.io/group-name": "g"}},
               "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}])",
          {.profile = name});
    };
  }
}

Calls AllCalls() {
  Calls calls;
  AddReaderCalls(&calls);
  AddResultCalls(&calls);
  AddRowCalls(&calls);
  AddCycleCalls(&calls);
  AddTextCalls(&calls);
  return calls;
}

// Runs the call with its `at`-th allocation failing. Returns whether it got that far. Exceptions of
// other types than those of the standard library for memory fail the test.
bool RunsOutOfMemory(const Call& call, FaultWorld* world, int64_t at, bool for_good) {
  bool threw = false;
  persistent = for_good;
  until_failure = at;
  try {
    call(*world);
  } catch (const std::bad_alloc&) {
    threw = true;
  } catch (const std::length_error&) {
    threw = true;
  }
  const bool got_there = until_failure.load() <= 0;
  until_failure = -1;
  EXPECT_TRUE(got_there || !threw);
  return got_there;
}

// A lost cluster refuses, shows nothing, and can be replaced.
void ExpectLost(Cluster* cluster) {
  EXPECT_EQ(cluster->AddNode({.name = "n9"}).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(cluster->SetTaskStatus("fits-w-0", TaskStatus::kFailed).code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(cluster->Schedule("volcano").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(WhatIf(*cluster, "volcano", {}).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(cluster->Reconcile({}).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Rehearse(cluster->Clone(), "volcano", {}).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(MakeChanges({}, cluster).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Diagnose(*cluster, "volcano", "large").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Drain(*cluster, "volcano", {}).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(NeedNodes(*cluster, "volcano", {}).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(cluster->Describe().nodes.empty());
  EXPECT_EQ(cluster->Freeze().node_count(), 0u);
  *cluster = Cluster();
  EXPECT_TRUE(cluster->AddNode({.name = "n9"}).ok());
}

class CppMemoryRunsOut : public ::testing::TestWithParam<Calls::value_type> {};

TEST_P(CppMemoryRunsOut, AtAnyAllocation) {
  const Call& call = GetParam().second;
  {  // what is made once and kept is made now
    FaultWorld world;
    call(world);
  }
  int64_t failures = 0, lost = 0;
  for (const bool for_good : {false, true}) {
    for (int64_t at = 1;; at = NextToFail(at)) {
      const int64_t before = living.load();
      bool got_there = false;
      {
        FaultWorld world;
        const uint64_t version = world.cluster.version();
        got_there = RunsOutOfMemory(call, &world, at, for_good);
        failures += got_there;
        if (world.cluster.version() == UINT64_MAX) {
          ++lost;
          ExpectLost(&world.cluster);
        } else if (got_there && world.cluster.version() == version) {
          ASSERT_EQ(RowsOf(world.cluster), world.rows) << at;
          ASSERT_EQ(NextPlan(&world.cluster), world.next) << at;
          call(world);  // works as if nothing had happened
        }
        if (world.cluster.version() != UINT64_MAX) {
          ASSERT_EQ(NextPlan(&world.cluster, "muster"), FreshPlan(world.cluster, "muster")) << at;
        }
      }
      ASSERT_EQ(living.load(), before) << at << ": a leak";
      if (!got_there) break;
    }
  }
  // Removals of rows that nothing refers to, a status in place and a plan that is known take none.
  EXPECT_TRUE(failures > 0 || GetParam().first.starts_with("Remove") ||
              GetParam().first == "SetTaskStatus" || GetParam().first == "Schedule_volcano");
  RecordProperty("failures", static_cast<int>(failures));
  RecordProperty("lost", static_cast<int>(lost));
  std::printf("%d allocations failed, %d of them lost the cluster\n", static_cast<int>(failures),
              static_cast<int>(lost));
}

INSTANTIATE_TEST_SUITE_P(Faults, CppMemoryRunsOut, ::testing::ValuesIn(AllCalls()),
                         [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace muster
