// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a snapshot to a plan.
//
//   muster::Snapshot snapshot = cluster.Freeze();
//   absl::StatusOr<muster::Plan> plan = muster::Schedule(snapshot, "volcano:binpack(weight=5)");
//
// A plan is a pure function of (snapshot, profile, options that may change a decision). Equal inputs give
// equal digests on every compiler, thread and run. Schedule may be called from any number of threads.
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
#include "muster/plan.h"
#include "muster/snapshot.h"

namespace muster {

// These change how fast a plan is made and never the plan; a test flips each.
struct SpeedOptions {
  bool block_winners = true;         // remember the best nodes of a task class between placements
  bool share_equal_states = true;    // nodes of equal kind and books are scored once
  bool infeasibility_memory = true;  // do not search again while nothing was released
  bool vector_kernels = true;        // score many nodes at once
  int64_t memory_limit = int64_t{128} << 20;  // bytes that scoreboards may take
};

struct Extensions;  // muster/policy.h: policies and actions of the caller

struct ScheduleOptions {
  int64_t now = 0;    // seconds, on the clock of `created` and `deadline`
  uint64_t seed = 0;  // for profiles whose ties are broken by chance; no profile of 0.1 does
  // No turn begins once this many units of work are spent: one for each turn of a job and one for each task tried
  // in it. A turn that has begun ends, so that no gang is cut and Plan::work() may be larger.
  std::optional<int64_t> work_budget;
  uint32_t cursor = 0;  // of an earlier, cut plan: skip the actions that had ended
  std::function<bool()>
      should_stop;  // asked between gangs; true cuts the cycle as a spent budget does
  SpeedOptions speed;
  // Handed in by the bindings, whose callers write policies. Null: none.
  std::shared_ptr<const Extensions> extensions = {};
};

// A profile is a name, optionally followed by a colon and changes, separated by commas:
//   volcano                            the profile as its table has it
//   volcano:binpack(weight=5)          options of a policy
//   volcano:-preempt,+reclaim          without, with an action or policy
// Errors: InvalidArgument naming the unknown word and the nearest valid one, or the option and its range.
// The snapshot and every object stay as they were, whatever is returned.
MUSTER_EXPORT absl::StatusOr<Plan> Schedule(const Snapshot& snapshot, std::string_view profile,
                                            const ScheduleOptions& options = {});

struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string help;
};

struct PolicyInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
  // Of its decisions: another number than before says that equal inputs may get another plan.
  int32_t revision = 1;
};

struct ActionInfo {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
};

struct ProfileInfo {
  std::string name;
  std::string summary;
  std::vector<std::string> actions;
  std::vector<std::vector<std::string>> tiers;  // of policy names
  std::vector<ActionInfo> catalogue;  // the actions that can be said, those above among them
};

MUSTER_EXPORT std::vector<ProfileInfo> Profiles();
MUSTER_EXPORT std::vector<PolicyInfo> Policies();

}  // namespace muster

#endif  // MUSTER_SCHEDULE_H_
