// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes: what is on them, and their order.
#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {
namespace {

constexpr uint64_t kRankGap = uint64_t{1} << 32;
constexpr size_t kMostRemembered = 4096;  // nodes that got room

absl::Status UnknownNode(std::string_view id) {
  return absl::NotFoundError(absl::StrCat("node ", ToAbsl(id), ": there is none"));
}

}  // namespace

// --- order

// The weighted mean of what is used of each type, or one less that where full nodes come first.
double Partition::ScoreOf(const Node& node) const {
  double usage = 0, weight_sum = 0;
  for (int type : node.total.types()) {
    if (static_cast<size_t>(type) >= weights_.size()) break;
    const double weight = weights_[static_cast<size_t>(type)];
    if (weight == 0) continue;
    const double free = static_cast<double>(node.available.Get(type));
    const double share = 1.0 - free / static_cast<double>(node.total.Get(type));
    if (std::isnan(share)) continue;
    usage += share * weight;
    weight_sum += weight;
  }
  const double score = weight_sum == 0 ? 0.0 : usage / weight_sum;
  return bin_packing ? 1.0 - score : score;
}

void Partition::RankNode(Index node) {
  const auto before = [&](Index a, const std::string& id) { return nodes[a].id < id; };
  const bool is_last = nodes_by_id_.empty() || before(nodes_by_id_.back(), nodes[node].id);
  const auto at =
      is_last ? nodes_by_id_.end()
              : std::lower_bound(nodes_by_id_.begin(), nodes_by_id_.end(), nodes[node].id, before);
  const uint64_t low = at == nodes_by_id_.begin() ? 0 : places_[*(at - 1)].rank;
  const uint64_t high = at == nodes_by_id_.end() ? low + 2 * kRankGap : places_[*at].rank;
  const bool room = high - low > 1 && high > low;
  places_[node].rank = low + (high - low) / 2;
  nodes_by_id_.insert(at, node);
  places_[node].score = ScoreOf(nodes[node]);
  if (!room) return RankAllNodes();
  order_.Put({places_[node].score, places_[node].rank, node}, nodes[node]);
}

// Gives all nodes new ranks, and sorts them anew.
void Partition::RankAllNodes() {
  order_.Clear();
  uint64_t rank = 0;
  for (Index node : nodes_by_id_) {
    places_[node].rank = rank += kRankGap;
    order_.Put({places_[node].score, rank, node}, nodes[node]);
  }
}

// Scores all nodes anew.
void Partition::ScoreAllNodes() {
  ReadWeights();
  for (Index node : nodes_by_id_) places_[node].score = ScoreOf(nodes[node]);
  RankAllNodes();
}

void Partition::ReadWeights() {
  weights_.assign(static_cast<size_t>(names.size()), 0.0);
  for (const auto& [name, weight] : weights_by_name_) {
    const int type = names.Find(name);
    if (type >= 0) weights_[static_cast<size_t>(type)] = weight;
  }
}

// Moves the node to where its score says. What the peer does not notice is not reported here, so
// the node stays where it was.
void Partition::Notify(Index node) {
  NodePlace& place = places_[node];
  const double score = ScoreOf(nodes[node]);
  if (score == place.score) return order_.Widen(place.score, place.rank, nodes[node]);
  order_.Take(place.score, place.rank);
  place.score = score;
  order_.Put({score, place.rank, node}, nodes[node]);
}

// The node may now hold what it did not hold before.
void Partition::GotRoom(Index node) {
  order_.Widen(places_[node].score, places_[node].rank, nodes[node]);
  if (better_nodes_.size() == kMostRemembered) {
    better_before_ += kMostRemembered / 2;
    better_nodes_.erase(better_nodes_.begin(),
                        better_nodes_.begin() + std::ptrdiff_t{kMostRemembered / 2});
  }
  better_nodes_.push_back(node);
}

std::vector<Index> Partition::NodesInOrder() { return order_.Nodes(); }

// --- the host's changes

absl::Status Partition::AddNode(std::string_view id, const Resource& capacity, bool schedulable) {
  const Index index = static_cast<Index>(nodes.size());
  if (!node_index.try_emplace(std::string(id), index).second) {
    return absl::AlreadyExistsError(absl::StrCat("node ", ToAbsl(id), ": added before"));
  }
  EndOperation();
  Node& node = nodes.emplace_back();
  node.id = std::string(id);
  node.total = capacity;
  node.schedulable = schedulable;
  node.total.Prune();
  node.available = node.total;
  if (weights_.size() < static_cast<size_t>(names.size())) ReadWeights();
  places_.emplace_back();
  RankNode(index);
  GotRoom(index);
  AddTotal(nodes[index].total);
  return absl::OkStatus();
}

absl::Status Partition::SetSchedulable(std::string_view id, bool schedulable) {
  const auto found = node_index.find(id);
  if (found == node_index.end()) return UnknownNode(id);
  nodes[found->second].schedulable = schedulable;
  Notify(found->second);
  GotRoom(found->second);
  return absl::OkStatus();
}

absl::Status Partition::SetCapacity(std::string_view id, const Resource& capacity) {
  const auto found = node_index.find(id);
  if (found == node_index.end()) return UnknownNode(id);
  if (weights_.size() < static_cast<size_t>(names.size())) ReadWeights();
  Node& node = nodes[found->second];
  if (Equals(node.total, capacity)) return absl::OkStatus();
  const Resource delta = Sub(capacity, node.total);
  node.total = capacity;
  node.total.Prune();
  RefreshAvailable(node);
  Notify(found->second);
  GotRoom(found->second);
  AddTotal(delta);
  return absl::OkStatus();
}

// --- what is on a node

void Partition::RefreshAvailable(Node& node) {
  node.available = node.total;
  node.available.SubFrom(node.allocated);
  node.available.SubFrom(node.occupied);
  node.available.Prune();
}

std::span<const Index> Partition::AllocationsOn(Node& node) {
  if (!node.allocations_sorted) {
    std::ranges::sort(node.allocations, {},
                      [&](Index a) -> const std::string& { return allocations[a].key; });
    node.allocations_sorted = true;
  }
  return node.allocations;
}

bool Partition::AddToNode(Index index, Index allocation, bool force) {
  Node& node = nodes[index];
  Allocation& alloc = allocations[allocation];
  if (!force && !FitsIn(node.available, alloc.resource)) return false;
  node.allocations_sorted = node.allocations.empty();
  node.allocations.push_back(allocation);
  alloc.on_node = true;
  if (alloc.foreign) {
    node.occupied.AddTo(alloc.resource);
  } else {
    node.allocated.AddTo(alloc.resource);
  }
  node.available.SubFrom(alloc.resource);
  node.available.Prune();
  if (!alloc.foreign) Notify(index);
  return true;
}

Index Partition::FindOnNode(const Node& node, std::string_view key) const {
  for (Index allocation : node.allocations) {
    if (allocations[allocation].key == key) return allocation;
  }
  return kNone;
}

bool Partition::TakeFromNode(Index index, Index allocation) {
  Node& node = nodes[index];
  const auto at = std::ranges::find(node.allocations, allocation);
  if (at == node.allocations.end()) return false;
  node.allocations.erase(at);
  Allocation& alloc = allocations[allocation];
  alloc.on_node = false;
  if (alloc.foreign) {
    node.occupied.SubFrom(alloc.resource);
  } else {
    node.allocated.SubFrom(alloc.resource);
    node.allocated.Prune();
  }
  node.available.AddTo(alloc.resource);
  if (!alloc.foreign) Notify(index);
  GotRoom(index);
  Loosen(allocation);
  return true;
}

Index Partition::RemoveFromNode(Index node, std::string_view key) {
  const Index allocation = FindOnNode(nodes[node], key);
  if (allocation != kNone) TakeFromNode(node, allocation);
  return allocation;
}

bool Partition::IsReservedFor(const Node& node, Index request) const {
  return std::ranges::any_of(node.reservations, [&](const Reservation& r) {
    return allocations[r.request].key == allocations[request].key;
  });
}

// Whether the node is free for the request, and has room.
bool Partition::MayAllocate(const Node& node, Index request) const {
  const Resource& ask = allocations[request].resource;
  if (!AboveZero(ask)) return false;
  if (!node.reservations.empty() && !IsReservedFor(node, request)) return false;
  return FitsIn(node.available, ask);
}

bool Partition::Permits(Index request, Index node, bool allocate) const {
  return !host.predicate || host.predicate(allocations[request], nodes[node], allocate);
}

// --- removal

Partition::Removed Partition::RemoveNode(std::string_view id) {
  EndOperation();
  Removed removed;
  const auto found = node_index.find(id);
  if (found == node_index.end()) return removed;
  const Index index = found->second;
  node_index.erase(id);
  nodes[index].schedulable = false;
  order_.Take(places_[index].score, places_[index].rank);
  std::erase(nodes_by_id_, index);
  nodes[index].removed = true;
  for (const Reservation& reservation : std::vector<Reservation>(nodes[index].reservations)) {
    const Index application = reservation.application;
    const int released = Unreserve(application, reservation.request);
    CountReservations(applications[application].queue, application, released);
    reservations -= released;
  }
  const std::span<const Index> held = AllocationsOn(nodes[index]);
  for (Index allocation : std::vector<Index>(held.begin(), held.end())) {
    RemoveWithNode(allocation, removed);
  }
  AddTotal(Multiply(nodes[index].total, -1));
  EndOperation();
  return removed;
}

// An allocation ends with its node. A replacement on another node is confirmed, one on this node
// waits again.
void Partition::RemoveWithNode(Index allocation, Removed& removed) {
  Allocation& alloc = allocations[allocation];
  alloc.on_node = false;
  Loosen(allocation);
  if (alloc.foreign) return;
  const Index application = alloc.application;
  const Index queue = applications[application].queue;
  if (!applications[application].in_queue) return;
  if (alloc.release != kNone) {
    const Index other = alloc.release;
    Index request = allocation;
    if (alloc.placeholder) {
      if (alloc.node != allocations[other].node) {
        ReplaceAllocation(application, alloc.key);
        const Resource delta = Sub(allocations[other].resource, alloc.resource);
        if (HasNegative(delta)) TryIncAllocated(queue, delta);
        removed.confirmed.push_back(allocations[other].key);
        removed.released.push_back(alloc.key);
        return;
      }
      request = other;
    }
    allocations[other].release = kNone;
    alloc.release = kNone;
    Deallocate(request);
  }
  if (RemoveAllocation(application, alloc.key, Termination::kUnknown) == kNone) return;
  DecAllocated(queue, alloc.resource);
  if (alloc.preempted) DecPreempting(queue, alloc.resource);
  if (alloc.placeholder) --placeholder_allocations;
  removed.released.push_back(alloc.key);
}

}  // namespace muster::yunikorn
