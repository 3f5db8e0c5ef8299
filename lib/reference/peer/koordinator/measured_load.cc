// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Task by task: what it adds to the load.
#include "lib/reference/peer/koordinator/measured_load.h"

#include <algorithm>

namespace muster::reference {
namespace {

bool IsTrusted(const LoadWorld& world, const LoadWorld::Task& task) {
  return task.measured.has_value() && task.assigned <= world.time - world.interval &&
         task.warm_until <= world.time;
}

int64_t OfProduction(const LoadWorld& world, const LoadWorld::Task& task) {
  if (!task.production) return 0;
  if (!task.measured.has_value() || !task.measured_as_production) return task.expected;
  return IsTrusted(world, task) ? *task.measured : std::max(*task.measured, task.expected);
}

int64_t BesidesTheWhole(const LoadWorld& world, const LoadWorld::Task& task) {
  if (IsTrusted(world, task)) return 0;
  return std::max<int64_t>(0, task.expected - task.measured.value_or(0));
}

}  // namespace

int64_t LoadOf(const LoadWorld& world) {
  int64_t load =
      world.production ? (world.with_system ? world.system : 0) : world.whole.value_or(0);
  for (const LoadWorld::Task& task : world.tasks) {
    if (world.production) {
      load += OfProduction(world, task);
    } else {
      load += world.whole.has_value() ? BesidesTheWhole(world, task) : task.expected;
    }
  }
  return load;
}

}  // namespace muster::reference
