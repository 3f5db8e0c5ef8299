// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/victim_room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace muster {
namespace {

constexpr size_t kShapesOfRoom = 8;  // that Suffices looks at

// Amounts of one resource. Sums and differences of them are exact, in any order, while all are
// multiples of one power of two and what may be added up has at most 53 bits in it.
class KaiExactSum {
 public:
  void Add(double amount, double times) {
    amount = std::abs(amount);
    is_whole_ &= amount == std::floor(amount) && amount < 0x1p62;
    if (!is_whole_) return;
    bits_ |= static_cast<uint64_t>(amount);
    most_ += amount * times;
  }
  bool IsExact() const {
    if (!is_whole_ || bits_ == 0) return is_whole_;
    return most_ < 0x1p52 * static_cast<double>(bits_ & (~bits_ + 1));
  }

 private:
  bool is_whole_ = true;
  uint64_t bits_ = 0;  // that are set in some amount
  double most_ = 0;
};

// What a task is counted for at most: on two nodes, as a candidate and as one that may go.
constexpr double kTimesOfTask = 4;

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
  std::vector<double> times(facts.shapes.size(), 0);
  for (const KaiTask& task : facts.tasks) times[task.shape] += kTimesOfTask;
  std::vector<KaiExactSum> nodes(facts.dimensions);
  std::array<KaiExactSum, kKaiResources> queues;
  for (size_t s = 0; s < facts.shapes.size(); ++s) {
    const KaiShape& shape = facts.shapes[s];
    if (times[s] == 0) continue;
    if (!IsChargedAsRequested(shape)) return false;
    for (size_t d = 0; d < nodes.size(); ++d) nodes[d].Add(shape.request[d], times[s]);
    for (size_t r = 0; r < queues.size(); ++r) queues[r].Add(shape.amounts[r], times[s]);
    queues[kKaiGpu].Add(shape.slice_gpus, times[s]);
  }
  for (const KaiNodeFacts& node : facts.nodes) {
    for (const auto* amounts : {&node.allocatable, &node.foreign, &node.foreign_releasing}) {
      for (size_t d = 0; d < amounts->size(); ++d) nodes[d].Add((*amounts)[d], 1);
    }
  }
  return std::ranges::all_of(nodes, &KaiExactSum::IsExact) &&
         std::ranges::all_of(queues, &KaiExactSum::IsExact);
}

void KaiVictimRoom::CountFree(uint32_t node) {
  for (size_t d = 0; d < free_.size(); ++d) {
    double& known = free_of_[node * free_.size() + d];
    const double now = std::max(0.0, world_.nodes.NotAllocated(node, d));
    free_[d] += now - known;
    known = now;
  }
}

void KaiVictimRoom::SumUpFree() {
  const auto changed = world_.nodes.ChangedSince(changes_);
  if (free_.empty() || !changed.has_value()) {
    free_.assign(world_.facts().dimensions, 0.0);
    free_of_.assign(world_.nodes.size() * free_.size(), 0.0);
    for (uint32_t n = 0; n < world_.nodes.size(); ++n) CountFree(n);
  } else {
    uint32_t counted = kKaiNone;  // most changes of a node follow one another
    for (const uint32_t n : *changed) {
      if (std::exchange(counted, n) != n) CountFree(n);
    }
  }
  changes_ = world_.nodes.changes();
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
    const bool needs_none = may_go || world_.nodes.CountNotes(pod->task) > 1;
    for (size_t d = 0; d < free_.size(); ++d) {
      held[d] += request[d];
      if (needs_none) leaving_[d] += request[d];
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

bool KaiVictimRoom::SufficesAlready() const {
  if (!Has(leaving_)) return false;
  return std::ranges::all_of(shapes_, [&](const std::pair<uint32_t, int64_t>& tasks) {
    int64_t places = 0;
    for (size_t i = 0; i < nodes_.size() && places < tasks.second; ++i) {
      places += PlacesOn(nodes_[i], world_.facts().shapes[tasks.first]);
    }
    return places >= tasks.second;
  });
}

}  // namespace muster
