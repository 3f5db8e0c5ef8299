// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods of YuniKorn's applications as jobs and tasks.
//
// A pod with schedulerName yunikorn belongs to the application that a label or an annotation names,
// or else to that of its namespace. The application is submitted with what its oldest pod has as
// queue, user and task groups. One that is rejected is left out with its waiting pods; pods of it
// that run only occupy their nodes, and so do all pods of other schedulers.
//
// Placeholders. A task group is a group with min_available. A placeholder pod on a node stands for
// the next waiting pod of its task group, which waits there; one for which there is none only
// occupies its node, and one without a node is left out.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/import/json_text.h"
#include "lib/import/kubernetes.h"
#include "lib/import/yunikorn.h"
#include "muster/quantity.h"

namespace muster::yunikorn_import {
namespace {

constexpr std::string_view kPrefix = "yunikorn.apache.org/";

// The first that the pod has, as label or annotation.
std::string ValueOf(const ApiObject& pod, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string* label = pod.Label(key)) return *label;
    if (const std::string* annotation = pod.Annotation(key)) return *annotation;
  }
  return {};
}

std::string Own(std::string_view key) { return absl::StrCat(ToAbsl(kPrefix), ToAbsl(key)); }

std::string ApplicationOf(const ApiObject& pod) {
  const std::string id = ValueOf(pod, {Own("app-id"), "applicationId", "spark-app-selector"});
  return id.empty() ? absl::StrCat("yunikorn-", pod.name_space(), "-autogen") : id;
}

bool IsPlaceholder(const ApiObject& pod) {
  return ValueOf(pod, {Own("placeholder"), "placeholder"}) == "true";
}

TaskStatus StatusOfYuniKornPod(const ApiObject& pod) {
  const bool has_node = !pod.spec().Text("nodeName").empty();
  const std::string phase = pod.status().Text("phase", has_node ? "Running" : "Pending");
  if (phase == "Succeeded") return TaskStatus::kSucceeded;
  if (phase == "Failed") return TaskStatus::kFailed;
  if (!has_node) return TaskStatus::kPending;
  if (pod.metadata()["deletionTimestamp"].given()) return TaskStatus::kReleasing;
  return phase == "Pending" ? TaskStatus::kBound : TaskStatus::kRunning;
}

class ApplicationReader {
 public:
  ApplicationReader(const ImportSource& source, yunikorn::Partition* partition,
                    ClusterSpec* cluster)
      : source_(source),
        partition_(*partition),
        cluster_(*cluster),
        classes_(ReadPriorityClasses(source.dump)) {
    for (const NodeSpec& node : cluster->nodes) nodes_.insert(node.name);
  }

  void Read() {
    for (const ApiObject* pod : SortedByKey(source_.dump.OfKind("Pod"))) {
      if (EndsWithoutNode(*pod)) continue;
      if (pod->spec()["schedulerName"].Is("yunikorn")) {
        applications_[ApplicationOf(*pod)].push_back(pod);
      } else {
        AddOccupant(*pod, "spec.schedulerName", "waits for another scheduler");
      }
    }
    for (auto& [id, pods] : applications_) {
      if (!source_.log->ok()) return;
      std::ranges::stable_sort(pods, {}, [](const ApiObject* pod) { return pod->created(); });
      ReadApplication(id, pods);
    }
  }

 private:
  using Pods = std::vector<const ApiObject*>;

  // Returns nothing for a pod of a node that is not there.
  std::optional<TaskSpec> ReadTask(const ApiObject& pod) const {
    TaskSpec task{.name = pod.key(), .status = StatusOfYuniKornPod(pod)};
    const bool ended = task.status == TaskStatus::kSucceeded || task.status == TaskStatus::kFailed;
    if (!ended) task.node = pod.spec().Text("nodeName");
    if (!task.node.empty() && !nodes_.contains(task.node)) {
      source_.log->LeftOut(pod.place(), "spec.nodeName",
                           absl::StrCat("node ", Quote(task.node), " is not there"));
      return std::nullopt;
    }
    task.shape = ReadShape(pod, kPodRules);
    task.priority_class = pod.spec().Text("priorityClassName");
    const auto known = classes_.values.find(task.priority_class);
    const int32_t usual =
        known == classes_.values.end() ? classes_.fallback.value_or(0) : known->second;
    task.priority = pod.spec().Int32("priority", usual);
    task.never_preempts = pod.spec().Text("preemptionPolicy") == "Never";
    const ApiObject* row = source_.dump.Find("PriorityClass", task.priority_class);
    const std::string* allows = row == nullptr ? nullptr : row->Annotation(Own("allow-preemption"));
    task.preemptable = allows == nullptr || *allows != "false";
    for (const Field& gate : pod.spec().Items("schedulingGates")) {
      task.gates.push_back(gate.Text("name"));
    }
    task.created = pod.created();
    return task;
  }

  // A pod that only occupies its node; one without a node is left out.
  void AddOccupant(const ApiObject& pod, std::string_view field, std::string_view why) {
    std::optional<TaskSpec> task = ReadTask(pod);
    if (!task) return;
    if (!task->node.empty()) {
      cluster_.tasks.push_back(*std::move(task));
    } else if (task->status == TaskStatus::kPending) {
      source_.log->LeftOut(pod.place(), field, why);
    }
  }

  yunikorn::UsageKey ReadUser(const ApiObject& pod) const {
    yunikorn::UsageKey usage;
    usage.user = ValueOf(pod, {Own("username")});
    const std::string* info = pod.Annotation(Own("user.info"));
    if (info != nullptr) {
      Read(pod, *info, [&](const Field& user) {
        usage.user = user.Text("user");
        usage.groups = user.Texts("groups");
      });
    }
    if (usage.user.empty()) usage.user = "nobody";
    return usage;
  }

  // Calls read(value) with the JSON of an annotation.
  template <class Reader>
  void Read(const ApiObject& pod, const std::string& text, Reader read) const {
    Budget budget;
    const absl::StatusOr<JsonRow> row = ReadJsonValue(text, "annotation", &budget);
    if (!row.ok()) {
      const absl::string_view message = row.status().message();
      source_.log->Refuse(pod.place(), std::string_view(message.data(), message.size()));
      return;
    }
    const FieldSource annotation{pod.place(), &*row, source_.log};
    read(Field(&annotation));
  }

  void ReadTaskGroups(const Pods& pods, JobSpec* job) const {
    for (const ApiObject* pod : pods) {
      const std::string* text = pod->Annotation(Own("task-groups"));
      if (text == nullptr) continue;
      Read(*pod, *text, [&](const Field& list) {
        for (const Field& group : list.Children()) {
          const int64_t least = group.Int64("minMember", 0);
          if (least < 0) group["minMember"].Refuse("is below 0; 0 or more is a number of pods");
          job->groups.push_back({.name = group.Text("name"), .min_available = least});
        }
      });
      return;
    }
  }

  void ReadParameters(const Pods& pods, JobSpec* job) const {
    const std::string text =
        ValueOf(*pods.front(), {Own("schedulingPolicyParameters"), "schedulingPolicyParameters"});
    for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(word, '=');
      const bool style =
          pair.first == "gangSchedulingStyle" && (pair.second == "Soft" || pair.second == "Hard");
      int64_t seconds = 0;
      const bool timeout = pair.first == "placeholderTimeoutInSeconds" &&
                           absl::SimpleAtoi(pair.second, &seconds) && seconds > 0 &&
                           seconds < 1'000'000'000;
      if (style || timeout) {
        job->settings.emplace_back(absl::StrCat("yunikorn/", pair.first), std::string(pair.second));
      } else {
        source_.log->Ignored(pods.front()->place(), "schedulingPolicyParameters",
                             absl::StrCat(Quote(std::string(word)), " is not read"));
      }
    }
  }

  // Sets an amount as Kubernetes writes it. Returns false if it is none.
  bool SetAmount(std::string_view name, const std::string& text, yunikorn::Resource* resource) {
    const bool is_cpu = name == "cpu";
    const absl::StatusOr<int64_t> amount =
        ParseQuantity(text, is_cpu ? Unit::kMilli : Unit::kWhole);
    const absl::StatusOr<int> type = partition_.names.Intern(is_cpu ? "vcore" : name);
    if (!amount.ok() || !type.ok()) return false;
    if (resource->nil()) *resource = yunikorn::Resource();
    resource->Set(*type, *amount);
    return true;
  }

  // An annotation of the namespace that has amounts of resources; nil: it has none.
  yunikorn::Resource ReadQuota(const ApiObject& object, std::string_view key) {
    yunikorn::Resource quota = yunikorn::Resource::Nil();
    const std::string* text = object.Annotation(Own(key));
    if (text == nullptr) return quota;
    Read(object, *text, [&](const Field& amounts) {
      for (const Field& amount : amounts.Children()) {
        if (SetAmount(amount.key(), amount.ScalarText(), &quota)) continue;
        source_.log->Refuse(object.place(), absl::StrCat("metadata.annotations: ", Own(key), ": ",
                                                         amount.Describe(), " is no quantity"));
      }
    });
    return quota;
  }

  // What the namespace sets for a queue that is made for the application.
  void ReadNamespace(const std::string& name, yunikorn::Application* application) {
    const ApiObject* object = source_.dump.Find("Namespace", name);
    if (object == nullptr) return;
    application->tagged_most = ReadQuota(*object, "namespace.quota");
    application->tagged_guaranteed = ReadQuota(*object, "namespace.guaranteed");
    const bool has_quota = !application->tagged_most.nil();
    for (const std::string_view resource : {"cpu", "memory"}) {  // an older form
      const std::string key = absl::StrCat("namespace.max.", ToAbsl(resource));
      const std::string* text = has_quota ? nullptr : object->Annotation(Own(key));
      if (text == nullptr || SetAmount(resource, *text, &application->tagged_most)) continue;
      source_.log->Refuse(object->place(), absl::StrCat("metadata.annotations: ", Own(key), ": ",
                                                        Quote(*text), " is no quantity"));
    }
    if (const std::string* most = object->Annotation(Own("namespace.maxApps"))) {
      application->tags["namespace.max-apps"] = *most;
    }
  }

  // Submits the application. Returns whether it was placed.
  bool Place(const Pods& pods, JobSpec* job) {
    const ApiObject& first = *pods.front();
    yunikorn::Application application;
    application.id = job->name;
    application.queue_path = ValueOf(first, {Own("queue"), "queue"});
    application.usage = ReadUser(first);
    application.tags["namespace"] = first.name_space();
    ReadNamespace(first.name_space(), &application);
    job->owner = JobOwner{.user = application.usage.user, .groups = application.usage.groups};
    const absl::Status status = partition_.AddApplication(std::move(application));
    if (!status.ok()) {
      const absl::string_view message = status.message();
      source_.log->LeftOut(absl::StrCat("application ", job->name), "",
                           std::string_view(message.data(), message.size()));
      return false;
    }
    const yunikorn::Index index = partition_.application_index.find(job->name)->second;
    job->queue = partition_.queues[partition_.applications[index].queue].path;
    return true;
  }

  void ReadApplication(const std::string& id, const Pods& pods) {
    JobSpec job{.name = id};
    job.created = pods.front()->created();
    if (!Place(pods, &job)) {
      for (const ApiObject* pod : pods) AddOccupant(*pod, "", "its application is rejected");
      return;
    }
    ReadTaskGroups(pods, &job);
    if (!job.groups.empty() && ValueOf(*pods.front(), {Own("task-group-name")}).empty()) {
      // Pods outside of all task groups: the driver.
      job.settings.emplace_back("yunikorn/originator", "");
    }
    ReadParameters(pods, &job);
    std::map<std::string, std::vector<TaskSpec>> places;  // placeholders on nodes
    for (const ApiObject* pod : pods) {
      if (!IsPlaceholder(*pod)) continue;
      std::optional<TaskSpec> task = ReadTask(*pod);
      const std::string group = ValueOf(*pod, {Own("task-group-name")});
      const bool defined = std::ranges::any_of(
          job.groups, [&](const GroupSpec& spec) { return spec.name == group; });
      if (!defined) {
        const std::string why =
            "a placeholder of a task group that no pod of its application defines";
        if (task && !task->node.empty()) {
          source_.log->Note(pod->place(), "", why + "; it only occupies its node");
        }
        AddOccupant(*pod, "", why);
        continue;
      }
      if (task && !task->node.empty() && task->status != TaskStatus::kReleasing) {
        places[group].push_back(*std::move(task));
      } else {
        AddOccupant(*pod, "", "a placeholder that waits; the profile makes its own");
      }
    }
    for (const ApiObject* pod : pods) {
      if (!IsPlaceholder(*pod))
        AddTask(*pod, &job, &places[ValueOf(*pod, {Own("task-group-name")})]);
    }
    for (auto& [group, left] : places) {
      for (TaskSpec& task : left) {
        source_.log->Note(absl::StrCat("Pod ", task.name), "",
                          "a placeholder for which no pod waits; it only occupies its node");
        cluster_.tasks.push_back(std::move(task));
      }
    }
    cluster_.jobs.push_back(std::move(job));
  }

  void AddTask(const ApiObject& pod, JobSpec* job, std::vector<TaskSpec>* places) {
    std::optional<TaskSpec> task = ReadTask(pod);
    if (!task) return;
    task->job = job->name;
    const std::string group = ValueOf(pod, {Own("task-group-name")});
    if (!group.empty()) {
      const bool known = std::ranges::any_of(
          job->groups, [&](const GroupSpec& spec) { return spec.name == group; });
      if (!known) job->groups.push_back({.name = group});
      task->group = group;
    }
    if (task->status == TaskStatus::kPending && !places->empty()) {
      task->status = TaskStatus::kWaiting;
      task->node = places->front().node;
      task->waiting_group = job->name;
      places->erase(places->begin());
    }
    cluster_.tasks.push_back(*std::move(task));
  }

  const ImportSource& source_;
  yunikorn::Partition& partition_;
  ClusterSpec& cluster_;
  const PriorityClasses classes_;
  HashSet<std::string> nodes_;
  std::map<std::string, Pods> applications_;
};

}  // namespace

void AddPods(const ImportSource& source, yunikorn::Partition* partition, ClusterSpec* cluster) {
  ApplicationReader(source, partition, cluster).Read();
}

}  // namespace muster::yunikorn_import
