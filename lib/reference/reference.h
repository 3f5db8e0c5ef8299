// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin: the algorithms of the presets, restated from their description with straight loops
// and without memory of earlier answers. Tests compare the engine with it.
//
//   muster::ReferenceProfile profile{.preset = "muster", .actions = {"allocate"},
//                                    .tiers = {{{"priority"}, {"gang"}}, {{"predicates"}}}};
//   muster::PlanData plan = muster::ReferenceSchedule(tables, profile, now);
//
// Nothing here is fast, and nothing is shared with the rooms that it is compared with: it includes
// base, model, plan and the public headers only. lib/reference/reference.cc lists the presets.
#ifndef MUSTER_REFERENCE_REFERENCE_H_
#define MUSTER_REFERENCE_REFERENCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/model/tables.h"
#include "lib/plan/plan_data.h"
#include "muster/plan.h"

namespace muster {

struct ReferencePolicy {
  std::string name;
  std::set<std::string> without;               // extension points switched off: "preemptable", ...
  std::map<std::string, std::string> options;  // "weight" -> "5"
};

// Returns fair parts of time, by job and type, in parts of 2^30: rates by job and type, widths of
// jobs, machines by type. The twin solves no such program.
using ReferenceFairParts = std::vector<std::vector<int64_t>> (*)(
    const std::vector<std::vector<int64_t>>& rates, const std::vector<int64_t>& widths,
    const std::vector<int64_t>& machines);

struct ReferenceProfile {
  std::string preset;  // names rules and actions; lib/reference/reference.cc lists them
  std::vector<std::string> actions;
  std::map<std::string, std::map<std::string, std::string>> action_options;
  std::vector<std::vector<ReferencePolicy>> tiers;
  ReferenceFairParts fair_parts = nullptr;  // of action rounds; null: it decides nothing
};

// Runs one cycle. Fills decisions (in order), tentative, shares and work; leaves reasons and names
// empty. A preset that is not listed decides nothing.
PlanData ReferenceSchedule(const Tables& tables, const ReferenceProfile& profile, int64_t now);

// The first rule by which `node` refuses `task` before anything is decided; nullopt: it is
// accepted.
std::optional<Refusal> ReferenceRefusal(const Tables& tables, const ReferenceProfile& profile,
                                        TaskIndex task, NodeIndex node);

}  // namespace muster

#endif  // MUSTER_REFERENCE_REFERENCE_H_
