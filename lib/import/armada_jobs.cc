// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs of Armada, and pods.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/armada.h"
#include "lib/import/kubernetes.h"

namespace muster::armada {
namespace {

constexpr std::string_view kGangId = "armadaproject.io/gangId";
constexpr std::string_view kCardinality = "armadaproject.io/gangCardinality";
constexpr std::string_view kUniformity = "armadaproject.io/gangNodeUniformityLabel";
constexpr std::string_view kFailFast = "armadaproject.io/failFast";
constexpr std::string_view kPriceBand = "armadaproject.io/priceBand";
// Parts of a job that are read, or that decide nothing.
constexpr std::string_view kKnownOfJob[] = {"queue",    "priority", "namespace",   "podSpec",
                                            "podSpecs", "labels",   "annotations", "clientId",
                                            "jobSetId", "ingress",  "services",    "scheduler"};
// Pods that Armada made have the id of their job.
constexpr std::string_view kJobId = "armada_job_id";

struct StateWord {
  std::string_view word;
  TaskStatus status;
};
constexpr StateWord kStates[] = {
    {"queued", TaskStatus::kPending},      {"leased", TaskStatus::kBinding},
    {"pending", TaskStatus::kBound},       {"running", TaskStatus::kRunning},
    {"succeeded", TaskStatus::kSucceeded}, {"failed", TaskStatus::kFailed},
    {"cancelled", TaskStatus::kFailed},    {"preempted", TaskStatus::kFailed}};

// What is to be equal in all jobs of a gang.
struct GangMarks {
  std::string id;  // empty: the job is in no gang
  int64_t cardinality = 1;
  std::string uniformity, priority_class;
};

bool HoldsPlace(TaskStatus status) {
  return status == TaskStatus::kBinding || status == TaskStatus::kBound ||
         status == TaskStatus::kRunning || status == TaskStatus::kReleasing;
}

class JobImport {
 public:
  JobImport(const ImportSource& source, const ImportedConfig& config, ClusterSpec* cluster)
      : source_(source), config_(config), cluster_(*cluster) {
    for (const NodeSpec& node : cluster_.nodes) nodes_.insert(node.name);
    for (const QueueSpec& queue : cluster_.queues) queues_.insert(queue.name);
    for (const ApiObject* pod : source.dump.OfKind("Pod")) {
      if (const std::string* id = pod->Label(kJobId)) pod_of_[*id] = pod;
    }
  }

  void Add() {
    for (const ApiObject* job : source_.dump.OfKind("Job")) AddTask(*job);
    for (auto& [name, job] : jobs_) cluster_.jobs.push_back(std::move(job));
    for (const ApiObject* pod : source_.dump.OfKind("Pod")) AddOccupant(*pod);
  }

 private:
  void AddTask(const ApiObject& object) {
    const Field spec = object.spec();
    Field pod_spec = spec.Section("podSpec");
    if (!pod_spec.given()) {
      const std::vector<Field> specs = spec.Items("podSpecs");
      if (specs.size() != 1) {
        return spec["podSpec"].Refuse("not given; must be the pod of the job");
      }
      pod_spec = specs[0];
    }
    const auto pod = MakePod({object.metadata(), pod_spec, NamespaceOf(object), object.name()},
                             source_.options.limits, source_.log);
    if (pod == nullptr || !source_.log->ok()) return;
    TaskSpec task;
    task.name = object.key();
    task.shape = muster::ReadShape(*pod, PodRules{});
    task.created = object.created();
    const int64_t priority = spec.Int64("priority", 0);
    if (priority < 0 || priority > std::numeric_limits<int32_t>::max()) {
      return spec["priority"].Refuse(absl::StrCat(priority, " is not in 0..2147483647"));
    }
    task.priority = static_cast<int32_t>(-priority);
    task.priority_class = pod_spec.Text("priorityClassName");
    if (!task.priority_class.empty() && !config_.classes.empty() &&
        std::ranges::find(config_.classes, task.priority_class) == config_.classes.end()) {
      pod_spec["priorityClassName"].Ignored(
          "no class of the configuration; the default class counts");
    }
    ReportOthers(spec);
    if (!Place(object, &task)) return;
    task.job = JobOf(object, task);
    cluster_.tasks.push_back(std::move(task));
  }

  // As the peer has it, a job without one is in namespace default.
  static std::string NamespaceOf(const ApiObject& object) {
    if (!object.name_space().empty()) return object.name_space();
    const std::string own = object.spec().Text("namespace");
    return own.empty() ? "default" : own;
  }

  // The annotation of the object, or of its item in a file of jobs.
  static std::optional<std::string> Mark(const ApiObject& object, std::string_view key) {
    if (const std::string* own = object.Annotation(key)) return *own;
    const Field item = object.spec().Section("annotations")[key];
    return item.given() ? std::optional(item.AsText()) : std::nullopt;
  }

  // The prices of a band come from outside of the scheduler.
  static void ReadBids(const ApiObject& object, Labels* settings) {
    const Field status = object.status();
    for (const auto& [key, setting] :
         {std::pair("bid", "armada/bid"), std::pair("runningBid", "armada/running_bid")}) {
      const Field bid = status[key];
      if (!bid.given()) continue;
      if (bid.kind() != JsonKind::kInteger && bid.kind() != JsonKind::kFloat) {
        bid.RefuseKind("a number");
      }
      settings->emplace_back(setting, bid.ScalarText());
    }
    if (status["bid"].given() || !Mark(object, kPriceBand)) return;
    object.log()->Ignored(
        object.place(), "metadata.annotations",
        absl::StrCat(ToAbsl(kPriceBand),
                     ": the dump has no prices of bands; status.bid would be one"));
  }

  static void ReportOthers(const Field& spec) {
    for (const Field& member : spec.Children()) {
      const bool is_known = std::ranges::find(kKnownOfJob, member.key()) != std::end(kKnownOfJob);
      if (!is_known && member.truthy()) member.Ignored("not considered");
    }
  }

  // Writes where the job is. Returns false if it is nowhere that the dump has.
  bool Place(const ApiObject& object, TaskSpec* task) {
    const Field status = object.status();
    std::string node = status.Text("node");
    if (const std::string word = status.Text("state"); !word.empty()) {
      const auto known = std::ranges::find(kStates, std::string_view(word), &StateWord::word);
      if (known == std::end(kStates)) {
        status["state"].Refuse(absl::StrCat(Quote(word), " is not known; expected queued, leased, ",
                                            "pending, running, succeeded, failed, cancelled or ",
                                            "preempted"));
        return false;
      }
      task->status = known->status;
    }
    if (const auto pod = pod_of_.find(object.name()); pod != pod_of_.end()) {
      node = pod->second->spec().Text("nodeName");
      task->status = StatusOfPod(*pod->second, !node.empty());
    }
    if (!HoldsPlace(task->status)) return true;
    if (!nodes_.contains(node)) {
      object.log()->LeftOut(object.place(), "status.node",
                            absl::StrCat("node ", Quote(node), " is not in the dump"));
      return false;
    }
    task->node = node;
    if (status["started"].given()) task->started = status.Seconds("started");
    return true;
  }

  static TaskStatus StatusOfPod(const ApiObject& pod, bool has_node) {
    const std::string phase = pod.status().Text("phase", has_node ? "Running" : "Pending");
    if (phase == "Succeeded") return TaskStatus::kSucceeded;
    if (phase == "Failed") return TaskStatus::kFailed;
    if (!has_node) return TaskStatus::kPending;
    if (pod.metadata()["deletionTimestamp"].given()) return TaskStatus::kReleasing;
    return phase == "Pending" ? TaskStatus::kBound : TaskStatus::kRunning;
  }

  // Refuses what the peer refuses when jobs are submitted. One job alone is no gang.
  static GangMarks ReadGang(const ApiObject& object, const TaskSpec& task) {
    GangMarks marks;
    const std::optional<std::string> id = Mark(object, kGangId);
    if (!id) return marks;
    const Field annotations = object.metadata()["annotations"];
    if (id->empty()) annotations.Refuse(absl::StrCat(ToAbsl(kGangId), " must not be empty"));
    const std::optional<std::string> cardinality = Mark(object, kCardinality);
    if (!cardinality || !absl::SimpleAtoi(*cardinality, &marks.cardinality) ||
        marks.cardinality < 1) {
      annotations.Refuse(absl::StrCat(ToAbsl(kCardinality), " must be a number of 1 or more"));
    }
    if (marks.cardinality < 2) return marks;
    marks.id = *id;
    marks.uniformity = Mark(object, kUniformity).value_or("");
    marks.priority_class = task.priority_class;
    if (Mark(object, kFailFast).value_or("true") != "true") {
      annotations.Refuse(absl::StrCat("gang jobs may not set fail fast flag (annotation - ",
                                      ToAbsl(kFailFast), ") to anything but true"));
    }
    return marks;
  }

  static void CheckEqual(const ApiObject& object, const GangMarks& first, const GangMarks& own) {
    const auto differs = [&](const char* what, const auto& expected, const auto& got) {
      if (expected == got) return;
      object.metadata()["annotations"].Refuse(absl::StrCat(
          "inconsistent ", what, " in gang ", own.id, ": expected ", expected, " but got ", got));
    };
    differs("gang cardinality", first.cardinality, own.cardinality);
    differs("PriorityClassName", first.priority_class, own.priority_class);
    differs("nodeUniformityLabel", first.uniformity, own.uniformity);
  }

  // Returns the name of the job that the task belongs to, and makes the job.
  std::string JobOf(const ApiObject& object, const TaskSpec& task) {
    const std::string queue = object.spec().Text("queue", source_.options.default_queue);
    const GangMarks marks = ReadGang(object, task);
    const std::string name = marks.id.empty() ? object.key() : absl::StrCat(queue, "/", marks.id);
    const auto [found, is_new] = jobs_.try_emplace(name);
    const GangMarks& first = gangs_.emplace(name, marks).first->second;
    CheckEqual(object, first, marks);
    if (!is_new) return name;
    JobSpec& job = found->second;
    job.name = name;
    job.queue = queue;
    job.created = object.created();
    job.priority = task.priority;
    job.phase = HoldsPlace(task.status) ? JobPhase::kRunning : JobPhase::kPending;
    if (queues_.insert(queue).second) {
      source_.log->Note(object.place(), "spec.queue",
                        absl::StrCat("queue ", Quote(queue), " is not in the dump; made"));
      if (queue != "default") cluster_.queues.push_back({.name = queue});
    }
    ReadBids(object, &job.settings);
    if (marks.id.empty()) return name;
    job.min_available = marks.cardinality;
    if (!marks.uniformity.empty()) job.settings.emplace_back("armada/uniformity", marks.uniformity);
    return name;
  }

  // A pod that is of no job takes room on its node.
  void AddOccupant(const ApiObject& pod) {
    const std::string* id = pod.Label(kJobId);
    if (id != nullptr && IsJob(*id)) return;
    const std::string node = pod.spec().Text("nodeName");
    const TaskStatus status = StatusOfPod(pod, !node.empty());
    if (!HoldsPlace(status)) {
      if (status == TaskStatus::kPending) {
        pod.log()->LeftOut(pod.place(), "", "waits for another scheduler");
      }
      return;
    }
    if (!nodes_.contains(node)) {
      pod.log()->LeftOut(pod.place(), "spec.nodeName",
                         absl::StrCat("node ", Quote(node), " is not in the dump"));
      return;
    }
    TaskSpec& task = cluster_.tasks.emplace_back();
    task.name = absl::StrCat("pod:", pod.key());
    task.shape = muster::ReadShape(pod, PodRules{});
    task.status = status;
    task.node = node;
  }

  bool IsJob(const std::string& id) {
    if (ids_.empty()) {
      for (const ApiObject* job : source_.dump.OfKind("Job")) ids_.insert(job->name());
    }
    return ids_.contains(id);
  }

  const ImportSource& source_;
  const ImportedConfig& config_;
  ClusterSpec& cluster_;
  HashSet<std::string> nodes_, queues_, ids_;
  HashMap<std::string, const ApiObject*> pod_of_;  // by id of the job
  std::map<std::string, JobSpec> jobs_;
  std::map<std::string, GangMarks> gangs_;  // of the first task, by name of the job
};

}  // namespace

void AddJobs(const ImportSource& source, const ImportedConfig& config, ClusterSpec* cluster) {
  JobImport(source, config, cluster).Add();
}

}  // namespace muster::armada
