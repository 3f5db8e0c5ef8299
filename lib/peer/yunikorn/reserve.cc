// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations: a node that is kept free for a request.
#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/math.h"
#include "lib/peer/yunikorn/node_walk.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {
namespace {

// A reservation of a request that exceeds limits ends after twice this time: the peer adds it to
// the creation, and compares the rest with it.
constexpr Nanos kReservationWait = 3600 * kSecond;

void Insert(const std::vector<Allocation>& allocations, const Reservation& reservation,
            std::vector<Reservation>& list) {
  const auto at = std::ranges::lower_bound(
      list, allocations[reservation.request].key, {},
      [&](const Reservation& r) -> const std::string& { return allocations[r.request].key; });
  list.insert(at, reservation);
}

}  // namespace

const Reservation* Partition::FindReservation(const Application& app, Index request) const {
  for (const Reservation& reservation : app.reservations) {
    if (reservation.request == request) return &reservation;
  }
  return nullptr;
}

// --- making and ending them

bool Partition::Reserve(Index application, Index index, Index request) {
  const Allocation& ask = allocations[request];
  Node& node = nodes[index];
  if (!ask.in_requests || ask.allocated) return false;
  if (FindReservation(applications[application], request) != nullptr) return false;
  if (ask.required_node.empty() && !node.reservations.empty()) return false;
  const bool other = std::ranges::any_of(node.reservations, [&](const Reservation& r) {
    return allocations[r.request].required_node.empty();
  });
  if (other || !FitsIn(node.total, ask.resource)) return false;
  const Reservation reservation{request, application, index, now};
  Insert(allocations, reservation, applications[application].reservations);
  Insert(allocations, reservation, node.reservations);
  ++reservation_changes;
  return true;
}

// Returns how many reservations ended: one or none.
int Partition::Unreserve(Index application, Index request) {
  std::vector<Reservation>& list = applications[application].reservations;
  const auto at = std::ranges::find(list, request, &Reservation::request);
  if (at == list.end()) return 0;
  const Index node = at->node;
  list.erase(at);
  ++reservation_changes;
  std::erase_if(nodes[node].reservations,
                [&](const Reservation& r) { return r.request == request; });
  if (!nodes[node].removed) GotRoom(node);
  return 1;
}

void Partition::CountReservations(Index queue, Index application, int released) {
  auto& reserved = queues[queue].reserved;
  const auto at = std::ranges::find(reserved, application, &std::pair<Index, int>::first);
  if (at == reserved.end()) return;
  at->second -= released;
  if (at->second <= 0) reserved.erase(at);
}

void Partition::CommitReservation(const Result& result) {
  const Index application = allocations[result.request].application;
  const Index queue = applications[application].queue;
  if (const Reservation* old = FindReservation(applications[application], result.request)) {
    if (old->node == result.node) return;
    const int released = Unreserve(application, result.request);
    CountReservations(queue, application, released);
    reservations -= released;
  }
  if (Reserve(application, result.node, result.request)) CountReservation(application);
}

void Partition::CountReservation(Index application) {
  ++reservations;
  auto& reserved = queues[applications[application].queue].reserved;
  const auto at = std::ranges::find(reserved, application, &std::pair<Index, int>::first);
  if (at != reserved.end()) {
    ++at->second;
    return;
  }
  const std::string& id = applications[application].id;
  const auto place = std::ranges::find_if(
      reserved, [&](const auto& entry) { return applications[entry.first].id > id; });
  reserved.insert(place, {application, 1});
}

void Partition::RestoreReservation(std::string_view application_id, std::string_view key,
                                   std::string_view node_id, Nanos create_time) {
  const Index application = FindApplication(application_id);
  const auto node = node_index.find(node_id);
  if (application == kNone || node == node_index.end()) return;
  const auto request = applications[application].requests.find(key);
  if (request == applications[application].requests.end()) return;
  const Nanos present = std::exchange(now, create_time);
  if (Reserve(application, node->second, request->second)) CountReservation(application);
  now = present;
}

// Ends the node's reservations of requests that could be elsewhere. Returns how many.
int Partition::CancelReservations(Index node) {
  int released = 0;
  for (const Reservation& reservation : std::vector<Reservation>(nodes[node].reservations)) {
    if (!allocations[reservation.request].required_node.empty()) continue;
    const int one = Unreserve(reservation.application, reservation.request);
    CountReservations(applications[reservation.application].queue, reservation.application, one);
    released += one;
  }
  return released;
}

// --- decisions for what is reserved

std::optional<Result> Partition::TryReserved() {
  EndOperation();
  if (reservations == 0 || !queues[0].has_pending) return std::nullopt;
  std::optional<Result> result = TryReservedIn(0);
  return result ? Commit(*result) : std::nullopt;
}

std::optional<Result> Partition::TryReservedIn(Index index) {
  const Queue& queue = queues[index];
  if (!queue.leaf) {
    for (Index child : ChildrenInOrder(index)) {
      if (std::optional<Result> result = TryReservedIn(child)) return result;
    }
    return std::nullopt;
  }
  if (queue.reserved.empty()) return std::nullopt;
  const Resource headroom = Headroom(index);
  const auto reserved = queue.reserved;
  for (const auto& [application, count] : reserved) {
    Application& app = applications[application];
    if (!app.in_queue) return std::nullopt;
    if (app.state == AppState::kAccepted &&
        (!CanRun(index, application) || !limits.CanRun(app.usage))) {
      continue;
    }
    std::optional<Result> result = TryReservedApplication(application, headroom);
    if (!result) continue;
    if (applications[application].state == AppState::kAccepted) SetAllocating(index, application);
    return result;
  }
  return std::nullopt;
}

std::optional<Result> Partition::TryReservedApplication(Index application,
                                                        const Resource& headroom) {
  Application& app = applications[application];
  const Resource user_headroom = limits.Headroom(app.usage);
  const auto fits = [&](const Allocation& ask) {
    return FitsInLimits(user_headroom, ask.resource) && FitsInLimits(headroom, ask.resource);
  };
  for (const Reservation& reservation : std::vector<Reservation>(app.reservations)) {
    Allocation& ask = allocations[reservation.request];
    Result result{.request = reservation.request, .node = reservation.node};
    if (!ask.in_requests || ask.allocated) {
      result.type = ResultType::kUnreserved;
      return result;
    }
    if (!fits(ask)) {
      if (SatSub(now, reservation.create_time) > 2 * kReservationWait) {
        CountReservations(app.queue, application, Unreserve(application, reservation.request));
      }
      continue;
    }
    if (!ask.required_node.empty() && !ask.preemption_triggered &&
        !FitsIn(nodes[reservation.node].available, ask.resource)) {
      TryRequiredNodePreemption(reservation.node, reservation.request);
      continue;
    }
    if (!TryNode(reservation.node, reservation.request)) continue;
    result.type = ResultType::kAllocatedReserved;
    return result;
  }
  for (const Reservation& reservation : std::vector<Reservation>(app.reservations)) {
    const Allocation& ask = allocations[reservation.request];
    if (!ask.required_node.empty() || !fits(ask)) continue;
    if (std::optional<Result> result = TryOtherNodes(reservation)) return result;
  }
  return std::nullopt;
}

std::optional<Result> Partition::TryOtherNodes(const Reservation& reservation) {
  const Resource ask = allocations[reservation.request].resource;
  const Index node = FirstNode(ask, /*need_free=*/true, [&](Index candidate) {
    return nodes[candidate].reservations.empty() && candidate != reservation.node &&
           TryNode(candidate, reservation.request);
  });
  if (node == kNone) return std::nullopt;
  return Result{.type = ResultType::kAllocatedReserved,
                .request = reservation.request,
                .node = node,
                .reserved_node = reservation.node};
}

// --- what a larger cluster could hold

std::vector<Index> Partition::OutstandingRequests() {
  EndOperation();
  std::vector<Index> found;
  if (queues.empty() || !queues[0].has_pending) return found;
  for (Index child : std::vector<Index>(ChildrenInOrder(0))) {
    Resource total_found;
    OutstandingIn(child, {}, found, total_found);
  }
  return found;
}

void Partition::OutstandingIn(Index index, const Resource& parent_headroom,
                              std::vector<Index>& found, Resource& total_found) {
  Resource headroom = HeadroomBelow(queues[index], parent_headroom);
  if (queues[index].leaf) {
    for (Index application : ApplicationsInOrder(index)) {
      const Resource of_application = OutstandingOf(
          application, headroom, limits.Headroom(applications[application].usage), found);
      total_found.AddTo(of_application);
      headroom = SubOnlyExisting(headroom, of_application);
    }
    return;
  }
  for (Index child : ChildrenInOrder(index)) {
    Resource of_child;
    OutstandingIn(child, headroom, found, of_child);
    total_found.AddTo(of_child);
    headroom = SubOnlyExisting(headroom, of_child);
  }
}

Resource Partition::OutstandingOf(Index application, Resource headroom, Resource user_headroom,
                                  std::vector<Index>& found) const {
  const Application& app = applications[application];
  Resource total_found;
  for (Index request : app.sorted_requests) {
    const Allocation& ask = allocations[request];
    if (ask.allocated || !ask.scheduling_attempted) continue;
    if (!FitsInLimits(headroom, ask.resource) || !FitsInLimits(user_headroom, ask.resource)) {
      continue;
    }
    if (!ask.scale_up_triggered && ask.required_node.empty() && !CanReplace(app, ask)) {
      found.push_back(request);
      total_found.AddTo(ask.resource);
    }
    headroom = SubOnlyExisting(headroom, ask.resource);
    user_headroom = SubOnlyExisting(user_headroom, ask.resource);
  }
  return total_found;
}

}  // namespace muster::yunikorn
