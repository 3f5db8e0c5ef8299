// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/device_choice.h"

#include <algorithm>
#include <cstddef>

#include "lib/peer/kai/node_scores.h"

namespace muster {
namespace {

// A group of the node by its place, or a whole device.
constexpr size_t kWhole = ~size_t{0};
struct Candidate {
  double score;
  size_t group;
};

std::optional<double> ScoreOf(const KaiWorld& world, uint32_t node, size_t group) {
  const KaiDevicePlacement placement = world.options().device;
  if (placement == KaiDevicePlacement::kName) return 0.0;
  const bool pack = placement == KaiDevicePlacement::kPack;
  if (group == kWhole) return pack ? 0.0 : 1.0;
  const int64_t used = world.nodes.groups(node).devices[group].used;
  const int64_t memory = world.nodes.facts(node).gpu_memory;
  return pack ? KaiDevicePackScore(used, memory) : KaiDeviceSpreadScore(used, memory);
}

std::vector<Candidate> Candidates(const KaiWorld& world, const KaiShape& shape, uint32_t node) {
  std::vector<Candidate> candidates;
  const auto add = [&](size_t group) {
    if (const std::optional<double> score = ScoreOf(world, node, group)) {
      candidates.push_back({*score, group});
    }
  };
  for (size_t g = 0; g < world.nodes.groups(node).ids.size(); ++g) {
    if (world.nodes.FitsGroup(node, shape, g)) add(g);
  }
  const double idle = world.nodes.idle(node)[kKaiGpuAt];
  const double releasing = world.nodes.releasing(node)[kKaiGpuAt];
  if (idle > 0 || releasing > 0) {
    const int64_t whole = static_cast<int64_t>(idle) + static_cast<int64_t>(releasing);
    for (int64_t i = 0; i < std::min(whole, shape.gpu.devices); ++i) add(kWhole);
  }
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::score);
  return candidates;
}

}  // namespace

std::optional<KaiDeviceChoice> ChooseKaiDevices(KaiWorld* world, const KaiShape& shape,
                                                uint32_t node, bool pipeline_only) {
  const KaiNodes& nodes = world->nodes;
  const std::vector<Candidate> candidates = Candidates(*world, shape, node);
  if (candidates.size() < static_cast<size_t>(shape.gpu.devices) || shape.gpu.devices < 1) {
    return std::nullopt;
  }
  const bool fits_now = nodes.FitsNow(node, shape);
  KaiDeviceChoice choice;
  for (const Candidate& candidate : candidates) {
    if (candidate.group == kWhole) {
      choice.releasing |= pipeline_only || !fits_now;
      choice.groups.push_back(world->nodes.NewGroup());
    } else {
      choice.releasing |= !fits_now || !nodes.FitsGroupNow(node, shape, candidate.group);
      choice.groups.push_back(nodes.groups(node).ids[candidate.group]);
    }
    if (static_cast<int64_t>(choice.groups.size()) == shape.gpu.devices) break;
  }
  return choice;
}

}  // namespace muster
