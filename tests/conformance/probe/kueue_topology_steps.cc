// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Single steps of the search for places, on domains with given room.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/topology_balanced.h"
#include "lib/peer/kueue/topology_counts.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {

using kueue::DomainCounts;
using kueue::LevelCounts;
using kueue::TopologyTree;
using nlohmann::json;
using Path = std::vector<std::string>;

// [pods, slices, pods with leader, slices with leader, leaders, affinity]
DomainCounts CountsOf(const json& row) { return {row[0], row[1], row[2], row[3], row[4], row[5]}; }

json ToJson(const DomainCounts& c) {
  return {c.pods, c.slices, c.pods_with_leader, c.slices_with_leader, c.leaders, c.affinity};
}

struct StepWorld {
  explicit StepWorld(const json& asked) : tree(TreeOf(asked)) {
    for (uint32_t level = 0; level < tree.levels(); ++level) {
      counts.emplace_back(tree.size(level));
      for (const json& domain : asked["domains"]) {
        const Path path = domain["path"];
        if (path.size() == level + 1) counts[level][Find(path)] = CountsOf(domain["counts"]);
      }
    }
  }
  // Domains of the lowest level are nodes.
  static TopologyTree TreeOf(const json& asked) {
    FlavorSpec flavor{.name = "flavor", .topology = FlavorTopology{"default", {}}};
    const size_t levels = asked["levels"];
    for (size_t l = 0; l < levels; ++l) flavor.topology->levels.push_back(absl::StrCat("l", l));
    std::vector<NodeSpec> specs;
    for (const json& domain : asked["domains"]) {
      if (domain["path"].size() != levels) continue;
      specs.emplace_back();
      for (size_t l = 0; l < levels; ++l) {
        specs.back().labels.emplace_back(absl::StrCat("l", l), domain["path"][l]);
      }
    }
    std::vector<kueue::TopologyNode> nodes;
    for (const NodeSpec& spec : specs) nodes.push_back({.spec = &spec, .allocatable = {}});
    return TopologyTree(flavor, kueue::TopologyResources({"pods"}), nodes);
  }
  uint32_t Find(const Path& path) const {
    const auto level = static_cast<uint32_t>(path.size() - 1);
    uint32_t d = 0;
    while (d < tree.size(level) && tree.path(level, d) != path) ++d;
    return d;
  }
  std::vector<uint32_t> FindAll(const json& paths) const {
    std::vector<uint32_t> domains;
    for (const json& path : paths) domains.push_back(Find(path));
    return domains;
  }
  json PathsOf(uint32_t level, const std::vector<uint32_t>& domains) const {
    json paths = json::array();
    for (const uint32_t d : domains) paths.push_back(tree.path(level, d));
    return paths;
  }

  TopologyTree tree;
  LevelCounts counts;
};

// The positions of the domains given, in order.
json OrderOf(const json& op) {
  const kueue::OrderRule rule{.with_leader = op["with_leader"],
                              .least_first = op["least_first"],
                              .by_affinity = op["by_affinity"]};
  std::vector<std::pair<kueue::OrderKey, size_t>> keys;
  for (const json& row : op["rows"]) {
    keys.emplace_back(kueue::KeyOf(CountsOf(row["counts"]), row["rank"], rule), keys.size());
  }
  std::sort(keys.begin(), keys.end());
  json order = json::array();
  for (const auto& [key, position] : keys) order.push_back(position);
  return order;
}

kueue::SetRequest SetOf(const json& op) {
  return {.slices = op["slices"],
          .leaders = op["leaders"],
          .slice_size = op["slice_size"],
          .by_affinity = op["by_affinity"]};
}

json SetAnswer(const json& op, StepWorld* world) {
  const uint32_t level = op["level"];
  const std::vector<uint32_t> domains = world->FindAll(op["domains"]);
  std::span<const DomainCounts> children;
  const bool by_entropy = op["by_entropy"];
  if (level < world->tree.lowest()) children = world->counts[level + 1];
  const auto set = kueue::SmallestSet(world->tree, level, world->counts[level],
                                      by_entropy ? &children : nullptr, domains, SetOf(op));
  return set ? world->PathsOf(level, *set) : json();
}

json EvenAnswer(const json& op, StepWorld* world) {
  const uint32_t level = op["level"];
  const auto placed = kueue::PlaceEvenly(world->tree, level, world->counts[level],
                                         world->FindAll(op["domains"]), SetOf(op), op["threshold"]);
  if (!placed) return {};
  json rows = json::array();
  for (const uint32_t d : *placed) {
    rows.push_back(
        {{"path", world->tree.path(level, d)}, {"counts", ToJson(world->counts[level][d])}});
  }
  return rows;
}

json BalanceAnswer(const json& op, StepWorld* world) {
  kueue::LevelPlan plan;
  plan.count = op["count"];
  plan.leaders = op["leaders"];
  plan.slice_size = op["slice_size"];
  plan.level = op["level"];
  plan.slice_level = op["slice_level"];
  const auto balance = kueue::FindBalance(world->tree, plan, op["by_affinity"], &world->counts);
  if (!balance) return {{"threshold", 0}, {"domains", json::array()}};
  return {{"threshold", balance->threshold},
          {"domains", world->PathsOf(plan.level, balance->domains)}};
}

}  // namespace

absl::StatusOr<json> AskKueueTopologySteps(const json& request) {
  StepWorld world(request["kueue_topology_steps"]);
  json answers = json::array();
  for (const json& op : request["ops"]) {
    const std::string what = op["op"];
    if (what == "order") {
      answers.push_back(OrderOf(op));
    } else if (what == "set") {
      answers.push_back(SetAnswer(op, &world));
    } else if (what == "even") {
      answers.push_back(EvenAnswer(op, &world));
    } else if (what == "balance") {
      answers.push_back(BalanceAnswer(op, &world));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("no step of a search: ", what));
    }
  }
  return answers;
}

}  // namespace muster::testing
