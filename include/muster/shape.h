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
// Two tasks whose shapes, read as amounts, are equal form one task class. A class is searched for
// once, so a cluster with few shapes is scheduled faster than one with many.
// Failure. These structs hold no invariants. A value that breaks a rule is refused when its task or
// job enters a Cluster: `job "train", group "w", toleration "gpu": an empty key needs operator
// Exists`. Enums cannot hold a wrong word; where a word was never set, kUnset is refused like one.
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
// listed twice is refused, and so is a negative amount. Cpu is kept in thousandths, all else in
// whole units: bytes, devices, tasks.
using Resources = std::vector<std::pair<std::string, Quantity>>;

// Key -> value. A key listed twice is refused. An empty value is a value.
using Labels = std::vector<std::pair<std::string, std::string>>;

// --- constraints --------------------------------------------------------------------------------

// What a taint does to tasks that do not tolerate it. The words are those of Kubernetes:
// "NoSchedule", "PreferNoSchedule", "NoExecute".
enum class TaintEffect : uint8_t {
  kUnset,             // "": a taint must have an effect; a toleration without one covers them all
  kNoSchedule,        // the task may not be placed on the node
  kPreferNoSchedule,  // nodes without the taint score higher
  kNoExecute,         // as kNoSchedule; a task that runs on the node already is left alone
};

// A mark on a node that keeps tasks away.
struct Taint {
  std::string key = {}, value = {};          // the key is required, the value may be empty
  TaintEffect effect = TaintEffect::kUnset;  // required
  friend bool operator==(const Taint&, const Taint&) = default;
};

// How a toleration compares values. The words are "Equal" and "Exists".
enum class TolerationOp : uint8_t {
  kEqual,   // the taint has the same value
  kExists,  // the taint has any value
};

// Taints that a task accepts. A toleration covers a taint if key, effect and value all match.
struct Toleration {
  std::string key = {};  // empty: any key; refused unless `op` is kExists
  TolerationOp op = TolerationOp::kEqual;
  std::string value = {};                    // compared if `op` is kEqual
  TaintEffect effect = TaintEffect::kUnset;  // kUnset: any effect
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

// How a requirement compares a label. The words are "In", "NotIn", "Exists", "DoesNotExist", "Gt"
// and "Lt".
enum class RequirementOp : uint8_t {
  kUnset,         // "": refused
  kIn,            // the label has one of the values; at least one value is given
  kNotIn,         // the label is absent or has none of them; at least one value is given
  kExists,        // the label is there; no values are given
  kDoesNotExist,  // the label is not there; no values are given
  kGt,            // nodes only: the label, read as an integer, is above the one value given
  kLt,            // nodes only: the label, read as an integer, is below the one value given
};

// One condition on the labels of a node, task or namespace.
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

// A preference for the nodes that `term` selects.
struct PreferredNodeTerm {
  int32_t weight = 1;  // 1 to 100; added to the score of these nodes
  NodeTerm term = {};
  friend bool operator==(const PreferredNodeTerm&, const PreferredNodeTerm&) = default;
};

// Other tasks, and how near counts: nodes with one value of the label `topology_key` are near each
// other.
struct AffinityTerm {
  std::string topology_key = {};
  std::optional<Selector> selector = {};     // absent: selects no task
  std::vector<std::string> namespaces = {};  // none, and no namespace_selector: the task's own
  std::optional<Selector> namespace_selector = {};  // adds to `namespaces`
  friend bool operator==(const AffinityTerm&, const AffinityTerm&) = default;
};

// A preference for, or against, nodes near tasks that `term` selects.
struct PreferredAffinityTerm {
  int32_t weight = 1;  // 1 to 100
  AffinityTerm term = {};
  friend bool operator==(const PreferredAffinityTerm&, const PreferredAffinityTerm&) = default;
};

// Spreads the tasks of a selector over the values of a node label.
struct SpreadConstraint {
  std::string topology_key = {};
  int32_t max_skew = 1;                     // 1 or more: how far a value may be above the lowest
  bool required = true;                     // false: a preference ("ScheduleAnyway")
  std::optional<Selector> selector = {};    // absent: selects no task
  std::optional<int32_t> min_domains = {};  // with fewer values than this the lowest counts as 0
  bool honor_node_affinity = true;          // false: nodes that the task may not use count, too
  bool honor_taints = false;  // true: nodes with taints that it does not tolerate do not count
  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// The protocol of a port. The words are "TCP", "UDP" and "SCTP".
enum class Protocol : uint8_t { kTcp, kUdp, kSctp };

// A port of the node that the task occupies. Two tasks of a node conflict over a port if number and
// protocol are equal, and the addresses are equal or one of them is 0.0.0.0.
struct HostPort {
  std::string ip = "0.0.0.0";
  Protocol protocol = Protocol::kTcp;
  int32_t port = 0;  // 1 to 65535
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// --- what a task requests -----------------------------------------------------------------------

// A container of a task, for the rules that look at containers one by one: zones, images.
struct ContainerSpec {
  Resources request = {};
  bool init = false;       // it runs before the others and has ended when they start
  bool sidecar = false;    // an init container that goes on running beside the others
  std::string image = {};  // its name as nodes list it (ImageSpec); empty: unknown
  friend bool operator==(const ContainerSpec&, const ContainerSpec&) = default;
};

// The part of a node from which all devices of a request come. The words are "", "zone" and "link".
enum class SamePart : uint8_t {
  kNode,  // "": any devices of the node
  kZone,  // from one NUMA zone
  kLink,  // from one link: an NVLink clique, a PCIe switch, ...
};

// Devices of one kind that a task requests on its node. A task requests each kind once.
struct DeviceRequest {
  std::string kind = {};                 // "gpu", "rdma", ...: as DeviceSpec::kind
  int64_t count = 1;                     // different devices; 1 or more
  int64_t milli = 1000;                  // thousandths of each device; 1 to 1000
  Quantity memory = 0;                   // bytes of each device; 0: any amount will do
  std::vector<std::string> models = {};  // one of these; empty: any
  bool exclusive = false;                // whole devices, with nothing of them held by others
  SamePart same = SamePart::kNode;       // requests with one word share one zone, or one link
  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

// How a node's CPU manager aligns tasks with NUMA zones. The words are "", "none", "best-effort",
// "restricted" and "single-numa-node".
enum class Alignment : uint8_t {
  kUnset,           // as kNone
  kNone,            // of a node: zones are not looked at; of a task: any node will do
  kBestEffort,      // prefers few zones and admits every task
  kRestricted,      // admits a task only on the fewest zones that could hold it
  kSingleNumaNode,  // admits a task only inside one zone
};

// Everything about a task that decides where it may run.
struct TaskShape {
  // What the task holds while it runs. Every task also requests one of `pods`.
  Resources request = {};
  // What it needs to start, for profiles that distinguish the two (init containers). Absent: as
  // `request`.
  std::optional<Resources> initial_request = {};
  // Requests of its containers. Empty: one container that requests `request`.
  std::vector<ContainerSpec> containers = {};
  std::string name_space = "default";  // JSON: "namespace"; not empty
  Labels labels = {};                  // what selectors of other tasks and budgets see
  // Nodes must have all of these labels.
  Labels node_selector = {};
  // Nodes must match one of these terms. An empty list matches no node; absent: any node.
  std::optional<std::vector<NodeTerm>> required_node_affinity = {};
  std::vector<PreferredNodeTerm> preferred_node_affinity = {};
  // Nodes must be near (must not be near) tasks that the terms select.
  std::vector<AffinityTerm> required_affinity = {}, required_anti_affinity = {};
  std::vector<PreferredAffinityTerm> preferred_affinity = {}, preferred_anti_affinity = {};
  std::vector<Toleration> tolerations = {};
  std::vector<SpreadConstraint> spread = {};
  std::vector<HostPort> host_ports = {};
  // The task accepts nodes that are lent for hours of the day (policy tdm).
  bool revocable = false;
  // Guaranteed QoS: its limits equal its requests. NUMA rules hold such tasks to cpu and memory of
  // zones, too (policies zones and numa-aware). It is not a queue's guarantee.
  bool guaranteed_qos = false;
  // Devices that it needs (policy devices). Each kind once.
  std::vector<DeviceRequest> devices = {};
  // Only nodes that align tasks this way will do (policy numa-aware). kUnset, kNone: any node.
  Alignment alignment = Alignment::kUnset;
  friend bool operator==(const TaskShape&, const TaskShape&) = default;
};

}  // namespace muster

#endif  // MUSTER_SHAPE_H_
