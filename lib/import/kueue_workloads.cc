// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Workloads as jobs, and their pods as tasks.
//
// A pod belongs to a workload by its annotation kueue.x-k8s.io/workload, or by an owner that the
// two share; to a pod set by its label kueue.x-k8s.io/podset, or because there is only one.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/kueue.h"
#include "lib/import/kueue_limits.h"
#include "lib/import/kueue_owners.h"
#include "lib/import/times.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/workload_rules.h"
#include "lib/plan/json_text.h"

namespace muster::kueue {
namespace {

constexpr PodRules kPods = {.limits_are_requests = true};
constexpr std::string_view kPodSetOfPod = "kueue.x-k8s.io/podset";
// Of pods that Kueue itself holds back; an admission lifts them.
constexpr std::string_view kOwnGates[] = {"kueue.x-k8s.io/admission", "kueue.x-k8s.io/topology"};
constexpr std::string_view kDefaultPodSet = "main";
constexpr std::string_view kGatedBy = "kueue.x-k8s.io/admission-gated-by";
constexpr std::string_view kReplacementFor = "kueue.x-k8s.io/workload-slice-replacement-for";
constexpr std::string_view kPriorityBoost = "kueue.x-k8s.io/priority-boost";

// Since when the workload waits: Kueue puts some that were evicted behind others. `by_creation`:
// not those with pods that were not ready in time. Without gate PrioritySortingWithinCohort those
// from which a queue took back what they borrowed wait since then, too.
int64_t QueueTime(const ApiObject& workload, bool by_creation, bool sorts_by_priority) {
  const std::optional<Field> evicted = ConditionOf(workload, "Evicted");
  if (evicted && (*evicted)["status"].Is("True") &&
      ((*evicted)["reason"].Is("AdmissionCheck") ||
       (!by_creation && (*evicted)["reason"].Is("PodsReadyTimeout")))) {
    return evicted->Seconds("lastTransitionTime");
  }
  const std::optional<Field> preempted = ConditionOf(workload, "Preempted");
  if (!sorts_by_priority && preempted && (*preempted)["status"].Is("True") &&
      (*preempted)["reason"].Is("InCohortReclaimWhileBorrowing")) {
    return preempted->Seconds("lastTransitionTime") + 1;  // Kueue adds a thousandth of a second
  }
  return workload.created();
}

// Whether the configuration has workloads go by their creation, whatever became of their pods.
bool ReadsCreation(const Field& configuration) {
  const Field field =
      configuration.Section("waitForPodsReady").Section("requeuingStrategy")["timestamp"];
  const std::string word = field.AsText("Eviction");
  if (word != "Creation" && word != "Eviction") {
    field.Refuse(absl::StrCat(Quote(word), " is not known; expected one of Creation, Eviction"));
  }
  return word == "Creation";
}

std::string NameOfPodSet(const Field& pod_set) {
  std::string name = pod_set.Text("name");
  return name.empty() ? std::string(kDefaultPodSet) : name;
}

TaskStatus StatusOfPodHere(const ApiObject& pod, bool has_node) {
  const std::string phase = pod.status().Text("phase", "Pending");
  if (phase == "Succeeded") return TaskStatus::kSucceeded;
  if (phase == "Failed") return TaskStatus::kFailed;
  if (!has_node) return TaskStatus::kPending;
  if (pod.metadata()["deletionTimestamp"].given()) return TaskStatus::kReleasing;
  return phase == "Running" ? TaskStatus::kRunning : TaskStatus::kBound;
}

class WorkloadReader {
 public:
  WorkloadReader(const ImportSource& source, ClusterSpec* cluster)
      : source_(source), cluster_(cluster), owners_(source.dump), ranges_(source.dump) {
    for (const QueueSpec& queue : cluster->queues) {
      queues_[queue.name] = &queue;
      for (const auto& [key, value] : queue.settings) queue_settings_.insert(key);
    }
    for (const FlavorSpec& flavor : cluster->flavors) flavors_[flavor.name] = &flavor;
    for (const NodeSpec& node : cluster->nodes) nodes_.insert(node.name);
    for (const ApiObject* pod : source.dump.OfKind("Pod")) {
      if (std::string key = owners_.WorkloadOf(*pod); !key.empty()) pods_of_[key].push_back(pod);
    }
    if (source.configuration) {
      const Field gates = source.configuration->Section("featureGates");
      boosts_ = gates.Bool("PriorityBoost", false);
      sorts_by_priority_ = gates.Bool("PrioritySortingWithinCohort", true);
      reads_gates_ = gates.Bool("AdmissionGatedBy", true);
      grows_ = gates.Bool("ElasticJobsViaWorkloadSlices", true);
      by_creation_ = ReadsCreation(*source.configuration);
      excluded_ = source.configuration->Section("resources").Texts("excludeResourcePrefixes");
    }
    for (const ApiObject* object : source.dump.OfKind("WorkloadPriorityClass")) {
      priorities_[object->name()] = object->root().Int32("value", 0);
    }
  }

  void Read() {
    int64_t rank = 0;
    for (const ApiObject* object : ByUid()) {
      if (!source_.log->ok()) return;
      ReadWorkload(*object, rank++);
    }
    for (const ApiObject* pod : SortedByKey(source_.dump.OfKind("Pod"))) {
      if (!source_.log->ok()) return;
      if (taken_.contains(pod->key())) continue;
      const bool has_node = !pod->spec().Text("nodeName").empty();
      if (has_node) {
        AddPod(*pod, nullptr, "");
      } else {
        source_.log->LeftOut(pod->place(), "", "it waits, and belongs to no workload that is here");
      }
    }
  }

 private:
  // In the order of uids, which breaks the last ties.
  Dump::Objects ByUid() const {
    Dump::Objects objects = source_.dump.OfKind("Workload");
    std::ranges::stable_sort(objects, {}, [](const ApiObject* object) {
      return object->metadata().Text("uid", object->key());
    });
    return objects;
  }

  // The ClusterQueue that the workload waits in. Empty: none takes it.
  std::string QueueOf(const ApiObject& workload) const {
    const Field spec = workload.spec();
    const std::string name = spec.Text("queueName");
    const auto leave_out = [&](const std::string& why) {
      source_.log->LeftOut(workload.place(), "spec.queueName", why);
      return std::string();
    };
    const std::string key = absl::StrCat(workload.name_space(), "/", name);
    const ApiObject* local = source_.dump.Find("LocalQueue", key);
    if (local == nullptr) {
      return leave_out(
          absl::StrCat("LocalQueue ", Quote(key), " is not there; the workload waits"));
    }
    std::string queue = local->spec().Text("clusterQueue");
    if (!queues_.contains(queue)) {
      return leave_out(
          absl::StrCat("ClusterQueue ", Quote(queue), " is not there; the workload waits"));
    }
    return queue;
  }

  // Returns why the workload takes no part, or nothing.
  std::string Absence(const ApiObject& workload) const {
    if (IsTrue(workload, "Finished")) return "it has ended";
    if (!workload.spec().Bool("active", true)) return "it is not active";
    const std::string* const gates = workload.Annotation(kGatedBy);
    if (reads_gates_ && gates != nullptr && !gates->empty()) {
      return absl::StrCat("its admission is gated by ", *gates);
    }
    const std::optional<Field> requeued = ConditionOf(workload, "Requeued");
    if (requeued && (*requeued)["status"].Is("False")) {
      return "it is tried again later (condition Requeued is False)";
    }
    const Field requeue = workload.status().Section("requeueState");
    if (requeue.Seconds("requeueAt") > source_.options.now) {
      return "it is tried again later (status.requeueState.requeueAt)";
    }
    return "";
  }

  // What the workload's annotation adds to its priority, with gate PriorityBoost.
  int32_t PriorityOf(const ApiObject& workload) const {
    const int32_t base = BasePriorityOf(workload);
    if (!boosts_) return base;
    const Field field = workload.metadata().Section("annotations")[kPriorityBoost];
    const std::string text = field.AsText();
    int32_t boost = 0;
    if (!text.empty() && !absl::SimpleAtoi(text, &boost)) {
      field.Refuse(absl::StrCat(Quote(text), " is no whole number of 32 bits"));
    }
    const int64_t sum = int64_t{base} + boost;
    if (sum != static_cast<int32_t>(sum)) {
      field.Refuse(absl::StrCat("priority ", base, " and this boost have no sum of 32 bits"));
    }
    return static_cast<int32_t>(sum);
  }
  int32_t BasePriorityOf(const ApiObject& workload) const {
    const Field spec = workload.spec();
    if (spec["priority"].given()) return spec.Int32("priority", 0);
    std::string name = spec.Section("priorityClassRef").Text("name");
    if (name.empty()) name = spec.Text("priorityClassName");
    const auto known = priorities_.find(name);
    if (known != priorities_.end()) return known->second;
    if (!name.empty()) {
      source_.log->Ignored(
          workload.place(), "spec.priorityClassName",
          absl::StrCat("priority class ", Quote(name), " is not there; the priority is 0"));
    }
    return 0;
  }

  void ReadWorkload(const ApiObject& workload, int64_t rank) {
    const Field admission = workload.status().Section("admission");
    const bool holds = admission.given() && IsTrue(workload, "QuotaReserved");
    if (const std::string why = Absence(workload);
        !why.empty() && !(holds && why != "it has ended")) {
      source_.log->LeftOut(workload.place(), "", why);
      return;
    }
    JobSpec job{.name = workload.key()};
    job.queue = holds ? admission.Text("clusterQueue") : QueueOf(workload);
    if (holds && !queues_.contains(job.queue)) {
      source_.log->LeftOut(workload.place(), "status.admission.clusterQueue",
                           absl::StrCat("ClusterQueue ", Quote(job.queue), " is not there"));
      return;
    }
    if (job.queue.empty()) return;
    AddLocalQueue(workload, &job);
    job.priority = PriorityOf(workload);
    job.created = QueueTime(workload, by_creation_, sorts_by_priority_);
    job.uid_rank = rank;
    job.min_available = 1;
    if (holds) {
      job.phase = JobPhase::kAdmitted;
      job.admission = ReadAdmission(workload, admission);
    }
    AddChecks(workload, &job);
    AddState(workload, &job);
    if (const Field nodes = workload.status()["unhealthyNodes"]; nodes.truthy()) {
      nodes.Ignored("hosts have failed as the nodes of the dump show");
    }
    CheckPodSets(workload.spec());
    const size_t first_task = cluster_->tasks.size();
    for (const Field& pod_set : workload.spec().Items("podSets")) {
      ReadPodSet(workload, pod_set, holds, &job);
    }
    if (job.groups.empty()) {
      workload.spec()["podSets"].Refuse("no pod set; a workload has one or more");
    }
    const bool waits_for_checks = holds && !IsTrue(workload, "Admitted");
    for (size_t t = first_task; t < cluster_->tasks.size(); ++t) {
      TaskSpec& task = cluster_->tasks[t];
      if (waits_for_checks && task.status == TaskStatus::kPending) {
        task.gates.push_back("admission checks");
      }
    }
    cluster_->jobs.push_back(std::move(job));
  }

  // Names the LocalQueue if its queue goes by usage, or if it is stopped (AddQueues).
  void AddLocalQueue(const ApiObject& workload, JobSpec* job) const {
    const std::string key =
        absl::StrCat(workload.name_space(), "/", workload.spec().Text("queueName"));
    const std::string rule = absl::StrCat(ToAbsl(kueue::kLocalQueueStop), key);
    if (queue_settings_.contains(rule) || queues_.find(job->queue)->second->rules->by_usage) {
      job->settings.emplace_back("kueue/local-queue", key);
    }
  }

  // Sets the states of admission checks, and whether the workload is admitted, if that does not
  // follow from them.
  void AddChecks(const ApiObject& workload, JobSpec* job) const {
    HashSet<std::string> stated;
    bool all_ready = true;
    for (const Field& check : workload.status().Items("admissionChecks")) {
      const std::string name = check.Text("name"), state = check.Text("state", "Pending");
      stated.insert(name);
      all_ready = all_ready && state == "Ready";
      job->settings.emplace_back(absl::StrCat("kueue/admission-check/", name), state);
    }
    if (!job->admission || !all_ready) return;
    const QueueRules& rules = *queues_.find(job->queue)->second->rules;
    std::vector<CheckFlavors> checks;
    std::vector<std::string> offered, granted;
    for (const AdmissionCheck& check : rules.checks) {
      checks.emplace_back(check.name, check.flavors);
    }
    for (const ResourceGroup& group : rules.groups) {
      for (const FlavorQuota& quota : group.flavors) offered.push_back(quota.flavor);
    }
    for (const GroupAdmission& group : job->admission->groups) {
      for (const auto& [resource, flavor] : group.flavors) granted.push_back(flavor);
    }
    const bool follows =
        std::ranges::all_of(RequiredChecks(checks, offered, &granted),
                            [&](const std::string& name) { return stated.contains(name); });
    if (const bool is = IsTrue(workload, "Admitted"); is != follows) {
      job->settings.emplace_back("kueue/admitted", is ? "true" : "false");
    }
  }

  // Sets what else decides about the workload: the slice that it replaces, and that it holds quota
  // although it is not active, or is evicted.
  void AddState(const ApiObject& workload, JobSpec* job) const {
    const std::string* const replaced = workload.Annotation(kReplacementFor);
    if (grows_ && replaced != nullptr && !replaced->empty()) {
      job->settings.emplace_back("kueue/replaces", *replaced);
    }
    if (job->admission && !workload.spec().Bool("active", true)) {
      job->settings.emplace_back("kueue/active", "false");
    }
    if (job->admission && IsTrue(workload, "Evicted")) {
      job->settings.emplace_back("kueue/evicted", "true");
    }
    for (const char* const key : {"nominatedClusterNames", "clusterName"}) {
      if (const Field field = workload.status()[key]; field.truthy()) {
        field.Ignored("dispatch to other clusters is not considered");
      }
    }
  }

  JobAdmission ReadAdmission(const ApiObject& workload, const Field& admission) const {
    JobAdmission out{.queue = admission.Text("clusterQueue")};
    if (const auto reserved = ConditionOf(workload, "QuotaReserved")) {
      out.time = reserved->Seconds("lastTransitionTime");
    }
    for (const Field& item : admission.Items("podSetAssignments")) {
      GroupAdmission& group = out.groups.emplace_back();
      group.group = NameOfPodSet(item);
      // An admission of fewer pods than the spec has loses none before those are done.
      group.count = std::min(item.Int64("count", 0), CountLeft(workload, group.group));
      for (const auto& [resource, flavor] : item.TextMap("flavors")) {
        group.flavors.emplace_back(resource, flavor);
      }
      group.places = ReadPlaces(item.Section("topologyAssignment"));
    }
    return out;
  }

  // Pods of the set that have not given their quota back, of all that the spec has.
  static int64_t CountLeft(const ApiObject& workload, std::string_view name) {
    for (const Field& pod_set : workload.spec().Items("podSets")) {
      if (NameOfPodSet(pod_set) == name) {
        return pod_set.Int64("count", 1) - Reclaimed(workload, name);
      }
    }
    return 0;
  }

  // Pods of the set that have ended and give their quota back.
  static int64_t Reclaimed(const ApiObject& workload, std::string_view pod_set) {
    for (const Field& item : workload.status().Items("reclaimablePods")) {
      if (!item["name"].Is(pod_set)) continue;
      const int64_t count = item.Int64("count", 0);
      if (count < 0) item["count"].Refuse("negative; must be 0 or more");
      return count;
    }
    return 0;
  }

  void ReadPodSet(const ApiObject& workload, const Field& pod_set, bool holds, JobSpec* job) {
    GroupSpec group{.name = NameOfPodSet(pod_set)};
    int64_t count = CountLeft(workload, group.name);
    if (holds) {
      for (const GroupAdmission& admitted : job->admission->groups) {
        if (admitted.group == group.name) count = admitted.count;
      }
    }
    if (count < 0) pod_set["count"].Refuse("fewer pods than are reclaimable; must be as many");
    ReadTopologyRequest(pod_set.Section("topologyRequest"), group.name, &job->settings);
    const std::string name = absl::StrCat(workload.name(), "/", group.name);
    const Field pods = pod_set.Section("template");
    const auto pod =
        MakePod({pods.Section("metadata"), pods.Section("spec"), workload.name_space(), name},
                source_.options.limits, source_.log);
    if (pod == nullptr || !source_.log->ok()) return;
    group.shape = ReadShape(*pod, kPods);
    const std::string why = ranges_.Apply(*pod, workload.name_space(), &group.shape);
    if (!why.empty() && !holds) {
      job->settings.emplace_back("kueue/refused", absl::StrCat("pod set ", group.name, ": ", why));
    }
    group.count = std::max<int64_t>(0, count - AddPodsOf(workload, *job, group.name));
    if (holds) {
      AddUsage(workload, group, &job->settings);
      AddUpdates(workload, &group);
      AddFlavors(*job, &group);
    } else {
      AddCounted(group, &job->settings);
    }
    if (!holds && pod_set["minCount"].truthy() && group.count > 0) CountPods(pod_set, &group);
    job->groups.push_back(std::move(group));
  }

  // As the API server: so many pod sets, and one of them may shrink.
  static void CheckPodSets(const Field& spec) {
    const std::vector<Field> pod_sets = spec.Items("podSets");
    if (pod_sets.size() > kueue::kMostPodSets) {
      spec["podSets"].Refuse(
          absl::StrCat("has ", pod_sets.size(), "; must be at most ", kueue::kMostPodSets));
    }
    bool shrinks = false;
    for (const Field& pod_set : pod_sets) {
      const Field least = pod_set["minCount"];
      if (!least.given()) continue;
      const int64_t count = pod_set.Int64("count", 1), min_count = pod_set.Int64("minCount", 1);
      if (min_count < 1 || min_count > count) {
        least.Refuse(absl::StrCat(min_count, " is not in 1..", count));
      }
      if (shrinks) least.Refuse("set for a second pod set; must be absent there");
      shrinks = true;
    }
  }

  // Pods of which some may be left out are numbers: how many there will be is not known yet.
  static void CountPods(const Field& pod_set, GroupSpec* group) {
    const int64_t least = pod_set.Int64("minCount", 0);
    group->by_count =
        ByCount{.count = group->count, .min_count = std::clamp<int64_t>(least, 0, group->count)};
    group->count = 0;
  }

  bool IsExcluded(const std::string& resource) const {
    return std::ranges::any_of(
        excluded_, [&](const std::string& prefix) { return resource.starts_with(prefix); });
  }

  // Sets what a pod of the group counts for, where it requests resources that are not counted.
  void AddCounted(const GroupSpec& group, Labels* settings) const {
    std::string counted, excluded;
    for (const auto& [resource, amount] : group.shape.request) {
      if (IsExcluded(resource)) {
        excluded = absl::StrCat(resource, "=0");
      } else {
        absl::StrAppend(&counted, counted.empty() ? "" : ",", resource, "=", amount.text);
      }
    }
    if (excluded.empty()) return;
    settings->emplace_back(absl::StrCat("kueue/podset-quota-request/", group.name),
                           counted.empty() ? excluded : counted);
  }

  // Sets what a pod of the group counts for, where the admission has another usage than the
  // template requests: Kueue may be told to count resources otherwise.
  static void AddUsage(const ApiObject& workload, const GroupSpec& group, Labels* settings) {
    for (const Field& item : workload.status().Section("admission").Items("podSetAssignments")) {
      const int64_t count = item.Int64("count", 0);
      if (NameOfPodSet(item) != group.name || count <= 0) continue;
      bool differs = false;
      std::string setting;
      for (const auto& [resource, amount] : ReadAmounts(item["resourceUsage"])) {
        if (resource == "pods") continue;
        const Quantity each = ToQuantity(resource, amount / count);
        const auto requested = std::ranges::find(group.shape.request, resource,
                                                 &std::pair<std::string, Quantity>::first);
        differs |= requested == group.shape.request.end() ? amount != 0
                                                          : requested->second.text != each.text;
        absl::StrAppend(&setting, setting.empty() ? "" : ",", resource, "=", each.text);
      }
      if (!differs) return;
      settings->emplace_back(absl::StrCat("kueue/podset-quota-request/", group.name), setting);
      return;
    }
  }

  // What checks that have passed add to pods when they start. It comes before what flavors add.
  static void AddUpdates(const ApiObject& workload, GroupSpec* group) {
    for (const Field& check : workload.status().Items("admissionChecks")) {
      if (!check["state"].Is("Ready")) continue;
      for (const Field& update : check.Items("podSetUpdates")) {
        if (NameOfPodSet(update) != group->name) continue;
        Labels& selector = group->shape.node_selector;
        for (const auto& [key, value] : update.TextMap("nodeSelector")) {
          const auto known = std::ranges::find(selector, key, &Labels::value_type::first);
          if (known == selector.end()) {
            selector.emplace_back(key, value);
          } else if (known->second != value) {
            update["nodeSelector"].Ignored(absl::StrCat(
                "label ", Quote(key), " has another value already; Kueue starts no pod"));
          }
        }
        for (const auto& [key, value] : update.TextMap("labels")) {
          const auto known =
              std::ranges::find(group->shape.labels, key, &Labels::value_type::first);
          if (known == group->shape.labels.end()) group->shape.labels.emplace_back(key, value);
        }
        for (const Toleration& one : ReadTolerationsOf(update)) {
          group->shape.tolerations.push_back(one);
        }
      }
    }
    std::ranges::sort(group->shape.labels);
  }

  // What Kueue adds to the pods of an admitted workload when they start.
  void AddFlavors(const JobSpec& job, GroupSpec* group) const {
    HashSet<std::string> seen;
    for (const GroupAdmission& admitted : job.admission->groups) {
      for (const auto& [resource, name] : admitted.flavors) {
        const auto known = flavors_.find(name);
        if (admitted.group != group->name || known == flavors_.end()) continue;
        if (!seen.insert(name).second) continue;
        for (const auto& label : known->second->node_labels) {
          group->shape.node_selector.push_back(label);
        }
        for (const Toleration& toleration : known->second->tolerations) {
          group->shape.tolerations.push_back(toleration);
        }
      }
    }
    Labels& labels = group->shape.node_selector;
    std::ranges::sort(labels);
    const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
    labels.erase(std::unique(labels.begin(), labels.end(), same_key), labels.end());
  }

  // Adds the pods of the set that the dump has. Returns how many of them have not ended.
  int64_t AddPodsOf(const ApiObject& workload, const JobSpec& job, const std::string& name) {
    const auto pods = pods_of_.find(workload.key());
    if (pods == pods_of_.end()) return 0;
    const bool only = workload.spec().Items("podSets").size() == 1;
    int64_t live = 0;
    for (const ApiObject* pod : pods->second) {
      const std::string* said = pod->Label(kPodSetOfPod);
      if (said == nullptr ? !only : *said != name && !(only && said->empty())) continue;
      if (!taken_.insert(pod->key()).second) continue;
      live += AddPod(*pod, &job, name);
    }
    return live;
  }

  // Adds a pod, of a job or alone. Returns whether it has not ended.
  bool AddPod(const ApiObject& pod, const JobSpec* job, const std::string& group) {
    TaskSpec task{.name = pod.key()};
    task.node = pod.spec().Text("nodeName");
    if (EndsWithoutNode(pod)) return true;
    task.status = StatusOfPodHere(pod, !task.node.empty());
    const bool ended = task.status == TaskStatus::kSucceeded || task.status == TaskStatus::kFailed;
    if (ended) return false;
    if (!task.node.empty() && !nodes_.contains(task.node)) {
      source_.log->LeftOut(pod.place(), "spec.nodeName",
                           absl::StrCat("node ", Quote(task.node), " is not there"));
      return true;
    }
    task.shape = ReadShape(pod, kPods);
    if (job != nullptr) {
      task.job = job->name;
      task.group = group;
    }
    task.priority = pod.spec().Int32("priority", 0);
    task.created = pod.created();
    for (const Field& gate : pod.spec().Items("schedulingGates")) {
      const std::string name = gate.Text("name");
      if (std::ranges::find(kOwnGates, name) == std::end(kOwnGates)) task.gates.push_back(name);
    }
    cluster_->tasks.push_back(std::move(task));
    return true;
  }

  const ImportSource& source_;
  ClusterSpec* cluster_;
  const Owners owners_;
  const PodRanges ranges_;
  HashMap<std::string, const QueueSpec*> queues_;
  HashSet<std::string> queue_settings_, nodes_;
  HashMap<std::string, const FlavorSpec*> flavors_;
  HashMap<std::string, int32_t> priorities_;
  bool boosts_ = false;                          // gate PriorityBoost
  bool sorts_by_priority_ = true;                // gate PrioritySortingWithinCohort
  bool reads_gates_ = true;                      // gate AdmissionGatedBy
  bool grows_ = true;                            // gate ElasticJobsViaWorkloadSlices
  bool by_creation_ = false;                     // as of QueueTime
  std::vector<std::string> excluded_;            // prefixes of resources that are not counted
  HashMap<std::string, Dump::Objects> pods_of_;  // by key of the workload
  HashSet<std::string> taken_;                   // keys of pods that belong to a workload
};

}  // namespace

void AddWorkloads(const ImportSource& source, ClusterSpec* cluster) {
  WorkloadReader(source, cluster).Read();
}

}  // namespace muster::kueue
