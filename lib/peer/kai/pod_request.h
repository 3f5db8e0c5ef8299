// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a pod requests in KAI Scheduler's eyes: from its containers and annotations to amounts.
//
//   KaiPodSpec pod;
//   pod.containers = {{"cpu", 1000}, {"nvidia.com/gpu", 1}};   // one list a container
//   KaiPodRequest request = RequestOfKaiPod(pod);
//
// Idea. Containers that run side by side are added, with sidecars among them; init containers count
// where they peak above that; overhead is added; each pod takes one place. Annotations change the
// GPU part: gpu-memory (MiB) or gpu-fraction, several devices of either, and MIG profiles of old
// pods. A MIG profile makes the request one of MIG instances.
//
// Peer. cpu is in milli, GPUs of both vendors are one resource, other scalar resources are in
// milli, storage and memory in bytes, MIG instances in pieces. Resources that are none of these are
// dropped, those named "pods" among them: each pod requests one. An annotation that does not parse
// or is out of range (fractions above 0 up to 1) is ignored. Given both, the fraction wins, but
// with several devices both are kept. A MIG annotation replaces all else of the GPU part, claimed
// devices too.
//
// Cost. O(resources).
#ifndef MUSTER_PEER_KAI_POD_REQUEST_H_
#define MUSTER_PEER_KAI_POD_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/peer/kai/gpu_request.h"

namespace muster {

// An amount in thousandths, rounded up: what "1" of a resource is 1000 of.
struct KaiNamedAmount {
  std::string resource;
  int64_t milli = 0;
};

struct KaiContainer {
  std::vector<KaiNamedAmount> requests = {};
  bool is_sidecar = false;  // an init container that always restarts
};

struct KaiPodSpec {
  std::vector<KaiContainer> containers = {}, init_containers = {};
  std::vector<KaiNamedAmount> overhead = {};
  std::vector<std::pair<std::string, std::string>> annotations = {};
  std::vector<std::pair<std::string, int64_t>> claimed = {};  // device class, devices
};

struct KaiPodRequest {
  double cpu = 0;                                             // milli
  double memory = 0;                                          // bytes
  std::vector<std::pair<std::string, int64_t>> scalars = {};  // ascending names; pods among them
  KaiGpuRequest gpu = {};
  KaiRequestType type = KaiRequestType::kRegular;
  bool is_legacy_mig = false;
  // GPUs as the resource vector counts them: devices times portion and claimed devices.
  double gpus() const { return KaiGpus(gpu) + static_cast<double>(gpu.claimed); }
};

KaiPodRequest RequestOfKaiPod(const KaiPodSpec& pod);

// Returns whether the resource is one that nodes count by number: extended, huge pages, attachable
// volumes or of a domain of Kubernetes.
bool IsKaiScalarResource(std::string_view resource);

}  // namespace muster

#endif  // MUSTER_PEER_KAI_POD_REQUEST_H_
