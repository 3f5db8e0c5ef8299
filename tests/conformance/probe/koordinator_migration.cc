// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's arbitrator of migrations, and its plug-ins that pack nodes.
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/koordinator/rebalance/arbitration.h"
#include "lib/peer/koordinator/rebalance/bin_pack.h"
#include "lib/peer/koordinator/rebalance/fragmentation.h"
#include "lib/peer/koordinator/rebalance/level_drain.h"
#include "tests/conformance/probe/koordinator_rebalance.h"

namespace muster::testing {
namespace {

using koordinator::MigrationJob;
using koordinator::MigrationWorld;
using nlohmann::json;

std::optional<koordinator::Portion> PortionOf(const json& value) {
  if (value.is_null()) return std::nullopt;
  return koordinator::Portion{value[0], value[1]};
}

MigrationWorld MigrationWorldOf(const json& row) {
  MigrationWorld world;
  for (const json& task : row["tasks"]) {
    world.tasks.push_back({.id = task["id"],
                           .name_space = task["namespace"],
                           .name = task["name"],
                           .node = task["node"],
                           .owner = task["owner"],
                           .is_of_batch_job = task["batch_job"],
                           .has_evict_mark = task["evict_mark"],
                           .rank = RebalanceRank(task)});
  }
  for (const json& job : row["jobs"]) {
    MigrationJob made{
        .created = job["created"], .has_passed = job["passed"], .is_marked = job["marked"]};
    if (job["phase"] == "Running") {
      made.phase = koordinator::MigrationPhase::kRunning;
    } else if (job["phase"] != "Pending") {
      made.phase = koordinator::MigrationPhase::kEnded;
    }
    if (!job["target"].is_null()) {
      made.target = {job["target"][0], job["target"][1], job["target"][2]};
    }
    world.jobs.push_back(std::move(made));
  }
  for (const auto& [owner, workload] : row["workloads"].items()) {
    world.workloads[owner] = {workload["replicas"], workload["unavailable"]};
  }
  return world;
}

koordinator::MigrationLimits MigrationLimitsOf(const json& row) {
  const auto number = [&row](const char* key) {
    return row[key].is_null() ? std::optional<int64_t>() : row[key].get<int64_t>();
  };
  return {.total = number("total"),
          .per_node = number("per_node"),
          .per_namespace = number("per_namespace"),
          .migrating = PortionOf(row["migrating"]),
          .unavailable = PortionOf(row["unavailable"]),
          .skips_migrating = row["skips_migrating"],
          .skips_unavailable = row["skips_unavailable"],
          .checks_replicas = row["checks_replicas"]};
}

json AskMigrationFits(const json& in) {
  const MigrationWorld world = MigrationWorldOf(in["world"]);
  const koordinator::MigrationLimits limits = MigrationLimitsOf(in["limits"]);
  const koordinator::MigratedTask task =
      MigrationWorldOf(
          {{"tasks", {in["task"]}}, {"jobs", json::array()}, {"workloads", json::object()}})
          .tasks[0];
  const auto counting =
      in["arbitrating"] ? koordinator::Counting::kArbitrated : koordinator::Counting::kAll;
  const std::string rule = in["rule"];
  if (rule == "exists") return !HasMigration(world, task, counting);
  if (rule == "total") return FitsTotal(world, limits, task, counting);
  if (rule == "node") return FitsNode(world, limits, task, counting);
  if (rule == "namespace") return FitsNamespace(world, limits, task, counting);
  if (rule == "replicas") return HasSpareReplicas(world, limits, task);
  return FitsWorkload(world, limits, task, counting);
}

json AskMigrationOrder(const json& in) {
  const MigrationWorld world = MigrationWorldOf(in["world"]);
  koordinator::JobOrder order(world.jobs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (in.contains("order")) order = in["order"].get<koordinator::JobOrder>();
  for (const json& by : in["by"]) {
    if (by == "creation") SortNewestFirst(world, &order);
    if (by == "task") SortByTask(world, &order);
    if (by == "controller") GatherBatchJobs(world, &order);
    if (by == "migrations") SortByMigrations(world, &order);
  }
  return order;
}

// Rules of a test by the tasks' names.
json AskArbitrate(const json& in) {
  MigrationWorld world = MigrationWorldOf(in["world"]);
  const std::set<std::string> refused = in["refused"], held = in["held"];
  const auto id = [](const koordinator::MigratedTask& task) {
    return task.name_space + "/" + task.name;
  };
  koordinator::JobOrder waiting = in["waiting"];
  constexpr const char* kWords[] = {"passed", "waits", "refused"};
  json out = json::array();
  for (const koordinator::Verdict& verdict : Arbitrate(
           waiting, [&](const auto& task) { return !refused.contains(id(task)); },
           [&](const auto& task) { return !held.contains(id(task)); }, &world)) {
    out.push_back({verdict.job, kWords[static_cast<size_t>(verdict.ruling)]});
  }
  return out;
}

// --- packing

koordinator::FragmentedNode FragmentedNodeOf(const json& row) {
  koordinator::FragmentedNode node{.allocatable = RebalanceAmounts(row["allocatable"])};
  for (const json& task : row["tasks"]) {
    node.tasks.push_back({task["id"], RebalanceAmounts(task["requests"]), task["may_leave"]});
  }
  return node;
}

json AskFragmentation(const json& in) {
  const koordinator::FragmentedNode node = FragmentedNodeOf(in["node"]);
  const std::vector<std::string> resources = in["resources"];
  if (in["what"] == "imbalance") return Imbalance(node, resources, std::nullopt);
  if (in["what"] == "gain") {
    return Imbalance(node, resources, std::nullopt) -
           Imbalance(node, resources, in["without"].get<std::string>());
  }
  const auto task =
      MostUneven(node, {.resources = resources, .imbalance = in["imbalance"], .gain = in["gain"]});
  return task.has_value() ? json(*task) : json();
}

json AskScaleDown(const json& in) {
  std::vector<koordinator::PackNode> nodes;
  for (const json& row : in["nodes"]) {
    nodes.push_back({.name = row["name"], .allocatable = RebalanceAmounts(row["allocatable"])});
    for (const json& task : row["tasks"]) {
      const auto role = task["role"] == "target" ? koordinator::PackRole::kTarget
                        : task["role"] == "held" ? koordinator::PackRole::kHeldTarget
                                                 : koordinator::PackRole::kOther;
      nodes.back().tasks.push_back({task["namespace"], task["name"],
                                    RebalanceAmounts(task["requests"]), task["created"], role});
    }
  }
  koordinator::PackWeights weights;
  for (const auto& [name, weight] : in["weights"].items()) weights.emplace_back(name, weight);
  json out = json::array();
  for (const koordinator::PackedTask& task : ScaleDownOrder(nodes, weights)) {
    const koordinator::PackNode& node = nodes[task.node];
    out.push_back({{"node", node.name},
                   {"task", node.tasks[task.task].name_space + "/" + node.tasks[task.task].name},
                   {"score", std::to_string(task.score)}});
  }
  return out;
}

koordinator::DrainNode DrainNodeOf(const json& row) {
  koordinator::DrainNode node{.name = row["name"],
                              .labels = RebalanceLabels(row["labels"]),
                              .left = RebalanceAmounts(row["left"])};
  for (const json& task : row["tasks"]) {
    node.tasks.push_back(
        {task["namespace"], task["name"], RebalanceAmounts(task["requests"]), task["may_leave"]});
  }
  return node;
}

json AskDrain(const json& in) {
  std::vector<koordinator::DrainNode> nodes;
  for (const json& row : in["nodes"]) nodes.push_back(DrainNodeOf(row));
  std::vector<koordinator::DrainLevel> levels;
  for (const json& row : in["levels"]) {
    levels.push_back({row["name"], RebalanceSelector(row["selector"])});
  }
  if (in["what"] == "check") return CheckLevels(levels).ok();
  if (in["what"] == "small_first") return SmallFirst(nodes[0]);
  const auto found = in.contains("groups") ? in["groups"].get<std::vector<std::vector<size_t>>>()
                                           : NodesOfLevels(levels, nodes);
  if (in["what"] == "levels") return found;
  std::set<std::pair<std::string, std::string>> fits;
  for (const json& pair : in["fits"]) fits.emplace(pair[0], pair[1]);
  const auto has_room = [&](const koordinator::DrainNode::Task& task,
                            const koordinator::DrainNode& node) {
    return fits.contains({task.name_space + "/" + task.name, node.name});
  };
  if (in["what"] == "fitting") {
    return TasksThatFit(nodes[0], in["tasks"], nodes, in["targets"], has_room);
  }
  json out = json::array();
  for (const koordinator::DrainMove& move : DrainLevels(
           found, nodes, {.whole_nodes = in["whole_nodes"], .checks_targets = in["checks_targets"]},
           has_room)) {
    const koordinator::DrainNode::Task& task = nodes[move.node].tasks[move.task];
    out.push_back(task.name_space + "/" + task.name);
  }
  return out;
}

}  // namespace

std::optional<json> AskMigrationOrPacking(const std::string& ask, const json& in) {
  if (ask == "most_away") return koordinator::MostAway(in["replicas"], PortionOf(in["limit"]));
  if (ask == "migration_fits") return AskMigrationFits(in);
  if (ask == "migration_order") return AskMigrationOrder(in);
  if (ask == "migrations_of") {
    return koordinator::MigrationsOf(MigrationWorldOf(in["world"]), in["owner"]);
  }
  if (ask == "arbitrate") return AskArbitrate(in);
  if (ask == "fragmentation") return AskFragmentation(in);
  if (ask == "scale_down") return AskScaleDown(in);
  if (ask == "drain") return AskDrain(in);
  return std::nullopt;
}

}  // namespace muster::testing
