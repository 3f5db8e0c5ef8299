// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Everything is summed from the statuses of tasks at each question, by recursion over the tree.
// Shares that the engine compares by products are compared by continued fractions here.
#include "lib/reference/peer/transwarp/transwarp.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/numeric/int128.h"
#include "lib/reference/kube/selectors.h"
#include "lib/reference/peer/muster/fair.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

using absl::int128;
using absl::uint128;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int128 kEndless = absl::MakeInt128(int64_t{1} << 61, 0);

bool IsUnder(const Cycle& cycle, QueueIndex queue, QueueIndex ancestor) {
  for (; queue != kNone; queue = cycle.tables().queues.parent[queue]) {
    if (queue == ancestor) return true;
  }
  return false;
}

std::vector<QueueIndex> ChildrenOf(const Cycle& cycle, QueueIndex parent) {
  const QueueTable& queues = cycle.tables().queues;
  std::vector<QueueIndex> children;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.parent[q] == parent) children.push_back(q);
  }
  return children;
}

enum class State { kHeld, kPending };

// What tasks of jobs in queues that `in` names hold, or wait for.
template <typename In>
Row SumTasks(const Cycle& cycle, State state, In in) {
  Row sum(cycle.world.dimensions(), 0);
  for (JobIndex j : cycle.world.session_jobs()) {
    for (TaskIndex t : cycle.world.tasks_of(j)) {
      const TaskStatus status = cycle.world.status[t];
      const bool held = IsAllocated(status) || status == TaskStatus::kNominated;
      if (!(state == State::kHeld ? held : status == TaskStatus::kPending)) continue;
      if (in(t)) AddTo(sum, cycle.world.request(t), 1);
    }
  }
  return sum;
}

Row OwnHeld(const Cycle& cycle, QueueIndex queue) {
  return SumTasks(cycle, State::kHeld,
                  [&](TaskIndex t) { return cycle.world.queue_of(t) == queue; });
}
Row TreeSum(const Cycle& cycle, State state, QueueIndex queue) {
  return SumTasks(cycle, state,
                  [&](TaskIndex t) { return IsUnder(cycle, cycle.world.queue_of(t), queue); });
}

Row ClusterTotal(const Cycle& cycle) {
  Row total(cycle.world.dimensions(), 0);
  for (NodeIndex n : cycle.world.session_nodes()) AddTo(total, cycle.world.capacity[n], 1);
  return total;
}

int Sign(bool l_first, bool r_first) { return l_first ? -1 : r_first ? 1 : 0; }

// --- shares --------------------------------------------------------------------------------------

// The sign of a/b - c/d, for b and d above 0.
int CompareFractions(uint128 a, uint128 b, uint128 c, uint128 d) {
  for (int sign = 1;; sign = -sign) {
    const uint128 left = a / b, right = c / d;
    if (left != right) return left < right ? -sign : sign;
    a -= left * b;
    c -= right * d;
    if (a == 0 || c == 0) return a == c ? 0 : a == 0 ? -sign : sign;
    std::swap(a, b);
    std::swap(c, d);
  }
}

struct PartOfWhole {
  uint128 part = 0, whole = 1;
};

PartOfWhole LargestPart(const Cycle& cycle, const Row& held) {
  const Row total = ClusterTotal(cycle);
  PartOfWhole largest;
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    if (d == kPods || total[d] <= 0) continue;
    const PartOfWhole here{uint128(held[d]), uint128(total[d])};
    if (CompareFractions(here.part, here.whole, largest.part, largest.whole) > 0) largest = here;
  }
  return largest;
}

int CompareNaively(const Cycle& cycle, QueueIndex l, QueueIndex r) {
  const int64_t lw = cycle.tables().queues.spec[l].weight;
  const int64_t rw = cycle.tables().queues.spec[r].weight;
  if (lw == 0 || rw == 0) return Sign(lw != 0 && rw == 0, lw == 0 && rw != 0);
  const PartOfWhole left = LargestPart(cycle, TreeSum(cycle, State::kHeld, l));
  const PartOfWhole right = LargestPart(cycle, TreeSum(cycle, State::kHeld, r));
  return CompareFractions(left.part, left.whole * uint128(lw), right.part,
                          right.whole * uint128(rw));
}

bool InLine(const Cycle& cycle, QueueIndex queue) {
  return std::any_of(Fair(cycle).in_line.begin(), Fair(cycle).in_line.end(), [&](JobIndex j) {
    return IsUnder(cycle, cycle.tables().jobs.queue[j], queue);
  });
}

struct Holding {
  std::vector<double> parts;
  double share = 0;
};

Holding HoldingOf(const Cycle& cycle, bool dynamic, QueueIndex queue) {
  const Row total = ClusterTotal(cycle), own = OwnHeld(cycle, queue);
  Holding holding;
  for (DimensionIndex d = 0; d < own.size(); ++d) {
    const double amount = static_cast<double>(own[d]);
    holding.parts.push_back(total[d] <= 0 ? 0 : amount / static_cast<double>(total[d]));
  }
  const std::vector<QueueIndex> children = ChildrenOf(cycle, queue);
  std::vector<Holding> below;
  std::vector<bool> scaled;
  double smallest = kInfinity;
  for (QueueIndex c : children) {
    below.push_back(HoldingOf(cycle, dynamic, c));
    const bool there =
        TreeSum(cycle, State::kHeld, c)[kPods] > 0 || TreeSum(cycle, State::kPending, c)[kPods] > 0;
    scaled.push_back(cycle.tables().queues.spec[c].weight > 0 &&
                     (dynamic ? InLine(cycle, c) : there));
    if (scaled.back()) smallest = std::min(smallest, below.back().share);
  }
  for (size_t i = 0; i < children.size(); ++i) {
    if (scaled[i] && below[i].share == 0) continue;
    const double factor = scaled[i] ? smallest / below[i].share : 1.0;
    for (DimensionIndex d = 0; d < own.size(); ++d) {
      holding.parts[d] += below[i].parts[d] * factor;
    }
  }
  const Row all = SumTasks(cycle, State::kHeld, [](TaskIndex) { return true; });
  double largest = 0;
  for (DimensionIndex d = 0; d < own.size(); ++d) {
    if (d == kPods || (dynamic && !children.empty() && all[d] >= total[d])) continue;
    largest = std::max(largest, holding.parts[d]);
  }
  const int64_t weight = cycle.tables().queues.spec[queue].weight;
  holding.share = weight == 0 ? kInfinity : largest / static_cast<double>(weight);
  return holding;
}

// --- borrowing -----------------------------------------------------------------------------------

int128 LimitOf(const Cycle& cycle, QueueIndex queue, DimensionIndex d) {
  const int64_t limit = cycle.tables().queues.limit.at(queue, d);
  return limit == kAbsent ? kEndless : int128(limit);
}

int128 Promised(const Cycle& cycle, QueueIndex queue, DimensionIndex d) {
  int128 below = 0;
  for (QueueIndex c : ChildrenOf(cycle, queue)) below += Promised(cycle, c, d);
  const int128 own = OrZero(cycle.tables().queues.guaranteed.at(queue, d));
  return std::min(std::max(below, own), LimitOf(cycle, queue, d));
}

void DivideNominally(Cycle& cycle, QueueIndex parent, DimensionIndex d, int64_t total) {
  std::vector<Claim> claims;
  for (QueueIndex q : ChildrenOf(cycle, parent)) {
    const int128 most = std::min(int128(total), LimitOf(cycle, q, d));
    claims.push_back(
        {q, cycle.tables().queues.spec[q].weight, std::min(Promised(cycle, q, d), most), most});
  }
  DivideClaims(total, claims);
  for (const Claim& claim : claims) {
    Fair(cycle).queues[claim.queue].deserved[d] = static_cast<int64_t>(claim.amount);
    DivideNominally(cycle, claim.queue, d, static_cast<int64_t>(claim.amount));
  }
}

int128 KeptBy(const Cycle& cycle, QueueIndex queue, DimensionIndex d) {
  const int64_t lend = cycle.tables().queues.lend_limit.at(queue, d);
  if (lend == kAbsent) return 0;
  return std::max(int128(Fair(cycle).queues[queue].deserved[d]) - lend, int128(0));
}

// With `more` for the jobs of `asker` itself.
int128 ClaimOf(const Cycle& cycle, QueueIndex queue, DimensionIndex d, QueueIndex asker,
               int64_t more) {
  int128 sum = OwnHeld(cycle, queue)[d];
  if (queue == asker) sum += more;
  for (QueueIndex c : ChildrenOf(cycle, queue)) sum += ClaimOf(cycle, c, d, asker, more);
  return std::max(sum, KeptBy(cycle, queue, d));
}

bool MayClaim(const Cycle& cycle, QueueIndex queue, DimensionIndex d, int64_t more) {
  for (QueueIndex q = queue; q != kNone; q = cycle.tables().queues.parent[q]) {
    const int128 claim = ClaimOf(cycle, q, d, queue, more);
    if (claim == ClaimOf(cycle, q, d, queue, 0)) return true;
    const int64_t borrow = cycle.tables().queues.borrow_limit.at(q, d);
    if (claim > LimitOf(cycle, q, d)) return false;
    if (borrow != kAbsent && claim > int128(Fair(cycle).queues[q].deserved[d]) + borrow)
      return false;
  }
  int128 all = 0;
  bool anybody_keeps = false;
  for (QueueIndex q : ChildrenOf(cycle, kNone)) all += ClaimOf(cycle, q, d, queue, more);
  for (QueueIndex q = 0; q < cycle.tables().queues.alive.size(); ++q) {
    anybody_keeps |= cycle.tables().queues.alive[q] && KeptBy(cycle, q, d) > 0;
  }
  return !anybody_keeps || all <= ClusterTotal(cycle)[d];
}

bool IsBelowGuarantee(const Cycle& cycle, QueueIndex queue) {
  const Row held = TreeSum(cycle, State::kHeld, queue);
  const Row pending = TreeSum(cycle, State::kPending, queue);
  for (DimensionIndex d = 0; d < held.size(); ++d) {
    const int64_t guaranteed = cycle.tables().queues.guaranteed.at(queue, d);
    if (d != kPods && pending[d] > 0 && held[d] < OrZero(guaranteed)) return true;
  }
  return false;
}

std::vector<QueueIndex> WayFrom(const Cycle& cycle, QueueIndex queue, QueueIndex other) {
  std::vector<QueueIndex> way;
  for (; queue != kNone && !IsUnder(cycle, other, queue);
       queue = cycle.tables().queues.parent[queue]) {
    way.push_back(queue);
  }
  return way;
}

int CompareByHdrf(const Cycle& cycle, const ReferencePolicy& policy, QueueIndex l, QueueIndex r) {
  const std::string form = TextOption(policy, "form", "dynamic");
  if (form == "naive") {
    if (const int order = CompareNaively(cycle, l, r); order != 0) return order;
  } else {
    const double ls = HoldingOf(cycle, form == "dynamic", l).share;
    const double rs = HoldingOf(cycle, form == "dynamic", r).share;
    if (ls != rs) return ls < rs ? -1 : 1;
  }
  const int32_t lp = cycle.tables().queues.spec[l].priority;
  const int32_t rp = cycle.tables().queues.spec[r].priority;
  return Sign(lp > rp, rp > lp);
}

int CompareByGuarantee(const Cycle& cycle, const ReferencePolicy&, QueueIndex l, QueueIndex r) {
  const bool lb = IsBelowGuarantee(cycle, l), rb = IsBelowGuarantee(cycle, r);
  return Sign(lb && !rb, rb && !lb);
}

int CompareByOwnOrder(const Cycle& cycle, const ReferencePolicy&, JobIndex l, JobIndex r) {
  const auto& jobs = cycle.tables().jobs;
  if (const QueueIndex lq = jobs.queue[l], rq = jobs.queue[r]; lq != rq) {
    const QueueSpec &ls = cycle.tables().queues.spec[lq], &rs = cycle.tables().queues.spec[rq];
    return std::tuple(ls.created, ls.uid_rank, lq) < std::tuple(rs.created, rs.uid_rank, rq) ? -1
                                                                                             : 1;
  }
  const JobOrder order = cycle.tables().queues.spec[jobs.queue[l]].job_order;
  if (order == JobOrder::kPriority) {
    return Sign(jobs.spec[l].priority > jobs.spec[r].priority,
                jobs.spec[r].priority > jobs.spec[l].priority);
  }
  const auto held = [&](JobIndex job) {
    return SumTasks(cycle, State::kHeld,
                    [&](TaskIndex t) { return cycle.tables().tasks.job[t] == job; });
  };
  if (order == JobOrder::kFair) {
    const int64_t lt = held(l)[kPods], rt = held(r)[kPods];  // one each
    return Sign(lt < rt, rt < lt);
  }
  if (order != JobOrder::kDrf) return 0;
  const PartOfWhole ls = LargestPart(cycle, held(l)), rs = LargestPart(cycle, held(r));
  return CompareFractions(ls.part, ls.whole, rs.part, rs.whole);
}

// What every queue deserves, requested or not.
void CountNominal(Cycle& cycle, const ReferencePolicy&) {
  const size_t dimensions = cycle.world.dimensions();
  const Row zero(dimensions, 0);
  Fair(cycle).queues.assign(cycle.tables().queues.alive.size(),
                            {zero, zero, zero, std::vector<bool>(dimensions, false)});
  const Row total = ClusterTotal(cycle);
  for (DimensionIndex d = 0; d < dimensions; ++d) DivideNominally(cycle, kNone, d, total[d]);
}

bool MayBorrow(const Cycle& cycle, const ReferencePolicy&, QueueIndex queue, TaskIndex task) {
  const auto request = cycle.world.request(task);
  if (!WithinLimits(cycle, queue, task)) return false;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kPods || OrZero(request[d]) == 0) continue;
    if (!MayClaim(cycle, queue, d, request[d])) return false;
  }
  return true;
}

TaskList AskBorrowing(const Cycle& cycle, const ReferencePolicy&, TaskIndex evictor,
                      const TaskList& candidates) {
  const QueueIndex asker = cycle.world.queue_of(evictor);
  const auto wanted = cycle.world.request(evictor);
  std::vector<TaskIndex> victims;
  for (TaskIndex t : candidates) {
    const QueueIndex giver = cycle.world.queue_of(t);
    const auto given = cycle.world.request(t);
    const std::vector<QueueIndex> givers = WayFrom(cycle, giver, asker);
    bool may = !givers.empty();
    for (QueueIndex q : WayFrom(cycle, asker, giver)) {
      const Row held = TreeSum(cycle, State::kHeld, q);
      for (DimensionIndex d = 0; d < held.size(); ++d) {
        if (d == kPods || OrZero(wanted[d]) == 0) continue;
        may = may && held[d] + wanted[d] <= Fair(cycle).queues[q].deserved[d];
      }
    }
    std::vector<bool> borrowed(cycle.world.dimensions(), true);
    for (QueueIndex q : givers) {
      Row left = TreeSum(cycle, State::kHeld, q);
      const Row pending = TreeSum(cycle, State::kPending, q);
      for (TaskIndex v : victims) {
        if (IsUnder(cycle, cycle.world.queue_of(v), q)) AddTo(left, cycle.world.request(v), -1);
      }
      AddTo(left, given, -1);
      for (DimensionIndex d = 0; d < left.size(); ++d) {
        if (d == kPods || OrZero(given[d]) == 0) {
          borrowed[d] = false;
          continue;
        }
        const bool has_its_own = left[d] >= Fair(cycle).queues[q].deserved[d];
        borrowed[d] = borrowed[d] && has_its_own && OrZero(wanted[d]) > 0;
        may = may && left[d] >= OrZero(cycle.tables().queues.guaranteed.at(q, d));
        may = may && (pending[d] == 0 || has_its_own);
      }
    }
    if (may && std::find(borrowed.begin(), borrowed.end(), true) != borrowed.end()) {
      victims.push_back(t);
    }
  }
  return victims;
}

TaskList AskLeafOrder(const Cycle& cycle, const ReferencePolicy&, TaskIndex evictor,
                      const TaskList& candidates) {
  const auto& jobs = cycle.tables().jobs.spec;
  std::vector<TaskIndex> victims;
  for (TaskIndex t : candidates) {
    const bool by_priority =
        cycle.tables().queues.spec[cycle.world.queue_of(t)].job_order == JobOrder::kPriority;
    const JobIndex job = cycle.tables().tasks.job[t], own = cycle.tables().tasks.job[evictor];
    if (by_priority && jobs[job].priority < jobs[own].priority) victims.push_back(t);
  }
  return victims;
}

bool WithinBindings(const Cycle& cycle, const ReferencePolicy&, QueueIndex, TaskIndex task) {
  const Tables& tables = cycle.tables();
  for (const NamespaceSpec& name_space : tables.namespaces) {
    for (const QueueBindingSpec& binding : name_space.bindings) {
      const auto bound = [&](TaskIndex t) {
        const TaskShape& shape = cycle.world.shape(t);
        return shape.name_space == name_space.name &&
               Matches(std::optional<Selector>(binding.selector), shape.labels) &&
               std::any_of(binding.queues.begin(), binding.queues.end(),
                           [&](const std::string& name) {
                             const auto queue = tables.queues.names.Find(name);
                             return queue && IsUnder(cycle, cycle.world.queue_of(t), *queue);
                           });
      };
      if (!bound(task)) continue;
      const Row held = SumTasks(cycle, State::kHeld, bound);
      for (const auto& [name, quantity] : binding.limit) {
        const auto d = tables.dimensions.Find(name);
        if (!d || OrZero(cycle.world.request(task)[*d]) == 0) continue;
        const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
        const int64_t limit = ParseQuantity(quantity.text, unit).value();
        if (held[*d] + cycle.world.request(task)[*d] > limit) return false;
      }
    }
  }
  return true;
}

}  // namespace

PolicyTwins TranswarpPolicies() {
  PolicyTwin borrowing;
  borrowing.name = "borrowing";
  borrowing.open = CountNominal;
  borrowing.queue_order = CompareByGuarantee;
  borrowing.allocatable = MayBorrow;
  borrowing.preemptive = MayTakeForItself;
  borrowing.reclaimable = AskBorrowing;
  borrowing.share = ShareOfLivingQueue;
  borrowing.deserved = FairDeserved;
  PolicyTwin hdrf;
  hdrf.name = "hdrf";
  hdrf.queue_order = CompareByHdrf;
  PolicyTwin leaf_order;
  leaf_order.name = "leaf-order";
  leaf_order.job_order = CompareByOwnOrder;
  leaf_order.preemptable = AskLeafOrder;
  PolicyTwin bindings;
  bindings.name = "bindings";
  bindings.allocatable = WithinBindings;
  return {borrowing, hdrf, leaf_order, bindings};
}

}  // namespace muster::reference
