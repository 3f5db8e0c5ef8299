// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's descheduler: rounds of LowNodeLoad, what may leave and where it fits, and orders.
#include "tests/conformance/probe/koordinator_rebalance.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/peer/koordinator/rebalance/evictable.h"
#include "lib/peer/koordinator/rebalance/low_node_load.h"
#include "lib/peer/koordinator/rebalance/node_room.h"
#include "tests/conformance/probe/koordinator_bands.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {

using nlohmann::json;

NamedAmounts RebalanceAmounts(const json& amounts) {
  NamedAmounts out;
  if (amounts.is_null()) return out;
  for (const auto& [name, amount] : amounts.items()) out.emplace_back(name, amount);
  return out;
}

Labels RebalanceLabels(const json& labels) {
  Labels out;
  if (labels.is_null()) return out;
  for (const auto& [key, value] : labels.items()) out.emplace_back(key, value);
  return out;
}

namespace {

constexpr std::pair<const char*, RequirementOp> kRebalanceOps[] = {
    {"In", RequirementOp::kIn},         {"NotIn", RequirementOp::kNotIn},
    {"Exists", RequirementOp::kExists}, {"DoesNotExist", RequirementOp::kDoesNotExist},
    {"Gt", RequirementOp::kGt},         {"Lt", RequirementOp::kLt},
};

std::vector<Requirement> RebalanceRequirements(const json& object, const char* key) {
  std::vector<Requirement> out;
  if (!object.contains(key)) return out;
  for (const json& row : object[key]) {
    out.push_back({.key = row["key"]});
    for (const auto& [word, op] : kRebalanceOps) {
      if (row["operator"] == word) out.back().op = op;
    }
    if (row.contains("values")) out.back().values = row["values"];
  }
  return out;
}

}  // namespace

std::optional<Selector> RebalanceSelector(const json& selector) {
  if (selector.is_null()) return std::nullopt;
  Selector out{.match_expressions = RebalanceRequirements(selector, "matchExpressions")};
  if (selector.contains("matchLabels")) out.match_labels = RebalanceLabels(selector["matchLabels"]);
  return out;
}

koordinator::EvictionRank RebalanceRank(const json& row) {
  return {
      .band = BandOfMarks(row["marks"]),
      .priority = row["marks"]["priority"].is_null() ? 0 : row["marks"]["priority"].get<int64_t>(),
      .kube = KubeServiceOfMarks(row["marks"]),
      .service = ServiceOfMarks(row["marks"]),
      .deletion_cost = row["deletion_cost"],
      .eviction_cost = row["eviction_cost"],
      .relief = {},
      .created = row["created"]};
}

namespace {

// --- rooms

TaintEffect RebalanceEffect(const json& row) {
  const std::string effect = row.value("effect", "");
  if (effect == "NoSchedule") return TaintEffect::kNoSchedule;
  if (effect == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  return effect == "NoExecute" ? TaintEffect::kNoExecute : TaintEffect::kUnset;
}

koordinator::MovableTask MovableTaskOf(const json& row) {
  koordinator::MovableTask task{.node = row["node"], .requests = RebalanceAmounts(row["requests"])};
  task.shape.node_selector = RebalanceLabels(row["selector"]);
  if (!row["terms"].is_null()) {
    task.shape.required_node_affinity.emplace();
    for (const json& term : row["terms"]) {
      task.shape.required_node_affinity->push_back({RebalanceRequirements(term, "matchExpressions"),
                                                    RebalanceRequirements(term, "matchFields")});
    }
  }
  for (const json& toleration : row["tolerations"]) {
    task.shape.tolerations.push_back({.key = toleration.value("key", ""),
                                      .op = toleration.value("operator", "") == "Exists"
                                                ? TolerationOp::kExists
                                                : TolerationOp::kEqual,
                                      .value = toleration.value("value", ""),
                                      .effect = RebalanceEffect(toleration)});
  }
  return task;
}

koordinator::NodeRoom NodeRoomOf(const json& row) {
  koordinator::NodeRoom room{.allocatable = RebalanceAmounts(row["allocatable"]),
                             .requested = RebalanceAmounts(row["requested"])};
  room.node.name = row["name"];
  room.node.labels = RebalanceLabels(row["labels"]);
  room.node.unschedulable = row["unschedulable"];
  for (const json& taint : row["taints"]) {
    room.node.taints.push_back({.key = taint.value("key", ""),
                                .value = taint.value("value", ""),
                                .effect = RebalanceEffect(taint)});
  }
  return room;
}

json AskNodeRoom(const json& in) {
  std::vector<koordinator::NodeRoom> rooms;
  for (const json& row : in["rooms"]) rooms.push_back(NodeRoomOf(row));
  return koordinator::AnyHasRoomFor(MovableTaskOf(in["task"]), rooms, in["skips_own"]);
}

json AskNodeMatch(const json& in) {
  koordinator::NodeRoom room = NodeRoomOf(in["room"]);
  room.node.unschedulable = false;
  room.node.taints.clear();
  koordinator::MovableTask task = MovableTaskOf(in["task"]);
  task.requests.clear();
  return koordinator::HasRoomFor(task, room);
}

// --- what may leave

koordinator::TaskTraits TraitsOf(const json& row) {
  koordinator::TaskTraits traits{.name_space = row["namespace"],
                                 .labels = RebalanceLabels(row["labels"]),
                                 .owner_kinds = row["owners"],
                                 .source = row["source"],
                                 .is_mirror = row["mirror"],
                                 .is_leaving = row["leaving"],
                                 .is_failed = row["failed"],
                                 .has_local_data = row["local_data"],
                                 .has_claim = row["claim"],
                                 .has_evict_mark = row["evict_mark"],
                                 .eviction_cost = row["eviction_cost"]};
  if (!row["priority"].is_null()) traits.priority = row["priority"].get<int64_t>();
  return traits;
}

koordinator::TaskChoice ChoiceOf(const json& row) {
  koordinator::TaskChoice choice{.included = row["included"], .excluded = row["excluded"]};
  for (const json& selector : row["selectors"]) {
    choice.selectors.push_back(*RebalanceSelector(selector));
  }
  return choice;
}

json AskEvictable(const json& in) {
  const koordinator::TaskTraits task = TraitsOf(in["task"]);
  const std::string what = in["what"];
  if (what == "daemon") return koordinator::IsOfDaemon(task);
  if (what == "agent") return koordinator::IsOfAgent(task);
  if (what == "critical") return koordinator::IsCritical(task);
  if (what == "chosen") return koordinator::IsChosen(task, ChoiceOf(in["choice"]));
  koordinator::EvictableRules rules{.takes_local_data = in["rules"]["local_data"],
                                    .takes_critical = in["rules"]["critical"],
                                    .keeps_claims = in["rules"]["keeps_claims"],
                                    .takes_failed_bare = in["rules"]["failed_bare"],
                                    .takes_bare = in["rules"]["bare"]};
  if (!in["rules"]["below"].is_null()) rules.below_priority = in["rules"]["below"].get<int64_t>();
  rules.selector = RebalanceSelector(in["rules"]["selector"]);
  return koordinator::IsEvictable(task, rules);
}

json AskPriorityThreshold(const json& in) {
  std::optional<int64_t> given;
  if (!in["given"].is_null()) given = in["given"].get<int64_t>();
  const absl::StatusOr<int64_t> threshold = koordinator::PriorityThreshold(given);
  if (!threshold.ok()) return {{"refused", threshold.status().ToString()}};
  return *threshold;
}

// --- loads

koordinator::Percents PercentsOf(const json& row) {
  koordinator::Percents percents;
  if (row.is_null()) return percents;
  for (const auto& [name, percent] : row.items()) percents.emplace_back(name, percent);
  return percents;
}

koordinator::LoadThresholds LoadThresholdsOf(const json& row) {
  return {.all = {PercentsOf(row["low"]), PercentsOf(row["high"])},
          .production = {PercentsOf(row["production_low"]), PercentsOf(row["production_high"])},
          .is_distance = row["distance"]};
}

koordinator::AnomalyRules AnomalyRulesOf(const json& row) {
  return {.abnormal_rounds = row["abnormal"],
          .normal_rounds = row["normal"],
          .timeout = row["timeout"]};
}

koordinator::LoadedTask LoadedTaskOf(const json& row) {
  koordinator::LoadedTask task{
      .name = row["name"], .name_space = row["namespace"], .rank = RebalanceRank(row)};
  if (!row["usage"].is_null()) task.usage = RebalanceAmounts(row["usage"]);
  if (row.contains("evictable")) task.is_evictable = row["evictable"];
  return task;
}

koordinator::LoadedNode LoadedNodeOf(const json& row) {
  koordinator::LoadedNode node{.name = row["name"],
                               .labels = RebalanceLabels(row["labels"]),
                               .capacity = RebalanceAmounts(row["capacity"]),
                               .takes_tasks = row["takes_tasks"],
                               .is_measured = row["measured"],
                               .system = RebalanceAmounts(row["system"])};
  for (const json& usage : row["unlisted"]) node.unlisted.push_back(RebalanceAmounts(usage));
  for (const json& task : row["tasks"]) node.tasks.push_back(LoadedTaskOf(task));
  return node;
}

json AskBalance(const json& in) {
  koordinator::LowNodeLoadRules rules{.is_paused = in["paused"],
                                      .checks_targets = in["checks_targets"],
                                      .idle_nodes = in["idle_nodes"]};
  const auto limit = [&in](const char* key) {
    return in[key].is_null() ? std::optional<int64_t>() : in[key].get<int64_t>();
  };
  rules.limits = {limit("per_node"), limit("per_namespace"), limit("total")};
  for (const json& row : in["pools"]) {
    rules.pools.push_back({.selector = RebalanceSelector(row["selector"]),
                           .thresholds = LoadThresholdsOf(row["thresholds"]),
                           .weights = RebalanceAmounts(row["weights"])});
    if (!row["anomaly"].is_null()) rules.pools.back().anomaly = AnomalyRulesOf(row["anomaly"]);
  }
  std::vector<koordinator::LoadedNode> nodes;
  for (const json& row : in["nodes"]) nodes.push_back(LoadedNodeOf(row));
  // Where each task could run.
  std::set<std::pair<std::string, std::string>> fits;
  for (const json& pair : in["fits"]) fits.emplace(pair[0], pair[1]);
  koordinator::LowNodeLoad balancer(rules);
  json moves = json::array();
  const auto has_room = [&](const koordinator::LoadedTask& task,
                            const koordinator::LoadedNode& node) {
    return fits.contains({task.name, node.name});
  };
  for (const koordinator::TaskMove& move : balancer.Balance(nodes, has_room, 0)) {
    moves.push_back({move.node, move.task});
  }
  return moves;
}

json AskThresholds(const json& in) {
  std::vector<koordinator::LoadedNode> nodes;
  std::vector<size_t> all;
  for (const json& row : in["nodes"]) {
    all.push_back(nodes.size());
    nodes.push_back(LoadedNodeOf(row));
  }
  koordinator::LoadView view(LoadThresholdsOf(in["thresholds"]), nodes, all);
  json out = json::object();
  for (koordinator::ViewedNode& node : view.nodes()) {
    json over = json::array(), production_over = json::array();
    for (const size_t r : koordinator::LoadView::OverResources(node.all)) {
      over.push_back(view.resources()[r]);
    }
    for (const size_t r : koordinator::LoadView::OverResources(node.production)) {
      production_over.push_back(view.resources()[r]);
    }
    const auto named = [&](const std::vector<int64_t>& amounts) {
      json texts = json::object();
      for (const auto& [name, amount] : view.Named(amounts)) texts[name] = amount;
      return texts;
    };
    out[view.Given(node).name] = {{"high", named(node.all.high)},
                                  {"low", named(node.all.low)},
                                  {"over", over},
                                  {"production_over", production_over}};
  }
  return out;
}

json AskUsagePercents(const json& in) {
  json out = json::object();
  for (const auto& [name, percent] : koordinator::UsagePercents(RebalanceAmounts(in["usage"]),
                                                                RebalanceAmounts(in["capacity"]))) {
    out[name] = percent;
  }
  return out;
}

json AskTakeTarget(const json& in) {
  std::vector<koordinator::LoadLevel> levels;
  for (const json& row : in["levels"]) {
    levels.push_back({.used = row["used"], .low = {}, .high = row["high"]});
  }
  std::vector<koordinator::LoadLevel*> targets;
  for (koordinator::LoadLevel& level : levels) targets.push_back(&level);
  const bool taken = koordinator::TakeTarget(in["usage"], targets);
  json used = json::array();
  for (const koordinator::LoadLevel& level : levels) used.push_back(level.used);
  return {{"taken", taken}, {"used", used}};
}

json AskAnomaly(const json& in) {
  koordinator::AnomalyBook book;
  json answers = json::array();
  for (const json& op : in["ops"]) {
    const int64_t now = op["now"];
    if (op["op"] == "filter") {
      std::optional<koordinator::AnomalyRules> rules;
      if (!op["rules"].is_null()) rules = AnomalyRulesOf(op["rules"]);
      answers.push_back(koordinator::LongAbnormal(op["nodes"], rules, now, &book));
      continue;
    }
    json states = json::array();
    for (const json& node : op["nodes"]) {
      if (op["op"] == "reset") book.Reset(node, now);
      if (op["op"] == "normal") book.MarkNormal(node, now);
      states.push_back(book.IsAbnormal(node, now));
    }
    answers.push_back(states);
  }
  return answers;
}

// --- orders

json AskEvictionOrder(const json& in) {
  std::vector<koordinator::LoadedTask> tasks;
  for (const json& row : in["tasks"]) tasks.push_back(LoadedTaskOf(row));
  std::vector<const koordinator::LoadedTask*> pointers;
  for (const koordinator::LoadedTask& task : tasks) pointers.push_back(&task);
  return koordinator::OrderOnNode(pointers, RebalanceAmounts(in["excess"]),
                                  RebalanceAmounts(in["weights"]));
}

json AskSimpleOrder(const json& in) {
  if (in["by"] == "age") {
    return koordinator::OrderByAge(in["created"].get<std::vector<int64_t>>());
  }
  std::vector<koordinator::SimpleRank> ranks;
  for (const json& marks : in["marks"]) {
    ranks.push_back({.kube = KubeServiceOfMarks(marks)});
    if (!marks["priority"].is_null()) ranks.back().priority = marks["priority"].get<int64_t>();
  }
  return koordinator::OrderByPriority(ranks);
}

json AskUsageScore(const json& in) {
  if (in["what"] == "busy") return koordinator::BusyScore(in["used"], in["capacity"]);
  if (in["what"] == "relief") return koordinator::ReliefRatio(in["used"], in["capacity"]);
  if (in["what"] == "scored") {
    return koordinator::ScoredAmount(in["resource"].get<std::string>(), in["used"]);
  }
  const NamedAmounts usage = RebalanceAmounts(in["usage"]);
  const NamedAmounts capacity = RebalanceAmounts(in["capacity"]);
  const NamedAmounts weights = RebalanceAmounts(in["weights"]);
  if (in["what"] == "task") return koordinator::ReliefScore(usage, capacity, weights);
  return koordinator::UsageScore(usage, capacity, weights);
}

struct RebalanceQuestion {
  const char* ask;
  json (*answer)(const json& in);
};

constexpr RebalanceQuestion kRebalanceQuestions[] = {
    {"anomaly", AskAnomaly},
    {"balance", AskBalance},
    {"evictable", AskEvictable},
    {"order", AskEvictionOrder},
    {"priority_threshold", AskPriorityThreshold},
    {"room", AskNodeRoom},
    {"match", AskNodeMatch},
    {"score", AskUsageScore},
    {"simple_order", AskSimpleOrder},
    {"take_target", AskTakeTarget},
    {"thresholds", AskThresholds},
    {"usage_percents", AskUsagePercents},
};

}  // namespace

absl::StatusOr<json> AskKoordinatorRebalance(const json& request) {
  const json& in = request["koordinator_rebalance"];
  const std::string ask = in["ask"];
  for (const RebalanceQuestion& question : kRebalanceQuestions) {
    if (question.ask == ask) return question.answer(in);
  }
  if (std::optional<json> answer = AskMigrationOrPacking(ask, in)) return *answer;
  return absl::InvalidArgumentError(absl::StrCat("koordinator_rebalance: no question ", ask));
}

}  // namespace muster::testing
