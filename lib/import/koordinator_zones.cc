// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/koordinator_zones.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/fit/cpu_set.h"
#include "lib/import/amounts.h"
#include "lib/import/koordinator_objects.h"
#include "lib/model/memory_data.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr std::string_view kCpuTopology = "node.koordinator.sh/cpu-topology";
constexpr std::string_view kCpuAllocs = "node.koordinator.sh/pod-cpu-allocs";
constexpr std::string_view kNodeReservation = "node.koordinator.sh/reservation";
constexpr std::string_view kSystemQos = "node.koordinator.sh/system-qos-resource";
constexpr std::string_view kCpuManager = "kubelet.koordinator.sh/cpu-manager-policy";
constexpr std::string_view kAmplification = "node.koordinator.sh/resource-amplification-ratio";
constexpr std::string_view kResourceSpec = "scheduling.koordinator.sh/resource-spec";
constexpr std::string_view kResourceStatus = "scheduling.koordinator.sh/resource-status";
constexpr std::string_view kTopologySpec = "scheduling.koordinator.sh/numa-topology-spec";
constexpr std::string_view kBindPolicies[] = {"FullPCPUs", "SpreadByPCPUs", "ConstrainedBurst",
                                              "Default"};
constexpr std::string_view kExclusivePolicies[] = {"None", "PCPULevel", "NUMANodeLevel"};
constexpr std::string_view kZoneExclusives[] = {"Preferred", "Required"};
constexpr std::string_view kZonePolicies[] = {"None", "BestEffort", "Restricted", "SingleNUMANode"};
constexpr char kHeldZonesSlot[] = "koordinator-zones";
constexpr int64_t kMostCpuNumber = 8191;
constexpr int kMostZoneNumber = 63;

std::string ZoneName(int64_t number) { return absl::StrCat("node-", number); }

// A list of CPUs in an annotation; empty where it cannot be read.
CpuSet ReadCpus(const Field& field) {
  const std::string text = field.AsText();
  absl::StatusOr<CpuSet> cpus = CpuSet::Parse(text);
  if (cpus.ok()) return *std::move(cpus);
  field.Ignored(absl::StrCat(Quote(text), " is no list of CPUs; none counts"));
  return {};
}

CpuSet ReservedCpus(const ApiObject& report) {
  CpuSet reserved;
  WithAnnotation(report, kCpuAllocs, [&](const Field& allocs) {
    for (const Field& alloc : allocs.Children()) {
      const bool counts = alloc.Bool("managedByKubelet", false) && !alloc.Text("uid").empty();
      if (counts) reserved |= ReadCpus(alloc["cpuset"]);
    }
  });
  WithAnnotation(report, kCpuManager,
                 [&](const Field& policy) { reserved |= ReadCpus(policy["reservedCPUs"]); });
  WithAnnotation(report, kNodeReservation,
                 [&](const Field& kept) { reserved |= ReadCpus(kept["reservedCPUs"]); });
  WithAnnotation(report, kSystemQos, [&](const Field& system) {
    if (system.Bool("cpusetExclusive", true)) reserved |= ReadCpus(system["cpuset"]);
  });
  return reserved;
}

// Adds the CPUs as devices, and their zones to `zones`, as far as these have no amounts.
void ReadCpuTopology(const ApiObject& report, std::map<int, ZoneSpec>* zones, NodeSpec* node) {
  const CpuSet reserved = ReservedCpus(report);
  std::map<int64_t, DeviceSpec> cpus;
  WithAnnotation(report, kCpuTopology, [&](const Field& topology) {
    for (const Field& cpu : topology.Items("detail")) {
      const int64_t number = cpu.Int64("id", 0), core = cpu.Int64("core", 0);
      const int64_t socket = cpu.Int64("socket", 0), zone = cpu.Int64("node", 0);
      const auto is_number = [](int64_t n) { return n >= 0 && n <= kMostCpuNumber; };
      if (!is_number(number) || !is_number(core) || !is_number(socket) || zone < 0 ||
          zone > kMostZoneNumber || cpus.contains(number)) {
        cpu.Ignored("is no CPU, or one that was listed before");
        continue;
      }
      const int place = static_cast<int>(zone);
      if (!zones->contains(place)) (*zones)[place].name = ZoneName(zone);
      cpus[number] = {.name = absl::StrCat(number),
                      .kind = "cpu",
                      .zone = (*zones)[place].name,
                      .links = {absl::StrCat("core-", core), absl::StrCat("socket-", socket)},
                      .healthy = !reserved.Contains(static_cast<int>(number))};
    }
  });
  for (auto& [number, cpu] : cpus) node->devices.push_back(std::move(cpu));
}

// The zones with what is allocatable of them, by number.
std::map<int, ZoneSpec> ReadZonesOf(const ApiObject& report, const NodeSpec& node) {
  std::map<int, AmountMap> amounts;
  for (const Field& zone : report.root().Items("zones")) {
    const std::string name = zone.Text("name");
    int number = -1;
    const bool is_named = name.starts_with("node-") && absl::SimpleAtoi(name.substr(5), &number);
    if (!zone["type"].Is("Node") || !is_named || number < 0 || number > kMostZoneNumber) continue;
    AmountMap& of_zone = amounts[number];
    for (const Field& item : zone.Items("resources")) {
      if (!item["allocatable"].given()) continue;
      SetAmount(item.Text("name"), ReadAmount(item["allocatable"]), &of_zone);
    }
  }
  AmountMap left;
  for (const auto& [name, quantity] : node.capacity) {
    SetAmount(name, ParseAmount(quantity.text).value_or(0), &left);
  }
  std::map<int, ZoneSpec> zones;
  std::set<std::string> cut;
  for (auto& [number, of_zone] : amounts) {
    for (auto& [name, amount] : of_zone) {
      const ExactAmount* has = FindAmount(left, name);
      const ExactAmount most = has == nullptr ? ExactAmount(0) : *has;
      if (amount > most) cut.insert(name);
      amount = std::min(amount, most);
      SetAmount(name, most - amount, &left);
    }
    zones[number] = {.name = ZoneName(number), .capacity = ToResources(of_zone)};
  }
  for (const std::string& name : cut) {
    report.log()->Note(
        report.place(), "zones",
        absl::StrCat("have more ", name, " together than the node; the last get less"));
  }
  return zones;
}

// The first policy that the peer knows counts.
Alignment AlignmentOf(const ApiObject& report) {
  for (const std::string& policy : report.root().Texts("topologyPolicies")) {
    if (policy == "BestEffort") return Alignment::kBestEffort;
    if (policy == "Restricted") return Alignment::kRestricted;
    if (policy == "SingleNUMANodePodLevel") return Alignment::kSingleNumaNode;
  }
  return Alignment::kUnset;
}

void ReadTopologyReport(const ApiObject& report, NodeSpec* node) {
  std::map<int, ZoneSpec> zones = ReadZonesOf(report, *node);
  ReadCpuTopology(report, &zones, node);
  for (auto& [number, zone] : zones) node->zones.push_back(std::move(zone));
  node->alignment = AlignmentOf(report);
  WithAnnotation(report, kCpuManager, [&](const Field& policy) {
    if (policy["policy"].Is("static") && policy.Section("options")["full-pcpus-only"].Is("true")) {
      node->settings.emplace_back("koordinator/full_cores", "true");
    }
  });
}

void ReadAmplification(const ApiObject& object, NodeSpec* node) {
  WithAnnotation(object, kAmplification, [&](const Field& ratios) {
    for (const char* name : {"cpu", "memory"}) {
      const std::string text = ratios[name].ScalarText();
      double ratio = 0;
      if (text.empty() || (absl::SimpleAtod(text, &ratio) && ratio <= 1)) continue;
      if (ratio > 100 || !(ratio > 1)) {
        ratios[name].Ignored(absl::StrCat(Quote(text), " is no ratio up to 100"));
        continue;
      }
      node->settings.emplace_back(absl::StrCat("koordinator/amplified_", name), text);
    }
  });
}

// Adds the text of a wish as a label of the shape, if it has none yet.
void AddLabel(const Field& wish, std::string_view label, std::span<const std::string_view> words,
              Labels* labels) {
  const std::string text = KnownWord(wish, words);
  const auto is_known = std::ranges::find(*labels, label, &Labels::value_type::first);
  if (!text.empty() && is_known == labels->end()) labels->emplace_back(label, text);
}

// The amounts of zones that a pod holds, as the row of the memory.
MemoryRow ZoneRowOf(const NodeSpec& node, const Field& status) {
  MemoryRow row = {node.name};
  for (const Field& item : status.Items("numaNodeResources")) {
    const std::string name = ZoneName(item.Int64("node", 0));
    const auto zone = std::ranges::find(node.zones, name, &ZoneSpec::name);
    if (zone == node.zones.end()) {
      item.Ignored(absl::StrCat("the node has no zone ", Quote(name)));
      continue;
    }
    for (const auto& [resource, quantity] : ToResources(ReadAmounts(item["resources"]))) {
      const Unit unit = IsMilliDimension(resource) ? Unit::kMilli : Unit::kWhole;
      row.emplace_back(static_cast<int64_t>(zone - node.zones.begin()));
      row.emplace_back(resource);
      row.emplace_back(ParseQuantity(quantity.text, unit).value_or(0));
    }
  }
  return row;
}

void ReadHeldCpus(const NodeSpec& node, const Field& status, std::vector<DeviceHold>* held) {
  CpuSet unknown;
  ReadCpus(status["cpuset"]).ForEach([&](int cpu) {
    const std::string name = absl::StrCat(cpu);
    const bool is_listed = std::ranges::any_of(node.devices, [&](const DeviceSpec& device) {
      return device.kind == "cpu" && device.name == name;
    });
    if (is_listed) {
      held->push_back({.device = name});
    } else {
      unknown.Add(cpu);
    }
  });
  if (unknown.empty()) return;
  status["cpuset"].Ignored(absl::StrCat("the node lists no CPUs ", unknown.ToString()));
}

}  // namespace

namespace {

// Keeps amounts of the node from tasks, down to nothing left.
void TrimBy(const AmountMap& amounts, NodeSpec* node) {
  Resources left = node->allocatable.value_or(node->capacity);
  for (auto& [name, text] : left) {
    const ExactAmount* less = FindAmount(amounts, name);
    const std::optional<ExactAmount> has = ParseAmount(text.text);
    if (less == nullptr || !has) continue;
    text = ToQuantity(name, std::max<ExactAmount>(*has - *less, 0));
  }
  node->allocatable = std::move(left);
  for (const auto& [name, amount] : ToResources(amounts)) {
    if (name != "cpu" && name != "memory") continue;
    node->settings.emplace_back(absl::StrCat("koordinator/reserved_", name), amount.text);
  }
  node->settings.emplace_back("koordinator/trimmed", "true");
}

}  // namespace

void ReadNodeTopologies(const Dump& dump, ClusterSpec* cluster) {
  HashMap<std::string, size_t> nodes;
  for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes[cluster->nodes[i].name] = i;
  for (const ApiObject* object : dump.OfKind("Node")) {
    const auto found = nodes.find(object->name());
    if (found != nodes.end()) ReadAmplification(*object, &cluster->nodes[found->second]);
  }
  for (const ApiObject* report : dump.OfKind("NodeResourceTopology")) {
    const auto found = nodes.find(report->name());
    if (found == nodes.end()) {
      report->log()->LeftOut(report->place(), "metadata.name", "is no node that is there");
      continue;
    }
    ReadTopologyReport(*report, &cluster->nodes[found->second]);
  }
}

void ReadCpuWishesOf(const ApiObject& object, TaskShape* shape) {
  WithWishes(object, kResourceSpec, [&](const Field& wishes) {
    AddLabel(wishes["requiredCPUBindPolicy"], "koordinator/cpu-required", kBindPolicies,
             &shape->labels);
    AddLabel(wishes["preferredCPUBindPolicy"], "koordinator/cpu-preferred", kBindPolicies,
             &shape->labels);
    AddLabel(wishes["preferredCPUExclusivePolicy"], "koordinator/cpu-exclusive", kExclusivePolicies,
             &shape->labels);
  });
  WithWishes(object, kTopologySpec, [&](const Field& wishes) {
    AddLabel(wishes["singleNUMANodeExclusive"], "koordinator/zone-exclusive", kZoneExclusives,
             &shape->labels);
    const std::string policy = KnownWord(wishes["numaTopologyPolicy"], kZonePolicies);
    if (shape->alignment != Alignment::kUnset) return;
    if (policy == "BestEffort") shape->alignment = Alignment::kBestEffort;
    if (policy == "Restricted") shape->alignment = Alignment::kRestricted;
    if (policy == "SingleNUMANode") shape->alignment = Alignment::kSingleNumaNode;
  });
}

void ReadCpuWishes(const Dump::Objects& pods, ClusterSpec* cluster) {
  for (size_t i = 0; i < pods.size(); ++i) ReadCpuWishesOf(*pods[i], &cluster->tasks[i].shape);
}

void ReadZoneHoldings(const Dump::Objects& pods, Scenario* scenario) {
  HashMap<std::string, const NodeSpec*> nodes;
  for (const NodeSpec& node : scenario->cluster.nodes) nodes[node.name] = &node;
  MemorySlot slot;
  for (size_t i = 0; i < pods.size(); ++i) {
    TaskSpec& task = scenario->cluster.tasks[i];
    const auto node = nodes.find(task.node);
    if (task.node.empty() || node == nodes.end()) continue;
    WithAnnotation(*pods[i], kResourceStatus, [&](const Field& status) {
      ReadHeldCpus(*node->second, status, &task.devices);
      MemoryRow row = ZoneRowOf(*node->second, status);
      if (row.size() > 1) slot.Set(task.name, std::move(row));
    });
  }
  if (slot.rows().empty()) return;
  internal::MemoryData data;
  if (const internal::MemoryData* known = internal::DataOf(scenario->memory)) data = *known;
  data.slots[kHeldZonesSlot].rows = internal::SharedRows(std::move(slot));
  scenario->memory = internal::MakeMemory(std::move(data));
}

void ReadReservedZones(const ApiObject& object, const NodeSpec& node, TaskShape* shape) {
  WithAnnotation(object, kResourceStatus, [&](const Field& status) {
    std::vector<DeviceHold> held;
    ReadHeldCpus(node, status, &held);
    const auto name_of = [](std::string* out, const DeviceHold& hold) { *out += hold.device; };
    if (!held.empty()) {
      shape->labels.emplace_back("koordinator/cpuset", absl::StrJoin(held, ",", name_of));
    }
    std::vector<std::string> zones;
    for (const Field& item : status.Items("numaNodeResources")) {
      std::vector<std::string> amounts;
      for (const auto& [name, amount] : ToResources(ReadAmounts(item["resources"]))) {
        amounts.push_back(absl::StrCat(name, "=", amount.text));
      }
      const std::string zone = ZoneName(item.Int64("node", 0));
      if (std::ranges::find(node.zones, zone, &ZoneSpec::name) == node.zones.end()) {
        item.Ignored(absl::StrCat("the node has no zone ", Quote(zone)));
      } else if (!amounts.empty()) {
        zones.push_back(absl::StrCat(zone, ":", absl::StrJoin(amounts, "+")));
      }
    }
    if (!zones.empty()) {
      shape->labels.emplace_back("koordinator/zone-amounts", absl::StrJoin(zones, ","));
    }
  });
}

void TrimReservedAmounts(const Dump& dump, ClusterSpec* cluster) {
  HashMap<std::string, size_t> nodes;
  for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes[cluster->nodes[i].name] = i;
  constexpr std::string_view kPolicies[] = {"Default", "ReservedCPUsOnly"};
  for (const ApiObject* object : dump.OfKind("Node")) {
    const auto found = nodes.find(object->name());
    if (found == nodes.end()) continue;
    NodeSpec& node = cluster->nodes[found->second];
    WithWishes(*object, kNodeReservation, [&](const Field& kept) {
      AmountMap amounts = ReadAmounts(kept.Section("resources"));
      if (const int cpus = ReadCpus(kept["reservedCPUs"]).size(); cpus > 0) {
        SetAmount("cpu", ExactAmount(cpus) * kAmountUnit, &amounts);
      }
      if (amounts.empty() || KnownWord(kept["applyPolicy"], kPolicies) == "ReservedCPUsOnly")
        return;
      TrimBy(amounts, &node);
    });
  }
}

}  // namespace muster
