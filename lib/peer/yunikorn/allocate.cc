// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Decisions for requests: down the queues in order, through applications and requests in order, to
// the first node in order.
#include <limits>
#include <optional>

#include "lib/base/math.h"
#include "lib/peer/yunikorn/node_walk.h"
#include "lib/peer/yunikorn/partition.h"
#include "lib/peer/yunikorn/shares.h"

namespace muster::yunikorn {
namespace {

constexpr int kPreemptionsPerQueue = 10;  // attempts in one decision

}  // namespace

std::optional<Result> Partition::Cycle() {
  if (queues.empty() || queues[0].most.nil()) return std::nullopt;
  if (std::optional<Result> result = TryReserved()) return result;
  if (std::optional<Result> result = TryPlaceholders()) return result;
  return TryAllocate();
}

std::optional<Result> Partition::TryAllocate() {
  EndOperation();
  if (queues.empty() || !queues[0].has_pending) return std::nullopt;
  std::optional<Result> result = TryAllocateIn(0);
  return result ? Commit(*result) : std::nullopt;
}

// The depth of the recursion is that of the tree, at most kMostDepth.
std::optional<Result> Partition::TryAllocateIn(Index queue) {
  if (queues[queue].leaf) return TryAllocateLeaf(queue);
  for (Index child : ChildrenInOrder(queue)) {
    if (std::optional<Result> result = TryAllocateIn(child)) return result;
  }
  return std::nullopt;
}

std::optional<Result> Partition::TryAllocateLeaf(Index leaf) {
  const Resource headroom = Headroom(leaf);
  int preemptions_left = kPreemptionsPerQueue;
  for (Index application : ApplicationsInOrder(leaf)) {
    Application& app = applications[application];
    const bool may_run = limits.CanRun(app.usage) && CanRun(leaf, application);
    if (app.state == AppState::kAccepted && !may_run) continue;
    if (app.backoff_deadline != kNever && now < app.backoff_deadline) continue;
    std::optional<Result> result = TryApplication(application, headroom, preemptions_left);
    if (!result) continue;
    if (applications[application].state == AppState::kAccepted) SetAllocating(leaf, application);
    return result;
  }
  return std::nullopt;
}

std::optional<Result> Partition::TryApplication(Index application, const Resource& headroom,
                                                int& preemptions_left) {
  Application& app = applications[application];
  const QueueRules& rules = queues[app.queue].rules;
  const Resource user_headroom = limits.Headroom(app.usage);
  uint64_t unschedulable = 0;
  for (size_t i = app.first_open; i < app.sorted_requests.size(); ++i) {
    if (rules.backoff_asks > 0 && unschedulable >= rules.backoff_asks) {
      app.backoff_deadline = SatAdd(now, rules.backoff_delay);
      ++attempt_changes;
      return std::nullopt;
    }
    const Index request = app.sorted_requests[i];
    Allocation& ask = allocations[request];
    if (ask.allocated) {
      if (i == app.first_open) ++app.first_open;
      continue;
    }
    if (CanReplace(app, ask) || !FitsInLimits(user_headroom, ask.resource)) continue;
    ask.scheduling_attempted = true;
    bool tried_nodes = false;
    std::optional<Result> result = TryRequest(request, headroom, preemptions_left, tried_nodes);
    if (result) return result;
    if (tried_nodes) ++unschedulable;
  }
  return std::nullopt;
}

// A request that a placeholder of its task group waits for.
bool Partition::CanReplace(const Application& app, const Allocation& request) const {
  if (request.placeholder || request.task_group.empty()) return false;
  const auto data = app.placeholder_data.find(request.task_group);
  return data != app.placeholder_data.end() &&
         data->second.count > data->second.replaced + data->second.timed_out;
}

std::optional<Result> Partition::TryRequest(Index request, const Resource& headroom,
                                            int& preemptions_left, bool& tried_nodes) {
  if (!FitsInLimits(headroom, allocations[request].resource)) {
    if (!preemption) return std::nullopt;
    return TryPreemption(request, preemptions_left, /*nodes_tried=*/false);
  }
  if (!allocations[request].required_node.empty()) return TryRequiredNode(request);
  if (std::optional<Result> result = TryNodes(request)) return result;
  tried_nodes = true;
  if (!preemption) return std::nullopt;
  return TryPreemption(request, preemptions_left, /*nodes_tried=*/true);
}

// A request that may be on one node only reserves it if there is no room. Reservations of other
// requests give way.
std::optional<Result> Partition::TryRequiredNode(Index request) {
  const auto found = node_index.find(allocations[request].required_node);
  if (found == node_index.end()) return std::nullopt;
  const Index node = found->second;
  const int cancelled = CancelReservations(node);
  const bool reserved =
      FindReservation(applications[allocations[request].application], request) != nullptr;
  Result result{.request = request, .node = node, .cancelled_reservations = cancelled};
  if (TryNode(node, request)) {
    if (reserved) result.type = ResultType::kAllocatedReserved;
    return result;
  }
  if (reserved) return std::nullopt;
  result.type = ResultType::kReserved;
  return result;
}

// --- nodes

bool Partition::TryNode(Index node, Index request) {
  const Allocation& ask = allocations[request];
  const Index queue = applications[ask.application].queue;
  if (!MayAllocate(nodes[node], request) || !Permits(request, node, /*allocate=*/true))
    return false;
  if (!FitsQueues(queue, ask.resource)) return false;
  AddToNode(node, request, /*force=*/true);
  CountAllocated(queue, ask.resource);
  Allocate(request);
  allocations[request].node = node;
  AddAllocation(request, /*replaced=*/false);
  return true;
}

// Whether it is known that no node has room, and none that changed since has got it.
bool Partition::KnownUnfit(Allocation& ask, bool reserves) const {
  if (ask.unfit_at < better_before_ || (reserves && !ask.unfit_reserves)) return false;
  for (size_t i = ask.unfit_at - better_before_; i < better_nodes_.size(); ++i) {
    const Node& node = nodes[better_nodes_[i]];
    if (node.removed || !node.schedulable || !node.reservations.empty()) continue;
    if (!FitsIn(node.total, ask.resource)) continue;
    if (reserves || FitsIn(node.available, ask.resource)) return false;
  }
  ask.unfit_at = better_before_ + better_nodes_.size();
  ask.unfit_reserves = reserves;  // of what came by until now only room was looked at
  return true;
}

std::optional<Result> Partition::TryNodes(Index request) {
  Allocation& ask = allocations[request];
  const Reservation* reserved = FindReservation(applications[ask.application], request);
  const Index reserved_node = reserved == nullptr ? kNone : reserved->node;
  const bool reserves = reserved == nullptr && now - ask.create_time > reservation_delay;
  if (KnownUnfit(ask, reserves)) return std::nullopt;
  bool refused = false;
  const Index node = FirstNode(ask.resource, /*need_free=*/true, [&](Index candidate) {
    if (!nodes[candidate].reservations.empty()) return false;
    if (TryNode(candidate, request)) return true;
    refused = true;
    return false;
  });
  if (node != kNone) {
    Result result{.request = request, .node = node};
    if (reserved_node != kNone) {
      result.type = ResultType::kAllocatedReserved;
      if (reserved_node != node) result.reserved_node = reserved_node;
    }
    return result;
  }
  if (reserves) return ReserveNode(request, refused);
  if (!refused) {
    allocations[request].unfit_at = better_before_ + better_nodes_.size();
    allocations[request].unfit_reserves = false;
  }
  return std::nullopt;
}

// The node that has the least to spare is reserved: the peer scores how far the request is from
// holding what the node has free.
std::optional<Result> Partition::ReserveNode(Index request, bool refused) {
  Allocation& ask = allocations[request];
  Index best = kNone;
  double least = std::numeric_limits<double>::infinity();
  FirstNode(ask.resource, /*need_free=*/false, [&](Index candidate) {
    if (!nodes[candidate].reservations.empty()) return false;
    const double score = FitScore(ask.resource, nodes[candidate].available);
    if (score < least) {
      least = score;
      best = candidate;
    }
    return false;
  });
  if (best == kNone) {
    if (refused) return std::nullopt;
    ask.unfit_at = better_before_ + better_nodes_.size();
    ask.unfit_reserves = true;
    return std::nullopt;
  }
  if (!Permits(request, best, /*allocate=*/false)) return std::nullopt;
  return Result{.type = ResultType::kReserved, .request = request, .node = best};
}

// --- what follows from a decision

std::optional<Result> Partition::Commit(Result result) {
  reservations -= result.cancelled_reservations;
  const Index application = allocations[result.request].application;
  if (result.type == ResultType::kReserved) {
    CommitReservation(result);
    return std::nullopt;
  }
  if (result.type == ResultType::kUnreserved || result.type == ResultType::kAllocatedReserved) {
    const int released = Unreserve(application, result.request);
    CountReservations(applications[application].queue, application, released);
    reservations -= released;
    if (result.type == ResultType::kUnreserved) return std::nullopt;
    result.reserved_node = kNone;
  }
  allocations[result.request].node = result.node;
  if (allocations[result.request].placeholder) ++placeholder_allocations;
  return result;
}

}  // namespace muster::yunikorn
