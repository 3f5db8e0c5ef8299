// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a task of KAI Scheduler requests of GPUs, in the units of nodes, quotas and devices.
//
//   KaiGpuRequest half = {.devices = 1, .portion = 0.5};
//   KaiGpus(half);                         // 0.5, in hundredths without rounding errors
//   KaiPortionOn(half_of_memory, 16000);   // of the node's device, rounded up to hundredths
//
// Idea. A request is `devices` times `portion` of a device. Alternatives are MiB of device memory
// (then the portion depends on the node), MIG slices, and devices counted from claims (DRA).
//
// Peer. A MIG profile nvidia.com/mig-<X>g.<Y>gb counts X GPUs against quotas. A name that does not
// have this form exactly counts nothing. A memory request stands for devices * memory / device
// memory in fair shares, without rounding; on nodes the part is rounded up to hundredths. A portion
// above 1 that is no whole number fits nowhere.
//
// Cost. O(1), and O(profiles) where MIG slices count.
#ifndef MUSTER_PEER_KAI_GPU_REQUEST_H_
#define MUSTER_PEER_KAI_GPU_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class KaiRequestType : uint8_t { kUnset, kRegular, kFraction, kGpuMemory, kMigInstance };

struct KaiMigProfile {
  int64_t gpus = 0, gigabytes = 0;
};
// Returns the profile of a resource name; nothing if it does not have the form exactly.
std::optional<KaiMigProfile> ParseKaiMigProfile(std::string_view resource);
// Returns whether the name begins as MIG resources do.
bool IsKaiMigResource(std::string_view resource);

struct KaiMigCount {
  std::string resource;
  int64_t count = 0;
};

struct KaiGpuRequest {
  int64_t devices = 0;
  double portion = 0;   // of each device; 1: whole devices
  int64_t memory = 0;   // MiB of each device; above 0 it takes the place of the portion
  int64_t claimed = 0;  // devices of resource claims
  std::vector<KaiMigCount> mig = {};
};

// Returns a request for `gpus`: whole devices from 1 up, else a part of one.
KaiGpuRequest KaiGpuRequestOf(double gpus, int64_t memory);

// Devices times portion, the portion rounded to hundredths.
double KaiGpus(const KaiGpuRequest& request);
// What counts against quotas: GPUs, claimed devices, MIG slices.
double KaiGpuQuota(const KaiGpuRequest& request);
// A memory request as devices of this memory; 0 for other requests.
double KaiMemoryAsGpus(const KaiGpuRequest& request, int64_t device_memory);

// On a node with devices of `device_memory` MiB.
int64_t KaiMemoryOn(const KaiGpuRequest& request, int64_t device_memory);
double KaiPortionOn(const KaiGpuRequest& request, int64_t device_memory);
double KaiMemoryFraction(int64_t memory, int64_t device_memory);  // rounded up to hundredths
bool IsKaiPortionValid(const KaiGpuRequest& request, int64_t device_memory);
// What counts against quotas if the task is placed there.
double KaiGpuQuotaOn(const KaiGpuRequest& request, int64_t device_memory);

// Returns whether a task needs no GPU of any kind.
bool IsKaiCpuOnly(KaiRequestType type, const KaiGpuRequest& request);

// Device memory as a node's label states it: floored to a multiple of 100 MiB; a number from 1 Mi
// up is taken for bytes. Default 100 for a label that is no number.
int64_t KaiDeviceMemory(std::optional<std::string_view> label);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_GPU_REQUEST_H_
