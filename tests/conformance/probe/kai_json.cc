// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/kai_json.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace muster::testing {

using nlohmann::json;

const json& KaiMember(const json& object, const char* key) {
  static const json* const kNothing = new json();
  if (!object.is_object()) return *kNothing;
  const auto at = object.find(key);
  return at == object.end() ? *kNothing : *at;
}

size_t KaiPlaces::At(const std::string& name) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<size_t>(at - names_.begin());
  names_.push_back(name);
  return names_.size() - 1;
}

KaiVector KaiPlaces::Vector(const json& object) {
  KaiVector vector(4);
  if (!object.is_object()) return vector;
  for (const auto& [name, amount] : object.items()) {
    const size_t at = At(name);
    if (vector.size() <= at) vector.resize(at + 1);
    vector[at] = amount.get<double>();
  }
  return vector;
}

KaiAmounts KaiAmountsOf(const json& vector) {
  KaiAmounts amounts = {};
  if (!vector.is_object()) return amounts;
  amounts = {vector.value("cpu", 0.0), vector.value("memory", 0.0), vector.value("gpu", 0.0)};
  for (const auto& [name, count] : vector.items()) {
    if (const auto profile = ParseKaiMigProfile(name)) {
      amounts[kKaiGpu] += static_cast<double>(profile->gpus) * count.get<double>();
    }
  }
  return amounts;
}

KaiAmounts KaiQuantitiesOf(const json& quantities) {
  if (!quantities.is_object()) return {};
  return {quantities.value("CPU", 0.0), quantities.value("Memory", 0.0),
          quantities.value("GPU", 0.0)};
}

json KaiWritten(const KaiAmounts& amounts) {
  return {{"cpu", amounts[kKaiCpu]}, {"memory", amounts[kKaiMemory]}, {"gpu", amounts[kKaiGpu]}};
}

KaiShares KaiSharesOf(const json& attributes) {
  KaiShares shares;
  static constexpr const char* kNames[] = {"cpu", "memory", "gpu"};
  for (size_t r = 0; r < kKaiResources; ++r) {
    const json& part = KaiMember(attributes, kNames[r]);
    if (!part.is_object()) continue;
    shares[r] = {.deserved = part.value("deserved", 0.0),
                 .fair_share = part.value("fairShare", 0.0),
                 .max_allowed = part.value("maxAllowed", 0.0),
                 .over_quota_weight = part.value("overQuotaWeight", 0.0),
                 .allocated = part.value("allocated", 0.0),
                 .allocated_not_preemptible = part.value("allocatedNotPreemptible", 0.0),
                 .request = part.value("request", 0.0),
                 .usage = part.value("usage", 0.0)};
  }
  return shares;
}

KaiQueueTree KaiTreeOf(const json& queues, std::map<std::string, uint32_t>* index) {
  struct Row {
    size_t depth;
    std::string uid, key;
  };
  std::vector<Row> rows;
  for (const auto& [key, queue] : queues.items()) {
    size_t depth = 0;
    for (std::string above = queue.value("parent", ""); queues.contains(above);
         above = queues[above].value("parent", "")) {
      ++depth;
    }
    rows.push_back({depth, queue.value("uid", ""), key});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.depth, a.uid, a.key) < std::tie(b.depth, b.uid, b.key);
  });
  KaiQueueTree tree;
  for (const Row& row : rows) {
    const json& queue = queues[row.key];
    const std::string parent = queue.value("parent", "");
    KaiQueue added = {.name = queue.value("name", "")};
    if (queues.contains(parent)) added.parent = index->at(parent);
    added.priority = queue.value("priority", int64_t{0});
    added.created = static_cast<int64_t>(std::llround(queue.value("created", 0.0) * 1e9));
    const auto time = [&](const char* key) -> std::optional<int64_t> {
      if (!queue.contains(key)) return std::nullopt;
      return KaiDuration(queue[key]);
    };
    added.preempt_min_runtime = time("preemptMinRuntime");
    added.reclaim_min_runtime = time("reclaimMinRuntime");
    (*index)[row.key] = tree.Add(added);
    tree.share.back() = KaiSharesOf(queue);
  }
  return tree;
}

int64_t KaiDuration(const std::string& text) {
  static const auto* const kUnits = new std::map<std::string, double>{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  double sum = 0;
  const char* at = text.c_str();
  const bool is_negative = *at == '-';
  if (is_negative) ++at;
  while (*at != '\0') {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at) break;
    std::string unit;
    for (at = end; *at >= 'a' && *at <= 'z'; ++at) unit += *at;
    const auto known = kUnits->find(unit);
    if (known != kUnits->end()) sum += number * known->second;
  }
  return static_cast<int64_t>(std::llround(is_negative ? -sum : sum));
}

KaiStatus KaiStatusOf(const json& task) {
  static const auto* const kStatuses = new std::map<std::string, KaiStatus>{
      {"Pending", KaiStatus::kPending},     {"Gated", KaiStatus::kGated},
      {"Allocated", KaiStatus::kAllocated}, {"Pipelined", KaiStatus::kPipelined},
      {"Binding", KaiStatus::kBinding},     {"Bound", KaiStatus::kBound},
      {"Running", KaiStatus::kRunning},     {"Releasing", KaiStatus::kReleasing},
      {"Succeeded", KaiStatus::kSucceeded}, {"Failed", KaiStatus::kFailed},
      {"Deleted", KaiStatus::kDeleted},     {"StuckInReleasing", KaiStatus::kStuckInReleasing}};
  const auto at = kStatuses->find(task.value("status", ""));
  return at == kStatuses->end() ? KaiStatus::kUnknown : at->second;
}

KaiGpuRequest KaiGpuOf(const json& task) {
  const json& gpu = KaiMember(task, "gpu");
  KaiGpuRequest request;
  if (!gpu.is_object()) return request;
  request.devices = gpu.value("devices", int64_t{0});
  request.portion = gpu.value("portion", 0.0);
  request.memory = gpu.value("memory", int64_t{0});
  const json& mig = KaiMember(gpu, "mig");
  if (mig.is_object()) {
    for (const auto& [name, count] : mig.items()) request.mig.push_back({name, count});
  }
  const json& claimed = KaiMember(gpu, "dra");
  if (claimed.is_object()) {
    for (const auto& [name, count] : claimed.items()) request.claimed += count.get<int64_t>();
  } else if (claimed.is_number()) {
    request.claimed = claimed;
  }
  return request;
}

KaiRequestType KaiTypeOf(const json& task) {
  const std::string type = task.value("requestType", "");
  return type == "Regular"       ? KaiRequestType::kRegular
         : type == "Fraction"    ? KaiRequestType::kFraction
         : type == "GpuMemory"   ? KaiRequestType::kGpuMemory
         : type == "MigInstance" ? KaiRequestType::kMigInstance
                                 : KaiRequestType::kUnset;
}

namespace {

void AddPodSet(const json& pod_set, uint32_t parent, KaiJob* job) {
  const uint32_t entry =
      job->groups.AddPodSet(parent, pod_set.value("name", ""), pod_set.value("minAvailable", 0));
  const json& tasks = KaiMember(pod_set, "tasks");
  if (!tasks.is_array()) return;
  std::vector<json> ordered(tasks.begin(), tasks.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const json& a, const json& b) {
    return a.value("uid", "") < b.value("uid", "");
  });
  for (json& task : ordered) {
    const auto index = static_cast<uint32_t>(job->tasks.size());
    job->status.push_back(KaiStatusOf(task));
    job->is_virtual.push_back(task.value("virtual", false));
    job->tasks.push_back(std::move(task));
    job->groups.AddTask(entry, index, job->status.back());
  }
}

void AddMembers(const json& group, uint32_t entry, KaiJob* job) {
  const json& groups = KaiMember(group, "groups");
  if (groups.is_array()) {
    for (const json& child : groups) {
      const uint32_t added = job->groups.AddGroup(entry, child.value("name", ""),
                                                  child.value("minSubGroup", KaiSubGroups::kAll));
      AddMembers(child, added, job);
    }
  }
  const json& pod_sets = KaiMember(group, "podSets");
  if (pod_sets.is_array()) {
    for (const json& pod_set : pod_sets) AddPodSet(pod_set, entry, job);
  }
}

}  // namespace

KaiJob KaiJobOf(const json& job) {
  const json& root = job.contains("root") ? job["root"] : job;
  KaiJob read;
  read.groups.SetName(0, root.value("name", ""));
  read.groups.SetRootMinimum(root.value("minSubGroup", KaiSubGroups::kAll));
  AddMembers(root, 0, &read);
  return read;
}

KaiAmounts KaiNextRequest(const KaiJob& job, int64_t least_device_memory) {
  std::vector<uint32_t> tasks;
  job.groups.TasksToAllocate(job.states(), /*real=*/false, &tasks);
  KaiAmounts sum = {};
  for (const uint32_t t : tasks) {
    const json& task = job.tasks[t];
    sum = AddedKaiAmounts(sum, KaiAmountsOf(KaiMember(task, "request")));
    if (KaiTypeOf(task) == KaiRequestType::kGpuMemory) {
      sum[kKaiGpu] += KaiMemoryAsGpus(KaiGpuOf(task), least_device_memory);
    }
  }
  return sum;
}

std::vector<KaiSharedDevice> KaiSharedOf(const json& node) {
  const json& shared = KaiMember(node, "sharedGpus");
  std::set<std::string> names;
  for (const char* part : {"used", "allocated", "releasing"}) {
    const json& amounts = KaiMember(shared, part);
    if (!amounts.is_object()) continue;
    for (const auto& [name, amount] : amounts.items()) names.insert(name);
  }
  std::vector<KaiSharedDevice> devices;
  for (const std::string& name : names) {
    const auto amount = [&](const char* part) {
      const json& value = KaiMember(KaiMember(shared, part), name.c_str());
      return value.is_number() ? value.get<int64_t>() : int64_t{0};
    };
    devices.push_back({amount("used"), amount("allocated"), amount("releasing")});
  }
  return devices;
}

}  // namespace muster::testing
