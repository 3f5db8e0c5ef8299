// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/pending.h"

#include <algorithm>
#include <utility>

namespace muster::kueue {

PendingQueue::Key PendingQueue::KeyOf(WorkloadIndex w) const {
  const WorkloadRow& row = world_->workloads[w];
  return {row.priority, row.queue_time, row.uid_rank, w};
}

uint32_t PendingQueue::BucketOf(WorkloadIndex w) {
  const WorkloadRow& row = world_->workloads[w];
  const uint32_t local = usage_ == nullptr ? 0 : row.local_queue;
  const uint64_t key = uint64_t{row.hash} << 32 | local;
  const auto [at, is_new] = bucket_of_.emplace(key, static_cast<uint32_t>(buckets_.size()));
  if (is_new) buckets_.emplace_back().local_queue = local;
  return at->second;
}

bool PendingQueue::MayBeTried(WorkloadIndex w) const {
  const WorkloadRow& row = world_->workloads[w];
  return row.may_retry && (!row.retry_at || world_->now >= *row.retry_at);
}

template <class Change>
void PendingQueue::Edit(uint32_t b, Change change) {
  Bucket& bucket = buckets_[b];
  const std::optional<Key> before =
      bucket.active.empty() ? std::nullopt : std::optional<Key>(*bucket.active.begin());
  active_count_ -= bucket.active.size();
  change(bucket);
  active_count_ += bucket.active.size();
  const bool same =
      before && !bucket.active.empty() && before->workload == bucket.active.begin()->workload;
  if (!same) {
    if (before) fronts_.erase({*before, b});
    if (!bucket.active.empty()) fronts_.insert({*bucket.active.begin(), b});
  }
  if (bucket.aside.empty()) {
    with_aside_.erase(b);
  } else {
    with_aside_.insert(b);
  }
}

void PendingQueue::Activate(WorkloadIndex w) {
  Edit(BucketOf(w), [&](Bucket& bucket) { bucket.active.insert(KeyOf(w)); });
}

void PendingQueue::PutAside(WorkloadIndex w) {
  if (!MayBeTried(w)) ++barred_;
  Edit(BucketOf(w), [&](Bucket& bucket) { bucket.aside.insert(KeyOf(w)); });
}

void PendingQueue::Push(WorkloadIndex w) {
  const Bucket& bucket = buckets_.empty() ? Bucket() : buckets_[BucketOf(w)];
  if (bucket.remembered || !MayBeTried(w)) {
    PutAside(w);
  } else {
    Activate(w);
  }
}

bool PendingQueue::StickyIsActive() const {
  if (!preemptor_.sticky || preemptor_.workload == kNothing) return false;
  const WorkloadRow& row = world_->workloads[preemptor_.workload];
  const uint32_t local = usage_ == nullptr ? 0 : row.local_queue;
  const auto at = bucket_of_.find(uint64_t{row.hash} << 32 | local);
  return at != bucket_of_.end() && buckets_[at->second].active.contains(KeyOf(preemptor_.workload));
}

bool PendingQueue::Before(WorkloadIndex a, WorkloadIndex b) const {
  if (usage_ != nullptr) {
    const double x = (*usage_)[world_->workloads[a].local_queue];
    const double y = (*usage_)[world_->workloads[b].local_queue];
    if (x != y) return x < y;
  }
  if (preemptor_.sticky && (a == preemptor_.workload) != (b == preemptor_.workload)) {
    return a == preemptor_.workload;
  }
  return KeyOf(a) < KeyOf(b);
}

WorkloadIndex PendingQueue::Pop() {
  ++pop_cycle;
  if (active_count_ == 0) return kNothing;
  WorkloadIndex first = fronts_.begin()->key.workload;
  const bool sticky = StickyIsActive();
  if (sticky && usage_ == nullptr) first = preemptor_.workload;
  if (usage_ != nullptr) {
    for (const Front& front : fronts_) {
      if (Before(front.key.workload, first)) first = front.key.workload;
    }
    if (sticky && Before(preemptor_.workload, first)) first = preemptor_.workload;
  }
  Edit(BucketOf(first), [&](Bucket& bucket) { bucket.active.erase(KeyOf(first)); });
  return first;
}

void PendingQueue::SetAside(uint32_t b) {
  Edit(b, [&](Bucket& bucket) {
    if (bucket.aside.size() < bucket.active.size()) std::swap(bucket.aside, bucket.active);
    bucket.aside.insert(bucket.active.begin(), bucket.active.end());
    bucket.active.clear();
  });
}

bool PendingQueue::Requeue(WorkloadIndex w, RequeueReason reason) {
  const WorkloadRow& row = world_->workloads[w];
  const bool strict = world_->queues[queue_].strict;
  if (reason == RequeueReason::kPendingPreemption || reason == RequeueReason::kPendingMigration) {
    preemptor_ = {w, row.generation, !strict};
  }
  const bool at_once = strict ? reason != RequeueReason::kNamespaceMismatch
                              : reason == RequeueReason::kFailedAfterNomination ||
                                    reason == RequeueReason::kPendingPreemption ||
                                    reason == RequeueReason::kPendingMigration ||
                                    reason == RequeueReason::kPreemptionFailed;
  if (MayBeTried(w) &&
      (at_once || return_cycle >= pop_cycle || (row.progress && row.progress->Pending()))) {
    Activate(w);
    return true;
  }
  PutAside(w);
  if (!strict && row.hash != kNothing &&
      (reason == RequeueReason::kNoFit || reason == RequeueReason::kPreemptionNoCandidates)) {
    const uint64_t hash = uint64_t{row.hash} << 32;
    for (auto at = bucket_of_.lower_bound(hash);
         at != bucket_of_.end() && at->first >> 32 == row.hash; ++at) {
      buckets_[at->second].remembered = true;
      remembered_.insert(at->second);
      SetAside(at->second);
    }
  }
  return false;
}

bool PendingQueue::Return() {
  return_cycle = pop_cycle;
  for (const uint32_t b : remembered_) buckets_[b].remembered = false;
  remembered_.clear();
  bool any = false;
  size_t still_barred = 0;
  const std::vector<uint32_t> waiting(with_aside_.begin(), with_aside_.end());
  for (const uint32_t b : waiting) {
    Edit(b, [&](Bucket& bucket) {
      if (barred_ == 0) {
        if (bucket.active.size() < bucket.aside.size()) std::swap(bucket.aside, bucket.active);
        bucket.active.insert(bucket.aside.begin(), bucket.aside.end());
        bucket.aside.clear();
        any = true;
        return;
      }
      for (auto at = bucket.aside.begin(); at != bucket.aside.end();) {
        if (!MayBeTried(at->workload)) {
          ++at;
          ++still_barred;
          continue;
        }
        bucket.active.insert(*at);
        at = bucket.aside.erase(at);
        any = true;
      }
    });
  }
  barred_ = still_barred;
  return any;
}

void PendingQueue::Delete(WorkloadIndex w) {
  if (preemptor_.workload == w) preemptor_ = {};
  Edit(BucketOf(w), [&](Bucket& bucket) {
    bucket.active.erase(KeyOf(w));
    bucket.aside.erase(KeyOf(w));
  });
}

std::vector<WorkloadIndex> PendingQueue::Active() const {
  std::vector<WorkloadIndex> list;
  for (const Bucket& bucket : buckets_) {
    for (const Key& key : bucket.active) list.push_back(key.workload);
  }
  std::sort(list.begin(), list.end(),
            [&](WorkloadIndex a, WorkloadIndex b) { return Before(a, b); });
  return list;
}

std::vector<WorkloadIndex> PendingQueue::Inadmissible() const {
  std::vector<WorkloadIndex> list;
  for (const Bucket& bucket : buckets_) {
    for (const Key& key : bucket.aside) list.push_back(key.workload);
  }
  return list;
}

}  // namespace muster::kueue
