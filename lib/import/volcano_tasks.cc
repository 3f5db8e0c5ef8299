// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's annotations, labels and fields of pods.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"
#include "lib/import/volcano.h"

namespace muster::volcano {
namespace {

// Returns when the pod's cooldown ends, counted from when it was scheduled; nothing where it has
// none.
std::optional<int64_t> ProtectedUntil(const ApiObject& pod) {
  constexpr std::string_view kCooldown = "volcano.sh/cooldown-time";
  const std::string* text = pod.Label(kCooldown);
  const char* marks = text != nullptr ? "metadata.labels" : "metadata.annotations";
  if (text == nullptr) text = pod.Annotation(kCooldown);
  if (text == nullptr) return std::nullopt;
  const std::optional<int64_t> cooldown =
      pod.MarkedDuration(*text, absl::StrCat(marks, JsonPathStep(kCooldown)));
  if (!cooldown) return std::nullopt;
  for (const Field& condition : pod.status().Items("conditions")) {
    if (!condition["type"].Is("PodScheduled") || !condition["status"].Is("True")) continue;
    const int64_t since = condition.Seconds("lastTransitionTime");
    return since + *cooldown;
  }
  return std::nullopt;
}

// Returns whether the pod accepts a node that is lent for hours: it is marked so, or as
// preemptable.
bool IsRevocable(const ApiObject& pod) {
  if (const std::string* zone = pod.Annotation("volcano.sh/revocable-zone"); zone != nullptr) {
    return *zone == "*";
  }
  const std::string* mark = pod.Annotation("volcano.sh/preemptable");
  return mark != nullptr && IsTrue(*mark);
}

std::string RoleOf(const ApiObject& pod) {
  for (const std::string* role :
       {pod.Annotation("volcano.sh/task-spec"), pod.Label("volcano.sh/task-spec")}) {
    if (role != nullptr && !role->empty()) return *role;
  }
  return "";
}

// The number that ends a name of at least three parts: of "job-worker-10" it is 10.
std::optional<int64_t> OrdinalOf(std::string_view name) {
  if (std::count(name.begin(), name.end(), '-') < 2) return std::nullopt;
  return WholeNumber(name.substr(name.rfind('-') + 1));
}

void AddToTask(const ApiObject& pod, bool lists_cpus, TaskSpec* task) {
  if (const std::string* own = pod.Annotation("volcano.sh/task-priority"); own != nullptr) {
    const std::optional<int64_t> priority = WholeNumber(*own);
    const bool fits = priority.has_value() && static_cast<int32_t>(*priority) == *priority;
    if (fits) task->priority = static_cast<int32_t>(*priority);
  }
  if (!task->job.empty()) task->group = RoleOf(pod);
  task->preemptable = ReadMark(pod, "volcano.sh/preemptable", true);
  task->ordinal = OrdinalOf(pod.name());
  if (const int64_t started = pod.status().Seconds("startTime"); started != 0) {
    task->started = started;
  }
  task->protected_until = ProtectedUntil(pod);
  for (const Field& gate : pod.spec().Items("schedulingGates")) {
    task->gates.push_back(gate.Text("name"));
  }
  task->shape.revocable = IsRevocable(pod);
  task->shape.alignment = ReadAlignment(pod);
  // Only the policy that aligns tasks with zones needs it.
  if (lists_cpus || task->shape.alignment != Alignment::kUnset)
    task->shape.guaranteed_qos = IsGuaranteed(pod);
}

// Roles of tasks become groups of their jobs, beside those that have a minimum.
void AddRoles(ClusterSpec* cluster) {
  HashMap<std::string, size_t> jobs;
  for (size_t i = 0; i < cluster->jobs.size(); ++i) jobs[cluster->jobs[i].name] = i;
  for (const TaskSpec& task : cluster->tasks) {
    if (task.group.empty()) continue;
    std::vector<GroupSpec>& groups = cluster->jobs[jobs.find(task.job)->second].groups;
    const auto at = std::lower_bound(
        groups.begin(), groups.end(), task.group,
        [](const GroupSpec& group, const std::string& name) { return group.name < name; });
    if (at == groups.end() || at->name != task.group) groups.insert(at, {.name = task.group});
  }
}

}  // namespace

void AddToTasks(const Dump::Objects& objects, bool lists_cpus, ClusterSpec* cluster) {
  for (size_t i = 0; i < objects.size(); ++i) {
    AddToTask(*objects[i], lists_cpus, &cluster->tasks[i]);
  }
  AddRoles(cluster);
}

}  // namespace muster::volcano
