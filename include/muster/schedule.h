// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a snapshot to a plan.
//
//   muster::Snapshot snapshot = cluster.Freeze();
//   absl::StatusOr<muster::Plan> plan = muster::Schedule(snapshot, "volcano:binpack(weight=5)");
//   if (!plan.ok()) return Report(plan.status());       // the spec string is wrong
//   for (const muster::Bind& bind : plan->binds()) Start(plan->task_name(bind.task));
//
// Promise. A plan is a pure function of the snapshot, the profile and those options that may change
// a decision. Equal inputs give plans of equal digests on every compiler, thread and run. The
// library reads no clock: times come in as options, and a caller that needs a time limit sets
// should_stop. The caller's rounding mode and locale move no digest.
// Failure. Schedule fails with InvalidArgument for a spec string that does not resolve: the error
// names the unknown word and the nearest valid one, or the option and its range. Tasks that find no
// place are no failure: the plan has a Reason for each. Every object stays as it was.
// Ownership. Arguments are read during the call. The plan keeps what it needs.
// Threads. Any number of threads may schedule over one snapshot at once.
// Cost. A cycle over a snapshot costs O(nodes + tasks) to open, and then what it decides; one on a
// living cluster (Cluster::Schedule) costs what changed. bench/README.md has measurements.
#ifndef MUSTER_SCHEDULE_H_
#define MUSTER_SCHEDULE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/memory.h"
#include "muster/plan.h"
#include "muster/snapshot.h"
#include "muster/turn.h"

namespace muster {

// Switches of the engine. They change how fast a plan is made, and never the plan: a test flips
// each.
struct SpeedOptions {
  // Remember the best nodes of a task class between placements.
  bool block_winners = true;
  // Score nodes of equal kind and books once.
  bool share_equal_states = true;
  // Do not search again for a class that found no node, while nothing was released.
  bool infeasibility_memory = true;
  // Score many nodes at once.
  bool vector_kernels = true;
  // Bytes that score tables may take. Classes beyond it are scanned.
  int64_t memory_limit = int64_t{128} << 20;
};

// Policies and actions of the caller: muster/policy.h.
struct Extensions;
// What a cycle cost: muster/cycle_metrics.h.
struct CycleMetrics;

// The options of one cycle.
//
//   muster::ScheduleOptions options{.now = 1700000000, .work_budget = 10000};
//   options.should_stop = [&] { return Now() > limit; };
struct ScheduleOptions {
  // Seconds, on the clock of `created` and `deadline` of the specs.
  int64_t now = 0;
  // For ties that a hash of names and seed breaks: "volcano:node_ties=seed". Others ignore it.
  uint64_t seed = 0;
  // Cuts the cycle, reproducibly. No turn begins once this many units of work are spent: one for
  // each turn of a job, and one for each task tried in it. A turn that has begun ends, so no gang
  // is cut, and Plan::work() may be larger. Absent: no limit.
  std::optional<int64_t> work_budget = {};
  // Plan::cursor of an earlier plan that was cut: the actions that had ended are skipped.
  uint32_t cursor = 0;
  // Called between gangs, on the caller's thread. If it returns true, the cycle ends as by a spent
  // budget: the plan is not complete(), and holds whole gangs only. It must not use the cluster.
  // Empty: the cycle is not stopped.
  std::function<bool()> should_stop = {};
  // What the cycle decides (turn.h). Default: everything.
  Turn turn = {};
  // What earlier cycles remembered (memory.h). Default: what the cluster keeps, or the snapshot was
  // frozen with.
  std::optional<Memory> memory = {};
  // How the engine works. It does not change the plan.
  SpeedOptions speed = {};
  // Policies and actions of the caller, which the spec string may name. Null: none.
  std::shared_ptr<const Extensions> extensions = {};
  // Filled with what the cycle cost (cycle_metrics.h). It does not change the plan. Default: null,
  // nothing is measured.
  CycleMetrics* metrics = nullptr;
};

// Computes the plan of one cycle over the snapshot.
//
// `profile` is a name, optionally followed by a colon and changes that are separated by commas:
//   volcano                            the profile as its table has it
//   volcano:binpack(weight=5)          an option of a policy or action
//   volcano:-preempt,+reclaim          without, with an action or policy
//   volcano:actions=allocate+backfill  these actions, in this order
//   volcano:tiers=gang/predicates      these tiers of policies
// docs/policies.md has the whole grammar (Changing a profile), and all words that it takes.
MUSTER_EXPORT absl::StatusOr<Plan> Schedule(const Snapshot& snapshot, std::string_view profile,
                                            const ScheduleOptions& options = {});

// --- what there is ------------------------------------------------------------------------------

// An option of a policy or an action.
struct OptionInfo {
  std::string name;
  // As it would be given in a spec string.
  std::string default_value;
  // One line, with the choices or the unit.
  std::string help;
};

// A policy that profiles and spec strings may name.
struct PolicyInfo {
  std::string name;
  // One line.
  std::string summary;
  std::vector<OptionInfo> options;
  // The revision of its decisions. It grows with every release in which equal inputs may lead to
  // another plan by this policy.
  int32_t revision = 1;
};

// An action that a profile may run.
struct ActionInfo {
  std::string name;
  // One line.
  std::string summary;
  std::vector<OptionInfo> options;
};

// A profile: what a spec string begins with.
struct ProfileInfo {
  std::string name;
  // One line.
  std::string summary;
  // Names of the actions that it runs, in order.
  std::vector<std::string> actions;
  // Names of its policies, tier by tier.
  std::vector<std::vector<std::string>> tiers;
  // The actions that its spec strings may name, those above among them.
  std::vector<ActionInfo> catalogue;
  // True: it decides about tasks by count (job_counts.h). False: it refuses a cycle on a cluster
  // with such tasks.
  bool reads_counts = false;
};

// Return all profiles, and all policies that spec strings may name, in a fixed order. They cost
// O(length of the answer).
MUSTER_EXPORT std::vector<ProfileInfo> Profiles();
MUSTER_EXPORT std::vector<PolicyInfo> Policies();

}  // namespace muster

#endif  // MUSTER_SCHEDULE_H_
