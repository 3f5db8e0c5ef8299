// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The node is read anew for every question. The containers of a task are placed from the first one
// on for each of them, which shows the first that cannot be placed.
#include "lib/reference/peer/volcano/numa_rules.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/model/words.h"
#include "lib/reference/fit/numa.h"
#include "lib/reference/peer/volcano/volcano.h"
#include "muster/quantity.h"

namespace muster::reference {
namespace {

std::optional<int64_t> CpuAmount(const Resources& resources) {
  for (const auto& [name, quantity] : resources) {
    if (name == "cpu") return ParseQuantity(quantity.text, Unit::kMilli).value_or(0);
  }
  return std::nullopt;
}

int Small(int64_t amount) { return static_cast<int>(std::min<int64_t>(amount, 1'000'000'000)); }

// More than any machine has, where it is too much; any part of a CPU is as good as another.
int AskedMilli(const Resources& resources) {
  const int64_t amount = CpuAmount(resources).value_or(0);
  return amount % 1000 == 0 ? Small(amount) : 1;
}

int64_t MemoryOfDevice(const DeviceSpec& device) {
  return ParseQuantity(device.memory.text, Unit::kWhole).value_or(0);
}

int NumberIn(const DeviceSpec& device, const std::string& prefix) {
  for (const std::string& link : device.links) {
    if (link.rfind(prefix, 0) == 0) return std::stoi(link.substr(prefix.size()));
  }
  return 0;
}

ManagedCpus CpusOf(const NodeSpec& node) {
  ManagedCpus cpus;
  for (const DeviceSpec& device : node.devices) {
    if (device.kind != "cpu") continue;
    int zone = 0;
    while (node.zones[static_cast<size_t>(zone)].name != device.zone) ++zone;
    cpus.machine[std::stoi(device.name)] = {NumberIn(device, "core-"), zone,
                                            NumberIn(device, "socket-")};
  }
  return cpus;
}

std::set<int> FreeCpus(const World& world, NodeIndex node) {
  std::set<int> free;
  for (const DeviceSpec& device : world.tables->nodes.spec[node].devices) {
    if (device.kind != "cpu" || !device.healthy || device.milli == 0) continue;
    bool held = false;
    for (TaskIndex t : world.on_node[node]) held = held || world.held[t].count(device.name) > 0;
    if (!held) free.insert(std::stoi(device.name));
  }
  return free;
}

std::string OrNone(Alignment alignment) {
  return std::string(alignment == Alignment::kUnset ? "none" : Word(alignment));
}

}  // namespace

CpuVerdict JudgeCpus(const World& world, TaskIndex task, NodeIndex node) {
  CpuVerdict verdict;
  const TaskShape& shape = world.shape(task);
  for (const DeviceRequest& request : shape.devices) {
    if (request.kind == "cpu") return verdict;
  }
  if (!shape.guaranteed_qos) return verdict;

  const NodeSpec& spec = world.tables->nodes.spec[node];
  const std::string policy = OrNone(spec.alignment), own = OrNone(shape.alignment);
  const ManagedCpus cpus = CpusOf(spec);
  const std::set<int> free = FreeCpus(world, node);
  if (own == "none") {
    if (cpus.machine.empty() || policy == "none") return verdict;
  } else if (cpus.machine.empty()) {
    verdict.refusal = "the node lists no CPUs";
  } else if (own != policy) {
    verdict.refusal = "the node aligns tasks by " + policy + ", not by " + own;
  } else if (free.empty()) {
    verdict.refusal = "no CPU is free";
  }
  if (!verdict.refusal.empty()) return verdict;

  std::vector<int> amounts;
  std::vector<size_t> places;
  for (size_t i = 0; i < shape.containers.size(); ++i) {
    const ContainerSpec& container = shape.containers[i];
    if (container.init || container.sidecar) continue;
    amounts.push_back(AskedMilli(container.request));
    places.push_back(i);
  }
  if (shape.containers.empty()) amounts = {AskedMilli(shape.request)};
  const int64_t all = CpuAmount(spec.capacity).value_or(0);
  const int64_t usable = spec.allocatable ? CpuAmount(*spec.allocatable).value_or(0) : all;
  const int reserved = Small(std::max<int64_t>(0, all - usable));
  for (size_t count = 1; count <= amounts.size(); ++count) {
    const std::vector<int> first(amounts.begin(),
                                 amounts.begin() + static_cast<std::ptrdiff_t>(count));
    const auto placed = PlaceContainers(cpus, policy, free, reserved, first);
    if (!placed) {
      verdict.refusal = policy == "single-numa-node"
                            ? "no zone has enough free CPUs"
                            : "no smallest set of zones has enough free CPUs";
      if (!places.empty()) {
        verdict.refusal += " for containers[" + std::to_string(places[count - 1]) + "]";
      }
      return verdict;
    }
    verdict.cpus = *placed;
  }
  verdict.asked = true;
  for (int cpu : verdict.cpus) verdict.zones.insert(cpus.machine.at(cpu).zone);
  return verdict;
}

HeldDevices HoldCpus(const World& world, NodeIndex node, const std::set<int>& cpus) {
  HeldDevices held;
  for (const DeviceSpec& device : world.tables->nodes.spec[node].devices) {
    if (device.kind != "cpu" || cpus.count(std::stoi(device.name)) == 0) continue;
    held[device.name] = {device.milli, MemoryOfDevice(device)};
  }
  return held;
}

namespace {

std::optional<Refusal> CpuRefusal(const Cycle& cycle, const ReferencePolicy&, TaskIndex task,
                                  NodeIndex node) {
  const CpuVerdict verdict = JudgeCpus(cycle.world, task, node);
  if (verdict.refusal.empty()) return std::nullopt;
  return Refusal{.code = RefusalCode::kPolicy, .detail = verdict.refusal};
}

std::vector<double> CpuScores(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                              const std::vector<NodeIndex>& nodes) {
  std::vector<double> scores(nodes.size(), 0);
  const double weight = NumberOption(policy, "weight", 1);
  if (OrNone(cycle.world.shape(task).alignment) == "none" || weight == 0) return scores;
  size_t most = 0;
  bool asked = false;
  std::vector<size_t> zones;
  for (NodeIndex n : nodes) {
    const CpuVerdict verdict = JudgeCpus(cycle.world, task, n);
    asked = asked || verdict.asked;
    zones.push_back(verdict.zones.size());
    most = std::max(most, zones.back());
  }
  for (size_t i = 0; i < nodes.size() && asked; ++i) {
    const size_t part = most == 0 ? 0 : 100 * zones[i] / most;
    scores[i] = weight * static_cast<double>(100 - part);
  }
  return scores;
}

HeldDevices CpusOf(const World& world, TaskIndex task, NodeIndex node) {
  return HoldCpus(world, node, JudgeCpus(world, task, node).cpus);
}

void OpenNumaAware(Cycle& cycle, const ReferencePolicy&) { cycle.world.choose_cpus = CpusOf; }

}  // namespace

PolicyTwin NumaAwarePolicy() {
  PolicyTwin twin;
  twin.name = "numa-aware";
  twin.open = OpenNumaAware;
  twin.refuse = CpuRefusal;
  twin.scores = CpuScores;
  return twin;
}

}  // namespace muster::reference
