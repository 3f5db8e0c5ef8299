// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What queues count, up the tree: pending, allocated and preempting amounts, applications,
// priorities; and what follows from that: headroom, limits, fair limits.
#include <algorithm>
#include <limits>

#include "lib/base/math.h"
#include "lib/peer/yunikorn/partition.h"
#include "lib/peer/yunikorn/properties.h"

namespace muster::yunikorn {
namespace {

int32_t Export(const Queue& queue) {
  if (queue.priority == kLeastPriority) return kLeastPriority;
  if (queue.rules.priority_fence) return queue.rules.priority_offset;
  const int64_t sum = int64_t{queue.priority} + queue.rules.priority_offset;
  return static_cast<int32_t>(std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

}  // namespace

void Priorities::Add(int32_t priority) {
  const auto at = std::ranges::lower_bound(counts_, priority, {}, &std::pair<int32_t, int>::first);
  if (at != counts_.end() && at->first == priority) {
    ++at->second;
  } else {
    counts_.insert(at, {priority, 1});
  }
}

void Priorities::Remove(int32_t priority) {
  const auto at = std::ranges::lower_bound(counts_, priority, {}, &std::pair<int32_t, int>::first);
  if (at == counts_.end() || at->first != priority) return;
  if (--at->second == 0) counts_.erase(at);
}

size_t Priorities::size() const {
  size_t sum = 0;
  for (const auto& [priority, count] : counts_) sum += static_cast<size_t>(count);
  return sum;
}

// --- properties

void Partition::MergeProperties(Index index) {
  Queue& queue = queues[index];
  Texts merged;
  for (const auto& [key, value] : queues[queue.parent].properties) {
    merged[key] = InheritedValue(key, value);
  }
  for (const auto& [key, value] : queue.properties) merged[key] = value;
  queue.properties = std::move(merged);
}

void Partition::ReadProperties(Index index, const Resource& old_most) {
  Queue& queue = queues[index];
  if (queue.path == kRecoveryQueue) {
    queue.rules.sort = SortPolicy::kFifo;
    return;
  }
  const Nanos old_delay = queue.rules.quota_preemption_delay;
  queue.rules = ReadRules(queue.properties, queue.leaf);
  SetQuotaStart(queue, old_most, old_delay);
  child_orders_[index].Invalidate();
  application_orders_[index].Invalidate();
}

// When preemption over the queue's limit begins: some time after the limit was lowered below what
// is used. A change of the delay moves a time that is set.
void Partition::SetQuotaStart(Queue& queue, const Resource& old_most, Nanos old_delay) {
  const Nanos delay = queue.rules.quota_preemption_delay;
  Nanos& start = queue.quota_preemption_start;
  if (delay == 0 || IsZero(queue.most) || AtLeastOnlyExisting(queue.most, queue.allocated)) {
    start = kNever;
    return;
  }
  const bool same = Equals(old_most, queue.most);
  const bool lowered = Above(old_most, queue.most);
  if (start == kNever) {
    if ((same && old_delay == 0) || (!same && lowered)) start = SatAdd(now, delay);
  } else if (old_delay != delay && (same || lowered || Above(queue.most, old_most))) {
    start = SatAdd(start, SatSub(delay, old_delay));
  }
}

void Partition::RestoreQuotaStart(Index queue, Nanos start, const Resource& old_most,
                                  Nanos old_delay) {
  queues[queue].quota_preemption_start = start;
  SetQuotaStart(queues[queue], old_most, old_delay);
}

// --- amounts

void Partition::Touched(Index queue) {
  const Index parent = queues[queue].parent;
  if (parent != kNone) child_orders_[parent].Touch(queue);
}

void Partition::TouchedApplication(Index application) {
  const Application& app = applications[application];
  if (app.in_queue) application_orders_[app.queue].Touch(application);
}

void Partition::IncPending(Index index, const Resource& delta) {
  for (; index != kNone; index = queues[index].parent) {
    Queue& queue = queues[index];
    queue.pending.AddTo(delta);
    queue.has_pending = AboveZero(queue.pending);
    Touched(index);
  }
}

void Partition::DecPending(Index index, const Resource& delta) {
  if (delta.nil()) return;
  for (; index != kNone; index = queues[index].parent) {
    Queue& queue = queues[index];
    if (!queue.pending.SubToZero(delta)) queue.pending.Prune();
    queue.has_pending = AboveZero(queue.pending);
    Touched(index);
  }
}

// Whether `queue` may allocate `delta` more, by the types of `delta`. Root has no types but those
// of nodes.
bool Partition::FitsQueue(const Queue& queue, const Resource& delta) {
  for (int type : delta.types()) {
    if (queue.parent != kNone && !queue.most.Has(type)) continue;
    const Quantity sum = AddSaturating(delta.Get(type), queue.allocated.Get(type));
    if (sum > std::max<Quantity>(0, queue.most.Get(type))) return false;
  }
  return true;
}

bool Partition::FitsQueues(Index index, const Resource& delta) const {
  for (; index != kNone; index = queues[index].parent) {
    if (!FitsQueue(queues[index], delta)) return false;
  }
  return true;
}

bool Partition::TryIncAllocated(Index index, const Resource& delta) {
  if (!FitsQueues(index, delta)) return false;
  CountAllocated(index, delta);
  return true;
}

void Partition::CountAllocated(Index index, const Resource& delta) {
  for (; index != kNone; index = queues[index].parent) {
    queues[index].allocated.AddTo(delta);
    queues[index].share_epoch = 0;
    Touched(index);
  }
}

void Partition::IncAllocated(Index index, const Resource& delta) {
  for (; index != kNone; index = queues[index].parent) {
    Queue& queue = queues[index];
    queue.allocated.AddTo(delta);
    queue.share_epoch = 0;
    Touched(index);
    const Nanos delay = queue.rules.quota_preemption_delay;
    if (!quota_preemption || queue.quota_preemption_start != kNever || !queue.managed ||
        delay == 0 || IsZero(queue.most) || AtLeastOnlyExisting(queue.most, queue.allocated)) {
      continue;
    }
    queue.quota_preemption_start = SatAdd(now, delay);
  }
}

bool Partition::DecAllocated(Index index, const Resource& delta) {
  for (Index i = index; i != kNone; i = queues[i].parent) {
    if (!FitsIn(queues[i].allocated, delta)) return false;
  }
  for (Index i = index; i != kNone; i = queues[i].parent) {
    queues[i].allocated.SubFrom(delta);
    queues[i].allocated.Prune();
    queues[i].share_epoch = 0;
    Touched(i);
  }
  return true;
}

void Partition::IncPreempting(Index index, const Resource& delta) {
  for (; index != kNone; index = queues[index].parent) queues[index].preempting.AddTo(delta);
}

void Partition::DecPreempting(Index index, const Resource& delta) {
  for (; index != kNone; index = queues[index].parent) {
    queues[index].preempting.SubFrom(delta);
    queues[index].preempting.Prune();
  }
}

// --- applications

bool Partition::CanRun(Index index, Index application) const {
  for (; index != kNone; index = queues[index].parent) {
    const Queue& queue = queues[index];
    if (queue.most_applications == 0 || queue.allocating.contains(applications[application].id))
      continue;
    if (queue.running + queue.allocating.size() + 1 > queue.most_applications) return false;
  }
  return true;
}

void Partition::IncRunning(Index index, Index application) {
  for (; index != kNone; index = queues[index].parent) {
    Queue& queue = queues[index];
    queue.allocating.erase(applications[application].id);
    ++queue.running;
    if (queue.most_applications > 0)
      queue.running = std::min(queue.running, queue.most_applications);
  }
}

void Partition::DecRunning(Index index) {
  for (; index != kNone; index = queues[index].parent) {
    if (queues[index].running > 0) --queues[index].running;
  }
}

void Partition::SetAllocating(Index index, Index application) {
  for (; index != kNone; index = queues[index].parent) {
    queues[index].allocating.insert(applications[application].id);
  };
}

// --- priorities

int32_t Partition::ExportedPriority(Index queue) const { return Export(queues[queue]); }

// Tells the queue an application's priority. One that the queue does not list changes nothing
// there, but the queue's parent gets the plain priority.
void Partition::CountPriority(Index application) {
  Application& app = applications[application];
  TouchedApplication(application);
  if (app.queue == kNone || !queues[app.queue].leaf) return;
  if (app.in_queue) {
    Priorities& priorities = queues[app.queue].priorities;
    if (!app.priority_counted || app.counted_priority != app.priority) {
      if (app.priority_counted) priorities.Remove(app.counted_priority);
      app.counted_priority = app.priority;
      app.priority_counted = true;
      priorities.Add(app.priority);
    }
    PassPriority(app.queue);
  }
}

void Partition::ForgetPriority(Index application) {
  Application& app = applications[application];
  if (app.priority_counted) queues[app.queue].priorities.Remove(app.counted_priority);
  app.priority_counted = false;
  PassPriority(app.queue);
}

// Computes the queue's priority and passes it up the tree.
void Partition::PassPriority(Index index) {
  for (; index != kNone; index = queues[index].parent) {
    Queue& queue = queues[index];
    queue.priority = queue.priorities.Largest();
    if (queue.parent == kNone) return;
    const int32_t exported = Export(queue);
    Touched(index);
    if (!queue.priority_counted || queue.counted_priority != exported) {
      Priorities& above = queues[queue.parent].priorities;
      if (queue.priority_counted) above.Remove(queue.counted_priority);
      above.Add(exported);
      queue.counted_priority = exported;
      queue.priority_counted = true;
    }
  }
}

// --- limits

Resource Partition::HeadroomBelow(const Queue& queue, const Resource& parent) const {
  if (queue.most.nil()) return parent;
  Resource headroom = SubOnlyExisting(queue.most, queue.allocated);
  return parent.nil() ? headroom : Min(headroom, parent);
}

Resource Partition::Headroom(Index index) const {
  Resource headroom = Resource::Nil();
  for (; index != kNone; index = queues[index].parent) {
    if (queues[index].most.nil()) continue;
    headroom = HeadroomBelow(queues[index], headroom);
  }
  return headroom;
}

Resource Partition::MaxHeadroom(Index index) const {
  Resource headroom = Resource::Nil();
  for (; queues[index].parent != kNone; index = queues[index].parent) {
    headroom = HeadroomBelow(queues[index], headroom);
  }
  return headroom;
}

Resource Partition::MaxBelow(const Queue& queue, const Resource& parent) const {
  return Min(parent, queue.most);
}

Resource Partition::MaxResource(Index index) const {
  Resource most = Resource::Nil();
  for (; index != kNone; index = queues[index].parent) most = MaxBelow(queues[index], most);
  return most;
}

Resource Partition::MaxQueueSet(Index index) const {
  Resource most = Resource::Nil();
  for (; queues[index].parent != kNone; index = queues[index].parent) {
    most = MaxBelow(queues[index], most);
  }
  return most;
}

// Limits of children replace those of parents, even smaller ones.
Resource Partition::FairMax(Index index) const {
  std::vector<Index> path;
  for (Index i = index; i != kNone; i = queues[i].parent) path.push_back(i);
  Resource most = queues[path.back()].most;
  for (size_t i = path.size() - 1; i-- > 0;) {
    const Resource& own = queues[path[i]].most;
    if (most.empty()) continue;
    for (int type : own.types()) most.Set(type, own.Get(type));
  }
  return most;
}

Resource Partition::ActualGuaranteed(Index index) const {
  Resource guaranteed;
  for (; index != kNone; index = queues[index].parent) {
    guaranteed = Min(guaranteed, queues[index].guaranteed);
  }
  return guaranteed;
}

// The cluster's size, which is root's limit.
void Partition::AddTotal(const Resource& delta) {
  if (total.nil()) {
    total = delta;
  } else {
    total.AddTo(delta);
  }
  total.Prune();
  queues[0].most = AboveZero(total) ? total : Resource::Nil();
  ++epoch_;
}

}  // namespace muster::yunikorn
