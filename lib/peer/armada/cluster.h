// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plain values of a pool: what a round of Armada reads.
//
//   armada::State state;
//   state.resources = {{"cpu", false, -3}, {"memory", false, 0}};
//   state.buckets = {-2, -1, 1000};
//   state.classes = {{"default", 1000, true}};
//
// Amounts are integers in units of their dimension: State::resources gives the order. Jobs refer
// to shapes, queues, gangs and nodes by their place in the lists of State. Jobs of one shape differ
// only in identity; the round gives up on a whole shape at once.
//
// Surprises. A higher class priority is more urgent, but a lower Job::priority goes first. A job
// that is in a gang has Gang::cardinality above 1.
#ifndef MUSTER_PEER_ARMADA_CLUSTER_H_
#define MUSTER_PEER_ARMADA_CLUSTER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::armada {

using Amounts = std::vector<int64_t>;

// The bucket of a node in which jobs that were evicted still count.
inline constexpr int32_t kEvictedPriority = -2;
// The priority of jobs that belong to another pool.
inline constexpr int32_t kCrossPoolPriority = -1;
inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

struct Resource {
  std::string name;
  bool floating = false;  // held by the pool, not by its nodes
  int scale = 0;          // one unit is 10^scale
};

struct IndexedResource {
  int dimension = 0;
  int64_t resolution = 1;  // in units of the dimension
};

struct Taint {
  std::string key, value, effect;
};

struct Toleration {
  std::string key, value, effect;  // an empty key or effect matches every one
  bool exists = false;             // the value is not compared
};

using Labels = std::vector<std::pair<std::string, std::string>>;

enum class Comparison { kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };

struct Requirement {
  std::string key;
  Comparison comparison = Comparison::kIn;
  std::vector<std::string> values;
};

// All requirements of one term must hold.
using Term = std::vector<Requirement>;

struct Condition {
  int dimension = -1;     // -1: a resource that the pool does not have, so the request is 0
  char comparison = '=';  // '<', '=' or '>'; every other one holds never and ends nothing
  int64_t value = 0;      // in whole units; requests are rounded up to whole units
};

struct ConditionalTaints {
  std::vector<Condition> conditions;
  std::vector<Taint> taints;
};

// Nodes on which jobs of a class may run at a lower priority.
struct AwayNodeType {
  int32_t priority = 0;
  std::string name;           // of the well-known node type; reported
  std::vector<Taint> taints;  // of that type; the value "*" stands for every value
  std::vector<ConditionalTaints> others;
};

struct PriorityClass {
  std::string name;
  int32_t priority = 0;
  bool preemptible = false;
  std::vector<AwayNodeType> away;
};

struct Shape {
  int priority_class = 0;
  Amounts requests;
  Labels selector;
  std::optional<std::vector<Term>> affinity;  // any term must hold
  std::vector<Toleration> tolerations;
};

struct Gang {
  int cardinality = 1;
  std::string uniformity;  // label of which all nodes of the gang have the same value; empty: none
  // The values of the label in the order in which they are tried; the others follow in the order of
  // their names. The peer's order is random.
  std::vector<std::string> value_order;
};

// The latest run of a job.
struct Run {
  int node = -1;      // -1: no node of the pool
  bool away = false;  // the run belongs to another pool
  bool active = true;
  int64_t created = 0;
  int64_t leased = 0;               // milliseconds
  std::optional<int32_t> priority;  // at which it was scheduled
};

struct Job {
  std::string id;  // empty: see State::job_ranks
  int queue = 0;   // into State::queue_names
  int shape = 0;
  int gang = -1;
  int64_t priority = 0;
  int64_t submitted = 0;
  bool queued = true;
  bool terminal = false;
  bool eligible = true;  // may be queued in this pool
  double queued_bid = 0, running_bid = 0;
  std::optional<Run> run;
};

// The class of nodes that an index holds together.
struct NodeType {
  std::vector<Taint> taints;
  Labels labels;
  std::vector<std::string> unset;  // indexed labels that the nodes do not have
};

struct Holding {
  int job = 0;
  int32_t cutoff = 0;  // the highest priority of the buckets from which it takes
  bool evicted = false;
};

struct Node {
  std::string id;
  int64_t index = 0;  // orders nodes of one type with equal amounts
  int type = 0;
  std::vector<Taint> taints;
  Labels labels;
  bool unschedulable = false;
  bool over_allocated = false;
  Amounts total;
  std::vector<Amounts> free;  // by bucket
  std::vector<Holding> jobs;
};

// A bucket of tokens that is only read at the start of a round.
struct Limiter {
  bool limited = false;
  bool endless = false;  // tokens do not run out, but the burst holds
  int64_t burst = 0;
  double tokens = 0;

  bool Below(double count) const { return limited && !endless && tokens < count; }
  bool BurstBelow(int64_t count) const { return limited && burst < count; }
  // Takes `count` tokens, which may leave a debt. More than the burst are never taken.
  void Take(int64_t count) {
    if (limited && !endless && count <= burst) tokens -= static_cast<double>(count);
  }
};

struct Shares {
  double fair = 0;           // weight over the sum of weights
  double demand_capped = 0;  // with what others leave, up to the demand
  double uncapped = 0;       // with what others leave
};

// A queue that has a context in the pool. Jobs of other pools are in the queue "<name>-away".
struct Queue {
  std::string name;
  double weight = 1;
  bool cordoned = false;
  Amounts constrained_demand, penalty;
  std::vector<Amounts> allocated;  // by class
  std::vector<Amounts> limits;     // by class; empty: none
  Shares shares;
  Limiter limiter;
};

struct Optimiser {
  bool enabled = false;
  int64_t most_jobs = 0;
  double improvement = 0;     // the least gain of fairness, in percent
  Amounts most_resources;     // empty: no limit
  Amounts smallest, largest;  // to schedule, to preempt; empty: any
  int64_t now = 0;            // milliseconds; the age of a run counts from its lease
};

struct Options {
  double protected_fraction = 1;
  bool protect_uncapped = false;
  bool prefer_large = false;
  bool home_first = true;  // jobs of other pools come after those of this one
  int64_t lookback = 0;    // new jobs of each queue; 0: all
  bool market = false;
  double spot_cutoff = 0;  // share of the pool above which the spot price is set
  bool cross_pool_bucket = true;
  bool no_home = false, no_away = false, no_gang_away = false;
  bool no_fair_share = false, no_urgency = false;
  std::vector<int> unscheduled;         // dimensions; jobs that request any of them are refused
  std::vector<Toleration> tolerations;  // that every job has in this pool
  Optimiser optimiser;
};

struct State {
  std::vector<Resource> resources;
  std::vector<IndexedResource> indexed;
  std::vector<std::string> indexed_labels;
  std::vector<int32_t> buckets;  // ascending, from kEvictedPriority
  std::vector<PriorityClass> classes;
  std::vector<Shape> shapes;
  std::vector<std::string> queue_names;
  std::vector<Queue> queues;
  std::vector<Gang> gangs;
  std::vector<Job> jobs;
  // By job: its place in the order of ids, which jobs then need not have. Empty: they have them.
  std::vector<int> job_ranks;
  std::vector<NodeType> node_types;
  std::vector<Node> nodes;
  // The priority at which each job was bound; jobs without one have not been bound.
  std::vector<std::optional<int32_t>> bound_priority;
  Amounts total;                    // of the pool
  std::vector<double> multipliers;  // of each dimension's share; 0: the dimension does not count
  Amounts allocated;                // of the pool
  Amounts round_limit;              // empty: none
  std::optional<Amounts> floating_limits;
  Limiter limiter, preemption_limiter;
  Options options;
};

// Returns the job's id; of one without, its rank as eight hexadecimal digits.
std::string IdOf(const State& state, size_t job);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_CLUSTER_H_
