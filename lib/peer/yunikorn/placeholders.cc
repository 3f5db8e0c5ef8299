// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs: requests take the place of placeholders of their task group.
#include <optional>

#include "lib/peer/yunikorn/node_walk.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {

std::optional<Result> Partition::TryPlaceholders() {
  EndOperation();
  if (placeholder_allocations == 0 || !queues[0].has_pending) return std::nullopt;
  return TryPlaceholdersIn(0);
}

std::optional<Result> Partition::TryPlaceholdersIn(Index queue) {
  if (!queues[queue].leaf) {
    for (Index child : ChildrenInOrder(queue)) {
      if (std::optional<Result> result = TryPlaceholdersIn(child)) return result;
    }
    return std::nullopt;
  }
  for (Index application : ApplicationsInOrder(queue)) {
    if (!applications[application].has_placeholders) continue;
    if (std::optional<Result> result = TryPlaceholderApplication(application)) return result;
  }
  return std::nullopt;
}

// Links the two: the host stops the placeholder, and its confirmation puts the request there.
void Partition::PairUp(Index request, Index placeholder, Index node) {
  allocations[request].release = placeholder;
  allocations[request].node = node;
  allocations[placeholder].release = request;
  allocations[placeholder].released = true;
}

// On the placeholder's own node, which has the room.
std::optional<Result> Partition::TryReplace(Index request, Index placeholder) {
  const Index node = allocations[placeholder].node;
  if (node == kNone || nodes[node].removed) return std::nullopt;
  if (!Permits(request, node, /*allocate=*/false)) return std::nullopt;
  Allocate(request);
  PairUp(request, placeholder, node);
  return Result{.type = ResultType::kReplaced, .request = request, .node = node};
}

std::optional<Result> Partition::TryPlaceholderApplication(Index application) {
  Application& app = applications[application];
  if (IsZero(app.placeholders_allocated)) return std::nullopt;
  const std::vector<Index> placeholders = PlaceholdersOf(app);
  Index fit = kNone, fit_request = kNone;
  for (size_t i = app.first_open; i < app.sorted_requests.size(); ++i) {
    const Index request = app.sorted_requests[i];
    const Allocation& ask = allocations[request];
    if (ask.placeholder || ask.task_group.empty() || ask.allocated) continue;
    for (Index placeholder : placeholders) {
      Allocation& place = allocations[placeholder];
      if (place.released || place.preempted || ask.task_group != place.task_group) continue;
      if (HasNegative(Sub(place.resource, ask.resource))) {
        place.released = true;
        StopAll({placeholder}, Termination::kTimeout);
        continue;
      }
      if (fit == kNone) {
        fit = placeholder;
        fit_request = request;
      }
      if (std::optional<Result> result = TryReplace(request, placeholder)) return result;
    }
  }
  return fit == kNone ? std::nullopt : ReplaceElsewhere(fit_request, fit);
}

// No placeholder's node takes a request: the first of both go to another node. Queues do not count
// the request until the placeholder is gone.
std::optional<Result> Partition::ReplaceElsewhere(Index request, Index placeholder) {
  const Resource ask = allocations[request].resource;
  const Index node = FirstNode(ask, /*need_free=*/true, [&](Index candidate) {
    return nodes[candidate].reservations.empty() && MayAllocate(nodes[candidate], request) &&
           Permits(request, candidate, /*allocate=*/true);
  });
  if (node == kNone) return std::nullopt;
  AddToNode(node, request, /*force=*/false);
  Allocate(request);
  PairUp(request, placeholder, node);
  return Result{.type = ResultType::kReplaced, .request = request, .node = node};
}

}  // namespace muster::yunikorn
