// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster with one queue and a topology of racks and hosts, for tests of profile kueue.
//
//   Job("a", 3, {{kRequired, "rack"}});
//   Cycle();                              // decided alike by a frozen cluster, and applied
//   EXPECT_EQ(PlacesOf("a"), "n0: 2, n1: 1");
#ifndef MUSTER_TESTS_PEER_KUEUE_PLACES_FIXTURE_H_
#define MUSTER_TESTS_PEER_KUEUE_PLACES_FIXTURE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/plan_words.h"

namespace muster::testing {

inline const std::string kHost = "kubernetes.io/hostname";
inline const std::string kRequired = "kueue/podset-required-topology";
inline const std::string kPreferred = "kueue/podset-preferred-topology";
inline const std::string kUnconstrained = "kueue/podset-unconstrained-topology";
inline const std::string kTogether = "kueue/podset-group-name";

// Two racks of two nodes, n0 to n3, with 2 CPUs each. The quota of queue "q" is no bound.
class KueuePlaces : public ::testing::Test {
 protected:
  void SetUp() override {
    Flavor({"rack", kHost});
    QueueRules rules;
    rules.groups = {
        {.resources = {"cpu"}, .flavors = {{.flavor = "tas", .nominal = {{"cpu", 100}}}}}};
    rules.preemption.within_queue = VictimScope::kLowerPriority;
    QueueSpec queue{.name = "q"};
    queue.rules = rules;
    Accept(cluster_.AddQueue(queue));
    for (int n = 0; n < 4; ++n) Accept(cluster_.AddNode(NodeAt(n)));
  }
  static NodeSpec NodeAt(int n) {
    const std::string name = absl::StrCat("n", n);
    return {.name = name,
            .capacity = {{"cpu", 2}, {"pods", 10}},
            .labels = {{"rack", absl::StrCat("r", n / 2)}, {kHost, name}}};
  }
  void Flavor(std::vector<std::string> levels) {
    FlavorSpec flavor{.name = "tas"};
    flavor.topology = FlavorTopology{.name = "default", .levels = std::move(levels)};
    Accept(cluster_.SetFlavor(flavor));
  }
  void Job(const std::string& name, int tasks, const Labels& settings, int32_t priority = 0) {
    JobSpec job{.name = name, .queue = "q", .priority = priority, .min_available = 1};
    job.created = ++clock_;
    job.settings = settings;
    AddJob(cluster_, job, tasks, {{"cpu", 1}});
  }
  // A job of groups with one task of so many CPUs each.
  JobSpec Grouped(const std::vector<std::pair<std::string, int>>& groups, const Labels& settings) {
    JobSpec job{.name = "j", .queue = "q", .min_available = 1};
    job.settings = settings;
    for (const auto& [name, count] : groups) {
      job.groups.push_back({.name = name, .count = count, .shape = {.request = {{"cpu", 1}}}});
    }
    return job;
  }

  // A cycle of the living cluster, which is also that of a frozen one, and its effect.
  Plan Cycle() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule(profile_, {.now = ++clock_});
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return Plan();
    EXPECT_EQ(plan->Digest(), Schedule(cluster_.Freeze(), profile_, {.now = clock_})->Digest());
    EXPECT_TRUE(cluster_.Apply(*plan)->refused.empty());
    return *plan;
  }
  // "n0: 2, n1: 1" of a group that the job has admitted; "waits".
  std::string PlacesOf(const std::string& name, const std::string& group = "") {
    for (const JobSpec& job : cluster_.Describe().jobs) {
      if (job.name != name || job.phase == JobPhase::kPending) continue;
      std::string words;
      for (const GroupAdmission& admitted : job.admission->groups) {
        if (admitted.group != group) continue;
        for (const AssignedPlace& place : admitted.places) {
          absl::StrAppend(&words, words.empty() ? "" : ", ", place.values.back(), ": ",
                          place.count);
        }
      }
      return words;
    }
    return "waits";
  }
  // The places that the job gets in a cycle of its own.
  std::string Places(const std::string& profile) {
    Cluster before = cluster_.Clone();
    profile_ = profile;
    Cycle();
    std::string places = PlacesOf("a");
    cluster_ = std::move(before);
    return places;
  }
  void Fail(int n) {
    NodeSpec node = NodeAt(n);
    node.ready = false;
    Accept(cluster_.UpdateNode(node));
  }
  std::string Refused() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("kueue");
    return plan.ok() ? "taken" : std::string(plan.status().message());
  }

  Cluster cluster_;
  std::string profile_ = "kueue";
  int64_t clock_ = 0;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_PEER_KUEUE_PLACES_FIXTURE_H_
