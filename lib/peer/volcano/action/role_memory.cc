// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/role_memory.h"

namespace muster {

bool RoleMemory::Needs(ClassIndex c) const {
  const bool refusals_stay = within_turn_ && !context_.facts.evicts;
  return refusals_stay ? context_.search.FitMayImprove(c) : context_.search.FitDependsOnOthers(c);
}

std::vector<uint8_t>* RoleMemory::Of(TaskIndex task) {
  const JobIndex job = context_.tables.tasks.job[task];
  const GroupIndex group = context_.tables.tasks.group[task];
  const bool named = !context_.tables.jobs.groups[job][group].name.empty();
  if (!named || !(errors_.IsMixed(job, group) || Needs(context_.ClassOf(task)))) return nullptr;
  for (auto& [role, refused] : refused_) {
    if (role == std::pair(job, group)) return &refused;
  }
  refused_.emplace_back(std::pair(job, group),
                        std::vector<uint8_t>(context_.tables.nodes.alive.size(), kNotRefused));
  return &refused_.back().second;
}

}  // namespace muster
