// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods as tasks.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kube_scheduler.h"
#include "lib/import/pod_groups.h"

namespace muster {
namespace {

// Stands for the node of a pod that should have one and names none.
constexpr char kNowhere[] = "(nowhere)";

std::string UidOf(const ApiObject& pod) { return pod.metadata().Text("uid", pod.key()); }

// The rank of each pod's uid among all, in the order of bytes. Equal uids share one.
std::vector<int64_t> RanksOfUids(const Dump::Objects& pods) {
  std::vector<std::string> uids, order;
  for (const ApiObject* pod : pods) uids.push_back(UidOf(*pod));
  order = uids;
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  std::vector<int64_t> ranks;
  for (const std::string& uid : uids) {
    ranks.push_back(std::lower_bound(order.begin(), order.end(), uid) - order.begin());
  }
  return ranks;
}

class TaskReader {
 public:
  TaskReader(const ImportSource& source, const TaskRules& rules, ClusterSpec* cluster)
      : source_(source), rules_(rules), cluster_(cluster) {
    for (const NodeSpec& node : cluster->nodes) nodes_.insert(node.name);
    for (const JobSpec& job : cluster->jobs) jobs_.insert(job.name);
    for (const std::string& pod : source.options.binding) binding_.insert(pod);
    if (rules.reader != nullptr) classes_ = ReadPriorityClasses(source.dump);
  }

  // False where the pod is left out.
  bool Read(const ApiObject& pod, TaskSpec* task);

 private:
  TaskStatus ReadStatus(const ApiObject& pod, bool has_node) const;
  void ReadJob(const ApiObject& pod, TaskSpec* task) const;
  TaskSpec ReadTraits(const ApiObject& pod) const;
  int32_t PriorityOf(const ApiObject& pod) const;
  void MakeNode(const ApiObject& pod, const std::string& name);

  const ImportSource& source_;
  const TaskRules& rules_;
  ClusterSpec* cluster_;
  HashSet<std::string> nodes_, jobs_, binding_;
  PriorityClasses classes_;
};

TaskStatus TaskReader::ReadStatus(const ApiObject& pod, bool has_node) const {
  const std::string phase = pod.status().Text("phase", "Pending");
  const bool pending = phase == "Pending", running = phase == "Running";
  if (!pending && !running && phase != "Succeeded" && phase != "Failed" && phase != "Unknown") {
    pod.status()["phase"].Refuse(absl::StrCat(
        Quote(phase),
        " is not a phase of a pod; expected Pending, Running, Succeeded, Failed or Unknown"));
    return TaskStatus::kPending;
  }
  const bool ending = pod.metadata()["deletionTimestamp"].given();
  if ((running || pending) && ending) return TaskStatus::kReleasing;
  if (binding_.contains(pod.key())) return TaskStatus::kBinding;
  if (pending) return has_node ? TaskStatus::kBound : TaskStatus::kPending;
  if (running) return TaskStatus::kRunning;
  if (phase == "Unknown") return TaskStatus::kUnknown;
  return phase == "Failed" ? TaskStatus::kFailed : TaskStatus::kSucceeded;
}

void TaskReader::ReadJob(const ApiObject& pod, TaskSpec* task) const {
  if (rules_.jobs != nullptr) {
    const auto job = rules_.jobs->find(pod.key());
    if (job != rules_.jobs->end()) task->job = job->second;
    return;
  }
  const std::string field = absl::StrCat("metadata.annotations", JsonPathStep(kGroupName));
  const std::string* group = pod.Annotation(kGroupName);
  if (group != nullptr && !group->empty()) {
    std::string job = absl::StrCat(pod.name_space(), "/", *group);
    if (jobs_.contains(job)) {
      task->job = std::move(job);
      return;
    }
    source_.log->LeftOut(
        pod.place(), field,
        absl::StrCat("job ", Quote(job), " is not there; the pod ",
                     task->status == TaskStatus::kPending ? "belongs to no job and is not scheduled"
                                                          : "only occupies its node"));
  } else if (task->status == TaskStatus::kPending) {
    source_.log->LeftOut(pod.place(), field, "the pod belongs to no job and is not scheduled");
  }
}

int32_t TaskReader::PriorityOf(const ApiObject& pod) const {
  const Field spec = pod.spec();
  if (spec["priority"].given()) return spec.Int32("priority", 0);
  const std::string name = spec.Text("priorityClassName");
  const auto known = classes_.values.find(name);
  if (known != classes_.values.end()) return known->second;
  if (!name.empty()) {
    source_.log->Ignored(
        pod.place(), "spec.priorityClassName",
        absl::StrCat("priority class ", Quote(name), " is not there; the default counts"));
  }
  return classes_.fallback.value_or(0);
}

// All but name, job, status and node.
TaskSpec TaskReader::ReadTraits(const ApiObject& pod) const {
  if (rules_.reader != nullptr) {
    TaskSpec task = rules_.reader->ReadPod(pod);
    task.priority = PriorityOf(pod);
    if (!pod.spec()["preemptionPolicy"].given()) {
      task.never_preempts =
          classes_.NeverPreempts(task.priority_class, pod.spec()["priority"].given());
    }
    NoteMissingOwner(pod, *rules_.reader, task);
    return task;
  }
  const Field spec = pod.spec();
  TaskSpec task;
  task.shape = ReadShape(pod, rules_.pods);
  task.nominated_node = pod.status().Text("nominatedNodeName");
  task.priority = spec.Int32("priority", 1);
  task.never_preempts = ReadNeverPreempts(spec["preemptionPolicy"]);
  task.priority_class = spec.Text("priorityClassName");
  task.created = pod.created();
  return task;
}

void TaskReader::MakeNode(const ApiObject& pod, const std::string& name) {
  if (!nodes_.insert(name).second) return;
  source_.log->LeftOut(
      pod.place(), "spec.nodeName",
      absl::StrCat(name == kNowhere ? "a pod that runs has a node"
                                    : absl::StrCat("node ", Quote(name), " is not there"),
                   "; an empty node stands for it"));
  NodeSpec& node = cluster_->nodes.emplace_back();
  node.name = name;
  node.capacity = {{"pods", 0}};
  node.ready = false;
}

bool TaskReader::Read(const ApiObject& pod, TaskSpec* task) {
  const Field spec = pod.spec();
  const std::string scheduler = spec.Text("schedulerName");
  const std::string node = spec.Text("nodeName");
  if (!scheduler.empty() && scheduler != rules_.scheduler && node.empty()) {
    source_.log->LeftOut(pod.place(), "spec.schedulerName",
                         absl::StrCat("waits for another scheduler, ", Quote(scheduler)));
    return false;
  }
  const TaskStatus status = ReadStatus(pod, !node.empty());
  if (EndsWithoutNode(pod)) return false;
  *task = ReadTraits(pod);
  task->name = pod.key();
  task->status = status;
  task->node.clear();
  task->job.clear();
  ReadJob(pod, task);
  const bool placed = task->status != TaskStatus::kPending &&
                      task->status != TaskStatus::kSucceeded && task->status != TaskStatus::kFailed;
  if (placed) {
    task->node = node.empty() ? kNowhere : node;
    MakeNode(pod, task->node);
  }
  return true;
}

}  // namespace

Dump::Objects ReadTasks(const ImportSource& source, const TaskRules& rules, ClusterSpec* cluster) {
  const Dump::Objects pods = SortedByKey(source.dump.OfKind("Pod"));
  const std::vector<int64_t> ranks = RanksOfUids(pods);
  TaskReader reader(source, rules, cluster);
  Dump::Objects kept;
  for (size_t i = 0; i < pods.size() && source.log->ok(); ++i) {
    TaskSpec task;
    if (!reader.Read(*pods[i], &task)) continue;
    task.uid_rank = ranks[i];
    cluster->tasks.push_back(std::move(task));
    kept.push_back(pods[i]);
  }
  return kept;
}

}  // namespace muster
