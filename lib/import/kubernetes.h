// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Kubernetes' own objects, which every importer shares: nodes, pods, namespaces with their quotas,
// priority classes, disruption budgets, measured load.
//
//   for (const ApiObject* node : dump.OfKind("Node")) nodes.push_back(ReadNode(*node, {}));
//   task.shape = ReadShape(*pod, PodRules{});
//   scenario->cluster.budgets = ReadBudgets(dump);
//
// What a pod requests follows Kubernetes' own arithmetic: the largest of what its containers
// request together and of what each init container needs while the sidecars started before it run;
// requests of the pod as a whole replace these and overhead is added. PodRules is for schedulers
// that reckon otherwise.
//
// Refusals and what a scenario cannot hold go to the log of the objects. Each call costs time
// linear in its objects.
#ifndef MUSTER_IMPORT_KUBERNETES_H_
#define MUSTER_IMPORT_KUBERNETES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/import/amounts.h"
#include "lib/import/api_object.h"
#include "lib/import/field.h"
#include "muster/spec.h"

namespace muster {

// How a scheduler reads what a pod requests.
struct PodRules {
  bool modern = true;             // sidecars, requests of pods, overhead and resizes count
  bool ephemeral_storage = true;  // ephemeral-storage is a dimension
  bool separate_init = false;     // init containers count only in what the pod needs to start
  bool images = false;            // containers are listed with their images
  // A limit without a request is a request. The API server sees to it for pods, not for templates.
  bool limits_are_requests = false;
  bool claims = false;  // the importer reads devices that the pod claims; else they are reported
};

// --- requests (kubernetes_requests.cc) ---

// Returns whether schedulers count the resource at all; they ignore other names silently.
bool IsDimension(std::string_view name, bool ephemeral_storage);
// Those of the amounts that are dimensions; others are reported under `path` of the object.
AmountMap Dimensions(const AmountMap& amounts, const ApiObject& object, std::string_view path,
                     bool ephemeral_storage);

struct ContainerAmounts {
  Field container;
  AmountMap requests;
  bool init = false;
};
struct PodAmounts {
  AmountMap held;                            // while it runs
  AmountMap needed;                          // to start
  std::vector<ContainerAmounts> containers;  // init containers last
};
PodAmounts ReadRequests(const ApiObject& pod, const PodRules& rules);
bool IsSidecar(const Field& container);
// Returns whether all containers have limits of cpu and memory that equal their requests.
bool IsGuaranteed(const ApiObject& pod);

// --- placement rules (kubernetes_selectors.cc, kubernetes_shapes.cc) ---

std::vector<Requirement> ReadRequirements(const Field& holder, std::string_view key);
// Returns a label selector; nothing where it is not given.
std::optional<Selector> ReadSelector(const Field& selector);
// Adds the pod's own values of labels `keys` to the selector: `op` kIn for matchLabelKeys, kNotIn
// for mismatchLabelKeys. Keys that the pod lacks mean nothing. The API server may have put them
// there already.
void AddOwnLabels(const ApiObject& pod, const std::vector<std::string>& keys, RequirementOp op,
                  Selector* selector);
// Returns whether a selector selects an object with these labels. An absent selector selects
// nothing.
bool Selects(const std::optional<Selector>& selector, const Labels& labels);
// Returns whether nodes that break a constraint of spread are refused (DoNotSchedule, or nothing
// said). Refuses other words than that and ScheduleAnyway, as the API server does.
bool ReadUnsatisfiable(const Field& word);
// Returns whether a policy of inclusion is Honor; `honors`, where nothing is said. Refuses other
// words than that and Ignore, as the API server does.
bool ReadInclusion(const Field& word, bool honors);
// Returns whether a preemptionPolicy is Never. Refuses other words than that and
// PreemptLowerPriority, as the API server does.
bool ReadNeverPreempts(const Field& word);
// Returns everything that decides where the pod may run.
TaskShape ReadShape(const ApiObject& pod, const PodRules& rules);
// What a template of pods is made of.
struct PodParts {
  Field metadata, spec;
  std::string_view name_space, name;
};
// Returns a pod of that name (pod_template.cc). Its refusals name "Template of pods" and the pod.
// Returns null, with a refusal in the log, where the template holds more than the limits.
std::unique_ptr<ApiObject> MakePod(const PodParts& parts, const Limits& limits, ImportLog* log);
// The rules of affinity among them (kubernetes_affinity.cc).
void ReadAffinity(const ApiObject& pod, TaskShape* shape);

// --- nodes and the rest (kubernetes_nodes.cc, kubernetes_namespaces.cc) ---

struct NodeRules {
  bool ephemeral_storage = true;
  bool conditions = true;  // conditions count, beside taints
};
// Returns the node. A node without an amount of `pods` holds none.
NodeSpec ReadNode(const ApiObject& node, const NodeRules& rules);
// Gives nodes their usage by values of the custom metrics API: parts of one, under the names
// node_cpu_usage_avg and node_memory_usage_avg. If the two have different times, that of memory
// counts.
void ReadUsage(const Dump::Objects& values, std::vector<NodeSpec>* nodes);

// Returns the namespaces with labels, and what their quotas allow and have in use.
std::vector<NamespaceSpec> ReadNamespaces(const Dump& dump);
std::vector<DisruptionBudgetSpec> ReadBudgets(const Dump& dump);
struct PriorityClasses {
  HashMap<std::string, int32_t> values;
  std::optional<int32_t> fallback = {};     // of what names no class: the global default, if any
  HashSet<std::string> never_preempt = {};  // classes of preemptionPolicy Never
  bool fallback_never_preempts = false;

  // Returns whether a pod of the class that states no preemptionPolicy never preempts.
  // `states_priority`: the pod has a priority, so the API server has seen its class.
  bool NeverPreempts(const std::string& name, bool states_priority) const {
    if (values.contains(name)) return never_preempt.contains(name);
    return !states_priority && fallback_never_preempts;
  }
};
PriorityClasses ReadPriorityClasses(const Dump& dump);

}  // namespace muster

#endif  // MUSTER_IMPORT_KUBERNETES_H_
