// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls about nodes: scores, what fits, NUMA zones, topologies.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/peer/kai/node_scores.h"
#include "lib/peer/kai/numa_zones.h"
#include "lib/peer/kai/topology_tree.h"
#include "tests/conformance/probe/kai.h"
#include "tests/conformance/probe/kai_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

std::optional<std::string> LabelOf(const json& node, const std::string& name) {
  const json& value = KaiMember(KaiMember(node, "labels"), name.c_str());
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

bool IsCpuOnly(const json& task) { return IsKaiCpuOnly(KaiTypeOf(task), KaiGpuOf(task)); }

json Feasible(const json& in) {
  json names = json::array();
  const KaiRecordedJob read(in["job"]);
  const bool all = std::ranges::any_of(read.tasks(), IsCpuOnly);
  for (const json& node : in["nodes"]) {
    const int64_t memory = node.value("gpuMemory", int64_t{0});
    const std::vector<KaiSharedDevice> shared = KaiSharedOf(node);
    const double idle = KaiIdleGpus(KaiAmountsOf(KaiMember(node, "idle"))[kKaiGpu], shared, memory);
    const double releasing =
        KaiReleasingGpus(KaiAmountsOf(KaiMember(node, "releasing"))[kKaiGpu], shared, memory);
    if (all || idle > 0 || releasing > 0) names.push_back(node["name"]);
  }
  return names;
}

json DeviceScore(const std::string& fn, const json& in) {
  const json& node = in["node"];
  const bool pack = fn.starts_with("gpupack");
  const std::string device = in["gpu"];
  if (device == "-2") return {{"score", pack ? 0 : 1}};  // a whole free device
  const json& used = KaiMember(KaiMember(KaiMember(node, "sharedGpus"), "used"), device.c_str());
  const int64_t held = used.is_number() ? used.get<int64_t>() : 0;
  const int64_t memory = node.value("gpuMemory", int64_t{0});
  const auto score = pack ? KaiDevicePackScore(held, memory) : KaiDeviceSpreadScore(held, memory);
  return score ? json{{"score", *score}} : json{{"score", nullptr}};
}

json Availability(const json& in) {
  KaiPlaces places;
  const json &task = in["task"], &node = in["node"];
  const KaiVector request = places.Vector(KaiMember(task, "request"));
  const KaiVector idle = places.Vector(KaiMember(node, "idle"));
  const KaiGpuRequest gpu = KaiGpuOf(task);
  const std::vector<KaiSharedDevice> shared = KaiSharedOf(node);
  const bool fits = KaiFits(
      {.resources = request, .type = KaiTypeOf(task), .gpu = &gpu},
      {.resources = idle, .device_memory = node.value("gpuMemory", int64_t{0}), .shared = shared},
      /*idle=*/true);
  return fits ? kKaiAvailabilityScore : 0;
}

// What a node has left of cpu or GPUs, and what is allocatable.
std::pair<double, double> LeftOf(const json& node, size_t resource) {
  KaiPlaces places;
  return {places.Vector(KaiMember(node, "idle"))[resource] +
              places.Vector(KaiMember(node, "releasing"))[resource],
          places.Vector(KaiMember(node, "allocatable"))[resource]};
}

json Placement(const json& in) {
  const bool cpu = IsCpuOnly(in["task"]);
  const size_t resource = cpu ? kKaiCpuAt : kKaiGpuAt;
  const auto [left, allocatable] = LeftOf(in["node"], resource);
  if (in["arguments"].value(cpu ? "cpu" : "gpu", "binpack") == "spread") {
    const std::optional<std::string> label = LabelOf(in["node"], "nvidia.com/gpu.count");
    return KaiSpreadScore(left, cpu ? allocatable : KaiGpuCount(label, allocatable));
  }
  KaiPackRange range;
  for (const json& node : KaiMember(in, "candidateNodes")) {
    const auto [node_left, node_allocatable] = LeftOf(node, resource);
    range.Add(node_left, node_allocatable);
  }
  return KaiPackScore(range, left, allocatable);
}

json ResourceType(const json& in) {
  const json &node = in["node"], &allocatable = KaiMember(node, "allocatable");
  bool has_mig = false;
  if (allocatable.is_object()) {
    for (const auto& [name, count] : allocatable.items()) {
      has_mig |= IsKaiMigResource(name) && count.get<double>() > 0;
    }
  }
  const std::optional<std::string> label = LabelOf(node, "node-role.kubernetes.io/mig-enabled");
  const double gpus = LeftOf(node, kKaiGpuAt).second;
  const bool is_cpu_node =
      IsKaiCpuOnlyNode(IsKaiMigNode(label, has_mig), gpus, node.value("dra", false));
  return IsCpuOnly(in["task"]) && is_cpu_node ? kKaiResourceTypeScore : 0;
}

json Nominated(const json& in) {
  return in["task"].value("nominatedNode", "") == in["node"]["name"] ? kKaiNominatedScore : 0;
}

json Numa(const json& in) {
  KaiPlaces places;
  std::vector<KaiZone> zones;
  for (const json& zone : in["zones"]) {
    zones.push_back({zone["id"], places.Vector(KaiMember(zone, "available")),
                     places.Vector(KaiMember(zone, "allocatable"))});
  }
  KaiNumaRequests requests;
  for (const json& r : in["concurrent"]) requests.concurrent.push_back(places.Vector(r));
  for (const json& r : in["serial"]) requests.serial.push_back(places.Vector(r));
  std::vector<uint32_t> aware;
  for (const json& name : in["aware"]) aware.push_back(static_cast<uint32_t>(places.At(name)));
  std::sort(aware.begin(), aware.end());
  const auto policy = static_cast<KaiNumaPolicy>(std::stoi(in["policy"].get<std::string>()));
  const auto scope = static_cast<KaiNumaScope>(std::stoi(in["scope"].get<std::string>()));
  const KaiNumaNode node = KaiNumaNode::Make(policy, scope, zones, aware);
  KaiZonePlacement placement;
  const bool admit = node.Solve(node.aware, requests, &placement);
  json rows = json::array();
  for (const KaiZoneAmounts& row : placement) {
    json amounts = json::object();
    for (size_t i = 0; i < row.amounts.size(); ++i) {
      if (row.amounts[i] != 0) amounts[places.names()[i]] = row.amounts[i];
    }
    rows.push_back({{"zone", row.zone}, {"amount", amounts}});
  }
  return {{"admit", admit}, {"placement", rows}};
}

// Nodes of a call by ascending name, with what they have left.
struct Nodes {
  KaiPlaces places = {};
  std::vector<std::string> names = {};
  std::vector<json> rows = {};
  std::vector<KaiVector> idle = {}, releasing = {};
  std::vector<double> fractions = {};

  explicit Nodes(const json& nodes) {
    std::map<std::string, json> by_name;
    for (const json& node : nodes) by_name[node["name"]] = node;
    for (const auto& [name, node] : by_name) {
      names.push_back(name);
      rows.push_back(node);
      idle.push_back(places.Vector(KaiMember(node, "idle")));
      releasing.push_back(places.Vector(KaiMember(node, "releasing")));
      fractions.push_back(
          KaiSharedFractions(KaiSharedOf(node), node.value("gpuMemory", int64_t{0})));
    }
  }
  uint32_t Find(const std::string& name) const {
    return static_cast<uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  std::vector<uint32_t> All() const {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < names.size(); ++i) all.push_back(i);
    return all;
  }
  KaiNodeLeft Left(uint32_t node) const { return {idle[node], releasing[node], fractions[node]}; }
  json Named(const std::vector<uint32_t>& nodes) const {
    json named = json::array();
    for (const uint32_t node : nodes) named.push_back(names[node]);
    std::sort(named.begin(), named.end());
    return named;
  }
  // Adds the values of each node that has all levels.
  void Label(KaiTopology* tree, bool with_domains) const {
    for (uint32_t node = 0; node < names.size(); ++node) {
      std::vector<std::string> values;
      for (const std::string& level : tree->levels()) {
        if (const auto value = LabelOf(rows[node], level)) values.push_back(*value);
      }
      if (values.size() < tree->levels().size()) continue;
      const std::vector<std::string_view> views(values.begin(), values.end());
      with_domains ? tree->AddNode(node, views) : tree->SetValues(node, views);
    }
  }
};

// The tasks of a call as topologies see them; `requests` holds their vectors.
std::vector<KaiTopologyTask> TasksOf(const json& tasks, KaiPlaces* places,
                                     std::vector<KaiVector>* requests) {
  for (const json& task : tasks) requests->push_back(places->Vector(KaiMember(task, "request")));
  std::vector<KaiTopologyTask> read;
  for (size_t i = 0; i < requests->size(); ++i) {
    read.push_back({(*requests)[i], KaiGpus(KaiGpuOf(tasks[i])) > 0});
  }
  return read;
}

KaiConstraint ConstraintOf(const json& constraint) {
  return {constraint.value("topology", ""), constraint.value("required", ""),
          constraint.value("preferred", "")};
}

// A topology written as domains by level; a domain's parent holds its first node.
KaiTopology TopologyOf(const std::string& name, const json& written, const Nodes& nodes) {
  KaiTopology tree(name, written["levels"]);
  for (uint32_t level = 1; level <= tree.levels().size(); ++level) {
    const json& domains = KaiMember(written["domains"], tree.levels()[level - 1].c_str());
    if (!domains.is_object()) continue;
    for (const auto& [id, members] : domains.items()) {
      std::vector<uint32_t> rows;
      for (const json& member : members) rows.push_back(nodes.Find(member));
      uint32_t parent = 0;
      for (uint32_t d = 0; d < tree.domains().size(); ++d) {
        const std::vector<uint32_t>& held = tree.domains()[d].nodes;
        if (tree.domains()[d].level + 1 == level && !rows.empty() &&
            std::find(held.begin(), held.end(), rows[0]) != held.end()) {
          parent = d;
        }
      }
      tree.AddDomain(id, level, parent, rows);
    }
  }
  const json& top = KaiMember(KaiMember(written["domains"], "root"), "root");
  for (const json& member : top) tree.domain(0).nodes.push_back(nodes.Find(member));
  nodes.Label(&tree, /*with_domains=*/false);
  return tree;
}

json Subset(const json& in) {
  Nodes nodes(in["nodes"]);
  std::vector<KaiTopology> trees;
  for (const auto& [name, written] : in["topologies"].items()) {
    trees.push_back(TopologyOf(name, written, nodes));
  }
  std::vector<KaiVector> requests;
  const std::vector<KaiTopologyTask> tasks = TasksOf(in["tasks"], &nodes.places, &requests);
  std::vector<uint32_t> active, all;
  for (const auto& [name, pod_set] : in["podSets"].items()) {
    for (const json& task : KaiMember(pod_set, "tasks")) {
      if (IsActiveAllocated(KaiStatusOf(task)))
        active.push_back(nodes.Find(task.value("node", "")));
    }
  }
  for (const json& node : in["nodes"]) all.push_back(nodes.Find(node["name"]));
  const json& sub_group = in["subGroup"];
  const std::string name = sub_group.value("name", "");
  const std::string job = in["job"].value("name", ""), space = in["job"].value("namespace", "");
  const json& written = KaiMember(sub_group, "topology");
  const KaiConstraint constraint = written.is_object() ? ConstraintOf(written) : KaiConstraint();
  const KaiSubset subset =
      SubsetOfKaiNodes(trees,
                       {.tasks = tasks,
                        .constraint = written.is_object() ? &constraint : nullptr,
                        .nodes = all,
                        .active = active,
                        .name_space = space,
                        .job = job,
                        .sub_group = name,
                        .resources = nodes.places.names()},
                       [&](uint32_t node) { return nodes.Left(node); });
  json answer = {
      {"nodeSets", json::array()}, {"fitErrors", json::array()}, {"scores", json::object()}};
  for (const auto& set : subset.sets) answer["nodeSets"].push_back(nodes.Named(set));
  for (const KaiFitError& error : subset.errors) answer["fitErrors"].push_back(error.message);
  if (subset.has_scores) answer["scores"][name] = json::object();
  for (const auto& [node, score] : subset.scores) answer["scores"][name][nodes.names[node]] = score;
  if (!subset.failure.empty()) answer["error"] = subset.failure;
  return answer;
}

// A tree of domains as it is written in calls, below the root of a topology.
struct WrittenTree {
  std::vector<std::string> levels = {};
  KaiTopology tree;

  WrittenTree(const json& top, const Nodes& nodes) : tree("", LevelsOf(top)) {
    Add(top, 1, 0, nodes);
  }

  static std::vector<std::string> LevelsOf(const json& top) {
    std::vector<std::string> levels;
    for (json row = json::array({top}); !row.empty();) {
      levels.push_back(row[0].value("level", ""));
      json next = json::array();
      for (const json& domain : row) {
        for (const json& child : KaiMember(domain, "children")) next.push_back(child);
      }
      row = next;
    }
    return levels;
  }
  void Add(const json& written, uint32_t level, uint32_t parent, const Nodes& nodes) {
    std::vector<uint32_t> members;
    const json& names = KaiMember(written, "nodes");
    if (names.is_object()) {
      for (const auto& [name, is_member] : names.items()) members.push_back(nodes.Find(name));
    }
    const uint32_t domain = tree.AddDomain(written.value("id", ""), level, parent, members);
    const json& free = KaiMember(written, "free");
    if (free.is_array()) tree.domain(domain).free = free.get<KaiVector>();
    tree.domain(domain).allocatable_pods = written.value("allocatablePods", int64_t{0});
    for (const json& child : KaiMember(written, "children")) Add(child, level + 1, domain, nodes);
  }
  json Read(uint32_t domain) {
    const KaiDomain& d = tree.domain(domain);
    json read = {{"id", d.id}, {"allocatablePods", d.allocatable_pods}};
    for (const uint32_t child : d.children) read["children"].push_back(Read(child));
    return read;
  }
};

// Nodes that a written tree names; they need not be described.
json NamesOf(const json& top) {
  json nodes = json::array();
  const json& names = KaiMember(top, "nodes");
  if (names.is_object()) {
    for (const auto& [name, is_member] : names.items()) nodes.push_back({{"name", name}});
  }
  for (const json& child : KaiMember(top, "children")) {
    for (const json& node : NamesOf(child)) nodes.push_back(node);
  }
  return nodes;
}

json CountPods(const json& in) {
  Nodes nodes(in["nodes"]);
  WrittenTree written(in["tree"], nodes);
  std::vector<KaiVector> requests;
  const std::vector<KaiTopologyTask> tasks = TasksOf(in["tasks"], &nodes.places, &requests);
  written.tree.CountPods(1, tasks, [&](uint32_t node) { return nodes.Left(node); });
  return written.Read(1);
}

json SortTree(const json& in) {
  if (!in.contains("tree") || in["tree"].is_null()) return nullptr;
  const Nodes nodes(NamesOf(in["tree"]));
  WrittenTree written(in["tree"], nodes);
  const json& requested = KaiMember(in, "tasksResources");
  const std::string deepest = in.value("maxDepthLevel", "");
  if (!deepest.empty()) {
    const KaiVector vector = requested.is_array() ? requested.get<KaiVector>() : KaiVector();
    written.tree.Sort(1, written.tree.LevelOf(deepest), vector);
  }
  return written.Read(1);
}

json TreeScores(const json& in) {
  const Nodes nodes(NamesOf(in["tree"]));
  WrittenTree written(in["tree"], nodes);
  json scores = json::object();
  const uint32_t preferred = written.tree.LevelOf(in["preferredLevel"].get<std::string>());
  for (const auto& [node, score] : written.tree.Scores(1, preferred)) {
    scores[nodes.names[node]] = score;
  }
  return scores;
}

json Common(const json& in) {
  const Nodes nodes(in["nodes"]);
  KaiTopology tree("", in["levels"]);
  nodes.Label(&tree, /*with_domains=*/true);
  const KaiConstraint constraint = ConstraintOf(in["constraint"]);
  const KaiTopology::Common common = tree.CommonDomain(nodes.All(), constraint.preferred);
  return {{"domain", common.id},
          {"level", common.level == 0 ? "root" : tree.levels()[common.level - 1]},
          {"validNodes", nodes.Named(common.valid)}};
}

}  // namespace

const KaiAsks& KaiNodeAsks() {
  static const auto plain = [](json (*ask)(const json&)) {
    return [ask](const std::string&, const json& in) { return ask(in); };
  };
  static const auto* const kAsks = new KaiAsks{
      {"FeasibleNodesForJob", plain(Feasible)},
      {"gpupack.gpuOrderFn", DeviceScore},
      {"gpuspread.gpuOrderFn", DeviceScore},
      {"nodeavailability.nodeOrderFn", plain(Availability)},
      {"nodeplacement.nodeOrderFn", plain(Placement)},
      {"resourcetype.nodeOrderFn", plain(ResourceType)},
      {"nominatednode.nodeOrderFn", plain(Nominated)},
      {"numa.solve", plain(Numa)},
      {"subSetNodesFn", plain(Subset)},
      {"calcTreeAllocatable", plain(CountPods)},
      {"sortTree", plain(SortTree)},
      {"calculateNodeScores", plain(TreeScores)},
      {"lowestCommonDomainID", plain(Common)},
  };
  return *kAsks;
}

}  // namespace muster::testing
