// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A resolved profile: what a session needs to run it. lib/profile makes these from spec strings.
//
//   // lib/profile/profile.h
//   absl::StatusOr<ProfileConfig> config = ResolveProfile("muster:+zones");
//   Session session(tables, *config, SpeedOptions{});
#ifndef MUSTER_SESSION_CONFIG_H_
#define MUSTER_SESSION_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/extension/dispatcher.h"
#include "lib/extension/needs.h"
#include "lib/ledger/ledger.h"
#include "lib/part/action.h"
#include "lib/part/wanted_nodes.h"
#include "lib/search/node_search.h"
#include "muster/policy.h"

namespace muster {

struct ConfiguredPolicy {
  PolicyDecl decl;
  Options options;
  PointSet points;   // all of the policy's, except those that the spec switches off
  bool own = false;  // it is the caller's, and not of the library
};

struct ConfiguredAction {
  ActionDecl decl;
  Options options;
};

// How a job's phase follows from its tasks when a cycle closes.
enum class PhaseRule : uint8_t {
  kScheduled,        // by running, bound, failed and succeeded tasks, and leaving ones
  kScheduledOrNone,  // likewise, but a job that needs no task is completed while none is scheduled
  kAllocated,        // by all tasks that hold resources
};

// What a plan lists for a task that one cycle evicts and places again.
enum class PlanRule : uint8_t {
  kLog,        // each decision, as it was made: an eviction, then a bind or a nomination
  kNetChange,  // what differs from the opening: nothing, or a move (lib/part/net_change.h)
};

struct ProfileConfig {
  std::string name;  // the canonical spec string
  std::vector<ConfiguredAction> actions;
  std::vector<std::vector<ConfiguredPolicy>> tiers;
  Rules rules;
  Accounting accounting;
  std::vector<MemoryDecl> memory;  // the slots of all policies and actions, each once
  PolicyNeeds needs;  // of all policies; those that concern the books are part of accounting
  PhaseRule phase_rule = PhaseRule::kScheduled;
  PlanRule plan_rule = PlanRule::kLog;
  bool pods_are_a_resource = true;
  bool want_releasing = false;
  bool overfull_nodes_are_out = false;
  // True: the profile places jobs with tasks by count. False: a cycle on a cluster with such a job
  // is refused.
  bool reads_counts = false;
  // True: the actions place tasks without a job as they are, and plans list those that wait.
  bool places_lone_tasks = false;
  // Tasks without a job are jobs of one in this queue; empty: they only occupy their nodes.
  std::string lone_task_queue;
  // How the profile's autoscaler chooses node types. Null: it has no rule of its own.
  WantedNodesRule wanted_nodes = nullptr;
};

}  // namespace muster

#endif  // MUSTER_SESSION_CONFIG_H_
