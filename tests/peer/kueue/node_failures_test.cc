// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile kueue on clusters with topologies: tasks go to the places of their admission, and hosts
// that fail are replaced.
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/action.h"
#include "muster/policy.h"
#include "tests/peer/kueue/places_fixture.h"

namespace muster::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char kAllocates[] = "kueue:+allocate";

class KueueHosts : public KueuePlaces {
 protected:
  // A task of no job that takes one CPU of the node.
  void Occupy(const std::string& name, const std::string& node) {
    Accept(cluster_.AddTask({.name = name,
                             .shape = {.request = {{"cpu", 1}}},
                             .status = TaskStatus::kRunning,
                             .node = node}));
  }
  // The tasks of the plan start where it binds them.
  std::string Start() {
    const std::string words = Decide(cluster_, kAllocates, ++clock_);
    const absl::StatusOr<Plan> plan = cluster_.Schedule(kAllocates, {.now = clock_});
    Accept(cluster_.Apply(*plan).status());
    for (const Bind& bind : plan->binds()) {
      testing::Run(cluster_, std::string(plan->task_name(bind.task)),
                   std::string(plan->node_name(bind.node)));
    }
    return words;
  }
  void MakeAnew(const std::string& task) {
    Accept(cluster_.SetTaskStatus(task, TaskStatus::kPending));
  }
  JobSpec JobNamed(const std::string& name) {
    for (const JobSpec& job : cluster_.Describe().jobs) {
      if (job.name == name) return job;
    }
    ADD_FAILURE() << "no job " << name;
    return {};
  }
};

TEST_F(KueueHosts, TasksGoToThePlacesOfTheirAdmission) {
  Occupy("other", "n0");
  Job("a", 4, {{kRequired, "rack"}});
  EXPECT_EQ(Start(), "admit a; bind a0 n2; bind a1 n2; bind a2 n3; bind a3 n3");
  EXPECT_EQ(PlacesOf("a"), "n2: 2, n3: 2");
}

TEST_F(KueueHosts, ATaskThatIsMadeAnewGetsThePlaceThatIsLeft) {
  Occupy("other", "n0");
  Job("a", 4, {{kRequired, "rack"}});
  Start();
  MakeAnew("a2");
  EXPECT_EQ(Start(), "bind a2 n3");
  MakeAnew("a0");
  Occupy("more", "n2");
  EXPECT_EQ(Start(), "");
  EXPECT_THAT(*cluster_.Schedule(kAllocates)->Explain("a0"),
              HasSubstr("no room in n2, its place by admission"));
  Accept(cluster_.RemoveTask("more"));
  EXPECT_EQ(Start(), "bind a0 n2");
}

TEST_F(KueueHosts, TasksOfADomainGoToItsNodes) {
  Flavor({"rack"});
  Occupy("other", "n0");
  Job("a", 3, {{kRequired, "rack"}});
  EXPECT_EQ(Start(), "admit a; bind a0 n1; bind a1 n0; bind a2 n1");
  EXPECT_EQ(PlacesOf("a"), "r0: 3");
}

TEST_F(KueueHosts, MoreTasksThanPlacesWait) {
  Job("a", 2, {{kRequired, kHost}});
  EXPECT_EQ(Start(), "admit a; bind a0 n0; bind a1 n0");
  Accept(cluster_.AddTask({.name = "a2", .job = "a", .shape = {.request = {{"cpu", 1}}}}));
  EXPECT_EQ(Start(), "");
  EXPECT_THAT(*cluster_.Schedule(kAllocates)->Explain("a2"),
              HasSubstr("all places of its admission have their tasks"));
}

// Actions of the caller keep to places, too, however they choose nodes.
TEST_F(KueueHosts, ActionsOfTheCallerKeepToPlaces) {
  Occupy("other", "n3");
  Job("a", 1, {{kRequired, kHost}});
  Cycle();
  ASSERT_EQ(PlacesOf("a"), "n3: 1");
  const auto placed = [&](std::function<NodeIndex(Workbench&, TaskIndex)> place) {
    ScheduleOptions options;
    auto extensions = std::make_shared<Extensions>();
    extensions->actions.push_back(
        {.name = "mine", .summary = "", .run = [place](Workbench& bench, const Options&) {
           for (const JobIndex job : bench.waiting()) {
             const Workbench::Savepoint before = bench.Save();
             for (const TaskIndex task : bench.PendingTasks(job)) place(bench, task);
             bench.Commit(before);
           }
         }});
    options.extensions = extensions;
    const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue:+mine", options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::string nodes;
    for (const Decision& d : plan->decisions()) {
      if (d.task != kNone) nodes += std::string(plan->node_name(d.node)) + " ";
    }
    return nodes;
  };
  EXPECT_EQ(placed([](Workbench& bench, TaskIndex task) { return bench.Place(task); }), "n3 ");
  EXPECT_EQ(placed([](Workbench& bench, TaskIndex task) { return bench.Reserve(task, 99, "g"); }),
            "n3 ");
  EXPECT_EQ(placed([](Workbench& bench, TaskIndex task) {
              for (NodeIndex n = 0; n < 4; ++n) {
                EXPECT_EQ(bench.Fits(task, n), n == 3) << n;
                bench.PlaceOn(task, n);
              }
              return NodeIndex(kNone);
            }),
            "n3 ");
}

TEST_F(KueueHosts, OnePlaceWithoutRoomKeepsNoOtherTaskBack) {
  Job("a", 4, {{kPreferred, "rack"}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2, n1: 2");
  Occupy("x", "n0");
  Occupy("y", "n0");
  EXPECT_EQ(Start(), "bind a2 n1; bind a3 n1");
}

TEST_F(KueueHosts, AHostThatIsNotReadyIsReplacedOnceItsTasksAreGone) {
  Job("a", 3, {{kPreferred, "rack"}});
  EXPECT_EQ(Start(), "admit a; bind a0 n0; bind a1 n0; bind a2 n1");
  const int64_t since = JobNamed("a").admission->time;
  Fail(0);
  EXPECT_EQ(Start(), "");
  MakeAnew("a0");
  EXPECT_EQ(Start(), "");  // a1 is still there
  MakeAnew("a1");
  EXPECT_EQ(Start(), "admit a; bind a0 n2; bind a1 n2");
  EXPECT_EQ(PlacesOf("a"), "n1: 1, n2: 2");
  EXPECT_EQ(JobNamed("a").admission->time, since);
  EXPECT_EQ(JobNamed("a").admission->groups[0].count, 3);
  EXPECT_EQ(Start(), "");
}

TEST_F(KueueHosts, AnotherPlaceIsInTheDomainThatIsRequired) {
  Job("a", 2, {{kRequired, "rack"}});
  EXPECT_EQ(Start(), "admit a; bind a0 n0; bind a1 n0");
  MakeAnew("a0");
  MakeAnew("a1");
  Accept(cluster_.RemoveNode("n0"));
  EXPECT_THAT(Cycle().ToText(),
              HasSubstr("admit a to other places with 2 (cpu from tas) in n1: 2"));
  EXPECT_EQ(PlacesOf("a"), "n1: 2");
  EXPECT_EQ(JobNamed("a").phase, JobPhase::kAdmitted);
}

TEST_F(KueueHosts, AJobWithoutAnotherPlaceIsEvicted) {
  Job("a", 4, {{kRequired, "rack"}});
  EXPECT_EQ(Start(), "admit a; bind a0 n0; bind a1 n0; bind a2 n1; bind a3 n1");
  Fail(0);
  MakeAnew("a0");
  MakeAnew("a1");
  EXPECT_THAT(*cluster_.Schedule(kAllocates)->Explain("a"),
              HasSubstr("NodeFailures: Workload was evicted as there was no replacement for "
                        "unhealthy node(s): n0"));
  EXPECT_EQ(Start(), "evict a2 n1; evict a3 n1");
  MakeAnew("a2");
  MakeAnew("a3");
  EXPECT_EQ(Start(), "admit a; bind a0 n2; bind a1 n2; bind a2 n3; bind a3 n3");
}

TEST_F(KueueHosts, WithoutFailFastAJobEvictsForAnotherPlace) {
  Job("a", 3, {{kRequired, "rack"}}, /*priority=*/9);
  Cycle();
  NodeSpec node = NodeAt(1);
  node.capacity = {{"cpu", 4}, {"pods", 10}};
  Accept(cluster_.UpdateNode(node));
  Job("b", 3, {{kRequired, kHost}});
  Cycle();
  EXPECT_EQ(PlacesOf("a") + "; " + PlacesOf("b"), "n0: 2, n1: 1; n1: 3");
  Accept(cluster_.RemoveNode("n0"));
  EXPECT_THAT(*cluster_.Schedule("kueue")->Explain("a"), HasSubstr("NodeFailures"));
  profile_ = "kueue:tas_failed_node_replacement_fail_fast=off";
  Cycle();
  EXPECT_EQ(PlacesOf("a") + "; " + PlacesOf("b"), "n0: 2, n1: 1; waits");
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n1: 3");
}

TEST_F(KueueHosts, TwoFailuresEvict) {
  Job("a", 4, {{kPreferred, "rack"}});
  Cycle();
  Fail(0);
  Fail(1);
  const Plan plan = Cycle();
  EXPECT_THAT(plan.admissions(), IsEmpty());
  EXPECT_THAT(*plan.Explain("a"),
              HasSubstr("NodeFailures: Workload eviction triggered due to multiple TAS assigned "
                        "node failures, including: n0, n1"));
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n2: 2, n3: 2");
}

TEST_F(KueueHosts, MarksAndTaintsFailAHostUnlessTheyAreTolerated) {
  Job("a", 2, {{kRequired, kHost}});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2");
  NodeSpec node = NodeAt(0);
  node.taints = {{.key = "k", .effect = TaintEffect::kNoSchedule}};
  Accept(cluster_.UpdateNode(node));
  FlavorSpec tolerant{.name = "tas"};
  tolerant.topology = FlavorTopology{.name = "default", .levels = {"rack", kHost}};
  tolerant.tolerations = {{.key = "k", .op = TolerationOp::kExists}};
  Accept(cluster_.SetFlavor(tolerant));
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n0: 2");
  Flavor({"rack", kHost});
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n1: 2");
  node = NodeAt(1);
  node.unschedulable = true;
  Accept(cluster_.UpdateNode(node));
  Cycle();
  EXPECT_EQ(PlacesOf("a"), "n2: 2");
}

TEST_F(KueueHosts, DomainsThatAreNoHostsDoNotFail) {
  Flavor({"rack"});
  Job("a", 3, {{kRequired, "rack"}});
  Cycle();
  Fail(0);
  Fail(1);
  EXPECT_THAT(Cycle().decisions(), IsEmpty());
  EXPECT_EQ(PlacesOf("a"), "r0: 3");
}

TEST_F(KueueHosts, PlacesOfAJobThatWasEvictedMeanwhileAreNotReplaced) {
  Job("a", 2, {{kRequired, kHost}});
  Cycle();
  Fail(0);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_EQ(plan->admissions().size(), 1u);
  JobSpec job = JobNamed("a");
  job.phase = JobPhase::kPending;
  Accept(cluster_.UpdateJob(job));
  const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->refused.size(), 1u);
  EXPECT_EQ(report->refused[0], "admit \"a\": job is no longer admitted");
}

TEST_F(KueueHosts, PlacesOfAnotherAdmissionAreNotReplaced) {
  Job("a", 2, {{kRequired, kHost}});
  Cycle();
  Fail(0);
  const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
  ASSERT_EQ(plan->admissions().size(), 1u);
  const JobSpec job = JobNamed("a");
  const auto apply_after = [&](const JobSpec& changed) {
    Accept(cluster_.UpdateJob(changed));
    const absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan);
    EXPECT_TRUE(report.ok()) << report.status();
    return report->refused.empty() ? "" : report->refused[0];
  };
  JobSpec fewer = job;
  fewer.admission->groups[0].count = 1;
  fewer.admission->groups[0].places[0].count = 1;
  EXPECT_EQ(apply_after(fewer), "admit \"a\": job is admitted otherwise by now");
  FlavorSpec flavor{.name = "spot"};
  flavor.topology = FlavorTopology{.name = "default", .levels = {"rack", kHost}};
  Accept(cluster_.SetFlavor(flavor));
  JobSpec elsewhere = job;
  elsewhere.admission->groups[0].flavors[0].second = "spot";
  EXPECT_EQ(apply_after(elsewhere), "admit \"a\": job is admitted otherwise by now");
  EXPECT_EQ(PlacesOf("a"), "n0: 2");
  EXPECT_EQ(apply_after(job), "");
  EXPECT_EQ(PlacesOf("a"), "n1: 2");
}

}  // namespace
}  // namespace muster::testing
