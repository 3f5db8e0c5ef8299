// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/pending.h"

#include <algorithm>
#include <utility>

#include "lib/kube/selectors.h"

namespace muster::kueue {

PendingQueue::Key PendingQueue::KeyOf(WorkloadIndex w) const {
  const WorkloadRow& row = world_->workloads[w];
  return {row.priority, row.queue_time, row.uid_rank, w};
}

uint64_t PendingQueue::BucketKey(WorkloadIndex w) const {
  const WorkloadRow& row = world_->workloads[w];
  return uint64_t{row.hash} << 32 | (usage_ == nullptr ? 0 : row.local_queue);
}

uint32_t PendingQueue::BucketOf(WorkloadIndex w) {
  const uint64_t key = BucketKey(w);
  const auto [at, is_new] = bucket_of_.emplace(key, static_cast<uint32_t>(buckets_.size()));
  if (is_new) buckets_.emplace_back().local_queue = static_cast<uint32_t>(key);
  return at->second;
}

const PendingQueue::Bucket* PendingQueue::FindBucket(WorkloadIndex w) const {
  const auto at = bucket_of_.find(BucketKey(w));
  return at == bucket_of_.end() ? nullptr : &buckets_[at->second];
}

bool PendingQueue::MayBeTried(WorkloadIndex w) const {
  const WorkloadRow& row = world_->workloads[w];
  return row.may_retry && (!row.retry_at || world_->now >= *row.retry_at);
}

bool PendingQueue::Choosy() const {
  const QueueRow& queue = world_->queues[queue_];
  return queue.no_namespace || queue.namespaces.has_value();
}

bool PendingQueue::MayReturn(WorkloadIndex w) const {
  const QueueRow& queue = world_->queues[queue_];
  if (queue.no_namespace) return false;
  if (queue.namespaces && !Matches(*queue.namespaces, world_->workloads[w].space_labels)) {
    return false;
  }
  return MayBeTried(w);
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
  if (in_flight_ == w) in_flight_ = kNothing;
  if (Remembers(w) || !MayBeTried(w)) {
    PutAside(w);
  } else {
    Activate(w);
  }
}

bool PendingQueue::StickyIsActive() const {
  if (!preemptor_.sticky || preemptor_.workload == kNothing) return false;
  return PlaceOf(preemptor_.workload) == Place::kActive;
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
  in_flight_ = kNothing;
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
  in_flight_ = first;
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
  if (in_flight_ == w) in_flight_ = kNothing;
  const Place place = PlaceOf(w);
  if (place == Place::kActive) return false;
  const bool at_once = strict ? reason != RequeueReason::kNamespaceMismatch
                              : reason == RequeueReason::kFailedAfterNomination ||
                                    reason == RequeueReason::kPendingPreemption ||
                                    reason == RequeueReason::kPendingMigration ||
                                    reason == RequeueReason::kPreemptionFailed;
  if (MayBeTried(w) &&
      (at_once || return_cycle >= pop_cycle || (row.progress && row.progress->Pending()))) {
    if (place == Place::kAside) Leave(w);
    Activate(w);
    return true;
  }
  if (place == Place::kAside) return false;
  PutAside(w);
  if (reason == RequeueReason::kNoFit || reason == RequeueReason::kPreemptionNoCandidates) {
    Remember(w);
  }
  return false;
}

size_t PendingQueue::Remember(WorkloadIndex w) {
  const WorkloadRow& row = world_->workloads[w];
  if (world_->queues[queue_].strict || row.hash == kNothing) return 0;
  BucketOf(w);  // is remembered, too, if it holds nothing yet
  const uint64_t hash = uint64_t{row.hash} << 32;
  const size_t before = active_count_;
  for (auto at = bucket_of_.lower_bound(hash);
       at != bucket_of_.end() && at->first >> 32 == row.hash; ++at) {
    buckets_[at->second].remembered = true;
    remembered_.insert(at->second);
    SetAside(at->second);
  }
  return before - active_count_;
}

bool PendingQueue::Remembers(WorkloadIndex w) const {
  const Bucket* bucket = FindBucket(w);
  return bucket != nullptr && bucket->remembered;
}

PendingQueue::Place PendingQueue::PlaceOf(WorkloadIndex w) const {
  if (in_flight_ == w) return Place::kInFlight;
  const Bucket* bucket = FindBucket(w);
  if (bucket == nullptr) return Place::kNowhere;
  if (bucket->active.contains(KeyOf(w))) return Place::kActive;
  return bucket->aside.contains(KeyOf(w)) ? Place::kAside : Place::kNowhere;
}

PendingQueue::Place PendingQueue::Leave(WorkloadIndex w) {
  const Place place = PlaceOf(w);
  if (place != Place::kActive && place != Place::kAside) return place;
  if (place == Place::kAside && !MayBeTried(w) && barred_ > 0) --barred_;
  Edit(BucketOf(w), [&](Bucket& bucket) {
    bucket.active.erase(KeyOf(w));
    bucket.aside.erase(KeyOf(w));
  });
  return place;
}

void PendingQueue::Enter(WorkloadIndex w, Place was, bool may_help) {
  if (was == Place::kInFlight) return;
  if (was == Place::kActive) {
    if (!MayBeTried(w)) ++barred_;  // once it is aside
    return Activate(w);
  }
  if (was == Place::kAside && !may_help) return PutAside(w);
  Push(w);
}

size_t PendingQueue::Return() {
  return_cycle = pop_cycle;
  for (const uint32_t b : remembered_) buckets_[b].remembered = false;
  remembered_.clear();
  const size_t before = active_count_;
  size_t still_barred = 0;
  const bool all = barred_ == 0 && !Choosy();
  const std::vector<uint32_t> waiting(with_aside_.begin(), with_aside_.end());
  for (const uint32_t b : waiting) {
    Edit(b, [&](Bucket& bucket) {
      if (all) {
        if (bucket.active.size() < bucket.aside.size()) std::swap(bucket.aside, bucket.active);
        bucket.active.insert(bucket.aside.begin(), bucket.aside.end());
        bucket.aside.clear();
        return;
      }
      for (auto at = bucket.aside.begin(); at != bucket.aside.end();) {
        if (!MayReturn(at->workload)) {
          if (!MayBeTried(at->workload)) ++still_barred;
          ++at;
          continue;
        }
        bucket.active.insert(*at);
        at = bucket.aside.erase(at);
      }
    });
  }
  barred_ = still_barred;
  return active_count_ - before;
}

void PendingQueue::Delete(WorkloadIndex w) {
  if (preemptor_.workload == w) preemptor_ = {};
  if (in_flight_ == w) in_flight_ = kNothing;
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
