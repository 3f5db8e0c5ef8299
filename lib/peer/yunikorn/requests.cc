// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Requests, and what the host says about them and about allocations.
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {
namespace {

// Not an order: of equals each is behind the other.
bool Behind(const Allocation& a, const Allocation& b) {
  if (a.priority == b.priority) return a.create_time >= b.create_time;
  return a.priority < b.priority;
}

absl::Status Missing(absl::string_view what, std::string_view name) {
  return absl::NotFoundError(absl::StrCat(what, " ", ToAbsl(name), ": there is none"));
}

absl::Status NoResources(const Allocation& allocation) {
  return absl::InvalidArgumentError(
      absl::StrCat("allocation ", allocation.key, ": its resources are none, or negative"));
}

}  // namespace

// --- the list of requests

// Behind the last one, if it belongs there; otherwise in front of the first that it is not behind,
// which is in front of its equals.
void Partition::InsertSorted(Application& app, Index request) {
  const Allocation& ask = allocations[request];
  std::vector<Index>& sorted = app.sorted_requests;
  if (!sorted.empty() && Behind(ask, allocations[sorted.back()])) {
    sorted.push_back(request);
    return;
  }
  const auto at = std::partition_point(sorted.begin(), sorted.end(),
                                       [&](Index i) { return !Behind(allocations[i], ask); });
  app.first_open = std::min(app.first_open, static_cast<size_t>(at - sorted.begin()));
  sorted.insert(at, request);
}

// Lists the request, and raises the application's priority.
void Partition::ListRequest(Index application, Index request) {
  Application& app = applications[application];
  Allocation& ask = allocations[request];
  ask.in_requests = true;
  app.requests[ask.key] = request;
  if (!ask.allocated) {
    app.open_priorities.Add(ask.priority);
    if (ask.priority > app.priority) {
      app.priority = ask.priority;
      CountPriority(application);
    }
  }
  if (!ask.placeholder) return;
  PlaceholderData& data = app.placeholder_data[ask.task_group];
  if (data.count++ == 0) data.least = ask.resource;
}

// Lists a request that is not allocated, without its resources.
void Partition::AddRequest(Index application, Index request) {
  Application& app = applications[application];
  app.submission_time = std::min(app.submission_time, allocations[request].create_time);
  if (app.state == AppState::kNew || app.state == AppState::kCompleting) {
    Handle(application, AppEvent::kRun);
  }
  ListRequest(application, request);
  InsertSorted(app, request);
}

void Partition::AddPending(Index application, const Resource& resource) {
  Application& app = applications[application];
  app.pending.AddTo(resource);
  app.pending.Prune();
  IncPending(app.queue, resource);
  TouchedApplication(application);
}

void Partition::Unlist(Application& app, Index request) {
  Allocation& ask = allocations[request];
  app.requests.erase(ask.key);
  const auto at = std::ranges::find(app.sorted_requests, request);
  if (at != app.sorted_requests.end()) {
    if (static_cast<size_t>(at - app.sorted_requests.begin()) < app.first_open) --app.first_open;
    app.sorted_requests.erase(at);
  }
  if (!ask.allocated) app.open_priorities.Remove(ask.priority);
  ask.in_requests = false;
  Loosen(request);
}

void Partition::AfterRequestsLeft(Index application, const Resource& delta) {
  Application& app = applications[application];
  if (app.in_queue || app.queue != kNone) DecPending(app.queue, delta);
  TouchedApplication(application);
  const bool placeholders = std::ranges::any_of(
      app.allocations, [&](Index allocation) { return allocations[allocation].placeholder; });
  if (HasNothing(app) && app.state != AppState::kFailing && app.state != AppState::kCompleting &&
      !placeholders) {
    Handle(application, AppEvent::kComplete);
  }
}

void Partition::RemoveRequests(Index application) {
  Application& app = applications[application];
  if (app.requests.empty()) return;
  int released = 0;
  for (const Reservation& reservation : std::vector<Reservation>(app.reservations)) {
    released += Unreserve(application, reservation.request);
  }
  CountReservations(app.queue, application, released);
  const Resource delta = std::exchange(app.pending, {});
  for (const auto& [key, request] : app.requests) {
    allocations[request].in_requests = false;
    Loosen(request);
  }
  app.requests.clear();
  app.sorted_requests.clear();
  app.first_open = 0;
  app.open_priorities.Clear();
  app.priority = kLeastPriority;
  CountPriority(application);
  AfterRequestsLeft(application, delta);
}

void Partition::RemoveRequest(Index application, std::string_view key) {
  if (key.empty()) return RemoveRequests(application);
  Application& app = applications[application];
  if (app.requests.empty()) return;
  Resource delta = Resource::Nil();
  for (const Reservation& reservation : app.reservations) {
    if (allocations[reservation.request].key != key) continue;
    CountReservations(app.queue, application, Unreserve(application, reservation.request));
    break;
  }
  if (const auto found = app.requests.find(key); found != app.requests.end()) {
    const Index request = found->second;
    const Allocation& ask = allocations[request];
    if (!ask.allocated) {
      delta = ask.resource;
      app.pending.SubFrom(delta);
      app.pending.Prune();
    }
    Unlist(app, request);
    if (ask.priority >= app.priority) {
      app.priority = app.open_priorities.Largest();
      CountPriority(application);
    }
  }
  AfterRequestsLeft(application, delta);
}

bool Partition::Allocate(Index request) {
  Allocation& ask = allocations[request];
  if (ask.allocated) return false;
  ask.allocated = true;
  Application& app = applications[ask.application];
  app.open_priorities.Remove(ask.priority);
  if (ask.priority >= app.priority) {
    app.priority = app.open_priorities.Largest();
    CountPriority(ask.application);
  }
  app.pending.SubFrom(ask.resource);
  app.pending.Prune();
  DecPending(app.queue, ask.resource);
  TouchedApplication(ask.application);
  return true;
}

bool Partition::Deallocate(Index request) {
  Allocation& ask = allocations[request];
  Application& app = applications[ask.application];
  if (!ask.allocated || !ask.in_requests) return false;
  ask.allocated = false;
  app.first_open = 0;
  app.open_priorities.Add(ask.priority);
  if (ask.priority > app.priority) {
    app.priority = ask.priority;
    CountPriority(ask.application);
  }
  app.pending.AddTo(ask.resource);
  IncPending(app.queue, ask.resource);
  TouchedApplication(ask.application);
  return true;
}

// --- tables

Index Partition::NewAllocation() {
  if (free_allocations_.empty()) {
    allocations.emplace_back();
    return static_cast<Index>(allocations.size() - 1);
  }
  const Index index = free_allocations_.back();
  free_allocations_.pop_back();
  return index;
}

Index Partition::NewAllocation(Allocation&& allocation) {
  const Index index = NewAllocation();
  allocations[index] = std::move(allocation);
  return index;
}

// The allocation may be listed nowhere any more; if so, its place is used again.
void Partition::Loosen(Index allocation) { loose_.push_back(allocation); }

// --- what the host reports

void Partition::UpdateResource(Index request, const Resource& resource) {
  Allocation& existing = allocations[request];
  Application& app = applications[existing.application];
  Resource delta = Sub(resource, existing.resource);
  if (IsZero(delta)) return;
  delta.Prune();
  if (existing.allocated) {
    app.allocated.AddTo(delta);
    app.allocated.Prune();
    IncAllocated(app.queue, delta);
    limits.Increase(app.usage, delta);
  } else {
    app.pending.AddTo(delta);
    app.pending.Prune();
    IncPending(app.queue, delta);
  }
  existing.resource = resource;
  existing.unfit_at = 0;
  TouchedApplication(existing.application);
  if (!existing.allocated || existing.node == kNone) return;
  Node& node = nodes[existing.node];
  node.allocated.AddTo(delta);
  node.allocated.Prune();
  RefreshAvailable(node);
  GotRoom(existing.node);
}

// Takes an allocation that the host made, whatever the limits say.
void Partition::Recover(Index application, Index allocation, Index node) {
  IncAllocated(applications[application].queue, allocations[allocation].resource);
  AddToNode(node, allocation, /*force=*/true);
  if (!allocations[allocation].in_requests) {
    ListRequest(application, allocation);
    if (applications[application].state == AppState::kNew) Handle(application, AppEvent::kRun);
  }
  AddAllocation(allocation, /*replaced=*/false);
  if (allocations[allocation].placeholder) ++placeholder_allocations;
}

absl::Status Partition::UpdateForeign(Index allocation, std::string_view node_id) {
  const auto node = node_index.find(node_id);
  if (node == node_index.end()) return Missing("node", node_id);
  Allocation& alloc = allocations[allocation];
  alloc.foreign = true;
  alloc.allocated = true;
  alloc.node = node->second;
  const auto known = foreign_index.find(alloc.key);
  if (known == foreign_index.end()) {
    foreign_index[alloc.key] = allocation;
    AddToNode(node->second, allocation, /*force=*/true);
    return absl::OkStatus();
  }
  Node& where = nodes[node->second];
  const Index existing = FindOnNode(where, alloc.key);
  const Resource old = existing == kNone ? alloc.resource : allocations[existing].resource;
  if (existing != kNone) {
    allocations[existing].resource = alloc.resource;
    Loosen(allocation);
  } else {
    where.allocations.push_back(allocation);
    where.allocations_sorted = false;
    alloc.on_node = true;
  }
  Resource delta = Sub(alloc.resource, old);
  delta.Prune();
  where.occupied.AddTo(delta);
  where.occupied.Prune();
  if (existing != kNone) RefreshAvailable(where);
  GotRoom(node->second);
  return absl::OkStatus();
}

absl::Status Partition::UpdateAllocation(Allocation&& allocation, std::string_view application_id,
                                         std::string_view node_id) {
  EndOperation();
  if (allocation.key.empty()) return absl::InvalidArgumentError("allocation: no key");
  if (application_id.empty()) return UpdateForeign(NewAllocation(std::move(allocation)), node_id);
  const Index application = FindApplication(application_id);
  if (application == kNone) return Missing("application", application_id);
  const auto node = node_id.empty() ? node_index.end() : node_index.find(node_id);
  if (!node_id.empty() && node == node_index.end()) return Missing("node", node_id);
  if (!AboveZero(allocation.resource)) return NoResources(allocation);
  const auto existing = applications[application].requests.find(allocation.key);
  if (existing == applications[application].requests.end()) {
    if (allocation.placeholder && allocation.task_group.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("allocation ", allocation.key, ": a placeholder without a task group"));
    }
    allocation.application = application;
    const Index index = NewAllocation(std::move(allocation));
    if (node_id.empty()) {
      AddRequest(application, index);
      AddPending(application, allocations[index].resource);
      return absl::OkStatus();
    }
    allocations[index].allocated = true;
    allocations[index].node = node->second;
    Recover(application, index, node->second);
    return absl::OkStatus();
  }
  const Index request = existing->second;
  UpdateResource(request, allocation.resource);
  if (!allocations[request].allocated && !node_id.empty()) {
    allocations[request].node = node->second;
    Allocate(request);
    Recover(application, request, node->second);
  }
  return absl::OkStatus();
}

void Partition::AddNewRequests(Index application, size_t count,
                               absl::FunctionRef<void(size_t, Allocation&)> fill) {
  EndOperation();
  Application& app = applications[application];
  app.requests.reserve(app.requests.size() + count);
  app.sorted_requests.reserve(app.sorted_requests.size() + count);
  Resource pending;
  for (size_t i = 0; i < count; ++i) {
    const Index index = NewAllocation();
    Allocation& request = allocations[index];
    fill(i, request);
    if (!AboveZero(request.resource)) {
      request = {};
      free_allocations_.push_back(index);
      continue;
    }
    request.application = application;
    pending.AddTo(request.resource);
    AddRequest(application, index);
  }
  if (!pending.empty()) AddPending(application, pending);
}

std::string Partition::Release(std::string_view application_id, std::string_view key,
                               Termination type) {
  EndOperation();
  if (application_id.empty()) {
    const auto foreign = foreign_index.find(key);
    if (foreign == foreign_index.end()) return "";
    const Index allocation = foreign->second;
    foreign_index.erase(key);
    const Index node = allocations[allocation].node;
    if (node != kNone && !nodes[node].removed) RemoveFromNode(node, key);
    return "";
  }
  const Index application = FindApplication(application_id);
  if (application == kNone) return "";
  const std::string confirmed = ReleaseAllocations(application, key, type);
  if (type != Termination::kTimeout) RemoveRequest(application, key);
  EndOperation();
  return confirmed;
}

std::string Partition::ReleaseAllocations(Index application, std::string_view key,
                                          Termination type) {
  std::vector<Index> released;
  if (key.empty()) {
    released = RemoveAllAllocations(application);
  } else {
    const Index one = type == Termination::kReplaced ? ReplaceAllocation(application, key)
                                                     : RemoveAllocation(application, key, type);
    if (one != kNone) released.push_back(one);
  }
  Resource freed, preempting;
  std::string confirmed;
  for (Index allocation : released) {
    const Allocation& alloc = allocations[allocation];
    if (alloc.placeholder) --placeholder_allocations;
    if (alloc.node == kNone || nodes[alloc.node].removed) continue;
    const Index real = type == Termination::kReplaced ? alloc.release : kNone;
    if (real != kNone) {
      confirmed = allocations[real].key;
      const Resource delta = Sub(allocations[real].resource, alloc.resource);
      if (HasNegative(delta)) freed.SubFrom(delta);
      SwapOnNode(allocation, real, delta);
    } else if (TakeFromNode(alloc.node, allocation)) {
      freed.AddTo(alloc.resource);
    }
    if (alloc.preempted) preempting.AddTo(alloc.resource);
  }
  const Index queue = applications[application].queue;
  if (AboveZero(freed)) DecAllocated(queue, freed);
  if (AboveZero(preempting)) DecPreempting(queue, preempting);
  return confirmed;
}

// A real allocation takes a placeholder's place, on its node or on another, where it already is.
void Partition::SwapOnNode(Index placeholder, Index real, const Resource& delta) {
  const Index index = allocations[placeholder].node;
  if (allocations[real].node != index) {
    TakeFromNode(index, placeholder);
    return;
  }
  Node& node = nodes[index];
  auto& held = node.allocations;
  held.erase(std::remove(held.begin(), held.end(), placeholder), held.end());
  allocations[placeholder].on_node = false;
  Loosen(placeholder);
  node.allocations.push_back(real);
  node.allocations_sorted = false;
  allocations[real].on_node = true;
  node.allocated.AddTo(delta);
  node.available.SubFrom(delta);
  node.available.Prune();
  Notify(index);
  GotRoom(index);
}

}  // namespace muster::yunikorn
