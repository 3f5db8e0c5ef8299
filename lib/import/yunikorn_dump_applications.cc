// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Applications of a state dump as jobs, and what they have allocated and request as tasks.
//
// A task is called by its pod, "namespace/name" of the tags, or by its allocation key.
//
// Placeholders. As long as a gang gathers, its pods are not in the core: each placeholder stands
// for one, as a task of its task group that waits, on its node if it has one; a request for the
// group takes the place of a placeholder on a node. Once a gang has started, such a request is on
// the node of its placeholder, which the core replaces at once (status binding), and other
// placeholders hold what they have.
//
// Reservations, deadlines of gangs, backoffs and preemption that a request has triggered already
// become the memory of the profile.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/yunikorn.h"
#include "lib/model/memory_data.h"
#include "lib/peer/yunikorn/read_world.h"

namespace muster::yunikorn_import {
namespace {

constexpr std::string_view kNamespaceTag = "kubernetes.io/meta/namespace";
constexpr std::string_view kPodTag = "kubernetes.io/meta/podName";
constexpr std::string_view kLabelTag = "kubernetes.io/label/";
constexpr int64_t kGangSeconds = 900;

// A request or an allocation of an application.
struct Pod {
  TaskSpec task;
  std::string key;
  int64_t nanoseconds = 0;  // of its creation
  bool allocated = false;
  bool placeholder = false;
  bool originator = false;
  bool triggered = false;  // tasks were evicted for it
  bool gone = false;       // a placeholder of which a request has the place
};

// What a dump counts of a gang's placeholders.
struct GangCounts {
  bool began = false;  // some were replaced or timed out
  std::map<std::string, int64_t> counts;
};

int64_t Seconds(int64_t nanoseconds) { return nanoseconds / yunikorn::kSecond; }

std::vector<NodeTerm> OnlyOn(const std::string& node) {
  return {NodeTerm{.match_fields = {{"metadata.name", RequirementOp::kIn, {node}}}}};
}

class DumpReader {
 public:
  DumpReader(const DumpOfPartition& dump, Scenario* scenario)
      : dump_(dump), log_(*dump.source.log), scenario_(*scenario), cluster_(scenario->cluster) {
    for (const NodeSpec& node : cluster_.nodes) nodes_.insert(node.name);
    for (const TaskSpec& task : cluster_.tasks) names_.insert(task.name);
    for (const Field& node : dump.nodes) {
      for (const std::string& key : node.Texts("reservations")) {
        reserved_.emplace(key, node.Text("nodeID"));
      }
    }
  }

  void Read() {
    std::vector<Field> applications =
        OfPartition(dump_.root, "applications", "partition", dump_.partition);
    std::ranges::stable_sort(applications, {},
                             [](const Field& field) { return field.Text("applicationID"); });
    for (const Field& field : applications) {
      if (log_.ok()) ReadApplication(field);
    }
    if (ended_ > 0) {
      log_.Note("state dump", "applications",
                absl::StrCat(ended_, " of ", applications.size(), " have ended, and are no jobs"));
    }
    for (const Field& node : dump_.nodes) {
      if (log_.ok()) ReadRestOfNode(node);
    }
    for (const auto& [key, node] : reserved_) {
      log_.Ignored(absl::StrCat("Node ", node), "reservations",
                   absl::StrCat("no request has the key ", Quote(key)));
    }
    if (slot_.empty()) return;
    internal::MemoryData data;
    data.slots[std::string(yunikorn::kYuniKornSlot.slot)].rows =
        internal::SharedRows(std::move(slot_));
    scenario_.memory = internal::MakeMemory(std::move(data));
  }

 private:
  // --- pods

  std::string NameOf(const Field& field, const std::string& key) {
    const Field tags = field.Section("allocationTags");
    const std::string pod = tags.Text(kPodTag);
    std::string name = pod.empty() ? key : absl::StrCat(tags.Text(kNamespaceTag), "/", pod);
    // A pod that was made anew has the name of the one before it.
    if (!names_.insert(name).second) name = key;
    names_.insert(name);
    return name;
  }

  // What the pod demands of nodes, if the shim lists it.
  void ReadDemands(const Field& field, const std::string& key, TaskSpec* task) {
    const auto found = dump_.pods.find(key);
    if (found == dump_.pods.end()) {
      const Field tags = field.Section("allocationTags");
      if (tags[kNamespaceTag].given()) task->shape.name_space = tags.Text(kNamespaceTag);
      for (const Field& tag : tags.Children()) {
        if (!tag.key().starts_with(kLabelTag)) continue;
        task->shape.labels.emplace_back(tag.key().substr(kLabelTag.size()), tag.AsText());
      }
      if (dump_.pods.empty()) return;
      return log_.Note(absl::StrCat("Pod ", task->name), "",
                       "rmDiagnostics does not list it: what it demands of nodes is not known");
    }
    const Field& known = found->second;
    const std::string name = known.Text("name"), name_space = known.Text("namespace");
    const std::unique_ptr<ApiObject> pod =
        MakePod({.metadata = known, .spec = known, .name_space = name_space, .name = name},
                dump_.source.options.limits, &log_);
    if (pod == nullptr) return;
    task->shape = ReadShape(*pod, kPodRules);
    task->shape.containers.clear();
    task->priority_class = known.Text("priorityClassName");
    task->never_preempts = known.Text("preemptionPolicy") == "Never";
    task->preemptable = !dump_.kept_pods.contains(task->priority_class);
  }

  Pod ReadPod(const Field& field, bool allocated) {
    Pod pod{.key = field.Text("allocationKey"), .allocated = allocated};
    if (pod.key.empty()) field["allocationKey"].Refuse("missing; each pod has a key");
    if (!keys_.insert(pod.key).second) {
      field["allocationKey"].Refuse(absl::StrCat("key ", Quote(pod.key), " is listed twice"));
    }
    TaskSpec& task = pod.task;
    task.name = NameOf(field, pod.key);
    task.uid = pod.key;
    ReadDemands(field, pod.key, &task);
    task.shape.request = ReadDumpAmounts(field["resource"], AmountsOf::kRequest);
    const Field priority = field["priority"];
    if (!priority.ScalarText().empty() &&
        !absl::SimpleAtoi(priority.ScalarText(), &task.priority)) {
      priority.Refuse(absl::StrCat(priority.Describe(), " is no priority; a 32-bit number is"));
    }
    pod.nanoseconds = field.Int64(allocated ? "allocationTime" : "requestTime", 0);
    task.created = Seconds(pod.nanoseconds);
    pod.placeholder = field.Bool("placeholder", false);
    pod.triggered = field.Bool("triggeredPreemption", false);
    task.group = field.Text("taskGroupName");
    if (const std::string node = field.Text("requiredNodeId");
        !node.empty() && !task.shape.required_node_affinity) {
      task.shape.required_node_affinity = OnlyOn(node);
    }
    if (!allocated) return pod;
    task.status = field.Bool("preempted", false) ? TaskStatus::kReleasing : TaskStatus::kRunning;
    task.node = field.Text("nodeId");
    return pod;
  }

  // Returns whether the node of an allocation is there.
  bool HasNode(const TaskSpec& task) {
    if (nodes_.contains(task.node)) return true;
    log_.LeftOut(absl::StrCat("Allocation ", task.name), "nodeId",
                 absl::StrCat("node ", Quote(task.node), " is not there"));
    return false;
  }

  // --- applications

  void ReadApplication(const Field& field) {
    JobSpec job{.name = field.Text("applicationID"), .queue = field.Text("queueName")};
    if (job.name.empty()) field["applicationID"].Refuse("missing; each application has an id");
    const std::string state = field.Text("applicationState");
    if (state == "Rejected") {
      return log_.LeftOut(absl::StrCat("Application ", job.name), "",
                          field.Text("rejectedMessage", "it was rejected"));
    }
    if (state == "Completed" || state == "Failed" || state == "Expired") {
      ++ended_;
      return;
    }
    const auto queue = dump_.leaf.find(job.queue);
    if (queue == dump_.leaf.end() || !queue->second) {
      return field["queueName"].Refuse(absl::StrCat(
          Quote(job.queue), queue == dump_.leaf.end() ? " is no queue of the dump"
                                                      : " is no leaf; applications are in leaves"));
    }
    job.created = Seconds(SubmissionOf(field, job));
    job.owner = JobOwner{.user = field.Text("user", "nobody"), .groups = field.Texts("groups")};
    if (const int64_t deadline = field.Seconds("backoffDeadline"); deadline > 0) {
      slot_.Set(absl::StrCat("backoff/", job.name), {SatMul(deadline, yunikorn::kSecond)});
    }
    std::vector<Pod> pods = ReadPods(field, &job);
    if (!log_.ok()) return;
    const GangCounts counts = ReadCounts(field);
    const bool started = std::ranges::any_of(
        pods, [](const Pod& pod) { return pod.allocated && !pod.placeholder && !pod.originator; });
    const bool gathers = !started && !counts.began &&
                         std::ranges::any_of(pods, [](const Pod& pod) { return pod.placeholder; });
    TakePlaces(job, gathers, &pods);
    for (Pod& pod : pods) SetStatus(job, gathers, &pod);
    AddGroups(counts, gathers, pods, &job);
    for (Pod& pod : pods) {
      if (pod.gone) continue;
      Remember(pod, gathers);
      pod.task.job = job.name;
      cluster_.tasks.push_back(std::move(pod.task));
    }
    cluster_.jobs.push_back(std::move(job));
  }

  // Rows have whole seconds; the names of applications of one second decide.
  int64_t SubmissionOf(const Field& field, const JobSpec& job) {
    const int64_t time = field.Int64("submissionTime", 0);
    const auto [first, is_new] = submitted_.emplace(std::pair(job.queue, Seconds(time)), time);
    if (!is_new && first->second != time) {
      log_.Ignored(absl::StrCat("Queue ", job.queue), "submissionTime",
                   "parts of a second; of applications of one second the names decide");
    }
    return time;
  }

  // Allocations come first, then requests, each by time of creation. The originator's group is one
  // of its own.
  std::vector<Pod> ReadPods(const Field& field, JobSpec* job) {
    HashSet<std::string> groups;
    for (const char* list : {"allocations", "requests"}) {
      for (const Field& item : field.Items(list)) groups.insert(item.Text("taskGroupName"));
    }
    std::string driver = "originator";
    while (groups.contains(driver)) driver += "~";
    std::vector<Pod> pods;
    for (const bool allocated : {true, false}) {
      const size_t first = pods.size();
      for (const Field& item : field.Items(allocated ? "allocations" : "requests")) {
        Pod pod = ReadPod(item, allocated);
        if (!log_.ok()) return pods;
        if (allocated && !HasNode(pod.task)) continue;
        pod.originator = item.Bool("originator", false);
        if (pod.originator) {
          if (job->settings.empty()) job->settings.emplace_back("yunikorn/originator", driver);
          pod.task.group = driver;
        }
        pods.push_back(std::move(pod));
      }
      std::sort(pods.begin() + static_cast<std::ptrdiff_t>(first), pods.end(),
                [](const Pod& a, const Pod& b) {
                  return std::pair(a.nanoseconds, std::string_view(a.key)) <
                         std::pair(b.nanoseconds, std::string_view(b.key));
                });
    }
    return pods;
  }

  static GangCounts ReadCounts(const Field& field) {
    GangCounts counts;
    for (const Field& item : field.Items("placeholderData")) {
      counts.began |= item.Int64("replaced", 0) > 0 || item.Int64("timedout", 0) > 0;
      counts.counts[item.Text("taskGroupName")] = item.Int64("count", 0);
    }
    return counts;
  }

  // Gives requests the places of placeholders of their group.
  void TakePlaces(const JobSpec& job, bool gathers, std::vector<Pod>* pods) {
    std::map<std::string, std::vector<Pod*>> places;  // the next one is the last
    for (size_t i = pods->size(); i-- > 0;) {
      Pod& pod = (*pods)[i];
      if (pod.placeholder && pod.task.status == TaskStatus::kRunning) {
        places[pod.task.group].push_back(&pod);
      }
    }
    for (Pod& pod : *pods) {
      if (pod.allocated || pod.placeholder || pod.task.group.empty()) continue;
      std::vector<Pod*>& left = places[pod.task.group];
      if (left.empty()) continue;
      Pod& place = *left.back();
      left.pop_back();
      place.gone = true;
      pod.task.node = place.task.node;
      pod.task.status = gathers ? TaskStatus::kWaiting : TaskStatus::kBinding;
      if (gathers) {
        pod.task.waiting_group = job.name;
      } else {
        log_.Note(absl::StrCat("Pod ", pod.task.name), "",
                  absl::StrCat("it is where its placeholder ", place.task.name,
                               " is, which the core replaces at once"));
      }
    }
  }

  // Of placeholders that are left.
  void SetStatus(const JobSpec& job, bool gathers, Pod* pod) {
    if (!pod->placeholder || pod->gone) return;
    TaskSpec& task = pod->task;
    if (gathers && task.status == TaskStatus::kRunning) {
      task.status = TaskStatus::kWaiting;
      task.waiting_group = job.name;
    } else if (!gathers && pod->allocated) {
      log_.Note(absl::StrCat("Pod ", task.name), "",
                "a placeholder for which no pod waits; it holds what it has");
    } else if (!gathers) {
      pod->gone = true;
      log_.LeftOut(absl::StrCat("Request ", task.name), "",
                   "a placeholder that waits though its gang gathers no more");
    }
  }

  void AddGroups(const GangCounts& counts, bool gathers, const std::vector<Pod>& pods,
                 JobSpec* job) {
    std::map<std::string, int64_t> members;
    for (const Pod& pod : pods) {
      if (!pod.gone && !pod.task.group.empty()) ++members[pod.task.group];
    }
    for (const auto& [name, count] : members) {
      GroupSpec& group = job->groups.emplace_back(GroupSpec{.name = name});
      const auto known = counts.counts.find(name);
      if (!gathers || known == counts.counts.end()) continue;
      group.min_available = std::min(known->second, count);
      if (known->second <= count) continue;
      log_.Note(absl::StrCat("Application ", job->name), "placeholderData",
                absl::StrCat("of ", known->second, " placeholders of task group ", Quote(name),
                             " the dump has ", count));
    }
    if (!gathers) return;
    log_.Note(absl::StrCat("Application ", job->name), "",
              "a dump has neither style nor time-out of a gang: Soft, and 900 seconds");
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const Pod& pod : pods) {
      if (pod.placeholder && pod.allocated) first = std::min(first, pod.task.created);
    }
    if (first == std::numeric_limits<int64_t>::max()) return;
    slot_.Set(absl::StrCat("gang/", job->name), {SatAdd(first, kGangSeconds)});
  }

  // Rows of the memory, as World::Remember has them.
  void Remember(const Pod& pod, bool gathers) {
    if (pod.allocated) return;
    const std::string_view held = pod.placeholder && gathers ? "held-" : "";
    const auto node = reserved_.find(pod.key);
    if (node != reserved_.end() && pod.task.status == TaskStatus::kPending) {
      slot_.Set(absl::StrCat(ToAbsl(held), "reserved/", pod.task.name),
                {node->second, SatMul(scenario_.options.now, yunikorn::kSecond)});
    }
    if (node != reserved_.end()) reserved_.erase(node);
    if (pod.triggered && pod.task.status == TaskStatus::kPending) {
      slot_.Set(absl::StrCat(ToAbsl(held), "ask/", pod.task.name), {yunikorn::kNever, int64_t{1}});
    }
  }

  // --- nodes

  // Foreign pods, and allocations of applications that are not listed.
  void ReadRestOfNode(const Field& node) {
    for (const Field& item : node.Items("foreignAllocations")) AddOccupant(node, item);
    for (const Field& item : node.Items("allocations")) {
      if (keys_.contains(item.Text("allocationKey"))) continue;
      AddOccupant(node, item);
      if (!log_.ok()) return;
      log_.Note(absl::StrCat("Pod ", cluster_.tasks.back().name), "applicationId",
                absl::StrCat("application ", Quote(item.Text("applicationId")),
                             " is no job; the pod only occupies its node"));
    }
  }

  void AddOccupant(const Field& node, const Field& item) {
    Pod pod = ReadPod(item, /*allocated=*/true);
    pod.task.group.clear();
    pod.task.node = node.Text("nodeID");
    if (!item.Bool("preemptable", true)) pod.task.preemptable = false;
    cluster_.tasks.push_back(std::move(pod.task));
  }

  const DumpOfPartition& dump_;
  ImportLog& log_;
  Scenario& scenario_;
  ClusterSpec& cluster_;
  HashSet<std::string> nodes_, names_, keys_;
  std::map<std::string, std::string> reserved_;                   // nodes by key of the request
  std::map<std::pair<std::string, int64_t>, int64_t> submitted_;  // by queue and second
  MemorySlot slot_;
  int64_t ended_ = 0;
};

}  // namespace

void AddApplications(const DumpOfPartition& dump, Scenario* scenario) {
  DumpReader(dump, scenario).Read();
}

}  // namespace muster::yunikorn_import
