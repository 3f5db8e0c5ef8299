// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers of rows that joined the tables, so that their texts are amounts.
//
//   const int64_t milli = ValidAmount("cpu", quantity);
//   const int64_t tasks = CountedTasks(tables.jobs.spec[job]);
#ifndef MUSTER_MODEL_SPEC_AMOUNTS_H_
#define MUSTER_MODEL_SPEC_AMOUNTS_H_

#include <cstdint>
#include <string_view>

#include "lib/base/math.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {

// Returns the amount of a resource in the units of its dimension. A text that is no amount, which
// no row has, is 0.
inline int64_t ValidAmount(std::string_view resource, const Quantity& quantity) {
  const Unit unit = IsMilliDimension(resource) ? Unit::kMilli : Unit::kWhole;
  return ParseQuantity(quantity.text, unit).value_or(0);
}

// Returns how many tasks of the job are counts. Sums stop at the largest int64.
inline int64_t CountedTasks(const JobSpec& spec) {
  int64_t tasks = 0;
  for (const GroupSpec& group : spec.groups) {
    if (group.by_count) tasks = SatAdd(tasks, group.by_count->count);
  }
  return tasks;
}

}  // namespace muster

#endif  // MUSTER_MODEL_SPEC_AMOUNTS_H_
