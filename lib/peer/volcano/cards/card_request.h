// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads what a container requests of shared cards, from its limits and requests by name.
//
//   CardNames names{.count = "volcano.sh/vgpu-number", .memory = "volcano.sh/vgpu-memory", ...};
//   absl::StatusOr<std::optional<CardRequest>> request = ReadCardRequest(limits, requests, names);
//
// A container requests cards if it has a limit of their count or memory; memory alone requests one
// card. The other amounts are limits, or requests where no limit is given. Without an amount or a
// percentage of memory, all memory of a card is requested.
//
// Peer. Volcano's vGPU and HAMi Ascend devices.
#ifndef MUSTER_PEER_VOLCANO_CARDS_CARD_REQUEST_H_
#define MUSTER_PEER_VOLCANO_CARDS_CARD_REQUEST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace muster {

struct CardRequest {
  int64_t count = 1;
  int64_t memory = 0;              // on each card
  std::optional<int64_t> percent;  // of each card's memory instead
  int64_t cores = 0;               // hundredths of each card
};

struct CardNames {
  std::string count, memory;
  std::string percent, cores;  // empty: there is no such resource
};

using CardAmounts = std::map<std::string, int64_t>;

// Returns nothing if no card is requested. Refuses amounts below 0 or of more than 31 bits.
absl::StatusOr<std::optional<CardRequest>> ReadCardRequest(const CardAmounts& limits,
                                                           const CardAmounts& requests,
                                                           const CardNames& names);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_CARD_REQUEST_H_
