// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/scenario_rules.h"

#include <algorithm>
#include <map>

#include "lib/peer/kai/min_runtime.h"
#include "lib/peer/kai/sub_groups.h"

namespace muster {
namespace {

using Pods = std::vector<const KaiPod*>;

// The victim's tasks as the session has them, in the order in which they were added.
Pods TasksOf(const KaiWorld& world, const KaiScenario::Victim& victim) {
  Pods pods;
  pods.reserve(victim.tasks.size());
  for (const KaiPod* pod : victim.tasks) pods.push_back(&world.pod(pod->task));
  return pods;
}

// Adds what goes together to the chunks, unless all of it was placed again.
void AddChunk(const KaiWorld& world, const Pods& pods, std::vector<KaiChunk>* chunks) {
  KaiAmounts amounts = {};
  double whole_gpus = 0;
  bool any = false;
  for (const KaiPod* pod : pods) {
    if (world.options().consolidating_reclaim && IsActiveAllocated(pod->status)) continue;
    any = true;
    amounts = AddedKaiAmounts(amounts, world.Accepted(*pod));
    whole_gpus += pod->accepted_gpus;
  }
  if (any) chunks->push_back(KaiChunkOf(amounts, whole_gpus));
}

// Numbers of pod sets in the order of their names, and their minimums.
struct PodSets {
  std::vector<uint32_t> number;  // by group
  std::vector<int32_t> minimum;
};

PodSets PodSetsOf(const KaiJob& job) {
  PodSets sets{std::vector<uint32_t>(job.facts().groups.size(), 0), {}};
  for (const uint32_t set : job.facts().pod_sets) {
    sets.number[set] = static_cast<uint32_t>(sets.minimum.size());
    sets.minimum.push_back(job.minimum(set));
  }
  return sets;
}

std::vector<KaiChunk> ChunksOf(const KaiWorld& world, const KaiJob& job,
                               const KaiScenario::Victim& victim) {
  const Pods pods = TasksOf(world, victim);
  const PodSets sets = PodSetsOf(job);
  std::vector<uint32_t> pod_set;
  pod_set.reserve(pods.size());
  for (const KaiPod* pod : pods) {
    pod_set.push_back(sets.number[world.facts().tasks[pod->task].pod_set]);
  }
  const KaiSplit split = SplitKaiVictims(pod_set, sets.minimum);
  std::vector<KaiChunk> chunks;
  for (const uint32_t i : split.elastic) AddChunk(world, {pods[i]}, &chunks);
  Pods core;
  core.reserve(split.core.size());
  for (const uint32_t i : split.core) core.push_back(pods[i]);
  AddChunk(world, core, &chunks);
  return chunks;
}

}  // namespace

KaiReclaimer KaiReclaimerOf(const KaiJob& job) {
  const KaiNext& next = job.NextRequest(/*real=*/false);
  return {job.facts().queue, job.facts().preemptible, KaiChunkOf(next.amounts, next.whole_gpus)};
}

bool KaiIsFair(const KaiWorld& world, const KaiScenario& scenario) {
  std::map<uint32_t, KaiVictims> by_queue;
  for (const auto& [j, victim] : scenario.victims()) {
    const std::vector<KaiChunk> chunks = ChunksOf(world, world.job(j), victim);
    if (chunks.empty()) continue;
    KaiVictims& victims = by_queue[world.job(j).facts().queue];
    victims.queue = world.job(j).facts().queue;
    victims.chunks.insert(victims.chunks.end(), chunks.begin(), chunks.end());
  }
  std::vector<KaiVictims> victims;
  for (const auto& [queue, of_queue] : by_queue) victims.push_back(of_queue);
  std::ranges::sort(victims, {}, [&](const KaiVictims& of_queue) -> const std::string& {
    return world.tree.queues[of_queue.queue].name;
  });
  return KaiReclaimIsFair(world.tree_then, KaiReclaimerOf(scenario.preemptor()), victims,
                          world.options().saturation_multiplier);
}

int64_t KaiReclaimMinRuntimeOf(const KaiWorld& world, const KaiJob& asks, uint32_t queue) {
  const KaiOptions& options = world.options();
  return KaiReclaimMinRuntime(
      world.tree, options.resolve_by_queue ? KaiResolve::kQueue : KaiResolve::kCommonAncestor,
      asks.facts().queue, queue, options.reclaim_min_runtime);
}

bool KaiIsSafeFromReclaim(const KaiWorld& world, const KaiJob& asks, const KaiJob& victim) {
  return KaiIsProtected(world.StartOf(victim), world.facts().now,
                        KaiReclaimMinRuntimeOf(world, asks, victim.facts().queue));
}

bool KaiIsSafeFromPreempt(const KaiWorld& world, const KaiJob& /*asks*/, const KaiJob& victim) {
  const int64_t safe =
      KaiPreemptMinRuntime(world.tree, victim.facts().queue, world.options().preempt_min_runtime);
  return KaiIsProtected(world.StartOf(victim), world.facts().now, safe);
}

bool KaiKeepsSafe(const KaiWorld& world, const KaiScenario& scenario,
                  bool (*is_safe)(const KaiWorld&, const KaiJob&, const KaiJob&)) {
  for (const auto& [j, victim] : scenario.victims()) {
    const KaiJob& job = world.job(j);
    if (!job.IsElastic() || !is_safe(world, scenario.preemptor(), job)) continue;
    std::map<uint32_t, KaiElasticLoss> losses;
    for (const KaiPod* pod : victim.tasks) {
      const uint32_t set = world.facts().tasks[pod->task].pod_set;
      KaiElasticLoss& loss = losses[set];
      loss.min_available = job.minimum(set);
      loss.active_used = job.counts(set).active_used;
      ++loss.victims;
    }
    std::vector<KaiElasticLoss> list;
    for (const auto& [set, loss] : losses) list.push_back(loss);
    if (!KaiKeepsMinimum(list)) return false;
  }
  return true;
}

bool KaiAllPlacedAgain(const KaiWorld& world, const KaiScenario& scenario) {
  for (const auto& [j, victim] : scenario.victims()) {
    for (const KaiPod* pod : victim.tasks) {
      if (world.pod(pod->task).status == KaiStatus::kReleasing) return false;
    }
  }
  return true;
}

bool KaiHasGpusFor(const KaiWorld& world, const KaiJob& job) {
  double free = 0;
  int64_t free_memory = 0;
  for (uint32_t n = 0; n < world.nodes.size(); ++n) {
    if (!world.nodes.facts(n).ready) continue;
    free += world.nodes.FreeGpus(n);
    free_memory += world.nodes.FreeGpuMemory(n);
  }
  double gpus = 0;
  int64_t memory = 0;
  for (const KaiPod* pod : job.Next(/*real=*/false)) {
    const KaiShape& shape = world.ShapeOf(*pod);
    gpus += KaiGpus(shape.gpu);
    memory += shape.gpu.memory + shape.slice_memory;
    gpus += static_cast<double>(shape.gpu.claimed) + shape.slice_gpus;
  }
  return free >= gpus && free_memory >= memory;
}

}  // namespace muster
