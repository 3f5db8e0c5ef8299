// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What queues deserve, by freezing instead of sweeping: all siblings that are not settled get a
// share of what is left by weight; if that gives more to those it puts below their floor than it
// takes from those above their ceiling, the former are settled at their floors, else the latter at
// their ceilings; and again, until no claim is out of bounds. Fractions are compared as products of
// integers.
#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "lib/reference/peer/muster/fair.h"

namespace muster::reference {

namespace {

using absl::int128;

int128 Total(const std::vector<Claim>& claims, int128 Claim::*part) {
  int128 total = 0;
  for (const Claim& c : claims) total += c.*part;
  return total;
}

void Freeze(int128 total, std::vector<Claim>& claims) {
  if (Total(claims, &Claim::floor) > total) {
    // Not even what was promised: the promises themselves are divided.
    for (Claim& c : claims) {
      c.ceiling = c.floor;
      c.floor = 0;
    }
  }
  for (;;) {
    int128 left = total, weights = 0;
    for (const Claim& c : claims) {
      if (c.settled) left -= c.amount;
      if (!c.settled) weights += c.weight;
    }
    if (weights == 0) return;
    // A claim gets left * weight / weights; all is counted in parts of 1 / weights.
    int128 given_more = 0;
    bool bounded = false;
    for (const Claim& c : claims) {
      if (c.settled) continue;
      const int128 portion = left * c.weight;
      if (portion < c.floor * weights) given_more += c.floor * weights - portion;
      if (portion > c.ceiling * weights) given_more -= portion - c.ceiling * weights;
      bounded |= portion < c.floor * weights || portion > c.ceiling * weights;
    }
    for (Claim& c : claims) {
      if (c.settled) continue;
      const int128 portion = left * c.weight;
      if (!bounded) {
        c.amount = portion / weights;
      } else if (given_more >= 0 && portion < c.floor * weights) {
        c.amount = c.floor;
        c.settled = true;
      } else if (given_more <= 0 && portion > c.ceiling * weights) {
        c.amount = c.ceiling;
        c.settled = true;
      }
    }
    if (!bounded) return;
  }
}

}  // namespace

void DivideClaims(int128 total, std::vector<Claim>& claims) {
  std::vector<Claim> weighted, others;
  int128 left = total;
  for (const Claim& c : claims) {
    (c.weight > 0 ? weighted : others).push_back(c);
    if (c.weight == 0) left -= c.floor;
  }
  const int128 floors = Total(others, &Claim::floor);
  const bool floors_fit = Total(weighted, &Claim::floor) + floors <= total;
  Freeze(std::max(left, int128(0)), weighted);
  for (Claim& c : others) c.weight = 1;
  int128 rest = std::max(total - Total(weighted, &Claim::amount), int128(0));
  if (!floors_fit) rest = std::min(rest, floors);
  Freeze(rest, others);
  claims = weighted;
  claims.insert(claims.end(), others.begin(), others.end());
}

namespace {

bool IsBelow(const Cycle& cycle, QueueIndex queue, QueueIndex ancestor) {
  while (queue != kNone && queue != ancestor) queue = cycle.tables().queues.parent[queue];
  return queue == ancestor;
}

std::vector<QueueIndex> Children(const Cycle& cycle, QueueIndex parent) {
  std::vector<QueueIndex> children;
  const QueueTable& queues = cycle.tables().queues;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.parent[q] == parent) children.push_back(q);
  }
  return children;
}

Row TreeAllocated(const Cycle& cycle, QueueIndex queue) {
  Row sum(cycle.world.dimensions(), 0);
  for (QueueIndex q = 0; q < cycle.tables().queues.alive.size(); ++q) {
    if (cycle.tables().queues.alive[q] && IsBelow(cycle, q, queue)) {
      AddTo(sum, cycle.world.queue_allocated[q], 1);
    }
  }
  return sum;
}

// What the queue's own jobs hold and wait for.
Row OwnDemand(const Cycle& cycle, QueueIndex queue) {
  Row sum = cycle.world.queue_allocated[queue];
  for (JobIndex j : cycle.world.session_jobs()) {
    if (cycle.tables().jobs.queue[j] != queue) continue;
    for (TaskIndex t : cycle.world.tasks_of(j)) {
      if (cycle.world.status[t] == TaskStatus::kPending) AddTo(sum, cycle.world.request(t), 1);
    }
  }
  return sum;
}

// Fills demand and promised of the queue and all below it.
void SumDemand(Cycle& cycle, QueueIndex queue) {
  const QueueTable& queues = cycle.tables().queues;
  FairBook& book = Fair(cycle).queues[queue];
  book.demand = OwnDemand(cycle, queue);
  book.promised.assign(cycle.world.dimensions(), 0);
  for (QueueIndex child : Children(cycle, queue)) {
    SumDemand(cycle, child);
    AddTo(book.demand, Fair(cycle).queues[child].demand, 1);
    AddTo(book.promised, Fair(cycle).queues[child].promised, 1);
  }
  for (DimensionIndex d = 0; d < book.demand.size(); ++d) {
    const int64_t limit = queues.limit.at(queue, d), guaranteed = queues.guaranteed.at(queue, d);
    if (limit != kAbsent) book.demand[d] = std::min(book.demand[d], limit);
    if (guaranteed != kAbsent) book.promised[d] = std::max(book.promised[d], guaranteed);
    book.promised[d] = std::min(book.promised[d], book.demand[d]);
  }
}

void DivideAmong(Cycle& cycle, const std::vector<QueueIndex>& siblings, const Row& total) {
  for (DimensionIndex d = 0; d < total.size(); ++d) {
    std::vector<Claim> claims;
    int128 asked = 0, used = 0;
    for (QueueIndex q : siblings) {
      const FairBook& book = Fair(cycle).queues[q];
      used += std::max(book.demand[d], TreeAllocated(cycle, q)[d]);
      const int64_t weight = std::min(cycle.tables().queues.spec[q].weight, int64_t{1} << 31);
      claims.push_back({q, weight, book.promised[d], book.demand[d]});
      asked += book.demand[d];
    }
    if (asked <= total[d]) {
      for (Claim& c : claims) c.amount = c.ceiling;
    } else {
      DivideClaims(total[d], claims);
    }
    for (const Claim& c : claims) {
      Fair(cycle).queues[c.queue].deserved[d] = static_cast<int64_t>(c.amount);
      Fair(cycle).queues[c.queue].contested[d] = used > total[d];
    }
  }
  for (QueueIndex q : siblings) {
    Row left = Fair(cycle).queues[q].deserved;
    AddTo(left, OwnDemand(cycle, q), -1);
    for (int64_t& amount : left) amount = std::max<int64_t>(amount, 0);
    DivideAmong(cycle, Children(cycle, q), left);
  }
}

bool BelowGuarantee(const Cycle& cycle, QueueIndex queue) {
  Row pending(cycle.world.dimensions(), 0);
  for (JobIndex j : cycle.world.session_jobs()) {
    if (!IsBelow(cycle, cycle.tables().jobs.queue[j], queue)) continue;
    for (TaskIndex t : cycle.world.tasks_of(j)) {
      if (cycle.world.status[t] == TaskStatus::kPending) AddTo(pending, cycle.world.request(t), 1);
    }
  }
  const Row held = TreeAllocated(cycle, queue);
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    const int64_t guaranteed = cycle.tables().queues.guaranteed.at(queue, d);
    if (d != kPods && guaranteed != kAbsent && held[d] < guaranteed && pending[d] > 0) return true;
  }
  return false;
}

bool StaysDeserved(const Cycle& cycle, QueueIndex queue, const Row& held,
                   std::span<const int64_t> request) {
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    if (d == kPods || OrZero(request[d]) == 0) continue;
    if (held[d] + request[d] > Fair(cycle).queues[queue].deserved[d]) return false;
  }
  return true;
}

// The queues from `queue` upwards that `other` is not below of.
std::vector<QueueIndex> WayUp(const Cycle& cycle, QueueIndex queue, QueueIndex other) {
  std::vector<QueueIndex> way;
  while (queue != kNone && !IsBelow(cycle, other, queue)) {
    way.push_back(queue);
    queue = cycle.tables().queues.parent[queue];
  }
  return way;
}

// An inner queue's own jobs come before its children. So where together they ask for more than the
// queue deserves, its own jobs keep what they ask for, up to all that it deserves.
bool OwnJobsKeepTheirs(const Cycle& cycle, TaskIndex task, const std::vector<TaskIndex>& victims) {
  const QueueIndex queue = cycle.world.queue_of(task);
  const std::vector<QueueIndex> children = Children(cycle, queue);
  if (children.empty()) return true;
  Row left = cycle.world.queue_allocated[queue], asked = OwnDemand(cycle, queue);
  const Row own = asked;
  for (QueueIndex child : children) AddTo(asked, Fair(cycle).queues[child].demand, 1);
  for (TaskIndex v : victims) {
    if (cycle.world.queue_of(v) == queue) AddTo(left, cycle.world.request(v), -1);
  }
  AddTo(left, cycle.world.request(task), -1);
  for (DimensionIndex d = 0; d < left.size(); ++d) {
    const int64_t deserved = Fair(cycle).queues[queue].deserved[d];
    if (d == kPods || OrZero(cycle.world.request(task)[d]) == 0 || asked[d] <= deserved) continue;
    if (left[d] < std::min(own[d], deserved)) return false;
  }
  return true;
}

}  // namespace

void CountDeserved(Cycle& cycle) {
  const size_t dimensions = cycle.world.dimensions();
  const Row zero(dimensions, 0);
  Fair(cycle).queues.assign(cycle.tables().queues.alive.size(),
                            {zero, zero, zero, std::vector<bool>(dimensions, false)});
  Row total = zero;
  for (NodeIndex n : cycle.world.session_nodes()) AddTo(total, cycle.world.capacity[n], 1);
  const std::vector<QueueIndex> roots = Children(cycle, kNone);
  for (QueueIndex q : roots) SumDemand(cycle, q);
  DivideAmong(cycle, roots, total);
}

double FairShareNow(const Cycle& cycle, QueueIndex queue) {
  const Row held = TreeAllocated(cycle, queue);
  double largest = 0;
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    int64_t total = 0;
    for (NodeIndex n : cycle.world.session_nodes()) total += cycle.world.capacity[n][d];
    if (d == kPods || total <= 0) continue;
    largest = std::max(largest, static_cast<double>(held[d]) / static_cast<double>(total));
  }
  const int64_t weight = cycle.tables().queues.spec[queue].weight;
  if (weight == 0) return std::numeric_limits<double>::infinity();
  return largest / static_cast<double>(weight);
}

int CompareFairQueues(const Cycle& cycle, QueueIndex l, QueueIndex r) {
  const bool l_below = BelowGuarantee(cycle, l), r_below = BelowGuarantee(cycle, r);
  if (l_below != r_below) return l_below ? -1 : 1;
  const double l_share = FairShareNow(cycle, l), r_share = FairShareNow(cycle, r);
  if (l_share != r_share) return l_share < r_share ? -1 : 1;
  const int32_t lp = cycle.tables().queues.spec[l].priority;
  const int32_t rp = cycle.tables().queues.spec[r].priority;
  return lp == rp ? 0 : lp > rp ? -1 : 1;
}

bool WithinLimits(const Cycle& cycle, QueueIndex queue, TaskIndex task) {
  const QueueTable& queues = cycle.tables().queues;
  for (QueueIndex q = queue; q != kNone; q = queues.parent[q]) {
    if (queues.spec[q].state != QueueState::kOpen) return false;
    Row held = TreeAllocated(cycle, q);
    AddTo(held, cycle.world.request(task), 1);
    for (DimensionIndex d = 0; d < held.size(); ++d) {
      const int64_t limit = queues.limit.at(q, d);
      const bool asked = OrZero(cycle.world.request(task)[d]) > 0;
      if (limit != kAbsent && asked && held[d] > limit) return false;
    }
  }
  return true;
}

bool MayTakeForItself(const Cycle& cycle, const ReferencePolicy&, QueueIndex queue,
                      const Row& request) {
  return StaysDeserved(cycle, queue, cycle.world.queue_allocated[queue], request);
}

double ShareOfLivingQueue(const Cycle& cycle, QueueIndex queue) {
  return cycle.tables().queues.alive[queue] ? FairShareNow(cycle, queue) : 0;
}

std::optional<std::vector<double>> FairDeserved(const Cycle& cycle, QueueIndex queue) {
  const Row& deserved = Fair(cycle).queues[queue].deserved;
  return std::vector<double>(deserved.begin(), deserved.end());
}

namespace {

TaskList AskFairShare(const Cycle& cycle, const ReferencePolicy&, TaskIndex evictor,
                      const TaskList& candidates) {
  const QueueIndex asker = cycle.world.queue_of(evictor);
  const auto wanted = cycle.world.request(evictor);
  std::vector<TaskIndex> victims;
  for (TaskIndex t : candidates) {
    const QueueIndex giver = cycle.world.queue_of(t);
    const std::vector<QueueIndex> givers = WayUp(cycle, giver, asker);
    if (givers.empty()) continue;
    bool may = true;
    for (QueueIndex q : WayUp(cycle, asker, giver)) {
      may = may && StaysDeserved(cycle, q, TreeAllocated(cycle, q), wanted);
    }
    bool above = false;
    for (QueueIndex q : givers) {
      Row left = TreeAllocated(cycle, q);
      for (TaskIndex v : victims) {
        if (IsBelow(cycle, cycle.world.queue_of(v), q)) AddTo(left, cycle.world.request(v), -1);
      }
      for (DimensionIndex d = 0; d < left.size() && q == givers.back(); ++d) {
        if (d == kPods || OrZero(wanted[d]) == 0) continue;
        above = above || left[d] > Fair(cycle).queues[q].deserved[d];
      }
      AddTo(left, cycle.world.request(t), -1);
      for (DimensionIndex d = 0; d < left.size(); ++d) {
        if (d == kPods || OrZero(cycle.world.request(t)[d]) == 0) continue;
        const int64_t guaranteed = cycle.tables().queues.guaranteed.at(q, d);
        may = may && (guaranteed == kAbsent || left[d] >= guaranteed);
        may = may &&
              (!Fair(cycle).queues[q].contested[d] || left[d] >= Fair(cycle).queues[q].deserved[d]);
      }
    }
    if (may && above && OwnJobsKeepTheirs(cycle, t, victims)) victims.push_back(t);
  }
  return victims;
}

void OpenFairShare(Cycle& cycle, const ReferencePolicy&) { CountDeserved(cycle); }

int OrderFairQueues(const Cycle& cycle, const ReferencePolicy&, QueueIndex l, QueueIndex r) {
  return CompareFairQueues(cycle, l, r);
}

bool MayHold(const Cycle& cycle, const ReferencePolicy&, QueueIndex queue, TaskIndex task) {
  return WithinLimits(cycle, queue, task);
}

}  // namespace

PolicyTwins FairPolicies() {
  PolicyTwin twin;
  twin.name = "fairshare";
  twin.open = OpenFairShare;
  twin.queue_order = OrderFairQueues;
  twin.allocatable = MayHold;
  twin.preemptive = MayTakeForItself;
  twin.reclaimable = AskFairShare;
  twin.share = ShareOfLivingQueue;
  twin.deserved = FairDeserved;
  return {twin};
}

}  // namespace muster::reference
