// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares and allowances: drf's dominant share, what proportion finds each queue deserves, and
// whether a job may be admitted.
//
// proportion pours what remains of the cluster over the queues that are not yet content, by weight,
// round by round. All queues of a round see the same remainder; what a round gave out is taken off
// only at its end.
#include <limits>

#include "lib/reference/cycle.h"

namespace muster::reference {

bool HasMinResources(const Cycle& cycle, JobIndex job) {
  return cycle.tables().jobs.spec[job].min_resources.has_value();
}

Amount MinResources(const Cycle& cycle, JobIndex job) {
  return AmountOf(cycle.tables().jobs.min_resources.row(job));
}

bool QueueOpen(const Cycle& cycle, QueueIndex queue) {
  return cycle.tables().queues.spec[queue].state == QueueState::kOpen;
}

Amount WithoutGated(const Cycle& cycle, JobIndex job, Amount amount) {
  const World& world = cycle.world;
  Row gated(world.dimensions(), 0);
  for (TaskIndex t : world.tasks_of(job)) {
    if (world.status[t] == TaskStatus::kPending && world.gated(t))
      AddTo(gated, world.request(t), 1);
  }
  for (size_t d = 0; d < gated.size(); ++d) {
    amount.value[d] -= static_cast<double>(gated[d]);
    if (amount.value[d] < 0) amount.value[d] = 0;
  }
  return amount;
}

Amount Outstanding(const Cycle& cycle, JobIndex job) {
  Amount amount = MinResources(cycle, job);
  for (size_t d = 0; d < amount.value.size(); ++d) {
    amount.value[d] -= static_cast<double>(cycle.world.job_allocated[job][d]);
    if (amount.value[d] < 0) amount.value[d] = 0;
  }
  return amount;
}

bool RunsWithItsMinimum(const Cycle& cycle, JobIndex job) {
  if (cycle.world.phase[job] != JobPhase::kRunning || !HasMinResources(cycle, job)) return false;
  int64_t allocated = 0;
  for (TaskIndex t : cycle.world.tasks_of(job))
    allocated += IsAllocated(cycle.world.status[t]) ? 1 : 0;
  return allocated >= cycle.tables().jobs.spec[job].min_available;
}

bool Admitted(const Cycle& cycle, JobIndex job) {
  return cycle.world.phase[job] == JobPhase::kAdmitted && HasMinResources(cycle, job);
}

namespace {

// Requests of the queue's jobs, and what they hold beyond their minimum.
void OpenQueueBooks(Cycle& cycle) {
  const World& world = cycle.world;
  for (JobIndex j : world.session_jobs()) {
    QueueBook& book = cycle.queues[cycle.tables().jobs.queue[j]];
    book.known = true;
    for (TaskIndex t : world.tasks_of(j)) {
      const Amount request = Measure(cycle, world.request(t));
      if (IsAllocated(world.status[t]) || world.status[t] == TaskStatus::kPending) {
        book.request = Plus(book.request, request);
      }
    }
    if (!cycle.rules.queue_limits) continue;
    book.elastic = Plus(book.elastic, ElasticOf(cycle, j));
    book.inqueue = Plus(book.inqueue, PromisedTo(cycle, j));
  }
}

void OpenCapabilities(Cycle& cycle) {
  const QueueTable& queues = cycle.tables().queues;
  Amount guaranteed(cycle.world.dimensions());
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q]) continue;
    cycle.queues[q].guarantee = AmountOf(queues.guaranteed.row(q));
    guaranteed = Plus(guaranteed, cycle.queues[q].guarantee);
  }
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!cycle.queues[q].known) continue;
    Amount capability = AmountOf(queues.limit.row(q));
    for (size_t d : {size_t{kCpu}, size_t{kMemory}}) {
      if (capability.value[d] <= 0) capability.value[d] = std::numeric_limits<double>::max();
    }
    const Amount base = Plus(ExceededPart(cycle.total, guaranteed), cycle.queues[q].guarantee);
    cycle.queues[q].real_capability = MinDimension(base, capability, Missing::kInfinite);
  }
}

int64_t WeightOfUnmet(const Cycle& cycle, const std::vector<bool>& met) {
  int64_t weight = 0;
  for (QueueIndex q = 0; q < met.size(); ++q) {
    if (cycle.queues[q].known && !met[q]) weight += cycle.tables().queues.spec[q].weight;
  }
  return weight;
}

void FillToLimits(Cycle& cycle) {
  Amount remaining = cycle.total;
  std::vector<bool> met(cycle.queues.size(), false);
  for (;;) {
    const int64_t weights = WeightOfUnmet(cycle, met);
    if (weights == 0) return;
    const Amount old = remaining;
    Amount increase(cycle.world.dimensions()), decrease(cycle.world.dimensions());
    for (QueueIndex q = 0; q < met.size(); ++q) {
      QueueBook& book = cycle.queues[q];
      if (!book.known || met[q]) continue;
      const double part =
          static_cast<double>(cycle.tables().queues.spec[q].weight) / static_cast<double>(weights);
      const Amount before = book.deserved;
      Amount deserved = Plus(before, Times(remaining, part));
      deserved = MinDimension(deserved, book.real_capability, Missing::kInfinite);
      deserved = MinDimension(deserved, book.request, Missing::kZero);
      deserved = MaxOf(deserved, book.guarantee);
      book.deserved = deserved;
      if (LessEqual(book.request, deserved) || deserved == before) met[q] = true;
      const auto [more, less] = Difference(deserved, before);
      increase = Plus(increase, more);
      decrease = Plus(decrease, less);
    }
    remaining = ExceededPart(Plus(remaining, decrease), increase);
    if (IsEmpty(remaining) || remaining == old) return;
  }
}

void FillWithinTolerance(Cycle& cycle) {
  Amount remaining = cycle.total;
  std::vector<bool> met(cycle.queues.size(), false);
  for (;;) {
    const int64_t weights = WeightOfUnmet(cycle, met);
    if (weights == 0) return;
    Amount increase(cycle.world.dimensions()), decrease(cycle.world.dimensions());
    for (QueueIndex q = 0; q < met.size(); ++q) {
      QueueBook& book = cycle.queues[q];
      if (!book.known || met[q]) continue;
      const double part =
          static_cast<double>(cycle.tables().queues.spec[q].weight) / static_cast<double>(weights);
      const Amount before = book.deserved;
      book.deserved = Plus(before, Times(remaining, part));
      if (TolerantLess(book.request, book.deserved, cycle.tolerance)) {
        book.deserved = MinOf(book.deserved, book.request);
        met[q] = true;
      }
      auto [more, less] = Difference(book.deserved, before);
      // Only what is still named is seen to shrink.
      for (size_t d = 0; d < less.value.size(); ++d) {
        if (IsScalar(d) && !book.deserved.present[d]) less.value[d] = 0;
      }
      increase = Plus(increase, more);
      decrease = Plus(decrease, less);
    }
    remaining = Plus(Minus(remaining, increase), decrease);
    if (TolerantIsEmpty(remaining, cycle.tolerance)) return;
  }
}

// Dimensions over which the largest share is taken.
std::vector<size_t> ShareDimensions(const Cycle& cycle, const Amount& whole) {
  if (!cycle.rules.shares_of_nothing) return PositiveDimensions(whole);
  std::vector<size_t> dimensions;
  for (size_t d = 0; d < whole.value.size(); ++d) {
    if (!IsScalar(d) || whole.present[d]) dimensions.push_back(d);
  }
  return dimensions;
}

double LargestShare(const Cycle& cycle, const Row& part, const Amount& whole) {
  double largest = 0;
  for (size_t d : ShareDimensions(cycle, whole)) {
    const double share = ShareOf(static_cast<double>(part[d]), whole.value[d]);
    if (share > largest) largest = share;
  }
  return largest;
}

bool WithinDeserved(const Cycle& cycle, QueueIndex queue, std::span<const int64_t> row) {
  const Amount request = AmountOf(row);
  const Amount future = Plus(AmountOfBooks(cycle.world.queue_allocated[queue]), request);
  return WithinRequested(future, cycle.queues[queue].deserved, request);
}

int VoteProportion(const Cycle& cycle, JobIndex job) {
  const QueueIndex queue = cycle.tables().jobs.queue[job];
  if (!QueueOpen(cycle, queue)) return -1;
  const QueueBook& book = cycle.queues[queue];
  const Amount minimum = MinResources(cycle, job);
  Amount wanted = Plus(minimum, AmountOfBooks(cycle.world.queue_allocated[queue]));
  wanted = Minus(Plus(wanted, book.inqueue), book.elastic);
  return WithinRequested(wanted, book.real_capability, minimum) ? 1 : -1;
}

}  // namespace

Amount PromisedTo(const Cycle& cycle, JobIndex job) {
  if (!Admitted(cycle, job) && !RunsWithItsMinimum(cycle, job))
    return Amount(cycle.world.dimensions());
  return WithoutGated(cycle, job, Outstanding(cycle, job));
}

Amount ElasticOf(const Cycle& cycle, JobIndex job) {
  Amount held(cycle.world.dimensions());
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (IsAllocated(cycle.world.status[t])) held = Plus(held, AmountOf(cycle.world.request(t)));
  }
  return ExceededPart(held, HasMinResources(cycle, job) ? MinResources(cycle, job)
                                                        : Amount(cycle.world.dimensions()));
}

Amount Measure(const Cycle& cycle, std::span<const int64_t> row) {
  Row cells(row.begin(), row.end());
  if (!cycle.rules.pods_are_a_resource) cells[kPods] = kAbsent;
  return AmountOf(cells);
}

Amount MeasureBooks(const Cycle& cycle, const Row& row) {
  Row cells = row;
  if (!cycle.rules.pods_are_a_resource) cells[kPods] = 0;
  return AmountOfBooks(cells);
}

void OpenShares(Cycle& cycle) {
  const size_t dimensions = cycle.world.dimensions();
  cycle.total = Amount(dimensions);
  for (NodeIndex n : cycle.world.session_nodes()) {
    cycle.total = Plus(cycle.total, Measure(cycle, cycle.tables().nodes.allocatable.row(n)));
  }
  QueueBook empty;
  for (Amount* amount : {&empty.deserved, &empty.request, &empty.elastic, &empty.inqueue,
                         &empty.guarantee, &empty.real_capability}) {
    *amount = Amount(dimensions);
  }
  cycle.queues.assign(cycle.tables().queues.alive.size(), empty);
  if (FindPolicy(cycle, "proportion") == nullptr) return;
  OpenQueueBooks(cycle);
  if (cycle.rules.queue_limits) OpenCapabilities(cycle);
  if (cycle.rules.tolerance) {
    FillWithinTolerance(cycle);
  } else {
    FillToLimits(cycle);
  }
}

double DrfShare(const Cycle& cycle, const Row& allocated) {
  return LargestShare(cycle, allocated, cycle.total);
}

double QueueShareNow(const Cycle& cycle, QueueIndex queue) {
  for (const PolicyTwin& twin : *cycle.policies) {
    const bool asked = twin.share != nullptr && FindPolicy(cycle, twin.name) != nullptr;
    if (asked) return twin.share(cycle, queue);
  }
  if (!cycle.queues[queue].known) return 0;
  return LargestShare(cycle, cycle.world.queue_allocated[queue], cycle.queues[queue].deserved);
}

bool Overused(const Cycle& cycle, QueueIndex queue) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "overused")) {
    if (policy->name != "proportion") continue;
    const Amount& deserved = cycle.queues[queue].deserved;
    const Amount allocated = MeasureBooks(cycle, cycle.world.queue_allocated[queue]);
    const bool overused = cycle.rules.tolerance
                              ? TolerantLessEqual(deserved, allocated, cycle.tolerance)
                              : LessEqual(deserved, allocated);
    if (overused) return true;
  }
  return false;
}

bool Allocatable(const Cycle& cycle, QueueIndex queue, TaskIndex task) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "allocatable")) {
    const bool asks = policy->name == "proportion" || TwinOf(cycle, *policy).open_queues_only;
    if (asks && !QueueOpen(cycle, queue)) return false;
  }
  return AllocatableOnTrial(cycle, queue, task);
}

// Trials of evictions do not ask whether the queue is open.
bool AllocatableOnTrial(const Cycle& cycle, QueueIndex queue, TaskIndex task) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "allocatable")) {
    const auto allocatable = TwinOf(cycle, *policy).allocatable;
    if (allocatable != nullptr && !allocatable(cycle, *policy, queue, task)) return false;
    if (policy->name == "proportion" && !WithinDeserved(cycle, queue, cycle.world.request(task)))
      return false;
  }
  return true;
}

bool Preemptive(const Cycle& cycle, QueueIndex queue, TaskIndex task) {
  return AllPreemptive(cycle, queue, {task});
}

bool AllPreemptive(const Cycle& cycle, QueueIndex queue, const std::vector<TaskIndex>& tasks) {
  Row request(cycle.world.dimensions(), kAbsent);  // what none of them names stays absent
  for (TaskIndex t : tasks) {
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      const int64_t one = cycle.world.request(t)[d];
      if (one != kAbsent) request[d] = OrZero(request[d]) + one;
    }
  }
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "preemptive")) {
    const PolicyTwin& twin = TwinOf(cycle, *policy);
    const bool divides = policy->name == "proportion";
    if ((divides || twin.open_queues_only) && !QueueOpen(cycle, queue)) return false;
    if (divides && !WithinDeserved(cycle, queue, request)) return false;
    if (twin.preemptive != nullptr && !twin.preemptive(cycle, *policy, queue, request)) {
      return false;
    }
  }
  return true;
}

// A refusal counts at once; a tier with a yes ends the question, so that later tiers cannot refuse.
bool JobEnqueueable(const Cycle& cycle, JobIndex job) {
  if (!HasMinResources(cycle, job)) return true;
  for (const PolicyTier& tier : TiersAt(cycle, "admit")) {
    bool permitted = false;
    for (const ReferencePolicy* policy : tier) {
      int vote = 0;
      if (policy->name == "proportion") vote = VoteProportion(cycle, job);
      const auto admit = TwinOf(cycle, *policy).admit;
      if (admit != nullptr) vote = admit(cycle, *policy, job);
      if (vote < 0) return false;
      permitted = permitted || vote > 0;
    }
    if (permitted) return true;
  }
  return true;
}

void JobEnqueued(Cycle& cycle, JobIndex job) {
  if (!HasMinResources(cycle, job)) return;
  const Amount reserved = WithoutGated(cycle, job, MinResources(cycle, job));
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "admit")) {
    if (policy->name == "proportion") {
      Amount& inqueue = cycle.queues[cycle.tables().jobs.queue[job]].inqueue;
      inqueue = Plus(inqueue, reserved);
    }
    const auto admitted = TwinOf(cycle, *policy).admitted;
    if (admitted != nullptr) admitted(cycle, *policy, job, reserved);
  }
}

}  // namespace muster::reference
