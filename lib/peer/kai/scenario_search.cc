// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/scenario_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster {

KaiScenarioBase::KaiScenarioBase(KaiWorld* world, const KaiProbe& probe)
    : world_(world), begin_(probe.victims), recorded_(world->facts().tasks.size()) {
  const std::vector<KaiPod*>& pending = probe.partial->Next(/*real=*/false);
  if (pending.empty()) return;
  base_.emplace(world, probe.partial, pending, probe.recorded_jobs);
  for (const KaiPod* pod : base_->recorded()) recorded_[pod->task] = true;
  filters_.emplace(*world, *base_, probe.feasible);
}

const KaiScenario* KaiScenarioBase::Next(bool advance) {
  if (!base_.has_value()) return nullptr;
  for (;;) {
    if (advance) {
      if (victims_ == nullptr) victims_ = begin_();
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
      std::ranges::any_of(tasks, [&](const KaiPod* pod) { return recorded_[pod->task]; });
  if (known || has_more) {
    KaiScenario::Pods rest;
    AppendKaiPods(job, &rest);
    std::erase_if(rest, [&](const KaiPod* pod) {
      return known ? recorded_[pod->task] : std::ranges::find(tasks, pod) != tasks.end();
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
  std::vector<KaiFingerprint> seen;
  for (const uint32_t node : nodes) {
    const KaiScenario::Pods victims = base.VictimsNear(node);
    if (victims.empty()) continue;
    KaiFingerprint print = base.beginning();
    for (const KaiPod* pod : victims) print.Add(KaiFingerprint::Role::kPotential, pod->task);
    if (std::ranges::find(seen, print) != seen.end()) continue;
    seen.push_back(print);
    if (probe_.failed->contains(print)) continue;
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

// Sorts the victims that the base has gained into batches, and into nodes by their first victim.
void KaiGangScenarios::FollowBase(const KaiScenario& base) {
  if (recorded_.empty()) {
    recorded_.assign(base_.world()->nodes.size(), 0.0);
    near_of_.assign(base_.world()->nodes.size(), 0);
    for (const KaiPod* pod : base.recorded()) {
      if (pod->node != kKaiNone) recorded_[pod->node] += pod->accepted_quota;
    }
  }
  for (; followed_ < base.potential().size(); ++followed_) {
    KaiPod* const pod = base.potential()[followed_];
    const KaiJob* const step = base.StepOf(*pod);
    if (step == nullptr) continue;
    const auto [batch, is_new] = batch_of_.emplace(step, batches_.size());
    if (is_new) batches_.emplace_back();
    batches_[batch->second].tasks.push_back(pod);
    batches_[batch->second].fingerprint.Add(KaiFingerprint::Role::kPotential, pod->task);
    if (pod->node != kKaiNone) AddNear(pod->node, followed_, batch->second, pod);
  }
}

void KaiGangScenarios::AddNear(uint32_t node, size_t place, size_t batch, const KaiPod* pod) {
  uint32_t& at = near_of_[node];
  if (at == 0) {
    near_.push_back({node, place});
    at = static_cast<uint32_t>(near_.size());
  }
  Near& near = near_[at - 1];
  // Nearly always its batch is the latest. A job that is a victim twice adds to an earlier one.
  size_t listed = near.batches.size();
  while (listed > 0 && near.batches[listed - 1] != batch) --listed;
  if (listed == 0) {
    near.batches.push_back(batch);
    listed = near.batches.size();
  }
  const size_t of_batch = listed - 1;
  const auto to =
      std::ranges::upper_bound(near.pods, of_batch, {}, &std::pair<size_t, const KaiPod*>::first);
  near.pods.insert(to, {of_batch, pod});
}

// Orders the nodes where the smallest task would find room by what they would have free.
void KaiGangScenarios::Rank(double least) {
  ranked_.clear();
  for (size_t i = 0; i < near_.size(); ++i) {
    double free = recorded_[near_[i].node];
    free += base_.world()->nodes.FreeGpus(near_[i].node);
    for (const auto& [at, pod] : near_[i].pods) free += pod->accepted_quota;
    if (least > 0 && free < least) continue;
    ranked_.push_back({free, near_[i].first, i});
  }
  std::ranges::sort(ranked_, [](const Ranked& a, const Ranked& b) {
    return a.free != b.free ? a.free < b.free : a.first < b.first;
  });
}

double KaiGangScenarios::MissingOf(double demand) const {
  double elsewhere = 0;
  for (uint32_t n = 0; n < recorded_.size(); ++n) {
    if (probe_.feasible[n] == 0 || near_of_[n] != 0) continue;
    elsewhere += base_.world()->nodes.FreeGpus(n);
    elsewhere += recorded_[n];
  }
  return demand - elsewhere;
}

void KaiGangScenarios::Begin(const KaiScenario& base) {
  wide_ = &base;
  FollowBase(base);
  double demand = 0, least = -1;
  for (const KaiPod* pod : base.pending()) {
    const double quota = base_.world()->ShapeOf(*pod).quota;
    demand += quota;
    if (least < 0 || quota < least) least = quota;
  }
  Rank(least);
  taken_.assign(batches_.size(), 0);
  taken_print_ = base.beginning();
  counted_ = take_ = 0;
  more_ = 1;
  const double missing = MissingOf(demand);
  if (missing <= 0) return;
  double sum = 0;
  for (const Ranked& ranked : ranked_) {
    ++take_;
    sum += ranked.free;
    if (sum >= missing) return;
  }
  take_ = ranked_.size() + 1;
}

// Takes the victims of the first nodes, and more nodes next time. Returns false if there are none.
bool KaiGangScenarios::TakeNodes() {
  if (take_ > ranked_.size()) return false;
  for (; counted_ < take_; ++counted_) {
    for (const size_t batch : near_[ranked_[counted_].near].batches) {
      if (std::exchange(taken_[batch], 1) == 0) taken_print_.Add(batches_[batch].fingerprint);
    }
  }
  if (take_ >= ranked_.size()) {
    take_ = ranked_.size() + 1;
  } else {
    take_ = std::min(take_ + more_, ranked_.size());
    more_ *= 2;
  }
  return true;
}

// Proposes the victims of the first nodes that have not failed before.
const KaiScenario* KaiGangScenarios::Widen() {
  do {
    if (!TakeNodes()) return nullptr;
  } while (probe_.failed->contains(taken_print_));
  current_.emplace(base_.world(), &wide_->preemptor(), wide_->pending(), wide_->recorded_jobs());
  for (size_t batch = 0; batch < batches_.size(); ++batch) {
    if (taken_[batch] != 0) current_->AddVictims(batches_[batch].tasks);
  }
  return &*current_;
}

}  // namespace muster
