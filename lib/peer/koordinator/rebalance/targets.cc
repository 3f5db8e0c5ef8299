// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Node fit, thresholds and the choice among the nodes that are left.
#include "lib/peer/koordinator/rebalance/targets.h"

#include <algorithm>
#include <array>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"
#include "lib/kube/versions.h"
#include "lib/peer/koordinator/measured_load.h"

namespace muster::koordinator {
namespace {

constexpr std::array<int64_t, 2> kEqualWeights = {1, 1};

InterTaskOptions RulesBetweenTasks() {
  InterTaskOptions options;
  options.rules = RulesOfKubernetes("1.35");
  return options;
}

std::array<int64_t, 2> CpuAndBytes(const NamedAmounts& amounts) {
  return {AmountOf(amounts, "cpu"), AmountOf(amounts, "memory") / 1000};
}

// The load of all that is on the node, as measured.
std::array<int64_t, 2> MeasuredLoad(const LoadedNode& node) {
  std::array<int64_t, 2> load = CpuAndBytes(node.system);
  for (const LoadedTask& task : node.tasks) {
    if (!task.usage.has_value()) continue;
    const std::array<int64_t, 2> more = CpuAndBytes(*task.usage);
    for (size_t r = 0; r < load.size(); ++r) load[r] = SatAdd(load[r], more[r]);
  }
  return load;
}

}  // namespace

MoveTargets::MoveTargets(ActionContext& context, const RebalanceRules& rules,
                         const RebalanceWorld& world)
    : context_(context), world_(world), inter_task_(RulesBetweenTasks()) {
  inter_task_.Open(context.tables, context.ledger);
  classes_.resize(context.tables.classes.shape.size());
  rooms_.reserve(world.nodes.size());
  for (size_t i = 0; i < world.nodes.size(); ++i) {
    const NodeIndex row = world.node_of[i];
    rooms_.push_back({context.tables.nodes.spec[row], world.nodes[i].capacity,
                      AmountsOfRow(context.tables, context.ledger.node(row, kUsed))});
    load_.push_back(MeasuredLoad(world.nodes[i]));
    capacity_.push_back(CpuAndBytes(world.nodes[i].capacity));
    if (world.nodes[i].takes_tasks) by_free_.emplace(-FreeLoad(i), i);
  }
  if (!rules.by_load) return;
  const std::vector<bool> none(world.nodes.size());
  for (const LoadPool& pool : rules.load.pools) {
    const std::vector<size_t> members = PoolNodes(pool.selector, world.nodes, none);
    PoolView& added =
        pools_.emplace_back(PoolView{LoadView(pool.thresholds, world.nodes, members), {}});
    added.at.resize(world.nodes.size());
    for (size_t v = 0; v < added.view.nodes().size(); ++v) {
      added.at[added.view.nodes()[v].index] = v;
    }
  }
}

bool MoveTargets::Suits(ClassIndex c, size_t node) const {
  const TaskShape& shape = context_.tables.classes.shape[c];
  const NodeSpec& spec = rooms_[node].node;
  return !spec.unschedulable && MatchesNode(shape, spec) &&
         FirstUntolerated(shape, spec) == nullptr;
}

bool MoveTargets::FitsRoom(ClassIndex c, size_t node) {
  std::optional<ClassRoom>& room = classes_[c];
  if (!room.has_value()) {
    room.emplace();
    room->task.shape = context_.tables.classes.shape[c];
    room->task.requests = AmountsOfRow(context_.tables, context_.tables.classes.request.row(c));
    std::erase_if(room->task.requests, [](const auto& amount) { return amount.first == "pods"; });
    room->fits.assign(rooms_.size(), -1);
  }
  int8_t& fits = room->fits[node];
  if (fits < 0) fits = HasRoomFor(room->task, rooms_[node]) ? 1 : 0;
  return fits == 1;
}

MoveTargets::AddedLoad MoveTargets::LoadOf(TaskIndex task) const {
  const TaskUsage* const usage = MeasuredUsage(context_.tables, task);
  const NamedAmounts amounts = usage == nullptr ? NamedAmounts() : AmountsOf(usage->amounts);
  AddedLoad added;
  added.is_of_production = BandOfTask(context_.tables, task) == Band::kProduction;
  added.cpu = CpuAndBytes(amounts)[0];
  added.memory = CpuAndBytes(amounts)[1];
  for (const PoolView& pool : pools_) {
    std::vector<int64_t>& of_pool = added.by_pool.emplace_back();
    for (const std::string& resource : pool.view.resources()) {
      of_pool.push_back(resource == "pods" ? 1000 : AmountOf(amounts, resource));
    }
  }
  return added;
}

bool MoveTargets::StaysBelow(const AddedLoad& added, size_t node) {
  for (size_t p = 0; p < pools_.size(); ++p) {
    if (!pools_[p].at[node].has_value()) continue;
    const ViewedNode& viewed = pools_[p].view.nodes()[*pools_[p].at[node]];
    if (!StaysWithin(added.by_pool[p], viewed.all)) return false;
    if (added.is_of_production && !StaysWithin(added.by_pool[p], viewed.production)) return false;
  }
  return true;
}

std::vector<bool> MoveTargets::OverNodes() const {
  std::vector<bool> over(rooms_.size());
  for (const PoolView& pool : pools_) {
    for (size_t n = 0; n < rooms_.size(); ++n) {
      if (!pool.at[n].has_value()) continue;
      const ViewedNode& viewed = pool.view.nodes()[*pool.at[n]];
      over[n] = over[n] || !LoadView::OverResources(viewed.all).empty() ||
                !LoadView::OverResources(viewed.production).empty();
    }
  }
  return over;
}

bool MoveTargets::HasIdle(ClassIndex c, NodeIndex node) const {
  const auto idle = context_.ledger.node(node, kIdle);
  const auto promised = context_.ledger.node(node, kPipelined);
  const auto request = context_.tables.classes.request.row(c);
  for (size_t d = 0; d < request.size(); ++d) {
    if (OrZero(request[d]) > 0 && SatAdd(idle[d], -promised[d]) < request[d]) return false;
  }
  return true;
}

bool MoveTargets::Agrees(ClassIndex c, NodeIndex node) {
  if (!HasIdle(c, node) || !context_.search.FitsIdle(c, node) ||
      !context_.search.FitsFutureIdle(c, node) || !context_.search.FitsNode(c, node)) {
    return false;
  }
  if (!inter_task_.FitDepends(c)) return true;
  RefusalCode code = RefusalCode::kPolicy;
  uint8_t fits = 1, hard = 0;
  inter_task_.Fit(c, {&node, 1}, {&fits, 1}, {&code, 1}, {&hard, 1});
  return fits != 0;
}

int64_t MoveTargets::FreeLoad(size_t node) const {
  if (!world_.nodes[node].is_measured) return 0;
  return LoadScore(load_[node], capacity_[node], kEqualWeights, 0);
}

NodeIndex MoveTargets::Choose(TaskIndex task, NodeIndex from,
                              absl::FunctionRef<bool(size_t)> allows) {
  const ClassIndex c = context_.ClassOf(task);
  const AddedLoad added = LoadOf(task);
  for (const auto& [free, i] : by_free_) {
    const NodeIndex row = world_.node_of[i];
    if (row == from || !StaysBelow(added, i) || !FitsRoom(c, i) || !allows(i)) continue;
    if (Agrees(c, row)) return row;
  }
  return muster::kNone;
}

void MoveTargets::AddLoad(TaskIndex task, NodeIndex row, int sign) {
  if (row == muster::kNone || world_.at[row] == RebalanceWorld::kNoNode) return;
  const size_t node = world_.at[row];
  const AddedLoad added = LoadOf(task);
  const auto add = [sign](int64_t more, int64_t* sum) { *sum = SatAdd(*sum, sign * more); };
  by_free_.erase({-FreeLoad(node), node});
  add(added.cpu, &load_[node][0]);
  add(added.memory, &load_[node][1]);
  if (world_.nodes[node].takes_tasks) by_free_.emplace(-FreeLoad(node), node);
  for (size_t p = 0; p < pools_.size(); ++p) {
    if (!pools_[p].at[node].has_value()) continue;
    ViewedNode& viewed = pools_[p].view.nodes()[*pools_[p].at[node]];
    for (size_t r = 0; r < added.by_pool[p].size(); ++r) {
      add(added.by_pool[p][r], &viewed.all.used[r]);
      if (added.is_of_production) add(added.by_pool[p][r], &viewed.production.used[r]);
    }
  }
  // What was requested there has changed.
  rooms_[node].requested = AmountsOfRow(context_.tables, context_.ledger.node(row, kUsed));
  for (std::optional<ClassRoom>& room : classes_) {
    if (room.has_value()) room->fits[node] = -1;
  }
}

void MoveTargets::Moved(TaskIndex task, NodeIndex from, NodeIndex to) {
  AddLoad(task, from, -1);
  AddLoad(task, to, +1);
}

bool MoveTargets::BreaksAntiAffinity(TaskIndex task, NodeIndex node) {
  const ClassIndex c = context_.ClassOf(task);
  if (context_.tables.classes.shape[c].required_anti_affinity.empty()) return false;
  RefusalCode code = RefusalCode::kPolicy;
  uint8_t fits = 1, hard = 0;
  inter_task_.Fit(c, {&node, 1}, {&fits, 1}, {&code, 1}, {&hard, 1});
  return fits == 0 && code == RefusalCode::kAntiAffinity;
}

}  // namespace muster::koordinator
