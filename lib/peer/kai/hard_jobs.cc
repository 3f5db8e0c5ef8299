// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/hard_jobs.h"

#include <algorithm>
#include <vector>

namespace muster {
namespace {

uint64_t Mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 31);
}

uint64_t Mixed(uint64_t hash, const std::string& text) {
  for (const char c : text) hash = Mixed(hash, static_cast<uint8_t>(c));
  return Mixed(hash, text.size() + 1000);
}

uint64_t OfWish(uint64_t hash, const KaiTopologyWish& wish) {
  hash = Mixed(hash, static_cast<uint64_t>(wish.named));
  return Mixed(Mixed(Mixed(hash, wish.name), wish.required), wish.preferred);
}

// Topology wishes and constraints of the tasks that are not active, pod set by pod set.
uint64_t SignatureOf(const KaiWorld& world, const KaiJob& job) {
  const KaiJobFacts& facts = job.facts();
  std::vector<uint64_t> of_sets;
  for (const uint32_t set : facts.pod_sets) {
    if (job.counts(set).active_allocated == job.counts(set).pods) {
      of_sets.push_back(0);
      continue;
    }
    uint64_t hash = 1;
    for (uint32_t g = set; g != kKaiNone; g = facts.groups[g].parent) {
      hash = OfWish(hash, facts.groups[g].topology);
    }
    std::vector<uint64_t> tasks;
    for (const KaiPod* pod : job.pods()) {
      if (world.facts().tasks[pod->task].pod_set != set || IsActiveAllocated(pod->status)) continue;
      const KaiShape& shape = world.ShapeOf(*pod);
      uint64_t task = Mixed(shape.constraints, shape.others);
      for (const int32_t port : shape.ports) {
        task = Mixed(task, static_cast<uint64_t>(port));
      }
      tasks.push_back(task);
    }
    std::ranges::sort(tasks);
    for (const uint64_t task : tasks) hash = Mixed(hash, task);
    of_sets.push_back(Mixed(hash, static_cast<uint64_t>(facts.priority)));
  }
  std::ranges::sort(of_sets);
  uint64_t hash = 7;
  for (const uint64_t set : of_sets) hash = Mixed(hash, set);
  return hash;
}

KaiRequests PendingOf(const KaiWorld& world, const KaiJob& job) {
  KaiRequests requests;
  for (const KaiPod* pod : job.pods()) {
    if (pod->status == KaiStatus::kPending) requests.push_back(world.ShapeOf(*pod).request);
  }
  return requests;
}

}  // namespace

bool KaiHardJobList::IsEasier(const KaiWorld& world, const KaiJob& job) const {
  return failed_.IsEasier(SignatureOf(world, job), PendingOf(world, job));
}

void KaiHardJobList::Update(const KaiWorld& world, const KaiJob& job) {
  if (!world.options().signatures) return;
  failed_.Update(SignatureOf(world, job), PendingOf(world, job));
}

}  // namespace muster
