// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a configuration of the scheduler sets, read from the options of action schedule.
//
//   const Settings settings = Settings::From(options);
//   if (settings.percentage == 0) ... // the number of nodes to find follows from the cluster
#ifndef MUSTER_PEER_KUBE_SCHEDULER_SETTINGS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_SETTINGS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/policy.h"

namespace muster::kube {

// Plug-ins that filter or score, in the order of filtering; then those that only score or gate.
enum class Plugin : uint8_t {
  kNone,
  kNodeUnschedulable,
  kNodeName,
  kTaintToleration,
  kNodeAffinity,
  kNodePorts,
  kNodeResourcesFit,
  kPodTopologySpread,
  kInterPodAffinity,
  kBalancedAllocation,
  kImageLocality,
  kSchedulingGates,
  kGangScheduling,
  kExtra,  // the first of those beyond the default ones (extra_plugins.h)
};
inline constexpr int kPluginCount = 13;
inline constexpr int kMostExtra = 19;  // plug-ins: sets are words of 32 bits
std::string_view PluginName(Plugin plugin);
// Returns kNone for a name that no plug-in has.
Plugin PluginOf(std::string_view name);

// A set of plug-ins.
class PluginSet {
 public:
  void Add(Plugin plugin) { bits_ |= 1u << static_cast<int>(plugin); }
  bool has(Plugin plugin) const { return (bits_ >> static_cast<int>(plugin) & 1) != 0; }
  bool empty() const { return bits_ == 0; }
  uint32_t bits() const { return bits_; }
  static PluginSet FromBits(uint32_t bits) {
    PluginSet set;
    set.bits_ = bits;
    return set;
  }

 private:
  uint32_t bits_ = 0;
};

enum class FitStrategy : uint8_t { kLeast, kMost, kRatio };

struct WeightedResource {
  std::string name;
  int64_t weight = 1;
};

struct Settings {
  static Settings From(const Options& options);
  // Returns why the options contradict each other; empty: they do not.
  static std::string Check(const Options& options);

  std::array<int64_t, kPluginCount> weights = {};  // by plug-in
  FitStrategy strategy = FitStrategy::kLeast;
  std::vector<WeightedResource> fit_resources, balanced_resources;
  bool balance_is_change = true;  // else: balanced resources score by what the placement leaves
  std::vector<std::pair<int64_t, int64_t>> shape;  // utilization 0..100, score 0..100
  std::vector<std::string> ignored_resources, ignored_groups;
  PluginSet off;                // that refuse no node, or require no minimum of groups
  bool preempts = true;         // default preemption makes room
  int64_t required_weight = 1;  // of required affinity of other pods in the affinity score
  bool ignores_preferred_terms = false;
  int64_t percentage = 0;  // of nodes to score
  int64_t candidate_percentage = 10, candidate_least = 100;
  int64_t offset = 0;  // of the search for candidates
  int64_t ticks = 1;   // of the caller's clock in a second
  int64_t first_backoff = 1, longest_backoff = 10, longest_wait = 300;  // seconds
  int64_t cycles = 0;  // the most that one plan runs
  bool groups = false, batches = false, traces = false;
};

// The options of action schedule.
std::span<const OptionDecl> ScheduleOptionDecls();

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_SETTINGS_H_
