// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/profile/left_out_tasks.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster {
namespace {

bool IsLeftOut(const Tables& tables, TaskIndex task) {
  return tables.tasks.alive[task] && !tables.has_job(task) &&
         tables.tasks.status[task] == TaskStatus::kPending;
}

}  // namespace

void LeftOutTasks::TakeAll(const Tables& tables) {
  rows_.clear();
  for (TaskIndex task = 0; task < tables.tasks.alive.size(); ++task) {
    if (IsLeftOut(tables, task)) rows_.insert(task);
  }
}

bool LeftOutTasks::Follow(const Tables& tables) {
  if (layout_ != tables.layout || position_ < tables.log_start) {
    TakeAll(tables);
    return true;
  }
  bool changed = false;
  for (size_t i = position_ - tables.log_start; i < tables.log.size(); ++i) {
    const Change& change = tables.log[i];
    if (change.table != Change::Table::kTask) continue;
    const TaskIndex task{change.index};
    const bool was = rows_.erase(task) > 0, is = IsLeftOut(tables, task);
    if (is) rows_.insert(task);
    changed |= was || is;
  }
  return changed;
}

LeftOutNames LeftOutTasks::Update(const Tables& tables) {
  if (Follow(tables)) {
    std::vector<std::string> names;
    for (const TaskIndex task : rows_) names.emplace_back(tables.tasks.names.name(task));
    std::sort(names.begin(), names.end());
    names_ = names.empty() ? nullptr
                           : std::make_shared<const std::vector<std::string>>(std::move(names));
  }
  layout_ = tables.layout;
  position_ = tables.log_start + tables.log.size();
  return names_;
}

}  // namespace muster
