// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Memory, arbitration, budgets and the steps of each migration.
#include "lib/peer/koordinator/rebalance/migrations.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/kube/selectors.h"

namespace muster::koordinator {
namespace {

// Cells of a row of the memory.
enum MigrationCell : size_t {
  kCreatedCell,
  kCauseCell,
  kStageCell,
  kPassedCell,
  kReservedCell,
  kEvictingCell,
  kEvictedCell,
  kFromCell,
  kToCell,
  kUidCell,
};

constexpr int64_t kLastCause = static_cast<int64_t>(MoveCause::kLevel);

bool IsWaiting(const MigrationState& state) { return state.stage == MigrationStage::kPending; }

}  // namespace

void StoreRebalanceSlot(const ActionContext& context, std::string_view name, MemorySlot slot) {
  if (slot == context.facts.cycle->Recall(name)) return;
  context.facts.cycle->Remember(name) = std::move(slot);
}

std::string CopyKeyOf(const RebalanceWorld& world, TaskIndex task) {
  const std::string& owner = world.WorkloadOf(task).owner;
  if (owner.empty()) return {};
  const TaskShape& shape = world.tables.classes.shape[world.tables.tasks.task_class[task]];
  std::vector<std::string> images;
  for (const ContainerSpec& container : shape.containers) images.push_back(container.image);
  std::sort(images.begin(), images.end());
  std::string key = absl::StrCat(shape.name_space, "/", owner);
  for (const std::string& image : images) absl::StrAppend(&key, "\n", image);
  return key;
}

std::vector<std::optional<size_t>> LevelsOfNodes(const RebalanceRules& rules,
                                                 const RebalanceWorld& world) {
  std::vector<std::optional<size_t>> levels(world.nodes.size());
  for (size_t i = 0; i < world.nodes.size(); ++i) {
    for (size_t l = 0; l < rules.levels.size() && !levels[i].has_value(); ++l) {
      const std::optional<Selector>& selector = rules.levels[l].selector;
      if (selector.has_value() && Matches(*selector, world.nodes[i].labels)) levels[i] = l;
    }
  }
  return levels;
}

Migrations::Migrations(ActionContext& context, const RebalanceRules& rules,
                       const RebalanceWorld& world, MoveTargets& targets)
    : context_(context),
      rules_(rules),
      world_(world),
      targets_(targets),
      now_(NanosecondsOf(context.facts.now)),
      budgets_(context) {
  arbitrated_.workloads = world.workloads;
  const MemorySlot& slot = context.facts.cycle->Recall(kEvictionRateSlot);
  for (const auto& [owner, row] : slot.rows()) {
    rates_.Restore(owner, {slot.Real(owner, 0), slot.Real(owner, 1), slot.Real(owner, 2),
                           std::min(slot.Integer(owner, 3), now_)});
  }
  Load();
}

// --- memory

void Migrations::Load() {
  const MemorySlot& slot = context_.facts.cycle->Recall(kMigrationSlot);
  for (const auto& [name, row] : slot.rows()) {
    Migration migration{.task = name};
    migration.created = NanosecondsOf(slot.Integer(name, kCreatedCell)) / 1'000'000'000;
    const int64_t cause = std::clamp<int64_t>(slot.Integer(name, kCauseCell), 0, kLastCause);
    migration.cause = static_cast<MoveCause>(cause);
    migration.has_passed = slot.Integer(name, kPassedCell) != 0;
    migration.from = std::string(slot.Text(name, kFromCell));
    migration.uid = std::string(slot.Text(name, kUidCell));
    MigrationState& state = migration.state;
    state.stage =
        slot.Integer(name, kStageCell) == 0 ? MigrationStage::kPending : MigrationStage::kRunning;
    state.reserved = slot.Integer(name, kReservedCell) != 0;
    state.evicting = slot.Integer(name, kEvictingCell) != 0;
    state.evicted = slot.Integer(name, kEvictedCell) != 0;
    state.node = std::string(slot.Text(name, kToCell));
    const MigrationSight sight = SightOf(migration);
    const bool is_old = sight.ttl > 0 && sight.age >= sight.ttl;
    const bool is_pointless = !state.evicting && !IsThere(migration);
    if (!is_old && !is_pointless && state.evicting) (void)Advance(sight, &state);
    if (is_old || is_pointless || HasEnded(migration)) continue;
    migrating_.insert(name);
    list_.push_back(std::move(migration));
  }
  for (const Migration& migration : list_) AddJob(migration);
}

void Migrations::Store() const {
  MemorySlot slot;
  for (const Migration& migration : list_) {
    const MigrationState& state = migration.state;
    slot.Set(migration.task, {migration.created, static_cast<int64_t>(migration.cause),
                              int64_t{IsWaiting(state) ? 0 : 1}, int64_t{migration.has_passed},
                              int64_t{state.reserved}, int64_t{state.evicting},
                              int64_t{state.evicted}, migration.from, state.node, migration.uid});
  }
  StoreRebalanceSlot(context_, kMigrationSlot, std::move(slot));
  MemorySlot rates;
  for (const auto& [owner, bucket] : rates_.buckets()) {
    if (bucket.TokensAt(now_) >= bucket.burst) continue;  // as if nothing had been evicted
    rates.Set(owner, {bucket.per_second, bucket.burst, bucket.tokens, bucket.at});
  }
  StoreRebalanceSlot(context_, kEvictionRateSlot, std::move(rates));
}

bool Migrations::HasEnded(const Migration& migration) {
  return migration.state.stage == MigrationStage::kSucceeded ||
         migration.state.stage == MigrationStage::kFailed;
}

void Migrations::DropEnded() { std::erase_if(list_, HasEnded); }

// --- what is there

std::optional<TaskIndex> Migrations::FindTask(const std::string& name) const {
  const auto task = context_.tables.tasks.names.Find(name);
  if (!task.has_value() || !context_.tables.tasks.alive[*task]) return std::nullopt;
  return *task;
}

bool Migrations::IsThere(const Migration& migration) const {
  const std::optional<TaskIndex> task = FindTask(migration.task);
  if (!task.has_value() || AreOfTwo(UidOf(context_.tables.tasks, *task), migration.uid)) {
    return false;
  }
  const NodeIndex node = context_.ledger.node_of(*task);
  return IsOnNode(context_.ledger.status(*task)) && node != muster::kNone &&
         context_.tables.nodes.spec[node].name == migration.from;
}

MigrationSight Migrations::SightOf(const Migration& migration) const {
  MigrationSight sight;
  sight.reserves = rules_.reserves;
  sight.age = now_ - NanosecondsOf(migration.created);  // below zero if the clock went back
  sight.ttl = rules_.ttl * 1'000'000'000;
  const std::optional<TaskIndex> task = FindTask(migration.task);
  if (task.has_value()) {
    sight.task = MigrationSight::Task{.id = migration.task,
                                      .node = migration.from,
                                      .scheduled = true,
                                      .same = IsThere(migration)};
  }
  const auto to = context_.tables.nodes.names.Find(migration.state.node);
  if (!migration.state.reserved || !to.has_value() || !context_.tables.nodes.alive[*to]) {
    return sight;
  }
  MigrationSight::Reservation room;
  room.phase = MigrationSight::Reservation::Phase::kAvailable;
  room.scheduled = true;
  room.node = migration.state.node;
  const bool runs = task.has_value() && context_.ledger.status(*task) == TaskStatus::kRunning &&
                    context_.ledger.node_of(*task) == *to;
  if (runs) {
    room.bound = migration.task;
    room.bound_ready = true;
  }
  sight.reservation = room;
  return sight;
}

bool Migrations::MayGo(TaskIndex task) const {
  if (!MayLeave(context_, task)) return false;
  const TaskTraits traits = world_.TraitsOf(task, context_.ledger.status(task));
  if (!IsEvictable(traits, rules_.evictable) || !IsChosen(traits, rules_.choice)) return false;
  return HasSpareReplicas(arbitrated_, rules_.limits,
                          world_.MigratedOf(task, context_.ledger.node_of(task)));
}

bool Migrations::IsCandidate(TaskIndex task) const {
  return !migrating_.contains(world_.tables.tasks.names.name(task)) && MayGo(task);
}

// --- arbitration

void Migrations::Ask(TaskIndex task, MoveCause cause) {
  const std::string name(context_.tables.tasks.names.name(task));
  if (!migrating_.insert(name).second) return;
  Migration migration{.task = name, .created = now_ / 1'000'000'000, .cause = cause};
  migration.uid = std::string(UidOf(context_.tables.tasks, task));
  migration.from = context_.tables.nodes.spec[context_.ledger.node_of(task)].name;
  AddJob(migration);
  list_.push_back(std::move(migration));
}

void Migrations::AddJob(const Migration& migration) {
  MigrationJob& job = arbitrated_.jobs.emplace_back();
  job.created = migration.created;
  job.phase = IsWaiting(migration.state) ? MigrationPhase::kPending : MigrationPhase::kRunning;
  job.has_passed = job.is_marked = migration.has_passed;
  job.target = MigrationJob::Target{.id = migration.task, .name = migration.task};
  const std::optional<TaskIndex> task = FindTask(migration.task);
  if (!task.has_value()) return;
  const TaskStatus status = context_.ledger.status(*task);
  const NodeIndex node = IsOnNode(status) ? context_.ledger.node_of(*task) : muster::kNone;
  arbitrated_.tasks.push_back(world_.MigratedOf(*task, node));
  job.target->name_space = arbitrated_.tasks.back().name_space;
}

bool Migrations::IsLimited(TaskIndex task) const {
  if (rules_.pace == 0) return false;
  const std::string& owner = world_.WorkloadOf(task).owner;
  return !owner.empty() && rates_.Exceeded(owner, now_);
}

void Migrations::Arbitrate() {
  JobOrder waiting;
  for (size_t i = 0; i < list_.size(); ++i) {
    if (IsWaiting(list_[i].state) && !list_[i].has_passed) waiting.push_back(i);
  }
  if (waiting.empty()) return;
  const auto may_leave = [this](const MigratedTask& task) { return MayGo(*FindTask(task.id)); };
  const auto fits_now = [this](const MigratedTask& task) {
    const bool limited = !task.has_evict_mark && IsLimited(*FindTask(task.id));
    return !limited && FitsLimits(arbitrated_, rules_.limits, task);
  };
  std::vector<Migration> rest;
  std::vector<bool> is_ruled(list_.size());
  std::vector<Migration> passed;
  for (const Verdict& verdict :
       koordinator::Arbitrate(waiting, may_leave, fits_now, &arbitrated_)) {
    Migration& migration = list_[verdict.job];
    is_ruled[verdict.job] = true;
    if (verdict.ruling == Ruling::kRefused) continue;
    migration.has_passed = verdict.ruling == Ruling::kPassed;
    passed.push_back(std::move(migration));
  }
  for (size_t i = 0; i < list_.size(); ++i) {
    if (!is_ruled[i]) rest.push_back(std::move(list_[i]));
  }
  // Those under way go on first, then those that were ruled on, in the order of the arbitration.
  std::ranges::move(passed, std::back_inserter(rest));
  list_ = std::move(rest);
}

// --- moves

size_t Migrations::CopiesOn(TaskIndex task, size_t node) const {
  const std::string key = CopyKeyOf(world_, task);
  size_t count = 0;
  const auto counts = [&](TaskIndex t) {
    return context_.tables.has_job(t) && CopyKeyOf(world_, t) == key;
  };
  const NodeIndex row = world_.node_of[node];
  for (const TaskIndex t : context_.ledger.tasks_on(row)) {
    const bool leaves = context_.ledger.status(t) == TaskStatus::kReleasing &&
                        context_.ledger.promised_node(t) != row;
    count += t != task && !leaves && counts(t);
  }
  return count;
}

bool Migrations::AllowsTarget(const Migration& migration, size_t node) const {
  const TaskIndex task = *FindTask(migration.task);
  const size_t from = world_.at[context_.ledger.node_of(task)];
  // A node that is not ready has no place, copies or level.
  if (from == RebalanceWorld::kNoNode) {
    return migration.cause != MoveCause::kDuplicate && migration.cause != MoveCause::kLevel;
  }
  if (migration.cause == MoveCause::kDuplicate) {
    return CopiesOn(task, node) < CopiesOn(task, from);
  }
  if (migration.cause != MoveCause::kLevel) return true;
  const auto levels = LevelsOfNodes(rules_, world_);
  return levels[from].has_value() && levels[node].has_value() && *levels[node] > *levels[from];
}

void Migrations::Leave(TaskIndex task, NodeIndex to) {
  budgets_.Take(task);
  targets_.Moved(task, context_.ledger.node_of(task), to);
  const std::string& owner = world_.WorkloadOf(task).owner;
  if (rules_.pace == 0 || owner.empty()) return;
  const auto workload = arbitrated_.workloads.find(owner);
  if (workload == arbitrated_.workloads.end()) return;
  const int64_t portion = MostAway(workload->second.replicas, rules_.limits.migrating);
  rates_.Track(owner, static_cast<double>(portion) / static_cast<double>(rules_.pace), 1, now_);
}

void Migrations::Start(Migration* migration) {
  const TaskIndex task = *FindTask(migration->task);
  if (!budgets_.Fits(task)) return;
  MigrationSight sight = SightOf(*migration);
  sight.limited = IsLimited(task) && !world_.WorkloadOf(task).has_evict_mark;
  MigrationAct act = Advance(sight, &migration->state);
  if (act != MigrationAct::kReserve && act != MigrationAct::kEvict) return;
  const NodeIndex from = context_.ledger.node_of(task);
  const Ledger::Savepoint before = context_.ledger.Save();
  context_.ledger.Move(task, TaskStatus::kReleasing, from);
  NodeIndex to = muster::kNone;
  if (act == MigrationAct::kReserve) {
    to = targets_.Choose(task, from, [&](size_t node) { return AllowsTarget(*migration, node); });
    migration->state.reserved = true;
    sight.reservation = MigrationSight::Reservation{};
    sight.reservation->phase = MigrationSight::Reservation::Phase::kAvailable;
    sight.reservation->scheduled = to != muster::kNone;
    if (to != muster::kNone) sight.reservation->node = context_.tables.nodes.spec[to].name;
    act = Advance(sight, &migration->state);
  }
  if (act != MigrationAct::kEvict) {
    context_.ledger.Rollback(before);
    return;
  }
  if (to != muster::kNone) context_.ledger.Promise(task, to);
  context_.decisions.Commit(before);
  Leave(task, to);
}

bool Migrations::Run() {
  Arbitrate();
  for (Migration& migration : list_) {
    const bool starts = (migration.has_passed || !IsWaiting(migration.state)) &&
                        !migration.state.evicting && IsThere(migration);
    if (!starts || !MayLeave(context_, *FindTask(migration.task))) continue;
    if (context_.meter.Cut()) return false;
    context_.meter.Spend();
    Start(&migration);
  }
  DropEnded();
  return true;
}

}  // namespace muster::koordinator
