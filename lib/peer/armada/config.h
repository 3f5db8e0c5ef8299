// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Armada's configuration sets for the rounds of one pool, read from the options of action
// round.
//
//   absl::StatusOr<Config> config = Config::Parse(options);   // fails with the option and the rule
//   config->classes[config->default_class].priority
//
// Lists are texts with "+" between their items, and the parts of an item stand between colons:
//   classes        NAME:PRIORITY, then ":preemptible", then ":TYPE@PRIORITY" for each away node
//                  type, in the order in which they are tried
//   node_types     NAME:KEY:VALUE or NAME:KEY:VALUE:EFFECT, a taint of nodes of that type; "*"
//                  stands for every value
//   class_limits   CLASS/RESOURCE:FRACTION, of the pool, that a queue may hold by jobs of the class
//   away           POOL:OTHER, jobs of the pool may run on nodes of the other
//
// Defaults are those of the peer's own configuration file.
#ifndef MUSTER_PEER_ARMADA_CONFIG_H_
#define MUSTER_PEER_ARMADA_CONFIG_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/limits.h"
#include "muster/policy.h"

namespace muster::armada {

// Tokens that come back with time. Without a burst there is no limit.
struct Rate {
  double per_second = 0;
  int64_t burst = 0;
};

struct ClassFraction {
  int priority_class = 0;
  Fraction fraction;
};

// A resource of which nodes are indexed by rounded amounts, in units of its dimension.
struct Resolution {
  std::string resource;
  int64_t units = 1;
};

struct Config {
  static absl::StatusOr<Config> Parse(const muster::Options& options);

  // Returns whether jobs of `pool` may run on nodes of `other`.
  bool MayGoAway(std::string_view pool, std::string_view other) const;
  // Returns the place of the class; -1: there is none.
  int FindClass(std::string_view name) const;

  std::string pool;
  std::vector<std::string> cordoned;  // executors
  std::vector<std::pair<std::string, std::string>> away;
  std::vector<PriorityClass> classes;
  int default_class = 0;
  std::vector<ClassFraction> class_limits;
  std::vector<Fraction> multipliers, round_limit;
  std::vector<Resolution> indexed;
  std::vector<std::string> indexed_taints, indexed_labels, unscheduled;
  std::vector<std::pair<std::string, int64_t>> floating;
  Rate rate, queue_rate, preemption_rate;
  double optimiser_fraction = 0;  // of the pool, that one optimiser step may schedule; 0: no limit
  std::vector<Fraction> optimiser_limit;
  std::vector<std::pair<std::string, int64_t>> optimiser_smallest, optimiser_largest;
  int64_t optimiser_interval = 0;  // seconds
  int64_t short_job_cutoff = 0;    // seconds; 0: short jobs cost no more than others
  Options options;                 // without what depends on the cluster
};

// The options of action round.
std::span<const OptionDecl> RoundOptionDecls();

// Reads "CLASS/RESOURCE:FRACTION+...". Returns the rule that an item breaks; empty: none.
std::string ParseClassLimits(std::string_view text, const Config& config,
                             std::vector<ClassFraction>* limits);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_CONFIG_H_
