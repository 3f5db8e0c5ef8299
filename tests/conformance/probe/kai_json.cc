// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/kai_json.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <utility>

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

void KaiRecordedJob::AddTasks(const json& pod_set, uint32_t group) {
  const json& tasks = KaiMember(pod_set, "tasks");
  if (!tasks.is_array()) return;
  std::vector<json> ordered(tasks.begin(), tasks.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const json& a, const json& b) {
    return a.value("uid", "") < b.value("uid", "");
  });
  for (json& task : ordered) {
    const auto index = static_cast<uint32_t>(tasks_.size());
    facts_->tasks.push_back({.place = index, .pod_set = group, .rank = index});
    facts_->jobs[0].tasks.push_back(index);
    pods_.push_back(
        {.task = index, .status = KaiStatusOf(task), .is_virtual = task.value("virtual", false)});
    tasks_.push_back(std::move(task));
  }
}

uint32_t KaiRecordedJob::AddGroup(const json& group, uint32_t parent, bool is_pod_set) {
  std::vector<KaiGroup>& groups = facts_->jobs[0].groups;
  const auto number = static_cast<uint32_t>(groups.size());
  groups.push_back({.name = group.value("name", ""), .parent = parent, .is_pod_set = is_pod_set});
  if (is_pod_set) {
    groups[number].minimum = group.value("minAvailable", 0);
    AddTasks(group, number);
    return number;
  }
  if (KaiMember(group, "minSubGroup").is_number()) groups[number].minimum = group["minSubGroup"];
  for (const char* members : {"groups", "podSets"}) {
    std::vector<uint32_t> numbers;
    if (KaiMember(group, members).is_array()) {
      for (const json& member : group[members]) {
        numbers.push_back(AddGroup(member, number, members[0] == 'p'));
      }
    }
    const auto name = [&](uint32_t member) -> const std::string& { return groups[member].name; };
    std::ranges::stable_sort(numbers, {}, name);
    (members[0] == 'p' ? groups[number].pod_sets : groups[number].sets) = std::move(numbers);
  }
  return number;
}

KaiRecordedJob::KaiRecordedJob(const json& job) : facts_(std::make_unique<KaiFacts>()) {
  facts_->shapes.push_back({.request = std::vector<double>(facts_->dimensions, 0.0)});
  KaiJobFacts& own = facts_->jobs.emplace_back();
  AddGroup(job.contains("root") ? job["root"] : job, kKaiNone, /*is_pod_set=*/false);
  for (uint32_t g = 0; g < own.groups.size(); ++g) {
    if (own.groups[g].is_pod_set) own.pod_sets.push_back(g);
  }
  std::ranges::stable_sort(own.pod_sets, {},
                           [&](uint32_t g) -> const std::string& { return own.groups[g].name; });
  job_ = std::make_unique<KaiJob>(*facts_, 0);
  for (KaiPod& pod : pods_) job_->Add(&pod);
}

uint32_t KaiRecordedJob::PodSet(const std::string& name) const {
  for (const uint32_t group : job_->facts().pod_sets) {
    if (job_->facts().groups[group].name == name) return group;
  }
  throw std::out_of_range(name);
}

KaiAmounts KaiRecordedJob::NextRequest(int64_t least_device_memory) const {
  KaiAmounts sum = {};
  for (const KaiPod* pod : job_->Next(/*real=*/false)) {
    const json& task = tasks_[pod->task];
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
