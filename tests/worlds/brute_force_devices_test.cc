// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How often profile muster leaves a gang out that requests devices and could be placed beside
// everything else of its plan: all placements of small worlds are looked at, in every order in
// which the tasks could come to their nodes, each getting what the strategy then gives; and again
// with every device that would do.
//
//   MUSTER_WORLDS=100000 MUSTER_SEED=7 muster_worlds --gtest_filter='BruteForceDevices.*'
//
// By the strategy's choices a gang of like tasks is never left out; one of unlike tasks may be,
// when the search for it ran out of tries or went past an order; how often is counted, printed and
// bounded. What only other devices than the strategy's would make possible is counted and printed.
// The twin must agree with the engine on every plan.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "lib/fit/node_devices.h"
#include "lib/model/access.h"
#include "lib/model/device_holds.h"
#include "lib/model/tables.h"
#include "muster/schedule.h"
#include "tests/support/against_reference.h"
#include "tests/support/random_world.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;

template <class T>
T Pick(Rng& rng, const std::vector<T>& items) {
  return items[rng.Below(items.size())];
}

DeviceRequest RandomAsk(Rng& rng) {
  DeviceRequest ask{.kind = "gpu", .count = Pick<int64_t>(rng, {1, 1, 1, 2})};
  ask.milli = Pick<int64_t>(rng, {1000, 1000, 500, 500, 300, 700});
  if (rng.Chance(0.25)) ask.memory = Quantity(8 * kGi);
  if (rng.Chance(0.3)) ask.models = {Pick<std::string>(rng, {"a", "b"})};
  ask.exclusive = rng.Chance(0.1);
  ask.same = Pick<SamePart>(
      rng, {SamePart::kNode, SamePart::kNode, SamePart::kNode, SamePart::kZone, SamePart::kLink});
  return ask;
}

// 1 to 3 nodes of up to 4 GPUs; some are held by tasks that run or are leaving; 1 to 3 gangs of 2
// to 4 tasks.
ClusterSpec WorldOfGangs(Rng& rng, bool alike) {
  ClusterSpec world;
  world.queues = {{.name = "a"}, {.name = "b"}};
  world.jobs.push_back({.name = "old", .queue = "a", .min_available = 1});
  const uint64_t nodes = 1 + rng.Below(3);
  for (uint64_t n = 0; n < nodes; ++n) {
    NodeSpec node{.name = absl::StrCat("n", n)};
    node.capacity = {{"cpu", static_cast<int64_t>(3 + rng.Below(6))}};
    node.zones = {{.name = "z0"}, {.name = "z1"}};
    const bool memory = rng.Chance(0.5), models = rng.Chance(0.7);
    const uint64_t devices = 1 + rng.Below(4);
    for (uint64_t d = 0; d < devices; ++d) {
      DeviceSpec device{.name = absl::StrCat("d", d), .kind = "gpu"};
      device.model = models ? Pick<std::string>(rng, {"a", "b"}) : "a";
      device.zone = Pick<std::string>(rng, {"z0", "z1"});
      device.links = {Pick<std::string>(rng, {"l0", "l1"})};
      if (memory) device.memory = Quantity(Pick<int64_t>(rng, {8, 16}) * kGi);
      if (rng.Chance(0.25)) {
        TaskSpec task{.name = absl::StrCat("old", world.tasks.size()), .job = "old"};
        task.shape.request = {{"cpu", 1}};
        task.status = rng.Chance(0.5) ? TaskStatus::kRunning : TaskStatus::kReleasing;
        task.node = node.name;
        task.devices = {{.device = device.name, .milli = Pick<int64_t>(rng, {1000, 500})}};
        world.tasks.push_back(std::move(task));
      }
      node.devices.push_back(std::move(device));
    }
    world.nodes.push_back(std::move(node));
  }
  const uint64_t gangs = 1 + rng.Below(3);
  for (uint64_t j = 0; j < gangs; ++j) {
    JobSpec& job = world.jobs.emplace_back();
    job.name = absl::StrCat("j", j);
    job.queue = rng.Chance(0.5) ? "a" : "b";
    const uint64_t size = 2 + rng.Below(3);
    job.min_available = static_cast<int64_t>(rng.Below(4) == 0 ? 1 + rng.Below(size) : size);
    TaskShape shape;
    for (uint64_t t = 0; t < size; ++t) {
      if (t == 0 || !alike) {
        shape.request = {{"cpu", static_cast<int64_t>(1 + rng.Below(2))}};
        shape.devices.clear();
        if (t == 0 || rng.Chance(0.85)) shape.devices.push_back(RandomAsk(rng));
      }
      world.tasks.push_back(
          {.name = absl::StrCat(job.name, "-", t), .job = job.name, .shape = shape});
    }
  }
  return world;
}

// Everything after the plan, once leaving tasks have gone.
class DevicesAfter {
 public:
  DevicesAfter(const Tables& tables, const Plan& plan, DevicePick strategy)
      : t_(tables), strategy_(strategy) {
    for (NodeIndex n = 0; n < t_.nodes.alive.size(); ++n) {
      Node& node = nodes_.emplace_back();
      node.cpu = t_.nodes.allocatable.row(n)[kCpu];
      for (const DeviceSpec& spec : t_.nodes.spec[n].devices) {
        NodeDevice& device = node.devices.emplace_back();
        device.kind = Number(spec.kind);
        device.model = Number(spec.model);
        device.zone = Number(spec.zone);
        for (const std::string& link : spec.links) device.links.push_back(Number(link));
        device.total = {spec.milli, MemoryOf(spec.memory)};
        node.free.push_back(device.total);
      }
    }
    for (ClassIndex c = 0; c < t_.classes.shape.size(); ++c) {
      std::vector<DeviceAsk>& asks = asks_.emplace_back();
      for (const DeviceRequest& request : t_.classes.shape[c].devices) {
        DeviceAsk& ask = asks.emplace_back();
        ask.kind = Number(request.kind);
        ask.count = request.count;
        ask.each = {request.milli, MemoryOf(request.memory)};
        for (const std::string& model : request.models) ask.models.push_back(Number(model));
        ask.exclusive = request.exclusive;
        if (request.same == SamePart::kZone) ask.together = DeviceTogether::kZone;
        if (request.same == SamePart::kLink) ask.together = DeviceTogether::kLink;
      }
    }
    for (TaskIndex task = 0; task < t_.tasks.alive.size(); ++task) {
      placed_.push_back(t_.tasks.node[task] != kNone);
      if (t_.tasks.status[task] != TaskStatus::kRunning) continue;
      for (const DeviceHold& hold : t_.hold_lists[t_.tasks.devices[task]])
        held_[task].push_back(PartOf(t_.tasks.node[task], hold.device, hold.milli, hold.memory));
      Take(task, t_.tasks.node[task], held_[task], 1);
    }
    Follow(plan);
  }

  // Tasks that the plan nominates and that do not get what they request.
  int64_t without_devices() const { return without_devices_; }

  int64_t Lacks(JobIndex job) const {
    int64_t placed = 0;
    for (TaskIndex task : t_.jobs.tasks[job]) placed += placed_[task];
    return std::max<int64_t>(t_.jobs.spec[job].min_available - placed, 0);
  }

  // As the strategy gives devices to tasks that come in whatever order.
  bool FitsByStrategy(JobIndex job, int64_t lacks) {
    if (lacks == 0) return true;
    std::set<ClassIndex> tried;
    for (TaskIndex task : t_.jobs.tasks[job]) {
      if (placed_[task] || !tried.insert(ClassOf(task)).second) continue;
      for (NodeIndex n = 0; n < nodes_.size(); ++n) {
        std::vector<DevicePart> grants;
        if (nodes_[n].cpu < CpuOf(task) ||
            !ChooseNodeDevices(nodes_[n].devices, nodes_[n].free, asks_[ClassOf(task)], strategy_,
                               &grants)) {
          continue;
        }
        placed_[task] = true;
        Take(task, n, grants, 1);
        const bool found = FitsByStrategy(job, lacks - 1);
        Take(task, n, grants, -1);
        placed_[task] = false;
        if (found) return true;
      }
    }
    return false;
  }

  // On whatever devices.
  bool FitsSomehow(JobIndex job, size_t at, int64_t lacks) {
    if (lacks == 0) return true;
    if (at == t_.jobs.tasks[job].size()) return false;
    const TaskIndex task = t_.jobs.tasks[job][at];
    if (placed_[task]) return FitsSomehow(job, at + 1, lacks);
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].cpu < CpuOf(task)) continue;
      for (const std::vector<DevicePart>& grants : Choices(ClassOf(task), nodes_[n])) {
        Take(task, n, grants, 1);
        const bool found = FitsSomehow(job, at + 1, lacks - 1);
        Take(task, n, grants, -1);
        if (found) return true;
      }
    }
    return FitsSomehow(job, at + 1, lacks);
  }

 private:
  struct Node {
    int64_t cpu = 0;
    std::vector<NodeDevice> devices;
    std::vector<DeviceAmount> free;
  };

  uint32_t Number(const std::string& name) {
    return numbers_.emplace(name, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  ClassIndex ClassOf(TaskIndex task) const { return t_.tasks.task_class[task]; }
  int64_t CpuOf(TaskIndex task) const { return t_.classes.request.row(ClassOf(task))[kCpu]; }
  DevicePart PartOf(NodeIndex node, const std::string& device, int64_t milli,
                    const Quantity& memory) const {
    uint32_t d = 0;
    while (t_.nodes.spec[node].devices[d].name != device) ++d;
    return {d, {milli, MemoryOf(memory)}};
  }

  void Take(TaskIndex task, NodeIndex n, const std::vector<DevicePart>& grants, int64_t sign) {
    nodes_[n].cpu -= sign * CpuOf(task);
    for (const DevicePart& grant : grants) {
      nodes_[n].free[grant.device].milli -= sign * grant.amount.milli;
      nodes_[n].free[grant.device].memory -= sign * grant.amount.memory;
    }
  }

  // Decisions in turn: what is bound gets what the plan names, what is nominated what the strategy
  // gives.
  void Follow(const Plan& plan) {
    for (const Decision& d : plan.decisions()) {
      if (d.kind == DecisionKind::kEvict) Take(d.task, t_.tasks.node[d.task], held_[d.task], -1);
      std::vector<DevicePart> grants;
      if (d.kind == DecisionKind::kBind) {
        for (const ChosenDevice& chosen : plan.devices()) {
          if (chosen.task == d.task)
            grants.push_back(PartOf(d.node, chosen.device, chosen.milli, Quantity(chosen.memory)));
        }
      } else if (d.kind == DecisionKind::kNominate) {
        without_devices_ += !ChooseNodeDevices(nodes_[d.node].devices, nodes_[d.node].free,
                                               asks_[ClassOf(d.task)], strategy_, &grants);
      } else {
        continue;
      }
      placed_[d.task] = true;
      Take(d.task, d.node, grants, 1);
    }
  }

  // Every set of devices that would do. Tasks request one kind.
  std::vector<std::vector<DevicePart>> Choices(ClassIndex c, const Node& node) const {
    if (asks_[c].empty()) return {{}};
    const DeviceAsk& ask = asks_[c][0];
    std::vector<std::vector<DevicePart>> choices;
    for (uint32_t set = 0; set < 1U << node.devices.size(); ++set) {
      std::vector<DevicePart> grants;
      std::set<uint32_t> zones, links;
      bool serves = true;
      for (uint32_t d = 0; d < node.devices.size(); ++d) {
        if (!(set >> d & 1)) continue;
        const NodeDevice& device = node.devices[d];
        const DeviceAmount& free = node.free[d];
        serves &= free.milli >= ask.each.milli && free.memory >= ask.each.memory &&
                  (!ask.exclusive || free == device.total) &&
                  (ask.models.empty() || ask.models[0] == device.model);
        zones.insert(device.zone);
        links.insert(device.links[0]);
        grants.push_back({d, ask.exclusive ? device.total : ask.each});
      }
      serves &= static_cast<int64_t>(grants.size()) == ask.count &&
                (ask.together != DeviceTogether::kZone || zones.size() == 1) &&
                (ask.together != DeviceTogether::kLink || links.size() == 1);
      if (serves) choices.push_back(std::move(grants));
    }
    return choices;
  }

  const Tables& t_;
  const DevicePick strategy_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<std::vector<DeviceAsk>> asks_;  // per class
  std::vector<bool> placed_;
  std::map<TaskIndex, std::vector<DevicePart>> held_;
  int64_t without_devices_ = 0;
};

struct Tally {
  int64_t gangs = 0, waiting = 0, missed = 0, otherwise = 0, bare = 0, differ = 0;
  std::string first;  // the first world with a miss
};

Tally Measure(bool alike, const std::string& profile, DevicePick strategy) {
  Tally tally;
  const uint64_t first = FirstSeed(1), worlds = WorldCount(2000);
  for (uint64_t seed = first; seed < first + worlds; ++seed) {
    Rng rng(seed);
    const ClusterSpec world = WorldOfGangs(rng, alike);
    const Snapshot snapshot = MakeCluster(world).Freeze();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, profile);
    if (!plan.ok()) {
      tally.first = plan.status().ToString();
      ++tally.differ;
      return tally;
    }
    // The twin takes its time.
    if (seed % 10 == 0 && !DifferenceFromReference(snapshot, profile).empty()) {
      ++tally.differ;
      tally.first = ReportDifference(world, profile);
      return tally;
    }
    DevicesAfter after(TablesOf(snapshot), *plan, strategy);
    const auto note = [&](const char* what) {
      if (tally.first.empty())
        tally.first =
            absl::StrCat(what, ": seed ", seed, "\n", AsScenario(world, profile), plan->ToText());
    };
    tally.bare += after.without_devices();
    if (after.without_devices() > 0) note("nominated without its devices");
    for (JobIndex job = 1; job < world.jobs.size(); ++job) {
      ++tally.gangs;
      if (after.Lacks(job) == 0) continue;
      ++tally.waiting;
      if (after.FitsByStrategy(job, after.Lacks(job))) {
        ++tally.missed;
        note("missed");
      } else {
        tally.otherwise += after.FitsSomehow(job, 0, after.Lacks(job));
      }
    }
  }
  return tally;
}

Tally Report(const std::string& what, bool alike, const std::string& profile, DevicePick strategy) {
  const Tally tally = Measure(alike, profile, strategy);
  const auto percent = [&](int64_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(tally.gangs);
  };
  std::cout << absl::StrFormat(
      "%s: %d gangs, %d left waiting, %d of them could be placed (%.4f%% of all), %d more on other "
      "devices than the strategy's (%.2f%%)\n",
      what, tally.gangs, tally.waiting, tally.missed, percent(tally.missed), tally.otherwise,
      percent(tally.otherwise));
  EXPECT_EQ(tally.differ, 0) << tally.first;
  EXPECT_EQ(tally.bare, 0) << tally.first;
  EXPECT_GT(tally.waiting, tally.gangs / 20) << "dull worlds";
  return tally;
}

const std::pair<const char*, DevicePick> kStrategies[] = {{"pack", DevicePick::kPack},
                                                          {"spread", DevicePick::kSpread},
                                                          {"best-fit", DevicePick::kBestFit}};

TEST(BruteForceDevices, LikeTasksAreNeverMissed) {
  for (const auto& [name, strategy] : kStrategies) {
    const Tally tally = Report(absl::StrCat("like tasks, ", name), /*alike=*/true,
                               absl::StrCat("muster:devices(strategy=", name, ")"), strategy);
    EXPECT_EQ(tally.missed, 0) << tally.first;
  }
}

TEST(BruteForceDevices, UnlikeTasksAreMissedLessTheMoreTries) {
  for (const auto& [name, strategy] : kStrategies) {
    const std::string of = absl::StrCat("muster:devices(strategy=", name, ")");
    const Tally none =
        Report(absl::StrCat("unlike tasks, ", name, ", no tries"), /*alike=*/false,
               absl::StrCat(of, ",allocate(tries=0),reclaim(tries=0),preempt(tries=0)"), strategy);
    const Tally usual =
        Report(absl::StrCat("unlike tasks, ", name, ", 200 tries"), /*alike=*/false, of, strategy);
    EXPECT_GT(none.missed, none.gangs / 500);
    EXPECT_LE(usual.missed, usual.gangs / 1000) << usual.first;
  }
}

// A gang that was nominated is bound once all that was leaving has gone, in whatever order its
// tasks are looked at then. But a nomination names no devices: where other gangs are about, they
// may take then, or have taken after it, what it was to get. That is counted.
TEST(BruteForceDevices, GangsThatAreNominatedAreBoundInTheEnd) {
  int64_t nominated = 0, lost = 0, to_others = 0;
  std::string first;
  for (uint64_t seed = FirstSeed(1); seed < FirstSeed(1) + WorldCount(2000); ++seed) {
    const auto& [name, strategy] = kStrategies[seed % std::size(kStrategies)];
    const std::string profile = absl::StrCat("muster:devices(strategy=", name, ")");
    Rng rng(seed);
    const ClusterSpec world = WorldOfGangs(rng, /*alike=*/seed % 2 == 0);
    Cluster cluster = MakeCluster(world);
    const absl::StatusOr<Plan> plan = Schedule(cluster.Freeze(), profile);
    ASSERT_TRUE(plan.ok()) << plan.status();
    if (plan->nominations().empty()) continue;
    ASSERT_TRUE(cluster.Apply(*plan).ok());
    for (const TaskSpec& task : cluster.Describe().tasks) {
      if (task.status != TaskStatus::kReleasing) continue;
      ASSERT_TRUE(cluster.SetTaskStatus(task.name, TaskStatus::kSucceeded).ok());
    }
    const absl::StatusOr<Plan> next = Schedule(cluster.Freeze(), profile);
    ASSERT_TRUE(next.ok()) << next.status();
    const auto gangs_of = [](const Plan& of, const auto& places) {
      std::set<std::string> gangs;
      for (const auto& d : places) {
        const std::string task(of.task_name(d.task));
        gangs.insert(task.substr(0, task.find('-')));
      }
      return gangs;
    };
    const std::set<std::string> bound = gangs_of(*next, next->binds());
    for (const std::string& gang : gangs_of(*plan, plan->nominations())) {
      ++nominated;
      if (bound.contains(gang)) continue;
      if (world.jobs.size() > 2) {
        ++to_others;
        continue;
      }
      ++lost;
      if (first.empty())
        first = absl::StrCat("seed ", seed, "\n", AsScenario(world, profile), plan->ToText(),
                             "then\n", next->ToText());
    }
  }
  std::cout << absl::StrFormat("%d gangs nominated, %d not bound, %d more beside other gangs\n",
                               nominated, lost, to_others);
  if (WorldCount(2000) >= 1000) {
    EXPECT_GT(nominated, 100);
    EXPECT_LE(to_others, nominated / 100);
  }
  EXPECT_EQ(lost, 0) << first;
}

}  // namespace
}  // namespace muster::testing
