// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/kube_scheduler.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"
#include "lib/import/kubernetes.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster {

extern const Importer kPodImporter;

namespace {

constexpr std::string_view kPodScheduler = "kube-scheduler";
constexpr std::string_view kPodGroups[] = {"scheduling.k8s.io"};
constexpr KindRule kPodKinds[] = {{"Node"},
                                  {"Pod"},
                                  {"Namespace"},
                                  {"PriorityClass"},
                                  {"PodDisruptionBudget"},
                                  {"Service"},
                                  {"ReplicationController"},
                                  {"ReplicaSet"},
                                  {"StatefulSet"},
                                  {"PodGroup", kPodGroups}};

TaskStatus StatusOfPod(const ApiObject& pod, bool has_node) {
  const std::string phase = pod.status().Text("phase", has_node ? "Running" : "Pending");
  if (phase == "Succeeded") return TaskStatus::kSucceeded;
  if (phase == "Failed") return TaskStatus::kFailed;
  if (!has_node) return TaskStatus::kPending;
  if (pod.metadata()["deletionTimestamp"].given()) return TaskStatus::kReleasing;
  return phase == "Pending" ? TaskStatus::kBound : TaskStatus::kRunning;
}

std::string KeyOfOwner(std::string_view kind, std::string_view name_space, std::string_view name) {
  return absl::StrCat(ToAbsl(kind), "/", ToAbsl(name_space), "/", ToAbsl(name));
}

}  // namespace

std::string PodReader::profile(std::string_view name) const {
  std::string profile(name);
  if (options_.empty()) return profile;
  std::vector<std::string> words;
  for (const auto& [option, value] : options_) words.push_back(absl::StrCat(option, "=", value));
  return absl::StrCat(profile, ":schedule(", absl::StrJoin(words, ","), ")");
}

void PodReader::AddOwners(const Dump& dump) {
  for (const ApiObject* object : dump.OfKind("Service")) {
    if (!object->spec()["selector"].given()) continue;  // it selects no pod
    services_.push_back({object->name_space(), {object->spec().TextMap("selector"), {}}});
  }
  const auto add = [&](const ApiObject& owner, Selector selector) {
    owners_.try_emplace(KeyOfOwner(owner.kind(), owner.name_space(), owner.name()),
                        std::move(selector));
  };
  for (const ApiObject* object : dump.OfKind("ReplicationController")) {
    add(*object, {object->spec().TextMap("selector"), {}});
  }
  for (const std::string_view kind : {"ReplicaSet", "StatefulSet"}) {
    for (const ApiObject* object : dump.OfKind(kind)) {
      std::optional<Selector> selector = ReadSelector(object->spec()["selector"]);
      if (selector) add(*object, *std::move(selector));
    }
  }
}

const Selector* PodReader::OwnerOf(const ApiObject& pod, const Field& reference) const {
  const auto it =
      owners_.find(KeyOfOwner(reference.Text("kind"), pod.name_space(), reference.Text("name")));
  return it == owners_.end() ? nullptr : &it->second;
}

bool PodReader::KnowsOwner(const ApiObject& pod, const Field& reference) const {
  return OwnerOf(pod, reference) != nullptr;
}

void PodReader::AddDefaultSpread(const ApiObject& pod, TaskShape* shape) const {
  if (!shape->spread.empty()) return;
  Selector selector;
  const auto add_label = [&](const std::pair<std::string, std::string>& label) {
    for (auto& [key, value] : selector.match_labels) {
      if (key == label.first) {
        value = label.second;
        return;
      }
    }
    selector.match_labels.push_back(label);
  };
  for (const Service& service : services_) {
    if (service.name_space != pod.name_space() || !Selects(service.selector, shape->labels))
      continue;
    for (const auto& label : service.selector.match_labels) add_label(label);
  }
  for (const Field& reference : pod.metadata().Items("ownerReferences")) {
    if (!reference.Bool("controller", false)) continue;
    const Selector* const owner = OwnerOf(pod, reference);
    if (owner == nullptr) continue;
    for (const auto& label : owner->match_labels) add_label(label);
    for (const Requirement& r : owner->match_expressions) {
      selector.match_expressions.push_back(r);
    }
  }
  if (selector.match_labels.empty() && selector.match_expressions.empty()) return;
  if (!system_defaults_) {
    shape->spread = default_spread_;
  } else {
    shape->spread = {
        {.topology_key = "kubernetes.io/hostname", .max_skew = 3, .required = false},
        {.topology_key = "topology.kubernetes.io/zone", .max_skew = 5, .required = false}};
  }
  for (SpreadConstraint& constraint : shape->spread) constraint.selector = selector;
  if (!shape->spread.empty() && system_defaults_) {
    if (!shape->pod) shape->pod.emplace();
    shape->pod->default_spread = true;
  }
}

namespace {

// Returns whether the pod mirrors one that the node itself runs from a file.
bool IsStatic(const ApiObject& pod) {
  return pod.Annotation("kubernetes.io/config.mirror") != nullptr;
}

// Returns whether a preemption of a scheduler evicted the pod.
bool IsPreempted(const ApiObject& pod) {
  const std::vector<Field> conditions = pod.status().Items("conditions");
  return std::ranges::any_of(conditions, [](const Field& condition) {
    return condition["type"].Is("DisruptionTarget") && condition["status"].Is("True") &&
           condition["reason"].Is("PreemptionByScheduler");
  });
}

// No other node can run it, as if a daemon set had made it for this node.
}  // namespace

void PinTo(const std::string& node, TaskShape* shape) {
  if (!shape->required_node_affinity) shape->required_node_affinity.emplace(1);
  for (NodeTerm& term : *shape->required_node_affinity) {
    term.match_fields.push_back({"metadata.name", RequirementOp::kIn, {node}});
  }
}

TaskSpec PodReader::ReadPod(const ApiObject& pod) const {
  const Field spec = pod.spec();
  TaskSpec task;
  task.name = pod.key();
  task.node = spec.Text("nodeName");
  task.status = StatusOfPod(pod, !task.node.empty());
  if (task.status == TaskStatus::kSucceeded || task.status == TaskStatus::kFailed)
    task.node.clear();
  task.shape = ReadShape(pod, {.images = true});
  TaskShape& shape = task.shape;
  PodTraits traits;
  for (const auto& [name, amount] : ReadAmounts(spec["overhead"])) {
    if (IsDimension(name, true)) traits.overhead.emplace_back(name, ToQuantity(name, amount));
  }
  traits.whole_request = spec.Section("resources")["requests"].truthy();
  traits.added_affinity = added_required_;
  if (traits != PodTraits()) shape.pod = traits;
  shape.guaranteed_qos = IsGuaranteed(pod);
  shape.preferred_node_affinity.insert(shape.preferred_node_affinity.end(),
                                       added_preferred_.begin(), added_preferred_.end());
  AddDefaultSpread(pod, &shape);
  if (task.status == TaskStatus::kReleasing && IsPreempted(pod)) {
    shape.labels.emplace_back(kube::kPreemptedLabel, "true");
  }
  if (!task.node.empty() && IsStatic(pod)) PinTo(task.node, &shape);
  task.nominated_node = pod.status().Text("nominatedNodeName");
  task.priority = spec.Int32("priority", 0);
  task.never_preempts = ReadNeverPreempts(spec["preemptionPolicy"]);
  task.priority_class = spec.Text("priorityClassName");
  if (points_.on("SchedulingGates")) {
    for (const Field& gate : spec.Items("schedulingGates")) task.gates.push_back(gate.Text("name"));
  }
  task.created = pod.created();
  if (pod.status()["startTime"].given()) task.started = pod.status().Seconds("startTime");
  const std::string group = spec.Section("schedulingGroup").Text("podGroupName");
  if (!group.empty()) task.job = absl::StrCat(pod.name_space(), "/", group);
  return task;
}

namespace {

// The least members that a policy of a group requires; 0: it is basic, and requires none.
int64_t ReadMinimum(const Field& policy) {
  const bool basic = policy["basic"].given(), gang = policy["gang"].given();
  if (basic == gang) {
    policy.Refuse(basic ? "Invalid value: must specify exactly one of: `basic`, `gang`"
                        : "Invalid value: must specify one of: `basic`, `gang`");
  }
  if (!gang) return 0;
  const int64_t least = policy.Section("gang").Int64("minCount", 0);
  if (least < 1) {
    RefuseInvalid(policy["gang"]["minCount"], "must be greater than or equal to 1");
  }
  return least;
}

}  // namespace

JobSpec PodReader::ReadPodGroup(const ApiObject& group) const {
  const Field spec = group.spec();
  JobSpec job;
  job.name = group.key();
  job.priority = spec.Int32("priority", 0);
  job.min_available = ReadMinimum(spec.Section("schedulingPolicy"));
  job.pod_group = PodGroupTraits{.evicted_whole = spec.Section("disruptionMode")["all"].given() ||
                                                  spec.Section("disruptionMode")["All"].given() ||
                                                  spec["disruptionMode"].Is("All")};
  job.created = group.created();
  return job;
}

namespace {

// What the API server takes from the pod's priority class, where the pod does not state it.
void AddClass(const ApiObject& pod, const PriorityClasses& classes, TaskSpec* task) {
  const Field spec = pod.spec();
  const std::string& name = task->priority_class;
  const auto known = classes.values.find(name);
  const bool is_there = known != classes.values.end();
  const bool states_priority = spec["priority"].given();
  if (!spec["preemptionPolicy"].given()) {
    task->never_preempts = classes.NeverPreempts(name, states_priority);
  }
  if (states_priority) return;
  task->priority = is_there ? known->second : classes.fallback.value_or(0);
  if (is_there || name.empty()) return;
  pod.log()->Ignored(
      pod.place(), "spec.priorityClassName",
      absl::StrCat("priority class ", Quote(name), " is not there; the default counts"));
}

}  // namespace

void NoteMissingOwner(const ApiObject& pod, const PodReader& reader, const TaskSpec& task) {
  if (task.status != TaskStatus::kPending || !pod.spec().Items("topologySpreadConstraints").empty())
    return;
  for (const Field& reference : pod.metadata().Items("ownerReferences")) {
    const std::string kind = reference.Text("kind");
    const bool selects =
        kind == "ReplicaSet" || kind == "StatefulSet" || kind == "ReplicationController";
    if (!selects || !reference.Bool("controller", false) || reader.KnowsOwner(pod, reference)) {
      continue;
    }
    constexpr char kWhy[] =
        " that own pods are not there; these pods are spread by no selector of theirs";
    pod.log()->Ignored("dump", "", absl::StrCat("objects ", kind, kWhy));
  }
}

namespace {

// Since 1.37 images of volumes count as those of containers do (ImageLocality).
void AddImageVolumes(const ApiObject& pod, TaskShape* shape) {
  for (const Field& volume : pod.spec().Items("volumes")) {
    const Field reference = volume.Section("image")["reference"];
    if (!reference.given() || reference.kind() != JsonKind::kString) continue;
    ContainerSpec& entry = shape->containers.emplace_back();
    entry.request = {{"cpu", 0}, {"memory", 0}};
    entry.image = reference.AsText();
  }
}

}  // namespace

void ReadPodsOfDump(const ImportSource& source, const PodReader& reader, const Importer& own,
                    const std::function<std::string(const ApiObject&)>& group_of,
                    ClusterSpec* cluster) {
  HashSet<std::string> nodes, jobs;
  for (const NodeSpec& node : cluster->nodes) nodes.insert(node.name);
  for (const JobSpec& job : cluster->jobs) jobs.insert(job.name);
  const PriorityClasses classes = ReadPriorityClasses(source.dump);
  for (const ApiObject* object : source.dump.OfKind("Pod")) {
    if (!source.log->ok()) return;
    if (EndsWithoutNode(*object)) continue;
    const std::string scheduler = object->spec().Text("schedulerName");
    const Importer* other = ImporterOfScheduler(scheduler);
    if (other != nullptr && other != &own && other != &kPodImporter && WaitsForNode(*object)) {
      source.log->LeftOut(object->place(), "spec.schedulerName",
                          absl::StrCat("waits for another scheduler, ", Quote(scheduler)));
      continue;
    }
    if (WaitsForNode(*object)) {
      if (const std::optional<std::string> why = reader.WhyForeign(scheduler)) {
        source.log->LeftOut(object->place(), "spec.schedulerName", *why);
        continue;
      }
    }
    TaskSpec task = reader.ReadPod(*object);
    AddClass(*object, classes, &task);
    NoteMissingOwner(*object, reader, task);
    if (&own == &kPodImporter) AddImageVolumes(*object, &task.shape);
    if (!task.node.empty() && nodes.find(task.node) == nodes.end()) {
      source.log->LeftOut(object->place(), "spec.nodeName",
                          absl::StrCat("node ", Quote(task.node), " is not there"));
      continue;
    }
    if (task.job.empty()) task.job = group_of(*object);
    if (!task.job.empty() && jobs.find(task.job) == jobs.end()) {
      source.log->LeftOut(object->place(), "spec.schedulingGroup",
                          absl::StrCat("pod group ", Quote(task.job), " is not there; it waits"));
      continue;
    }
    cluster->tasks.push_back(std::move(task));
  }
}

namespace {

constexpr std::string_view kPodSchedulers[] = {"default-scheduler"};

void AddClassOfGroup(const ApiObject& group, const PriorityClasses& classes, JobSpec* job) {
  const Field spec = group.spec();
  if (spec["schedulingConstraints"].truthy()) {
    spec["schedulingConstraints"].Ignored("places in topologies are not considered");
  }
  if (ReadNeverPreempts(spec["preemptionPolicy"])) {
    spec["preemptionPolicy"].Ignored("that of the pods counts");
  }
  if (spec["priority"].given()) return;
  const Field name = spec["priorityClassName"];
  const auto known = classes.values.find(name.AsText());
  if (known != classes.values.end()) {
    job->priority = known->second;
  } else {
    job->priority = classes.fallback.value_or(0);
    if (name.truthy()) name.Ignored("the priority class is not there; the default counts");
  }
}

void ReadPodDump(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  PodReader reader(source.configuration);
  reader.AddOwners(source.dump);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    cluster.nodes.push_back(ReadNode(*object, {.conditions = false}));
  }
  const PriorityClasses classes = ReadPriorityClasses(source.dump);
  for (const ApiObject* object : source.dump.OfKind("PodGroup")) {
    cluster.jobs.push_back(reader.ReadPodGroup(*object));
    AddClassOfGroup(*object, classes, &cluster.jobs.back());
    cluster.jobs.back().queue = source.options.default_queue;
  }
  if (!cluster.jobs.empty()) cluster.queues.push_back({.name = source.options.default_queue});
  ReadPodsOfDump(
      source, reader, kPodImporter, [](const ApiObject&) { return std::string(); }, &cluster);
  cluster.namespaces = ReadNamespaces(source.dump);
  cluster.budgets = ReadBudgets(source.dump);
  scenario->profile = reader.profile(kPodScheduler);
}

}  // namespace

const Importer kPodImporter = {kPodScheduler, kPodGroups, kPodKinds, ReadPodDump, kPodSchedulers,
                               /*plain=*/true};

}  // namespace muster
