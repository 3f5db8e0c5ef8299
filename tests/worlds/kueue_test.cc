// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random lives of clusters with quota and topologies under profile kueue: each plan is that of a
// fresh cluster of the same rows and memory, no quota and no place is given away twice, and tasks
// go to their places, whatever becomes of tasks that run, of nodes, of checks that delay the search
// for places, and of LocalQueues.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='KueueWorlds.*'
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/muster.h"
#include "tests/support/plan_words.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

const char kHostLevel[] = "kubernetes.io/hostname";

template <class T>
const T& AnyOf(const std::vector<T>& list, Rng& rng) {
  return list[rng.Below(list.size())];
}

int64_t Whole(const Quantity& amount) { return std::stoll(amount.text); }

int64_t AmountOf(const Resources& amounts, std::string_view resource) {
  const auto at = std::ranges::find(amounts, resource, &std::pair<std::string, Quantity>::first);
  return at == amounts.end() ? 0 : Whole(at->second);
}

bool HasEnded(const TaskSpec& task) {
  return task.status == TaskStatus::kSucceeded || task.status == TaskStatus::kFailed;
}

bool IsOnANode(const TaskSpec& task) {
  switch (task.status) {
    case TaskStatus::kBinding:
    case TaskStatus::kBound:
    case TaskStatus::kRunning:
    case TaskStatus::kReleasing:
      return true;
    default:
      return false;
  }
}

// What happened in all lives.
struct Tally {
  int admitted = 0, evicted = 0, placed = 0, made_anew = 0, bound = 0, replaced = 0, reasons = 0;
};

class Life {
 public:
  Life(uint64_t seed, Tally* tally) : rng_(seed), tally_(tally) {
    AddFlavors();
    AddNodes();
    AddQueues();
  }

  // Returns what went wrong, or nothing.
  std::string Run() {
    const std::string profile = AnyOf<std::string>(
        {"kueue", "kueue:+allocate", "kueue:admit(fair_sharing=on),+allocate"}, rng_);
    for (int64_t now = 0; now < 8; ++now) {
      for (uint64_t more = rng_.Below(4); more > 0; --more) AddOneJob();
      const absl::StatusOr<Plan> plan = cluster_.Schedule(profile, {.now = now});
      if (!plan.ok()) return plan.status().ToString();
      Cluster fresh = MakeCluster(cluster_.Describe());
      const absl::StatusOr<Plan> again =
          fresh.Schedule(profile, {.now = now, .memory = cluster_.memory()});
      if (!again.ok()) return again.status().ToString();
      if (plan->ToText() != again->ToText()) {
        return absl::StrCat("not as a fresh cluster decides:\n", plan->ToText(), "and\n",
                            again->ToText());
      }
      Count(*plan);
      if (absl::StatusOr<ApplyReport> report = cluster_.Apply(*plan); !report.ok()) {
        return report.status().ToString();
      }
      std::string words = Overused();
      if (words.empty()) words = Misplaced(*plan);
      if (!words.empty()) {
        return absl::StrCat("after plan ", now, " under ", profile, ": ", words, "\n",
                            plan->ToText());
      }
      GoOn();
      PassChecks();
      ChangeNodes();
      StopAndStart();
    }
    return "";
  }

 private:
  void AddFlavors() {
    const std::vector<std::vector<std::string>> levels = {
        {}, {"rack"}, {kHostLevel}, {"rack", kHostLevel}};
    for (const char* name : {"spot", "reserved"}) {
      FlavorSpec flavor{.name = name};
      const std::vector<std::string>& chosen = AnyOf(levels, rng_);
      if (!chosen.empty()) {
        flavor.topology = FlavorTopology{.name = "default", .levels = chosen};
        flavor.node_labels = {{"pool", name}};
      }
      all_have_hosts_ &= !chosen.empty() && chosen.back() == kHostLevel;
      Accept(cluster_.SetFlavor(flavor));
    }
  }

  void AddNodes() {
    for (int n = 0; n < 6; ++n) {
      const std::string name = absl::StrCat("n", n);
      const int64_t cpu = 1 + static_cast<int64_t>(rng_.Below(4));
      Accept(cluster_.AddNode({.name = name,
                               .capacity = {{"cpu", cpu}, {"pods", 5}},
                               .labels = {{"pool", n % 2 == 0 ? "spot" : "reserved"},
                                          {"rack", absl::StrCat("r", n / 3)},
                                          {kHostLevel, name}}}));
    }
  }

  void AddQueues() {
    Accept(cluster_.AddQueue({.name = "cohort"}));
    const std::vector<VictimScope> within = {VictimScope::kNever, VictimScope::kLowerPriority,
                                             VictimScope::kLowerOrNewerEqualPriority};
    const std::vector<VictimScope> reclaim = {VictimScope::kNever, VictimScope::kLowerPriority,
                                              VictimScope::kAny};
    for (const char* name : {"a", "b"}) {
      QueueRules rules;
      rules.groups = {{.resources = {"cpu", "pods"}}};
      for (const char* flavor : {"spot", "reserved"}) {
        const int64_t cpu = static_cast<int64_t>(rng_.Below(7));
        const int64_t pods = static_cast<int64_t>(rng_.Below(7));
        quota_[{flavor, "cpu"}] += cpu;
        quota_[{flavor, "pods"}] += pods;
        rules.groups[0].flavors.push_back(
            {.flavor = flavor, .nominal = {{"cpu", cpu}, {"pods", pods}}});
      }
      rules.preemption = {.within_queue = AnyOf(within, rng_), .reclaim = AnyOf(reclaim, rng_)};
      if (rng_.Chance(0.3)) rules.strategy = QueueingStrategy::kStrictFifo;
      if (rng_.Chance(0.5)) rules.flavor_search.when_preempting = FlavorSearch::kMayStop;
      QueueSpec queue{.name = name, .parent = "cohort"};
      if (rng_.Chance(0.3)) {
        rules.checks = {{.name = "m"}};
        queue.settings = {{"kueue/check-controller/m", "provisioning-request"}};
      }
      queue.rules = rules;
      Accept(cluster_.AddQueue(queue));
    }
  }

  void AddOneJob() {
    JobSpec job{.name = absl::StrCat("j", jobs_),
                .queue = rng_.Chance(0.5) ? "a" : "b",
                .priority = static_cast<int32_t>(rng_.Below(3)),
                .min_available = static_cast<int64_t>(rng_.Below(3))};
    job.created = jobs_++;
    const int64_t count = 1 + static_cast<int64_t>(rng_.Below(4));
    const int64_t cpu = static_cast<int64_t>(rng_.Below(3));
    GroupSpec group{.name = "w", .shape = {.request = {{"cpu", cpu}}}};
    if (rng_.Chance(0.2)) {
      group.by_count = ByCount{.count = count};
      if (rng_.Chance(0.5)) group.by_count->min_count = 1;
    } else {
      group.count = count;
    }
    job.groups = {group};
    const char* const keys[] = {"kueue/podset-required-topology",
                                "kueue/podset-preferred-topology"};
    if (rng_.Chance(0.4)) {
      job.settings = {{keys[rng_.Below(2)], rng_.Chance(0.5) ? "rack" : kHostLevel}};
    } else if (rng_.Chance(0.3)) {
      job.settings = {{"kueue/podset-unconstrained-topology", "true"}};
    }
    if (rng_.Chance(0.5)) job.settings.emplace_back("kueue/local-queue", "team/batch");
    Accept(cluster_.AddJob(job));
  }

  void Count(const Plan& plan) {
    tally_->admitted += static_cast<int>(plan.admissions().size());
    tally_->evicted += static_cast<int>(plan.evictions().size());
    for (const Admission& admission : plan.admissions()) {
      for (const GroupAssignment& group : admission.assignment) {
        tally_->placed += !group.places.empty();
      }
    }
    const std::string words = plan.ToText();
    tally_->bound += static_cast<int>(plan.binds().size());
    tally_->replaced += words.find(" to other places with ") != std::string::npos;
    tally_->reasons += words.find("NodeFailures: ") != std::string::npos ||
                       words.find("LocalQueue") != std::string::npos;
  }

  // Returns the first task that the plan binds to a node of no place of its job, or beyond what the
  // place has; empty: none.
  std::string Misplaced(const Plan& plan) const {
    const ClusterSpec rows = cluster_.Describe();
    for (const Bind& bind : plan.binds()) {
      const std::string bound(plan.task_name(bind.task));
      const std::string_view job_name = JobOf(rows, bound);
      const auto job = std::ranges::find(rows.jobs, job_name, &JobSpec::name);
      const GroupAdmission& group = job->admission->groups.at(0);
      if (group.places.empty()) continue;
      int64_t here = 0, may = 0;
      for (const AssignedPlace& place : group.places) {
        if (!IsIn(rows, plan.node_name(bind.node), place)) continue;
        may = place.count;
        for (const TaskSpec& task : rows.tasks) {
          here += task.job == job_name && IsOnANode(task) && IsIn(rows, task.node, place);
        }
      }
      if (here > may) {
        return absl::StrCat(bound, " is one of ", here, " in a place of ", may);
      }
      if (may == 0) return absl::StrCat(bound, " is in no place of its job");
    }
    return "";
  }
  static std::string_view JobOf(const ClusterSpec& rows, std::string_view task) {
    return std::ranges::find(rows.tasks, task, &TaskSpec::name)->job;
  }
  static bool IsIn(const ClusterSpec& rows, std::string_view node, const AssignedPlace& place) {
    const auto row = std::ranges::find(rows.nodes, node, &NodeSpec::name);
    if (row == rows.nodes.end()) return false;
    return std::ranges::any_of(row->labels, [&](const auto& label) {
      return (label.first == "rack" || label.first == kHostLevel) &&
             label.second == place.values.back();
    });
  }

  // Checks pass, and their jobs get places.
  void PassChecks() {
    for (JobSpec job : cluster_.Describe().jobs) {
      const std::string key = "kueue/admission-check/m";
      const auto has = [&](const auto& setting) { return setting.first == key; };
      if (std::ranges::any_of(job.settings, has) || !rng_.Chance(0.3)) continue;
      job.settings.emplace_back(key, "Ready");
      Accept(cluster_.UpdateJob(job));
    }
  }

  // Nodes fail and come back.
  void ChangeNodes() {
    for (NodeSpec node : cluster_.Describe().nodes) {
      if (!rng_.Chance(0.1)) continue;
      if (rng_.Chance(0.5)) {
        node.ready = !node.ready;
      } else {
        node.unschedulable = !node.unschedulable;
      }
      Accept(cluster_.UpdateNode(node));
    }
  }

  void StopAndStart() {
    if (!rng_.Chance(0.2)) return;
    for (QueueSpec queue : cluster_.Describe().queues) {
      const std::vector<std::string> words = {"None", "Hold", "HoldAndDrain"};
      if (queue.name != "cohort") {
        const std::string key = "kueue/local-queue-stop/team/batch";
        std::erase_if(queue.settings, [&](const auto& setting) { return setting.first == key; });
        queue.settings.emplace_back(key, AnyOf(words, rng_));
      }
      Accept(cluster_.UpdateQueue(queue));
    }
  }

  // Returns the first quota or node of which more is held than there is; empty: none.
  std::string Overused() const {
    const ClusterSpec rows = cluster_.Describe();
    std::map<std::pair<std::string, std::string>, int64_t> used;
    std::map<std::string, int64_t> cpus;
    bool none_ended = true;
    for (const JobSpec& job : rows.jobs) {
      int64_t counted = 0;
      bool on_node = false, lives = false;
      Resources request = job.groups[0].shape.request;
      for (const TaskSpec& task : rows.tasks) {
        if (task.job != job.name) continue;
        none_ended &= !HasEnded(task);
        on_node |= IsOnANode(task);
        lives |= !HasEnded(task);
        counted += task.status != TaskStatus::kSucceeded;
        request = task.shape.request;
      }
      if (job.groups[0].by_count) {
        lives = true;
        counted += job.groups[0].by_count->count;
      }
      const bool is_back = job.phase == JobPhase::kPending || job.phase == JobPhase::kCompleted;
      if (!job.admission || !lives || (is_back && !on_node)) continue;
      const GroupAdmission& group = job.admission->groups.at(0);
      const int64_t count = std::min(counted, group.count);
      for (const auto& [resource, flavor] : group.flavors) {
        used[{flavor, resource}] += count * (resource == "pods" ? 1 : AmountOf(request, resource));
      }
      for (const AssignedPlace& place : group.places) {
        cpus[place.values.back()] += place.count * AmountOf(request, "cpu");
      }
    }
    for (const auto& [cell, amount] : used) {
      if (amount > quota_.at(cell)) {
        return absl::StrCat(amount, " of ", quota_.at(cell), " ", cell.second, " from ",
                            cell.first);
      }
    }
    for (const NodeSpec& node : rows.nodes) {
      if (!all_have_hosts_ || !none_ended) break;
      if (cpus[node.name] > AmountOf(node.capacity, "cpu")) {
        return absl::StrCat(cpus[node.name], " cpus on node ", node.name);
      }
    }
    return "";
  }

  // Tasks start, leave, end, and are made anew.
  void GoOn() {
    for (const TaskSpec& task : cluster_.Describe().tasks) {
      if (task.status == TaskStatus::kBinding && rng_.Chance(0.9)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kRunning, task.node));
      } else if (task.status == TaskStatus::kReleasing && rng_.Chance(0.6)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kPending));
      } else if (task.status == TaskStatus::kReleasing && rng_.Chance(0.1)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kRunning, task.node));
      } else if (task.status == TaskStatus::kRunning && rng_.Chance(0.2)) {
        ++tally_->made_anew;
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kPending));
      } else if (task.status == TaskStatus::kRunning && rng_.Chance(0.1)) {
        Accept(cluster_.SetTaskStatus(
            task.name, rng_.Chance(0.5) ? TaskStatus::kFailed : TaskStatus::kSucceeded));
      } else if (task.status == TaskStatus::kFailed && rng_.Chance(0.5)) {
        Accept(cluster_.SetTaskStatus(task.name, TaskStatus::kPending));
      }
    }
  }

  Rng rng_;
  Tally* const tally_;
  Cluster cluster_;
  int64_t jobs_ = 0;
  bool all_have_hosts_ = true;
  std::map<std::pair<std::string, std::string>, int64_t> quota_;  // by flavor and resource
};

TEST(KueueWorlds, NoQuotaIsGivenTwiceAndPlansAreThoseOfAFreshCluster) {
  Tally tally;
  const uint64_t first = FirstSeed(1), worlds = WorldCount(400);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    const std::string words = Life(seed, &tally).Run();
    ASSERT_EQ(words, "") << "seed " << seed;
  }
  // The lives are worth something only if much happens in them.
  const int lives = static_cast<int>(worlds);
  EXPECT_GT(tally.admitted, 2 * lives);
  EXPECT_GT(tally.placed, lives / 4);
  EXPECT_GT(tally.evicted, lives / 4);
  EXPECT_GT(tally.made_anew, lives / 4);
  EXPECT_GT(tally.bound, lives / 2);
  EXPECT_GT(tally.replaced, lives / 50);
  EXPECT_GT(tally.reasons, lives / 10);
}

}  // namespace
}  // namespace muster::testing
