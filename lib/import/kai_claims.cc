// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// GPUs that pods claim (dynamic resource allocation), and the slices of devices that nodes offer.
//
// Profile kai counts claimed GPUs where its option `claims` is on: the devices of nodes without
// nvidia.com/gpu, and an exclusive request for devices of kind gpu. Which device a claim gets is
// not decided.
//
// Peer. A device class, or a driver, is one of GPUs if its name contains "gpu". A request for all
// devices counts as one. No node takes a pod with a claim that is not there, or with one that is
// not made from a template and lacks the label kai.scheduler/queue with the queue of the pod's job:
// here such a pod is gated.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/kai.h"

namespace muster::kai {
namespace {

constexpr std::string_view kQueueLabel = "kai.scheduler/queue";
constexpr std::string_view kGpuResources[] = {"nvidia.com/gpu", "amd.com/gpu"};

bool IsGpuClass(std::string_view name) {
  return absl::StrContains(absl::AsciiStrToLower(ToAbsl(name)), "gpu");
}

// What a claim, or a template of claims, requests.
struct Claim {
  int64_t gpus = 0;
  bool is_whole = true;  // all that it requests is considered
  std::optional<std::string> queue = {};
  std::string user = {};  // the first pod that has it
};

// Adds one request to the claim. What a number of GPUs does not express is reported.
void AddRequest(const Field& request, Claim* claim) {
  const auto ignored = [&](const Field& field, const std::string& why) {
    field.Ignored(why);
    claim->is_whole = false;
  };
  if (const Field first = request["firstAvailable"]; first.given()) {
    return ignored(first, "alternatives are not considered");
  }
  const Field exactly = request["exactly"].given() ? request.Section("exactly") : request;
  const std::string name = exactly.Text("deviceClassName");
  if (!IsGpuClass(name)) {
    return ignored(request, absl::StrCat("devices of class ", Quote(name), " are not considered"));
  }
  if (exactly["selectors"].truthy()) ignored(exactly["selectors"], "any GPU will do");
  const std::string mode = exactly.Text("allocationMode", "ExactCount");
  if (mode == "ExactCount") {
    claim->gpus = SatAdd(claim->gpus, std::max<int64_t>(1, exactly.Int64("count", 1)));
  } else if (mode == "All") {
    ignored(exactly["allocationMode"], "all devices count as one");
    claim->gpus = SatAdd(claim->gpus, 1);
  } else {
    ignored(exactly["allocationMode"], "expected ExactCount or All; the request does not count");
  }
}

Claim ClaimOf(const Field& spec) {
  Claim claim;
  for (const Field& request : spec.Section("devices").Items("requests")) {
    AddRequest(request, &claim);
  }
  return claim;
}

class ClaimReader {
 public:
  ClaimReader(const ImportSource& source, ClusterSpec* cluster)
      : source_(source), cluster_(cluster) {
    for (const ApiObject* object : source.dump.OfKind("ResourceClaim")) {
      Claim& claim = claims_[object->key()] = ClaimOf(object->spec());
      if (const std::string* queue = object->Label(kQueueLabel)) claim.queue = *queue;
    }
    for (const ApiObject* object : source.dump.OfKind("ResourceClaimTemplate")) {
      templates_[object->key()] = ClaimOf(object->spec().Section("spec"));
    }
    for (const JobSpec& job : cluster->jobs) queue_of_[job.name] = job.queue;
  }

  // Returns whether some node offers GPUs to claims.
  bool ReadSlices() {
    HashMap<std::string, size_t> nodes;
    for (size_t i = 0; i < cluster_->nodes.size(); ++i) nodes[cluster_->nodes[i].name] = i;
    bool some = false;
    for (const ApiObject* slice : SortedByKey(source_.dump.OfKind("ResourceSlice"))) {
      const Field spec = slice->spec();
      if (!IsGpuClass(spec.Text("driver"))) {
        spec["driver"].Ignored("devices of this driver are not considered");
        continue;
      }
      const auto node = nodes.find(spec.Text("nodeName"));
      if (node == nodes.end()) {
        spec["nodeName"].Ignored("is no node that is here; devices of one node are considered");
        continue;
      }
      some |= AddDevices(*slice, spec.Items("devices").size(), &cluster_->nodes[node->second]);
    }
    return some;
  }

  // Returns whether the pod claims GPUs.
  bool ReadPod(const ApiObject& pod, TaskSpec* task) {
    int64_t gpus = 0;
    for (const Field& claim : pod.spec().Items("resourceClaims")) {
      gpus = SatAdd(gpus, GpusOf(pod, claim, task));
    }
    if (gpus == 0) return false;
    if (!task->shape.devices.empty()) {
      pod.spec()["resourceClaims"].Ignored("the pod requests a part of a GPU, which counts");
      return false;
    }
    task->shape.devices = {{.kind = "gpu", .count = gpus, .exclusive = true}};
    return true;
  }

 private:
  bool AddDevices(const ApiObject& slice, size_t count, NodeSpec* node) {
    const bool has_gpus = std::ranges::any_of(node->capacity, [](const auto& amount) {
      return std::ranges::count(kGpuResources, amount.first) > 0 && amount.second.text != "0";
    });
    if (has_gpus) {
      slice.spec()["devices"].Ignored("the node lists GPUs, and devices beside them do not count");
      return false;
    }
    for (size_t i = 0; i < count; ++i) {
      node->devices.push_back(
          {.name = absl::StrFormat("claimed%03d", node->devices.size()), .kind = "gpu"});
    }
    return count > 0;
  }

  // The name of the claim that was made for the pod from a template; empty: none yet.
  static std::string MadeFor(const ApiObject& pod, const std::string& name) {
    for (const Field& status : pod.status().Items("resourceClaimStatuses")) {
      if (status.Text("name") == name) return status.Text("resourceClaimName");
    }
    return {};
  }

  // Returns the claim of the pod: one that is there, or the template of one that is yet to be made.
  // Null: neither.
  Claim* Find(const ApiObject& pod, const Field& claim) {
    const auto find = [&](auto& all, const std::string& name) -> Claim* {
      const auto at = all.find(absl::StrCat(pod.name_space(), "/", name));
      return at == all.end() ? nullptr : &at->second;
    };
    const std::string from = claim.Text("resourceClaimTemplateName");
    if (from.empty()) return find(claims_, claim.Text("resourceClaimName"));
    Claim* made = find(claims_, MadeFor(pod, claim.Text("name")));
    return made != nullptr ? made : find(templates_, from);
  }

  // Returns the GPUs that the pod's claim adds to the task, and gates the task where no node would
  // take it.
  int64_t GpusOf(const ApiObject& pod, const Field& claim, TaskSpec* task) {
    const bool is_shared = claim.Text("resourceClaimTemplateName").empty();
    const auto gate = [&](std::string_view why) {
      if (!task->node.empty()) return;
      const std::string name =
          claim.Text(is_shared ? "resourceClaimName" : "resourceClaimTemplateName");
      task->gates.push_back(absl::StrCat(is_shared ? "resource claim " : "resource claim template ",
                                         pod.name_space(), "/", name, ToAbsl(why)));
    };
    Claim* found = Find(pod, claim);
    if (found == nullptr) {
      claim.Ignored("the claim is not there, and counts as none");
      gate(" is not there");
      return 0;
    }
    if (!found->is_whole) claim.Ignored("a part of the claim is not considered");
    if (found->gpus == 0 || !is_shared) return found->gpus;
    const std::string& queue = queue_of_[task->job];
    if (found->queue != queue) {
      gate(absl::StrCat(" without label ", ToAbsl(kQueueLabel), "=", queue));
    }
    if (!found->user.empty()) {
      claim.Ignored(absl::StrCat("pod ", found->user, " has the claim, too, and counts its GPUs"));
      return 0;
    }
    found->user = pod.key();
    return found->gpus;
  }

  const ImportSource& source_;
  ClusterSpec* cluster_;
  HashMap<std::string, Claim> claims_;
  HashMap<std::string, Claim> templates_;       // the claim that each makes
  HashMap<std::string, std::string> queue_of_;  // by job
};

}  // namespace

bool AddClaims(const ImportSource& source, ClusterSpec* cluster) {
  ClaimReader reader(source, cluster);
  bool some = reader.ReadSlices();
  HashMap<std::string, const ApiObject*> pods;
  for (const ApiObject* pod : source.dump.OfKind("Pod")) pods[pod->key()] = pod;
  for (TaskSpec& task : cluster->tasks) {
    const auto pod = pods.find(task.name);
    if (pod != pods.end()) some |= reader.ReadPod(*pod->second, &task);
  }
  return some;
}

}  // namespace muster::kai
