// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Profile koordinator on random worlds: what every plan keeps, cycle after cycle, and that a living
// cluster and a snapshot decide alike.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "lib/base/rng.h"
#include "muster/quantity.h"
#include "muster/schedule.h"
#include "tests/support/checked_plan.h"
#include "tests/support/profile_specs.h"
#include "tests/support/random_edits.h"
#include "tests/support/random_world.h"
#include "tests/support/validator.h"
#include "tests/support/world_loop.h"

namespace muster::testing {
namespace {

int64_t CpuOf(const Resources& resources) {
  for (const auto& [name, amount] : resources) {
    if (name == "cpu") return ParseQuantity(amount.text, Unit::kMilli).value_or(0);
  }
  return 0;
}

// CPUs are named by their numbers.
bool IsCpuName(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}
bool IsNoCpu(const DeviceHold& hold) { return !IsCpuName(hold.device); }

bool HasMachines(const ClusterSpec& cluster) {
  return std::ranges::any_of(cluster.nodes, [](const NodeSpec& node) {
    return std::ranges::any_of(node.devices,
                               [](const DeviceSpec& device) { return device.kind == "cpu"; });
  });
}

int64_t CpusOf(const Plan& plan) {
  return std::ranges::count_if(plan.devices(),
                               [](const ChosenDevice& chosen) { return IsCpuName(chosen.device); });
}

// GPUs for nodes, and requests of them for pods that wait.
void AddGpus(Rng& rng, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    if (!node.devices.empty() || rng.Chance(0.3)) continue;
    for (uint64_t i = 0; i <= rng.Below(4); ++i) {
      DeviceSpec gpu{.name = absl::StrCat("gpu", i), .kind = "gpu", .memory = "16Gi"};
      if (rng.Chance(0.8)) gpu.links = {absl::StrCat("pcie", i / 2)};
      gpu.healthy = rng.Chance(0.9);
      node.devices.push_back(std::move(gpu));
    }
  }
  for (TaskSpec& task : world->tasks) {
    if (!task.node.empty() || !task.shape.devices.empty() || rng.Chance(0.5)) continue;
    DeviceRequest request{.kind = "gpu"};
    request.milli = rng.Chance(0.5) ? 1000 : 300;
    if (request.milli == 1000) request.count = static_cast<int64_t>(1 + rng.Below(2));
    task.shape.devices = {request};
  }
}

// CPUs and zones for nodes, policies for both, and pods that request CPUs of their own.
void AddMachines(Rng& rng, ClusterSpec* world) {
  for (NodeSpec& node : world->nodes) {
    const int64_t milli = CpuOf(node.capacity);
    if (!node.zones.empty() || milli < 2000 || rng.Chance(0.2)) continue;
    const int sockets = static_cast<int>(1 + rng.Below(2));
    const int cores = static_cast<int>(1 + rng.Below(4));
    for (int zone = 0; zone < sockets; ++zone) {
      node.zones.push_back({.name = absl::StrCat("zone", zone)});
      if (rng.Chance(0.9)) {
        node.zones.back().capacity = {{"cpu", absl::StrCat(milli / sockets, "m")}};
      }
    }
    for (int cpu = 0; cpu < sockets * cores * 2 && rng.Chance(0.98); ++cpu) {
      const int zone = cpu / (cores * 2);
      DeviceSpec device{.name = absl::StrCat(cpu), .kind = "cpu"};
      device.zone = absl::StrCat("zone", zone);
      device.links = {absl::StrCat("core-", cpu / 2 % cores), absl::StrCat("socket-", zone)};
      device.healthy = rng.Chance(0.95);
      node.devices.push_back(std::move(device));
    }
    constexpr Alignment kAlignments[] = {Alignment::kUnset, Alignment::kBestEffort,
                                         Alignment::kRestricted, Alignment::kSingleNumaNode};
    node.alignment = kAlignments[rng.Below(4)];
    const auto label = [&](const char* key, const char* value) {
      node.labels.emplace_back(absl::StrCat("node.koordinator.sh/", key), value);
    };
    if (rng.Chance(0.2)) label("cpu-bind-policy", "FullPCPUsOnly");
    if (rng.Chance(0.3)) label("numa-allocate-strategy", "MostAllocated");
    if (rng.Chance(0.2)) node.settings.emplace_back("koordinator/amplified_cpu", "1.5");
  }
  for (TaskSpec& task : world->tasks) {
    Labels& labels = task.shape.labels;
    if (!task.node.empty() || rng.Chance(0.3)) continue;
    labels.emplace_back("koordinator.sh/qosClass", rng.Chance(0.5) ? "LSR" : "LSE");
    labels.emplace_back("koordinator.sh/priority-class", "koord-prod");
    if (rng.Chance(0.3)) labels.emplace_back("koordinator/cpu-required", "FullPCPUs");
    if (rng.Chance(0.3)) labels.emplace_back("koordinator/cpu-preferred", "SpreadByPCPUs");
    if (rng.Chance(0.3)) labels.emplace_back("koordinator/cpu-exclusive", "PCPULevel");
    if (rng.Chance(0.2)) task.shape.alignment = Alignment::kSingleNumaNode;
    if (rng.Chance(0.2)) labels.emplace_back("koordinator/zone-exclusive", "Preferred");
  }
}

// Devices for reservations, each for one of them and held by no task.
void ReserveDevices(Rng& rng, ClusterSpec* world) {
  std::set<std::pair<std::string, std::string>> taken;
  for (const TaskSpec& task : world->tasks) {
    for (const DeviceHold& hold : task.devices) taken.emplace(task.node, hold.device);
  }
  for (ReservationSpec& one : world->reservations) {
    const auto node = std::ranges::find(world->nodes, one.node, &NodeSpec::name);
    if (node == world->nodes.end()) continue;
    int64_t cpus = CpuOf(one.shape.request) / 1000;
    std::string of_cpus, of_devices;
    for (const DeviceSpec& device : node->devices) {
      const bool is_cpu = device.kind == "cpu";
      if ((is_cpu && cpus == 0) || !rng.Chance(0.5) || !device.healthy) continue;
      if (!taken.emplace(node->name, device.name).second) continue;
      std::string& list = is_cpu ? of_cpus : of_devices;
      absl::StrAppend(&list, list.empty() ? "" : ",", device.name);
      if (is_cpu) --cpus;
    }
    if (!of_cpus.empty()) one.shape.labels.emplace_back("koordinator/cpuset", of_cpus);
    if (!of_devices.empty()) one.shape.labels.emplace_back("koordinator/device-parts", of_devices);
  }
}

// Quotas for queues, settings and groups of gangs for jobs, reservations, loads for nodes.
void AddKoordinatorObjects(Rng& rng, ClusterSpec* world) {
  for (QueueSpec& queue : world->queues) {
    queue.guaranteed.reset();
    queue.limit.reset();
    if (rng.Chance(0.6)) {
      queue.guaranteed = Resources{{"cpu", static_cast<int64_t>(rng.Below(12))},
                                   {"memory", absl::StrCat(rng.Below(40), "Gi")}};
    }
    if (rng.Chance(0.4)) {
      queue.limit = Resources{{"cpu", static_cast<int64_t>(12 + rng.Below(20))},
                              {"memory", absl::StrCat(40 + rng.Below(60), "Gi")}};
    }
    if (rng.Chance(0.2)) queue.settings.push_back({"koordinator/lends", "false"});
  }
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.2)) job.settings.push_back({"koordinator/mode", "NonStrict"});
    if (rng.Chance(0.1)) job.settings.push_back({"koordinator/waiting-time", "2"});
  }
  if (world->jobs.size() > 1 && rng.Chance(0.3)) {
    const std::string group = absl::StrCat(world->jobs[0].name, ",", world->jobs[1].name);
    for (int i = 0; i < 2; ++i) world->jobs[i].settings.push_back({"koordinator/groups", group});
  }
  for (uint64_t r = rng.Below(4); r > 0 && !world->nodes.empty() && !world->jobs.empty(); --r) {
    ReservationSpec one{.name = absl::StrCat("kept", r),
                        .node = world->nodes[rng.Below(world->nodes.size())].name,
                        .phase = ReservationPhase::kAvailable};
    one.shape.request = {{"cpu", static_cast<int64_t>(1 + rng.Below(3))}};
    one.owners = {{.job = world->jobs[rng.Below(world->jobs.size())].name}};
    one.allocate_once = rng.Chance(0.5);
    if (rng.Chance(0.3)) one.policy = ReservationPolicy::kRestricted;
    if (rng.Chance(0.2)) one.expires = 2;
    if (rng.Chance(0.3)) one.order = static_cast<int64_t>(rng.Below(3));
    world->reservations.push_back(std::move(one));
  }
  if (rng.Chance(0.4)) AddGpus(rng, world);
  if (rng.Chance(0.3)) AddMachines(rng, world);
  // A copy, so that the draws below stay as they are.
  if (Rng apart = rng; apart.Chance(0.6)) ReserveDevices(apart, world);
  if (rng.Chance(0.5)) return;
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.3)) continue;
    node.usage = NodeUsage{static_cast<int64_t>(rng.Below(70)), static_cast<int64_t>(rng.Below(70)),
                           rng.Chance(0.1) ? -179 : 0};
  }
}

// Returns a gang that got a bind though fewer of its pods than its least number have or had nodes
// once the plan is carried out, while no pod of its group had one before; empty: there is none.
std::string BrokenGang(const Plan& plan, const ClusterSpec& before, const ClusterSpec& after) {
  const auto holders = [](const ClusterSpec& cluster) {
    std::map<std::string, int64_t> counts;
    for (const TaskSpec& task : cluster.tasks) {
      counts[task.job] += !task.node.empty() || task.status == TaskStatus::kSucceeded ||
                          task.status == TaskStatus::kFailed;
    }
    return counts;
  };
  std::map<std::string, int64_t> had = holders(before), has = holders(after);
  // What one gang of a group had, all of them had.
  std::map<std::string, int64_t> group_had;
  const auto group_of = [](const JobSpec& job) {
    for (const auto& [key, value] : job.settings) {
      if (key == "koordinator/groups") return value;
    }
    return job.name;
  };
  for (const JobSpec& job : before.jobs) group_had[group_of(job)] += had[job.name];
  for (const Decision& decision : plan.decisions()) {
    if (decision.kind != DecisionKind::kBind || decision.job == kNone) continue;
    for (const JobSpec& job : after.jobs) {
      if (job.name == plan.job_name(decision.job) && group_had[group_of(job)] == 0 &&
          has[job.name] < job.min_available) {
        return job.name;
      }
    }
  }
  return "";
}

// Returns a device of which more is held than it has, or a task that was bound with other devices
// than it requests; empty: there is none.
std::string BrokenDevice(const Plan& plan, const ClusterSpec& after) {
  std::map<std::string, int64_t> held;
  std::map<std::string, const TaskSpec*> tasks;
  bool has_devices = false;
  for (const NodeSpec& node : after.nodes) {
    for (const DeviceSpec& device : node.devices) has_devices |= device.kind != "cpu";
  }
  for (const TaskSpec& task : after.tasks) {
    tasks[task.name] = &task;
    if (task.node.empty() || task.status == TaskStatus::kSucceeded ||
        task.status == TaskStatus::kFailed) {
      continue;
    }
    for (const DeviceHold& hold : task.devices) {
      held[absl::StrCat(task.node, "/", hold.device)] += hold.milli;
    }
  }
  for (const NodeSpec& node : after.nodes) {
    for (const DeviceSpec& device : node.devices) {
      const std::string name = absl::StrCat(node.name, "/", device.name);
      if (held[name] > device.milli) return name;
    }
  }
  for (const Decision& d : plan.decisions()) {
    if (d.kind != DecisionKind::kBind || !has_devices) continue;
    const TaskSpec& task = *tasks[std::string(plan.task_name(d.task))];
    int64_t wanted = 0;
    for (const DeviceRequest& request : task.shape.devices) {
      if (request.kind == "gpu") wanted += request.count;
    }
    for (const auto& [name, amount] : task.shape.request) {
      if (!task.shape.devices.empty() || name != "nvidia.com/gpu") continue;
      wanted = ParseQuantity(amount.text, Unit::kWhole).value_or(0);
    }
    if (std::ranges::count_if(task.devices, IsNoCpu) != wanted) return task.name;
  }
  return "";
}

// Returns a task that was bound with a device that a reservation keeps for others; empty: there is
// none. Counts tasks that got what is kept for them.
std::string BrokenLoan(const Plan& plan, const ClusterSpec& cluster, int64_t now, int64_t* loans) {
  std::map<std::pair<std::string, std::string>, const ReservationSpec*> kept;
  for (const ReservationSpec& one : cluster.reservations) {
    if (one.phase != ReservationPhase::kAvailable || (one.expires && *one.expires <= now)) continue;
    for (const auto& [key, names] : one.shape.labels) {
      for (const absl::string_view name : absl::StrSplit(names, ',')) {
        kept[{one.node, std::string(name)}] = &one;
      }
    }
  }
  std::set<std::string> bound;
  for (const Decision& d : plan.decisions()) {
    if (d.kind == DecisionKind::kBind) bound.emplace(plan.task_name(d.task));
  }
  for (const TaskSpec& task : cluster.tasks) {
    if (!bound.contains(task.name)) continue;
    for (const DeviceHold& hold : task.devices) {
      const auto reservation = kept.find({task.node, hold.device});
      if (reservation == kept.end()) continue;
      const auto& owners = reservation->second->owners;
      if (std::ranges::find(owners, task.job, &ReservationOwner::job) == owners.end()) {
        return task.name;
      }
      ++*loans;
    }
  }
  return "";
}

// Returns a task that was bound with fewer or more CPUs than it should have of its own, or a zone
// that took more than it has; empty: there is none.
std::string BrokenMachine(const Plan& plan, const ClusterSpec& after, const Memory& memory) {
  std::map<std::string, const NodeSpec*> nodes;
  for (const NodeSpec& node : after.nodes) nodes[node.name] = &node;
  const auto has = [](const Labels& labels, const std::string& key) {
    return std::ranges::find(labels, key, &Labels::value_type::first) != labels.end();
  };
  for (const TaskSpec& task : after.tasks) {
    const auto is_bound = [&](const Decision& d) {
      return d.kind == DecisionKind::kBind && plan.task_name(d.task) == task.name;
    };
    if (task.node.empty() || std::ranges::none_of(plan.decisions(), is_bound)) continue;
    const NodeSpec& node = *nodes[task.node];
    const bool binds = has(task.shape.labels, "koordinator.sh/qosClass") ||
                       has(node.labels, "node.koordinator.sh/cpu-bind-policy");
    const auto cpus =
        static_cast<int64_t>(task.devices.size()) - std::ranges::count_if(task.devices, IsNoCpu);
    if (cpus != (binds ? CpuOf(task.shape.request) / 1000 : 0)) return task.name;
  }
  const MemorySlot* slot = memory.Find("koordinator-zones");
  std::map<std::pair<std::string, int64_t>, int64_t> taken;
  for (const TaskSpec& task : after.tasks) {
    const MemoryRow* row = slot == nullptr ? nullptr : slot->Find(task.name);
    if (row == nullptr || task.node.empty() || slot->Text(task.name) != task.node) continue;
    for (size_t i = 1; i + 2 < row->size(); i += 3) {
      if (slot->Text(task.name, i + 1) != "cpu") continue;
      taken[{task.node, slot->Integer(task.name, i)}] += slot->Integer(task.name, i + 2);
    }
  }
  for (const auto& [place, milli] : taken) {
    const std::vector<ZoneSpec>& zones = nodes[place.first]->zones;
    const auto zone = static_cast<size_t>(place.second);
    // An edit may have taken zones away.
    if (zone >= zones.size()) continue;
    if (nodes[place.first]->settings.empty() && milli > CpuOf(zones[zone].capacity)) {
      return place.first;
    }
  }
  return "";
}

// Returns what the node has left of cpu beside its tasks and what is reserved there for others than
// the holders of reservations, in thousandths.
int64_t FreeBesideReservations(const ClusterSpec& cluster, const Memory& memory,
                               const NodeSpec& node, int64_t now) {
  const MemorySlot* holders = memory.Find("koordinator-holders");
  int64_t left = CpuOf(node.allocatable ? *node.allocatable : node.capacity);
  std::map<std::string, int64_t> held;
  for (const TaskSpec& task : cluster.tasks) {
    if (task.node != node.name || task.status == TaskStatus::kSucceeded ||
        task.status == TaskStatus::kFailed) {
      continue;
    }
    const int64_t cpu = CpuOf(task.shape.request);
    left -= cpu;
    if (holders != nullptr && holders->Find(task.name) != nullptr) {
      held[std::string(holders->Text(task.name))] += cpu;
    }
  }
  for (const ReservationSpec& one : cluster.reservations) {
    if (one.node != node.name || (one.expires && *one.expires <= now)) continue;
    left -= std::max<int64_t>(0, CpuOf(one.shape.request) - held[one.name]);
  }
  return left;
}

// Returns a node that took tasks, and on which these and what is reserved do not fit together
// though they did before; empty: there is none.
std::string BrokenReservation(const Plan& plan, const ClusterSpec& before, const Memory& past,
                              const ClusterSpec& after, const Memory& memory, int64_t now) {
  for (const NodeSpec& node : before.nodes) {
    bool took = false;
    for (const Decision& d : plan.decisions()) {
      took |= (d.kind == DecisionKind::kBind || d.kind == DecisionKind::kReserve) &&
              plan.node_name(d.node) == node.name;
    }
    if (took && FreeBesideReservations(before, past, node, now) >= 0 &&
        FreeBesideReservations(after, memory, node, now) < 0) {
      return node.name;
    }
  }
  return "";
}

constexpr const char* kGangPreemptionSpecs[] = {
    "koordinator:schedule(gang_preemption=on,quota=off)",
    "koordinator:schedule(gang_preemption=on)",
    "koordinator:schedule(gang_preemption=on,quota=off,match_policy=only-waiting,cycles=3)",
};

TEST(KoordinatorWorlds, PlansKeepTheirPromisesCycleAfterCycle) {
  int64_t binds = 0, gangs = 0, evictions = 0, reservations = 0, holders = 0, devices = 0;
  int64_t cpus = 0, zones = 0, loans = 0;
  for (uint64_t seed = 0; seed < WorldCount(1'500); ++seed) {
    Rng rng(seed);
    const std::string profile =
        rng.Chance(0.2) ? OneOf(kGangPreemptionSpecs, rng) : OneOf(kKoordinatorSpecs, rng);
    const WorldKnobs knobs{.nodes = 8, .queues = 4, .jobs = 8, .tasks = 5};
    ClusterSpec world = RandomWorld(rng.Next(), knobs);
    AddKoordinatorObjects(rng, &world);
    Cluster cluster = MakeCluster(world);
    RandomEdits edits(cluster, rng, knobs);
    for (int64_t cycle = 0; cycle < 5; ++cycle) {
      const ClusterSpec before = cluster.Describe();
      const Memory past = cluster.memory();
      const absl::StatusOr<Plan> plan = CheckedPlan(&cluster, profile, cycle);
      ASSERT_TRUE(plan.ok()) << plan.status();
      binds += static_cast<int64_t>(plan->binds().size());
      evictions += static_cast<int64_t>(plan->evictions().size());
      reservations += static_cast<int64_t>(plan->reservations().size());
      const absl::StatusOr<ApplyReport> report = cluster.Apply(*plan);
      ASSERT_TRUE(report.ok());
      EXPECT_TRUE(report->refused.empty()) << report->refused[0];
      const MemorySlot* held = cluster.memory().Find("koordinator-holders");
      holders += held == nullptr ? 0 : static_cast<int64_t>(held->rows().size());
      EXPECT_EQ(BrokenDevice(*plan, cluster.Describe()), "");
      if (profile.find("reservation=off") == std::string::npos) {
        EXPECT_EQ(BrokenLoan(*plan, cluster.Describe(), cycle, &loans), "");
      }
      if (HasMachines(before)) {
        EXPECT_EQ(BrokenMachine(*plan, cluster.Describe(), cluster.memory()), "");
        cpus += CpusOf(*plan);
        const MemorySlot* of_zones = cluster.memory().Find("koordinator-zones");
        zones += of_zones == nullptr ? 0 : static_cast<int64_t>(of_zones->rows().size());
      }
      devices += static_cast<int64_t>(plan->devices().size());
      EXPECT_EQ(BrokenReservation(*plan, before, past, cluster.Describe(), cluster.memory(), cycle),
                "");
      if (cycle == 0 && profile.find("coscheduling=off") == std::string::npos) {
        EXPECT_EQ(BrokenGang(*plan, before, cluster.Describe()), "");
        for (const Decision& d : plan->decisions()) {
          gangs += d.kind == DecisionKind::kBind && d.job != kNone;
        }
      }
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "seed " << seed << ", cycle " << cycle << ", " << profile << "\n"
          << AsScenario(before, profile);
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) edits.Step();
    }
  }
  EXPECT_GT(binds, 1000);
  EXPECT_GT(gangs, 100);
  EXPECT_GT(evictions, 100);
  EXPECT_GT(reservations, 20);
  EXPECT_GT(holders, 100);
  EXPECT_GT(devices, 100);
  EXPECT_GT(cpus, 100);
  EXPECT_GT(zones, 100);
  EXPECT_GT(loans, 0);
}

}  // namespace
}  // namespace muster::testing
