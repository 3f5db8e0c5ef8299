// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a caller says about nodes, queues, jobs and tasks: plain values, checked when they enter a Cluster.
//
//   muster::NodeSpec node{.name = "n1", .capacity = {{"cpu", "64"}, {"memory", "256Gi"}, {"nvidia.com/gpu", 8}}};
//   muster::JobSpec job{.name = "train", .queue = "vision", .min_available = 16,
//                       .groups = {{.name = "worker", .count = 16,
//                                   .shape = {.request = {{"cpu", "8"}, {"nvidia.com/gpu", 1}}}}}};
//
// These structs hold no invariants and own their contents. Every field has a default that means "not said".
// Times are seconds on the caller's own clock. Strings are UTF-8.
// The model is wider than today's profiles: docs/policies.md lists the fields that are checked, kept and given back
// but that no profile reads yet.
#ifndef MUSTER_SPEC_H_
#define MUSTER_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/shape.h"
#include "muster/types.h"

namespace muster {

// A part of a device that a task holds.
struct DeviceHold {
  std::string device = {};  // of its node, by name
  int64_t milli = 1000;
  Quantity memory = 0;
  friend bool operator==(const DeviceHold&, const DeviceHold&) = default;
};

// One task. Tasks of a job normally come from its groups; AddTask serves tasks that are told one by one.
struct TaskSpec {
  std::string name = {};   // unique in the cluster
  std::string job = {};    // empty: belongs to no job; it only occupies its node
  std::string group = {};  // empty: the job's unnamed group
  std::string sub_group = {};
  TaskShape shape = {};
  TaskStatus status = TaskStatus::kPending;
  std::string node = {};            // required unless pending, succeeded or failed
  std::string nominated_node = {};  // where an earlier plan meant to put it
  int32_t priority = 0;
  bool preemptable = true;
  bool never_preempts = false;      // preemptionPolicy Never
  std::string priority_class = {};  // system-cluster-critical, ... (read by the conformance policy)
  std::vector<std::string> gates = {};  // scheduling gates: while any is left it is not scheduled
  int64_t created = 0;                  // seconds
  std::optional<int64_t> ordinal =
      {};                // the number in its name ("worker-3" -> 3), where a peer orders by it
  int64_t uid_rank = 0;  // rank of its uid among all; smaller first in the last tie-break
  std::optional<int64_t> started = {};          // when it began to run
  std::optional<int64_t> protected_until = {};  // before that it is too young to be evicted
  std::vector<DeviceHold> devices = {};         // of its node, that it holds; none without a node
};

// --- jobs --------------------------------------------------------------------------------------------------

struct GroupSpec {
  std::string name = {};
  int64_t count = 0;  // tasks to create, named <job>-<group>-<0..count-1>
  std::optional<int64_t> min_available = {};
  TaskShape shape = {};
  std::optional<int32_t> priority = {};  // absent: the job's
};

// Where the tasks of a job or sub-group want to be together.
struct TopologyWish {
  bool hard = true;
  std::optional<int32_t> highest_tier = {};  // number of the widest tier allowed
  std::string highest_tier_name = {};
  friend bool operator==(const TopologyWish&, const TopologyWish&) = default;
};

struct SubGroupSpec {
  std::string name = {};
  std::string policy = {};  // sub-groups of one policy are counted together
  int64_t min_available = 1;
  int64_t order = 0;  // smaller first
  std::optional<TopologyWish> topology = {};
};

struct SubGroupPolicy {
  std::string name = {};
  int64_t min_sub_groups = 0;
};

// Groups of a job, by name, whose tasks want to be on one node, or on different ones. A list of one name is about the
// tasks of that group among themselves.
struct GroupTopology {
  std::vector<std::vector<std::string>> together = {}, apart = {};
  std::vector<std::string> order = {};  // whose tasks come first
  friend bool operator==(const GroupTopology&, const GroupTopology&) = default;
};

// How profile ray places a job whose tasks are bundles of one placement group. The words are "",
// "pack", "spread", "strict_pack" and "strict_spread".
enum class BundleStrategy : uint8_t {
  kNone,          // "": the tasks are placed one by one
  kPack,          // on few nodes
  kSpread,        // on many nodes
  kStrictPack,    // on one node
  kStrictSpread,  // each on a node of its own
};

struct JobSpec {
  std::string name = {};  // unique; importers use "namespace/name"
  std::string queue = "default";
  int32_t priority = 0;
  int64_t min_available = 0;
  std::vector<GroupSpec> groups = {};
  std::vector<SubGroupSpec> sub_groups = {};
  std::vector<SubGroupPolicy> sub_group_policies = {};
  std::optional<Resources> min_resources = {};  // what admission reserves for it
  JobPhase phase = JobPhase::kPending;
  // Whether its tasks may be evicted as a gang's (Volcano's gang-aware actions). Absent: yes.
  std::optional<bool> preemptable = {};
  std::optional<TopologyWish> topology = {};
  int64_t created = 0;
  int64_t uid_rank = 0;
  std::optional<int64_t> estimate = {};  // seconds a task is expected to run
  std::optional<int64_t> deadline = {};
  std::optional<int64_t> waiting_time = {};  // seconds after which it must be served
  std::optional<GroupTopology> group_topology = {};
  // How many of its tasks may be down, or have to run, when some are taken for the common good (policy tdm): a number,
  // or a part of all its tasks ("30%"). Empty: not said.
  std::string max_unavailable = {}, min_running = {};
  // Its pending tasks are bundles of one group, all placed or none, as profile ray places them.
  BundleStrategy bundle_strategy = BundleStrategy::kNone;
};

// --- nodes, queues and the rest ----------------------------------------------------------------------------

// A NUMA zone. Zones count by their place in the node's list.
struct ZoneSpec {
  std::string name = {};
  Resources capacity = {};
  // What it had left when the node was asked. Absent in all zones of a node: nobody asked, all its tasks count.
  std::optional<Resources> available = {};
  std::vector<std::pair<std::string, int64_t>> distances = {};  // to zones, itself too; 255
};

// Kind "cpu" is a logical CPU of a node that gives whole ones: its name is its number, its links are "core-N" and
// "socket-N" with the numbers of these, and it has a zone.
struct DeviceSpec {
  std::string name = {};  // unique on its node
  std::string kind = {};  // "gpu", "rdma", "cpu", ...
  std::string model = {};
  std::string zone = {};                // of its node; may be empty
  std::vector<std::string> links = {};  // NVLink clique, PCIe switch, ...: groups by name
  Quantity memory = 0;
  int64_t milli = 1000;  // how much of it can be shared out
  bool healthy = true;
};

struct ImageSpec {
  std::vector<std::string> names = {};
  int64_t size = 0;  // bytes
};

// What a monitor measured on a node, in percent of its capacity.
struct NodeUsage {
  Quantity cpu = 0, memory = 0;
  int64_t measured = 0;  // when
  friend bool operator==(const NodeUsage&, const NodeUsage&) = default;
};

// What a node aligns with its zones. The words are "container" and "pod".
enum class AlignmentScope : uint8_t {
  kContainer,  // each container of a task by itself
  kPod,        // all containers of a task together
};

struct NodeSpec {
  std::string name = {};
  Resources capacity = {};
  std::optional<Resources> allocatable = {};  // absent: as capacity
  Labels labels = {};
  std::vector<Taint> taints = {};
  bool unschedulable = false;
  bool ready = true;
  bool network_unavailable = false, memory_pressure = false, disk_pressure = false,
       pid_pressure = false;
  std::vector<ZoneSpec> zones = {};
  std::vector<DeviceSpec> devices = {};
  std::vector<ImageSpec> images = {};
  std::string domain = {};  // vertex of the topology tree right above it; empty: none
  std::optional<NodeUsage> usage = {};
  std::string shard = {};  // part of the cluster that one of several schedulers looks after
  // How it aligns tasks with its zones, and whether each container or the whole task.
  Alignment alignment = Alignment::kUnset;
  AlignmentScope alignment_scope = AlignmentScope::kContainer;
  // When `available` of its zones was so. Absent: after all that runs there began.
  std::optional<int64_t> zones_measured = {};
};

// A vertex of a topology tree above nodes: rack, block, hypernode.
struct DomainSpec {
  std::string name = {};
  std::string parent = {};  // empty: a root
  int32_t tier = 1;         // 1 is nearest to the nodes
  std::string tier_name = {};
};

// A step of a queue's way down a tree of shares.
struct PathStep {
  std::string name = {};
  Quantity weight = 1;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

// Which groups of nodes the tasks of a queue may use, and would rather use. A preference of either kind allows, too.
struct NodeGroupWish {
  std::vector<std::string> required = {}, preferred = {};  // one of these
  std::vector<std::string> anti_required = {}, anti_preferred = {};
  friend bool operator==(const NodeGroupWish&, const NodeGroupWish&) = default;
};

// How much of a group of nodes the tasks of a queue may hold.
struct NodeGroupLimit {
  std::string group = {};
  Resources limit = {};
  friend bool operator==(const NodeGroupLimit&, const NodeGroupLimit&) = default;
};

// In which order the jobs of one queue take turns (profile transwarp). The words are "", "fifo",
// "fair", "priority" and "drf".
enum class JobOrder : uint8_t {
  kUnset,     // as kFifo
  kFifo,      // the oldest job first
  kFair,      // the job with the fewest tasks in place first
  kPriority,  // the job of the highest priority first
  kDrf,       // the job with the smallest dominant share first
};

struct QueueSpec {
  std::string name = {};
  std::string parent = {};  // empty: a root
  int64_t weight = 1;
  int32_t priority = 0;
  QueueState state = QueueState::kOpen;
  // `deserved` is for policies that are told what a queue deserves (volcano's capacity); fairshare and proportion find
  // it out by weight.
  std::optional<Resources> guaranteed = {}, deserved = {}, limit = {};
  std::optional<Resources> borrow_limit = {}, lend_limit = {};
  bool reclaimable = true;
  JobOrder job_order = JobOrder::kUnset;  // the queue's own order of jobs (policy leaf-order)
  int64_t created = 0;
  int64_t uid_rank = 0;
  // From a child of the root to the step that stands for this queue, for shares along a tree that is not the
  // tree of queues. Empty: its jobs hang on the root.
  std::vector<PathStep> share_path = {};
  std::optional<NodeGroupWish> node_groups = {};  // absent: as its parent's, where policies inherit
  std::vector<NodeGroupLimit> node_group_limits = {};
};

struct DisruptionBudgetSpec {
  std::string name = {};
  std::string name_space = "default";
  std::optional<Selector> selector = {};
  int64_t allowed = 0;
};

struct QuotaSpec {
  std::string name = {};
  Resources hard = {}, used = {};
};

// A cap on what tasks of a namespace hold in several queues together (policy bindings).
struct QueueBindingSpec {
  std::string name = {};
  std::vector<std::string> queues = {};  // with all queues below them
  Selector selector = {};                // over labels of tasks
  Resources limit = {};
};

// Labels of a namespace, for namespace selectors, and what may be used in it.
struct NamespaceSpec {
  std::string name = {};
  Labels labels = {};
  std::vector<QuotaSpec> quotas = {};
  std::vector<QueueBindingSpec> bindings = {};
};

}  // namespace muster

#endif  // MUSTER_SPEC_H_
