// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Roundings are the peer's: hundredths by round half away from zero, memory by truncation.
#include "lib/peer/kai/gpu_request.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr absl::string_view kMigPrefix = "nvidia.com/mig-";
constexpr double kHundredths = 100;
constexpr int64_t kMebi = int64_t{1} << 20;
constexpr int64_t kDefaultDeviceMemory = 100;

// Takes digits off the front; nothing if there are none, or too many.
std::optional<int64_t> TakeDigits(absl::string_view* text) {
  size_t n = 0;
  while (n < text->size() && (*text)[n] >= '0' && (*text)[n] <= '9') ++n;
  int64_t value = 0;
  if (n == 0 || !absl::SimpleAtoi(text->substr(0, n), &value)) return std::nullopt;
  text->remove_prefix(n);
  return value;
}

}  // namespace

std::optional<KaiMigProfile> ParseKaiMigProfile(std::string_view resource) {
  absl::string_view text = ToAbsl(resource);
  if (!absl::ConsumePrefix(&text, kMigPrefix)) return std::nullopt;
  const std::optional<int64_t> gpus = TakeDigits(&text);
  if (!gpus || !absl::ConsumePrefix(&text, "g.")) return std::nullopt;
  const std::optional<int64_t> gigabytes = TakeDigits(&text);
  if (!gigabytes || text != "gb") return std::nullopt;
  return KaiMigProfile{*gpus, *gigabytes};
}

bool IsKaiMigResource(std::string_view resource) {
  return resource.starts_with(std::string_view(kMigPrefix.data(), kMigPrefix.size()));
}

KaiGpuRequest KaiGpuRequestOf(double gpus, int64_t memory) {
  KaiGpuRequest request = {.portion = gpus, .memory = memory};
  if (gpus >= 1) {
    request.devices = static_cast<int64_t>(gpus);
    request.portion = 1;
  } else if (gpus > 0 || memory > 0) {
    request.devices = 1;
  }
  return request;
}

double KaiGpus(const KaiGpuRequest& request) {
  const auto hundredths = static_cast<int64_t>(std::round(request.portion * kHundredths));
  return static_cast<double>(hundredths * request.devices) / kHundredths;
}

double KaiGpuQuota(const KaiGpuRequest& request) {
  double sum = 0;
  for (const KaiMigCount& mig : request.mig) {
    const std::optional<KaiMigProfile> profile = ParseKaiMigProfile(mig.resource);
    if (profile) sum += static_cast<double>(profile->gpus) * static_cast<double>(mig.count);
  }
  sum += static_cast<double>(request.claimed);
  return sum + KaiGpus(request);
}

double KaiMemoryAsGpus(const KaiGpuRequest& request, int64_t device_memory) {
  if (request.memory <= 0 || device_memory <= 0) return 0;
  return static_cast<double>(request.devices) *
         (static_cast<double>(request.memory) / static_cast<double>(device_memory));
}

int64_t KaiMemoryOn(const KaiGpuRequest& request, int64_t device_memory) {
  if (request.memory > 0) return request.memory;
  return static_cast<int64_t>(request.portion * static_cast<double>(device_memory));
}

double KaiMemoryFraction(int64_t memory, int64_t device_memory) {
  const double exact = static_cast<double>(memory) / static_cast<double>(device_memory);
  return std::ceil(exact * kHundredths) / kHundredths;
}

double KaiPortionOn(const KaiGpuRequest& request, int64_t device_memory) {
  return request.memory > 0 ? KaiMemoryFraction(request.memory, device_memory) : request.portion;
}

bool IsKaiPortionValid(const KaiGpuRequest& request, int64_t device_memory) {
  const double portion = KaiPortionOn(request, device_memory);
  return portion <= 1 || portion == std::trunc(portion);
}

double KaiGpuQuotaOn(const KaiGpuRequest& request, int64_t device_memory) {
  if (!request.mig.empty()) return KaiGpuQuota(request);
  return static_cast<double>(request.devices) *
         KaiMemoryFraction(KaiMemoryOn(request, device_memory), device_memory);
}

bool IsKaiCpuOnly(KaiRequestType type, const KaiGpuRequest& request) {
  return KaiGpus(request) <= 0 && request.claimed <= 0 && type != KaiRequestType::kGpuMemory &&
         type != KaiRequestType::kMigInstance;
}

int64_t KaiDeviceMemory(std::optional<std::string_view> label) {
  int64_t value = 0;
  if (!label || !absl::SimpleAtoi(ToAbsl(*label), &value)) return kDefaultDeviceMemory;
  if (value >= kMebi) value /= kMebi;
  return value - value % 100;
}

}  // namespace muster
