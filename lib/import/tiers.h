// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Configurations of schedulers that run actions over tiers of plugins, as profiles.
//
//   {"actions": "enqueue, allocate",
//    "tiers": [{"plugins": [{"name": "priority"},
//                           {"name": "gang", "enablePreemptable": false}]}]}
//   becomes volcano:actions=admit+allocate,tiers=priority+gang(without=preemptable)
//
//   scenario->profile = ReadProfile(configuration, rules, source.options.unset_switches_on);
//
// These schedulers clean their arguments (a negative weight becomes 1), and so does this reader, so
// that a profile holds what was in force. What no profile takes is reported.
//
// Cost. O(length of the configuration).
#ifndef MUSTER_IMPORT_TIERS_H_
#define MUSTER_IMPORT_TIERS_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/import/field.h"

namespace muster {

// Options of a policy or an action, in the order in which they are written.
class ProfileOptions {
 public:
  // Replaces the option, or puts it last.
  void Set(std::string_view name, std::string_view value);
  // (a=1,b=2), or nothing where there are none.
  std::string Text() const;

 private:
  std::vector<std::pair<std::string, std::string>> options_;
};

// A plugin's switch and the extension point that it switches. Without a point: there is no such
// policy here.
struct SwitchRule {
  std::string_view name, point;
};
// The switches of plugins in configuration files. The oldest schedulers of this kind follow the
// first kOldSwitches alone.
inline constexpr std::array<SwitchRule, 25> kPluginSwitches = {
    {{"enableJobOrder", "job_order"},
     {"enableJobReady", "ready"},
     {"enableJobPipelined", "pipelined"},
     {"enableTaskOrder", "task_order"},
     {"enablePreemptable", "preemptable"},
     {"enableReclaimable", "reclaimable"},
     {"enableQueueOrder", "queue_order"},
     {"enablePredicate", "fit"},
     {"enableNodeOrder", "score"},
     {"enabledOverused", "overused"},
     {"enabledAllocatable", "allocatable"},
     {"enablePreemptive", "preemptive"},
     {"enableJobEnqueued", "admit"},
     {"enableJobStarving", "starving"},
     {"enabledVictim", "victims"},
     {"enabledSubJobOrder", "sub_group_order"},
     {"enabledSubJobReady", "sub_group_ready"},
     {"enabledSubJobPipelined", "sub_group_pipelined"},
     {"enabledHyperNodeOrder", "domain_score"},
     {"enabledHyperNodeGradient", "domain_search"},
     {"enableHierarchy", ""},
     {"enabledClusterOrder", ""},
     {"enableBestNode", ""},
     {"enableTargetJob", ""},
     {"enableReservedNodes", ""}}};
inline constexpr size_t kOldSwitches = 9;
// An option that a policy always has in this profile.
struct OptionRule {
  std::string_view policy, option, value;
};
struct TierRules {
  std::string_view profile;
  std::span<const SwitchRule> switches;
  std::span<const OptionRule> options;
  // The policy that makes no trial evictions where its points preemptable and allocatable are both
  // off. Empty: none.
  std::string_view trial_policy;
};

// profile:actions=...,tiers=... with all of the configuration that a profile takes.
std::string ReadProfile(const Field& configuration, const TierRules& rules, bool unset_on);

// Returns whether a plugin of this name has the switch on.
bool HasPluginWith(const Field& configuration, std::string_view plugin, std::string_view name);

// true or false, or a text that is one of them in any case; all else is refused.
bool ReadSwitch(const Field& value);

// The arguments of a plugin as options of the policy of its name (tier_arguments.cc). What is not
// taken is reported.
void ReadArguments(std::string_view plugin, const Field& arguments, ProfileOptions* options);

}  // namespace muster

#endif  // MUSTER_IMPORT_TIERS_H_
