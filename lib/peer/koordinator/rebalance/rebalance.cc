// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// rebalance: one round of the descheduler. Tasks leave nodes where they should not be, and become
// moves to nodes that are kept for them.
//
// What chooses tasks, in this order; each is an option:
// - node_affinity, taints: the node no longer suits the task, and another node would.
// - anti_affinity: a task is near one that its own required anti-affinity selects, in a zone of it.
//   Tasks of low priority are looked at first, and one that leaves is no longer near the others.
// - duplicates: a workload has more copies on a node than an even part (duplicates.h).
// - load: nodes above their high thresholds for long enough give up tasks while others are under
//   their low ones (low_node_load.h).
// - fragmentation: a node with uneven requests gives up the task that evens them out
//   (fragmentation.h).
// - levels: nodes of dear levels give up tasks that nodes of cheaper levels hold (level_drain.h).
//
// Which tasks may leave at all is the rule of evictable.h and rebalance_world.h. Each chosen task
// gets a migration; migrations.h has how they are limited and carried out, targets.h where they go.
//
// Promise. No node receives a task that puts it above a high threshold; a move fits what is idle on
// its node; budgets, and the limits of migrations per node, namespace and workload, are kept.
//
// Memory. Rounds over the thresholds by node, migrations under way, and buckets of workloads. A
// round of the peer is a cycle.
//
// Left out. The peer's rate of evictions a second, which is about its API; ScaleDownBinPack, which
// writes costs of deletion (bin_pack.h); plug-ins of Kubernetes' descheduler that look at restarts
// and ages.
//
// Ties. As the functions: the order of rows, and Go's sort.
// Cost. O(rows * resources), O(tasks of nodes over * nodes) where targets are checked, and for each
// task that moves a look at the nodes with more free load than the one that receives it.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/kube/selectors.h"
#include "lib/peer/koordinator/actions.h"
#include "lib/peer/koordinator/rebalance/duplicates.h"
#include "lib/peer/koordinator/rebalance/migrations.h"
#include "lib/peer/koordinator/rebalance/rebalance_options.h"
#include "lib/peer/koordinator/rebalance/rebalance_world.h"
#include "lib/peer/koordinator/rebalance/targets.h"

namespace muster {
namespace koordinator {
namespace {

constexpr std::string_view kAnomalySlot = "koordinator-anomalies";
constexpr std::string_view kAllPrefix = "all ", kProductionPrefix = "production ";

NamedAmounts RequestOf(const ActionContext& context, TaskIndex task) {
  NamedAmounts requests = AmountsOfRow(context.tables, context.ledger.request(task));
  std::erase_if(requests, [](const auto& amount) { return amount.first == "pods"; });
  return requests;
}

class RebalanceRound {
 public:
  RebalanceRound(ActionContext& context, const RebalanceRules& rules)
      : context_(context),
        rules_(rules),
        world_(Read(context, rules)),
        targets_(context, rules, world_),
        migrations_(context, rules, world_, targets_) {}

  void Run() {
    if (rules_.by_node_affinity || rules_.by_taints) AskUnsuited();
    if (rules_.by_anti_affinity) AskApart();
    if (rules_.by_duplicates) AskCopies();
    if (rules_.by_load) AskOverloaded();
    if (rules_.by_fragmentation) AskUneven();
    if (!rules_.levels.empty()) AskDrained();
    if (migrations_.Run()) migrations_.Store();
  }

 private:
  static RebalanceWorld& Read(ActionContext& context, const RebalanceRules& rules) {
    RebalanceWorld& world = context.memory<RebalanceWorld>();
    world.MarkExpired(context.facts.now, rules.expiration);
    return world;
  }

  // --- rules of nodes

  void AskUnsuited() {
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      for (const TaskIndex t : world_.tasks_on[n]) {
        const bool stays = !(rules_.by_node_affinity && LeavesSelectors(t, n)) &&
                           !(rules_.by_taints && LeavesTaints(t, n));
        if (stays || !migrations_.IsCandidate(t) || !FitsAnother(t, n)) continue;
        migrations_.Ask(t, LeavesSelectors(t, n) ? MoveCause::kNodeAffinity : MoveCause::kTaint);
      }
    }
  }
  bool LeavesSelectors(TaskIndex t, size_t n) const {
    const TaskShape& shape = context_.tables.classes.shape[context_.ClassOf(t)];
    return !MatchesNode(shape, context_.tables.nodes.spec[world_.node_of[n]]);
  }
  bool LeavesTaints(TaskIndex t, size_t n) const {
    const TaskShape& shape = context_.tables.classes.shape[context_.ClassOf(t)];
    return FirstUntolerated(shape, context_.tables.nodes.spec[world_.node_of[n]]) != nullptr;
  }
  bool FitsAnother(TaskIndex t, size_t own) {
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      if (n != own && targets_.FitsRoom(context_.ClassOf(t), n)) return true;
    }
    return false;
  }

  void AskApart() {
    const Ledger::Savepoint before = context_.ledger.Save();
    std::vector<TaskIndex> leaving;
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      std::vector<TaskIndex> tasks;
      for (const TaskIndex t : world_.tasks_on[n]) {
        const TaskShape& shape = context_.tables.classes.shape[context_.ClassOf(t)];
        if (!shape.required_anti_affinity.empty() && migrations_.IsCandidate(t)) tasks.push_back(t);
      }
      std::stable_sort(tasks.begin(), tasks.end(), [this](TaskIndex a, TaskIndex b) {
        return context_.tables.tasks.priority[a] < context_.tables.tasks.priority[b];
      });
      for (const TaskIndex t : tasks) {
        const Ledger::Savepoint tried = context_.ledger.Save();
        context_.ledger.Move(t, TaskStatus::kReleasing, world_.node_of[n]);
        if (targets_.BreaksAntiAffinity(t, world_.node_of[n]) && FitsAnother(t, n)) {
          leaving.push_back(t);
        } else {
          context_.ledger.Rollback(tried);
        }
      }
    }
    context_.ledger.Rollback(before);
    for (const TaskIndex t : leaving) migrations_.Ask(t, MoveCause::kAntiAffinity);
  }

  void AskCopies() {
    struct Copies {
      std::vector<WorkloadCopy> list;
      std::vector<TaskIndex> tasks;
    };
    std::map<std::string, Copies> by_key;
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      for (const TaskIndex t : world_.tasks_on[n]) {
        if (!context_.tables.has_job(t)) continue;
        const std::string key = CopyKeyOf(world_, t);
        if (key.empty()) continue;
        by_key[key].list.push_back({n, migrations_.IsCandidate(t)});
        by_key[key].tasks.push_back(t);
      }
    }
    for (const auto& [key, copies] : by_key) {
      if (copies.list.size() < 2) continue;
      size_t targets = 0;
      for (size_t n = 0; n < world_.nodes.size(); ++n) {
        targets += targets_.Suits(context_.ClassOf(copies.tasks.front()), n);
      }
      for (const size_t copy : ExcessCopies(copies.list, targets)) {
        migrations_.Ask(copies.tasks[copy], MoveCause::kDuplicate);
      }
    }
  }

  // --- loads

  void LoadAnomalies(LowNodeLoad* balancer) const {
    const MemorySlot& slot = context_.facts.cycle->Recall(kAnomalySlot);
    for (const auto& [key, row] : slot.rows()) {
      const bool is_all = key.starts_with(kAllPrefix);
      const std::string_view prefix = is_all ? kAllPrefix : kProductionPrefix;
      if (!std::string_view(key).starts_with(prefix)) continue;
      AnomalyBook::Detector detector;
      detector.rules = {slot.Integer(key, 0), slot.Integer(key, 1), slot.Integer(key, 2)};
      detector.is_abnormal = slot.Integer(key, 3) != 0;
      detector.abnormal_rounds = AsCount(slot.Integer(key, 4));
      detector.normal_rounds = AsCount(slot.Integer(key, 5));
      detector.ends = slot.Integer(key, 6);
      detector.forgotten = slot.Integer(key, 7);
      balancer->book(is_all ? LoadSide::kAll : LoadSide::kProduction)
          .Restore(std::string(key.substr(prefix.size())), detector);
    }
  }

  void StoreAnomalies(LowNodeLoad& balancer, int64_t now) const {
    MemorySlot slot;
    for (const LoadSide side : {LoadSide::kAll, LoadSide::kProduction}) {
      const std::string_view prefix = side == LoadSide::kAll ? kAllPrefix : kProductionPrefix;
      for (const auto& [node, detector] : balancer.book(side).detectors()) {
        if (detector.forgotten < now) continue;
        slot.Set(absl::StrCat(ToAbsl(prefix), node),
                 {detector.rules.abnormal_rounds, detector.rules.normal_rounds,
                  detector.rules.timeout, int64_t{detector.is_abnormal}, detector.abnormal_rounds,
                  detector.normal_rounds, detector.ends, detector.forgotten});
      }
    }
    StoreRebalanceSlot(context_, kAnomalySlot, std::move(slot));
  }

  void AskOverloaded() {
    // Only tasks of nodes that are over are asked about.
    const std::vector<bool> over = targets_.OverNodes();
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      for (size_t i = 0; over[n] && i < world_.nodes[n].tasks.size(); ++i) {
        world_.nodes[n].tasks[i].is_evictable = migrations_.IsCandidate(world_.tasks_on[n][i]);
      }
    }
    LowNodeLoad balancer(rules_.load);
    LoadAnomalies(&balancer);
    const int64_t now = NanosecondsOf(context_.facts.now);
    const LoadedTask* asked = nullptr;  // one task is asked about node by node
    ClassIndex c = 0;
    const auto fits = [&](const LoadedTask& task, const LoadedNode& node) {
      if (asked != &task) c = context_.ClassOf(*context_.tables.tasks.names.Find(task.name));
      asked = &task;
      return targets_.FitsRoom(c, static_cast<size_t>(&node - &world_.nodes[0]));
    };
    for (const TaskMove& move : balancer.Balance(world_.nodes, fits, now)) {
      migrations_.Ask(*context_.tables.tasks.names.Find(move.task), MoveCause::kLoad);
    }
    StoreAnomalies(balancer, now);
  }

  // --- requests

  void AskUneven() {
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      FragmentedNode node{.allocatable = world_.nodes[n].capacity};
      for (const TaskIndex t : world_.tasks_on[n]) {
        const bool may_leave =
            migrations_.IsCandidate(t) && (!rules_.load.checks_targets || FitsAnother(t, n));
        node.tasks.push_back(
            {std::string(context_.tables.tasks.names.name(t)), RequestOf(context_, t), may_leave});
      }
      if (const std::optional<size_t> task = MostUneven(node, rules_.fragmentation)) {
        migrations_.Ask(world_.tasks_on[n][*task], MoveCause::kFragmentation);
      }
    }
  }

  void AskDrained() {
    std::vector<DrainNode> nodes;
    for (size_t n = 0; n < world_.nodes.size(); ++n) {
      DrainNode& node = nodes.emplace_back();
      node.name = world_.nodes[n].name;
      node.labels = world_.nodes[n].labels;
      node.left = AmountsOfRow(context_.tables, context_.ledger.node(world_.node_of[n], kIdle));
      for (const TaskIndex t : world_.tasks_on[n]) {
        node.tasks.push_back({world_.nodes[n].tasks[node.tasks.size()].name_space,
                              std::string(context_.tables.tasks.names.name(t)),
                              RequestOf(context_, t), migrations_.IsCandidate(t)});
      }
    }
    const auto fits = [&](const DrainNode::Task& task, const DrainNode& node) {
      const TaskIndex t = *context_.tables.tasks.names.Find(task.name);
      return targets_.FitsRoom(context_.ClassOf(t), static_cast<size_t>(&node - &nodes[0]));
    };
    const std::vector<std::vector<size_t>> levels = NodesOfLevels(rules_.levels, nodes);
    const DrainRules drain{rules_.whole_nodes, rules_.load.checks_targets};
    for (const DrainMove& move : DrainLevels(levels, nodes, drain, fits)) {
      migrations_.Ask(world_.tasks_on[move.node][move.task], MoveCause::kLevel);
    }
  }

  ActionContext& context_;
  const RebalanceRules& rules_;
  RebalanceWorld& world_;
  MoveTargets targets_;
  Migrations migrations_;
};

void RunKoordinatorRebalance(ActionContext& context, const Options& options) {
  if (context.meter.Cut()) return;
  context.meter.Spend();
  const absl::StatusOr<RebalanceRules> rules = ReadRebalanceRules(options);
  if (!rules.ok()) return;  // refused by the check before
  RebalanceRound(context, *rules).Run();
}

absl::Status CheckRebalance(const Tables& tables, const Options& options) {
  if (const auto rules = ReadRebalanceRules(options); !rules.ok()) return rules.status();
  return CheckWorkloads(tables);
}

}  // namespace
}  // namespace koordinator

ActionDecl KoordinatorRebalanceAction() {
  ActionDecl action;
  action.name = "rebalance";
  action.summary = "a round of the descheduler: tasks move off nodes that are too busy";
  action.options = koordinator::RebalanceOptions();
  action.run = koordinator::RunKoordinatorRebalance;
  action.check = koordinator::CheckRebalance;
  action.memory = {{koordinator::kAnomalySlot, 1},
                   {koordinator::kMigrationSlot, 1},
                   {koordinator::kEvictionRateSlot, 1}};
  return action;
}

}  // namespace muster
