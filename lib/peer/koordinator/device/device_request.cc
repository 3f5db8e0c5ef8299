// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads device requests: which names go together, and the amounts they stand for on each device.
#include "lib/peer/koordinator/device/device_request.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

using R = DeviceResource;

// The names a request may use.
enum Name : unsigned {
  kNvidia = 1u << 0,
  kAmd = 1u << 1,
  kDcu = 1u << 2,
  kGpu = 1u << 3,
  kShared = 1u << 4,
  kCore = 1u << 5,
  kMemory = 1u << 6,
  kRatio = 1u << 7,
  kNpuCore = 1u << 8,
  kNpuCpu = 1u << 9,
  kNpuDvpp = 1u << 10,
  kRdma = 1u << 11,
  kFpga = 1u << 12,
};

constexpr struct {
  const char* text;
  Name name;
} kNames[] = {
    {"nvidia.com/gpu", kNvidia},
    {"amd.com/gpu", kAmd},
    {"dcu.com/gpu", kDcu},
    {"koordinator.sh/gpu", kGpu},
    {"koordinator.sh/gpu.shared", kShared},
    {"koordinator.sh/gpu-core", kCore},
    {"koordinator.sh/gpu-memory", kMemory},
    {"koordinator.sh/gpu-memory-ratio", kRatio},
    {"huawei.com/npu-core", kNpuCore},
    {"huawei.com/npu-cpu", kNpuCpu},
    {"huawei.com/npu-dvpp", kNpuDvpp},
    {"koordinator.sh/rdma", kRdma},
    {"koordinator.sh/fpga", kFpga},
};

constexpr unsigned kCombinations[] = {
    kNvidia,
    kAmd,
    kDcu,
    kGpu,
    kMemory,
    kRatio,
    kCore | kMemory,
    kCore | kRatio,
    kNpuCore | kRatio,
    kShared | kMemory,
    kShared | kRatio,
    kShared | kCore | kMemory,
    kShared | kCore | kRatio,
    kShared | kNpuCore | kNpuCpu | kMemory,
    kShared | kNpuCore | kNpuCpu | kNpuDvpp | kMemory,
};

struct Asked {
  unsigned names = 0;
  std::array<int64_t, 13> amounts = {};

  int64_t at(Name name) const {
    return amounts[static_cast<size_t>(std::countr_zero(unsigned{name}))];
  }
  bool has(Name name) const { return (names & name) != 0; }
};

absl::Status Refuse(const char* name, int64_t amount, const char* rule) {
  return absl::InvalidArgumentError(
      absl::StrCat("device request: ", name, " ", amount, ": ", rule));
}

bool IsPercentage(int64_t amount) { return amount <= 100 || amount % 100 == 0; }

absl::Status CheckGpu(const Asked& asked) {
  if (std::count(std::begin(kCombinations), std::end(kCombinations), asked.names) == 0) {
    std::string names;
    for (const auto& [text, name] : kNames) {
      if (asked.has(name)) absl::StrAppend(&names, names.empty() ? "" : " and ", text);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("device request: ", names, " are no request together"));
  }
  const bool npu_share = asked.has(kShared) && asked.has(kNpuCore);
  if (npu_share) {
    if (asked.at(kShared) > 1) {
      return Refuse("koordinator.sh/gpu.shared", asked.at(kShared), "an NPU is not shared out");
    }
    if (asked.at(kNpuDvpp) > 100)
      return Refuse("huawei.com/npu-dvpp", asked.at(kNpuDvpp), "above 100");
    return absl::OkStatus();
  }
  for (const auto& [text, name] : kNames) {
    if (!asked.has(name) || (name & (kCore | kRatio | kGpu)) == 0) continue;
    const int64_t amount = asked.at(name), devices = asked.at(kShared);
    if (asked.has(kShared)) {
      if (amount % devices != 0)
        return Refuse(text, amount, "no multiple of koordinator.sh/gpu.shared");
      if (amount / devices > 100) return Refuse(text, amount, "more than 100 of each device");
    } else if (!IsPercentage(amount)) {
      return Refuse(text, amount, "above 100, and no multiple of it");
    }
  }
  return absl::OkStatus();
}

void FillGpu(const Asked& asked, DeviceWish* wish) {
  for (Name whole : {kNvidia, kAmd, kDcu, kGpu}) {
    if (!asked.has(whole)) continue;
    const int64_t hundredths = asked.at(whole) * (whole == kGpu ? 1 : 100);
    wish->total.Set(R::kCore, hundredths);
    wish->total.Set(R::kRatio, hundredths);
  }
  for (const auto& [name, resource] :
       {std::pair{kCore, R::kCore}, std::pair{kMemory, R::kMemory}, std::pair{kRatio, R::kRatio},
        std::pair{kNpuCore, R::kNpuCore}, std::pair{kNpuCpu, R::kNpuCpu},
        std::pair{kNpuDvpp, R::kNpuDvpp}}) {
    if (asked.has(name)) wish->total.Set(resource, asked.at(name));
  }
  const int64_t ratio = wish->total.at(R::kRatio);
  if (asked.has(kShared)) {
    wish->count = asked.at(kShared);
  } else if (ratio > 100) {
    wish->count = ratio / 100;
  }
  wish->total.ForEach(
      [&](R resource, int64_t amount) { wish->each.Set(resource, amount / wish->count); });
  wish->partial = wish->each.has(R::kRatio) ? wish->each.at(R::kRatio) < 100 : true;
}

}  // namespace

absl::StatusOr<DeviceClaim> ReadDeviceRequest(
    std::span<const std::pair<std::string, int64_t>> amounts) {
  Asked gpu;
  DeviceClaim request;
  for (const auto& asked : amounts) {
    const int64_t amount = asked.second;
    const auto* known = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const auto& entry) { return asked.first == entry.text; });
    if (known == std::end(kNames) || amount == 0) continue;
    if (amount < 0) return Refuse(known->text, amount, "below 0");
    if (known->name == kRdma || known->name == kFpga) {
      if (!IsPercentage(amount))
        return Refuse(known->text, amount, "above 100, and no multiple of it");
      const bool rdma = known->name == kRdma;
      request.of(rdma ? DeviceKind::kRdma : DeviceKind::kFpga)
          .total.Set(rdma ? R::kRdma : R::kFpga, amount);
      continue;
    }
    gpu.names |= known->name;
    gpu.amounts[static_cast<size_t>(std::countr_zero(unsigned{known->name}))] = amount;
  }
  if (gpu.names != 0) {
    if (const absl::Status status = CheckGpu(gpu); !status.ok()) return status;
    FillGpu(gpu, &request.of(DeviceKind::kGpu));
  }
  return request;
}

std::map<std::string, std::vector<std::string>> MatchingTemplates(const ShareTemplates& templates,
                                                                  const DeviceAmounts& request,
                                                                  bool strict) {
  std::map<std::string, std::vector<std::string>> matching;
  for (const auto& [model, of_model] : templates) {
    for (const auto& named : of_model) {
      const std::string& name = named.first;
      const auto& amounts = named.second;
      bool fits = true;
      request.ForEach(
          [&](R r, int64_t amount) { fits &= amounts.has(r) && amounts.at(r) == amount; });
      if (strict) amounts.ForEach([&](R r, int64_t) { fits &= request.has(r); });
      if (fits) matching[model].push_back(name);
    }
  }
  return matching;
}

}  // namespace muster
