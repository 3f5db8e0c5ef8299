// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The events themselves and the objects that wait. deltas_place.cc has what an event does to the
// rows.
#include "lib/model/deltas.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/keys.h"

namespace muster {
namespace {

RowKind KindOf(const Delta& delta) {
  if (const auto* removal = std::get_if<Removal>(&delta.object)) {
    switch (removal->kind) {
      case Removal::Kind::kNode:
        return RowKind::kNode;
      case Removal::Kind::kQueue:
        return RowKind::kQueue;
      case Removal::Kind::kJob:
        return RowKind::kJob;
      case Removal::Kind::kTask:
        return RowKind::kTask;
      case Removal::Kind::kFlavor:
        return RowKind::kFlavor;
      case Removal::Kind::kPartition:
        return RowKind::kPartition;
      case Removal::Kind::kReservation:
        return RowKind::kReservation;
      case Removal::Kind::kDomain:
        return RowKind::kDomain;
      case Removal::Kind::kBudget:
        return RowKind::kBudget;
      case Removal::Kind::kNamespace:
        return RowKind::kNamespace;
    }
  }
  if (std::holds_alternative<NodeSpec>(delta.object)) return RowKind::kNode;
  if (std::holds_alternative<QueueSpec>(delta.object)) return RowKind::kQueue;
  if (std::holds_alternative<JobSpec>(delta.object)) return RowKind::kJob;
  if (std::holds_alternative<FlavorSpec>(delta.object)) return RowKind::kFlavor;
  if (std::holds_alternative<PartitionSpec>(delta.object)) return RowKind::kPartition;
  if (std::holds_alternative<ReservationSpec>(delta.object)) return RowKind::kReservation;
  if (std::holds_alternative<DomainSpec>(delta.object)) return RowKind::kDomain;
  if (std::holds_alternative<DisruptionBudgetSpec>(delta.object)) return RowKind::kBudget;
  if (std::holds_alternative<NamespaceSpec>(delta.object)) return RowKind::kNamespace;
  return RowKind::kTask;
}

// Whether the object of the event is of a kind that there is.
bool HasKind(const Delta& delta) {
  const auto* removal = std::get_if<Removal>(&delta.object);
  return removal == nullptr || removal->kind <= Removal::Kind::kNamespace;
}

const char* KindName(RowKind kind) {
  switch (kind) {
    case RowKind::kNode:
      return "node";
    case RowKind::kQueue:
      return "queue";
    case RowKind::kJob:
      return "job";
    case RowKind::kTask:
      return "task";
    case RowKind::kDomain:
      return "domain";
    case RowKind::kFlavor:
      return "flavor";
    case RowKind::kPartition:
      return "partition";
    case RowKind::kReservation:
      return "reservation";
    case RowKind::kBudget:
      return "disruption budget";
    case RowKind::kNamespace:
      return "namespace";
  }
  return "";
}

// The name of the object of an event, as keys have it: "namespace/name" of a budget.
std::string NameOf(const Delta& delta) {
  if (const auto* budget = std::get_if<DisruptionBudgetSpec>(&delta.object)) {
    return absl::StrCat(budget->name_space, "/", budget->name);
  }
  const std::string& name = std::visit(
      [](const auto& object) -> const std::string& { return object.name; }, delta.object);
  const auto* removal = std::get_if<Removal>(&delta.object);
  const bool is_bare = removal != nullptr && removal->kind == Removal::Kind::kBudget &&
                       name.find('/') == std::string::npos && !name.empty();
  return is_bare ? absl::StrCat("default/", name) : name;
}

// Turns are counted up from what is remembered.
constexpr uint64_t kMostTurns = uint64_t{1} << 62;

// Whether the text is the key of a row that there can be (KeyOf).
bool IsKey(std::string_view key) {
  constexpr int kKinds = static_cast<int>(RowKind::kNamespace) + 1;
  if (key.empty() || key[0] < 'a' || key[0] >= 'a' + kKinds) return false;
  Checker check("row", key.substr(1));
  check.Name(key.substr(1));
  return check.ok();
}

// How many tasks the groups of a job make; other rows make none.
size_t TasksOf(const Deltas::Object& object) {
  const auto* job = std::get_if<JobSpec>(&object);
  if (job == nullptr) return 0;
  size_t sum = 0;
  for (const GroupSpec& group : job->groups) sum += static_cast<size_t>(group.count);
  return sum;
}

// `task "a/b"`, of a key.
std::string WordsOfKey(std::string_view key) {
  return PlaceOf(KindName(static_cast<RowKind>(key[0] - 'a')), key.substr(1));
}

}  // namespace

absl::Status Deltas::CheckObject(const Object& object) const {
  if (const auto* node = std::get_if<NodeSpec>(&object)) return CheckNode(*node).status();
  if (const auto* queue = std::get_if<QueueSpec>(&object)) return CheckQueue(*queue).status();
  if (const auto* job = std::get_if<JobSpec>(&object)) {
    absl::Status status = CheckJob(*job).status();
    for (const GroupSpec& group : job->groups) {
      status.Update(
          editor_.interner().Check(group.shape, "job", job->name, "group", group.name).status());
    }
    return status;
  }
  if (const auto* domain = std::get_if<DomainSpec>(&object)) return CheckDomain(*domain);
  const TaskSpec& task = std::get<TaskSpec>(object);
  absl::Status status = CheckTask(task);
  status.Update(editor_.interner().Check(task.shape, "task", task.name).status());
  return status;
}

bool Deltas::IsThere(const Object& object) const {
  const Tables& t = editor_.tables();
  const NameTable* const names[] = {&t.nodes.names, &t.queues.names, &t.jobs.names, &t.tasks.names,
                                    &t.domains.names};
  return std::visit(
      [&](const auto& row) { return names[object.index()]->Find(row.name).has_value(); }, object);
}

template <class Spec>
absl::StatusOr<DeltaOutcome> Deltas::Upsert(RowKind kind, const Spec& spec) {
  const Placed missing = Place(spec);
  if (!missing.ok()) return missing.status();
  const std::string key = KeyOf(kind, spec.name);
  if (missing->has_value()) {
    Wait(key, spec, KeyOf((*missing)->kind, (*missing)->name));
    return DeltaOutcome::kWaiting;
  }
  StopWaiting(key);
  Wake(key);
  return DeltaOutcome::kApplied;
}

template <class Spec>
absl::StatusOr<DeltaOutcome> Deltas::SetRecord(const NameTable& names, const Spec& spec,
                                               const absl::Status& checked) {
  if (!checked.ok()) return checked;
  if (absl::Status room = editor_.CheckRoom(names, 1, spec.name.size()); !room.ok()) return room;
  editor_.PutRecord(spec);
  return DeltaOutcome::kApplied;
}

absl::StatusOr<DeltaOutcome> Deltas::Upsert(RowKind, const FlavorSpec& spec) {
  return SetRecord(editor_.tables().flavors.names, spec, CheckFlavor(spec));
}
absl::StatusOr<DeltaOutcome> Deltas::Upsert(RowKind, const PartitionSpec& spec) {
  return SetRecord(editor_.tables().partitions.names, spec, CheckPartition(spec));
}
absl::StatusOr<DeltaOutcome> Deltas::Upsert(RowKind, const ReservationSpec& spec) {
  return SetRecord(editor_.tables().reservations.names, spec, CheckReservation(spec));
}

absl::StatusOr<DeltaOutcome> Deltas::Upsert(RowKind kind, const DisruptionBudgetSpec& spec) {
  if (absl::Status status = CheckBudget(spec); !status.ok()) return status;
  Checker check(KindName(kind), spec.name);
  // Removals name both in one text.
  if (spec.name_space.find('/') != std::string::npos) {
    check.Fail(absl::StrCat("namespace ", Quote(spec.name_space),
                            " has a slash; must have none in an event"));
  }
  check.Name(absl::StrCat(spec.name_space, "/", spec.name));
  if (!check.ok()) return check.status();
  editor_.PutBudget(spec);
  return DeltaOutcome::kApplied;
}

absl::StatusOr<DeltaOutcome> Deltas::Upsert(RowKind, const NamespaceSpec& spec) {
  if (absl::Status status = CheckNamespace(spec); !status.ok()) return status;
  editor_.PutNamespace(spec);
  return DeltaOutcome::kApplied;
}

absl::StatusOr<DeltaOutcome> Deltas::Apply(const Delta& delta) {
  const RowKind kind = KindOf(delta);
  const std::string name = NameOf(delta);
  if (!HasKind(delta)) {
    return absl::InvalidArgumentError(
        absl::StrCat(PlaceOf("removal", name), ": kind is number ",
                     static_cast<int>(std::get<Removal>(delta.object).kind), "; must be 0 to ",
                     static_cast<int>(Removal::Kind::kNamespace)));
  }
  const std::string key = KeyOf(kind, name);
  if (const auto known = generations_.find(key); known != generations_.end()) {
    if (known->second.generation >= delta.generation) return DeltaOutcome::kStale;
  }
  if (std::holds_alternative<Removal>(delta.object)) {
    Checker check(KindName(kind), name);
    check.Name(name);
    if (!check.ok()) return check.status();
  }
  absl::StatusOr<DeltaOutcome> outcome = std::visit(
      [&](const auto& object) -> absl::StatusOr<DeltaOutcome> {
        if constexpr (std::is_same_v<std::decay_t<decltype(object)>, Removal>) {
          Remove(kind, name);
          return DeltaOutcome::kApplied;
        } else {
          return Upsert(kind, object);
        }
      },
      delta.object);
  if (!outcome.ok()) return outcome;
  generations_[key] = {delta.generation, ++events_};
  ForgetRemovals();
  editor_.MaybeCompact();
  return outcome;
}

std::string Deltas::KeyOfEvent(const Delta& delta) {
  if (!HasKind(delta)) return "";
  std::string key = KeyOf(KindOf(delta), NameOf(delta));
  return IsKey(key) ? key : "";
}

std::vector<RefusedEvent> Deltas::List(const RefusedList* refused) {
  std::vector<RefusedEvent> events;
  if (refused == nullptr) return events;
  std::vector<const RefusedList::value_type*> by_turn;
  for (const auto& entry : *refused) by_turn.push_back(&entry);
  std::ranges::sort(by_turn, {}, [](const auto* entry) { return entry->second.turn; });
  for (const auto* entry : by_turn) events.push_back({WordsOfKey(entry->first), entry->second.why});
  return events;
}

void Deltas::Appeared(RowKind kind, std::string_view name) {
  if (waiting_.empty()) return;
  const std::string key = KeyOf(kind, name);
  StopWaiting(key);
  Wake(key);
}

std::vector<WaitingEvent> Deltas::WhatWaits() const {
  std::vector<std::pair<uint64_t, WaitingEvent>> by_turn;
  for (const auto& [key, late] : waiting_) {
    by_turn.push_back({late.turn, {WordsOfKey(key), WordsOfKey(late.missing)}});
  }
  std::ranges::sort(by_turn, {}, &std::pair<uint64_t, WaitingEvent>::first);
  std::vector<WaitingEvent> waiting;
  for (auto& [turn, event] : by_turn) waiting.push_back(std::move(event));
  return waiting;
}

void Deltas::CopyFrom(const Deltas& other) {
  generations_ = other.generations_;
  waiting_ = other.waiting_;
  waiters_ = other.waiters_;
  counts_ = other.counts_;
  turns_ = other.turns_;
  events_ = other.events_;
  counted_ = other.counted_;
}

void Deltas::Forget() {
  generations_.clear();
  waiting_.clear();
  waiters_.clear();
  counts_.clear();
  counted_ = 0;
}

Deltas::Memory Deltas::Remembered() const {
  Memory memory;
  std::vector<const decltype(generations_)::value_type*> by_turn;
  for (const auto& entry : generations_) by_turn.push_back(&entry);
  std::ranges::sort(by_turn, {}, [](const auto* entry) { return entry->second.turn; });
  for (const auto* entry : by_turn) {
    memory.generations.emplace_back(entry->first, entry->second.generation);
  }
  const JobTable& jobs = editor_.tables().jobs;
  for (const auto& entry : counts_) {
    // Jobs that left or changed otherwise are not read any more.
    const std::optional<JobIndex> row = jobs.names.Find(entry.first);
    if (row && jobs.spec[*row].groups.size() == entry.second.size()) memory.counts.push_back(entry);
  }
  for (const auto& [key, late] : waiting_) {
    memory.waiting.push_back({late.object, late.missing, late.turn});
  }
  std::ranges::sort(memory.counts);
  std::ranges::sort(memory.waiting, {}, &Memory::Late::turn);
  memory.turns = turns_;
  return memory;
}

absl::Status Deltas::Remember(Memory memory) {
  const auto refuse = [](const char* rule) {
    return absl::InvalidArgumentError(absl::StrCat("memory of events: ", rule));
  };
  const Tables& t = editor_.tables();
  for (const auto& [job, counts] : memory.counts) {
    const std::optional<JobIndex> row = t.jobs.names.Find(job);
    if (!row || t.jobs.spec[*row].groups.size() != counts.size()) {
      return refuse("counts of groups that are not there");
    }
  }
  for (const auto& [key, generation] : memory.generations) {
    if (!IsKey(key)) return refuse("a generation of a row that there cannot be");
  }
  if (memory.turns > kMostTurns) return refuse("turns are out of range");
  HashMap<std::string, Waiting> waiting;
  uint64_t last = 0;
  for (Memory::Late& late : memory.waiting) {
    if (absl::Status s = CheckObject(late.object); !s.ok()) return s;
    if (IsThere(late.object)) return refuse("a row waits that is there");
    if (!IsKey(late.missing)) return refuse("a row waits for one that there cannot be");
    if (late.turn <= last || late.turn > memory.turns) return refuse("turns are out of order");
    last = late.turn;
    const RowKind kind = static_cast<RowKind>(late.object.index());
    const std::string key =
        std::visit([kind](const auto& object) { return KeyOf(kind, object.name); }, late.object);
    if (!waiting.try_emplace(key, Waiting{std::move(late.object), late.missing, late.turn})
             .second) {
      return refuse("a row waits twice");
    }
  }
  Forget();
  for (const auto& [key, late] : waiting) {
    waiters_[late.missing].emplace(late.turn, key);
    counted_ += TasksOf(late.object);
  }
  waiting_ = std::move(waiting);
  for (auto& [key, generation] : memory.generations) generations_[key] = {generation, ++events_};
  for (auto& [job, counts] : memory.counts) SetCounts(job, std::move(counts));
  turns_ = memory.turns;
  return absl::OkStatus();
}

void Deltas::Wait(const std::string& key, Object object, const std::string& missing) {
  const auto [entry, is_new] = waiting_.try_emplace(key);
  if (!is_new) counted_ -= TasksOf(entry->second.object);
  counted_ += TasksOf(object);
  if (!is_new && entry->second.missing == missing) {
    entry->second.object = std::move(object);
    return;
  }
  if (!is_new) LeaveTurn(entry->second);
  entry->second = {std::move(object), missing, ++turns_};
  waiters_[missing].emplace(turns_, key);
}

void Deltas::StopWaiting(const std::string& key) {
  const auto entry = waiting_.find(key);
  if (entry == waiting_.end()) return;
  LeaveTurn(entry->second);
  counted_ -= TasksOf(entry->second.object);
  waiting_.erase(entry);
}

void Deltas::LeaveTurn(const Waiting& waiting) {
  const auto others = waiters_.find(waiting.missing);
  others->second.erase(waiting.turn);
  if (others->second.empty()) waiters_.erase(others);
}

void Deltas::Wake(const std::string& key) {
  std::vector<std::string> appeared = {key};
  for (size_t i = 0; i < appeared.size(); ++i) {
    const auto found = waiters_.find(appeared[i]);
    if (found == waiters_.end()) continue;
    const auto in_turn = std::move(found->second);
    waiters_.erase(found);
    for (const auto& [turn, waiter] : in_turn) {
      const auto entry = waiting_.find(waiter);
      Waiting waiting = std::move(entry->second);
      counted_ -= TasksOf(waiting.object);
      waiting_.erase(entry);
      const Placed missing =
          std::visit([this](const auto& spec) { return Place(spec); }, waiting.object);
      if (missing.ok() && !missing->has_value()) {
        appeared.push_back(waiter);
      } else if (missing.ok()) {
        Wait(waiter, std::move(waiting.object), KeyOf((*missing)->kind, (*missing)->name));
      } else {
        // Its values were in order when it came: the tables are full. It goes on waiting.
        Wait(waiter, std::move(waiting.object), waiting.missing);
      }
    }
  }
}

void Deltas::SetCounts(const std::string& job, std::vector<int64_t> counts) {
  const auto sum = [](const std::vector<int64_t>& all) {
    return static_cast<size_t>(std::accumulate(all.begin(), all.end(), int64_t{0}));
  };
  if (const auto known = counts_.find(job); known != counts_.end()) {
    counted_ -= sum(known->second);
    counts_.erase(known);
  }
  if (sum(counts) == 0) return;
  counted_ += sum(counts);
  counts_[job] = std::move(counts);
}

HashSet<std::string> Deltas::CountedTasks() {
  HashSet<std::string> keys;
  const auto add = [&keys](const std::string& job, const GroupSpec& group, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      keys.insert(KeyOf(RowKind::kTask, GroupTaskName(job, group.name, i)));
    }
  };
  const Tables& t = editor_.tables();
  // Jobs that left by a call, or came otherwise, have counts that nothing reads any more.
  std::vector<std::string> left;
  for (const auto& [job, counts] : counts_) {
    const std::optional<JobIndex> row = t.jobs.names.Find(job);
    if (!row || t.jobs.spec[*row].groups.size() != counts.size()) {
      left.push_back(job);
      continue;
    }
    for (size_t g = 0; g < counts.size(); ++g) add(job, t.jobs.spec[*row].groups[g], counts[g]);
  }
  for (const std::string& job : left) SetCounts(job, {});
  for (const auto& [key, late] : waiting_) {
    const auto* job = std::get_if<JobSpec>(&late.object);
    if (job == nullptr) continue;
    for (const GroupSpec& group : job->groups) add(job->name, group, group.count);
  }
  return keys;
}

void Deltas::ForgetRemovals() {
  const size_t there = editor_.living() + waiting_.size() + counted_;
  if (generations_.size() <= 3 * there + 2 * kMinRemovals) return;
  const HashSet<std::string> counted = CountedTasks();
  HashMap<std::string, Seen> kept;
  std::vector<const decltype(generations_)::value_type*> removed;
  for (const auto& entry : generations_) {
    const std::string& key = entry.first;
    const bool stays =
        editor_.Has(static_cast<RowKind>(key[0] - 'a'), std::string_view(key).substr(1)) ||
        waiting_.contains(key) || counted.contains(key);
    if (stays) kept[key] = entry.second;
    if (!stays) removed.push_back(&entry);
  }
  std::ranges::sort(removed, std::greater(), [](const auto* entry) { return entry->second.turn; });
  removed.resize(std::min(removed.size(), there + kMinRemovals));
  for (const auto* entry : removed) kept[entry->first] = entry->second;
  generations_ = std::move(kept);
}

void Deltas::Remove(RowKind kind, const std::string& name) {
  StopWaiting(KeyOf(kind, name));
  const Tables& t = editor_.tables();
  switch (kind) {
    case RowKind::kNode:
      if (const auto node = t.nodes.names.Find(name)) {
        HideTasksOn(*node);
        editor_.EraseNode(*node);
      }
      break;
    case RowKind::kQueue:
      if (const auto queue = t.queues.names.Find(name)) {
        HideBelow(*queue);
        editor_.EraseQueue(*queue);
      }
      break;
    case RowKind::kJob:
      SetCounts(name, {});
      if (const auto job = t.jobs.names.Find(name)) {
        // Tasks with events of their own wait for the job to come back. The others were part of the
        // job.
        std::vector<TaskIndex> told;
        for (TaskIndex task : t.jobs.tasks[*job]) {
          if (IsTold(task)) told.push_back(task);
        }
        LetTasksWait(*job, told);
        editor_.EraseJob(*job);
      }
      break;
    case RowKind::kTask:
      if (const auto task = t.tasks.names.Find(name)) editor_.EraseTask(*task);
      break;
    case RowKind::kFlavor:
    case RowKind::kPartition:
    case RowKind::kReservation:
      editor_.EraseRecord(kind, name);
      break;
    case RowKind::kDomain:
      if (const auto domain = t.domains.names.Find(name)) {
        HideIn(*domain);
        editor_.EraseDomain(*domain);
      }
      break;
    case RowKind::kBudget: {
      const size_t slash = name.find('/');
      editor_.EraseBudget(std::string_view(name).substr(0, slash),
                          std::string_view(name).substr(slash + 1));
      break;
    }
    case RowKind::kNamespace:
      editor_.EraseNamespace(name);
      break;
  }
}

}  // namespace muster
