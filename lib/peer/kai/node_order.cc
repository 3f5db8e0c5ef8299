// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/node_order.h"

#include <algorithm>

#include "lib/peer/kai/node_scores.h"

namespace muster {
namespace {

// Returns whether the node takes tasks of this kind. Of tasks for GPUs, a node with claimed GPUs
// takes claims alone, and other nodes take no claims. MIG nodes take slices, and others do not, as
// their strategy has it.
bool AdmitsType(const KaiWorld& world, const KaiShape& shape, uint32_t n) {
  using Strategy = KaiNodeFacts::Strategy;
  const KaiNodeFacts& node = world.nodes.facts(n);
  if (shape.legacy_slices) return false;
  if (shape.cpu_only) return true;
  // A request for memory counts as no GPUs, but takes a device as a part does.
  const bool takes_device = KaiGpus(shape.gpu) > 0 || shape.shares_gpu();
  if (node.claimed_gpus ? takes_device : shape.gpu.claimed > 0) return false;
  const bool slices = shape.type == KaiRequestType::kMigInstance;
  if (!node.slices) return !slices;
  if (slices && world.nodes.legacy_tasks(n) > 0) return false;
  if (node.strategy == Strategy::kSingle && shape.type != KaiRequestType::kRegular) return false;
  return node.strategy != Strategy::kMixed || slices;
}

double Placement(const KaiWorld& world, const KaiShape& shape, uint32_t n,
                 const KaiPackRange& range) {
  const KaiPlacement way = shape.cpu_only ? world.options().cpu : world.options().gpu;
  if (way == KaiPlacement::kNone) return 0;
  if (way == KaiPlacement::kSpread) return KaiSpreadOf(world, shape, n);
  const size_t d = shape.cpu_only ? kKaiCpuAt : kKaiGpuAt;
  return KaiPackScore(range, world.nodes.NotAllocated(n, d), world.nodes.facts(n).allocatable[d]);
}

bool SharesWell(const KaiWorld& world, const KaiShape& shape, uint32_t n) {
  for (size_t g = 0; g < world.nodes.groups(n).ids.size(); ++g) {
    if (world.nodes.FitsGroup(n, shape, g)) return true;
  }
  return false;
}

}  // namespace

bool KaiAdmits(const KaiWorld& world, uint32_t number, uint32_t n) {
  const KaiShape& shape = world.facts().shapes[number];
  const KaiNodeFacts& node = world.nodes.facts(n);
  if (!node.ready || world.facts().allowed[shape.constraints][n] == 0) return false;
  if (!AdmitsType(world, shape, n)) return false;
  if (shape.gpu.memory > 0 && !node.gpu_memory_known) return false;
  // A task that shares a device may need a second pod that reserves it.
  const double places = world.nodes.NotAllocated(n, kKaiPodsAt);
  if (places < (shape.shares_gpu() ? 2 : 1)) return false;
  if (!world.nodes.affinity().AdmitsPorts(n, number)) return false;
  if (!world.nodes.affinity().Admits(n, number)) return false;
  if (!world.options().restrict_nodes) return true;
  return shape.cpu_only ? node.cpu_worker : node.gpu_worker;
}

double KaiBandsOf(const KaiWorld& world, const KaiShape& shape, uint32_t n) {
  const KaiNodeFacts& node = world.nodes.facts(n);
  const KaiOptions& options = world.options();
  const bool cpu_node = !node.slices && node.allocatable[kKaiGpuAt] <= 0 && !node.claimed_gpus;
  // The order of the sum is that of the peer's plugins.
  double score = 0;
  if (options.availability && world.nodes.FitsNow(n, shape)) score = kKaiAvailabilityScore;
  if (options.sharing && SharesWell(world, shape, n)) score += kKaiSharingScore;
  if (options.resource_type && shape.cpu_only && cpu_node) score += kKaiResourceTypeScore;
  return score;
}

double KaiSpreadOf(const KaiWorld& world, const KaiShape& shape, uint32_t n) {
  const KaiNodeFacts& node = world.nodes.facts(n);
  if (shape.cpu_only) {
    return KaiSpreadScore(world.nodes.NotAllocated(n, kKaiCpuAt), node.allocatable[kKaiCpuAt]);
  }
  return KaiSpreadScore(world.nodes.NotAllocated(n, kKaiGpuAt), static_cast<double>(node.gpus));
}

KaiNodeOrder::KaiNodeOrder(KaiWorld* world, const KaiTask& task, std::span<const uint32_t> nodes,
                           const std::vector<double>* topology) {
  const bool all = nodes.size() == world->nodes.size();
  if (all && topology == nullptr && task.nominated == kKaiNone) board_ = world->BoardOf(task.shape);
  if (board_ == nullptr) Scan(*world, task, nodes, topology);
}

KaiNodeOrder::~KaiNodeOrder() {
  for (const uint32_t node : tried_) board_->Restore(node);
}

void KaiNodeOrder::Scan(const KaiWorld& world, const KaiTask& task, std::span<const uint32_t> nodes,
                        const std::vector<double>* topology) {
  const KaiShape& shape = world.facts().shapes[task.shape];
  const size_t d = shape.cpu_only ? kKaiCpuAt : kKaiGpuAt;
  KaiPackRange range;
  for (const uint32_t n : nodes) {
    range.Add(world.nodes.NotAllocated(n, d), world.nodes.facts(n).allocatable[d]);
  }
  for (const uint32_t n : nodes) {
    if (topology != nullptr && (*topology)[n] < 0) continue;
    if (!world.nodes.FitsLater(n, shape)) continue;
    double score = KaiBandsOf(world, shape, n);
    if (world.options().nominated && task.nominated == n) score += kKaiNominatedScore;
    score += Placement(world, shape, n, range);
    score += topology != nullptr ? (*topology)[n] : 0;
    rows_.push_back({score, n});
  }
}

std::optional<uint32_t> KaiNodeOrder::Next() {
  if (board_ != nullptr) {
    if (!tried_.empty()) board_->Exclude(tried_.back());
    const uint32_t node = board_->Best();
    if (node == kKaiNone) return std::nullopt;
    tried_.push_back(node);
    return node;
  }
  if (rows_.empty()) return std::nullopt;
  const auto best = std::ranges::min_element(rows_, [](const Row& a, const Row& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  const uint32_t node = best->node;
  *best = rows_.back();
  rows_.pop_back();
  return node;
}

}  // namespace muster
