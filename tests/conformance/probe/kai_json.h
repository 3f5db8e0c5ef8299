// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plain forms of recorded calls (queue attributes, jobs, tasks, vectors of resources) as the values
// that the peer's rules take.
#ifndef MUSTER_TESTS_CONFORMANCE_PROBE_KAI_JSON_H_
#define MUSTER_TESTS_CONFORMANCE_PROBE_KAI_JSON_H_

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/peer/kai/gpu_request.h"
#include "lib/peer/kai/node_fit.h"
#include "lib/peer/kai/pods.h"
#include "lib/peer/kai/queue_tree.h"
#include "lib/peer/kai/statuses.h"
#include "nlohmann/json.hpp"

namespace muster::testing {

using KaiVector = std::vector<double>;

// Returns the member, or null.
const nlohmann::json& KaiMember(const nlohmann::json& object, const char* key);

// Places of resource names: the first four are fixed, the others are added as they occur.
class KaiPlaces {
 public:
  KaiVector Vector(const nlohmann::json& object);
  size_t At(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_ = {"cpu", "memory", "gpu", "pods"};
};

// Amounts of quotas: GPUs with MIG slices.
KaiAmounts KaiAmountsOf(const nlohmann::json& vector);
// Amounts by "CPU", "Memory", "GPU".
KaiAmounts KaiQuantitiesOf(const nlohmann::json& quantities);
nlohmann::json KaiWritten(const KaiAmounts& amounts);

KaiShares KaiSharesOf(const nlohmann::json& attributes);
// The queues of a map, parents first and siblings in ascending UIDs; `index` has their keys.
KaiQueueTree KaiTreeOf(const nlohmann::json& queues, std::map<std::string, uint32_t>* index);
int64_t KaiDuration(const std::string& text);  // nanoseconds

KaiStatus KaiStatusOf(const nlohmann::json& task);
KaiGpuRequest KaiGpuOf(const nlohmann::json& task);
KaiRequestType KaiTypeOf(const nlohmann::json& task);

// A recorded job as a cycle has it. The tasks of a pod set are in the order of their UIDs.
class KaiRecordedJob {
 public:
  explicit KaiRecordedJob(const nlohmann::json& job);

  const KaiJob& job() const { return *job_; }
  const std::vector<nlohmann::json>& tasks() const { return tasks_; }
  // Returns the number of the pod set of this name.
  uint32_t PodSet(const std::string& name) const;
  // What the next tasks request.
  KaiAmounts NextRequest(int64_t least_device_memory) const;

 private:
  uint32_t AddGroup(const nlohmann::json& group, uint32_t parent, bool is_pod_set);
  void AddTasks(const nlohmann::json& pod_set, uint32_t group);

  std::vector<nlohmann::json> tasks_;
  std::unique_ptr<KaiFacts> facts_;
  std::deque<KaiPod> pods_;
  std::unique_ptr<KaiJob> job_;
};

// Devices that several tasks share, in ascending order of names.
std::vector<KaiSharedDevice> KaiSharedOf(const nlohmann::json& node);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_CONFORMANCE_PROBE_KAI_JSON_H_
