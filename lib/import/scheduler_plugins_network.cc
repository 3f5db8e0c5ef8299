// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// AppGroup and NetworkTopology of the network-aware plug-ins.
//
// Dependencies of an application's workloads, with the cost that each tolerates, become the option
// `dependencies`; the costs of the topology, by the weights that the plug-in is configured to take
// (UserDefined), become `zone_costs` and `region_costs`. Pods name application
// and workload by their labels. What has no place there is reported: bandwidths, the order of
// workloads (TopologicalSort), other weights, a second topology.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/scheduler_plugins.h"

namespace muster::scheduler_plugins_import {
namespace {

constexpr std::string_view kRegionKey = "topology.kubernetes.io/region";
constexpr std::string_view kZoneKey = "topology.kubernetes.io/zone";
constexpr int64_t kMostCost = 1'000'000'000;

bool IsNamed(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
         c == '/';
}

// A name as an option can have it. Refuses others.
std::string ReadName(const Field& holder, std::string_view key) {
  const std::string name = holder.Text(key);
  if (name.empty()) holder[key].Refuse("missing; a name is needed");
  if (!std::ranges::all_of(name, IsNamed)) {
    holder[key].Refuse(absl::StrCat(Quote(name), " is no value that a label has"));
  }
  return name;
}

int64_t ReadCost(const Field& holder, std::string_view key) {
  const int64_t cost = holder.Int64(key, 0);
  if (cost < 0 || cost > kMostCost) {
    holder[key].Refuse(absl::StrCat(cost, " is not in 0..", kMostCost));
  }
  return cost;
}

void Append(const std::string& entry, std::string* list) {
  absl::StrAppend(list, list->empty() ? "" : "+", entry);
}

// Returns whether the plug-in looks for objects in this one's namespace. Reports others.
bool IsLookedAt(const ApiObject& object, const NetworkChoice& choice) {
  const auto& namespaces = choice.namespaces;
  if (namespaces.empty() || std::ranges::find(namespaces, object.name_space()) != namespaces.end())
    return true;
  object.log()->LeftOut(
      object.place(), "",
      absl::StrCat("NetworkOverhead does not look into namespace ", Quote(object.name_space())));
  return false;
}

std::string ReadAppGroups(const Dump& dump, const NetworkChoice& choice) {
  std::string dependencies;
  HashSet<std::string> names;
  for (const ApiObject* object : SortedByName(dump.OfKind("AppGroup"))) {
    if (!IsLookedAt(*object, choice)) continue;
    if (!names.insert(object->name()).second) {
      object->log()->LeftOut(object->place(), "", "another AppGroup has this name, and counts");
      continue;
    }
    bool bandwidth = false;
    for (const Field& entry : object->spec().Items("workloads")) {
      const std::string workload = ReadName(entry.Section("workload"), "selector");
      for (const Field& other : entry.Items("dependencies")) {
        bandwidth |= other["minBandwidth"].given();
        Append(absl::StrCat(object->name(), ":", workload, ":",
                            ReadName(other.Section("workload"), "selector"), ":",
                            ReadCost(other, "maxNetworkCost")),
               &dependencies);
      }
    }
    if (bandwidth) {
      object->log()->Ignored(object->place(), "spec.workloads",
                             "minBandwidth is not considered; no plug-in reads it, either");
    }
    if (object->status()["topologyOrder"].given()) {
      object->log()->Ignored(object->place(), "status.topologyOrder",
                             "pods go by priority and time, not by the order of workloads");
    }
  }
  return dependencies;
}

// The topology that counts: the one of the name that the plug-in has, or else the first by name.
const ApiObject* ChooseTopology(const Dump& dump, const NetworkChoice& choice) {
  const Dump::Objects topologies = SortedByName(dump.OfKind("NetworkTopology"));
  const ApiObject* chosen = nullptr;
  for (const ApiObject* object : topologies) {
    if (!IsLookedAt(*object, choice)) continue;
    const std::string& name = choice.topology;
    if (chosen == nullptr || (object->name() == name && chosen->name() != name)) {
      chosen = object;
    }
  }
  for (const ApiObject* object : topologies) {
    if (object == chosen || chosen == nullptr) continue;
    object->log()->LeftOut(object->place(), "", absl::StrCat(chosen->place(), " counts"));
  }
  return chosen;
}

struct Costs {
  std::string zones, regions;
};

Costs ReadCosts(const ApiObject& topology, const std::string& wanted) {
  Costs costs;
  bool known = false;
  for (const Field& weights : topology.spec().Items("weights")) {
    if (!weights["name"].Is(wanted)) {
      weights["name"].Ignored(absl::StrCat("weights ", wanted, " are read"));
      continue;
    }
    known = true;
    for (const Field& list : weights.Items("topologyList")) {
      const bool zones = list["topologyKey"].Is(kZoneKey);
      if (!zones && !list["topologyKey"].Is(kRegionKey)) {
        list["topologyKey"].Ignored(absl::StrCat(list["topologyKey"].Describe(),
                                                 " is neither region nor zone of Kubernetes"));
        continue;
      }
      for (const Field& origin : list.Items("originList")) {
        const std::string from = ReadName(origin, "origin");
        for (const Field& cost : origin.Items("costList")) {
          Append(absl::StrCat(from, ":", ReadName(cost, "destination"), ":",
                              ReadCost(cost, "networkCost")),
                 zones ? &costs.zones : &costs.regions);
        }
      }
    }
  }
  if (!known) {
    topology.log()->Ignored(topology.place(), "spec.weights",
                            absl::StrCat("has no weights ", wanted));
  }
  return costs;
}

}  // namespace

void ReadNetwork(const ImportSource& source, PodReader* reader) {
  const Dump& dump = source.dump;
  const NetworkChoice choice = ChooseNetwork(source.configuration);
  if (reader->configured() && !IsUsed(reader->points(), "NetworkOverhead")) return;
  const std::string dependencies = ReadAppGroups(dump, choice);
  const ApiObject* const topology = ChooseTopology(dump, choice);
  if (topology == nullptr) {
    for (const ApiObject* group : dump.OfKind("AppGroup")) {
      group->log()->LeftOut(group->place(), "", "there is no NetworkTopology with costs");
    }
    return;
  }
  const Costs costs = ReadCosts(*topology, choice.weights);
  if (dependencies.empty()) {
    return topology->log()->LeftOut(topology->place(), "", "no AppGroup has dependencies");
  }
  const int64_t weight = reader->configured() ? reader->points().weight("NetworkOverhead") : 1;
  // One weight is the switch for filtering, too.
  reader->Set("network_weight", absl::StrCat(std::max<int64_t>(1, weight)));
  reader->Set("dependencies", dependencies);
  if (!costs.zones.empty()) reader->Set("zone_costs", costs.zones);
  if (!costs.regions.empty()) reader->Set("region_costs", costs.regions);
}

}  // namespace muster::scheduler_plugins_import
