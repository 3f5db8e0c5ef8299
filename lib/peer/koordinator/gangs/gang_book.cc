// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Events of gangs, and the questions along the way of a task.
#include "lib/peer/koordinator/gangs/gang_book.h"

#include <algorithm>

namespace muster::koordinator {

// --- events

const Gang* GangBook::Find(const std::string& gang) const {
  const auto found = gangs_.find(gang);
  return found == gangs_.end() ? nullptr : &found->second;
}

Gang* GangBook::Find(const std::string& gang) {
  const auto found = gangs_.find(gang);
  return found == gangs_.end() ? nullptr : &found->second;
}

Gang& GangBook::Get(const std::string& name) {
  Gang& gang = gangs_[name];
  if (gang.group == nullptr) {
    gang.name = name;
    gang.rules = {.policy = MatchPolicy::kOnceSatisfied, .group = {name}};
    gang.group = std::make_shared<GangGroup>("", std::vector<std::string>());
  }
  return gang;
}

void GangBook::Declare(Gang* gang, const GangMarks& marks) {
  gang->rules = RulesOf(marks, gang->name, defaults_);
  gang->is_ready = true;
}

void GangBook::Share(Gang* gang) {
  const std::string name = GroupName(gang->rules.group);
  std::shared_ptr<GangGroup>& group = groups_[name];
  if (group == nullptr) group = std::make_shared<GangGroup>(name, gang->rules.group);
  if (gang->has_group) return;
  gang->group = group;
  gang->has_group = true;
}

void GangBook::SetBound(const std::string& task, Gang* gang) {
  gang->waiting.erase(task);
  if (gang->waiting.empty()) gang->group->EndWaiting(gang->name);
  gang->pending.erase(task);
  gang->group->ClearIfRepresentative(task);
  gang->bound.insert(task);
  gang->group->SetSatisfied();
}

void GangBook::PutTask(const GangTask& task) {
  if (task.gang.empty()) return;
  Gang& gang = Get(task.gang);
  if (!task.is_declared) {
    if (!gang.is_ready && task.marks.least.has_value()) Declare(&gang, task.marks);
    Share(&gang);
  }
  gang.tasks.insert(task.name);
  if (task.is_bound) {
    SetBound(task.name, &gang);
  } else if (!gang.waiting.contains(task.name)) {
    gang.pending.insert(task.name);
  }
}

void GangBook::Drop(const std::string& name) {
  const Gang gang = gangs_[name];
  gangs_.erase(name);
  const bool is_last =
      std::none_of(gang.rules.group.begin(), gang.rules.group.end(),
                   [&](const std::string& other) { return Find(other) != nullptr; });
  if (is_last) groups_.erase(gang.group->name());
}

void GangBook::RemoveTask(const std::string& task, const std::string& name) {
  Gang* gang = Find(name);
  if (gang == nullptr) return;
  gang->tasks.erase(task);
  gang->pending.erase(task);
  gang->group->ClearIfRepresentative(task);
  gang->waiting.erase(task);
  if (gang->waiting.empty()) gang->group->EndWaiting(name);
  gang->bound.erase(task);
  if (!gang->has_object && gang->tasks.empty()) Drop(name);
}

void GangBook::PutGang(const std::string& name, const GangMarks& marks) {
  Gang& gang = Get(name);
  gang.has_object = true;
  Declare(&gang, marks);
  Share(&gang);
}

void GangBook::ChangeGang(const std::string& name, const GangMarks& marks) {
  if (Find(name) != nullptr) PutGang(name, marks);
}

void GangBook::RemoveGang(const std::string& name) {
  Gang* gang = Find(name);
  if (gang == nullptr) return;
  gang->group->EndWaiting(name);
  Drop(name);
}

// --- the way of a task

bool GangBook::IsSatisfied(const Gang& gang) const {
  return gang.rules.policy == MatchPolicy::kOnceSatisfied && gang.group->was_satisfied();
}

bool GangBook::IsComplete(const Gang& gang) const {
  return std::all_of(gang.rules.group.begin(), gang.rules.group.end(),
                     [this](const std::string& name) {
                       const Gang* other = Find(name);
                       return other != nullptr && other->is_ready &&
                              static_cast<int64_t>(other->tasks.size()) >= other->rules.least;
                     });
}

EnqueueAnswer GangBook::MayEnqueue(const std::string& task, const std::string& name) {
  if (name.empty()) return EnqueueAnswer::kYes;
  Gang* gang = Find(name);
  if (gang == nullptr) return EnqueueAnswer::kNoGang;
  if (!gang->is_ready) return EnqueueAnswer::kNotReady;
  if (IsSatisfied(*gang)) return EnqueueAnswer::kYes;
  if (!IsComplete(*gang)) {
    gang->group->ClearIfRepresentative(task);
    return EnqueueAnswer::kTooFew;
  }
  if (turn_.has_value() && !turn_->tried.contains(task) &&
      std::find(turn_->group.begin(), turn_->group.end(), name) != turn_->group.end()) {
    return EnqueueAnswer::kNotTried;
  }
  if (!gang->pending.contains(task)) return EnqueueAnswer::kNotPending;
  return gang->group->Represent(task) == task ? EnqueueAnswer::kYes : EnqueueAnswer::kRepresented;
}

BeginAnswer GangBook::Begin(const std::string& task, const std::string& name) {
  if (name.empty()) return BeginAnswer::kYes;
  Gang* gang = Find(name);
  if (gang == nullptr) return BeginAnswer::kNoGang;
  if (!gang->is_ready) return BeginAnswer::kNotReady;
  if (IsSatisfied(*gang)) return BeginAnswer::kYes;
  if (!IsComplete(*gang)) {
    gang->group->ClearIfRepresentative(task);
    return BeginAnswer::kTooFew;
  }
  if (turn_.has_value()) {
    return turn_->has_failed ? BeginAnswer::kGroupFailed : BeginAnswer::kYes;
  }
  turn_ = Turn{.group = gang->rules.group, .first_gang = name, .tried = {task}};
  gang->group->ClearRepresentative();
  return BeginAnswer::kYes;
}

std::optional<std::string> GangBook::Next() {
  if (!turn_.has_value()) return std::nullopt;
  if (const Gang* first = Find(turn_->first_gang)) {
    for (const std::string& name : first->rules.group) {
      const Gang* gang = Find(name);
      if (gang == nullptr) continue;
      for (const std::string& task : gang->pending) {
        if (turn_->tried.insert(task).second) return task;
      }
    }
  }
  turn_.reset();
  return std::nullopt;
}

bool GangBook::IsPermitted(const Gang& gang) const {
  if (!gang.is_ready) return false;
  const auto waiting = static_cast<int64_t>(gang.waiting.size());
  const auto bound = static_cast<int64_t>(gang.bound.size());
  switch (gang.rules.policy) {
    case MatchPolicy::kOnlyWaiting:
      return waiting >= gang.rules.least;
    case MatchPolicy::kWaitingAndRunning:
      return waiting + bound >= gang.rules.least;
    case MatchPolicy::kUnset:
    case MatchPolicy::kOnceSatisfied:
      return waiting >= gang.rules.least || gang.group->was_satisfied();
  }
  return false;
}

Permit GangBook::AtPermit(const std::string& task, const std::string& name) {
  if (name.empty()) return {PermitAnswer::kNoGang};
  Gang* gang = Find(name);
  if (gang == nullptr) return {PermitAnswer::kGangMissing};
  gang->waiting.insert(task);
  gang->pending.erase(task);
  const bool all = std::all_of(gang->rules.group.begin(), gang->rules.group.end(),
                               [this](const std::string& other) {
                                 const Gang* found = Find(other);
                                 return found != nullptr && IsPermitted(*found);
                               });
  if (all) return {PermitAnswer::kAllow};
  gang->group->BeginWaiting();
  return {PermitAnswer::kWait, gang->rules.wait};
}

std::vector<std::string> GangBook::Allow(const std::string& name) {
  std::vector<std::string> started;
  const Gang* gang = Find(name);
  if (gang == nullptr) return started;
  for (const std::string& other : gang->rules.group) {
    const Gang* found = Find(other);
    if (found != nullptr) {
      started.insert(started.end(), found->waiting.begin(), found->waiting.end());
    }
  }
  if (gang->group->binding().empty()) {
    gang->group->SetBinding(GangGroup::Names(started.begin(), started.end()));
  }
  turn_.reset();
  return started;
}

void GangBook::Bind(const std::string& task, const std::string& name) {
  if (Gang* gang = Find(name)) SetBound(task, gang);
}

bool GangBook::Fail(const std::string& name) {
  Gang* gang = Find(name);
  if (gang == nullptr || IsSatisfied(*gang)) return false;
  if (turn_.has_value()) turn_->has_failed = true;
  if (!gang->rules.is_strict) return false;
  gang->group->EndAllWaiting();
  return true;
}

bool GangBook::Unreserve(const std::string& task, const std::string& name) {
  Gang* gang = Find(name);
  if (gang == nullptr) return false;
  if (gang->waiting.erase(task) > 0) {
    if (gang->tasks.contains(task)) gang->pending.insert(task);
    if (gang->waiting.empty()) gang->group->EndWaiting(name);
  }
  return !IsSatisfied(*gang) && gang->rules.is_strict;
}

}  // namespace muster::koordinator
