// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/provisioning.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "muster/types.h"

namespace muster {
namespace {

using Cells = std::vector<int64_t>;

bool HasRoomFor(const Cells& room, const Cells& request) {
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d != kPods && request[d] > room[d]) return false;
  }
  return true;
}

void TakeOff(const Cells& request, Cells* room) {
  for (size_t d = 0; d < request.size(); ++d) (*room)[d] -= request[d];
}

// Puts each request on the first node with room. Returns those that found none, in their order.
std::vector<Cells> FirstFit(const std::vector<Cells>& requests, std::vector<Cells>* nodes) {
  std::vector<Cells> left;
  for (const Cells& request : requests) {
    const auto node =
        std::ranges::find_if(*nodes, [&](const Cells& room) { return HasRoomFor(room, request); });
    if (node == nodes->end()) {
      left.push_back(request);
    } else {
      TakeOff(request, &*node);
    }
  }
  return left;
}

// New nodes of one type, with what is free on them.
struct Start {
  size_t type = 0;
  double unused = 0;
  std::vector<Cells> nodes = {};
};

// Returns the nodes for all requests; nullopt: the type has not enough, or is too small.
std::optional<Start> StartOf(const NodeDemands::Type& type, size_t number, int64_t most,
                             const std::vector<Cells>& requests) {
  Start start{.type = number};
  for (const Cells& request : requests) {
    if (FirstFit({request}, &start.nodes).empty()) continue;
    if (!HasRoomFor(type.amounts, request) || std::ssize(start.nodes) >= most) return std::nullopt;
    start.nodes.push_back(type.amounts);
    TakeOff(request, &start.nodes.back());
  }
  for (const DimensionIndex d : {kCpu, kMemory}) {
    if (type.amounts[d] <= 0) continue;
    double free = 0;
    for (const Cells& node : start.nodes) free += static_cast<double>(node[d]);
    const double all = static_cast<double>(type.amounts[d]);
    start.unused += free / (all * static_cast<double>(start.nodes.size()));
  }
  return start;
}

}  // namespace

std::vector<int64_t> KueueWantedNodes(const NodeDemands& demands) {
  std::vector<int64_t> counts(demands.types.size(), 0);
  std::vector<Cells> nodes = demands.free;
  for (const NodeDemands::Job& job : demands.jobs) {
    std::vector<Cells> after = nodes;
    std::vector<Cells> left = FirstFit(job.requests, &after);
    std::ranges::stable_sort(left, std::ranges::greater{});
    std::optional<Start> best;
    for (size_t i = 0; !left.empty() && i < demands.types.size(); ++i) {
      const NodeDemands::Type& type = demands.types[i];
      std::optional<Start> start = StartOf(type, i, type.most - counts[i], left);
      const auto rank = [](const Start& s) { return std::pair(s.unused, s.nodes.size()); };
      if (start && (!best || rank(*start) < rank(*best))) best = std::move(start);
    }
    if (!left.empty() && !best) continue;
    nodes = std::move(after);
    if (!best) continue;
    counts[best->type] += std::ssize(best->nodes);
    nodes.insert(nodes.end(), best->nodes.begin(), best->nodes.end());
  }
  return counts;
}

}  // namespace muster
