// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/victim_room.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster {
namespace {

constexpr size_t kShapesOfRoom = 8;  // that Suffices looks at

// Whole, and so small that sums over all tasks of a cluster are exact.
bool IsWholeKaiAmount(double amount) {
  return amount == std::floor(amount) && std::abs(amount) < 0x1p44;
}

bool AreWholeKaiAmounts(std::span<const double> amounts) {
  return std::ranges::all_of(amounts, IsWholeKaiAmount);
}

// Returns whether nodes are charged for a task of the shape what the shape requests.
bool IsChargedAsRequested(const KaiShape& shape) {
  switch (shape.type) {
    case KaiRequestType::kRegular:
      return shape.request[kKaiGpuAt] ==
             KaiGpus(shape.gpu) + static_cast<double>(shape.gpu.claimed);
    case KaiRequestType::kMigInstance:
      return shape.request[kKaiGpuAt] == 0;
    case KaiRequestType::kUnset:
    case KaiRequestType::kFraction:
    case KaiRequestType::kGpuMemory:
      return false;
  }
  return false;
}

}  // namespace

bool KaiHasExactBooks(const KaiFacts& facts) {
  const auto is_exact = [](const KaiShape& shape) {
    return IsChargedAsRequested(shape) && AreWholeKaiAmounts(shape.request) &&
           AreWholeKaiAmounts(shape.amounts) && IsWholeKaiAmount(shape.slice_gpus);
  };
  return facts.tasks.size() < size_t{1} << 24 && facts.nodes.size() < size_t{1} << 24 &&
         std::ranges::all_of(facts.shapes, is_exact) &&
         std::ranges::all_of(facts.nodes, [](const KaiNodeFacts& node) {
           return AreWholeKaiAmounts(node.allocatable) && AreWholeKaiAmounts(node.foreign) &&
                  AreWholeKaiAmounts(node.foreign_releasing);
         });
}

void KaiVictimRoom::SumUpFree() {
  if (std::exchange(changes_, world_.nodes.changes()) == world_.nodes.changes()) return;
  free_.assign(world_.facts().dimensions, 0.0);
  for (uint32_t n = 0; n < world_.nodes.size(); ++n) {
    for (size_t d = 0; d < free_.size(); ++d) {
      free_[d] += std::max(0.0, world_.nodes.NotAllocated(n, d));
    }
  }
}

void KaiVictimRoom::Begin(std::span<KaiPod* const> pending) {
  SumUpFree();
  needed_.assign(free_.size(), 0.0);
  shapes_.clear();
  for (const KaiPod* pod : pending) {
    const uint32_t shape = world_.facts().tasks[pod->task].shape;
    const std::vector<double>& request = world_.facts().shapes[shape].request;
    for (size_t d = 0; d < needed_.size(); ++d) needed_[d] += request[d];
    const auto known = std::ranges::find(shapes_, shape, &std::pair<uint32_t, int64_t>::first);
    if (known != shapes_.end()) {
      ++known->second;
    } else if (shapes_.size() < kShapesOfRoom) {
      shapes_.emplace_back(shape, 1);
    }
  }
  leaving_ = free_;
  is_held_.resize(world_.nodes.size(), 0);
  held_.resize(world_.nodes.size() * free_.size());
  for (const uint32_t n : nodes_) is_held_[n] = 0;
  nodes_.clear();
}

void KaiVictimRoom::Add(const KaiJob& victim, bool may_go) {
  for (const KaiPod* pod : victim.pods()) {
    if (pod == nullptr || !IsActiveAllocated(pod->status) || pod->node == kKaiNone) continue;
    double* const held = &held_[pod->node * free_.size()];
    if (std::exchange(is_held_[pod->node], 1) == 0) {
      nodes_.push_back(pod->node);
      std::fill_n(held, free_.size(), 0.0);
    }
    const std::vector<double>& request = world_.ShapeOf(*pod).request;
    for (size_t d = 0; d < free_.size(); ++d) {
      held[d] += request[d];
      if (may_go) leaving_[d] += request[d];
    }
  }
}

bool KaiVictimRoom::Has(const std::vector<double>& amounts) const {
  for (size_t d = 0; d < needed_.size(); ++d) {
    if (needed_[d] > 0 && needed_[d] > amounts[d]) return false;
  }
  return true;
}

// Returns how many tasks of the shape the node takes at most, without its candidates.
int64_t KaiVictimRoom::PlacesOn(uint32_t node, const KaiShape& shape) const {
  if (!world_.nodes.facts(node).ready) return 0;
  if (world_.facts().allowed[shape.constraints][node] == 0) return 0;
  double places = static_cast<double>(world_.facts().tasks.size());
  for (size_t d = 0; d < shape.request.size(); ++d) {
    if (shape.request[d] <= 0) continue;
    double room = world_.nodes.NotAllocated(node, d);
    if (is_held_[node] != 0) room += held_[node * free_.size() + d];
    places = std::min(places, room <= 0 ? 0 : std::floor(room / shape.request[d]));
  }
  return static_cast<int64_t>(places);
}

bool KaiVictimRoom::Suffices() const {
  if (!Has(leaving_)) return false;
  return std::ranges::all_of(shapes_, [&](const std::pair<uint32_t, int64_t>& tasks) {
    int64_t places = 0;
    for (uint32_t n = 0; n < world_.nodes.size() && places < tasks.second; ++n) {
      places += PlacesOn(n, world_.facts().shapes[tasks.first]);
    }
    return places >= tasks.second;
  });
}

}  // namespace muster
