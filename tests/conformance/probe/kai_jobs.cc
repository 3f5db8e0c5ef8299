// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls about jobs: orders, what is tried and given up next, signatures, requests of pods.
#include <map>
#include <string>
#include <vector>

#include "lib/peer/kai/pod_request.h"
#include "lib/peer/kai/scheduling_signature.h"
#include "lib/peer/kai/sub_groups.h"
#include "lib/peer/kai/task_order.h"
#include "tests/conformance/probe/kai.h"
#include "tests/conformance/probe/kai_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

KaiMemberCount MembersOf(const json& member) {
  const bool is_pod_set = member.contains("minAvailable");
  const KaiRecordedJob read(is_pod_set ? json{{"podSets", {member}}} : member);
  const uint32_t group = is_pod_set ? 1 : 0;
  return {read.job().ActiveMembers(group), read.job().MembersToSatisfy(group)};
}

KaiTaskKey KeyOf(const json& task) {
  const json& labels = KaiMember(task, "labels");
  std::map<std::string, std::string> values;
  if (labels.is_object()) values = labels.get<std::map<std::string, std::string>>();
  const auto label = [&](const char* name) -> std::optional<std::string_view> {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional<std::string_view>(at->second);
  };
  return KaiTaskKeyOf(label("training.kubeflow.org/job-role"), label("ray.io/node-type"),
                      label("kai.scheduler/task-priority"));
}

json CompareTasks(const std::string& fn, const json& in) {
  const KaiTaskRule rule = fn.starts_with("kubeflow") ? KaiTaskRule::kKubeflow
                           : fn.starts_with("ray")    ? KaiTaskRule::kRay
                                                      : KaiTaskRule::kTaskPriority;
  return CompareKaiTasks(rule, KeyOf(in["left"]), KeyOf(in["right"]));
}

json Uids(const KaiRecordedJob& read, const std::vector<KaiPod*>& pods) {
  json uids = json::array();
  for (const KaiPod* pod : pods) uids.push_back(read.tasks()[pod->task].value("uid", ""));
  return uids;
}

json Chunk(const std::string& fn, const json& in) {
  const KaiRecordedJob read(in["job"]);
  if (fn == "GetTasksToAllocate") {
    return {{"tasks", Uids(read, read.job().Next(in["isRealAllocation"]))}};
  }
  bool has_more = false;
  const std::vector<KaiPod*> victims = read.job().NextVictims(&has_more);
  return {{"tasks", Uids(read, victims)}, {"hasMore", has_more}};
}

json Split(const json& in) {
  std::map<std::string, uint32_t> index;
  std::vector<int32_t> minimum;
  for (const auto& [name, pod_set] : in["podSets"].items()) {
    index[name] = static_cast<uint32_t>(minimum.size());
    minimum.push_back(pod_set.value("minAvailable", 0));
  }
  std::vector<uint32_t> pod_sets;
  for (const json& task : in["tasks"]) {
    const std::string name = task.value("subGroup", "");
    pod_sets.push_back(index.at(name.empty() ? "default" : name));
  }
  const KaiSplit split = SplitKaiVictims(pod_sets, minimum);
  json answer = {{"core", json::array()}, {"elastic", json::array()}};
  for (const uint32_t i : split.core) answer["core"].push_back(in["tasks"][i]);
  for (const uint32_t i : split.elastic) answer["elastic"].push_back(in["tasks"][i]);
  return answer;
}

KaiRequests PendingOf(const json& job, KaiPlaces* places) {
  KaiRequests requests;
  const KaiRecordedJob read(job);
  for (const json& task : read.tasks()) {
    if (KaiStatusOf(task) == KaiStatus::kPending) {
      requests.push_back(places->Vector(KaiMember(task, "request")));
    }
  }
  return requests;
}

json Easier(const json& in) {
  KaiPlaces places;
  KaiHardJobs failed;
  constexpr uint64_t kSignature = 1;
  const json& kept = KaiMember(in, "representative");
  if (kept.is_object()) failed.Update(kSignature, PendingOf(kept, &places));
  return failed.IsEasier(kSignature, PendingOf(in["job"], &places));
}

std::vector<KaiNamedAmount> NamedOf(const json& amounts) {
  std::vector<KaiNamedAmount> named;
  if (amounts.is_object()) {
    for (const auto& [name, milli] : amounts.items()) named.push_back({name, milli});
  }
  return named;
}

// The pod's lists of resources hold thousandths.
KaiPodSpec PodOf(const json& pod) {
  KaiPodSpec spec;
  for (const json& c : pod["containers"]) spec.containers.push_back({NamedOf(c["requests"])});
  for (const json& c : pod["initContainers"]) {
    spec.init_containers.push_back({NamedOf(c["requests"]), c["sidecar"]});
  }
  spec.overhead = NamedOf(pod["overhead"]);
  for (const auto& [key, value] : pod["annotations"].items()) {
    spec.annotations.emplace_back(key, value);
  }
  for (const auto& [name, count] : pod["claimed"].items()) spec.claimed.emplace_back(name, count);
  return spec;
}

json RequestedByPod(const json& in) {
  static constexpr const char* kTypes[] = {"", "Regular", "Fraction", "GpuMemory", "MigInstance"};
  const KaiPodRequest request = RequestOfKaiPod(PodOf(in["pod"]));
  json amounts = {{"cpu", request.cpu}, {"memory", request.memory}, {"gpu", request.gpus()}};
  for (const auto& [name, count] : request.scalars) amounts[name] = count;
  json mig = json::object();
  for (const KaiMigCount& count : request.gpu.mig) mig[count.resource] = count.count;
  const json& state = in["state"];
  const KaiStatus status = KaiStatusOfPod({.phase = state["phase"].get<std::string>(),
                                           .is_deleted = state["deleted"],
                                           .is_overdue = false,
                                           .has_node = state["node"],
                                           .is_binding = state["binding"],
                                           .is_gated = state["gated"]});
  return {{"request", amounts},
          {"gpu",
           {{"devices", request.gpu.devices},
            {"portion", request.gpu.portion},
            {"memory", request.gpu.memory},
            {"mig", mig}}},
          {"requestType", kTypes[static_cast<size_t>(request.type)]},
          {"legacyMig", request.is_legacy_mig},
          {"status", std::string(KaiStatusName(status))}};
}

}  // namespace

const KaiAsks& KaiJobAsks() {
  static const auto* const kAsks = new KaiAsks{
      {"SubGroupOrderFn",
       [](const std::string&, const json& in) -> json {
         return CompareKaiMembers(MembersOf(in["left"]), MembersOf(in["right"]));
       }},
      {"elastic.JobOrderFn",
       [](const std::string&, const json& in) -> json {
         return CompareKaiElastic(KaiRecordedJob(in["left"]).job(),
                                  KaiRecordedJob(in["right"]).job());
       }},
      {"kubeflow.TaskOrderFn", CompareTasks},
      {"ray.TaskOrderFn", CompareTasks},
      {"taskorder.TaskOrderFn", CompareTasks},
      {"GetTasksToAllocate", Chunk},
      {"GetTasksToEvict", Chunk},
      {"splitVictimTasks", [](const std::string&, const json& in) { return Split(in); }},
      {"IsEasierToSchedule", [](const std::string&, const json& in) { return Easier(in); }},
      {"NewTaskInfo", [](const std::string&, const json& in) { return RequestedByPod(in); }},
  };
  return *kAsks;
}

}  // namespace muster::testing
