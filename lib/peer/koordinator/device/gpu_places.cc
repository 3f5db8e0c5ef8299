// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Partitions and the tree; device_allocator.h has the order of preference.
#include "lib/peer/koordinator/device/gpu_places.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/container/inlined_vector.h"

namespace muster {
namespace {

uint64_t Bit(int minor) { return uint64_t{1} << minor; }

std::vector<int> Minors(uint64_t set) {
  std::vector<int> minors;
  for (; set != 0; set &= set - 1) minors.push_back(std::countr_zero(set));
  return minors;
}

const GpuPartitions* OfSize(const std::vector<GpuPartitions>& table, int64_t gpus) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const GpuPartitions& entry) { return entry.gpus == gpus; });
  return found == table.end() || found->partitions.empty() ? nullptr : &*found;
}

int64_t LowestScore(const GpuPartitions& of_size) {
  return std::min_element(of_size.partitions.begin(), of_size.partitions.end(),
                          [](const auto& a, const auto& b) { return a.score < b.score; })
      ->score;
}

// Returns the worth of larger partitions that stay free once `used` is in use.
int64_t WorthOfRest(const std::vector<GpuPartitions>& table, uint64_t used, int64_t gpus) {
  int64_t worth = 0;
  for (const auto& [size, weight] : {std::pair{8, 10000}, std::pair{4, 100}, std::pair{2, 1}}) {
    const GpuPartitions* of_size = size < gpus ? nullptr : OfSize(table, size);
    if (of_size == nullptr) continue;
    const int64_t lowest = LowestScore(*of_size);
    for (const GpuPartition& partition : of_size->partitions) {
      if (partition.score == lowest && (partition.minors & used) == 0) {
        worth += weight * partition.score;
      }
    }
  }
  return worth;
}

// A machine, a zone or a bus.
struct Scope {
  GpuScope level = GpuScope::kNode;
  uint64_t minors = 0;
  std::vector<Scope> children = {};
};

// Zones by number, and buses by name.
Scope TreeOf(const DeviceAccount& book) {
  absl::InlinedVector<const Device*, 16> gpus;
  for (const Device& gpu : book.devices) gpus.push_back(&gpu);
  const auto place = [](const Device* gpu) { return std::tie(gpu->zone, gpu->bus); };
  std::sort(gpus.begin(), gpus.end(),
            [&](const Device* a, const Device* b) { return place(a) < place(b); });
  Scope machine;
  const Device* before = nullptr;
  for (const Device* gpu : gpus) {
    const bool new_zone = before == nullptr || before->zone != gpu->zone;
    if (new_zone) machine.children.push_back({.level = GpuScope::kZone});
    Scope& zone = machine.children.back();
    if (new_zone || before->bus != gpu->bus) zone.children.push_back({.level = GpuScope::kBus});
    for (Scope* scope : {&machine, &zone, &zone.children.back()}) scope->minors |= Bit(gpu->minor);
    before = gpu;
  }
  return machine;
}

struct Found {
  std::vector<int> minors;
  int depth = 0, parts_in_use = 0;
  int64_t score = -1;  // of parts of a GPU
};

class TreeSearch {
 public:
  TreeSearch(const GpuView& gpus, const DeviceClaim& request, const DeviceScorer* scorer)
      : gpus_(gpus), request_(request), wish_(request.of(DeviceKind::kGpu)) {
    for (size_t i = 0; i < gpus.book.devices.size(); ++i) {
      const Device& gpu = gpus.book.devices[i];
      if ((gpus.usable & Bit(gpu.minor)) == 0 || !wish_.each.FitsIn(gpus.free[i])) continue;
      fitting_ |= Bit(gpu.minor);
      // The peer exchanges free and total, and so does this.
      scores_[gpu.minor] = wish_.partial && scorer != nullptr
                               ? scorer->Score(wish_.each, gpus.free[i], gpu.total)
                               : 0;
    }
  }

  std::optional<Found> Search(const Scope& scope, int depth, int parts_in_use) const {
    if (std::popcount(scope.minors) < wish_.count) return std::nullopt;
    ++depth;
    if ((scope.minors & gpus_.used) != 0) ++parts_in_use;
    std::optional<Found> best;
    for (const Scope& child : scope.children) {
      const std::optional<Found> found = Search(child, depth, parts_in_use);
      if (found.has_value() && (!best.has_value() || IsBetter(*found, *best))) best = found;
    }
    if (best.has_value() || request_.scope > scope.level) return best;
    return Here(scope, depth, parts_in_use);
  }

 private:
  bool IsBetter(const Found& a, const Found& b) const {
    if (a.depth != b.depth) return a.depth > b.depth;
    if (a.parts_in_use != b.parts_in_use) return a.parts_in_use > b.parts_in_use;
    return wish_.partial && a.score > b.score;
  }

  std::optional<Found> Here(const Scope& scope, int depth, int parts_in_use) const {
    Found found{.minors = {}, .depth = depth, .parts_in_use = parts_in_use};
    for (int minor : Minors(scope.minors & fitting_)) {
      if (!wish_.partial) {
        found.minors.push_back(minor);
        if (static_cast<int64_t>(found.minors.size()) == wish_.count) return found;
      } else if (scores_[minor] > found.score) {
        found.minors = {minor};
        found.score = scores_[minor];
      }
    }
    if (!wish_.partial || found.minors.empty()) return std::nullopt;
    return found;
  }

  const GpuView& gpus_;
  const DeviceClaim& request_;
  const DeviceWish& wish_;
  uint64_t fitting_ = 0;
  std::array<int64_t, 64> scores_ = {};
};

}  // namespace

GpuChoice ChoosePartition(const std::vector<GpuPartitions>& table, const GpuView& gpus,
                          const DeviceClaim& request) {
  if (table.empty()) return {{}, DeviceReason::kNoPartitionTable};
  const int64_t count = request.of(DeviceKind::kGpu).count;
  const GpuPartitions* of_size = OfSize(table, count);
  if (of_size == nullptr) return {{}, DeviceReason::kNoPartitionSize};

  std::vector<GpuPartition> candidates = of_size->partitions;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.score < b.score; });
  const GpuPartition* best = nullptr;
  int64_t best_worth = 0;
  for (const GpuPartition& partition : candidates) {
    const bool next_score = partition.score != (best ? best : &candidates[0])->score;
    if (next_score && (best != nullptr || request.first_partitions_only)) break;
    if ((partition.minors & gpus.used) != 0) continue;
    if ((partition.minors & gpus.usable) != partition.minors) continue;
    if (request.bandwidth.has_value() &&
        (!partition.bandwidth.has_value() || *request.bandwidth > *partition.bandwidth)) {
      continue;
    }
    const int64_t worth = WorthOfRest(table, gpus.used | partition.minors, count);
    if (best != nullptr && worth <= best_worth) continue;
    best = &partition;
    best_worth = worth;
  }
  if (best == nullptr) return {{}, DeviceReason::kFewPartitions};
  return {Minors(best->minors), DeviceReason::kNone};
}

GpuChoice ChooseInTree(const GpuView& gpus, const DeviceClaim& request,
                       const DeviceScorer* scorer) {
  const std::vector<Device>& devices = gpus.book.devices;
  const DeviceWish& wish = request.of(DeviceKind::kGpu);
  const bool known =
      std::all_of(devices.begin(), devices.end(), [](const Device& gpu) { return gpu.placed; });
  if (!known) return {{}, DeviceReason::kNoTopology};
  if (wish.partial && wish.count > 1) return {{}, DeviceReason::kSharedGpus};
  const std::optional<Found> found =
      TreeSearch(gpus, request, scorer).Search(TreeOf(gpus.book), 0, 0);
  if (found.has_value()) return {found->minors, DeviceReason::kNone};
  return {{}, request.scope == GpuScope::kAny ? DeviceReason::kFewGpus : DeviceReason::kFewInScope};
}

}  // namespace muster
