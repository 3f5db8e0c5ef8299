// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What never changes in a cycle of KAI Scheduler: shapes, tasks, jobs, nodes and options as plain
// values.
//
//   KaiFacts facts = ReadKaiFacts(tables, options, now);   // read_facts.h
//   const KaiShape& shape = facts.shapes[facts.tasks[t].shape];
//
// Idea. Everything is a number: a task is its index in `tasks`, and also its place in the list of
// its job, which is in the order of UIDs. Amounts are doubles, because the peer computes in doubles
// and decides by their last bit. The places of vectors (node_fit.h) are milli cpu, bytes of memory,
// GPUs and pods; further ones are the resources that some node has.
//
// Peer. A request for a resource that no node has is forgotten when the vectors are made.
//
// Cost. Plain values; O(rows) of memory.
#ifndef MUSTER_PEER_KAI_FACTS_H_
#define MUSTER_PEER_KAI_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/kai/gpu_request.h"
#include "lib/peer/kai/node_fit.h"
#include "lib/peer/kai/queue_tree.h"
#include "lib/peer/kai/statuses.h"

namespace muster {

// As what a task got its GPUs.
enum class KaiReceived : uint8_t { kNothing, kRegular, kFraction, kSlices };

// Tasks that shall be near, or apart.
struct KaiNearTerm {
  std::vector<uint32_t> domain;    // by node; 0: the node has none
  std::vector<uint32_t> selected;  // shapes that a task with the term finds, ascending
  std::vector<uint32_t> barred;    // shapes that find a task with the term, ascending
};

// All tasks of one shape are alike to every node.
struct KaiShape {
  std::vector<double> request;  // by dimension (node_fit.h)
  KaiGpuRequest gpu;
  KaiRequestType type = KaiRequestType::kRegular;
  double slice_gpus = 0;     // GPUs that its MIG slices count for
  int64_t slice_memory = 0;  // GB of them, as a quick check adds them up
  double quota = 0;          // GPUs in all, as filters count them
  KaiAmounts amounts = {};   // cpu, memory, GPUs with slices
  bool cpu_only = true;
  bool legacy_slices = false;  // a MIG task of the old kind, which is never placed
  bool selects_nodes = false;  // it has a node selector or a required node affinity
  bool too_large = false;      // for every node: no eviction helps
  uint32_t constraints = 0;    // of KaiFacts::allowed
  uint32_t others = 0;         // equal numbers: equal terms about other tasks, equally spread
  std::vector<KaiNearTerm> near = {}, apart = {};
  // Shapes that hold a host port which this one requests, ascending; and the numbers of its ports.
  std::vector<uint32_t> port_rivals = {};
  std::vector<int32_t> ports = {};
  uint32_t origin = 0;  // the number by which the tables know the shape
  bool shares_gpu() const {
    return type == KaiRequestType::kFraction || type == KaiRequestType::kGpuMemory;
  }
};

struct KaiTask {
  uint32_t shape = 0;
  uint32_t job = 0;
  uint32_t place = 0;             // in KaiJobFacts::tasks
  uint32_t pod_set = 0;           // of KaiJobFacts::groups
  uint32_t rank = 0;              // in task order within its job; all different
  uint32_t nominated = kKaiNone;  // the node that an earlier cycle promised
};

// What keeps a sub-group together.
struct KaiTopologyWish {
  std::string name;                 // of the topology
  uint32_t topology = kKaiNone;     // kKaiNone with `named`: a topology that does not exist
  bool named = false;               // false: no wish
  std::string required, preferred;  // levels; empty: none
};

// A sub-group: a set of pods, or of sub-groups.
struct KaiGroup {
  std::string name;
  uint32_t parent = kKaiNone;
  bool is_pod_set = false;
  std::optional<int32_t> minimum = {};  // of pods (always set), or of members; absent: all members
  KaiTopologyWish topology = {};
  std::vector<uint32_t> sets = {}, pod_sets = {};  // members, ascending names
};

struct KaiJobFacts {
  uint32_t origin = 0;  // the number by which the tables know the job
  uint32_t queue = 0;
  bool schedulable = true;  // its queue has none below it, and it takes part
  int64_t priority = 0;
  bool preemptible = true;
  int64_t created = 0;
  int64_t uid = 0;  // rank among UIDs
  std::optional<int64_t> last_start = {}, last_eviction = {}, stale_since = {};
  std::optional<int64_t> whole_at = {};  // gang_memory.h
  std::optional<int64_t> staleness_grace = {};
  int64_t preemption_delay = 0;
  bool one_attempt = false;            // it is left alone once it was found unschedulable
  std::optional<int64_t> failed = {};  // when its one attempt failed
  bool takes_part() const { return !one_attempt || !failed; }
  std::vector<uint32_t> tasks = {};     // ascending UIDs
  std::vector<KaiGroup> groups = {};    // [0] is the root
  std::vector<uint32_t> pod_sets = {};  // all of them, ascending names
};

struct KaiNodeFacts {
  std::string name;
  std::vector<double> allocatable;  // by dimension
  int64_t gpu_memory = 100;         // MiB of each device
  bool gpu_memory_known = false;
  int64_t gpus = 0;        // as its label counts them
  bool ready = true;       // its condition admits tasks
  bool cordoned = false;   // nothing but its mark keeps it from being ready
  bool takes_part = true;  // its resources count for the total
  bool slices = false;     // MIG is enabled
  enum class Strategy : uint8_t { kNone, kSingle, kMixed } strategy = Strategy::kNone;
  bool claimed_gpus = false;  // its GPUs are counted by claims
  bool gpu_worker = false, cpu_worker = false;
  // Held by tasks of other schedulers, and what of it they give back; empty: nothing.
  std::vector<double> foreign = {}, foreign_releasing = {};
  std::vector<uint32_t> foreign_shapes = {};  // one for each such task
};

enum class KaiPlacement : uint8_t { kBinpack, kSpread, kNone };
enum class KaiDevicePlacement : uint8_t { kPack, kSpread, kName };

// Which past usage of queues counts.
struct KaiUsageRules {
  enum class Source : uint8_t { kHistories, kAlways, kNever } source = Source::kHistories;
  int64_t window = 604'800;                  // seconds
  int64_t half_life = 0;                     // seconds; 0: usage does not fade
  std::optional<int64_t> tumbles_from = {};  // absent: the window slides
};

struct KaiOptions {
  KaiPlacement gpu = KaiPlacement::kBinpack, cpu = KaiPlacement::kBinpack;
  KaiDevicePlacement device = KaiDevicePlacement::kPack;
  bool availability = true, sharing = true, resource_type = true, nominated = true;  // scores
  double saturation_multiplier = 1;
  double k = 1;
  KaiUsageRules usage = {};
  bool full_hierarchy = true;  // false: all queues but the top ones lie below one without limits
  bool consolidating_reclaim = true;
  bool signatures = true;
  bool restrict_nodes = false;
  int64_t consolidation_victims = 16;  // -1: unlimited
  int64_t staleness_grace = 60;
  int64_t preempt_min_runtime = 0, reclaim_min_runtime = 0;
  bool resolve_by_queue = false;
  bool counts_claims = false;   // exclusive requests stand for resource claims
  bool keeps_promises = false;  // nominated tasks are pipelined; else they are pending
};

struct KaiFacts {
  size_t dimensions = 4;
  std::vector<double> slice_gpus;  // by dimension: GPUs of one such slice; 0 for others
  // Names by dimension, as the tables know them.
  std::vector<std::string> resources = {"cpu", "memory", "nvidia.com/gpu", "pods"};
  std::vector<KaiShape> shapes;
  std::vector<KaiTask> tasks;
  std::vector<uint32_t> task_origin;  // the numbers by which the tables know the tasks
  std::vector<KaiJobFacts> jobs;      // ascending UIDs
  std::vector<KaiNodeFacts> nodes;    // ascending names
  std::vector<uint32_t> node_origin;
  // By number of constraints, then by node: whether labels and taints admit the task.
  std::vector<std::vector<uint8_t>> allowed;
  // The same by labels alone.
  std::vector<std::vector<uint8_t>> selected;
  // By name of a required level: the domain of each node; 0: none.
  std::map<std::string, std::vector<uint32_t>> levels;
  // Of nodes' devices, in MiB; 100 where no node has more than that.
  int64_t least_gpu_memory = 100, most_gpu_memory = 100;
  KaiOptions options;
  int64_t now = 0;

  const KaiShape& shape_of(uint32_t task) const { return shapes[tasks[task].shape]; }
  // Returns cpu, memory and GPUs with slices of a vector.
  KaiAmounts Quantify(const double* vector) const;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_FACTS_H_
