// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_book.h"

#include "lib/peer/koordinator/reservation/reservation_state.h"

namespace muster {

bool ReservationBook::Entry::IsMatchable() const {
  return muster::IsMatchable({.is_available = record.is_available,
                              .allocate_once = record.allocate_once,
                              .owners_can_be_read = record.offered.owners_can_be_read,
                              .tasks = tasks.size()});
}

Reserved ReservationBook::Entry::AsReserved() const {
  return {.policy = record.policy,
          .total = record.offered.total,
          .used = used,
          .kept_back = record.kept_back,
          .names = record.names,
          .tasks = static_cast<int64_t>(tasks.size()),
          .most_tasks = record.most_tasks,
          .preempted = {}};
}

void ReservationBook::Entry::Add(const Held& held) {
  if (!tasks.try_emplace(held.task, held.request).second) return;
  used.Add(held.request.Only(record.names));
}

void ReservationBook::Entry::Remove(const std::string& task) {
  const auto held = tasks.find(task);
  if (held == tasks.end()) return;
  if (held->second.keys() != 0) {
    used.Subtract(held->second.Only(record.names));
    used.NotBelowZero();
  }
  tasks.erase(held);
}

void ReservationBook::Entry::Change(const Record& changed) {
  record = changed;
  used = used.Only(record.names);
  record.kept_back = record.kept_back.Only(record.names);
}

void ReservationBook::Put(const Record& record, const std::string& holder) {
  const auto [place, is_new] = entries_.try_emplace(record.uid);
  Entry& entry = place->second;
  if (is_new) {
    entry.record = record;
  } else {
    entry.Change(record);
  }
  if (!holder.empty()) entry.Add({.task = holder, .request = {}});
  index_.Put(record.uid, record.node, record.offered.labels);
  if (record.node.empty()) return;
  all_[record.node].insert(record.uid);
  Refresh(record.node, entry);
}

void ReservationBook::Change(const Record& record) {
  const auto place = entries_.find(record.uid);
  if (place == entries_.end()) return;
  place->second.Change(record);
  index_.Put(record.uid, record.node, record.offered.labels);
  if (!record.node.empty()) Refresh(record.node, place->second);
}

void ReservationBook::Remove(const std::string& uid, const std::string& node) {
  entries_.erase(uid);
  index_.Remove(uid);
  Erase(&all_, node, uid);
  Erase(&matchable_, node, uid);
  Erase(&held_, node, uid);
}

ReservationBook::Answer ReservationBook::AddTasks(const std::string& uid,
                                                  std::span<const Held> tasks) {
  const auto place = entries_.find(uid);
  if (place == entries_.end()) return Answer::kUnknown;
  if (place->second.record.is_leaving) return Answer::kLeaving;
  for (const Held& task : tasks) place->second.Add(task);
  NoteHeld(place->second);
  return Answer::kDone;
}

void ReservationBook::RemoveTasks(const std::string& uid, std::span<const std::string> tasks) {
  const auto place = entries_.find(uid);
  if (place == entries_.end()) return;
  Entry& entry = place->second;
  for (const std::string& task : tasks) entry.Remove(task);
  if (entry.tasks.empty()) Erase(&held_, entry.record.node, uid);
}

void ReservationBook::MoveTask(const std::string& from, const std::string& before,
                               const std::string& to, const Held& now) {
  if (!before.empty()) RemoveTasks(from, {&before, 1});
  const auto place = entries_.find(to);
  if (place == entries_.end()) return;
  place->second.Add(now);
  NoteHeld(place->second);
}

const ReservationBook::Entry* ReservationBook::Find(const std::string& uid) const {
  const auto place = entries_.find(uid);
  return place == entries_.end() ? nullptr : &place->second;
}

const ReservationBook::Entry* ReservationBook::OfTask(const std::string& task,
                                                      const std::string& node) const {
  for (const Entry* entry : MatchableOn(node)) {
    if (entry->tasks.contains(task)) return entry;
  }
  return nullptr;
}

std::vector<const ReservationBook::Entry*> ReservationBook::MatchableOn(
    const std::string& node) const {
  return EntriesOn(matchable_, node);
}

std::vector<const ReservationBook::Entry*> ReservationBook::AllOn(const std::string& node) const {
  return EntriesOn(all_, node);
}

std::vector<std::string> ReservationBook::Nodes(bool held) const {
  std::vector<std::string> names;
  for (const auto& [node, uids] : held ? held_ : matchable_) names.push_back(node);
  return names;
}

void ReservationBook::SetIndex(const ReservationIndex::Config& config) {
  index_ = ReservationIndex(config);
  for (const auto& [uid, entry] : entries_) {
    index_.Put(uid, entry.record.node, entry.record.offered.labels);
  }
}

std::vector<const ReservationBook::Entry*> ReservationBook::EntriesOn(
    const OnNode& lists, const std::string& node) const {
  std::vector<const Entry*> entries;
  const auto list = lists.find(node);
  if (list == lists.end()) return entries;
  for (const std::string& uid : list->second) {
    if (const Entry* entry = Find(uid)) entries.push_back(entry);
  }
  return entries;
}

void ReservationBook::Refresh(const std::string& node, const Entry& entry) {
  const std::string& uid = entry.record.uid;
  Erase(&held_, node, uid);
  if (!entry.IsMatchable()) {
    Erase(&matchable_, node, uid);
    return;
  }
  matchable_[node].insert(uid);
  if (!entry.tasks.empty()) held_[node].insert(uid);
}

// A reservation that serves one task is no longer matchable with it, so it is not noted.
void ReservationBook::NoteHeld(const Entry& entry) {
  if (entry.record.node.empty() || entry.tasks.empty() || !entry.IsMatchable()) return;
  held_[entry.record.node].insert(entry.record.uid);
}

void ReservationBook::Erase(OnNode* lists, const std::string& node, const std::string& uid) {
  const auto list = lists->find(node);
  if (list == lists->end()) return;
  list->second.erase(uid);
  if (list->second.empty()) lists->erase(list);
}

}  // namespace muster
