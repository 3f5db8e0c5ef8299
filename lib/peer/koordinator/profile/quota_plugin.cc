// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/quota_plugin.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/profile/stand_ins.h"
#include "lib/peer/koordinator/quota/queue_groups.h"
#include "lib/peer/kube_scheduler/node_copy.h"
#include "lib/peer/kube_scheduler/preemption.h"
#include "lib/policy/queue_tree.h"
#include "muster/quantity.h"

namespace muster::koordinator {
namespace {

constexpr char kOveruseSlot[] = "koordinator-overuse";
constexpr size_t kMostResources = 60;  // and those that a tree always knows

bool IsBuiltIn(std::string_view queue) { return queue == kDefaultQuota || queue == kSystemQuota; }

// The queue of jobs that name none, which always exists, is the group of tasks that name none.
bool StandsForDefault(const QueueTable& queues, QueueIndex q) {
  const QueueSpec& spec = queues.spec[q];
  return spec.name == "default" && !spec.guaranteed && !spec.limit && queues.parent[q] == kNone &&
         queues.children[q].empty();
}

// Returns whether the queue lends; a failure is that of a setting that is unknown or wrong.
absl::StatusOr<bool> Lends(const QueueTable& queues, QueueIndex q) {
  SettingReader settings("queue", queues.names.name(q), queues.spec[q].settings, "koordinator");
  const bool lends = settings.Flag("lends", true);
  if (const auto text = settings.Text(kSharedWeightKey); text && !ReadSharedWeight(*text)) {
    settings.Refuse(kSharedWeightKey, "must be RESOURCE=AMOUNT,..., each resource once");
  }
  if (absl::Status status = settings.Finish(); !status.ok()) return status;
  return lends;
}

// The node of a dry run, judged by all filters of the cycle.
class CopiedNode : public ElasticDryRunNode {
 public:
  CopiedNode(kube::World& world, kube::PodCycle& cycle, NodeIndex n, BudgetTurns* budgets)
      : copy_(world, cycle, n), budgets_(budgets) {}

  bool Fits() override { return copy_.Fits(); }
  void Leave(size_t i) override { copy_.Leave(i); }
  void Return(size_t i) override { copy_.Return(i); }
  std::vector<bool> BreakBudgets(std::span<const size_t> tasks) const override {
    if (budgets_->empty()) return std::vector<bool>(tasks.size());
    std::vector<TaskIndex> in_turn;
    for (const size_t i : tasks) in_turn.push_back(pods()[i]);
    return budgets_->Refused(in_turn);
  }

  const std::vector<TaskIndex>& pods() const { return copy_.pods(); }
  const kube::Status& status() const { return copy_.status(); }

 private:
  kube::NodeCopy copy_;
  BudgetTurns* const budgets_;
};

}  // namespace

absl::Status CheckQuotaQueues(const Tables& tables) {
  const QueueTable& queues = tables.queues;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q]) continue;
    const std::string_view name = queues.names.name(q);
    if (name == kRootQuota) {
      return absl::InvalidArgumentError(
          absl::StrCat("queue ", Quote(name), ": the root of all quotas is no queue"));
    }
    const QueueIndex parent = queues.parent[q];
    if ((parent != kNone && IsBuiltIn(queues.names.name(parent))) ||
        (parent != kNone && IsBuiltIn(name))) {
      return absl::InvalidArgumentError(
          absl::StrCat("queue ", Quote(name), ": ", ToAbsl(kDefaultQuota), " and ",
                       ToAbsl(kSystemQuota), " stand at the top and have no queues below them"));
    }
    if (absl::Status status = Lends(queues, q).status(); !status.ok()) return status;
  }
  if (tables.dimension_count() <= kMostResources) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the cluster has ", tables.dimension_count(),
                                                 " resources; quotas know ", kMostResources,
                                                 " at most"));
}

void QuotaPlugin::Open(kube::World* world, const kube::Nominations* nominations,
                       MemorySlots* memory, int64_t now) {
  world_ = world;
  tables_ = &world->tables();
  nominations_ = nominations;
  now_ = now;
  budgets_ = std::make_unique<BudgetTurns>(*tables_, BudgetCharges::kAll, kube::kPreemptedLabel);
  Plant();
  CountTasks();
  tree_->RefreshAll();
  for (const auto& [group, row] : memory->Recall(kOveruseSlot).rows()) {
    watch_.Remember(group, memory->Recall(kOveruseSlot).Integer(group));
  }
}

void QuotaPlugin::Store(MemorySlots* memory) const {
  MemorySlot overuse;
  for (const auto& [group, since] : watch_.above()) overuse.Set(group, {since});
  if (!(memory->Recall(kOveruseSlot).rows() == overuse.rows())) {
    memory->Remember(kOveruseSlot) = std::move(overuse);
  }
}

std::vector<TaskIndex> QuotaPlugin::Revoked() {
  std::vector<TaskIndex> revoked;
  if (!settings_.revokes || !settings_.by_runtime) return revoked;
  const std::vector<std::string> due = watch_.Look(*tree_, now_);
  if (due.empty()) return revoked;
  std::vector<std::vector<TaskIndex>> tasks;
  for (const TaskIndex t : world_->placed()) {
    const ElasticTree::Index group = GroupOf(t);
    if (group >= tasks.size()) tasks.resize(group + 1);
    tasks[group].push_back(t);
  }
  for (const std::string& group : due) {
    const ElasticTree::Index index = tree_->IndexOf(group);
    if (index < tasks.size()) Revoke(group, std::move(tasks[index]), &revoked);
  }
  return revoked;
}

void QuotaPlugin::Revoke(const std::string& group, std::vector<TaskIndex> tasks,
                         std::vector<TaskIndex>* revoked) {
  std::sort(tasks.begin(), tasks.end(), [&](TaskIndex a, TaskIndex b) {
    return tables_->tasks.names.name(a) < tables_->tasks.names.name(b);
  });
  std::vector<RevocableTask> rows;
  for (const TaskIndex t : tasks) {
    const ElasticTask task = TaskOf(t);
    rows.push_back({task.request, task.priority, task.started, task.preemptible});
  }
  const ElasticTree::Room room = *tree_->RoomOf(group);
  for (const size_t i : TasksToRevoke(room.used, room.runtime, rows)) {
    const TaskIndex t = tasks[i];
    const bool leaves = world_->terminating(t) || tables_->tasks.status[t] == TaskStatus::kWaiting;
    if (!leaves && budgets_->Take(t)) revoked->push_back(t);
  }
}

// The action has checked what could be refused here.
void QuotaPlugin::Plant() {
  const QueueTable& queues = tables_->queues;
  ElasticTree::Options options{.scale_min = settings_.scale_min, .has_builtin = true};
  for (const auto& [name, max] : {std::pair(kDefaultQuota, &options.default_max),
                                  std::pair(kSystemQuota, &options.system_max)}) {
    const auto q = queues.names.Find(name);
    if (q && queues.alive[*q]) *max = QuotaAmounts(*tables_, queues.limit.row(*q));
  }
  tree_ = std::make_unique<ElasticTree>(options);
  std::vector<int64_t> total(tables_->dimension_count(), 0);
  for (NodeIndex n = 0; n < tables_->nodes.alive.size(); ++n) {
    if (!tables_->nodes.alive[n]) continue;
    for (DimensionIndex d = 0; d < total.size(); ++d) {
      total[d] = SaturatingAdd(total[d], OrZero(tables_->nodes.allocatable.at(n, d)));
    }
  }
  absl::Status planted = tree_->AddTotal(QuotaAmounts(*tables_, total));
  group_of_.assign(queues.alive.size(), ElasticTree::kNone);
  for (const QueueIndex q : QueuesFromTheTop(queues)) {
    if (StandsForDefault(queues, q)) {
      group_of_[q] = tree_->IndexOf(kDefaultQuota);
      continue;
    }
    if (!IsBuiltIn(queues.names.name(q))) {
      QuotaGroup group = GroupOfQueue(*tables_, q);
      group.lends = Lends(queues, q).value_or(true);
      planted.Update(tree_->Put(group));
    }
    group_of_[q] = tree_->IndexOf(queues.names.name(q));
  }
  static_cast<void>(planted);
}

void QuotaPlugin::CountTasks() {
  struct Load {
    Sparse request, fixed_request, used, fixed_used;
  };
  std::vector<Load> loads;
  const TaskTable& tasks = tables_->tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t]) continue;
    const bool placed = world_->node_of(t) != kNone;
    if (!placed && tasks.status[t] != TaskStatus::kPending) continue;
    const ElasticTree::Index group = GroupOf(t);
    if (group >= loads.size()) loads.resize(group + 1);
    const Sparse& charge = ChargeOf(t);
    loads[group].request.Add(charge);
    if (placed) loads[group].used.Add(charge);
    if (!IsFixed(t)) continue;
    loads[group].fixed_request.Add(charge);
    if (placed) loads[group].fixed_used.Add(charge);
  }
  for (ElasticTree::Index group = 0; group < loads.size(); ++group) {
    const Load& load = loads[group];
    if (load.request.keys() == 0) continue;
    tree_->AddRequest(group, load.request, load.fixed_request);
    tree_->AddUse(group, load.used, load.fixed_used);
  }
}

ElasticTree::Index QuotaPlugin::GroupOf(TaskIndex t) const {
  const JobIndex job = tables_->tasks.job[t];
  if (job != kNone) return group_of_[tables_->jobs.queue[job]];
  const auto q =
      tables_->queues.names.Find(world_->classes().shape(world_->class_of(t)).name_space);
  return q && tables_->queues.alive[*q] ? group_of_[*q] : tree_->IndexOf(kDefaultQuota);
}

const Sparse& QuotaPlugin::ChargeOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const auto it = charges_.find(c);
  if (it != charges_.end()) return it->second;
  const auto held = tables_->classes.request.row(c);
  const auto initial = tables_->classes.initial_request.row(c);
  NamedAmounts named;
  // A reservation is no member of a quota.
  if (ReservationToPlace(world_->classes().shape(c)) != nullptr) return charges_[c];
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    const int64_t amount = std::max(OrZero(held[d]), OrZero(initial[d]));
    if (d == kPods || amount == 0) continue;
    named.emplace_back(std::string(tables_->dimensions.name(d)), amount);
  }
  return charges_[c] = tree_->Intern(named).value_or(Sparse());
}

bool QuotaPlugin::IsFixed(TaskIndex t) const {
  return (tables_->tasks.flags[t] & kTaskPreemptable) == 0;
}

void QuotaPlugin::Use(TaskIndex t, int sign) {
  Sparse charge = ChargeOf(t);
  if (sign < 0) charge = Difference(Sparse(), charge);
  tree_->AddUse(GroupOf(t), charge, IsFixed(t) ? charge : Sparse());
}

bool QuotaPlugin::Wakes(const kube::Happening& happening) {
  return happening.kind == kube::Happened::kPodDeleted ||
         happening.kind == kube::Happened::kQuotaChanged;
}

kube::Status QuotaPlugin::Refuse(kube::Code code, const std::string& words) const {
  kube::Status status;
  status.code = code;
  status.plugin = NumberOf(ExtraPlugin::kElasticQuota);
  status.causes.push_back(kube::WordsCause(world_, words));
  return status;
}

kube::Status QuotaPlugin::PreFilter(TaskIndex t) {
  const ElasticTree::Admission admission =
      tree_->Admit(GroupOf(t), ChargeOf(t), !IsFixed(t),
                   {.by_max = !settings_.by_runtime, .asks_parents = settings_.asks_parents});
  if (admission.verdict == ElasticTree::Admission::Verdict::kFits) return {};
  return Refuse(kube::Code::kUnschedulable, RefusalText(t, admission));
}

// As the peer prints lists of resources, with amounts in their shortest form.
std::string QuotaPlugin::AmountsText(const Sparse& amounts) const {
  std::vector<std::string> words;
  for (const auto& [name, amount] : tree_->Named(amounts)) {
    words.push_back(absl::StrCat(
        name, ":", FormatQuantity(amount, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole)));
  }
  std::sort(words.begin(), words.end());
  return words.empty() ? "<empty>" : absl::StrJoin(words, ",");
}

std::string QuotaPlugin::RefusalText(TaskIndex t, const ElasticTree::Admission& admission) {
  const ElasticTree::Index own = GroupOf(t);
  const ElasticTree::Numbers numbers = *tree_->Find(tree_->name(admission.group));
  const bool by_min = admission.verdict == ElasticTree::Admission::Verdict::kAboveMin;
  const Sparse& request = ChargeOf(t);
  const SparseSum& used = by_min ? numbers.fixed_used : numbers.used;
  Sparse limit = by_min ? numbers.min : numbers.max;
  if (!by_min && settings_.by_runtime) limit = tree_->RoomOf(tree_->name(admission.group))->runtime;
  std::vector<std::string> above;
  const uint64_t asked = admission.group == own ? used.keys() | request.keys() : request.keys();
  ForEachResource(asked & limit.keys(), [&](size_t r) {
    if (used.exact(r) + request.at(r) > limit.at(r)) above.push_back(tree_->resource(r));
  });
  std::sort(above.begin(), above.end());
  std::string head = absl::StrCat("quotaName: ", tree_->name(admission.group));
  if (admission.group != own) {
    head =
        absl::StrCat("quotaNameTopo: [", tree_->name(admission.group), " ", tree_->name(own), "]");
  }
  return absl::StrCat(by_min ? "Insufficient non-preemptible quotas, " : "Insufficient quotas, ",
                      head, by_min ? ", min: " : ", runtime: ", AmountsText(limit),
                      by_min ? ", nonPreemptibleUsed: " : ", used: ", AmountsText(used.shown()),
                      ", pod's request: ", AmountsText(request), ", exceedDimensions: [",
                      absl::StrJoin(above, " "), "]");
}

ElasticTask QuotaPlugin::TaskOf(TaskIndex t) {
  ElasticTask task;
  task.name = std::string(tables_->tasks.names.name(t));
  task.group = tree_->name(GroupOf(t));
  task.request = ChargeOf(t);
  task.priority = world_->priority(t);
  task.started = world_->started(t) == kAbsent ? now_ : world_->started(t);
  task.preemptible = !IsFixed(t);
  task.is_leaving = world_->terminating(t);
  return task;
}

ElasticTree::Room QuotaPlugin::RoomFor(TaskIndex t) const {
  const std::string& group = tree_->name(GroupOf(t));
  ElasticTree::Room room = *tree_->RoomOf(group);
  if (!settings_.by_runtime) room.runtime = tree_->Find(group)->max;
  return room;
}

std::string QuotaPlugin::WhyIneligible(const kube::PodCycle& cycle) {
  const NodeIndex nominated = nominations_->of(cycle.task());
  if (nominated == kNone || cycle.status(nominated).code == kube::Code::kUnresolvable) return {};
  const ElasticTask task = TaskOf(cycle.task());
  for (const TaskIndex other : world_->pods_on(nominated)) {
    if (ElasticPreemption::IsLeavingFor(task, TaskOf(other))) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return {};
}

kube::Status QuotaPlugin::SelectVictims(kube::PodCycle& cycle, NodeIndex n,
                                        kube::Candidate* candidate) {
  using Outcome = ElasticPreemption::DryRunResult::Outcome;
  const TaskIndex t = cycle.task();
  const auto none = [&] {
    kube::Status status;
    status.code = kube::Code::kUnresolvable;
    status.causes.push_back(kube::NoVictimsOn(world_, n, t));
    return status;
  };
  const auto pods = world_->pods_on(n);
  const int32_t priority = world_->priority(t);
  const auto is_below = [&](TaskIndex other) { return world_->priority(other) < priority; };
  if (std::ranges::none_of(pods, is_below)) return none();
  const ElasticTask task = TaskOf(t);
  std::vector<ElasticTask> tasks;
  bool any = false;
  for (const TaskIndex other : pods) {
    tasks.push_back(TaskOf(other));
    any |= preemption_.MayTakeFrom(task, tasks.back());
  }
  if (!any) return none();
  CopiedNode node(*world_, cycle, n, budgets_.get());
  const auto found = preemption_.DryRunOn(task, RoomFor(t), tasks, node);
  const std::string_view name = tables_->nodes.names.name(n);
  switch (found.outcome) {
    case Outcome::kVictims:
      if (found.victims.empty()) break;
      for (const size_t i : found.victims) candidate->victims.push_back(node.pods()[i]);
      candidate->violations = found.broken_budgets;
      return {};
    case Outcome::kNoCandidate:
      return none();
    case Outcome::kNoRoom:
    case Outcome::kTooLarge:
    case Outcome::kAboveRuntime:
      return node.status();
    case Outcome::kRemovedTwice:
      return Refuse(kube::Code::kUnresolvable,
                    absl::StrCat("a pod was removed twice from node ", Quote(name)));
  }
  return Refuse(kube::Code::kUnresolvable,
                absl::StrCat("expected at least one victim pod on node ", Quote(name)));
}

}  // namespace muster::koordinator
