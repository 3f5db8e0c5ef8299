// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/scenario_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster {

KaiScenarioBase::KaiScenarioBase(KaiWorld* world, const KaiProbe& probe)
    : world_(world), victims_(probe.victims()), recorded_(world->facts().tasks.size(), 0) {
  const std::vector<KaiPod*>& pending = probe.partial->Next(/*real=*/false);
  if (pending.empty()) return;
  base_.emplace(world, probe.partial, pending, probe.recorded_jobs);
  for (const KaiPod* pod : base_->recorded()) recorded_[pod->task] = 1;
  filters_.emplace(*world, *base_, probe.feasible);
}

const KaiScenario* KaiScenarioBase::Next(bool advance) {
  if (!base_.has_value()) return nullptr;
  for (;;) {
    if (advance) {
      if (victims_->empty()) return nullptr;
      if (!AddStep()) continue;
    }
    advance = true;
    if (filters_->Admit(*base_)) return &*base_;
  }
}

// Adds what the next job would lose. Returns false if some of it is recorded.
bool KaiScenarioBase::AddStep() {
  const KaiJob& job = *victims_->Pop();
  bool has_more = false;
  const std::vector<KaiPod*> tasks = job.NextVictims(&has_more);
  const bool known =
      std::ranges::any_of(tasks, [&](const KaiPod* pod) { return recorded_[pod->task] != 0; });
  if (known || has_more) {
    KaiScenario::Pods rest;
    AppendKaiPods(job, &rest);
    std::erase_if(rest, [&](const KaiPod* pod) {
      return known ? recorded_[pod->task] != 0 : std::ranges::find(tasks, pod) != tasks.end();
    });
    if (!rest.empty() || !known) victims_->Push(world_->arena.Clone(job, rest));
  }
  if (known) return false;
  base_->AddVictims(tasks);
  return true;
}

const KaiScenario* KaiNodeLocalScenarios::Next() {
  for (;;) {
    if (!proposals_.empty()) {
      current_.emplace(std::move(proposals_.front()));
      proposals_.pop_front();
      return &*current_;
    }
    const KaiScenario* const base = base_.Next(std::exchange(begun_, true));
    if (base == nullptr) return nullptr;
    Propose(*base);
  }
}

void KaiNodeLocalScenarios::Propose(const KaiScenario& base) {
  if (base.potential().empty()) {
    if (!base.recorded().empty()) proposals_.push_back(base);
    return;
  }
  KaiWorld* const world = base_.world();
  std::set<uint32_t> nodes;
  for (const KaiPod* pod : world->JobOf(*base.potential().back()).pods()) {
    if (pod->node != kKaiNone) nodes.insert(pod->node);
  }
  std::set<std::vector<uint32_t>> seen;
  for (const uint32_t node : nodes) {
    const KaiScenario::Pods victims = base.VictimsNear(node);
    if (victims.empty()) continue;
    std::vector<uint32_t> key;
    for (const KaiPod* pod : victims) key.push_back(pod->task);
    std::ranges::sort(key);
    if (!seen.insert(std::move(key)).second) continue;
    KaiScenario& proposal =
        proposals_.emplace_back(world, &base.preemptor(), base.pending(), base.recorded_jobs());
    // Jobs come one after the other: VictimsNear goes by job.
    for (size_t i = 0; i < victims.size();) {
      KaiScenario::Pods of_job;
      const KaiJob* const job = &world->JobOf(*victims[i]);
      for (; i < victims.size() && &world->JobOf(*victims[i]) == job; ++i) {
        of_job.push_back(victims[i]);
      }
      proposal.AddVictims(of_job);
    }
  }
}

const KaiScenario* KaiGangScenarios::Next() {
  for (;;) {
    if (wide_ != nullptr) {
      if (const KaiScenario* const proposal = Widen()) return proposal;
      wide_ = nullptr;
    }
    const KaiScenario* const base = base_.Next(std::exchange(begun_, true));
    if (base == nullptr) return nullptr;
    if (base->potential().empty()) return base;
    Begin(*base);
  }
}

// Lists the nodes with victims, in the order of the first one.
std::vector<KaiGangScenarios::Near> KaiGangScenarios::NodesNear(const KaiScenario& base) {
  batches_.clear();
  std::vector<Near> near;
  std::map<const KaiJob*, size_t> batch_of;
  std::map<uint32_t, size_t> near_of;
  for (size_t i = 0; i < base.potential().size(); ++i) {
    KaiPod* const pod = base.potential()[i];
    const KaiJob* const step = base.StepOf(*pod);
    if (step == nullptr) continue;
    const auto [batch, is_new] = batch_of.emplace(step, batches_.size());
    if (is_new) batches_.push_back({step, {}});
    batches_[batch->second].tasks.push_back(pod);
    if (pod->node == kKaiNone) continue;
    const auto [at, first] = near_of.emplace(pod->node, near.size());
    if (first) near.push_back({pod->node, i, 0, {}});
    std::vector<size_t>& batches = near[at->second].batches;
    if (std::ranges::find(batches, batch->second) == batches.end()) {
      batches.push_back(batch->second);
    }
  }
  return near;
}

void KaiGangScenarios::Begin(const KaiScenario& base) {
  const KaiWorld& world = *base_.world();
  wide_ = &base;
  near_ = NodesNear(base);
  std::vector<double> recorded(world.nodes.size(), 0.0);
  for (const KaiPod* pod : base.recorded()) {
    if (pod->node != kKaiNone) recorded[pod->node] += pod->accepted_quota;
  }
  double demand = 0, least = -1;
  for (const KaiPod* pod : base.pending()) {
    const double quota = world.ShapeOf(*pod).quota;
    demand += quota;
    if (least < 0 || quota < least) least = quota;
  }
  std::vector<uint8_t> has_victims(world.nodes.size(), 0);
  for (Near& near : near_) {
    has_victims[near.node] = 1;
    near.free = recorded[near.node];
    near.free += world.nodes.FreeGpus(near.node);
    for (const size_t batch : near.batches) {
      for (const KaiPod* pod : batches_[batch].tasks) {
        if (pod->node == near.node) near.free += pod->accepted_quota;
      }
    }
  }
  std::erase_if(near_, [&](const Near& near) { return least > 0 && near.free < least; });
  std::ranges::sort(near_, [](const Near& a, const Near& b) {
    return a.free != b.free ? a.free < b.free : a.first < b.first;
  });
  double missing = demand;
  double elsewhere = 0;
  for (uint32_t n = 0; n < world.nodes.size(); ++n) {
    if (probe_.feasible[n] == 0 || has_victims[n] != 0) continue;
    elsewhere += world.nodes.FreeGpus(n);
    elsewhere += recorded[n];
  }
  missing -= elsewhere;
  take_ = 0;
  more_ = 1;
  if (missing <= 0) return;
  double sum = 0;
  for (const Near& near : near_) {
    ++take_;
    sum += near.free;
    if (sum >= missing) return;
  }
  take_ = near_.size() + 1;
}

// Proposes the victims of the first nodes, and takes more nodes next time.
const KaiScenario* KaiGangScenarios::Widen() {
  if (take_ > near_.size()) return nullptr;
  std::set<size_t> batches;
  for (size_t i = 0; i < take_; ++i)
    batches.insert(near_[i].batches.begin(), near_[i].batches.end());
  if (take_ >= near_.size()) {
    take_ = near_.size() + 1;
  } else {
    take_ = std::min(take_ + more_, near_.size());
    more_ *= 2;
  }
  current_.emplace(base_.world(), &wide_->preemptor(), wide_->pending(), wide_->recorded_jobs());
  for (const size_t batch : batches) current_->AddVictims(batches_[batch].tasks);
  return &*current_;
}

}  // namespace muster
