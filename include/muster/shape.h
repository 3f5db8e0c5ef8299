// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a task requests and where it may run: amounts, constraints, devices.
//
//   muster::TaskShape shape{
//       .request = {{"cpu", "4"}, {"memory", "16Gi"}},
//       .labels = {{"app", "trainer"}},
//       .tolerations = {{.key = "gpu", .op = muster::TolerationOp::kExists}},
//       .devices = {{.kind = "gpu", .count = 2, .same = muster::SamePart::kLink}}};
//   shape.required_node_affinity = {{{.match_expressions = {
//       {.key = "zone", .op = muster::RequirementOp::kIn, .values = {"a", "b"}}}}}};
//   muster::JobSpec job{.name = "train", .groups = {{.name = "w", .count = 8, .shape = shape}}};
//
// Promise. Constraints have the meaning that Kubernetes gives them. Which of them a plan respects
// depends on the policies of its profile: docs/policies.md lists the fields that each one reads.
// Two tasks form one task class if their shapes, read as amounts, are equal. A class is searched
// for once, so a cluster with few shapes is scheduled faster than one with many.
// Failure. These structs hold no invariants. A value that breaks a rule is refused when its task or
// job enters a Cluster: `job "train", group "w", toleration "gpu": an empty key needs operator
// Exists`. So is an enum with a number that it has no value for, and kUnset where one must be set.
// Ownership. All fields are values, and a copy of a shape is independent of the original.
// Threads. Like any value: any number of threads may read one, one thread alone may change it.
// Cost. A copy costs O(size of the shape). The cluster keeps one copy a class.
#ifndef MUSTER_SHAPE_H_
#define MUSTER_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/boxed.h"

namespace muster {

// --- amounts ------------------------------------------------------------------------------------

// An amount as Kubernetes writes it: "500m", "8Gi", 8.
//
// A number means what its digits mean as text: Quantity(8) of cpu is eight cores, of memory eight
// bytes. The text is not read before the spec enters a Cluster, and is refused there if it is no
// amount (quantity.h has the grammar). Equality compares texts: Quantity("1") != Quantity("1000m").
struct Quantity {
  Quantity(int64_t whole) : text(std::to_string(whole)) {}  // NOLINT: implicit on purpose
  Quantity(int whole) : text(std::to_string(whole)) {}      // NOLINT
  Quantity(const char* text) : text(text) {}                // NOLINT
  Quantity(std::string text) : text(std::move(text)) {}     // NOLINT
  std::string text;
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

// Dimension name -> amount, in any order: {{"cpu", "8"}, {"nvidia.com/gpu", 1}}.
// A dimension that is not listed is absent, which is not zero (kAbsent in types.h). A dimension
// listed twice is refused, and so is a negative amount. Memory, ephemeral-storage and hugepages-*
// are kept in bytes, pods in whole ones, and all else in thousandths, as cpu and devices.
using Resources = std::vector<std::pair<std::string, Quantity>>;

// Key -> value. A key listed twice is refused. An empty value is a value.
using Labels = std::vector<std::pair<std::string, std::string>>;

// --- constraints --------------------------------------------------------------------------------

// What a taint does to tasks that do not tolerate it. The words are those of Kubernetes:
// "NoSchedule", "PreferNoSchedule", "NoExecute".
enum class TaintEffect : uint8_t {
  // "": a taint must have an effect; a toleration without one covers them all.
  kUnset,
  // The task may not be placed on the node.
  kNoSchedule,
  // Nodes without the taint score higher.
  kPreferNoSchedule,
  // As kNoSchedule; a task that runs on the node already stays there.
  kNoExecute,
};

// A mark on a node that keeps tasks away.
//
//   node.taints = {{.key = "gpu", .value = "only", .effect = muster::TaintEffect::kNoSchedule}};
struct Taint {
  // The key is required, the value may be empty.
  std::string key = {}, value = {};
  // Required.
  TaintEffect effect = TaintEffect::kUnset;
  friend bool operator==(const Taint&, const Taint&) = default;
};

// How a toleration compares values. The words are "Equal" and "Exists".
enum class TolerationOp : uint8_t {
  // The taint has the same value.
  kEqual,
  // The taint has any value.
  kExists,
};

// Taints that a task accepts. A toleration covers a taint if key, effect and value all match.
//
//   shape.tolerations = {{.key = "gpu", .value = "only"},                     // this taint
//                        {.op = muster::TolerationOp::kExists}};              // every taint
struct Toleration {
  // Empty: any key, which needs `op` kExists.
  std::string key = {};
  TolerationOp op = TolerationOp::kEqual;
  // Compared if `op` is kEqual.
  std::string value = {};
  // kUnset: any effect.
  TaintEffect effect = TaintEffect::kUnset;
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

// How a requirement compares a label. The words are "In", "NotIn", "Exists", "DoesNotExist", "Gt"
// and "Lt".
enum class RequirementOp : uint8_t {
  // "": refused.
  kUnset,
  // The label has one of the values; at least one value is given.
  kIn,
  // The label is absent or has none of them; at least one value is given.
  kNotIn,
  // The label is there; no values are given.
  kExists,
  // The label is not there; no values are given.
  kDoesNotExist,
  // Nodes only: the label, read as an integer, is above the one value given.
  kGt,
  // Nodes only: the label, read as an integer, is below the one value given.
  kLt,
};

// One condition on the labels of a node, task or namespace.
//
//   muster::Requirement big{.key = "cpus", .op = muster::RequirementOp::kGt, .values = {"16"}};
//
// A label that is no integer fails kGt and kLt. An operator that does not fit its values, or the
// rows that it is applied to, is refused.
struct Requirement {
  std::string key = {};
  RequirementOp op = RequirementOp::kUnset;
  std::vector<std::string> values = {};
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// Selects tasks or namespaces by their labels: all labels and all expressions must hold. A selector
// without either selects everything; a selector that is absent (nullopt) selects nothing.
struct Selector {
  Labels match_labels = {};
  std::vector<Requirement> match_expressions = {};
  friend bool operator==(const Selector&, const Selector&) = default;
};

// Selects nodes: all expressions over labels and all expressions over fields must hold. The only
// field is "metadata.name", with kIn or kNotIn. A term without either selects nothing.
struct NodeTerm {
  std::vector<Requirement> match_expressions = {};
  std::vector<Requirement> match_fields = {};
  friend bool operator==(const NodeTerm&, const NodeTerm&) = default;
};

// A preference for the nodes that `term` selects. Preferences never keep a task waiting.
struct PreferredNodeTerm {
  // 1 to 100. Added to the score of these nodes, before it is normalized.
  int32_t weight = 1;
  NodeTerm term = {};
  friend bool operator==(const PreferredNodeTerm&, const PreferredNodeTerm&) = default;
};

// Other tasks, and how near counts: nodes with one value of the label `topology_key` are near each
// other.
struct AffinityTerm {
  // A label of nodes: "zone", "kubernetes.io/hostname". Not empty.
  std::string topology_key = {};
  // Absent: selects no task.
  std::optional<Selector> selector = {};
  // Namespaces of the tasks. Empty, and no namespace_selector: the task's own.
  std::vector<std::string> namespaces = {};
  // Namespaces by their labels, besides those listed. Without labels and expressions: all.
  std::optional<Selector> namespace_selector = {};
  friend bool operator==(const AffinityTerm&, const AffinityTerm&) = default;
};

// A preference for, or against, nodes near tasks that `term` selects.
struct PreferredAffinityTerm {
  // 1 to 100. Added for each task that is near, subtracted by an anti-affinity.
  int32_t weight = 1;
  AffinityTerm term = {};
  friend bool operator==(const PreferredAffinityTerm&, const PreferredAffinityTerm&) = default;
};

// Spreads the tasks of a selector over the values of a node label.
//
//   // No zone has two tasks more than another:
//   shape.spread = {{.topology_key = "zone", .max_skew = 1,
//                    .selector = muster::Selector{{{"app", "web"}}, {}}}};
struct SpreadConstraint {
  // A label of nodes. Not empty.
  std::string topology_key = {};
  // How far the count of one value may be above the lowest count; 1 or more.
  int32_t max_skew = 1;
  // False: a preference ("ScheduleAnyway").
  bool required = true;
  // The tasks that are counted. Absent: none.
  std::optional<Selector> selector = {};
  // With fewer values than this, the lowest count is 0. 1 or more.
  std::optional<int32_t> min_domains = {};
  // False: nodes that the task may not use count, too.
  bool honor_node_affinity = true;
  // True: nodes with taints that the task does not tolerate do not count.
  bool honor_taints = false;
  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// The protocol of a port. The words are "TCP", "UDP" and "SCTP".
enum class Protocol : uint8_t { kTcp, kUdp, kSctp };

// A port of the node that the task occupies. Two tasks of a node conflict over a port if number and
// protocol are equal, and the addresses are equal or one of them is 0.0.0.0.
struct HostPort {
  // An address of the node. "0.0.0.0": all of them.
  std::string ip = "0.0.0.0";
  Protocol protocol = Protocol::kTcp;
  // 1 to 65535.
  int32_t port = 0;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// --- what a task requests -----------------------------------------------------------------------

// A container of a task, for the rules that look at containers one by one: zones, images.
struct ContainerSpec {
  // A part of the task's request. TaskShape::request has the whole.
  Resources request = {};
  // It runs before the others and has ended when they start.
  bool init = false;
  // It starts before the others and goes on running beside them.
  bool sidecar = false;
  // Its name as nodes list it (ImageSpec). Empty: unknown.
  std::string image = {};
  friend bool operator==(const ContainerSpec&, const ContainerSpec&) = default;
};

// The part of a node from which all devices of a request come. The words are "", "zone" and "link".
enum class SamePart : uint8_t {
  // "": any devices of the node.
  kNode,
  // From one NUMA zone.
  kZone,
  // From one link: an NVLink clique, a PCIe switch, ...
  kLink,
};

// Devices of one kind that a task requests on its node. A task requests each kind once.
//
//   shape.devices = {{.kind = "gpu", .count = 2, .same = muster::SamePart::kLink},
//                    {.kind = "rdma", .milli = 250}};
//
// The plan lists which devices it gets (ChosenDevice in plan.h).
struct DeviceRequest {
  // As DeviceSpec::kind: "gpu", "rdma". Not empty.
  std::string kind = {};
  // How many different devices; 1 or more.
  int64_t count = 1;
  // Thousandths of each device; 1 to 1000.
  int64_t milli = 1000;
  // Bytes of each device. 0: any amount will do.
  Quantity memory = 0;
  // Models that will do. Empty: any.
  std::vector<std::string> models = {};
  // True: only devices that no other task holds a part of, and all of them.
  bool exclusive = false;
  // Requests of a task with the same word share one zone, or one link.
  SamePart same = SamePart::kNode;
  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

// How a node's CPU manager aligns tasks with NUMA zones. The words are "", "none", "best-effort",
// "restricted" and "single-numa-node".
enum class Alignment : uint8_t {
  // As kNone.
  kUnset,
  // Of a node: zones are ignored. Of a task: any node will do.
  kNone,
  // Prefers few zones and admits every task.
  kBestEffort,
  // Admits a task only on the fewest zones that could hold it.
  kRestricted,
  // Admits a task only inside one zone.
  kSingleNumaNode,
};

// What only schedulers of pods distinguish about a request, and about spread constraints. Profile
// kube-scheduler reads it.
struct PodTraits {
  // The part of TaskShape::request that belongs to no container (overhead of a runtime class).
  Resources overhead = {};
  // True: `request` was given for the task as a whole. Scores then count an absent amount of a
  // container as nothing where the whole has it. Default: false, the containers' amounts add up.
  bool whole_request = false;
  // Terms that the scheduler's configuration adds to required node affinity: nodes must match one
  // of them, too. Absent: none are added.
  std::optional<std::vector<NodeTerm>> added_affinity = {};
  // True: `spread` has the scheduler's own default constraints. A node that lacks a key is then
  // scored, too. Default: false, the constraints are the task's own.
  bool default_spread = false;
  friend bool operator==(const PodTraits&, const PodTraits&) = default;
};

// Everything about a task that decides where it may run.
//
// The defaults set no constraint: the task requests one of `pods` and may run on every node.
struct TaskShape {
  // What the task holds while it runs. Every task also requests one of `pods`.
  Resources request = {};
  // What it needs to start, for profiles that distinguish the two (init containers). Absent: as
  // `request`.
  std::optional<Resources> initial_request = {};
  // Requests of its containers. Empty: one container that requests `request`.
  std::vector<ContainerSpec> containers = {};
  // JSON: "namespace". Not empty.
  std::string name_space = "default";
  // Selectors of other tasks and of disruption budgets are compared with these.
  Labels labels = {};
  // Nodes must have all of these labels.
  Labels node_selector = {};
  // Nodes must match one of these terms. An empty list matches no node; absent: any node.
  std::optional<std::vector<NodeTerm>> required_node_affinity = {};
  // Nodes that match score higher.
  std::vector<PreferredNodeTerm> preferred_node_affinity = {};
  // Nodes must be near (must not be near) tasks that the terms select.
  std::vector<AffinityTerm> required_affinity = {}, required_anti_affinity = {};
  // Nodes near such tasks score higher (lower).
  std::vector<PreferredAffinityTerm> preferred_affinity = {}, preferred_anti_affinity = {};
  // Taints that it accepts.
  std::vector<Toleration> tolerations = {};
  // How it is spread over the values of node labels. All constraints must hold.
  std::vector<SpreadConstraint> spread = {};
  // Ports of the node that it occupies.
  std::vector<HostPort> host_ports = {};
  // The task accepts nodes that are lent for hours of the day (policy tdm).
  bool revocable = false;
  // Guaranteed QoS: its limits equal its requests. For such tasks NUMA rules also cover cpu and
  // memory (policies zones and numa-aware). It is not a queue's guarantee.
  bool guaranteed_qos = false;
  // Devices that it needs (policy devices). Each kind once.
  std::vector<DeviceRequest> devices = {};
  // Only nodes that align tasks this way will do (policy numa-aware). kUnset, kNone: any node.
  Alignment alignment = Alignment::kUnset;
  // Absent: no overhead, and amounts and constraints are its own.
  Boxed<PodTraits> pod = {};
  friend bool operator==(const TaskShape&, const TaskShape&) = default;
};

}  // namespace muster

#endif  // MUSTER_SHAPE_H_
