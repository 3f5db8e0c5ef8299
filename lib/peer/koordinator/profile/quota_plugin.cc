// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/quota_plugin.h"

#include <algorithm>
#include <optional>
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

// What settings of a queue tell of its group.
struct QueueMarks {
  bool lends = true;
  std::string tree = {};                   // empty: the default one
  std::optional<NamedAmounts> total = {};  // of the tree
  bool takes_from_default = true;
};

// A failure is that of a setting that is unknown or wrong.
absl::StatusOr<QueueMarks> MarksOf(const QueueTable& queues, QueueIndex q) {
  SettingReader settings("queue", queues.names.name(q), queues.spec[q].settings, "koordinator");
  QueueMarks marks;
  marks.lends = settings.Flag("lends", true);
  marks.tree = std::string(settings.Text("tree").value_or(std::string_view()));
  if (const auto text = settings.Text("tree-total")) {
    marks.total = ReadSharedWeight(*text);
    if (!marks.total) {
      settings.Refuse("tree-total", "must be RESOURCE=AMOUNT,..., each resource once");
    } else if (marks.tree.empty()) {
      settings.Refuse("tree-total", "needs koordinator/tree");
    }
  }
  marks.takes_from_default = !settings.Flag("tree-apart", false);
  if (const auto text = settings.Text(kSharedWeightKey); text && !ReadSharedWeight(*text)) {
    settings.Refuse(kSharedWeightKey, "must be RESOURCE=AMOUNT,..., each resource once");
  }
  if (absl::Status status = settings.Finish(); !status.ok()) return status;
  return marks;
}

// Returns why the queue may not be in its tree with those that were checked before. `roots`: the
// queues that set totals, by tree.
std::string WrongTree(const QueueTable& queues, QueueIndex q, const QueueMarks& marks,
                      HashMap<std::string, QueueIndex>* roots) {
  const QueueIndex parent = queues.parent[q];
  if (parent != kNone) {
    const std::string above = MarksOf(queues, parent).value_or(QueueMarks()).tree;
    if (above != marks.tree) {
      return absl::StrCat("koordinator/tree is ", Quote(marks.tree),
                          ", that of the queue above is ", Quote(above));
    }
  }
  if (!marks.tree.empty() && (IsBuiltIn(queues.names.name(q)) || StandsForDefault(queues, q))) {
    return "a group that is built in is in the default tree";
  }
  if (!marks.total) return {};
  const auto [other, is_new] = roots->try_emplace(marks.tree, q);
  if (is_new) return {};
  return absl::StrCat("tree ", Quote(marks.tree), " has its total from queue ",
                      Quote(queues.names.name(other->second)), " already");
}

// As the peer prints lists of resources, with amounts in their shortest form.
std::string AmountsText(const ElasticTree& tree, const Sparse& amounts) {
  std::vector<std::string> words;
  for (const auto& [name, amount] : tree.Named(amounts)) {
    words.push_back(absl::StrCat(
        name, ":", FormatQuantity(amount, IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole)));
  }
  std::sort(words.begin(), words.end());
  return words.empty() ? "<empty>" : absl::StrJoin(words, ",");
}

// As a quota of the peer, a queue with a limit is about the resources that it names.
void KeepNamed(const Tables& tables, QueueIndex q, NamedAmounts* max) {
  if (!tables.queues.spec[q].limit) return;
  std::erase_if(*max, [&](const auto& amount) {
    const auto d = tables.dimensions.Find(amount.first);
    return d && tables.queues.limit.at(q, *d) == kAbsent &&
           tables.queues.guaranteed.at(q, *d) == kAbsent;
  });
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
  HashMap<std::string, QueueIndex> roots;
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
    const absl::StatusOr<QueueMarks> marks = MarksOf(queues, q);
    if (!marks.ok()) return marks.status();
    if (const std::string wrong = WrongTree(queues, q, *marks, &roots); !wrong.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("queue ", Quote(name), ": ", wrong));
    }
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
  for (ElasticTree* tree : trees_) {
    tree->RefreshAll();
    OveruseWatch& watch = watches_.emplace_back(settings_.revoke_delay);
    for (const auto& [group, row] : memory->Recall(kOveruseSlot).rows()) {
      if (tree->IndexOf(group) == ElasticTree::kNone) continue;
      watch.Remember(group, memory->Recall(kOveruseSlot).Integer(group));
    }
  }
}

void QuotaPlugin::Store(MemorySlots* memory) const {
  MemorySlot overuse;
  for (const OveruseWatch& watch : watches_) {
    for (const auto& [group, since] : watch.above()) overuse.Set(group, {since});
  }
  if (!(memory->Recall(kOveruseSlot).rows() == overuse.rows())) {
    memory->Remember(kOveruseSlot) = std::move(overuse);
  }
}

std::vector<TaskIndex> QuotaPlugin::Revoked() {
  std::vector<TaskIndex> revoked;
  if (!settings_.revokes || !settings_.by_runtime) return revoked;
  for (size_t i = 0; i < trees_.size(); ++i) {
    const std::vector<std::string> due = watches_[i].Look(*trees_[i], now_);
    if (!due.empty()) RevokeOf(trees_[i], due, &revoked);
  }
  return revoked;
}

void QuotaPlugin::RevokeOf(ElasticTree* tree, const std::vector<std::string>& due,
                           std::vector<TaskIndex>* revoked) {
  std::vector<std::vector<TaskIndex>> tasks;
  for (const TaskIndex t : world_->placed()) {
    const Place place = PlaceOf(t);
    if (place.tree != tree) continue;
    if (place.group >= tasks.size()) tasks.resize(place.group + 1);
    tasks[place.group].push_back(t);
  }
  for (const std::string& group : due) {
    const ElasticTree::Index index = tree->IndexOf(group);
    if (index < tasks.size()) Revoke(*tree->RoomOf(group), std::move(tasks[index]), revoked);
  }
}

void QuotaPlugin::Revoke(const ElasticTree::Room& room, std::vector<TaskIndex> tasks,
                         std::vector<TaskIndex>* revoked) {
  std::sort(tasks.begin(), tasks.end(), [&](TaskIndex a, TaskIndex b) {
    return tables_->tasks.names.name(a) < tables_->tasks.names.name(b);
  });
  std::vector<RevocableTask> rows;
  for (const TaskIndex t : tasks) {
    const ElasticTask task = TaskOf(t);
    rows.push_back({task.request, task.priority, task.started, task.preemptible});
  }
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
  forest_ = std::make_unique<ElasticForest>(ElasticForest::Options{.tree = options});
  std::vector<int64_t> total(tables_->dimension_count(), 0);
  for (NodeIndex n = 0; n < tables_->nodes.alive.size(); ++n) {
    if (!tables_->nodes.alive[n]) continue;
    for (DimensionIndex d = 0; d < total.size(); ++d) {
      total[d] = SaturatingAdd(total[d], OrZero(tables_->nodes.allocatable.at(n, d)));
    }
  }
  absl::Status planted = forest_->PutNode("all", QuotaAmounts(*tables_, total));
  default_ = forest_->PlaceOf(kDefaultQuota);
  place_of_.assign(queues.alive.size(), Place());
  for (const QueueIndex q : QueuesFromTheTop(queues)) {
    if (StandsForDefault(queues, q)) {
      place_of_[q] = default_;
      continue;
    }
    if (!IsBuiltIn(queues.names.name(q))) {
      QueueMarks marks = MarksOf(queues, q).value_or(QueueMarks());
      if (marks.total) {
        // Of resources that nothing has or requests no quota counts.
        std::erase_if(*marks.total,
                      [&](const auto& amount) { return !tables_->dimensions.Find(amount.first); });
      }
      ForestGroup group = {.group = GroupOfQueue(*tables_, q),
                           .tree = marks.tree,
                           .total = marks.total,
                           .takes_from_default = marks.takes_from_default};
      KeepNamed(*tables_, q, &group.group.max);
      group.group.lends = marks.lends;
      planted.Update(forest_->Put(group));
    }
    place_of_[q] = forest_->PlaceOf(queues.names.name(q));
  }
  static_cast<void>(planted);
  for (const std::string& id : forest_->Trees()) trees_.push_back(forest_->Find(id));
}

void QuotaPlugin::CountTasks() {
  struct Load {
    Sparse request, fixed_request, used, fixed_used;
  };
  HashMap<ElasticTree*, std::vector<Load>> of_tree;
  const TaskTable& tasks = tables_->tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t]) continue;
    const bool placed = world_->node_of(t) != kNone;
    if (!placed && tasks.status[t] != TaskStatus::kPending) continue;
    const auto [tree, group] = PlaceOf(t);
    std::vector<Load>& loads = of_tree[tree];
    if (group >= loads.size()) loads.resize(group + 1);
    const Sparse& charge = ChargeOf(t);
    loads[group].request.Add(charge);
    if (placed) loads[group].used.Add(charge);
    if (!IsFixed(t)) continue;
    loads[group].fixed_request.Add(charge);
    if (placed) loads[group].fixed_used.Add(charge);
  }
  for (auto& [tree, loads] : of_tree) {
    for (ElasticTree::Index group = 0; group < loads.size(); ++group) {
      const Load& load = loads[group];
      if (load.request.keys() == 0) continue;
      tree->AddRequest(group, load.request, load.fixed_request);
      tree->AddUse(group, load.used, load.fixed_used);
    }
  }
}

QuotaPlugin::Place QuotaPlugin::PlaceOf(TaskIndex t) const {
  const JobIndex job = tables_->tasks.job[t];
  if (job != kNone) return place_of_[tables_->jobs.queue[job]];
  const auto q =
      tables_->queues.names.Find(world_->classes().shape(world_->class_of(t)).name_space);
  return q && tables_->queues.alive[*q] ? place_of_[*q] : default_;
}

const std::string& QuotaPlugin::GroupOf(TaskIndex t) const {
  const Place place = PlaceOf(t);
  return place.tree->name(place.group);
}

const Sparse& QuotaPlugin::ChargeOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const auto [tree, group] = PlaceOf(t);
  std::vector<HashMap<ClassIndex, Sparse>>& of_tree = charges_[tree];
  if (group >= of_tree.size()) of_tree.resize(group + 1);
  HashMap<ClassIndex, Sparse>& charges = of_tree[group];
  const auto it = charges.find(c);
  if (it != charges.end()) return it->second;
  // A reservation is no member of a quota.
  if (ReservationToPlace(world_->classes().shape(c)) != nullptr) return charges[c];
  const auto held = tables_->classes.request.row(c);
  const auto initial = tables_->classes.initial_request.row(c);
  NamedAmounts named;
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    const int64_t amount = std::max(OrZero(held[d]), OrZero(initial[d]));
    if (d == kPods || amount == 0) continue;
    named.emplace_back(std::string(tables_->dimensions.name(d)), amount);
  }
  const Sparse amounts = tree->Intern(named).value_or(Sparse());
  // A built-in group without a maximum counts all.
  const uint64_t keys = tree->RoomOf(tree->name(group))->keys;
  return charges[c] = keys == 0 ? amounts : amounts.Only(keys);
}

// What reservations keep stays, too.
bool QuotaPlugin::IsFixed(TaskIndex t) const {
  return (tables_->tasks.flags[t] & kTaskPreemptable) == 0 ||
         ReservationToPlace(world_->classes().shape(world_->class_of(t))) != nullptr;
}

void QuotaPlugin::Use(TaskIndex t, int sign) {
  Sparse charge = ChargeOf(t);
  if (sign < 0) charge = Difference(Sparse(), charge);
  const Place place = PlaceOf(t);
  place.tree->AddUse(place.group, charge, IsFixed(t) ? charge : Sparse());
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
  const Place place = PlaceOf(t);
  const ElasticTree::Admission admission =
      place.tree->Admit(place.group, ChargeOf(t), !IsFixed(t),
                        {.by_max = !settings_.by_runtime, .asks_parents = settings_.asks_parents});
  if (admission.verdict == ElasticTree::Admission::Verdict::kFits) return {};
  return Refuse(kube::Code::kUnschedulable, RefusalText(t, admission));
}

std::string QuotaPlugin::RefusalText(TaskIndex t, const ElasticTree::Admission& admission) {
  const auto [tree_of_task, own] = PlaceOf(t);
  const ElasticTree& tree = *tree_of_task;
  const std::string& full = tree.name(admission.group);
  const ElasticTree::Numbers numbers = *tree.Find(full);
  const bool by_min = admission.verdict == ElasticTree::Admission::Verdict::kAboveMin;
  const Sparse& request = ChargeOf(t);
  const SparseSum& used = by_min ? numbers.fixed_used : numbers.used;
  Sparse limit = by_min ? numbers.min : numbers.max;
  if (!by_min && settings_.by_runtime) limit = tree.RoomOf(full)->runtime;
  std::vector<std::string> above;
  const uint64_t asked = admission.group == own ? used.keys() | request.keys() : request.keys();
  ForEachResource(asked & limit.keys(), [&](size_t r) {
    if (used.exact(r) + request.at(r) > limit.at(r)) above.push_back(tree.resource(r));
  });
  std::sort(above.begin(), above.end());
  std::string head = absl::StrCat("quotaName: ", full);
  if (admission.group != own) {
    head = absl::StrCat("quotaNameTopo: [", full, " ", tree.name(own), "]");
  }
  return absl::StrCat(
      by_min ? "Insufficient non-preemptible quotas, " : "Insufficient quotas, ", head,
      by_min ? ", min: " : ", runtime: ", AmountsText(tree, limit),
      by_min ? ", nonPreemptibleUsed: " : ", used: ", AmountsText(tree, used.shown()),
      ", pod's request: ", AmountsText(tree, request), ", exceedDimensions: [",
      absl::StrJoin(above, " "), "]");
}

ElasticTask QuotaPlugin::TaskOf(TaskIndex t) {
  ElasticTask task;
  task.name = std::string(tables_->tasks.names.name(t));
  task.group = GroupOf(t);
  task.request = ChargeOf(t);
  task.priority = world_->priority(t);
  task.started = world_->started(t) == kAbsent ? now_ : world_->started(t);
  task.preemptible = !IsFixed(t);
  task.is_leaving = world_->terminating(t);
  return task;
}

ElasticTree::Room QuotaPlugin::RoomFor(TaskIndex t) const {
  const ElasticTree& tree = *PlaceOf(t).tree;
  const std::string& group = GroupOf(t);
  ElasticTree::Room room = *tree.RoomOf(group);
  if (!settings_.by_runtime) room.runtime = tree.Find(group)->max;
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
