// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// GPUs shared by memory alone, or given whole by number.
//
//   std::vector<SharedGpu> gpus =
//       MakeSharedGpus(/*memory=*/32000, /*number=*/4, /*unhealthy=*/{2}).value();
//   std::vector<int> ids = GpusByMemory(gpus, 3000);   // 0, 1, 3: a task gets the first of them
//   std::vector<int> whole = GpusByNumber(gpus, 2);    // 0, 1: those without any task
//
// A task requests the larger of what its containers need together and what its largest init
// container needs. Memory is of a single card. Tasks that have ended need none of it, but their
// card is not empty before they are gone.
//
// Peer. Volcano's gpu-share and gpu-number, which look at cards in the order of a map; here
// ascending.
#ifndef MUSTER_PEER_VOLCANO_CARDS_GPU_SHARE_H_
#define MUSTER_PEER_VOLCANO_CARDS_GPU_SHARE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace muster {

struct SharedGpu {
  struct Holder {
    std::string task;
    int64_t memory = 0;
    bool ended = false;
  };
  int id = 0;
  int64_t memory = 0;
  std::vector<Holder> holders;
};

// Returns cards of equal memory. Refuses a number of 0 or above 4096, and memory below 0.
absl::StatusOr<std::vector<SharedGpu>> MakeSharedGpus(int64_t memory, int64_t number,
                                                      std::span<const int> unhealthy);

int64_t AmountOfTask(std::span<const int64_t> containers, std::span<const int64_t> init_containers);

int64_t IdleMemory(const SharedGpu& gpu);  // 0 where tasks hold more than there is

// Returns the ids of those that have so much idle memory. A task may have any of them; the peer
// takes the first.
std::vector<int> GpusByMemory(std::span<const SharedGpu> gpus, int64_t memory);
// Returns the ids of so many without tasks; none if there are fewer.
std::vector<int> GpusByNumber(std::span<const SharedGpu> gpus, int64_t number);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_GPU_SHARE_H_
