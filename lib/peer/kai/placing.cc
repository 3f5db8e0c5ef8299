// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/placing.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/kai/device_choice.h"
#include "lib/peer/kai/node_order.h"

namespace muster {

KaiAmounts KaiQuotaOf(const KaiWorld& world, std::span<KaiPod* const> pods) {
  KaiAmounts quota = {};
  for (const KaiPod* pod : pods) {
    const KaiShape& shape = world.ShapeOf(*pod);
    quota[kKaiCpu] += shape.amounts[kKaiCpu];
    quota[kKaiMemory] += shape.amounts[kKaiMemory];
    quota[kKaiGpu] += shape.type == KaiRequestType::kGpuMemory
                          ? KaiMemoryAsGpus(shape.gpu, world.facts().most_gpu_memory)
                          : shape.amounts[kKaiGpu];
  }
  return quota;
}

bool KaiPlacer::Place(const KaiJob& job, std::span<const uint32_t> nodes) {
  job_ = &job;
  scores_.assign(job.facts().groups.size(), {});
  placed_ = 0;
  errors_ = nullptr;
  no_topology_ = false;
  topology_words_.clear();
  const Pods pods = job.Next(/*real=*/!pipeline_only_);
  if (pods.empty()) return false;
  const KaiGate gate = KaiJobOverCapacity(world_->tree, job.facts().queue, job.facts().preemptible,
                                          KaiQuotaOf(*world_, pods));
  KaiRefusal& refusal = world_->refusals[job.number()];
  if (!gate.open()) {
    if (!pipeline_only_) {
      refusal = {.rule = gate.rule == KaiGate::Rule::kOverLimit ? KaiRefusal::Rule::kOverLimit
                                                                : KaiRefusal::Rule::kOverQuota,
                 .queue = gate.queue,
                 .resource = gate.resource,
                 .message = KaiGateMessage(world_->tree, gate, KaiQuotaOf(*world_, pods))};
    }
    return false;
  }
  if (PlaceSet(0, pods, nodes)) return true;
  if (!pipeline_only_) {
    refusal = {.rule = no_topology_ ? KaiRefusal::Rule::kNoTopology : KaiRefusal::Rule::kNoRoom,
               .placed = placed_,
               .needed = static_cast<int64_t>(pods.size()),
               .errors = errors_,
               .message = std::move(topology_words_)};
  }
  return false;
}

bool KaiPlacer::IsBelow(uint32_t group, uint32_t ancestor) const {
  while (group != ancestor && group != kKaiNone) group = job_->facts().groups[group].parent;
  return group == ancestor;
}

KaiPlacer::Pods KaiPlacer::Of(uint32_t group, const Pods& pods) const {
  Pods own;
  for (KaiPod* pod : pods) {
    if (IsBelow(world_->facts().tasks[pod->task].pod_set, group)) own.push_back(pod);
  }
  return own;
}

bool KaiPlacer::NodeSetsOf(uint32_t group, const Pods& pods, std::span<const uint32_t> nodes,
                           NodeSets* sets, bool* all) {
  const KaiGroup& own = job_->facts().groups[group];
  *all = !own.topology.named;
  if (*all) return true;
  if (own.topology.topology == kKaiNone) {  // it does not exist: no set
    no_topology_ = true;
    topology_words_ = absl::StrCat("Requested topology ", own.topology.name, " does not exist");
    return true;
  }
  std::vector<KaiTopologyTask> tasks;
  std::vector<uint32_t> pod_sets, active;
  for (const KaiPod* pod : pods) {
    const KaiShape& shape = world_->ShapeOf(*pod);
    tasks.push_back({shape.request, KaiGpus(shape.gpu) > 0});
    pod_sets.push_back(world_->facts().tasks[pod->task].pod_set);
  }
  for (const KaiPod* pod : job_->pods()) {
    if (pod == nullptr || !IsActiveAllocated(pod->status)) continue;
    const uint32_t set = world_->facts().tasks[pod->task].pod_set;
    if (std::ranges::find(pod_sets, set) != pod_sets.end()) active.push_back(pod->node);
  }
  KaiTopology& topology = world_->topologies[own.topology.topology];
  const KaiConstraint constraint = {topology.name(), own.topology.required, own.topology.preferred};
  const KaiNodes& books = world_->nodes;
  const size_t width = world_->facts().dimensions;
  KaiSubset subset = topology.Subset(
      {.tasks = tasks,
       .constraint = &constraint,
       .nodes = nodes,
       .active = active,
       .sub_group = own.name.empty() ? std::string_view("default") : own.name,
       .resources = world_->facts().resources},
      [&](uint32_t n) -> KaiNodeLeft {
        return {{books.idle(n), width},
                {books.releasing(n), width},
                KaiSharedFractions(books.groups(n).devices, books.facts(n).gpu_memory)};
      });
  if (!subset.failure.empty()) {
    no_topology_ = true;
    topology_words_ = std::move(subset.failure);
    return false;
  }
  // The last error is about the job as a whole.
  if (!subset.sets.empty()) {
    if (!no_topology_) topology_words_.clear();
  } else if (subset.errors.size() > 1) {
    topology_words_ = std::move(subset.errors.front().message);
  } else {
    topology_words_ = absl::StrCat("topology ", own.topology.name, " has no domain for it");
  }
  if (subset.has_scores) {
    scores_[group].assign(books.size(), -1.0);
    for (const auto& [node, score] : subset.scores) scores_[group][node] = score;
  }
  *sets = std::move(subset.sets);
  return true;
}

template <class Try>
bool KaiPlacer::TrySets(uint32_t group, const Pods& pods, std::span<const uint32_t> nodes,
                        Try&& attempt) {
  if (pods.empty()) return true;
  NodeSets sets;
  bool all = false;
  if (!NodeSetsOf(group, pods, nodes, &sets, &all)) return false;
  const auto one = [&](std::span<const uint32_t> set) {
    const size_t before = statement_->Checkpoint();
    if (attempt(set)) return true;
    statement_->Rollback(before);
    return false;
  };
  if (all) return one(nodes);
  return std::ranges::any_of(sets, one);
}

bool KaiPlacer::PlaceSet(uint32_t set, const Pods& pods, std::span<const uint32_t> nodes) {
  return TrySets(set, pods, nodes,
                 [&](std::span<const uint32_t> chosen) { return PlaceMembers(set, pods, chosen); });
}

bool KaiPlacer::PlaceMembers(uint32_t set, const Pods& pods, std::span<const uint32_t> nodes) {
  const std::vector<uint32_t> members = job_->MembersInOrder(set, /*reversed=*/false);
  return std::ranges::all_of(members, [&](uint32_t member) {
    const Pods own = Of(member, pods);
    return job_->facts().groups[member].is_pod_set ? PlacePodSet(member, own, nodes)
                                                   : PlaceSet(member, own, nodes);
  });
}

bool KaiPlacer::PlacePodSet(uint32_t set, const Pods& pods, std::span<const uint32_t> nodes) {
  return TrySets(set, pods, nodes,
                 [&](std::span<const uint32_t> chosen) { return PlaceTasks(pods, chosen); });
}

bool KaiPlacer::PlaceTasks(const Pods& pods, std::span<const uint32_t> nodes) {
  int64_t placed = 0;
  for (KaiPod* pod : pods) {
    if (!PlaceTask(pod, nodes)) return false;
    placed_ = std::max(placed_, ++placed);
  }
  return true;
}

const std::vector<double>* KaiPlacer::TopologyScores(uint32_t pod_set) const {
  for (uint32_t g = pod_set; g != kKaiNone; g = job_->facts().groups[g].parent) {
    if (!scores_[g].empty()) return &scores_[g];
  }
  return nullptr;
}

bool KaiPlacer::MayTake(const KaiPod& pod, uint32_t node) const {
  const KaiShape& shape = world_->ShapeOf(pod);
  const KaiNodeFacts& facts = world_->nodes.facts(node);
  if (!KaiAdmits(*world_, world_->facts().tasks[pod.task].shape, node)) return false;
  const KaiJobFacts& job = world_->JobOf(pod).facts();
  const KaiAmounts requested = {shape.amounts[kKaiCpu], shape.amounts[kKaiMemory],
                                KaiGpuQuotaOn(shape.gpu, facts.gpu_memory)};
  return KaiJobOverCapacity(world_->tree, job.queue, job.preemptible, requested).open();
}

bool KaiPlacer::PlaceTask(KaiPod* pod, std::span<const uint32_t> nodes) {
  const KaiShape& shape = world_->ShapeOf(*pod);
  if (shape.too_large) {
    if (!pipeline_only_) errors_ = world_->FitErrorsOf(*pod, nodes);
    return false;
  }
  const KaiTask& task = world_->facts().tasks[pod->task];
  KaiNodeOrder order(world_, task, nodes, TopologyScores(task.pod_set));
  while (const std::optional<uint32_t> node = order.Next()) {
    if (MayTake(*pod, *node) && PlaceOn(pod, *node)) return true;
  }
  if (!pipeline_only_) errors_ = world_->FitErrorsOf(*pod, nodes);
  return false;
}

bool KaiPlacer::PlaceOn(KaiPod* pod, uint32_t node) {
  const KaiShape& shape = world_->ShapeOf(*pod);
  if (shape.shares_gpu()) return PlacePart(pod, node);
  if (!pipeline_only_ && world_->nodes.FitsNow(node, shape)) {
    return statement_->Allocate(pod, node);
  }
  return statement_->Pipeline(pod, node, /*update=*/!pipeline_only_);
}

bool KaiPlacer::PlacePart(KaiPod* pod, uint32_t node) {
  std::optional<KaiDeviceChoice> choice =
      ChooseKaiDevices(world_, world_->ShapeOf(*pod), node, pipeline_only_);
  if (!choice.has_value()) return false;
  pod->devices = std::move(choice->groups);
  const bool later = pipeline_only_ || choice->releasing;
  const bool done =
      later ? statement_->Pipeline(pod, node, /*update=*/false) : statement_->Allocate(pod, node);
  if (!done) pod->devices.clear();
  return done;
}

}  // namespace muster
