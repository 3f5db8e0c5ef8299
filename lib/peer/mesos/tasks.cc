// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/tasks.h"

#include <algorithm>
#include <optional>

namespace muster::mesos {
namespace {

// Returns what the task takes of `free`, or nothing if it does not fit.
std::optional<Bundle> TakeOne(const Bundle& free, const WaitingTask& task) {
  Bundle parts;
  Amounts missing = task.needs;
  for (int turn = 0; turn < 3; ++turn) {
    for (const Item& item : free) {
      const int its_turn = item.revocable ? 2 : item.reserved() ? 0 : 1;
      if (item.form != Form::kScalar || its_turn != turn) continue;
      if (item.revocable && !task.revocable) continue;
      Item part = item;
      part.amount = std::min(item.amount, missing[item.column]);
      missing[item.column] -= part.amount;
      if (part.amount > 0) parts.push_back(part);
    }
  }
  if (!missing.empty()) return std::nullopt;
  return parts;
}

}  // namespace

Taken TakeTasks(const Offer& offer, std::span<const WaitingTask> waiting) {
  Taken taken{.rest = offer};
  for (size_t i = 0; i < waiting.size() && !taken.rest.resources.empty(); ++i) {
    const std::optional<Bundle> parts = TakeOne(taken.rest.resources, waiting[i]);
    if (!parts) continue;
    Subtract(taken.rest.resources, *parts);
    Add(taken.used, *parts);
    taken.tasks.push_back(i);
  }
  return taken;
}

}  // namespace muster::mesos
