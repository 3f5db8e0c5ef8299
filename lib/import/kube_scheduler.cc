// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/kube_scheduler.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"
#include "lib/import/kubernetes.h"

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
constexpr char kRequiredTerms[] = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferredTerms[] = "preferredDuringSchedulingIgnoredDuringExecution";

// Those that decide nothing here.
constexpr std::string_view kQuietKeys[] = {
    "apiVersion",           "metadata",         "parallelism",
    "leaderElection",       "clientConnection", "healthzBindAddress",
    "metricsBindAddress",   "enableProfiling",  "enableContentionProfiling",
    "delayCacheUntilActive"};
// The points of which plug-ins are not switched.
constexpr std::string_view kFixedPoints[] = {"preEnqueue", "queueSort", "preFilter", "filter",
                                             "postFilter", "preScore",  "reserve",   "permit",
                                             "preBind",    "bind",      "postBind"};

struct WeightOption {
  std::string_view plugin, option;
};
constexpr WeightOption kWeightOptions[] = {{"NodeResourcesFit", "fit_weight"},
                                           {"NodeResourcesBalancedAllocation", "balanced_weight"},
                                           {"NodeAffinity", "node_affinity_weight"},
                                           {"TaintToleration", "taint_weight"},
                                           {"InterPodAffinity", "pod_affinity_weight"},
                                           {"PodTopologySpread", "spread_weight"},
                                           {"ImageLocality", "image_weight"}};

std::string_view OptionOfWeight(std::string_view plugin) {
  for (const WeightOption& rule : kWeightOptions) {
    if (rule.plugin == plugin) return rule.option;
  }
  return {};
}

std::string NamesWithWeights(const Field& holder) {
  std::vector<std::string> words;
  for (const Field& item : holder.Items("resources")) {
    const int64_t weight = std::max<int64_t>(1, item.Int64("weight", 1));
    words.push_back(absl::StrCat(item.Text("name"), ":", weight));
  }
  return absl::StrJoin(words, "+");
}

SpreadConstraint ReadDefaultConstraint(const Field& item) {
  SpreadConstraint constraint;
  constraint.topology_key = item.Text("topologyKey");
  constraint.max_skew = item.Int32("maxSkew", 1);
  constraint.required = item.Text("whenUnsatisfiable") != "ScheduleAnyway";
  return constraint;
}

std::vector<NodeTerm> ReadNodeTerms(const std::vector<Field>& terms) {
  std::vector<NodeTerm> out;
  for (const Field& term : terms) {
    out.push_back(
        {ReadRequirements(term, "matchExpressions"), ReadRequirements(term, "matchFields")});
  }
  return out;
}

TaskStatus StatusOfPod(const ApiObject& pod, bool has_node) {
  const std::string phase = pod.status().Text("phase", has_node ? "Running" : "Pending");
  if (phase == "Succeeded") return TaskStatus::kSucceeded;
  if (phase == "Failed") return TaskStatus::kFailed;
  if (!has_node) return TaskStatus::kPending;
  if (pod.metadata()["deletionTimestamp"].given()) return TaskStatus::kReleasing;
  return phase == "Pending" ? TaskStatus::kBound : TaskStatus::kRunning;
}

}  // namespace

PodReader::PodReader(const std::optional<Field>& configuration) {
  if (!configuration) return;
  const Field& root = *configuration;
  constexpr std::string_view kKnown[] = {"kind",
                                         "percentageOfNodesToScore",
                                         "podInitialBackoffSeconds",
                                         "podMaxBackoffSeconds",
                                         "extenders",
                                         "profiles"};
  if (std::ranges::none_of(kKnown, [&](std::string_view key) { return root[key].given(); })) {
    root.Ignored("has no key of a KubeSchedulerConfiguration; the defaults count");
  }
  root.RequireKind("KubeSchedulerConfiguration");
  root.Quiet(kQuietKeys);
  if (root["percentageOfNodesToScore"].given()) {
    Set("percentage", absl::StrCat(root.Int64("percentageOfNodesToScore", 0)));
  }
  if (root["podInitialBackoffSeconds"].given()) {
    Set("backoff", absl::StrCat(root.Int64("podInitialBackoffSeconds", 1)));
  }
  if (root["podMaxBackoffSeconds"].given()) {
    Set("longest_backoff", absl::StrCat(root.Int64("podMaxBackoffSeconds", 10)));
  }
  const std::vector<Field> profiles = root.Items("profiles");
  if (!profiles.empty()) ReadProfile(profiles[0]);
  for (size_t i = 1; i < profiles.size(); ++i) {
    profiles[i].Ignored("one profile is read, the first");
  }
  if (const Field extenders = root["extenders"]; extenders.truthy()) {
    extenders.Ignored("extenders are not asked");
  }
}

void PodReader::Set(std::string option, std::string value) {
  for (auto& [known, old] : options_) {
    if (known == option) {
      old = std::move(value);
      return;
    }
  }
  options_.emplace_back(std::move(option), std::move(value));
}

void PodReader::ReadProfile(const Field& profile) {
  profile.Quiet({"schedulerName"});
  if (profile["percentageOfNodesToScore"].given()) {
    Set("percentage", absl::StrCat(profile.Int64("percentageOfNodesToScore", 0)));
  }
  ReadPlugins(profile.Section("plugins"));
  std::vector<std::string> seen;
  for (const Field& item : profile.Items("pluginConfig")) {
    const std::string name = item.Text("name");
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      item["name"].Refuse(absl::StrCat(Quote(name), " is configured twice; once is allowed"));
    }
    seen.push_back(name);
    ReadArguments(name, item.Section("args"));
  }
}

void PodReader::ReadPlugins(const Field& plugins) {
  for (const std::string_view point : kFixedPoints) {
    const Field set = plugins[point];
    if (set.truthy()) set.Ignored("the plug-ins of this point stay as they are");
  }
  // What a plug-in's own point has goes before what stands for all points.
  for (const std::string_view point : {"multiPoint", "score"}) {
    const Field set = plugins.Section(point);
    for (const Field& item : set.Items("disabled")) {
      const std::string name = item.Text("name");
      for (const WeightOption& rule : kWeightOptions) {
        if (name == "*" || name == rule.plugin) Set(std::string(rule.option), "0");
      }
      if (name != "*" && OptionOfWeight(name).empty()) {
        item.Ignored(absl::StrCat(Quote(name), " is no plug-in that scores; it stays as it is"));
      }
    }
    std::vector<std::string> seen;
    for (const Field& item : set.Items("enabled")) {
      const std::string name = item.Text("name");
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        // Of all points the peer names the first that the plug-in has, which is not known here.
        item["name"].Refuse(
            point == "score"
                ? absl::StrCat("plugin ", Quote(name), " already registered as \"ScorePlugin\"")
                : absl::StrCat(Quote(name), " is enabled twice; once is allowed"));
      }
      seen.push_back(name);
      const std::string_view option = OptionOfWeight(name);
      if (option.empty()) {
        item.Ignored(absl::StrCat(Quote(name), " is no plug-in of this scheduler that scores"));
      } else {
        const int64_t weight = item.Int64("weight", 1);
        if (weight < 0) item["weight"].Refuse(absl::StrCat(weight, " is below 0; 1 or more is"));
        Set(std::string(option), absl::StrCat(std::max<int64_t>(weight, 1)));
      }
    }
  }
}

void PodReader::ReadArguments(const std::string& plugin, const Field& arguments) {
  arguments.Quiet({"apiVersion", "kind"});
  if (plugin == "NodeResourcesFit") {
    ReadFit(arguments);
  } else if (plugin == "NodeResourcesBalancedAllocation") {
    std::vector<std::string> names;
    for (const Field& item : arguments.Items("resources")) {
      names.push_back(item.Text("name"));
      item.Quiet({"weight"});
    }
    if (!names.empty()) Set("balanced", absl::StrJoin(names, "+"));
  } else if (plugin == "InterPodAffinity") {
    if (arguments["hardPodAffinityWeight"].given()) {
      Set("required_weight", absl::StrCat(arguments.Int64("hardPodAffinityWeight", 1)));
    }
    if (arguments.Bool("ignorePreferredTermsOfExistingPods", false)) Set("ignore_preferred", "on");
  } else if (plugin == "PodTopologySpread") {
    ReadSpreadDefaults(arguments);
  } else if (plugin == "NodeAffinity") {
    ReadAddedAffinity(arguments.Section("addedAffinity"));
  } else if (plugin == "DefaultPreemption") {
    if (arguments["minCandidateNodesPercentage"].given()) {
      Set("candidate_percentage", absl::StrCat(arguments.Int64("minCandidateNodesPercentage", 10)));
    }
    if (arguments["minCandidateNodesAbsolute"].given()) {
      Set("candidate_least", absl::StrCat(arguments.Int64("minCandidateNodesAbsolute", 100)));
    }
  } else {
    arguments.Ignored(absl::StrCat("arguments of plug-in ", Quote(plugin), " are not read"));
  }
}

void PodReader::ReadFit(const Field& arguments) {
  const auto list = [&](std::string_view key, const char* option) {
    const std::vector<std::string> names = arguments.Texts(key);
    if (!names.empty()) Set(option, absl::StrJoin(names, "+"));
  };
  list("ignoredResources", "ignored");
  list("ignoredResourceGroups", "ignored_groups");
  const Field strategy = arguments.Section("scoringStrategy");
  const std::string type = strategy.Text("type", "LeastAllocated");
  if (type == "MostAllocated") {
    Set("strategy", "most");
  } else if (type == "RequestedToCapacityRatio") {
    Set("strategy", "ratio");
  } else if (type != "LeastAllocated") {
    strategy["type"].Refuse(absl::StrCat(
        Quote(type),
        " is no strategy; expected LeastAllocated, MostAllocated or RequestedToCapacityRatio"));
  }
  const std::string resources = NamesWithWeights(strategy);
  if (!resources.empty()) Set("resources", resources);
  std::vector<std::string> points;
  int64_t last = -1;
  for (const Field& item : strategy.Section("requestedToCapacityRatio").Items("shape")) {
    const int64_t percent = item.Int64("utilization", 0), score = item.Int64("score", 0);
    if (percent <= last || percent > 100 || score < 0 || score > 10) {
      item.Refuse(absl::StrCat("utilization ", percent, " and score ", score,
                               " are no next point; utilization must grow within 0 to 100, and the "
                               "score be 0 to 10"));
    }
    last = percent;
    points.push_back(absl::StrCat(percent, ":", score));
  }
  if (!points.empty()) Set("shape", absl::StrJoin(points, "+"));
  if (type == "RequestedToCapacityRatio" && points.empty()) {
    strategy.Refuse("requestedToCapacityRatio.shape has no point; one or more is needed");
  }
}

void PodReader::ReadSpreadDefaults(const Field& arguments) {
  const std::string kind = arguments.Text("defaultingType", "System");
  system_defaults_ = kind == "System";
  if (!system_defaults_ && kind != "List") {
    arguments["defaultingType"].Refuse(
        absl::StrCat(Quote(kind), " is no way to set defaults; expected System or List"));
  }
  for (const Field& item : arguments.Items("defaultConstraints")) {
    if (system_defaults_) {
      item.Refuse("default constraints need defaultingType List");
      return;
    }
    default_spread_.push_back(ReadDefaultConstraint(item));
    if (default_spread_.back().max_skew < 1) {
      item["maxSkew"].Refuse(
          absl::StrCat(default_spread_.back().max_skew, " is below 1; 1 or more is"));
    }
  }
}

void PodReader::ReadAddedAffinity(const Field& affinity) {
  if (const Field required = affinity.Section(kRequiredTerms); required.given()) {
    added_required_ = ReadNodeTerms(required.Items("nodeSelectorTerms"));
  }
  for (const Field& term : affinity.Items(kPreferredTerms)) {
    const Field preference = term.Section("preference");
    added_preferred_.push_back({term.Int32("weight", 0),
                                {ReadRequirements(preference, "matchExpressions"),
                                 ReadRequirements(preference, "matchFields")}});
  }
}

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
    services_.push_back({"Service",
                         object->name_space(),
                         object->name(),
                         {object->spec().TextMap("selector"), {}}});
  }
  for (const ApiObject* object : dump.OfKind("ReplicationController")) {
    owners_.push_back({object->kind(),
                       object->name_space(),
                       object->name(),
                       {object->spec().TextMap("selector"), {}}});
  }
  for (const std::string_view kind : {"ReplicaSet", "StatefulSet"}) {
    for (const ApiObject* object : dump.OfKind(kind)) {
      const std::optional<Selector> selector = ReadSelector(object->spec()["selector"]);
      if (selector) {
        owners_.push_back({object->kind(), object->name_space(), object->name(), *selector});
      }
    }
  }
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
  for (const Owner& service : services_) {
    if (service.name_space != pod.name_space() || !Selects(service.selector, shape->labels))
      continue;
    for (const auto& label : service.selector.match_labels) add_label(label);
  }
  for (const Field& reference : pod.metadata().Items("ownerReferences")) {
    if (!reference.Bool("controller", false)) continue;
    for (const Owner& owner : owners_) {
      if (owner.kind != reference.Text("kind") || owner.name != reference.Text("name") ||
          owner.name_space != pod.name_space()) {
        continue;
      }
      for (const auto& label : owner.selector.match_labels) add_label(label);
      for (const Requirement& r : owner.selector.match_expressions) {
        selector.match_expressions.push_back(r);
      }
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

// No other node can run it, as if a daemon set had made it for this node.
void PinTo(const std::string& node, TaskShape* shape) {
  if (!shape->required_node_affinity) shape->required_node_affinity.emplace(1);
  for (NodeTerm& term : *shape->required_node_affinity) {
    term.match_fields.push_back({"metadata.name", RequirementOp::kIn, {node}});
  }
}

}  // namespace

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
  if (!task.node.empty() && IsStatic(pod)) PinTo(task.node, &shape);
  task.nominated_node = pod.status().Text("nominatedNodeName");
  task.priority = spec.Int32("priority", 0);
  task.never_preempts = spec.Text("preemptionPolicy") == "Never";
  task.priority_class = spec.Text("priorityClassName");
  for (const Field& gate : spec.Items("schedulingGates")) task.gates.push_back(gate.Text("name"));
  task.created = pod.created();
  if (pod.status()["startTime"].given()) task.started = pod.status().Seconds("startTime");
  const std::string group = spec.Section("schedulingGroup").Text("podGroupName");
  if (!group.empty()) task.job = absl::StrCat(pod.name_space(), "/", group);
  return task;
}

JobSpec PodReader::ReadPodGroup(const ApiObject& group) const {
  const Field spec = group.spec();
  JobSpec job;
  job.name = group.key();
  job.priority = spec.Int32("priority", 0);
  job.min_available = spec.Section("schedulingPolicy").Section("gang").Int64("minCount", 0);
  job.pod_group = PodGroupTraits{.evicted_whole = spec.Section("disruptionMode")["all"].given() ||
                                                  spec.Section("disruptionMode")["All"].given() ||
                                                  spec["disruptionMode"].Is("All")};
  job.created = group.created();
  return job;
}

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
    TaskSpec task = reader.ReadPod(*object);
    if (!object->spec()["priority"].given()) {
      const auto known = classes.values.find(task.priority_class);
      const bool is_there = known != classes.values.end();
      task.priority = is_there ? known->second : classes.fallback.value_or(0);
      if (!is_there && !task.priority_class.empty()) {
        source.log->Ignored(object->place(), "spec.priorityClassName",
                            absl::StrCat("priority class ", Quote(task.priority_class),
                                         " is not there; the default counts"));
      }
    }
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

void ReadPodDump(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  PodReader reader(source.configuration);
  reader.AddOwners(source.dump);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    cluster.nodes.push_back(ReadNode(*object, {.conditions = false}));
  }
  for (const ApiObject* object : source.dump.OfKind("PodGroup")) {
    cluster.jobs.push_back(reader.ReadPodGroup(*object));
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
