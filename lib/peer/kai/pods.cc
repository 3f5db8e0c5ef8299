// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/pods.h"

#include <algorithm>
#include <bit>

namespace muster {

KaiAmounts KaiFacts::Quantify(const double* vector) const {
  double gpus = vector[kKaiGpuAt];
  for (size_t d = kKaiPodsAt + 1; d < dimensions; ++d) {
    if (slice_gpus[d] != 0) gpus += slice_gpus[d] * vector[d];
  }
  return {vector[0], vector[1], gpus};
}

KaiJob::KaiJob(const KaiFacts& facts, uint32_t job)
    : facts_(&facts),
      own_(&facts.jobs[job]),
      job_(job),
      pods_(own_->tasks.size(), nullptr),
      marks_(own_->tasks.size()),
      groups_(own_->groups.size()) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].minimum = own_->groups[g].minimum.value_or(-1);
  }
}

void KaiJob::Become(const KaiJob& other) {
  facts_ = other.facts_;
  own_ = other.own_;
  job_ = other.job_;
  pods_.assign(own_->tasks.size(), nullptr);
  marks_.assign(own_->tasks.size(), {});
  index_count_ = {};
  active_allocated_ = counted_active_ = 0;
  allocated_ = {};
  groups_.resize(own_->groups.size());
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g] = {{}, other.groups_[g].minimum};
  ForgetNext();
}

size_t KaiJob::IndexOf(KaiStatus status) {
  return static_cast<size_t>(std::countr_zero(static_cast<uint16_t>(status)));
}

void KaiJob::ForgetNext() const {
  ++revision_;
  knows_next_ = false;
  next_request_.reset();
  at_minimum_.reset();
  may_lose_some_.reset();
}

void KaiJob::Add(KaiPod* pod) {
  const KaiTask& task = facts_->tasks[pod->task];
  Counts& counts = groups_[task.pod_set].counts;
  const auto count = [&](KaiStatus status, int32_t times) {
    if (IsActiveAllocated(status)) {
      counts.active_allocated += times;
      counted_active_ += times;
    }
    if (IsActiveUsed(status)) counts.active_used += times;
    if (IsAlive(status)) counts.alive += times;
    if (status == KaiStatus::kGated) counts.gated += times;
    counts.pods += times;
  };
  Marks& marks = marks_[task.place];
  uint16_t& known = marks.counted;
  if (known != 0) count(static_cast<KaiStatus>(known), -1);
  known = static_cast<uint16_t>(pod->status);
  count(pod->status, 1);
  pods_[task.place] = pod;
  const size_t i = IndexOf(pod->status);
  if ((marks.listed & known) == 0) ++index_count_[i];
  marks.listed |= known;
  if (IsActiveAllocated(pod->status)) ++active_allocated_;
  ForgetNext();
  if (IsAllocatedForGang(pod->status)) {
    allocated_ = AddedKaiAmounts(allocated_, facts_->shape_of(pod->task).amounts);
  }
}

bool KaiJob::SetStatus(KaiPod* pod, KaiStatus status) {
  const uint32_t place = facts_->tasks[pod->task].place;
  const KaiPod* known = pods_[place];
  if (known == nullptr) return false;
  if (IsAllocatedForGang(known->status)) {
    const KaiAmounts& amounts = facts_->shape_of(pod->task).amounts;
    for (size_t r = 0; r < kKaiResources; ++r) allocated_[r] -= amounts[r];
  }
  const size_t i = IndexOf(pod->status);
  if (index_count_[i] > 0) {
    const auto bit = static_cast<uint16_t>(pod->status);
    if ((marks_[place].listed & bit) != 0) --index_count_[i];
    marks_[place].listed &= static_cast<uint16_t>(~bit);
    if (IsActiveAllocated(pod->status)) --active_allocated_;
    ForgetNext();
  }
  pod->status = status;
  Add(pod);
  return true;
}

void KaiJob::Redirect() {
  if (!knows_next_) return;
  for (KaiPod*& pod : next_) pod = Find(pod->task);
}

int KaiJob::CountActiveUsed() const {
  int count = 0;
  for (const KaiPod* pod : pods_) count += pod != nullptr && IsActiveUsed(pod->status);
  return count;
}

int KaiJob::CountAllocated() const {
  int count = 0;
  for (const KaiPod* pod : pods_) count += pod != nullptr && IsAllocatedForGang(pod->status);
  return count;
}

bool KaiJob::HasToAllocate(bool real) const {
  for (const KaiPod* pod : pods_) {
    if (pod != nullptr && pod->ToAllocate(real)) return true;
  }
  return false;
}

int32_t KaiJob::MembersToSatisfy(uint32_t group) const {
  if (groups_[group].minimum >= 0) return groups_[group].minimum;
  const KaiGroup& own = own_->groups[group];
  return static_cast<int32_t>(own.sets.size() + own.pod_sets.size());
}

int32_t KaiJob::ActiveMembers(uint32_t group) const {
  const KaiGroup& own = own_->groups[group];
  if (own.is_pod_set) return groups_[group].counts.active_allocated;
  int32_t count = 0;
  for (const uint32_t set : own.sets) count += IsSatisfied(set);
  for (const uint32_t set : own.pod_sets) {
    count += groups_[set].counts.active_allocated >= groups_[set].minimum;
  }
  return count;
}

bool KaiJob::IsReady(uint32_t group) const {
  const KaiGroup& own = own_->groups[group];
  if (own.is_pod_set) {
    return groups_[group].counts.alive - groups_[group].counts.gated >= groups_[group].minimum;
  }
  int32_t ready = 0;
  for (const uint32_t member : own.sets) ready += IsReady(member);
  for (const uint32_t member : own.pod_sets) ready += IsReady(member);
  return ready >= MembersToSatisfy(group);
}

bool KaiJob::IsGangSatisfied() const {
  return std::ranges::all_of(own_->pod_sets, [&](uint32_t set) {
    return groups_[set].counts.active_used >= groups_[set].minimum;
  });
}

bool KaiJob::IsElastic() const {
  return std::ranges::any_of(own_->pod_sets, [&](uint32_t set) {
    return groups_[set].minimum < groups_[set].counts.pods;
  });
}

bool KaiJob::IsStale() const {
  if (CountOf(KaiStatus::kSucceeded) > 0 || CountActiveUsed() == 0) return false;
  return !IsGangSatisfied();
}

bool KaiJob::ShouldPipeline() const {
  for (const uint32_t set : own_->pod_sets) {
    bool pipelined = false;
    int32_t active = 0;
    for (const KaiPod* pod : pods_) {
      if (pod == nullptr || facts_->tasks[pod->task].pod_set != set) continue;
      if (pod->status == KaiStatus::kPipelined) {
        pipelined = true;
      } else if (IsActiveAllocated(pod->status)) {
        ++active;
      }
    }
    if (pipelined && active < groups_[set].minimum) return true;
  }
  return false;
}

int KaiJob::CompareToMinimum() const {
  bool below = false, exactly = true;
  for (const uint32_t set : own_->pod_sets) {
    below |= groups_[set].counts.active_allocated < groups_[set].minimum;
    exactly &= groups_[set].counts.active_allocated == groups_[set].minimum;
  }
  at_minimum_ = static_cast<int8_t>(below ? -1 : exactly ? 0 : 1);
  return *at_minimum_;
}

KaiPod* KaiArena::Clone(const KaiPod& pod) {
  if (used_pods_ == pods_.size()) pods_.emplace_back();
  KaiPod& copy = pods_[used_pods_++];
  copy = pod;
  return &copy;
}

KaiJob* KaiArena::Clone(const KaiJob& job, std::span<KaiPod* const> pods) {
  if (used_jobs_ == jobs_.size()) jobs_.emplace_back(job);
  KaiJob& copy = jobs_[used_jobs_++];
  copy.Become(job);
  for (const KaiPod* pod : pods) copy.Add(Clone(*pod));
  return &copy;
}

}  // namespace muster
