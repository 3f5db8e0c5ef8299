// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// capacity: what each queue deserves and may hold at most is given. Limits bound what is taken.
// What is deserved decides the order of queues, which queue may take from others, and which loses.
//
// A name that is missing from an amount is not a zero. In a tree each queue has the list of the
// queues above it, and what an inner queue holds is summed over all leaves at each question. Its
// share is that of the beginning of the cycle, because events update the share of the leaf only.
#include <algorithm>
#include <limits>
#include <map>

#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

// What capacity knows of a queue.
struct CapacityBook {
  bool known = false;
  Amount deserved, guarantee, capability, limit, elastic, inqueue;
  std::vector<QueueIndex> ancestors;  // from the root down to its parent
  bool leaf = true;
  double share_at_open = 0;
};

// Of all queues; `ready`: the queues make the tree that the policy needs.
struct CapacityBooks {
  std::vector<CapacityBook> queues;
  bool ready = false;
};

CapacityBooks& Capacity(Cycle& cycle) { return cycle.kept.Of<CapacityBooks>(); }
const CapacityBooks& Capacity(const Cycle& cycle) { return cycle.kept.Of<CapacityBooks>(); }

constexpr double kLargest = std::numeric_limits<double>::max();

bool HasTree(const ReferencePolicy& policy) {
  return SwitchOption(policy.options, "hierarchy", false);
}

// What all jobs in the queue and below it hold.
Amount HeldBy(const Cycle& cycle, QueueIndex queue) {
  Row sum = cycle.world.queue_allocated[queue];
  for (QueueIndex q = 0; q < Capacity(cycle).queues.size(); ++q) {
    const auto& above = Capacity(cycle).queues[q].ancestors;
    if (std::find(above.begin(), above.end(), queue) != above.end())
      AddTo(sum, cycle.world.queue_allocated[q], 1);
  }
  return AmountOfBooks(sum);
}

double ShareOfQueue(const Cycle& cycle, QueueIndex queue) {
  const Amount& deserved = Capacity(cycle).queues[queue].deserved;
  if (IsEmpty(deserved)) return 1;
  const Amount held = HeldBy(cycle, queue);
  double share = 0;
  for (size_t d : PositiveDimensions(deserved))
    share = std::max(share, ShareOf(held.value[d], deserved.value[d]));
  return share;
}

void OpenFlat(Cycle& cycle) {
  Amount guaranteed(cycle.world.dimensions());
  for (const CapacityBook& book : Capacity(cycle).queues) {
    if (book.known) guaranteed = Plus(guaranteed, book.guarantee);
  }
  for (CapacityBook& book : Capacity(cycle).queues) {
    for (size_t d : {size_t{kCpu}, size_t{kMemory}}) {
      if (book.capability.value[d] <= 0) book.capability.value[d] = kLargest;
    }
    const Amount base = Plus(ExceededPart(cycle.total, guaranteed), book.guarantee);
    book.limit = MinDimension(base, book.capability, Missing::kInfinite);
    book.deserved = MinDimension(book.deserved, book.limit, Missing::kInfinite);
    book.deserved = MaxOf(book.deserved, book.guarantee);
  }
}

std::vector<QueueIndex> ChildrenOf(const Cycle& cycle, QueueIndex queue) {
  std::vector<QueueIndex> children;
  for (QueueIndex q = 0; q < Capacity(cycle).queues.size(); ++q) {
    const auto& above = Capacity(cycle).queues[q].ancestors;
    if (!above.empty() && above.back() == queue) children.push_back(q);
  }
  return children;
}

void Inherit(Amount& own, const Amount& parent) {
  for (size_t d = 0; d < own.value.size(); ++d) {
    const bool missing = IsScalar(d) ? !own.present[d] : own.value[d] <= 0;
    if (missing && (!IsScalar(d) || parent.present[d])) own.set(d, parent.value[d]);
  }
}

void OpenBelow(Cycle& cycle, QueueIndex queue) {
  const std::vector<QueueIndex> children = ChildrenOf(cycle, queue);
  CapacityBook& book = Capacity(cycle).queues[queue];
  Amount guaranteed(cycle.world.dimensions()), deserved(cycle.world.dimensions());
  for (QueueIndex q : children) {
    CapacityBook& child = Capacity(cycle).queues[q];
    child.deserved = MaxOf(child.deserved, child.guarantee);
    deserved = Plus(deserved, child.deserved);
    guaranteed = Plus(guaranteed, child.guarantee);
    Inherit(child.capability, book.capability);
  }
  if (book.ancestors.empty()) {
    book.guarantee = guaranteed;
    book.deserved = deserved;
  }
  for (QueueIndex q : children) {
    CapacityBook& child = Capacity(cycle).queues[q];
    const Amount base = Plus(ExceededPart(book.limit, guaranteed), child.guarantee);
    child.limit = MinDimension(base, child.capability, Missing::kInfinite);
    OpenBelow(cycle, q);
  }
}

// False: the queues are no tree below "root" with all jobs in leaves.
bool OpenHierarchy(Cycle& cycle) {
  const QueueTable& queues = cycle.tables().queues;
  QueueIndex root = kNone;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.spec[q].name == "root") root = q;
  }
  if (root == kNone || queues.parent[root] != kNone) return false;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q] || q == root) continue;
    auto& above = Capacity(cycle).queues[q].ancestors;
    for (QueueIndex p = q; p != root;) {
      p = queues.parent[p] == kNone ? root : queues.parent[p];
      above.insert(above.begin(), p);
      Capacity(cycle).queues[p].leaf = false;
    }
  }
  for (JobIndex j : cycle.world.session_jobs()) {
    if (!Capacity(cycle).queues[cycle.tables().jobs.queue[j]].leaf) return false;
  }
  CapacityBook& book = Capacity(cycle).queues[root];
  if (IsEmpty(book.capability)) {
    book.capability = Amount(cycle.world.dimensions());
    for (size_t d = 0; d < cycle.world.dimensions(); ++d) {
      if (!IsScalar(d)) book.capability.set(d, kLargest);
      if (IsScalar(d) && cycle.total.present[d]) {
        book.capability.set(d, static_cast<double>(std::numeric_limits<int64_t>::max()));
      }
    }
  }
  book.limit = book.capability;
  OpenBelow(cycle, root);
  return true;
}

// The queue and all above it.
std::vector<QueueIndex> PathOf(const Cycle& cycle, QueueIndex queue) {
  std::vector<QueueIndex> path = Capacity(cycle).queues[queue].ancestors;
  path.push_back(queue);
  return path;
}

// The index of the last queue that the two ways down have in common; 0 if they have none.
size_t LevelOf(const Cycle& cycle, QueueIndex l, QueueIndex r) {
  const auto& left = Capacity(cycle).queues[l].ancestors;
  const auto& right = Capacity(cycle).queues[r].ancestors;
  size_t level = 0;
  for (size_t i = 0; i < std::min(left.size(), right.size()) && left[i] == right[i]; ++i) level = i;
  return level;
}

// At a distance of 1 its parent; nullopt: there is none, or it is the root.
std::optional<QueueIndex> AncestorAt(const Cycle& cycle, QueueIndex queue, size_t distance) {
  const auto& above = Capacity(cycle).queues[queue].ancestors;
  if (above.size() < distance + 1) return std::nullopt;
  return above[above.size() - distance];
}

size_t Levels(const Cycle& cycle, const ReferencePolicy& policy) {
  if (!HasTree(policy)) return 0;
  // No queue is deeper than there are queues.
  return static_cast<size_t>(std::min(NumberOption(policy, "ancestor_reclaim_level", 0),
                                      static_cast<double>(Capacity(cycle).queues.size())));
}

double CapacityShareNow(const Cycle& cycle, QueueIndex queue) {
  const CapacityBook& book = Capacity(cycle).queues[queue];
  if (!Capacity(cycle).ready || !book.known) return 0;
  return book.leaf ? ShareOfQueue(cycle, queue) : book.share_at_open;
}

int CompareBooks(const Cycle& cycle, QueueIndex l, QueueIndex r) {
  const double left = CapacityShareNow(cycle, l), right = CapacityShareNow(cycle, r);
  if (left != right) return left < right ? -1 : 1;
  const bool left_has = !IsEmpty(Capacity(cycle).queues[l].deserved);
  const bool right_has = !IsEmpty(Capacity(cycle).queues[r].deserved);
  if (left_has == right_has) return 0;
  return left_has ? -1 : 1;
}

bool MayTake(const Amount& future, const Amount& deserved, const Amount& request) {
  return !RequestedWithin(future, deserved, WithoutUnused(request, future, deserved)).empty();
}

bool MayLose(const Amount& held, const Amount& deserved, const Amount& request) {
  return CommonDimensions(request, deserved).empty() ||
         !RequestedBeyond(held, deserved, OnlyNamed(request, deserved)).empty();
}

bool ShareAnAncestor(const Cycle& cycle, QueueIndex l, QueueIndex r, size_t levels) {
  for (size_t i = 1; i <= levels; ++i) {
    for (size_t k = 1; k <= levels; ++k) {
      const auto left = AncestorAt(cycle, l, i), right = AncestorAt(cycle, r, k);
      if (left && right && *left == *right) return true;
    }
  }
  return false;
}

void OpenCapacity(Cycle& cycle, const ReferencePolicy& policy) {
  const QueueTable& queues = cycle.tables().queues;
  CapacityBook empty;
  for (Amount* amount : {&empty.deserved, &empty.guarantee, &empty.capability, &empty.limit,
                         &empty.elastic, &empty.inqueue}) {
    *amount = Amount(cycle.world.dimensions());
  }
  Capacity(cycle).queues.assign(queues.alive.size(), empty);
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    CapacityBook& book = Capacity(cycle).queues[q];
    if (!queues.alive[q]) continue;
    book.known = true;
    book.deserved = AmountOf(queues.deserved.row(q));
    book.guarantee = AmountOf(queues.guaranteed.row(q));
    book.capability = AmountOf(queues.limit.row(q));
  }
  Capacity(cycle).ready = true;
  if (HasTree(policy)) {
    Capacity(cycle).ready = OpenHierarchy(cycle);
  } else {
    OpenFlat(cycle);
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) Capacity(cycle).queues[q].known = false;
    for (JobIndex j : cycle.world.session_jobs())
      Capacity(cycle).queues[cycle.tables().jobs.queue[j]].known = true;
  }
  for (JobIndex j : cycle.world.session_jobs()) {
    for (QueueIndex q : PathOf(cycle, cycle.tables().jobs.queue[j])) {
      CapacityBook& book = Capacity(cycle).queues[q];
      book.elastic = Plus(book.elastic, ElasticOf(cycle, j));
      book.inqueue = Plus(book.inqueue, PromisedTo(cycle, j));
    }
  }
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (Capacity(cycle).queues[q].known)
      Capacity(cycle).queues[q].share_at_open = ShareOfQueue(cycle, q);
  }
}

int CompareByCapacity(const Cycle& cycle, const ReferencePolicy&, QueueIndex l, QueueIndex r) {
  if (!Capacity(cycle).ready) return 0;
  const auto& spec = cycle.tables().queues.spec;
  if (spec[l].priority != spec[r].priority) return spec[l].priority > spec[r].priority ? -1 : 1;
  const CapacityBook &left = Capacity(cycle).queues[l], &right = Capacity(cycle).queues[r];
  if (left.leaf != right.leaf) return left.leaf ? -1 : 1;
  if (!left.leaf) return CompareBooks(cycle, l, r);
  const size_t below = LevelOf(cycle, l, r) + 1;
  return CompareBooks(cycle, below < left.ancestors.size() ? left.ancestors[below] : l,
                      below < right.ancestors.size() ? right.ancestors[below] : r);
}

int CompareVictimsByCapacity(const Cycle& cycle, const ReferencePolicy& policy, QueueIndex l,
                             QueueIndex r, QueueIndex evictor) {
  if (!HasTree(policy) || !Capacity(cycle).ready) return 0;
  const size_t left = LevelOf(cycle, l, evictor), right = LevelOf(cycle, r, evictor);
  return left == right ? 0 : left > right ? -1 : 1;
}

// With the request the queue and all above it stay within their limits.
bool WithinCapacity(const Cycle& cycle, const ReferencePolicy&, QueueIndex queue, TaskIndex task) {
  if (!Capacity(cycle).ready) return false;
  const Amount request = AmountOf(cycle.world.request(task));
  for (QueueIndex q : PathOf(cycle, queue)) {
    const Amount future = Plus(HeldBy(cycle, q), request);
    if (!WithinRequested(future, Capacity(cycle).queues[q].limit, request)) return false;
  }
  return true;
}

bool MayTakeByCapacity(const Cycle& cycle, const ReferencePolicy& policy, QueueIndex queue,
                       const Row& row) {
  if (!Capacity(cycle).ready) return false;
  const Amount request = AmountOf(row);
  const Amount future = Plus(HeldBy(cycle, queue), request);
  const CapacityBook& book = Capacity(cycle).queues[queue];
  if (!WithinRequested(future, book.limit, request)) return false;
  if (MayTake(future, book.deserved, request)) return true;
  for (size_t level = 1; level <= Levels(cycle, policy); ++level) {
    const auto above = AncestorAt(cycle, queue, level);
    if (above && MayTake(Plus(HeldBy(cycle, *above), request),
                         Capacity(cycle).queues[*above].deserved, request)) {
      return true;
    }
  }
  return false;
}

int VoteCapacity(const Cycle& cycle, const ReferencePolicy&, JobIndex job) {
  const QueueIndex queue = cycle.tables().jobs.queue[job];
  if (!Capacity(cycle).ready || !QueueOpen(cycle, queue)) return -1;
  const Amount minimum = MinResources(cycle, job);
  for (QueueIndex q : PathOf(cycle, queue)) {
    const CapacityBook& book = Capacity(cycle).queues[q];
    const Amount wanted = Minus(Plus(Plus(minimum, HeldBy(cycle, q)), book.inqueue), book.elastic);
    if (!WithinRequested(wanted, book.limit, minimum)) return -1;
  }
  return 1;
}

void NoteInqueue(Cycle& cycle, const ReferencePolicy&, JobIndex job, const Amount& amount) {
  for (QueueIndex q : PathOf(cycle, cycle.tables().jobs.queue[job]))
    Capacity(cycle).queues[q].inqueue = Plus(Capacity(cycle).queues[q].inqueue, amount);
}

std::vector<TaskIndex> AskCapacity(const Cycle& cycle, const ReferencePolicy& policy,
                                   TaskIndex reclaimer, const std::vector<TaskIndex>& candidates) {
  if (!Capacity(cycle).ready) return {};
  const World& world = cycle.world;
  const size_t levels = Levels(cycle, policy);
  const QueueIndex own = world.queue_of(reclaimer);
  Heap<TaskIndex> heap = VictimHeap(cycle, reclaimer);
  for (TaskIndex t : candidates) heap.Push(t);
  std::map<QueueIndex, Amount> held;
  const auto left = [&](QueueIndex q) -> Amount& {
    return held.try_emplace(q, HeldBy(cycle, q)).first->second;
  };
  std::vector<TaskIndex> victims;
  while (!heap.empty()) {
    const TaskIndex t = heap.Pop();
    const Amount request = AmountOf(world.request(t));
    auto common = CommonDimensions(request, AmountOf(world.initial_request(reclaimer)));
    std::erase(common, size_t{kPods});
    if (common.empty()) continue;
    const QueueIndex queue = world.queue_of(t);
    const CapacityBook& book = Capacity(cycle).queues[queue];
    if (!LessEqual(book.guarantee, Minus(left(queue), request))) continue;
    if (!MayLose(left(queue), book.deserved, request)) continue;
    if (CommonDimensions(request, book.deserved).empty() &&
        ShareAnAncestor(cycle, own, queue, levels) &&
        CommonDimensions(AmountOf(world.request(reclaimer)), Capacity(cycle).queues[own].deserved)
            .empty()) {
      continue;
    }
    bool eligible = true;
    std::vector<QueueIndex> lose = {queue};
    for (size_t level = 1; level <= levels && eligible; ++level) {
      const auto above = AncestorAt(cycle, queue, level);
      if (!above || above == AncestorAt(cycle, own, level)) continue;
      lose.push_back(*above);
      eligible = MayLose(left(*above), Capacity(cycle).queues[*above].deserved, request);
    }
    if (!eligible) continue;
    for (QueueIndex q : lose) left(q) = Minus(left(q), request);
    victims.push_back(t);
  }
  return victims;
}

std::vector<TaskIndex> AskCapacityForGang(const Cycle& cycle, const ReferencePolicy&, JobIndex,
                                          const std::vector<TaskIndex>& candidates) {
  if (!Capacity(cycle).ready) return {};
  std::map<QueueIndex, Amount> held;
  std::vector<TaskIndex> victims;
  for (TaskIndex t : candidates) {
    const QueueIndex queue = cycle.world.queue_of(t);
    const CapacityBook& book = Capacity(cycle).queues[queue];
    Amount& left = held.try_emplace(queue, HeldBy(cycle, queue)).first->second;
    const Amount request = AmountOf(cycle.world.request(t));
    if (!LessEqual(book.guarantee, Minus(left, request))) continue;
    if (!MayLose(left, book.deserved, request)) continue;
    left = Minus(left, request);
    victims.push_back(t);
  }
  return victims;
}

std::optional<std::vector<double>> DeservedOf(const Cycle& cycle, QueueIndex queue) {
  if (!Capacity(cycle).ready || !Capacity(cycle).queues[queue].known) return std::nullopt;
  return Capacity(cycle).queues[queue].deserved.value;
}

// A gang may take from its own queue whatever the queue deserves.
TaskList EvictAll(const Cycle&, const ReferencePolicy&, JobIndex, const TaskList& candidates) {
  return candidates;
}

}  // namespace

PolicyTwin CapacityPolicy() {
  PolicyTwin twin;
  twin.name = "capacity";
  twin.open = OpenCapacity;
  twin.queue_order = CompareByCapacity;
  twin.victim_queue_order = CompareVictimsByCapacity;
  twin.open_queues_only = true;
  twin.allocatable = WithinCapacity;
  twin.preemptive = MayTakeByCapacity;
  twin.admit = VoteCapacity;
  twin.admitted = NoteInqueue;
  twin.reclaimable = AskCapacity;
  twin.evictable = EvictAll;
  twin.evictable_elsewhere = AskCapacityForGang;
  twin.share = CapacityShareNow;
  twin.deserved = DeservedOf;
  return twin;
}

}  // namespace muster::reference
