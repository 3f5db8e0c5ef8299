// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/nomination/foreign_nominations.h"

#include <algorithm>

namespace muster {

bool ForeignNominations::Concerns(const NominatedTask& task) const {
  return !task.promised.empty() && task.node.empty() && !own_.contains(task.scheduler);
}

void ForeignNominations::Put(const NominatedTask& task) {
  if (task.promised.empty()) return;
  Remove(task.uid);
  nodes_[task.promised].push_back(task);
  places_[task.uid] = task.promised;
}

void ForeignNominations::Change(const NominatedTask& before, const NominatedTask& now) {
  Remove(before.uid);
  Put(now);
}

void ForeignNominations::Remove(const std::string& uid) {
  const auto place = places_.find(uid);
  if (place == places_.end()) return;
  std::vector<NominatedTask>& tasks = nodes_[place->second];
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(),
                             [&](const NominatedTask& task) { return task.uid == uid; }),
              tasks.end());
  if (tasks.empty()) nodes_.erase(place->second);
  places_.erase(place);
}

void ForeignNominations::Follow(const NominatedTask* before, const NominatedTask* now) {
  const bool was = before != nullptr && Concerns(*before);
  const bool is = now != nullptr && Concerns(*now);
  if (was && is) {
    Change(*before, *now);
  } else if (is) {
    Put(*now);
  } else if (was) {
    Remove(before->uid);
  }
}

std::vector<NominatedTask> ForeignNominations::On(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::vector<NominatedTask>() : found->second;
}

std::vector<NominatedTask> CountedNominations(const NominatedTask& asker,
                                              std::span<const NominatedTask> own,
                                              std::span<const NominatedTask> foreign,
                                              const std::set<std::string>& same_job) {
  std::vector<NominatedTask> counted;
  const auto add = [&](const NominatedTask& task, bool comes_first) {
    if (comes_first && task.uid != asker.uid && !same_job.contains(task.uid)) {
      counted.push_back(task);
    }
  };
  for (const NominatedTask& task : own) add(task, task.priority >= asker.priority);
  for (const NominatedTask& task : foreign) add(task, task.priority > asker.priority);
  return counted;
}

}  // namespace muster
