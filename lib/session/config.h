// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A profile, resolved: what a session needs to run one. lib/profile makes these from spec strings.
//
//   absl::StatusOr<ProfileConfig> config = ResolveProfile("muster:+zones");   // lib/profile/profile.h
//   Session session(tables, *config, SpeedOptions{});
#ifndef MUSTER_SESSION_CONFIG_H_
#define MUSTER_SESSION_CONFIG_H_

#include <string>
#include <vector>

#include "lib/extension/dispatcher.h"
#include "lib/extension/needs.h"
#include "lib/ledger/ledger.h"
#include "lib/part/action.h"
#include "lib/search/node_search.h"
#include "muster/policy.h"

namespace muster {

struct ConfiguredPolicy {
  PolicyDecl decl;
  Options options;
  PointSet points;  // all of the policy's, less what the spec switches off
};

struct ConfiguredAction {
  ActionDecl decl;
  Options options;
};

// How a job's phase follows from its tasks when a cycle closes.
enum class PhaseRule : uint8_t {
  kScheduled,  // by running, bound, failed and succeeded tasks, and leaving ones
  kAllocated,  // by all tasks that hold resources
};

struct ProfileConfig {
  std::string name;  // the canonical spec string
  std::vector<ConfiguredAction> actions;
  std::vector<std::vector<ConfiguredPolicy>> tiers;
  Rules rules;
  Accounting accounting;
  PolicyNeeds needs;  // of all policies; those that concern the books are part of accounting
  PhaseRule phase_rule = PhaseRule::kScheduled;
  bool pods_are_a_resource = true;
  bool want_releasing = false;
  bool overfull_nodes_are_out = false;
};

}  // namespace muster

#endif  // MUSTER_SESSION_CONFIG_H_
