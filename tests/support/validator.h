// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What must be true of every plan, checked from the snapshot and the plan alone by counting
// everything anew.
//
//   for (const std::string& words : Violations(snapshot, plan, InvariantsOf(plan.profile()))) ...
//
// Decisions are followed in their order. Checked of every plan: a task gets at most one place, and
// only a pending one without gates does (I2); a task that is left out has a reason (I14); and of
// plans that only bind, what queues hold afterwards is what they held before and what was decided
// (I12). The others are promises of some profiles.
#ifndef MUSTER_TESTS_SUPPORT_VALIDATOR_H_
#define MUSTER_TESTS_SUPPORT_VALIDATOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "muster/cluster.h"
#include "muster/plan.h"
#include "muster/snapshot.h"

namespace muster::testing {

struct Invariants {
  bool no_overcommit = true;  // I1: nodes hold no more than they have, to the last unit
  bool filters = true;        // I3: what a node refuses for itself is not placed there
  bool whole_gangs = true;    // I4: a gang that starts has all it needs to start
  bool limits = false;        // I5: no queue on the path to the root is beyond its limit
  // I2, I6: the plan lists each step, so a task may be evicted after it was bound, and placed after
  // it was evicted.
  bool steps = false;
  bool spares_tasks = true;  // I6: victims run, and may be preempted
  // I6: victims are of lower rank, or of another queue, and not of the same gang.
  bool fair_victims = false;
  // I7: the beneficiary gets a place, and with the victim still there its gang would not fit where
  // it goes.
  bool useful_evictions = false;
  bool exact_books = false;  // I12 of every plan
  bool budgets = false;      // I8: no more victims than disruption budgets allow
  // I16: no queue deserves more unless one deserves less that has less for its weight.
  bool max_min = false;
  bool counted_refusals = true;  // I14: refusals counted again, where nothing was decided since
};

Invariants InvariantsOf(std::string_view profile);

// What breaks when a plan made without older promises is applied and nothing else happens before
// the next (I10, I15): it evicts a task, or a task does not keep the place it was promised.
// `ended`: evicted tasks are gone.
std::vector<std::string> NextCycleViolations(const ClusterSpec& world, std::string_view profile,
                                             bool ended);

std::vector<std::string> Violations(const Snapshot& snapshot, const Plan& plan,
                                    const Invariants& invariants);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_VALIDATOR_H_
