// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a cluster is made of: nodes, queues, jobs and tasks as plain values.
//
//   muster::NodeSpec node{.name = "n1",
//                         .capacity = {{"cpu", "64"}, {"memory", "256Gi"}, {"nvidia.com/gpu", 8}}};
//   muster::QueueSpec queue{.name = "vision", .weight = 2, .limit = {{{"nvidia.com/gpu", 64}}}};
//   muster::JobSpec job{.name = "train", .queue = "vision", .min_available = 16,
//                       .groups = {{.name = "worker", .count = 16,
//                                   .shape = {.request = {{"cpu", "8"}, {"nvidia.com/gpu", 1}}}}}};
//
// What only some rows have is a struct in a header of its own, kept as a box (boxed.h).
//
// Promise. A field that is not set has no effect: no limit, no preference, no rule. Defaults are
// printed with their fields. The model is wider than today's profiles: docs/policies.md lists which
// policy reads which fields, and which fields are checked, kept and returned without a reader.
// Failure. These structs hold no invariants. A spec that breaks a rule is refused when it enters a
// Cluster, with the row, the field and the rule: `queue "a": weight is -1; must be 0 or more`.
// Names must be UTF-8, at most 4,096 bytes, and not empty where they name the row.
// Ownership. All fields are values. A Cluster copies what it is given.
// Threads. Like any value.
// Cost. A copy costs O(size). What a row costs in a cluster is in bench/README.md.
//
// Times are whole seconds on one clock of the caller's choice: ScheduleOptions::now is on it, too.
// What one scheduler alone knows of a node, queue or job, such as how a queue sorts its jobs, is in
// `settings`: words by key. What stands before the first "/" of a key names the profile that reads
// it; docs/policies.md lists the keys of each profile. A profile refuses a cycle in which a key or
// value of its own is unknown to it, and does not look at those of others.
//
// Fields that rank rows (`created`, `uid_rank`, `ordinal`) break ties as the peers do; rows that
// are equal in all of them go by the order of their insertion.
#ifndef MUSTER_SPEC_H_
#define MUSTER_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/boxed.h"
#include "muster/flavor.h"
#include "muster/gang.h"
#include "muster/job_counts.h"
#include "muster/lifetime.h"
#include "muster/owner.h"
#include "muster/partition.h"
#include "muster/pod_group.h"
#include "muster/queue_rules.h"
#include "muster/reservation.h"
#include "muster/shape.h"
#include "muster/types.h"
#include "muster/usage.h"

namespace muster {

// A part of a device that a task holds.
struct DeviceHold {
  // The name of a device of the task's node. Not empty.
  std::string device = {};
  // Thousandths of the device; 1 or more.
  int64_t milli = 1000;
  // Bytes of it.
  Quantity memory = 0;
  friend bool operator==(const DeviceHold&, const DeviceHold&) = default;
};

// One task.
//
//   cluster.AddTask({.name = "web-0", .job = "web", .shape = {.request = {{"cpu", 2}}},
//                    .status = muster::TaskStatus::kRunning, .node = "n1"});
//
// Tasks of a job normally come from its groups (GroupSpec::count). Cluster::AddTask serves tasks
// that are reported one by one.
struct TaskSpec {
  // Unique in the cluster.
  std::string name = {};
  // Its job, which exists. Empty: none. Such a task only occupies its node.
  std::string job = {};
  // A group of the job, by name. The task counts for the minimum of that group. Empty: the unnamed
  // group.
  std::string group = {};
  // A sub-group of the job, by name. Empty: none.
  std::string sub_group = {};
  TaskShape shape = {};
  // Its status. kPlaced is refused.
  TaskStatus status = TaskStatus::kPending;
  // Its node, by name. Required for a status that holds a node, and refused for kPending.
  std::string node = {};
  // The node to which an earlier plan nominated it. Empty: none.
  std::string nominated_node = {};
  // Larger is more important.
  int32_t priority = 0;
  // False: profiles that read it do not evict the task.
  bool preemptable = true;
  // True: no task is evicted for it (preemptionPolicy Never).
  bool never_preempts = false;
  // The name of its priority class: "system-cluster-critical" and "system-node-critical" are
  // protected by policy conformance.
  std::string priority_class = {};
  // Scheduling gates. It is not scheduled while there is any.
  std::vector<std::string> gates = {};
  // When it was created.
  int64_t created = 0;
  // The number in its name ("worker-3": 3), for peers that order by it; 0 or more.
  std::optional<int64_t> ordinal = {};
  // The rank of its uid among all; the smaller goes first in the last tie.
  int64_t uid_rank = 0;
  // When it began to run.
  std::optional<int64_t> started = {};
  // Before this time it is not evicted. Absent: it is not protected.
  std::optional<int64_t> protected_until = {};
  // Devices of its node that it holds. None without a node.
  std::vector<DeviceHold> devices = {};
  // What a monitor measured of it. Absent: nothing.
  Boxed<TaskUsage> usage = {};
  // How long it runs. Absent: as its job's.
  Boxed<Lifetime> lifetime = {};
  // With status waiting: the time, in seconds, at which it loses its place unless it is bound by
  // then. Absent: never.
  std::optional<int64_t> waits_until = {};
  // With status waiting: the name of the tasks that it is to be bound together with.
  std::string waiting_group = {};
  // Tells the task from an earlier one of its name. An event with another uid than the row has is
  // about a new task: the row is removed first, and nothing that the cluster assumed of it holds.
  // Compared where both are set. Empty: unknown. No policy reads it.
  std::string uid = {};
};

// --- jobs ----------------------------------------------------------------------------------------

// A group (role) of a job: tasks that are alike.
//
// Adding the job creates its tasks, pending, with names made of the job, the group and a number:
// "train-worker-0".
struct GroupSpec {
  // Unique in the job. Empty: the unnamed group.
  std::string name = {};
  // How many tasks to create; 0 or more.
  int64_t count = 0;
  // How many of them must be placed together, besides the minimum of the job. Absent: no rule.
  std::optional<int64_t> min_available = {};
  TaskShape shape = {};
  // Of its tasks. Absent: the job's.
  std::optional<int32_t> priority = {};
  // Tasks that are numbers and no rows; `count` is then 0. Absent: none.
  Boxed<ByCount> by_count = {};
};

// A rule that the tasks of a job or sub-group shall be in one domain of the topology tree. Profile
// volcano keeps it only with `+network-topology-aware`, as its peer does.
//
//   job.topology = muster::TopologyWish{.hard = true, .highest_tier = 2};   // within one block
struct TopologyWish {
  // True: the gang waits if no domain holds it. False: it is a preference.
  bool hard = true;
  // The number of the widest topology tier allowed; 0 or more. Absent: as highest_tier_name.
  std::optional<int32_t> highest_tier = {};
  // The name of that tier (DomainSpec::tier_name), read if no number is set.
  std::string highest_tier_name = {};
  friend bool operator==(const TopologyWish&, const TopologyWish&) = default;
};

// A part of a job that is a gang of its own.
struct SubGroupSpec {
  // Unique in the job.
  std::string name = {};
  // The name of a SubGroupPolicy, which counts sub-groups together. It is no policy of a profile.
  // Empty: none.
  std::string policy = {};
  // How many of its tasks must be placed together.
  int64_t min_available = 1;
  // The smaller goes first.
  int64_t order = 0;
  // Where its tasks shall be together. Absent: no rule of its own.
  std::optional<TopologyWish> topology = {};
  // Its place in a tree of sub-groups. Absent: it is right below the job.
  Boxed<SubGroupPlace> place = {};
};

// How many of the sub-groups that name this rule must be whole for the job to be whole.
struct SubGroupPolicy {
  // The name that SubGroupSpec::policy has.
  std::string name = {};
  // How many of them.
  int64_t min_sub_groups = 0;
};

// Groups of a job that shall be on one node, or on different ones (policy task-topology).
//
//   job.group_topology = muster::GroupTopology{.together = {{"ps", "worker"}}, .apart = {{"ps"}}};
struct GroupTopology {
  // Lists of groups, by name. A list of one group is about its tasks among themselves.
  std::vector<std::vector<std::string>> together = {}, apart = {};
  // The groups that go first, in order.
  std::vector<std::string> order = {};
  friend bool operator==(const GroupTopology&, const GroupTopology&) = default;
};

// How profile ray places a job with tasks that are bundles of one placement group. The words are
// "", "pack", "spread", "strict_pack" and "strict_spread".
enum class BundleStrategy : uint8_t {
  // "": the tasks are placed one by one.
  kNone,
  // On few nodes.
  kPack,
  // On many nodes.
  kSpread,
  // On one node.
  kStrictPack,
  // Each on a node of its own.
  kStrictSpread,
};

// A job: tasks that belong to one queue, and the gang rules between them.
//
// A job with min_available above 1 is a gang: profiles place that many of its tasks, or none.
struct JobSpec {
  // Unique in the cluster. Importers use "namespace/name".
  std::string name = {};
  // Its queue, which exists.
  std::string queue = "default";
  // Larger is more important.
  int32_t priority = 0;
  // How many of its tasks must be placed together; 0 or more.
  int64_t min_available = 0;
  // Tasks to create, by role.
  std::vector<GroupSpec> groups = {};
  // Gangs within the job, and rules for how many of them must be whole.
  std::vector<SubGroupSpec> sub_groups = {};
  std::vector<SubGroupPolicy> sub_group_policies = {};
  // What admission reserves for it. Absent: nothing.
  std::optional<Resources> min_resources = {};
  // Its phase.
  JobPhase phase = JobPhase::kPending;
  // False: its gang is not evicted by gang-aware actions (Volcano's gangpreempt, gangreclaim), nor
  // for other jobs by profile kai. Absent: true; for policy tdm false; for profile kai true if its
  // priority is below 100.
  std::optional<bool> preemptable = {};
  // Where its tasks shall be together. Absent: anywhere.
  std::optional<TopologyWish> topology = {};
  // When it was created.
  int64_t created = 0;
  // The rank of its uid among all; the smaller goes first in the last tie.
  int64_t uid_rank = 0;
  // Seconds that a task is expected to run; 0 or more.
  std::optional<int64_t> estimate = {};
  // When it shall have ended.
  std::optional<int64_t> deadline = {};
  // Seconds after which it must be served (policy sla); 0 or more.
  std::optional<int64_t> waiting_time = {};
  // Which of its groups shall share nodes.
  std::optional<GroupTopology> group_topology = {};
  // How many of its tasks may be down, or must run, when policy tdm evicts some of them: a number,
  // or a part of all its tasks ("30%"). Empty: no rule.
  std::string max_unavailable = {}, min_running = {};
  // Its pending tasks are bundles of one placement group, placed all or none (profile ray).
  // kNone: they are placed one by one.
  BundleStrategy bundle_strategy = BundleStrategy::kNone;
  // The user that it belongs to. Absent: none is known.
  Boxed<JobOwner> owner = {};
  // How long each of its tasks runs. Absent: it is not known.
  Boxed<Lifetime> lifetime = {};
  // The quota that it holds. Absent: none.
  Boxed<JobAdmission> admission = {};
  // How it is evicted, if it is a group of pods. Absent: task by task.
  Boxed<PodGroupTraits> pod_group = {};
  // Rules of its gang. Absent: none.
  Boxed<GangRules> gang = {};
  // What one profile alone reads of it. Default: nothing.
  Labels settings = {};
};

// --- nodes, queues and the rest ------------------------------------------------------------------

// A NUMA zone of a node. Zones count by their place in the node's list.
struct ZoneSpec {
  // Unique on the node.
  std::string name = {};
  // What it has.
  Resources capacity = {};
  // What it had free at NodeSpec::zones_measured. Absent in all zones of a node: nothing was
  // measured, and all tasks of the node count.
  std::optional<Resources> available = {};
  // Zone -> distance, to itself, too. A zone that is not listed is 255 away.
  std::vector<std::pair<std::string, int64_t>> distances = {};
};

// A device of a node.
//
//   muster::DeviceSpec gpu{.name = "gpu0", .kind = "gpu", .model = "A100", .zone = "node-0",
//                          .links = {"nvlink-0"}, .memory = "80Gi"};
//
// Kind "cpu" is a logical CPU of a node that assigns whole CPUs: its name is its number, its links
// are "core-N" and "socket-N" with the numbers of these, and it has a zone.
struct DeviceSpec {
  // Unique on its node.
  std::string name = {};
  // "gpu", "rdma", "cpu", ...: what DeviceRequest::kind names.
  std::string kind = {};
  // Empty: none that a request can ask for.
  std::string model = {};
  // The zone of the node that it is in. Empty: none.
  std::string zone = {};
  // Names of what it shares with devices close to it: NVLink cliques, PCIe switches.
  std::vector<std::string> links = {};
  // Bytes.
  Quantity memory = 0;
  // Thousandths that can be given out: 1000 is one whole device.
  int64_t milli = 1000;
  // False: it is never assigned.
  bool healthy = true;
};

// An image that a node has, for scores that prefer such nodes.
struct ImageSpec {
  // Its names, with tag or digest.
  std::vector<std::string> names = {};
  // Bytes.
  int64_t size = 0;
};
// What a node aligns with its zones. The words are "container" and "pod".
enum class AlignmentScope : uint8_t {
  // Each container of a task by itself.
  kContainer,
  // All containers of a task together.
  kPod,
};

// A node.
//
// An absent amount of `capacity` is an amount that the node does not have; absent `pods` set no
// limit.
struct NodeSpec {
  // Unique in the cluster.
  std::string name = {};
  // What it has.
  Resources capacity = {};
  // What tasks may hold of it. Absent: the capacity.
  std::optional<Resources> allocatable = {};
  // Selectors and affinities of tasks are compared with these.
  Labels labels = {};
  // Tasks that do not tolerate a taint are kept away.
  std::vector<Taint> taints = {};
  // True: only tasks that tolerate the mark go there.
  bool unschedulable = false;
  // False: its agent does not report that it is ready.
  bool ready = true;
  // Conditions that its agent reports. Profiles differ in which of them keep tasks away.
  bool network_unavailable = false, memory_pressure = false, disk_pressure = false,
       pid_pressure = false;
  // Its NUMA zones; at most 64.
  std::vector<ZoneSpec> zones = {};
  // Its devices.
  std::vector<DeviceSpec> devices = {};
  // Its images.
  std::vector<ImageSpec> images = {};
  // The vertex of the topology tree right above it. Empty: none.
  std::string domain = {};
  // How busy it is. Absent: not measured.
  std::optional<NodeUsage> usage = {};
  // The part of the cluster that belongs to one of several schedulers (policy shards).
  std::string shard = {};
  // How its CPU manager aligns tasks with its zones.
  Alignment alignment = Alignment::kUnset;
  // What it aligns.
  AlignmentScope alignment_scope = AlignmentScope::kContainer;
  // When `available` of its zones was measured. Absent: after all that runs there began.
  std::optional<int64_t> zones_measured = {};
  // What one profile alone reads of it. Default: nothing.
  Labels settings = {};
};

// A vertex of the topology tree above the nodes: a rack, a block, a hypernode.
struct DomainSpec {
  // Unique among domains.
  std::string name = {};
  // The domain above it. Empty: it is a root.
  std::string parent = {};
  // Its topology tier, the height in the tree: 1 is nearest to the nodes. 1 or more.
  int32_t tier = 1;
  // A name for all domains of that height: "rack". May be empty.
  std::string tier_name = {};
};

// A step of the path to a queue in a tree of shares that is not the tree of queues.
struct PathStep {
  // Steps of one name under one parent are the same.
  std::string name = {};
  // Against its siblings.
  Quantity weight = 1;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

// Which groups of nodes the tasks of a queue may use, and prefer (policy nodegroup). A preference
// of either kind allows, too.
struct NodeGroupWish {
  // Groups of nodes that its tasks may use, and those that they prefer.
  std::vector<std::string> required = {}, preferred = {};
  // Groups of nodes that its tasks may not use, and those that they avoid.
  std::vector<std::string> anti_required = {}, anti_preferred = {};
  friend bool operator==(const NodeGroupWish&, const NodeGroupWish&) = default;
};

// How much of a group of nodes the tasks of a queue may hold.
struct NodeGroupLimit {
  // The name of the group of nodes.
  std::string group = {};
  // Amounts that are not listed are not limited.
  Resources limit = {};
  friend bool operator==(const NodeGroupLimit&, const NodeGroupLimit&) = default;
};

// In which order the jobs of one queue take turns (profile transwarp). The words are "", "fifo",
// "fair", "priority" and "drf".
enum class JobOrder : uint8_t {
  // As kFifo.
  kUnset,
  // The oldest job first.
  kFifo,
  // The job with the fewest tasks in place first.
  kFair,
  // The job of the highest priority first.
  kPriority,
  // The job with the smallest dominant share first.
  kDrf,
};

// A queue: jobs that share what is divided among queues.
//
//   cluster.AddQueue({.name = "vision", .parent = "research", .weight = 2,
//                     .guaranteed = muster::Resources{{"cpu", 100}}});
//
// Queues form trees. Profiles differ in how they divide a cluster among the queues of a tree:
// docs/policies.md.
struct QueueSpec {
  // Unique in the cluster. A queue named "default" exists from the start.
  std::string name = {};
  // The queue above it, which exists. Empty: it is a root.
  std::string parent = {};
  // Its part of what is divided among siblings; 0 or more.
  int64_t weight = 1;
  // Larger is served first, where a profile reads it.
  int32_t priority = 0;
  // kClosed: it takes no new tasks.
  QueueState state = QueueState::kOpen;
  // What it always gets. Absent: nothing.
  std::optional<Resources> guaranteed = {};
  // What it deserves. Policy capacity reads it, and profile kai as the queue's quota; fairshare and
  // proportion compute what a queue deserves from the weights.
  std::optional<Resources> deserved = {};
  // What it may hold at most. Absent: no limit.
  std::optional<Resources> limit = {};
  // How much it may hold beyond its own, and how much of its own others may hold: read by policy
  // borrowing. Profile kueue reads FlavorQuota::borrow_limit and lend_limit of `rules` instead.
  std::optional<Resources> borrow_limit = {}, lend_limit = {};
  // False: other queues take nothing from it.
  bool reclaimable = true;
  // Its own order of jobs (policy leaf-order).
  JobOrder job_order = JobOrder::kUnset;
  // When it was created.
  int64_t created = 0;
  // The rank of its uid among all; the smaller goes first in the last tie.
  int64_t uid_rank = 0;
  // From a child of the root to the step that stands for this queue, for shares along a tree that
  // is not the tree of queues. Empty: its jobs hang on the root.
  std::vector<PathStep> share_path = {};
  // Absent: its parent's, for policies that inherit.
  std::optional<NodeGroupWish> node_groups = {};
  // How much of groups of nodes it may hold.
  std::vector<NodeGroupLimit> node_group_limits = {};
  // Quota by flavor, fair share and preemption. Absent: no such rules.
  Boxed<QueueRules> rules = {};
  // What its users may hold. Absent: no rules.
  Boxed<UserRules> users = {};
  // Past usage of the queue and its users. Absent: none.
  Boxed<UsageHistory> history = {};
  // What one profile alone reads of it. Default: nothing.
  Labels settings = {};
};

// How many tasks of a selection may be evicted (PodDisruptionBudget).
struct DisruptionBudgetSpec {
  // Unique in its namespace.
  std::string name = {};
  std::string name_space = "default";
  // Over labels of tasks. Absent: none.
  std::optional<Selector> selector = {};
  // How many may be evicted now; 0 or more.
  int64_t allowed = 0;
  // Names of tasks that are counted as evicted already: they use up nothing of `allowed`. The tasks
  // need not exist. Default: none.
  std::vector<std::string> disrupted = {};
};

// A cap on what tasks of a namespace hold together (ResourceQuota).
struct QuotaSpec {
  // Unique in the namespace.
  std::string name = {};
  // The cap, and what is used of it already.
  Resources hard = {}, used = {};
};

// A cap on what tasks of a namespace hold in several queues together (policy bindings).
struct QueueBindingSpec {
  // Unique in the namespace.
  std::string name = {};
  // The queues, with all queues below them. One or more.
  std::vector<std::string> queues = {};
  // Over labels of tasks. Without labels and expressions: all tasks.
  Selector selector = {};
  // Amounts that are not listed are not limited.
  Resources limit = {};
};

// A namespace: labels for namespace selectors, and caps on what its tasks hold.
struct NamespaceSpec {
  // Unique.
  std::string name = {};
  // Namespace selectors are compared with these.
  Labels labels = {};
  // Caps per namespace, and per namespace and queues.
  std::vector<QuotaSpec> quotas = {};
  std::vector<QueueBindingSpec> bindings = {};
};

}  // namespace muster

#endif  // MUSTER_SPEC_H_
