// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fair scheduler of YARN, as its records are written: clusters event by event, and single
// rules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/yarn/fair/fair.h"
#include "nlohmann/json.hpp"
#include "tests/conformance/probe/yarn.h"

namespace muster::testing {
namespace yarn_fair {

namespace fair = yarn::fair;
using nlohmann::json;
using yarn::Resource;

// --- parts of a record

float FloatOf(const json& text) {
  float value = 0;
  if (!absl::SimpleAtof(text.get<std::string>(), &value)) return 0;
  return value;
}

Resource ResourceOf(const json& pair) { return {pair[0], pair[1]}; }

json TextOf(const Resource& resource) { return json::array({resource.memory, resource.vcores}); }

fair::Policy PolicyOf(const std::string& name) {
  if (name == "fifo") return fair::Policy::kFifo;
  return name == "drf" ? fair::Policy::kDrf : fair::Policy::kFair;
}

fair::QueueConfig QueueOf(const json& row) {
  fair::QueueConfig queue{.path = row["path"],
                          .leaf = row["leaf"],
                          .weight = FloatOf(row["weight"]),
                          .policy = PolicyOf(row["policy"]),
                          .max_running_apps = row["maxRunningApps"],
                          .allow_preemption_from = row["allowPreemptionFrom"]};
  if (!row["min"].is_null()) queue.min = ResourceOf(row["min"]);
  if (!row["max"].is_null()) queue.max = ResourceOf(row["max"]);
  if (row.contains("maxAMShare")) queue.max_am_share = FloatOf(row["maxAMShare"]);
  const auto milliseconds = [&](const char* key, std::optional<int64_t>* time) {
    if (!row[key].is_null()) *time = row[key].get<int64_t>() * 1000;
  };
  milliseconds("minSharePreemptionTimeoutS", &queue.min_share_timeout);
  milliseconds("fairSharePreemptionTimeoutS", &queue.fair_share_timeout);
  const json& threshold = row["fairSharePreemptionThreshold"];
  if (!threshold.is_null()) queue.fair_share_threshold = FloatOf(threshold);
  return queue;
}

std::vector<fair::QueueConfig> QueuesOf(const json& config) {
  std::vector<fair::QueueConfig> queues;
  for (const json& row : config["queues"]) queues.push_back(QueueOf(row));
  return queues;
}

fair::UserLimits UserLimitsOf(const json& config) {
  fair::UserLimits limits;
  for (const auto& [user, limit] : config["userMaxApps"].items()) {
    limits.emplace_back(user, limit.get<int64_t>());
  }
  return limits;
}

fair::Options OptionsOf(const json& config) {
  return {.min_allocation = ResourceOf(config["minAlloc"]),
          .max_allocation = ResourceOf(config["maxAlloc"]),
          .increment = ResourceOf(config["increment"]),
          .reservation_threshold_multiple = FloatOf(config["reservationThresholdMultiple"]),
          .reservable_nodes = FloatOf(config["reservableNodes"]),
          .assign_multiple = config["assignMultiple"],
          .dynamic_max_assign = config["dynamicMaxAssign"],
          .max_assign = config["maxAssign"],
          .size_based_weight = config["sizeBasedWeight"],
          .node_locality_threshold = FloatOf(config["localityThresholdNode"]),
          .rack_locality_threshold = FloatOf(config["localityThresholdRack"]),
          .preemption = config["preemption"],
          .preemption_utilization_threshold = FloatOf(config["preemptionUtilizationThreshold"]),
          .wait_before_kill = config["waitTimeBeforeKill"],
          .wait_before_next_check = config["waitTimeBeforeNextStarvationCheck"],
          .am_preemption = config["amPreemption"]};
}

// --- a cluster, event by event

class Replay {
 public:
  explicit Replay(fair::FairScheduler scheduler) : scheduler_(std::move(scheduler)) {}

  // Returns what the record has for the operation: the results, and what changed.
  absl::StatusOr<json> Play(const json& op) {
    json result = json::object();
    if (absl::Status status = Do(op, &result); !status.ok()) return status;
    AddChanges(&result);
    return result;
  }

 private:
  absl::Status Do(const json& op, json* result) {
    const std::string name = op["op"];
    if (name == "node") return AddNode(op);
    if (name == "removeNode") return scheduler_.RemoveNode(nodes_[op["id"]]);
    if (name == "app") return AddApp(op, result);
    if (name == "ask") return Ask(op, result);
    if (name == "hb") return Beat(nodes_[op["node"]], result);
    if (name == "end") return scheduler_.EndContainer({apps_[op["app"]], op["container"]});
    if (name == "appEnd") return scheduler_.EndApp(apps_[op["app"]]);
    if (name == "config") {
      return scheduler_.Reload(QueuesOf(op["config"]), UserLimitsOf(op["config"]));
    }
    if (name == "tick") return Tick(op["ms"], result);
    if (name == "update") return Update(result);
    return absl::InvalidArgumentError(absl::StrCat("unknown operation ", name));
  }

  absl::Status AddNode(const json& op) {
    const auto node = scheduler_.AddNode(op["id"], op["rack"], ResourceOf(op["res"]));
    if (!node.ok()) return node.status();
    nodes_[op["id"]] = *node;
    node_names_[*node] = op["id"];
    return absl::OkStatus();
  }

  absl::Status AddApp(const json& op, json* result) {
    const bool unmanaged = op["am"].is_null();
    const auto app = scheduler_.AddApp(
        {.id = op["id"], .queue = op["queue"], .user = op["user"], .unmanaged = unmanaged});
    if (!app.ok()) {
      (*result)["rejected"] = true;
      return absl::OkStatus();
    }
    apps_[op["id"]] = *app;
    if (unmanaged) return absl::OkStatus();
    masters_[*app] = true;
    const fair::AskSpec ask{.priority = 0, .place = "*", .size = ResourceOf(op["am"]), .count = 1};
    return scheduler_.SetAsks(*app, {ask});
  }

  absl::Status Ask(const json& op, json* result) {
    std::vector<fair::AskSpec> asks;
    for (const json& row : op["asks"]) {
      asks.push_back({.priority = row[0],
                      .place = row[1],
                      .size = {row[2], row[3]},
                      .count = row[4],
                      .relax_locality = row[5]});
    }
    const yarn::AppIndex app = apps_[op["app"]];
    (*result)["headroom"] = TextOf(*scheduler_.Headroom(app));
    return scheduler_.SetAsks(app, asks);
  }

  absl::Status Beat(yarn::NodeIndex node, json* result) {
    const auto allocations = scheduler_.Heartbeat(node);
    if (!allocations.ok()) return allocations.status();
    const fair::Cluster& cluster = scheduler_.cluster();
    for (const fair::Allocation& allocation : *allocations) {
      static constexpr const char* kLocality[] = {"node", "rack", "any"};
      const fair::App& app = cluster.apps[allocation.app];
      const yarn::Container& container = cluster.containers[allocation.container];
      (*result)["alloc"].push_back({app.id, allocation.number, node_names_[container.node],
                                    container.size.memory, container.size.vcores,
                                    container.priority,
                                    kLocality[static_cast<size_t>(container.locality)]});
      (*result)["headroom"][absl::StrCat(app.id)] = TextOf(*scheduler_.Headroom(allocation.app));
      if (!masters_[allocation.app]) continue;
      masters_[allocation.app] = false;
      const absl::Status status = scheduler_.MarkMaster({allocation.app, allocation.number});
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Tick(int64_t milliseconds, json* result) {
    const auto killed = scheduler_.AdvanceTo(scheduler_.cluster().now + milliseconds);
    if (!killed.ok()) return killed.status();
    if (!killed->empty()) (*result)["kill"] = Sorted(*killed);
    return absl::OkStatus();
  }

  absl::Status Update(json* result) {
    const std::vector<fair::PreemptedFor> preempted = scheduler_.Update();
    const fair::Cluster& cluster = scheduler_.cluster();
    json& shares = (*result)["shares"] = json::object();
    for (const fair::Queue& queue : cluster.queues) {
      shares[queue.config.path] = {{"fair", TextOf(queue.fair_share)},
                                   {"steady", TextOf(queue.steady_share)},
                                   {"demand", TextOf(queue.demand)}};
    }
    json& app_shares = (*result)["appShares"] = json::object();
    for (const fair::App& app : cluster.apps) {
      const std::string id = absl::StrCat(app.id);
      if (app.runnable) app_shares[id] = TextOf(app.fair_share);
      const Resource &fairly = app.fair_share_starvation, &least = app.min_share_starvation;
      if (app.ended || fairly + least == Resource{}) continue;
      (*result)["starvation"][id] = {fairly.memory, fairly.vcores, least.memory, least.vcores};
    }
    for (const fair::PreemptedFor& one : preempted) {
      (*result)["preempt"].push_back({{"app", cluster.apps[one.app].id},
                                      {"starvation", TextOf(one.starvation)},
                                      {"containers", Sorted(one.containers)}});
    }
    return absl::OkStatus();
  }

  json Sorted(const std::vector<fair::ContainerName>& ids) const {
    std::vector<std::pair<int64_t, uint32_t>> rows;
    for (const fair::ContainerName id : ids) {
      rows.emplace_back(scheduler_.cluster().apps[id.app].id, id.number);
    }
    std::ranges::sort(rows);
    return rows;
  }

  // --- what changed since the operation before

  void AddChanges(json* result) {
    const fair::Cluster& cluster = scheduler_.cluster();
    for (const fair::Queue& queue : cluster.queues) {
      json row = TextOf(queue.usage);
      if (queue.config.leaf) {
        row.push_back(queue.master_usage.memory);
        row.push_back(queue.master_usage.vcores);
      }
      Note("queues", queue.config.path, row, result);
    }
    for (const fair::App& app : cluster.apps) {
      const json queue = app.runnable ? json(cluster.queues[app.queue].config.path) : json();
      Note("active", absl::StrCat(app.id), queue, result);
    }
    for (yarn::NodeIndex i = 0; i < cluster.nodes.size(); ++i) {
      json row;
      if (cluster.nodes[i].reserved != yarn::kNone) {
        const yarn::Container& container = cluster.containers[cluster.nodes[i].reserved];
        row = {cluster.apps[container.app].id, container.id.number, container.size.memory,
               container.size.vcores, container.priority};
      }
      Note("reserved", node_names_[i], row, result);
    }
  }

  void Note(const std::string& kind, const std::string& key, const json& now, json* result) {
    json& before = noted_[kind][key];
    if (before == now) return;
    (*result)[kind][key] = before = now;
  }

  fair::FairScheduler scheduler_;
  std::map<std::string, yarn::NodeIndex> nodes_;
  std::map<yarn::NodeIndex, std::string> node_names_;
  std::map<int64_t, yarn::AppIndex> apps_;
  std::map<yarn::AppIndex, bool> masters_;  // true: asked for, and not there yet
  json noted_;
};

absl::StatusOr<json> PlayCluster(const json& asked) {
  constexpr int64_t kStart = 1'000'000;
  const json& config = asked["config"];
  auto scheduler =
      fair::FairScheduler::Make(OptionsOf(config), QueuesOf(config), UserLimitsOf(config), kStart);
  if (!scheduler.ok()) return scheduler.status();
  Replay replay(*std::move(scheduler));
  json answers = json::array();
  for (size_t i = 0; i < asked["ops"].size(); ++i) {
    auto answer = replay.Play(asked["ops"][i]);
    if (!answer.ok()) return answer.status();
    if (answer->empty()) continue;
    (*answer)["i"] = i;
    answers.push_back(*std::move(answer));
  }
  return answers;
}

// --- single rules

json PlayShares(const json& asked) {
  std::vector<fair::ShareClaim> claims;
  for (const json& child : asked["state"]["children"]) {
    claims.push_back(
        {.weight = child["weight"], .min = child["minShare"], .max = child["maxShare"]});
  }
  return {{"shares", fair::ComputeShares(claims, asked["state"]["total"])}};
}

json PlayComparator(const json& asked) {
  const json& state = asked["state"];
  const auto key_of = [&](const char* name, uint64_t order) {
    const json& row = state[name];
    fair::Sibling sibling{.weight = row["weight"], .usage = ResourceOf(row["usage"])};
    sibling.name_order = order;
    if (row.contains("minShare")) sibling.min = ResourceOf(row["minShare"]);
    return fair::KeyOf(PolicyOf(asked["config"]["policy"]), sibling, ResourceOf(state["cluster"]));
  };
  const int order = fair::Compare(key_of("first", 0), key_of("second", 0));
  return {{"servedFirst", order == 0 ? "either" : (order < 0 ? "first" : "second")}};
}

void AddTree(const json& row, const std::string& above, std::vector<fair::QueueConfig>* queues) {
  const std::string path = absl::StrCat(above, row["name"].get<std::string>());
  queues->push_back(
      {.path = path, .leaf = !row.contains("children"), .weight = row.value("weight", 1.0f)});
  for (const json& child : row.value("children", json::array())) {
    AddTree(child, absl::StrCat(path, "."), queues);
  }
}

// Shares in percent of the cluster, without what is behind the point. The record names no cluster;
// this one is divided by its weights without a rest.
absl::StatusOr<json> PlayTree(const json& asked) {
  constexpr Resource kNode = {10'240, 10};
  std::vector<fair::QueueConfig> queues;
  AddTree(asked["state"]["tree"], "", &queues);
  auto scheduler = fair::FairScheduler::Make({}, queues, {}, 0);
  if (!scheduler.ok()) return scheduler.status();
  if (auto node = scheduler->AddNode("n", "/r", kNode); !node.ok()) return node.status();
  const json active = asked["state"].value("active", json::array());
  for (const fair::QueueConfig& queue : queues) {
    const std::string name = queue.path.substr(queue.path.rfind('.') + 1);
    if (std::ranges::find(active, json(name)) == active.end()) continue;
    if (auto app = scheduler->AddApp({.queue = queue.path}); !app.ok()) return app.status();
  }
  scheduler->Update();
  const bool steady = asked["config"].value("share", "") == "steady";
  json shares = json::object();
  for (const fair::Queue& queue : scheduler->cluster().queues) {
    const std::string& path = queue.config.path;
    const int64_t share = (steady ? queue.steady_share : queue.fair_share).memory;
    shares[path.substr(path.rfind('.') + 1)] = share * 100 / kNode.memory;
  }
  return shares;
}

}  // namespace yarn_fair

absl::StatusOr<nlohmann::json> AskYarnFair(const nlohmann::json& asked) {
  if (asked.contains("ops")) return yarn_fair::PlayCluster(asked);
  const std::string test = asked["test"];
  if (test == "compute_fair_shares") return yarn_fair::PlayShares(asked);
  if (test == "drf_comparator") return yarn_fair::PlayComparator(asked);
  if (test == "fair_scheduler_fair_share") return yarn_fair::PlayTree(asked);
  return absl::InvalidArgumentError("there is no such test: " + test);
}

}  // namespace muster::testing
