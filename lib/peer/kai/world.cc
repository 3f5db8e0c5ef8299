// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/world.h"

#include <algorithm>
#include <utility>

#include "lib/peer/kai/fair_share.h"
#include "lib/peer/kai/victim_room.h"

namespace muster {

KaiWorld::KaiWorld(KaiFacts facts, KaiQueueTree queues, std::vector<KaiTopology> trees,
                   std::span<const KaiOpening> opening)
    : facts_(std::move(facts)),
      nodes(facts_),
      tree(std::move(queues)),
      topologies(std::move(trees)),
      has_exact_books_(KaiHasExactBooks(facts_)) {
  own_.resize(facts_.tasks.size());
  jobs_.reserve(facts_.jobs.size());
  for (uint32_t j = 0; j < facts_.jobs.size(); ++j) {
    KaiJob& job = jobs_.emplace_back(facts_, j);
    for (const uint32_t t : facts_.jobs[j].tasks) {
      KaiPod& pod = own_[t];
      pod.task = t;
      pod.status = opening[t].status;
      pod.node = opening[t].node;
      if (!opening[t].devices.empty()) {
        pod.devices = opening[t].devices;
        for (const uint32_t group : pod.devices) nodes.KnowGroups(group + 1);
      }
      if (pod.node != kKaiNone && IsActiveUsed(pod.status)) nodes.Open(pod.node, &pod);
      job.Add(&pod);
    }
  }
  for (uint32_t n = 0; n < facts_.nodes.size(); ++n) all_nodes_.push_back(n);
  refusals.resize(facts_.jobs.size());
  evicted_now.resize(facts_.jobs.size(), 0);
  started_now.resize(facts_.jobs.size(), 0);
  trials.resize(facts_.jobs.size());
  for (const KaiJobFacts& job : facts_.jobs) stale_since.push_back(job.stale_since);
  SumUp();
  SetKaiFairShares(total, facts_.options.k, &tree);
  tree_then = tree;
}

// Sets the total, and what queues hold and request.
void KaiWorld::SumUp() {
  for (const KaiNodeFacts& node : facts_.nodes) {
    if (!node.ready) continue;
    KaiAmounts amounts = facts_.Quantify(node.allocatable.data());
    if (!node.takes_part) amounts[kKaiGpu] = 0;
    if (!node.foreign.empty()) {
      const KaiAmounts foreign = facts_.Quantify(node.foreign.data());
      for (size_t r = 0; r < kKaiResources; ++r) amounts[r] -= foreign[r];
    }
    total = AddedKaiAmounts(total, amounts);
  }
  for (const KaiJob& job : jobs_) {
    if (!job.facts().takes_part()) continue;
    KaiAmounts held = {}, requested = {};
    const auto enter = [&] {
      tree.Charge(job.facts().queue, held, job.facts().preemptible);
      tree.Request(job.facts().queue, requested);
      held = requested = {};
    };
    for (const KaiStatus status : {KaiStatus::kPending, KaiStatus::kAllocated, KaiStatus::kBinding,
                                   KaiStatus::kBound, KaiStatus::kRunning}) {
      if (job.CountOf(status) == 0) continue;
      for (const KaiPod* pod : job.pods()) {
        if (pod->status != status) continue;
        const KaiShape& shape = ShapeOf(*pod);
        KaiAmounts amounts = status == KaiStatus::kPending ? shape.amounts : Accepted(*pod);
        if (status != KaiStatus::kPending) {
          held = AddedKaiAmounts(held, amounts);
        } else if (shape.type == KaiRequestType::kGpuMemory) {
          amounts[kKaiGpu] += KaiMemoryAsGpus(shape.gpu, facts_.least_gpu_memory);
        }
        requested = AddedKaiAmounts(requested, amounts);
        if (!has_exact_books_) enter();  // sums are then those of the peer's order
      }
    }
    enter();
  }
}

KaiNodeBoard* KaiWorld::BoardOf(uint32_t shape) {
  if (nodes.affinity().any()) return nullptr;
  if (facts_.shapes[shape].cpu_only) {
    for (const KaiNodeFacts& node : facts_.nodes) {
      if (node.allocatable[kKaiCpuAt] == 0) return nullptr;
    }
  }
  boards_.resize(facts_.shapes.size());
  std::unique_ptr<KaiNodeBoard>& board = boards_[shape];
  if (board == nullptr) {
    board = std::make_unique<KaiNodeBoard>(*this, shape);
  } else {
    board->Follow();
  }
  return board.get();
}

std::shared_ptr<const KaiFitErrors> KaiWorld::FitErrorsOf(const KaiPod& pod,
                                                          std::span<const uint32_t> nodes) {
  errors_.resize(facts_.shapes.size());
  KnownErrors& known = errors_[facts_.tasks[pod.task].shape];
  const bool all = nodes.size() == this->nodes.size();
  if (all && known.errors != nullptr && known.changes == this->nodes.changes()) return known.errors;
  auto errors = std::make_shared<const KaiFitErrors>(KaiFitErrorsOf(*this, pod, nodes));
  // What a queue may hold is no property of the shape.
  const bool of_queue = std::ranges::any_of(errors->rows, [](const KaiFitErrors::Row& row) {
    return row.rule == KaiFitErrors::Rule::kCapacity;
  });
  if (all && !of_queue) known = {this->nodes.changes(), errors};
  return errors;
}

KaiAmounts KaiWorld::Accepted(const KaiPod& pod) const {
  if (!pod.accepted) return {};
  const KaiShape& shape = ShapeOf(pod);
  return {shape.amounts[kKaiCpu], shape.amounts[kKaiMemory], pod.accepted_gpus + shape.slice_gpus};
}

void KaiWorld::Charge(const KaiPod& pod) {
  const KaiJobFacts& job = JobOf(pod).facts();
  tree.Charge(job.queue, Accepted(pod), job.preemptible);
}

void KaiWorld::Discharge(const KaiPod& pod) {
  const KaiJobFacts& job = JobOf(pod).facts();
  tree.Discharge(job.queue, Accepted(pod), job.preemptible);
}

void KaiWorld::Settle() {
  arena.ForEachPod([&](const KaiPod& pod) {
    const KaiTask& task = facts_.tasks[pod.task];
    KaiJob& job = jobs_[task.job];
    if (job.pods()[task.place] != &pod) return;
    own_[pod.task] = pod;
    job.Replace(task.place, &own_[pod.task]);
    job.Redirect();
  });
  arena.Clear();
}

}  // namespace muster
