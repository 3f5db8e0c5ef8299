// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Taking an application out of a partition as if it had never been there. The peer's own removal
// leaves traces: numbers that are cut, reservations that still count.
#include <utility>
#include <vector>

#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {

void Partition::Withdraw(Index index) {
  EndOperation();
  Application& app = applications[index];
  for (const Reservation& reservation : std::vector<Reservation>(app.reservations)) {
    CountReservations(app.queue, index, Unreserve(index, reservation.request));
  }
  for (const auto& [key, request] : app.requests) {
    allocations[request].in_requests = false;
    Loosen(request);
  }
  RemoveFromQueue(index);
  for (const Index allocation : app.allocations) {
    Allocation& alloc = allocations[allocation];
    alloc.in_application = false;
    alloc.release = kNone;
    if (alloc.placeholder) --placeholder_allocations;
    TakeFromNode(alloc.node, allocation);
    RankAsNew(alloc.node);
  }
  limits.Decrease(app.usage, Add(app.allocated, app.placeholders_allocated), /*last=*/true);
  application_index.erase(app.id);
  app.allocations.clear();
  EndOperation();
  std::erase(ended_, index);
  app = {};
  free_applications_.push_back(index);
}

// A node with foreign pods alone has the place that it got without them, as the peer does not
// notice them.
void Partition::RankAsNew(Index index) {
  Node& node = nodes[index];
  if (node.occupied.empty() || !IsZero(node.allocated)) return;
  const Resource available = std::exchange(node.available, node.total);
  Notify(index);
  nodes[index].available = available;
}

void Partition::EndReservations() {
  for (Index index = 0; index < applications.size(); ++index) {
    for (const Reservation& reservation :
         std::vector<Reservation>(applications[index].reservations)) {
      const int released = Unreserve(index, reservation.request);
      CountReservations(applications[index].queue, index, released);
      reservations -= released;
    }
  }
}

void Partition::Recount() {
  for (Queue& queue : queues) {
    queue.running = 0;
    queue.allocating.clear();
    queue.reserved.clear();
  }
  reservations = 0;
  for (Index index = 0; index < applications.size(); ++index) {
    const Application& app = applications[index];
    if (!app.in_queue) continue;
    if (app.state == AppState::kRunning) IncRunning(app.queue, index);
    for (size_t i = 0; i < app.reservations.size(); ++i) CountReservation(index);
    for (size_t i = app.first_open; i < app.sorted_requests.size(); ++i) {
      allocations[app.sorted_requests[i]].preemption_refusal = PreemptionRefusal::kNone;
    }
  }
}

}  // namespace muster::yunikorn
