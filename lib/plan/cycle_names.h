// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names of a plan that was made by a cycle: with what Plan::Explain tells of tasks that the cycle
// did not try. Plans that are made by hand have names alone (PlanNames).
//
//   data->names = CopyNamesOfCycle(tables, *data, left_out.Update(tables), waiting);
#ifndef MUSTER_PLAN_CYCLE_NAMES_H_
#define MUSTER_PLAN_CYCLE_NAMES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/plan_data.h"
#include "muster/cluster.h"

namespace muster {

class CycleNames : public PlanNames {
 public:
  // Returns whether the task waits, has no job, and is left out by the profile for that.
  virtual bool IsLeftOut(std::string_view task) const = 0;

  // Events of rows that were not there yet when the plan was made.
  std::vector<WaitingEvent> waiting;
};

// Names of tasks that wait, have no job, and are left out for that: ascending. Null: none.
using LeftOutNames = std::shared_ptr<const std::vector<std::string>>;

// Returns the names of a frozen snapshot, which share its tables, as NamesOf of plan_data.h.
// `tries_lone_tasks`: the profile leaves out no task for want of a job.
std::shared_ptr<const PlanNames> NamesOfCycle(std::shared_ptr<const Tables> tables,
                                              bool tries_lone_tasks);
// Returns copies of the names of the rows that `data` mentions, as CopyNames of plan_data.h.
std::shared_ptr<const PlanNames> CopyNamesOfCycle(const Tables& tables, const PlanData& data,
                                                  LeftOutNames left_out,
                                                  std::vector<WaitingEvent> waiting);

}  // namespace muster

#endif  // MUSTER_PLAN_CYCLE_NAMES_H_
