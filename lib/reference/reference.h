// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin: the profiles' algorithms written down once more, from their description, with straight loops and no
// memory of any earlier answer. Tests compare the engine with it for ever.
//
//   muster::ReferenceProfile profile{.family = "volcano", .actions = {"admit", "allocate"},
//                                    .tiers = {{{"priority"}, {"gang"}}, {{"drf"}, {"predicates"}}}};
//   muster::PlanData plan = muster::ReferenceSchedule(tables, profile, now);
//
// Nothing here is fast and nothing is shared with the rooms it is compared with: it sees base,
// model, plan and the public headers only.
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

struct ReferenceProfile {
  std::string family;  // "volcano", "kube-batch", "ray", "muster" or "transwarp"
  std::vector<std::string> actions;
  std::map<std::string, std::map<std::string, std::string>> action_options;
  std::vector<std::vector<ReferencePolicy>> tiers;
};

// The profiles as their peers ship them.
ReferenceProfile ReferenceVolcano();
ReferenceProfile ReferenceKubeBatch();

// One cycle. Fills decisions (in order), tentative, shares and work; reasons and names stay empty.
PlanData ReferenceSchedule(const Tables& tables, const ReferenceProfile& profile, int64_t now);

// The first rule by which `node` refuses `task` before anything is decided; nullopt: it is
// accepted.
std::optional<Refusal> ReferenceRefusal(const Tables& tables, const ReferenceProfile& profile,
                                        TaskIndex task, NodeIndex node);

}  // namespace muster

#endif  // MUSTER_REFERENCE_REFERENCE_H_
