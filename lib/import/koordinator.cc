// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Koordinator's importer: elastic quotas are queues, gangs are jobs, and a pod without a gang is a
// job of one. Reservations and measured loads are read as they are.
//
// The quota of a pod is the one that its label names; else the one that is named like its
// namespace, there; else the first that lists its namespace; else the default quota. A gang is
// named by an annotation or a label of its pods, or is a PodGroup.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/importer.h"
#include "lib/import/json_text.h"
#include "lib/import/koordinator_configuration.h"
#include "lib/import/koordinator_devices.h"
#include "lib/import/koordinator_load.h"
#include "lib/import/koordinator_objects.h"
#include "lib/import/koordinator_quotas.h"
#include "lib/import/koordinator_wishes.h"
#include "lib/import/koordinator_zones.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"

namespace muster {
namespace {

constexpr std::string_view kKoordinatorName = "koordinator";
constexpr std::string_view kKoordinatorGroups[] = {
    "scheduling.koordinator.sh", "slo.koordinator.sh", "quota.koordinator.sh",
    "config.koordinator.sh", "scheduling.sigs.k8s.io"};
constexpr std::string_view kSigsGroups[] = {"scheduling.sigs.k8s.io"};
constexpr std::string_view kSloGroups[] = {"slo.koordinator.sh"};
constexpr std::string_view kSchedulingGroups[] = {"scheduling.koordinator.sh"};
constexpr std::string_view kConfigGroups[] = {"config.koordinator.sh"};
constexpr std::string_view kTopologyGroups[] = {"topology.node.k8s.io"};
constexpr KindRule kKoordinatorKinds[] = {{"Node"},
                                          {"Pod"},
                                          {"Namespace"},
                                          {"PriorityClass"},
                                          {"PodDisruptionBudget"},
                                          {"Service"},
                                          {"ReplicationController"},
                                          {"ReplicaSet"},
                                          {"StatefulSet"},
                                          {"ResourceQuota"},
                                          {"ElasticQuota", kSigsGroups},
                                          {"PodGroup", kSigsGroups},
                                          {"Reservation", kSchedulingGroups},
                                          {"NodeResourceTopology", kTopologyGroups},
                                          {"Device", kSchedulingGroups},
                                          {"NodeMetric", kSloGroups},
                                          {"NodeSLO", kSloGroups},
                                          {"PodMigrationJob", kSchedulingGroups},
                                          {"ClusterColocationProfile", kConfigGroups}};
constexpr std::string_view kRootQuota = "koordinator-root-quota";
constexpr std::string_view kDefaultQuota = "koordinator-default-quota";
constexpr std::string_view kQuotaOfPod = "quota.scheduling.koordinator.sh/name";
constexpr std::string_view kQuotaParent = "quota.scheduling.koordinator.sh/parent";
constexpr std::string_view kQuotaLends = "quota.scheduling.koordinator.sh/allow-lent-resource";
constexpr std::string_view kQuotaTree = "quota.scheduling.koordinator.sh/tree-id";
constexpr std::string_view kQuotaIsRoot = "quota.scheduling.koordinator.sh/is-root";
constexpr std::string_view kQuotaTotal = "quota.scheduling.koordinator.sh/total-resource";
constexpr std::string_view kQuotaApart = "quota.scheduling.koordinator.sh/ignore-default-tree";
constexpr std::string_view kQuotaWeight = "quota.scheduling.koordinator.sh/shared-weight";
constexpr std::string_view kQuotaSpaces = "quota.scheduling.koordinator.sh/namespaces";
constexpr std::string_view kPreemptible = "quota.scheduling.koordinator.sh/preemptible";
constexpr std::string_view kGangName = "gang.scheduling.koordinator.sh/name";
constexpr std::string_view kGangLeast = "gang.scheduling.koordinator.sh/min-available";
constexpr std::string_view kPodGroupOfPod = "pod-group.scheduling.sigs.k8s.io";
constexpr std::string_view kOldGroupOfPod = "pod-group.scheduling.sigs.k8s.io/name";
constexpr std::string_view kOldGroupLeast = "pod-group.scheduling.sigs.k8s.io/min-available";

std::string FieldOf(std::string_view section, std::string_view key) {
  return absl::StrCat("metadata.", ToAbsl(section), JsonPathStep(key));
}

// --- quotas

std::string AmountsText(const AmountMap& amounts) {
  std::vector<std::string> texts;
  for (const auto& [name, amount] : ToResources(amounts)) {
    texts.push_back(absl::StrCat(name, "=", amount.text));
  }
  return absl::StrJoin(texts, ",");
}

// The amounts of a JSON annotation; nothing where there is none, or where it is none.
std::optional<AmountMap> AnnotatedAmounts(const ApiObject& object, std::string_view key,
                                          std::string_view otherwise) {
  const std::optional<JsonRow> row = AnnotatedJson(object, key);
  if (!row) return std::nullopt;
  ImportLog unread;
  const FieldSource source{object.place(), &*row, &unread};
  AmountMap given = ReadAmounts(Field(&source));
  if (unread.ok()) return given;
  object.log()->Ignored(object.place(), FieldOf("annotations", key),
                        absl::StrCat("is no list of amounts; ", ToAbsl(otherwise)));
  return std::nullopt;
}

using QuotasByName = HashMap<std::string, const ApiObject*>;

// The tree of a quota, or else that of the next one above that names one, as the peer's webhook
// sets it; empty: the default one.
std::string TreeOf(const ApiObject& object, const QuotasByName& quotas) {
  const ApiObject* at = &object;
  for (size_t steps = 0; steps <= quotas.size(); ++steps) {
    const std::string* tree = at->Label(kQuotaTree);
    if (tree != nullptr && !tree->empty()) return *tree;
    const std::string* parent = at->Label(kQuotaParent);
    const auto above = parent == nullptr ? quotas.end() : quotas.find(*parent);
    if (above == quotas.end() || *parent == kRootQuota) return {};
    at = above->second;
  }
  return {};
}

// The tree of a quota, and what it has, where the quota is its root. `roots`: those before, by
// tree.
void ReadTree(const ApiObject& object, const QuotasByName& quotas,
              HashMap<std::string, std::string>* roots, QueueSpec* queue) {
  const std::string tree = TreeOf(object, quotas);
  if (tree.empty()) return;
  queue->settings.emplace_back("koordinator/tree", tree);
  const std::string* root = object.Label(kQuotaIsRoot);
  if (root == nullptr || *root != "true") return;
  const auto total = AnnotatedAmounts(object, kQuotaTotal, "the tree has nothing");
  if (!total || total->empty()) return;
  if (const auto [first, is_new] = roots->try_emplace(tree, object.name()); !is_new) {
    object.log()->Ignored(object.place(), FieldOf("annotations", kQuotaTotal),
                          absl::StrCat("tree ", Quote(tree), " has its total from quota ",
                                       Quote(first->second), " already"));
    return;
  }
  queue->settings.emplace_back("koordinator/tree-total", AmountsText(*total));
  const std::string* apart = object.Label(kQuotaApart);
  if (apart != nullptr && *apart == "true") {
    queue->settings.emplace_back("koordinator/tree-apart", "true");
  }
}

// The shared weight of each resource, or the maximum. A queue's own weight is that of cpu, whole;
// where others have one, too, a setting has all.
void ReadSharedWeights(const ApiObject& object, const AmountMap& most, QueueSpec* queue) {
  AmountMap weights = most;
  const auto given = AnnotatedAmounts(object, kQuotaWeight, "the maximum counts");
  if (given && !given->empty()) {
    // As the peer's webhook leaves them: of the resources of the maximum, and of each of these.
    for (auto& [name, amount] : weights) {
      if (const ExactAmount* own = FindAmount(*given, name)) amount = *own;
    }
  }
  const ExactAmount* cpu = FindAmount(weights, "cpu");
  if (cpu != nullptr) {
    queue->weight = std::max<int64_t>(static_cast<int64_t>(*cpu / kAmountUnit), 1);
  }
  if (weights.empty() || (cpu != nullptr && weights.size() == 1)) return;
  queue->settings.emplace_back("koordinator/shared-weight", AmountsText(weights));
}

void ReadElasticQuotas(const ImportSource& source, ClusterSpec* cluster) {
  const Dump::Objects objects = SortedByName(source.dump.OfKind("ElasticQuota"));
  HashSet<std::string> names = {std::string(kDefaultQuota)};
  QuotasByName by_name;
  HashMap<std::string, std::string> roots;
  for (const ApiObject* object : objects) {
    names.insert(object->name());
    by_name[object->name()] = object;
  }
  for (const ApiObject* object : objects) {
    if (object->name() == kRootQuota) continue;
    QueueSpec& queue = cluster->queues.emplace_back();
    queue.name = object->name();
    queue.created = object->created();
    const std::string* parent = object->Label(kQuotaParent);
    if (parent != nullptr && !parent->empty() && *parent != kRootQuota) {
      if (names.contains(*parent)) {
        queue.parent = *parent;
      } else {
        source.log->Ignored(
            object->place(), FieldOf("labels", kQuotaParent),
            absl::StrCat("quota ", Quote(*parent), " is not there; the queue stands at the top"));
      }
    }
    const AmountMap most = ReadAmounts(object->spec().Section("max"));
    queue.guaranteed = ToResources(ReadAmounts(object->spec().Section("min")));
    queue.limit = ToResources(most);
    ReadSharedWeights(*object, most, &queue);
    const std::string* lends = object->Label(kQuotaLends);
    if (lends != nullptr && *lends == "false") {
      queue.settings.emplace_back("koordinator/lends", "false");
    }
    ReadTree(*object, by_name, &roots, &queue);
  }
  if (names.size() == objects.size() + 1) {  // no object is the default quota
    cluster->queues.push_back({.name = std::string(kDefaultQuota)});
  }
}

class QuotaFinder {
 public:
  explicit QuotaFinder(const Dump& dump) {
    for (const ApiObject* object : SortedByName(dump.OfKind("ElasticQuota"))) {
      names_.insert(object->name());
      if (object->name_space() == object->name()) own_.insert(object->name());
      const std::optional<JsonRow> spaces = AnnotatedJson(*object, kQuotaSpaces);
      if (!spaces) continue;
      const FieldSource source{object->place(), &*spaces, object->log()};
      for (const Field& space : Field(&source).Children()) {
        by_space_.try_emplace(space.ScalarText(), object->name());
      }
    }
  }

  std::string Of(const ApiObject& pod) const {
    const std::string* label = pod.Label(kQuotaOfPod);
    if (label != nullptr && !label->empty()) {
      if (names_.contains(*label)) return *label;
      pod.log()->Ignored(
          pod.place(), FieldOf("labels", kQuotaOfPod),
          absl::StrCat("quota ", Quote(*label), " is not there; the default quota stands for it"));
      return std::string(kDefaultQuota);
    }
    if (own_.contains(pod.name_space())) return pod.name_space();
    const auto listed = by_space_.find(pod.name_space());
    return listed == by_space_.end() ? std::string(kDefaultQuota) : listed->second;
  }

 private:
  HashSet<std::string> names_, own_;
  HashMap<std::string, std::string> by_space_;
};

// --- gangs

struct Gang {
  int64_t least = 0;
  int64_t created = 0;
  std::string queue;
  bool has_pods = false, is_declared = false;
  Labels settings = {};
};

// The gang's key that a pod names; "" for none.
std::string GangOf(const ApiObject& pod) {
  const std::string* name = pod.Annotation(kGangName);
  for (const std::string_view label : {kPodGroupOfPod, kOldGroupOfPod}) {
    if (name == nullptr || name->empty()) name = pod.Label(label);
  }
  return name == nullptr || name->empty() ? "" : absl::StrCat(pod.name_space(), "/", *name);
}

// The minimum that a pod states of its gang.
std::optional<int64_t> LeastOf(const ApiObject& pod) {
  const std::string* text = pod.Annotation(kGangLeast);
  if (text == nullptr) text = pod.Label(kOldGroupLeast);
  if (text == nullptr) return std::nullopt;
  const std::optional<int64_t> number = WholeNumber(*text);
  if (!number || *number < 0) {
    pod.log()->Ignored(pod.place(), FieldOf("annotations", kGangLeast),
                       absl::StrCat(Quote(*text), " is no number of pods"));
    return std::nullopt;
  }
  return number;
}

// Makes the jobs, and the job of each pod.
class GangReader {
 public:
  explicit GangReader(const ImportSource& source) : source_(source), quotas_(source.dump) {}

  HashMap<std::string, std::string> Read(ClusterSpec* cluster) {
    for (const ApiObject* object : SortedByKey(source_.dump.OfKind("PodGroup"))) {
      Gang& gang = gangs_[object->key()];
      gang.least = object->spec().Int64("minMember", 0);
      gang.created = object->created();
      gang.is_declared = true;
      gang.settings = ReadGangMarks(*object);
    }
    for (const ApiObject* pod : SortedByKey(source_.dump.OfKind("Pod"))) Add(*pod);
    for (auto& [key, gang] : gangs_) {
      cluster->jobs.push_back({.name = key,
                               .queue = gang.has_pods ? gang.queue : std::string(kDefaultQuota),
                               .min_available = gang.least,
                               .created = gang.created,
                               .settings = gang.settings});
    }
    return std::move(job_of_);
  }

 private:
  void Add(const ApiObject& pod) {
    std::string key = GangOf(pod);
    const bool lone = key.empty();
    if (lone) key = pod.key();
    job_of_.emplace(pod.key(), key);
    const bool is_new = !gangs_.contains(key);
    Gang& gang = gangs_[key];
    const std::string queue = quotas_.Of(pod);
    if (!gang.has_pods) {
      gang.queue = queue;
      if (is_new) gang.created = pod.created();
      gang.has_pods = true;
    } else if (gang.queue != queue) {
      source_.log->Ignored(pod.place(), FieldOf("labels", kQuotaOfPod),
                           absl::StrCat("the gang's first pod is of quota ", Quote(gang.queue),
                                        ", which counts for all of it"));
    }
    if (lone) gang.least = 1;
    if (const std::optional<int64_t> least = LeastOf(pod); least && !lone) gang.least = *least;
    // The first pod that states something of its gang counts, as it does for the peer.
    if (!lone && !gang.is_declared && gang.settings.empty()) gang.settings = ReadGangMarks(pod);
  }

  const ImportSource& source_;
  const QuotaFinder quotas_;
  std::map<std::string, Gang> gangs_;  // by key
  HashMap<std::string, std::string> job_of_;
};

// Returns when the pod got its node: the time of its condition, or else that at which the kubelet
// took it.
std::optional<int64_t> AssignedAt(const ApiObject& pod) {
  for (const Field& condition : pod.status().Items("conditions")) {
    if (!condition["type"].Is("PodScheduled") || !condition["status"].Is("True")) continue;
    if (condition["lastTransitionTime"].given()) return condition.Seconds("lastTransitionTime");
  }
  if (pod.status()["startTime"].given()) return pod.status().Seconds("startTime");
  return std::nullopt;
}

// A job has the priority of its first task.
void SetPriorities(ClusterSpec* cluster) {
  HashMap<std::string, int32_t> priorities;
  for (const TaskSpec& task : cluster->tasks) priorities.try_emplace(task.job, task.priority);
  for (JobSpec& job : cluster->jobs) {
    const auto first = priorities.find(job.name);
    if (first != priorities.end()) job.priority = first->second;
  }
}

// The limits of a pod, as its requests are summed.
AmountMap LimitsOf(const ApiObject& pod) {
  AmountMap sum, sidecars, first;
  for (const Field& container : pod.spec().Items("initContainers")) {
    const AmountMap limits = ReadAmounts(container.Section("resources")["limits"]);
    if (container["restartPolicy"].Is("Always")) {
      sidecars = Sum(sidecars, limits);
    } else {
      first = Largest(first, Sum(sidecars, limits));
    }
  }
  for (const Field& container : pod.spec().Items("containers")) {
    sum = Sum(sum, ReadAmounts(container.Section("resources")["limits"]));
  }
  return Largest(Sum(sum, sidecars), first);
}

// Of limits above requests the estimate of a pod's load reads those of cpu and memory, of any band.
void AddLimitsAboveRequests(const ApiObject& pod, TaskShape* shape) {
  AmountMap above;
  for (const auto& [name, limit] : LimitsOf(pod)) {
    if (!name.ends_with("cpu") && !name.ends_with("memory")) continue;
    ExactAmount request = 0;
    for (const auto& [other, amount] : shape->request) {
      if (other == name) request = ParseAmount(amount.text).value_or(0);
    }
    if (limit > request && IsPlainText(name)) SetAmount(name, limit, &above);
  }
  if (!above.empty()) shape->labels.emplace_back("koordinator/limits", AmountsText(above));
}

Dump::Objects ReadPodsAsTasks(const ImportSource& source, const KoordinatorConfiguration& read,
                              const HashMap<std::string, std::string>& jobs, ClusterSpec* cluster) {
  Dump::Objects pods = ReadTasks(
      source, {.scheduler = read.scheduler, .jobs = &jobs, .reader = &read.reader}, cluster);
  for (size_t i = 0; i < pods.size() && source.log->ok(); ++i) {
    TaskSpec& task = cluster->tasks[i];
    const std::string* preemptible = pods[i]->Label(kPreemptible);
    if (preemptible != nullptr && *preemptible == "false") task.preemptable = false;
    task.shape.guaranteed_qos = IsGuaranteed(*pods[i]);
    AddLimitsAboveRequests(*pods[i], &task.shape);
    task.started = task.node.empty() ? std::nullopt : AssignedAt(*pods[i]);
  }
  SetPriorities(cluster);
  return pods;
}

void ReadKoordinatorObjects(const ImportSource& source, Scenario* scenario) {
  ClusterSpec& cluster = scenario->cluster;
  ReadElasticQuotas(source, &cluster);
  ReportRefusedQuotas(source.dump);
  const HashMap<std::string, std::string> jobs = GangReader(source).Read(&cluster);
  for (const ApiObject* object : source.dump.OfKind("Node")) {
    cluster.nodes.push_back(ReadNode(*object, {}));
  }
  TrimReservedAmounts(source.dump, &cluster);
  ReadNodeTopologies(source.dump, &cluster);
  ReadDevices(source.dump, &cluster);
  KoordinatorConfiguration configuration = ReadKoordinatorConfiguration(source);
  configuration.reader.AddOwners(source.dump);
  const Dump::Objects pods = ReadPodsAsTasks(source, configuration, jobs, &cluster);
  ReadCpuWishes(pods, &cluster);
  ReadReservationWishes(pods, &cluster);
  ReportOtherMarks(source.dump);
  ReadZoneHoldings(pods, scenario);
  ReadDeviceHoldings(pods, &cluster);
  ReadNodeMetrics(source.dump, source.options.now, &cluster);
  ReadNodeLoadMarks(source.dump, &cluster);
  ReadNodeSlos(source.dump, &cluster);
  ReadWorkloads(pods, &cluster);
  ReadMigrationJobs(source.dump, scenario);
  // A pod that was left out has no job of one either.
  HashSet<std::string> with_tasks;
  for (const TaskSpec& task : cluster.tasks) with_tasks.insert(task.job);
  std::erase_if(cluster.jobs, [&](const JobSpec& job) {
    return !with_tasks.contains(job.name) && source.dump.Find("PodGroup", job.name) == nullptr;
  });
  ReadKoordinatorReservations(source, {configuration.scheduler, &configuration.reader}, &cluster);
  for (const ApiObject* object : source.dump.OfKind("ClusterColocationProfile")) {
    object->spec().QuietRest();
    source.log->Note(object->place(), "spec", "pods are read as its webhook left them");
  }
  cluster.namespaces = ReadNamespaces(source.dump);
  cluster.budgets = ReadBudgets(source.dump);
  scenario->profile = configuration.profile(kKoordinatorName);
}

constexpr std::string_view kKoordinatorSchedulers[] = {"koord-scheduler"};

}  // namespace

extern const Importer kKoordinatorImporter;
const Importer kKoordinatorImporter = {kKoordinatorName,          kKoordinatorGroups,
                                       kKoordinatorKinds,         ReadKoordinatorObjects,
                                       kKoordinatorSchedulers,
                                       /*plain=*/false,
                                       /*mark=*/"koordinator.sh/"};

}  // namespace muster
