// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// NeedNodes (upkeep.h) for callers that show how far it is.
#ifndef MUSTER_ADVICE_NEED_NODES_H_
#define MUSTER_ADVICE_NEED_NODES_H_

#include <functional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "muster/upkeep.h"

namespace muster {

// As NeedNodes. `tried` is called before each cycle that tries nodes; empty: it is not. With an
// executor it is called on its threads, by one at a time, and the number of calls may differ.
absl::StatusOr<NodesNeeded> WatchNeedNodes(const Cluster& cluster, std::string_view profile,
                                           std::span<const NodeOffer> offers,
                                           const NeedOptions& options,
                                           const std::function<void()>& tried);

}  // namespace muster

#endif  // MUSTER_ADVICE_NEED_NODES_H_
