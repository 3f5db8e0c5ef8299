// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/pod_queue.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"

namespace muster::kube {
namespace {

constexpr int64_t kMostSeconds = 1000;  // that a tick looks at one by one
constexpr int64_t kFlushSeconds = 30;   // between looks at what waited too long

// Cells of a row, in their order.
enum Cell : size_t {
  kPool,
  kTime,
  kSequence,
  kAttempts,
  kFailures,
  kErrors,
  kRejectors,
  kGate,
  kPriority,
  kFlushed,
  kNominated,
  kGroup,
  kNominatedAt,
};

constexpr std::string_view kExtraPrefix = "extra/";

// The plug-in as a slot names it.
std::string GateText(Plugin gate) {
  if (gate < Plugin::kExtra) return std::string(PluginName(gate));
  const int number = static_cast<int>(gate) - static_cast<int>(Plugin::kExtra);
  return absl::StrCat(ToAbsl(kExtraPrefix), number);
}

Plugin GateOfText(std::string_view text) {
  if (!text.starts_with(kExtraPrefix)) return PluginOf(text);
  int number = 0;
  text.remove_prefix(kExtraPrefix.size());
  if (!absl::SimpleAtoi(ToAbsl(text), &number) || number < 0 || number >= kMostExtra) {
    return Plugin::kNone;
  }
  return static_cast<Plugin>(static_cast<int>(Plugin::kExtra) + number);
}

}  // namespace

int64_t PodQueue::SecondOf(int64_t time) const {
  return time / settings_.ticks - (time % settings_.ticks < 0);
}

bool PodQueue::GoesFirst::operator()(const Entity* a, const Entity* b) const {
  if (a->priority != b->priority) return a->priority > b->priority;
  if (a->rank_time != b->rank_time) return a->rank_time < b->rank_time;
  if (a->rank_name != b->rank_name) return a->rank_name < b->rank_name;
  return std::tuple(a->time, a->sequence, a->number) < std::tuple(b->time, b->sequence, b->number);
}

int64_t PodQueue::BackoffEnd(const Entity& entity) const {
  const int64_t count = entity.errors > 0 ? entity.errors : entity.failures;
  if (count == 0 || settings_.longest_backoff == 0) return -1;
  double longest = static_cast<double>(settings_.longest_backoff);
  if (entity.members.size() > 1) longest *= std::sqrt(static_cast<double>(entity.members.size()));
  double duration = longest;
  if (count < 60) {
    duration = std::min(longest, std::ldexp(static_cast<double>(settings_.first_backoff),
                                            static_cast<int>(count - 1)));
  }
  const double end = static_cast<double>(entity.time) / static_cast<double>(settings_.ticks);
  const double second = std::floor(end + duration);
  return second < 0x1p63 ? static_cast<int64_t>(second) : kMaxQuantity;
}

bool PodQueue::BacksOff(const Entity& entity) const { return BackoffEnd(entity) >= SecondOf(now_); }

void PodQueue::Insert(std::unique_ptr<Entity> entity) {
  for (size_t i = 0; i < entity->members.size(); ++i) {
    entity->members[i].number = i;
    by_pod_[entity->members[i].name] = {entity.get(), i};
  }
  if (entity->group != kNone) by_group_[entity->group] = entity.get();
  entity->open = 0;
  Entity* added = entity.get();
  entities_.push_back(std::move(entity));
  added->place = std::prev(entities_.end());
  added->number = arrivals_++;
  SetPool(added, std::exchange(added->pool, Pool::kOut));
}

void PodQueue::SetPool(Entity* entity, Pool pool) {
  if (entity->pool == pool) return;
  if (entity->pool == Pool::kActive) {
    // It is most often the first, to be tried.
    if (*active_.begin() == entity) {
      active_.erase(active_.begin());
    } else {
      active_.erase(entity);
    }
  }
  if (entity->pool == Pool::kWaiting) waiting_.erase(entity);
  entity->pool = pool;
  if (pool == Pool::kActive) {
    Rank(entity);
    active_.insert(active_.end(), entity);  // most often it is the last
  }
  if (pool == Pool::kWaiting) waiting_.insert(waiting_.end(), entity);
}

void PodQueue::Rank(Entity* entity) {
  if (extra_ == nullptr || entity->members.empty() || entity->members[0].task == kNone) return;
  QueueRank rank = extra_->RankOf(entity->members[0].task);
  entity->rank_time = rank.time;
  entity->rank_name = std::move(rank.name);
}

void PodQueue::Activate(std::string_view name) {
  Entity* entity = Find(name);
  if (entity == nullptr || entity->pool == Pool::kActive) return;
  if (entity->parked) {
    entity->wakes_late = true;
    return;
  }
  MoveToActive(entity, /*from_backoff=*/false);
}

void PodQueue::Park(std::string_view name) {
  Entity* entity = Find(name);
  if (entity != nullptr && entity->pool == Pool::kWaiting) entity->parked = true;
}

void PodQueue::WakeParked() {
  std::vector<Entity*> late;
  for (Entity* entity : waiting_) {
    if (entity->wakes_late) late.push_back(entity);
    entity->parked = entity->wakes_late = false;
  }
  for (Entity* entity : late) Requeue(entity);
}

void PodQueue::Rerank(std::string_view name) {
  Entity* entity = Find(name);
  if (entity == nullptr || entity->pool != Pool::kActive) return;
  active_.erase(entity);
  Rank(entity);
  active_.insert(entity);
}

std::unique_ptr<Entity> PodQueue::TakeOut(Entity* entity) {
  SetPool(entity, Pool::kOut);
  if (entity->group != kNone) by_group_.erase(entity->group);
  std::unique_ptr<Entity> taken = std::move(*entity->place);
  entities_.erase(entity->place);
  return taken;
}

void PodQueue::LoadGroups(const MemorySlot& groups, HashMap<std::string, Entity*>* by_group) {
  for (const auto& [name, row] : groups.rows()) {
    auto entity = std::make_unique<Entity>();
    const auto job = tables_.jobs.names.Find(name);
    entity->group = job ? *job : JobIndex(kNone);
    entity->name = name;
    entity->pool = static_cast<Pool>(std::clamp<int64_t>(groups.Integer(name, kPool), 0, 3));
    entity->time = groups.Integer(name, kTime);
    entity->sequence = AsCount(groups.Integer(name, kSequence));
    entity->failures = AsCount(groups.Integer(name, kFailures));
    entity->errors = AsCount(groups.Integer(name, kErrors));
    entity->gate = GateOfText(groups.Text(name, kGate));
    entity->priority = static_cast<int32_t>(groups.Integer(name, kPriority));
    entity->flushed = groups.Integer(name, kFlushed, kAbsent);
    (*by_group)[name] = entity.get();
    Insert(std::move(entity));
  }
}

void PodQueue::Load(const MemorySlot& pods, const MemorySlot& groups, int64_t clock,
                    int64_t sequence) {
  now_ = clock;
  sequence_ = AsCount(sequence);
  HashMap<std::string, Entity*> by_group;
  LoadGroups(groups, &by_group);
  for (const auto& [name, row] : pods.rows()) {
    Member member;
    const auto task = tables_.tasks.names.Find(name);
    if (task && tables_.tasks.status[*task] == TaskStatus::kPending) member.task = *task;
    member.name = name;
    member.time = pods.Integer(name, kTime);
    member.sequence = AsCount(pods.Integer(name, kSequence));
    member.attempts = AsCount(pods.Integer(name, kAttempts));
    member.failures = AsCount(pods.Integer(name, kFailures));
    member.errors = AsCount(pods.Integer(name, kErrors));
    member.rejectors = PluginSet::FromBits(static_cast<uint32_t>(pods.Integer(name, kRejectors)));
    member.gate = GateOfText(pods.Text(name, kGate));
    member.priority = static_cast<int32_t>(pods.Integer(name, kPriority));
    member.nominated = std::string(pods.Text(name, kNominated));
    member.nominated_at = pods.Integer(name, kNominatedAt);
    const auto group = by_group.find(std::string(pods.Text(name, kGroup)));
    if (group != by_group.end()) {
      Join(std::move(member), group->second);
      continue;
    }
    auto entity = std::make_unique<Entity>();
    entity->name = name;
    entity->priority = member.priority;
    entity->pool = static_cast<Pool>(std::clamp<int64_t>(pods.Integer(name, kPool), 0, 3));
    entity->gate = member.gate;
    entity->time = member.time;
    entity->sequence = member.sequence;
    entity->failures = member.failures;
    entity->errors = member.errors;
    entity->flushed = pods.Integer(name, kFlushed, kAbsent);
    entity->members.push_back(std::move(member));
    const bool was_ready = entity->pool == Pool::kActive || entity->pool == Pool::kBackoff;
    const TaskIndex left_ready = was_ready ? entity->members[0].task : TaskIndex(kNone);
    Insert(std::move(entity));
    if (extra_ != nullptr && left_ready != kNone) extra_->GateOf(left_ready);
  }
  // A group without pods was never stored.
  for (const auto& [name, entity] : by_group) {
    if (entity->members.empty()) TakeOut(entity);
  }
}

void PodQueue::Store(MemorySlot* pods, MemorySlot* groups) const {
  *pods = MemorySlot();
  *groups = MemorySlot();
  for (const auto& entity : entities_) {
    const bool grouped = entity->group != kNone;
    const auto pool = static_cast<int64_t>(entity->pool);
    if (grouped) {
      groups->Set(entity->name, {pool, entity->time, entity->sequence, int64_t{0}, entity->failures,
                                 entity->errors, int64_t{0}, GateText(entity->gate),
                                 int64_t{entity->priority}, entity->flushed});
    }
    for (const Member& member : entity->members) {
      const Plugin gate = grouped ? member.gate : entity->gate;
      pods->Set(
          member.name,
          {pool, grouped ? member.time : entity->time, grouped ? member.sequence : entity->sequence,
           member.attempts, grouped ? member.failures : entity->failures,
           grouped ? member.errors : entity->errors, static_cast<int64_t>(member.rejectors.bits()),
           GateText(gate), int64_t{member.priority}, entity->flushed, member.nominated,
           grouped ? entity->name : std::string(), member.nominated_at});
    }
  }
}

void PodQueue::Tick(int64_t now) {
  const int64_t next = SecondOf(now);
  // Each second after the last one, that is: up to the last of all times.
  for (int64_t second = std::max(SecondOf(now_), SatAdd(next, -kMostSeconds - 1)); second < next;) {
    ++second;
    now_ = SatMul(second, settings_.ticks);
    std::vector<Entity*> over;
    for (const auto& entity : entities_) {
      if (entity->pool == Pool::kBackoff && !BacksOff(*entity)) over.push_back(entity.get());
    }
    for (Entity* entity : over) MoveToActive(entity, /*from_backoff=*/true);
    if (second % kFlushSeconds != 0) continue;
    const int64_t longest = settings_.longest_wait * settings_.ticks;
    for (const auto& entity : entities_) {
      const int64_t since = std::max(entity->time, entity->flushed);
      if (entity->pool != Pool::kWaiting || now_ <= SatAdd(since, longest)) continue;
      entity->flushed = now_;
      Requeue(entity.get());
    }
  }
  now_ = std::max(now_, now);
}

bool PodQueue::LacksPods(JobIndex group) {
  if (settings_.off.has(Plugin::kGangScheduling)) return false;
  const auto [known, is_new] = lacks_pods_.try_emplace(group, false);
  if (!is_new) return known->second;
  int64_t there = 0;
  for (const TaskIndex t : tables_.jobs.tasks[group]) {
    const TaskStatus status = tables_.tasks.status[t];
    there += status == TaskStatus::kPending || HoldsNode(status);
  }
  return known->second = there < tables_.jobs.spec[group].min_available;
}

Plugin PodQueue::GateOf(const Entity& entity, const Member& member) {
  if (member.task == kNone) return Plugin::kNone;
  if (tables_.tasks.flags[member.task] & kTaskGated) return Plugin::kSchedulingGates;
  if (extra_ != nullptr) return extra_->GateOf(member.task);
  const bool lacks = entity.group != kNone && LacksPods(entity.group);
  return lacks ? Plugin::kGangScheduling : Plugin::kNone;
}

// Gates of a group's pods are facts of the tables, but for those of plug-ins beyond the default
// ones.
void PodQueue::CheckGates(Entity* entity) {
  entity->gate = Plugin::kNone;
  size_t first_gated = entity->members.size();
  for (size_t i = extra_ == nullptr ? entity->open : 0; i < entity->members.size(); ++i) {
    Member& member = entity->members[i];
    const Plugin gate = GateOf(*entity, member);
    if (member.task != kNone) member.gate = gate;
    if (gate == Plugin::kNone) continue;
    first_gated = std::min(first_gated, i);
    member.rejectors.Add(gate);
    entity->gate = gate;
  }
  entity->open = first_gated;
}

bool PodQueue::MoveToActive(Entity* entity, bool from_backoff) {
  if (!from_backoff) CheckGates(entity);
  SetPool(entity, entity->gate != Plugin::kNone ? Pool::kWaiting : Pool::kActive);
  return entity->pool == Pool::kActive;
}

bool PodQueue::MoveToBackoff(Entity* entity) {
  CheckGates(entity);
  SetPool(entity, entity->gate != Plugin::kNone ? Pool::kWaiting : Pool::kBackoff);
  return entity->pool == Pool::kBackoff;
}

void PodQueue::Requeue(Entity* entity) {
  if (BacksOff(*entity)) {
    MoveToBackoff(entity);
  } else {
    MoveToActive(entity, /*from_backoff=*/false);
  }
}

void PodQueue::Rest(Entity* entity) {
  if (BacksOff(*entity)) {
    MoveToBackoff(entity);
  } else if (MoveToActive(entity, /*from_backoff=*/false)) {
    SetPool(entity, Pool::kOut);
  }
}

void PodQueue::WakeRested() {
  for (const auto& entity : entities_) {
    if (entity->pool == Pool::kOut) MoveToActive(entity.get(), /*from_backoff=*/false);
  }
}

bool PodQueue::WakesEntity(const Entity& entity, const Happening& happening, int32_t most) const {
  if (entity.gate == Plugin::kSchedulingGates) return false;
  const bool of_group =
      happening.kind == Happened::kPodWaits || happening.kind == Happened::kPodAssigned ||
      happening.kind == Happened::kGroupAdded || happening.kind == Happened::kGroupChanged;
  if (entity.gate == Plugin::kGangScheduling && !of_group) return false;
  const auto below = [&](const Member& member) { return member.priority <= most; };
  if (std::none_of(entity.members.begin(), entity.members.end(), below)) return false;
  if (extra_ != nullptr) {
    for (const Member& member : entity.members) {
      if (member.task != kNone && extra_->Wakes(member.task, member.rejectors, happening)) {
        return true;
      }
    }
    if (entity.gate >= Plugin::kExtra) return false;
  }
  return std::any_of(entity.members.begin(), entity.members.end(), [&](const Member& member) {
    return member.task != kNone &&
           Wakes(classes_, member.task, entity.group, member.rejectors, happening);
  });
}

void PodQueue::Happen(const Happening& happening, int32_t most) {
  std::vector<Entity*> woken;
  for (Entity* entity : waiting_) {
    if (entity->wakes_late || !WakesEntity(*entity, happening, most)) continue;
    if (entity->parked) {
      entity->wakes_late = true;
    } else {
      woken.push_back(entity);
    }
  }
  for (Entity* entity : woken) Requeue(entity);
}

void PodQueue::WakeAll() {
  const std::vector<Entity*> woken(waiting_.begin(), waiting_.end());
  for (Entity* entity : woken) Requeue(entity);
}

Entity* PodQueue::Find(std::string_view name) {
  const auto it = by_pod_.find(name);
  return it == by_pod_.end() ? nullptr : it->second.entity;
}

Member* PodQueue::FindMember(std::string_view name) {
  const auto it = by_pod_.find(name);
  return it == by_pod_.end() ? nullptr : &*MemberAt(it->second);
}

Members::iterator PodQueue::MemberAt(const Seat& seat) {
  return std::ranges::lower_bound(seat.entity->members, seat.number, {}, &Member::number);
}

void PodQueue::Join(Member member, Entity* entity) {
  member.number = entity->members.empty() ? 0 : entity->members.back().number + 1;
  by_pod_[member.name] = {entity, member.number};
  entity->members.push_back(std::move(member));
}

JobIndex PodQueue::GroupOfTask(TaskIndex task) const {
  const JobIndex job = tables_.tasks.job[task];
  if (!settings_.groups || job == kNone || !tables_.jobs.spec[job].pod_group) return kNone;
  return job;
}

void PodQueue::Add(TaskIndex task) {
  auto entity = std::make_unique<Entity>();
  Member& member = entity->members.emplace_back();
  member.task = task;
  member.name = std::string(tables_.tasks.names.name(task));
  member.priority = tables_.tasks.priority[task];
  member.time = now_;
  member.sequence = sequence_++;
  const JobIndex group = GroupOfTask(task);
  if (group != kNone) {
    // A member may have waited for its group: it came when it was created.
    const int64_t created = tables_.tasks.created[task];
    if (created > 0 && created < now_) member.time = created;
    AddToGroup(group, std::move(entity));
    return;
  }
  entity->name = member.name;
  entity->priority = member.priority;
  entity->time = member.time;
  entity->sequence = member.sequence;
  Entity* added = entity.get();
  Insert(std::move(entity));
  MoveToActive(added, /*from_backoff=*/false);
}

void PodQueue::AddToGroup(JobIndex group, std::unique_ptr<Entity> pod) {
  Member& member = pod->members[0];
  if (const auto known = by_group_.find(group); known != by_group_.end()) {
    Entity* entity = known->second;
    Join(std::move(member), entity);
    Return(entity);
    return;
  }
  std::unique_ptr<Entity> entity = std::move(pod);
  entity->group = group;
  entity->name = std::string(tables_.jobs.names.name(group));
  entity->priority = tables_.jobs.spec[group].priority;
  entity->time = member.time;
  entity->sequence = member.sequence;
  Entity* added = entity.get();
  Insert(std::move(entity));
  MoveToActive(added, /*from_backoff=*/false);
}

// A group that got or lost a member goes where it was, if its gates let it.
void PodQueue::Return(Entity* entity) {
  if (entity->pool == Pool::kActive) MoveToActive(entity, /*from_backoff=*/false);
  if (entity->pool == Pool::kBackoff) Requeue(entity);
}

void PodQueue::Remove(std::string_view name) {
  const auto seat = by_pod_.find(name);
  if (seat == by_pod_.end()) return;
  Entity* entity = seat->second.entity;
  const auto gone = MemberAt(seat->second);
  by_pod_.erase(name);
  entity->open -= gone - entity->members.begin() < static_cast<ptrdiff_t>(entity->open);
  entity->members.erase(gone);
  if (!entity->members.empty()) {
    Return(entity);
    return;
  }
  TakeOut(entity);
}

void PodQueue::Update(std::string_view name, std::span<const Happening> changes) {
  Entity* entity = Find(name);
  if (entity == nullptr || entity->pool != Pool::kWaiting) return;
  for (const Happening& change : changes) {
    const bool wakes =
        std::any_of(entity->members.begin(), entity->members.end(), [&](const Member& member) {
          return member.task != kNone &&
                 Wakes(classes_, member.task, entity->group, member.rejectors, change);
        });
    if (!wakes) continue;
    Requeue(entity);
    if (entity->pool != Pool::kWaiting) return;
  }
}

Entity* PodQueue::FirstInBackoff() const {
  Entity* first = nullptr;
  for (const auto& entity : entities_) {
    const auto rejected = [](const Member& member) { return !member.rejectors.empty(); };
    if (entity->pool != Pool::kBackoff || entity->group != kNone ||
        std::none_of(entity->members.begin(), entity->members.end(), rejected)) {
      continue;  // the backoff of errors and of groups is waited for
    }
    if (first == nullptr || BackoffEnd(*entity) < BackoffEnd(*first) ||
        (BackoffEnd(*entity) == BackoffEnd(*first) && GoesFirst()(entity.get(), first))) {
      first = entity.get();
    }
  }
  return first;
}

std::unique_ptr<Entity> PodQueue::Pop() {
  Entity* next = active_.empty() ? FirstInBackoff() : *active_.begin();
  return next == nullptr ? nullptr : BeginAttempt(next);
}

std::unique_ptr<Entity> PodQueue::Take(std::string_view name) {
  Entity* entity = Find(name);
  if (entity == nullptr || entity->parked || entity->gate == Plugin::kSchedulingGates) {
    return nullptr;
  }
  return BeginAttempt(entity);
}

std::unique_ptr<Entity> PodQueue::BeginAttempt(Entity* entity) {
  for (Member& member : entity->members) {
    ++member.attempts;
    by_pod_.erase(member.name);
  }
  if (entity->gate >= Plugin::kExtra) entity->gate = Plugin::kNone;
  return TakeOut(entity);
}

void PodQueue::FailGroup(std::unique_ptr<Entity> entity, GroupOutcome outcome, bool tried) {
  if (entity->members.empty()) return;
  if (outcome == GroupOutcome::kPlaced) {
    entity->failures = entity->errors = 0;
  } else if (outcome == GroupOutcome::kRejected) {
    ++entity->failures;
    entity->errors = 0;
  } else {
    ++entity->errors;
  }
  if (outcome != GroupOutcome::kPlaced || !tried) {
    entity->time = now_;
    entity->sequence = sequence_++;
  }
  entity->flushed = kAbsent;
  Entity* failed = entity.get();
  Insert(std::move(entity));
  if (outcome == GroupOutcome::kPlaced) {
    MoveToActive(failed, /*from_backoff=*/false);
  } else {
    Rest(failed);
  }
}

void PodQueue::Fail(std::unique_ptr<Entity> entity, PluginSet rejectors) {
  entity->members[0].rejectors = rejectors;
  entity->members[0].nominated_at = sequence_++;
  if (rejectors.empty()) {
    ++entity->errors;
  } else {
    ++entity->failures;
    entity->errors = 0;
  }
  entity->time = now_;
  entity->sequence = sequence_++;
  entity->flushed = kAbsent;
  Entity* failed = entity.get();
  Insert(std::move(entity));
  if (rejectors.empty()) {
    Rest(failed);
  } else {
    SetPool(failed, Pool::kWaiting);
  }
}

}  // namespace muster::kube
