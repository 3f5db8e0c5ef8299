// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Ray's way: jobs in order of arrival, each once; a group of bundles by its strategy, other tasks
// one by one to a node that is not busy. Where nodes are and what they have is looked up for every
// group and task.
#include "lib/reference/peer/ray/ray.h"

#include <algorithm>

#include "lib/model/words.h"
#include "lib/reference/cycle.h"
#include "lib/reference/fit/node_devices.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/kube/selectors.h"
#include "lib/reference/peer/ray/bundles.h"

namespace muster::reference {

namespace {

constexpr int64_t kMost = int64_t{1} << 53;

std::string AcceleratorName(const Cycle& cycle) {
  const auto options = cycle.profile->action_options.find("allocate");
  if (options == cycle.profile->action_options.end()) return "nvidia.com/gpu";
  const auto named = options->second.find("accelerator");
  return named == options->second.end() ? "nvidia.com/gpu" : named->second;
}

bool IsObjectStore(const Cycle& cycle, DimensionIndex d) {
  return cycle.tables().dimensions.name(d) == "object_store_memory" &&
         AcceleratorName(cycle) != "object_store_memory";
}

std::vector<DimensionIndex> Scarcest(const Cycle& cycle) {
  const World& world = cycle.world;
  std::vector<DimensionIndex> first, others, store;
  for (DimensionIndex d(kPods + 1); d < world.dimensions(); ++d) {
    const bool is_first = cycle.tables().dimensions.name(d) == AcceleratorName(cycle);
    (is_first ? first : IsObjectStore(cycle, d) ? store : others).push_back(d);
  }
  first.insert(first.end(), others.begin(), others.end());
  first.insert(first.end(), store.begin(), store.end());
  first.push_back(kMemory);
  first.push_back(kCpu);
  for (NodeIndex n : world.session_nodes()) {
    if (!world.counts_pods[n]) continue;
    first.push_back(kPods);
    break;
  }
  return first;
}

constexpr int64_t kDevice = 1000;

// The accelerator, if it is kept in thousandths and so by device.
DimensionIndex ByDevice(const Cycle& cycle) {
  for (DimensionIndex d(kPods + 1); d < cycle.world.dimensions(); ++d) {
    const std::string_view name = cycle.tables().dimensions.name(d);
    if (name == AcceleratorName(cycle) && IsMilliDimension(name)) return d;
  }
  return kNone;
}

// What is free of each device of the node, or would be if no task was there. The largest requests
// are taken to have come first; an overfull node has too few devices for them.
std::vector<int64_t> DevicesOf(const Cycle& cycle, NodeIndex n, bool when_free) {
  const World& world = cycle.world;
  const DimensionIndex d = ByDevice(cycle);
  std::vector<int64_t> free(static_cast<size_t>(world.capacity[n][d] / kDevice), kDevice);
  std::vector<int64_t> held;
  for (TaskIndex t = 0; t < world.status.size(); ++t) {
    if (world.node[t] == n && HoldsNode(world.status[t]))
      held.push_back(OrZero(world.request(t)[d]));
  }
  std::sort(held.rbegin(), held.rend());
  if (when_free) held.clear();
  for (int64_t request : held) {
    while (request > kDevice && !DevicesHold(free, kDevice, request)) {
      request = request % kDevice == 0 ? request - kDevice : request / kDevice * kDevice + kDevice;
    }
    if (DevicesHold(free, kDevice, request)) TakeDevices(kDevice, request, &free);
  }
  return free;
}

bool HasDevice(const Cycle& cycle, TaskIndex task, NodeIndex n, bool when_free) {
  const DimensionIndex d = ByDevice(cycle);
  if (d == kNone) return true;
  return DevicesHold(DevicesOf(cycle, n, when_free), kDevice,
                     OrZero(cycle.world.initial_request(task)[d]));
}

int64_t Total(const World& world, NodeIndex n, DimensionIndex d) {
  return d == kPods && !world.counts_pods[n] ? kMost : world.capacity[n][d];
}
int64_t Free(const World& world, NodeIndex n, DimensionIndex d) {
  if (d == kPods && !world.counts_pods[n]) return kMost;
  const int64_t free = std::min(world.idle[n][d], world.future_idle(n)[d]);
  return std::min(std::max<int64_t>(free, 0), Total(world, n, d));
}

std::set<size_t> AllowedNodes(const Cycle& cycle, TaskIndex task) {
  const std::vector<NodeIndex> nodes = cycle.world.session_nodes();
  const FilterState state = PrepareFilters(cycle, task);
  std::set<size_t> allowed;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (HasDevices(cycle.world, task, nodes[i], /*later=*/false) &&
        !Judge(cycle, state, task, nodes[i]).refusal) {
      allowed.insert(i);
    }
  }
  return allowed;
}

// Everything about the place, on the books as they are.
bool Takes(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const World& world = cycle.world;
  return HasRoomNow(world, task, node) && HasRoomLater(world, task, node) &&
         !Judge(cycle, task, node).refusal;
}

// The place of a node in the list of them all, -1: it is not there.
int PlaceIn(const std::vector<NodeIndex>& nodes, NodeIndex node) {
  const auto it = std::find(nodes.begin(), nodes.end(), node);
  return it == nodes.end() ? -1 : static_cast<int>(it - nodes.begin());
}

std::string SettingOf(const Cycle& cycle, TaskIndex task, const std::string& key) {
  const JobSpec& spec = cycle.tables().jobs.spec[cycle.tables().tasks.job[task]];
  for (const auto& [name, value] : spec.settings) {
    if (name == "ray/" + key) return value;
  }
  return "";
}

void AddDevices(const Cycle& cycle, const std::vector<NodeIndex>& nodes, BundleWorld* bundles) {
  if (ByDevice(cycle) == kNone) return;
  bundles->unit = kDevice;
  for (NodeIndex n : nodes) bundles->devices.push_back(DevicesOf(cycle, n, /*when_free=*/false));
}

void PlaceGroup(Cycle& cycle, JobIndex job, const std::vector<TaskIndex>& tasks) {
  const World& world = cycle.world;
  const std::vector<NodeIndex> nodes = world.session_nodes();
  const std::vector<DimensionIndex> resources = Scarcest(cycle);
  BundleWorld bundles;
  for (NodeIndex n : nodes) {
    bundles.total.emplace_back();
    bundles.available.emplace_back();
    for (DimensionIndex d : resources) {
      bundles.total.back().push_back(Total(world, n, d));
      bundles.available.back().push_back(Free(world, n, d));
    }
  }
  AddDevices(cycle, nodes, &bundles);
  std::string strategy(Word(cycle.tables().jobs.spec[job].bundle_strategy));
  std::replace(strategy.begin(), strategy.end(), '_', ' ');
  for (TaskIndex t : world.tasks_of(job)) {
    const int place = IsAllocated(world.status[t]) ? PlaceIn(nodes, world.node[t]) : -1;
    if (place >= 0) bundles.used_already.insert(static_cast<size_t>(place));
  }
  const NodeIndex promised = cycle.tables().tasks.nominated[tasks.front()];
  if (promised != kNone) bundles.wished = PlaceIn(nodes, promised);
  for (TaskIndex t : tasks) {
    bundles.bundles.emplace_back();
    for (DimensionIndex d : resources) {
      bundles.bundles.back().push_back(OrZero(world.initial_request(t)[d]));
    }
    std::set<size_t> allowed = AllowedNodes(cycle, t);
    if (strategy == "strict pack" && !bundles.used_already.empty()) {
      std::erase_if(allowed, [&](size_t i) { return bundles.used_already.count(i) == 0; });
    }
    bundles.allowed.push_back(allowed);
  }
  const std::string label = SettingOf(cycle, tasks.front(), "domain");
  for (size_t i = 0; !label.empty() && i < nodes.size(); ++i) {
    const std::string* value = FindLabel(cycle.tables().nodes.spec[nodes[i]].labels, label);
    bundles.domains.push_back(value == nullptr ? "" : *value);
    // A bundle outside of all domains: the group cannot be in one.
    if (bundles.domains[i].empty() && bundles.used_already.contains(i)) return;
    if (!bundles.used_already.contains(i)) continue;
    // Bundles in two: nor then.
    if (!bundles.domain.empty() && bundles.domain != bundles.domains[i]) return;
    bundles.domain = bundles.domains[i];
  }
  std::string why;
  const std::vector<size_t> places = bundles.Place(strategy, &why);
  if (places.empty()) return;
  const World before = cycle.world;
  Statement statement;
  for (size_t b = 0; b < tasks.size(); ++b) {
    const NodeIndex node = nodes[places[b]];
    if (!Allocatable(cycle, world.queue_of(tasks[b]), tasks[b]) || !Takes(cycle, tasks[b], node)) {
      cycle.world = before;
      return;
    }
    DoAllocate(cycle, statement, tasks[b], node);
  }
  Commit(cycle, statement);
}

float Busy(const Cycle& cycle, NodeIndex node) {
  float most = 0;
  for (DimensionIndex d(0); d < cycle.world.dimensions(); ++d) {
    if (d != kCpu && d != kMemory && !IsObjectStore(cycle, d)) continue;
    const double total = static_cast<double>(cycle.world.capacity[node][d]);
    if (total == 0) continue;
    const double free = static_cast<double>(Free(cycle.world, node, d));
    most = std::max(most, static_cast<float>(1 - free / total));
  }
  return most < static_cast<float>(ActionNumber(cycle, "allocate", "threshold", 0.5)) ? 0 : most;
}

// The nodes with room now that labels and the like allow, ascending.
std::vector<NodeIndex> NodesWithRoom(const Cycle& cycle, TaskIndex task) {
  const std::vector<NodeIndex> nodes = cycle.world.session_nodes();
  std::vector<NodeIndex> with_room;
  for (size_t i : AllowedNodes(cycle, task)) {
    bool room = HasDevice(cycle, task, nodes[i], /*when_free=*/false);
    for (DimensionIndex d : Scarcest(cycle)) {
      room = room && OrZero(cycle.world.initial_request(task)[d]) <= Free(cycle.world, nodes[i], d);
    }
    if (room) with_room.push_back(nodes[i]);
  }
  return with_room;
}

NodeIndex HybridPlace(const Cycle& cycle, TaskIndex task) {
  const World& world = cycle.world;
  std::vector<NodeIndex> plain;
  const std::vector<NodeIndex> all = NodesWithRoom(cycle, task);
  std::optional<DimensionIndex> accelerator;
  for (DimensionIndex d(kPods + 1); d < world.dimensions(); ++d) {
    if (cycle.tables().dimensions.name(d) == AcceleratorName(cycle)) accelerator = d;
  }
  const bool avoids = ActionSwitch(cycle, "allocate", "avoid_accelerators", true) && accelerator &&
                      OrZero(world.initial_request(task)[*accelerator]) == 0;
  for (NodeIndex n : all) {
    if (avoids && world.capacity[n][*accelerator] == 0) plain.push_back(n);
  }
  const std::vector<NodeIndex>& candidates = plain.empty() ? all : plain;
  if (candidates.empty()) return kNone;
  NodeIndex best = candidates.front();
  for (NodeIndex n : candidates) {
    if (Busy(cycle, n) < Busy(cycle, best)) best = n;
  }
  const NodeIndex promised = cycle.tables().tasks.nominated[task];
  if (std::find(candidates.begin(), candidates.end(), promised) != candidates.end() &&
      Busy(cycle, promised) <= Busy(cycle, best)) {
    best = promised;
  }
  return best;
}

// Where the last task of strategy spread went.
struct LastOfSpread {
  NodeIndex node = kNone;
};

NodeIndex SpreadPlace(Cycle& cycle, TaskIndex task) {
  const std::vector<NodeIndex> all = NodesWithRoom(cycle, task);
  const NodeIndex last = cycle.kept.Of<LastOfSpread>().node;
  for (NodeIndex n : all) {
    if (last == kNone || n > last) return n;
  }
  return all.empty() ? kNone : all.front();
}

// The node that the job's settings name, or another.
NodeIndex NamedPlace(const Cycle& cycle, TaskIndex task) {
  const std::vector<NodeIndex> nodes = cycle.world.session_nodes();
  const std::string unavailable = SettingOf(cycle, task, "unavailable");
  const bool needs_room = unavailable == "spill" || unavailable == "fail";
  for (size_t i : AllowedNodes(cycle, task)) {
    const NodeIndex n = nodes[i];
    if (cycle.tables().nodes.spec[n].name != SettingOf(cycle, task, "node")) continue;
    bool holds = HasDevice(cycle, task, n, /*when_free=*/true);
    bool room = HasDevice(cycle, task, n, /*when_free=*/false);
    for (DimensionIndex d : Scarcest(cycle)) {
      const int64_t asked = OrZero(cycle.world.initial_request(task)[d]);
      holds = holds && asked <= Total(cycle.world, n, d);
      room = room && asked <= Free(cycle.world, n, d);
    }
    if (holds && (room || !needs_room)) return n;
  }
  const bool elsewhere = SettingOf(cycle, task, "soft") == "true" && unavailable != "fail";
  return elsewhere ? HybridPlace(cycle, task) : kNone;
}

void PlaceTask(Cycle& cycle, TaskIndex task) {
  if (!Allocatable(cycle, cycle.world.queue_of(task), task)) return;
  const std::string strategy = SettingOf(cycle, task, "strategy");
  const NodeIndex node = strategy == "spread" ? SpreadPlace(cycle, task)
                         : strategy == "node" ? NamedPlace(cycle, task)
                                              : HybridPlace(cycle, task);
  if (node == kNone || !Takes(cycle, task, node)) return;
  if (strategy == "spread") cycle.kept.Of<LastOfSpread>().node = node;
  Statement statement;
  DoAllocate(cycle, statement, task, node);
  Commit(cycle, statement);
}

void RunRayAllocate(Cycle& cycle) {
  std::vector<JobIndex> jobs = cycle.world.session_jobs();
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](JobIndex l, JobIndex r) { return JobLess(cycle, l, r); });
  std::vector<JobIndex> in_turn, others;
  for (JobIndex job : jobs) {
    bool lost = false;
    for (TaskIndex t : cycle.world.tasks_of(job)) lost |= IsAllocated(cycle.world.status[t]);
    lost &= cycle.tables().jobs.spec[job].bundle_strategy != BundleStrategy::kNone;
    (lost ? in_turn : others).push_back(job);
  }
  in_turn.insert(in_turn.end(), others.begin(), others.end());
  for (JobIndex job : in_turn) {
    const std::vector<TaskIndex> tasks = TasksToPlace(cycle, job);
    if (tasks.empty()) continue;
    if (cycle.tables().jobs.spec[job].bundle_strategy != BundleStrategy::kNone) {
      PlaceGroup(cycle, job, tasks);
      continue;
    }
    for (TaskIndex task : tasks) PlaceTask(cycle, task);
  }
}

}  // namespace

ActionTwins RayActions() { return {{"allocate", RunRayAllocate}}; }

}  // namespace muster::reference
