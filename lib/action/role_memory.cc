// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/action/role_memory.h"

namespace muster {

bool RoleMemory::Needed(JobIndex job, GroupIndex group, ClassIndex c) {
  if (context_.tables.jobs.groups[job][group].name.empty()) return false;
  const auto [it, added] = mixed_.try_emplace(job, false);
  if (added) {
    const TaskTable& tasks = context_.tables.tasks;
    std::vector<ClassIndex> first(context_.tables.jobs.groups[job].size(), kNone);
    for (TaskIndex t : context_.tables.jobs.tasks[job]) {
      ClassIndex& known = first[tasks.group[t]];
      if (known == kNone) known = tasks.task_class[t];
      it->second |= known != tasks.task_class[t];
    }
  }
  return it->second || context_.search.FitDependsOnOthers(c);
}

std::vector<uint8_t>* RoleMemory::Of(TaskIndex task) {
  const JobIndex job = context_.tables.tasks.job[task];
  const GroupIndex group = context_.tables.tasks.group[task];
  if (!Needed(job, group, context_.ClassOf(task))) return nullptr;
  for (auto& [role, refused] : refused_) {
    if (role == std::pair(job, group)) return &refused;
  }
  refused_.emplace_back(std::pair(job, group),
                        std::vector<uint8_t>(context_.tables.nodes.alive.size(), 0));
  return &refused_.back().second;
}

}  // namespace muster
