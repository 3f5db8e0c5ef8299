// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/fit_errors.h"

#include <algorithm>
#include <utility>

namespace muster {

void FitErrors::NoteNoNode(TaskIndex task, Want want, const std::vector<uint8_t>* refused) {
  NodeSearch& search = context_.search;
  const ClassIndex c = context_.ClassOf(task);
  Nodes hopeless;
  // For all other tasks the nodes are the same at any time, and the search leaves them out by
  // itself. (A sample is drawn from a list without them.)
  if (context_.facts.evicts &&
      (search.samples() || search.FitDependsOnOthers(c) ||
       IsMixed(context_.tables.tasks.job[task], context_.tables.tasks.group[task]))) {
    std::vector<uint8_t> nodes;
    if (refused != nullptr) {
      nodes = *refused;
    } else {
      nodes.resize(context_.tables.nodes.alive.size(), kNotRefused);
      search.AddRefused(c, want, /*tell_hopeless=*/true, &nodes);
    }
    for (uint8_t& node : nodes) node = node == kHopeless;
    hopeless = std::make_shared<const std::vector<uint8_t>>(std::move(nodes));
  }
  Note(task, std::move(hopeless));
}

void FitErrors::Note(TaskIndex task, Nodes hopeless) {
  std::vector<GroupIndex>& failed = groups_[context_.tables.tasks.job[task]];
  const GroupIndex group = context_.tables.tasks.group[task];
  if (std::find(failed.begin(), failed.end(), group) == failed.end()) failed.push_back(group);
  hopeless_[task] = std::move(hopeless);
}

std::span<const GroupIndex> FitErrors::groups(JobIndex job) const {
  const auto it = groups_.find(job);
  if (it == groups_.end()) return {};
  return it->second;
}

bool FitErrors::Has(JobIndex job, GroupIndex group) const {
  const std::span<const GroupIndex> failed = groups(job);
  return std::find(failed.begin(), failed.end(), group) != failed.end();
}

bool FitErrors::IsMixed(JobIndex job, GroupIndex group) {
  const Tables& tables = context_.tables;
  if (tables.jobs.groups[job][group].name.empty()) return false;
  const auto [it, added] = mixed_.try_emplace(job);
  std::vector<uint8_t>& mixed = it->second;
  if (added) {
    mixed.resize(tables.jobs.groups[job].size(), 0);
    std::vector<ClassIndex> first(mixed.size(), kNone);
    for (TaskIndex t : tables.jobs.tasks[job]) {
      const GroupIndex g = tables.tasks.group[t];
      if (first[g] == kNone) first[g] = context_.ClassOf(t);
      mixed[g] |= first[g] != context_.ClassOf(t);
    }
  }
  return mixed[group];
}

}  // namespace muster
