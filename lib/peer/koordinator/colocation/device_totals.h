// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a node shows of its devices: sums over the healthy GPUs and RDMA cards.
//
//   std::optional<NamedAmounts> shown = GpuTotals(devices, "nvidia", {.shows_shared = true});
//   if (!shown.has_value()) ...                 // no GPU: the node's GPU resources are removed
//
// Idea. Each GPU has resources of its own; the node shows their sums. GPUs of NVIDIA, or of no
// named vendor, are shown as the wrapper resource, too, with the sum of their cores. An RDMA card
// counts as 100, whatever it lists.
//
// Peer. Koordinator's plug-ins for GPUs and RDMA.
//
// Cost. O(devices * resources).
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_DEVICE_TOTALS_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_DEVICE_TOTALS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/share/resource_names.h"

namespace muster::koordinator {

struct ListedDevice {
  std::string kind;  // "gpu", "rdma", ...
  bool is_healthy = true;
  NamedAmounts amounts = {};
};

// Returns sums by resource, names ascending, or nothing without a healthy GPU.
std::optional<NamedAmounts> GpuTotals(std::span<const ListedDevice> devices,
                                      std::string_view vendor, bool shows_shared);
// Returns nothing without a healthy RDMA card.
std::optional<NamedAmounts> RdmaTotals(std::span<const ListedDevice> devices);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_DEVICE_TOTALS_H_
