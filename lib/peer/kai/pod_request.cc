// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of a request that have no sum or maximum (unequal portions of devices) keep the first one,
// as the peer does: it logs an error and goes on.
#include "lib/peer/kai/pod_request.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr int64_t kMilli = 1000;

// Whole units, rounded up.
int64_t Units(int64_t milli) {
  return milli >= 0 ? milli / kMilli + (milli % kMilli != 0) : milli / kMilli;
}

using Counts = std::vector<std::pair<std::string, int64_t>>;

int64_t& CountOf(std::string_view name, Counts* counts) {
  const auto at = std::lower_bound(counts->begin(), counts->end(), name,
                                   [](const auto& c, std::string_view n) { return c.first < n; });
  if (at != counts->end() && at->first == name) return at->second;
  return counts->insert(at, {std::string(name), 0})->second;
}

// A sum of requests while it is put together.
struct RequestSum {
  double cpu = 0, memory = 0;
  Counts scalars = {}, mig = {};
  int64_t devices = 0;
  double portion = 0;

  double gpus() const { return KaiGpus({.devices = devices, .portion = portion}); }

  static RequestSum Of(const std::vector<KaiNamedAmount>& list);
  void Add(const RequestSum& more);
  void Raise(const RequestSum& other);
};

RequestSum RequestSum::Of(const std::vector<KaiNamedAmount>& list) {
  RequestSum r;
  for (const auto& [name, milli] : list) {
    if (name == "cpu") {
      r.cpu += static_cast<double>(milli);
    } else if (name == "memory") {
      r.memory += static_cast<double>(Units(milli));
    } else if (name == "nvidia.com/gpu" || name == "amd.com/gpu") {
      if (Units(milli) >= 1) {
        r.devices += Units(milli);
        r.portion = 1;
      } else {
        r.portion += static_cast<double>(Units(milli));
        r.devices = 1;
      }
    } else if (IsKaiMigResource(name)) {
      CountOf(name, &r.mig) += Units(milli);
    } else if (IsKaiScalarResource(name)) {
      CountOf(name, &r.scalars) += milli;
    } else if (name == "ephemeral-storage" || name == "storage") {
      CountOf(name, &r.scalars) += Units(milli);
    }
  }
  return r;
}

void RequestSum::Add(const RequestSum& more) {
  cpu += more.cpu;
  memory += more.memory;
  for (const auto& [name, count] : more.scalars) CountOf(name, &scalars) += count;
  if (portion == 0 && devices == 0) {
    devices = more.devices;
    portion = more.portion;
  } else if (more.portion != 0 || more.devices != 0) {
    if (portion != more.portion) return;
    devices += more.devices;
  }
  for (const auto& [name, count] : more.mig) CountOf(name, &mig) += count;
}

void RequestSum::Raise(const RequestSum& other) {
  cpu = std::max(cpu, other.cpu);
  memory = std::max(memory, other.memory);
  const auto raise = [](const Counts& from, Counts* to) {
    for (const auto& [name, count] : from) {
      int64_t& ours = CountOf(name, to);
      ours = std::max(ours, count);
    }
  };
  raise(other.scalars, &scalars);
  if (portion != 0 && other.portion != 0 && portion != other.portion) return;
  if (other.gpus() > gpus()) {
    devices = other.devices;
    portion = other.portion;
  }
  raise(other.mig, &mig);
}

// Sums of containers as quantities, before any of them is rounded.
std::vector<KaiNamedAmount> SumOf(const std::vector<KaiContainer>& containers) {
  std::vector<KaiNamedAmount> sum;
  for (const KaiContainer& container : containers) {
    for (const KaiNamedAmount& amount : container.requests) {
      const auto at = std::find_if(sum.begin(), sum.end(), [&](const KaiNamedAmount& known) {
        return known.resource == amount.resource;
      });
      if (at == sum.end()) {
        sum.push_back(amount);
      } else {
        at->milli = SatAdd(at->milli, amount.milli);
      }
    }
  }
  return sum;
}

RequestSum RequestSumOf(const KaiPodSpec& pod) {
  RequestSum sum = RequestSum::Of(SumOf(pod.containers));
  RequestSum sidecars, peak;
  for (const KaiContainer& container : pod.init_containers) {
    RequestSum init = RequestSum::Of(container.requests);
    if (container.is_sidecar) {
      sidecars.Add(init);
      continue;
    }
    init.Add(sidecars);
    peak.Raise(init);
  }
  sum.Add(sidecars);
  sum.Raise(peak);
  const RequestSum overhead = RequestSum::Of(pod.overhead);
  sum.cpu += overhead.cpu;
  sum.memory += overhead.memory;
  for (const auto& [name, count] : overhead.scalars) CountOf(name, &sum.scalars) += count;
  CountOf("pods", &sum.scalars) = 1;
  return sum;
}

const std::string* Annotation(const KaiPodSpec& pod, std::string_view name) {
  for (const auto& [key, value] : pod.annotations) {
    if (key == name) return &value;
  }
  return nullptr;
}

// A decimal number without blanks, as strconv reads it.
bool ReadInteger(const std::string* text, int64_t* value) {
  return text != nullptr && !text->empty() &&
         text->find_first_not_of("+-0123456789") == std::string::npos &&
         absl::SimpleAtoi(*text, value);
}

void ReadAnnotations(const KaiPodSpec& pod, KaiPodRequest* request) {
  int64_t memory = 0;
  const bool has_memory = ReadInteger(Annotation(pod, "gpu-memory"), &memory) && memory > 0;
  if (has_memory) {
    request->gpu = KaiGpuRequestOf(0, memory);
    request->type = KaiRequestType::kGpuMemory;
  }
  double fraction = 0;
  const std::string* text = Annotation(pod, "gpu-fraction");
  const bool is_number = text != nullptr && absl::SimpleAtod(*text, &fraction);
  if (is_number && fraction > 0 && fraction <= 1) {
    request->gpu = KaiGpuRequestOf(fraction, 0);
    request->type = KaiRequestType::kFraction;
  }
  if (!is_number) fraction = 0;
  if (request->type == KaiRequestType::kRegular) return;
  int64_t devices = 0;
  if (ReadInteger(Annotation(pod, "gpu-fraction-num-devices"), &devices)) {
    request->gpu = {.devices = devices, .portion = fraction, .memory = memory};
  }
}

}  // namespace

bool IsKaiScalarResource(std::string_view resource) {
  const absl::string_view name = ToAbsl(resource);
  const bool is_native = !absl::StrContains(name, "/") || absl::StrContains(name, "kubernetes.io/");
  const bool is_extended = !is_native && !absl::StartsWith(name, "requests.");
  return is_extended || absl::StartsWith(name, "hugepages-") ||
         absl::StrContains(name, "kubernetes.io/") || absl::StartsWith(name, "attachable-volumes-");
}

KaiPodRequest RequestOfKaiPod(const KaiPodSpec& pod) {
  const RequestSum sum = RequestSumOf(pod);
  KaiPodRequest request = {.cpu = sum.cpu, .memory = sum.memory, .scalars = sum.scalars};
  request.gpu = {.devices = sum.devices, .portion = sum.portion};
  for (const auto& [name, count] : sum.mig) request.gpu.mig.push_back({name, count});
  ReadAnnotations(pod, &request);
  for (const auto& [device_class, count] : pod.claimed) {
    request.gpu.claimed = SatAdd(request.gpu.claimed, count);
  }
  for (const auto& [key, value] : pod.annotations) {
    int64_t count = 0;
    if (!IsKaiMigResource(key) || !ReadInteger(&value, &count)) continue;
    request.gpu = {.mig = {{key, count}}};
    request.is_legacy_mig = true;
  }
  if (!request.gpu.mig.empty()) request.type = KaiRequestType::kMigInstance;
  return request;
}

}  // namespace muster
