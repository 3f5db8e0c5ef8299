// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods, and the GPUs that some of them share.
//
// The peer names a shared GPU by a group, in a label of the pods that share it. Here the devices of
// a node that has such pods, or may get some, are rows: the groups of a node in the order of their
// names are its first devices.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/json_text.h"
#include "lib/import/kai.h"
#include "lib/import/kubernetes.h"

namespace muster::kai {
namespace {

constexpr std::string_view kGroupOfPod = "pod-group-name";
constexpr std::string_view kSubGroupOfPod = "kai.scheduler/subgroup-name";
constexpr std::string_view kFraction = "gpu-fraction";
constexpr std::string_view kMemory = "gpu-memory";
constexpr std::string_view kDevices = "gpu-fraction-num-devices";
constexpr std::string_view kSharedGpu = "runai-gpu-group";
constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kSlice = "nvidia.com/mig-";
// A node gets so many more devices than GPUs at most: a new group may wait for an old one to end.
constexpr int64_t kMostSpares = 40;

std::string PathOf(std::string_view annotation) {
  return absl::StrCat("metadata.annotations", JsonPathStep(annotation));
}

// A whole number without blanks, as Go reads it.
std::optional<int64_t> WholeOf(const std::string& text) {
  int64_t number = 0;
  const bool is_plain = !text.empty() && text.find_first_not_of("+-0123456789") == text.npos;
  if (!is_plain || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

// The GPUs that the pod's annotations request. A bad value counts as none, and is reported.
class PartReader {
 public:
  explicit PartReader(const ApiObject& pod) : pod_(pod) {}

  // Returns a part of each of some devices, or whole devices; nothing where none are requested.
  std::optional<DeviceRequest> Read() {
    const std::optional<DeviceRequest> fraction = ReadFraction(), memory = ReadMemory();
    std::optional<DeviceRequest> request = fraction ? fraction : memory;
    if (fraction && memory) Ignored(kMemory, "set beside gpu-fraction, which counts");
    const std::string* devices = pod_.Annotation(kDevices);
    if (devices == nullptr) return request;
    const std::optional<int64_t> count = WholeOf(*devices);
    if (!request) {
      Ignored(kDevices, "decides nothing without gpu-fraction or gpu-memory");
    } else if (!count || *count < 1) {
      Ignored(kDevices, absl::StrCat(Quote(*devices), " is no number of devices; 1 counts"));
    } else {
      request->count = *count;
    }
    return request;
  }

  // Returns the instances of devices that an old pod requests in annotations.
  Labels Slices() {
    Labels slices;
    for (const auto& [key, value] : pod_.annotations()) {
      if (!key.starts_with(kSlice)) continue;
      if (WholeOf(value)) {
        slices.emplace_back(key, value);
      } else {
        Ignored(key, absl::StrCat(Quote(value), " is no whole number"));
      }
    }
    return slices;
  }

 private:
  void Ignored(std::string_view annotation, std::string_view text) {
    pod_.log()->Ignored(pod_.place(), PathOf(annotation), text);
  }

  std::optional<DeviceRequest> ReadFraction() {
    const std::string* text = pod_.Annotation(kFraction);
    if (text == nullptr) return std::nullopt;
    double part = 0;
    if (!absl::SimpleAtod(*text, &part) || !(part > 0 && part <= 1)) {
      Ignored(kFraction,
              absl::StrCat(Quote(*text), " is no part of a GPU, which is above 0 and at most 1"));
      return std::nullopt;
    }
    DeviceRequest request{.kind = "gpu"};
    request.milli = std::max<int64_t>(1, static_cast<int64_t>(std::round(part * 1000)));
    return request;
  }

  std::optional<DeviceRequest> ReadMemory() {
    const std::string* text = pod_.Annotation(kMemory);
    if (text == nullptr) return std::nullopt;
    const std::optional<int64_t> mebibytes = WholeOf(*text);
    if (!mebibytes || *mebibytes < 1) {
      Ignored(kMemory, absl::StrCat(Quote(*text), " is no number of MiB of 1 or more"));
      return std::nullopt;
    }
    DeviceRequest request{.kind = "gpu"};
    request.memory = Quantity(absl::StrCat(*mebibytes, "Mi"));
    return request;
  }

  const ApiObject& pod_;
};

// Whether a device may have other pods beside this one.
bool Shares(const DeviceRequest& part) {
  return part.milli < 1000 || part.memory != DeviceRequest().memory;
}

// The pod requests so many whole GPUs, whatever its containers request.
void SetGpus(int64_t count, TaskShape* shape) {
  std::erase_if(shape->request, [](const auto& amount) { return amount.first == kGpu; });
  shape->request.emplace_back(std::string(kGpu), count);
}

// The groups of shared GPUs that the pod is in.
std::vector<std::string> SharedGpus(const ApiObject& pod) {
  std::vector<std::string> groups;
  for (const auto& [key, value] : pod.labels()) {
    if (key.starts_with(kSharedGpu)) groups.push_back(value);
  }
  return groups;
}

class PodReader {
 public:
  PodReader(const ImportSource& source, const Shard& shard, ClusterSpec* cluster)
      : source_(source), shard_(shard), cluster_(cluster) {
    for (size_t i = 0; i < cluster->nodes.size(); ++i) nodes_[cluster->nodes[i].name] = i;
    for (const JobSpec& job : cluster->jobs) jobs_[job.name] = &job;
    for (const ApiObject* object : source.dump.OfKind("BindRequest")) {
      if (object->status().Text("phase") == "Failed") continue;
      const std::string space = object->metadata().Text("namespace", "default");
      binding_[absl::StrCat(space, "/", object->spec().Text("podName"))] =
          object->spec().Text("selectedNode");
    }
  }

  void Read() {
    const Dump::Objects pods = SortedByKey(source_.dump.OfKind("Pod"));
    ListGroups(pods);
    for (const ApiObject* pod : pods) {
      if (!source_.log->ok()) return;
      ReadPod(*pod);
    }
    MakeDevices();
  }

 private:
  std::string NodeOf(const ApiObject& pod) const {
    std::string node = pod.spec().Text("nodeName");
    if (!node.empty()) return node;
    const auto bound = binding_.find(pod.key());
    return bound == binding_.end() ? std::string() : bound->second;
  }

  static bool HasEnded(const ApiObject& pod) {
    const std::string phase = pod.status().Text("phase", "Pending");
    return phase == "Succeeded" || phase == "Failed";
  }

  // Lists the groups of each node, and counts what may become groups.
  void ListGroups(const Dump::Objects& pods) {
    for (const ApiObject* pod : pods) {
      if (HasEnded(*pod)) continue;
      if (const std::optional<DeviceRequest> part = PartReader(*pod).Read()) {
        if (Shares(*part)) spares_ = SatAdd(spares_, part->count);
        parts_.emplace(pod->key(), *part);
      }
      const std::string node = NodeOf(*pod);
      if (node.empty()) continue;
      std::vector<std::string>& known = groups_[node];
      for (std::string& group : SharedGpus(*pod)) known.push_back(std::move(group));
    }
    for (auto& [node, known] : groups_) {
      std::ranges::sort(known);
      known.erase(std::unique(known.begin(), known.end()), known.end());
    }
    spares_ = std::min(spares_, kMostSpares);
  }

  void MakeDevices() {
    if (spares_ == 0) return;
    int64_t devices = 0;
    for (NodeSpec& node : cluster_->nodes) {
      int64_t gpus = 0;
      for (const auto& [name, quantity] : node.capacity) {
        if (name == kGpu) (void)absl::SimpleAtoi(quantity.text, &gpus);
      }
      const int64_t most = source_.options.limits.rows;
      devices = SatAdd(devices, gpus > 0 ? SatAdd(gpus, spares_) : 0);
      if (devices > most) {
        source_.log->Refuse(absl::StrCat("node ", Quote(node.name), ": ", ToAbsl(kGpu)),
                            absl::StrCat(devices, " devices in all; at most ", most, " are made"));
        return;
      }
      for (int64_t i = 0; gpus > 0 && i < gpus + spares_; ++i) {
        node.devices.push_back({.name = DeviceName(i), .kind = "gpu"});
      }
    }
  }
  static std::string DeviceName(int64_t i) { return absl::StrFormat("g%03d", i); }

  TaskStatus StatusOf(const ApiObject& pod, bool has_node) const {
    const std::string phase = pod.status().Text("phase", "Pending");
    if (!has_node) return TaskStatus::kPending;
    if (pod.metadata()["deletionTimestamp"].given()) return TaskStatus::kReleasing;
    if (phase == "Running") return TaskStatus::kRunning;
    if (phase == "Unknown") return TaskStatus::kUnknown;
    return pod.spec().Text("nodeName").empty() ? TaskStatus::kBinding : TaskStatus::kBound;
  }

  void ReadPod(const ApiObject& pod) {
    if (HasEnded(pod)) return;
    TaskSpec task{.name = pod.key(), .node = NodeOf(pod)};
    if (task.node.empty() && EndsWithoutNode(pod)) return;
    task.status = StatusOf(pod, !task.node.empty());
    if (!task.node.empty() && nodes_.find(task.node) == nodes_.end()) {
      source_.log->LeftOut(pod.place(), "spec.nodeName",
                           absl::StrCat("node ", Quote(task.node), " is not there",
                                        shard_.pool ? ", or not in this shard" : ""));
      return;
    }
    ReadJobOf(pod, &task);
    if (task.job.empty() && task.node.empty()) return;
    task.shape = ReadShape(pod, {.claims = true});
    std::erase_if(task.shape.labels,
                  [](const auto& label) { return label.first.starts_with(kSharedGpu); });
    ReadGpus(pod, &task.shape);
    const std::vector<std::string>& known = groups_[task.node];
    for (const std::string& group : SharedGpus(pod)) {
      if (task.node.empty()) continue;
      const auto at = std::ranges::lower_bound(known, group) - known.begin();
      task.devices.push_back({.device = DeviceName(at), .milli = 1});
    }
    std::ranges::sort(task.devices, {}, &DeviceHold::device);
    task.uid_rank = static_cast<int64_t>(cluster_->tasks.size());
    task.created = pod.created();
    task.nominated_node = pod.status().Text("nominatedNodeName");
    for (const Field& gate : pod.spec().Items("schedulingGates")) {
      task.gates.push_back(gate.Text("name"));
    }
    cluster_->tasks.push_back(std::move(task));
  }

  void ReadGpus(const ApiObject& pod, TaskShape* shape) {
    if (const auto part = parts_.find(pod.key()); part == parts_.end()) {
      // The containers alone request GPUs.
    } else if (Shares(part->second)) {
      shape->devices = {part->second};
    } else {
      SetGpus(part->second.count, shape);
    }
    // The profile reads them among the labels.
    for (auto& slice : PartReader(pod).Slices()) {
      std::erase_if(shape->labels, [&](const auto& label) { return label.first == slice.first; });
      shape->labels.push_back(std::move(slice));
    }
  }

  void ReadJobOf(const ApiObject& pod, TaskSpec* task) const {
    const std::string* group = pod.Annotation(kGroupOfPod);
    const std::string key =
        group == nullptr ? std::string() : absl::StrCat(pod.name_space(), "/", *group);
    const auto job = jobs_.find(key);
    if (job == jobs_.end()) {
      if (task->node.empty()) {
        source_.log->LeftOut(pod.place(), PathOf(kGroupOfPod),
                             "the pod waits, and is in no pod group that is here");
      }
      return;
    }
    task->job = key;
    if (const std::string* sub_group = pod.Label(kSubGroupOfPod);
        sub_group != nullptr && !job->second->sub_groups.empty()) {
      task->sub_group = *sub_group;
    }
  }

  const ImportSource& source_;
  const Shard& shard_;
  ClusterSpec* cluster_;
  HashMap<std::string, size_t> nodes_;
  HashMap<std::string, const JobSpec*> jobs_;
  HashMap<std::string, std::string> binding_;              // pod: node
  HashMap<std::string, DeviceRequest> parts_;              // by pod
  HashMap<std::string, std::vector<std::string>> groups_;  // by node: of shared GPUs, ascending
  int64_t spares_ = 0;
};

}  // namespace

void AddPods(const ImportSource& source, const Shard& shard, ClusterSpec* cluster) {
  PodReader(source, shard, cluster).Read();
}

}  // namespace muster::kai
