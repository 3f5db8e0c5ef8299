// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One application on one node: request priorities, localities, reservations.
#include <algorithm>

#include "lib/peer/yarn/capacity/assigner.h"

namespace muster::yarn {
namespace {

// How many opportunities must be missed before a container may go anywhere, where no delay is set.
float DelayByPlaces(const RequestKey& key, int64_t nodes) {
  const float named = static_cast<float>(std::max<int64_t>(key.places() - 1, 0));
  const float wait = std::min(named / static_cast<float>(nodes), 1.0F);
  return std::min(static_cast<float>(nodes), static_cast<float>(key.any().count) * wait);
}

}  // namespace

int64_t CapacityScheduler::LongestDelay(const RequestKey& key) const {
  const int64_t to_rack = std::min(live_nodes_, settings_.node_locality_delay);
  const int64_t further = settings_.rack_locality_delay;
  const int64_t to_any = further > -1
                             ? std::min(live_nodes_, settings_.node_locality_delay + further)
                             : static_cast<int64_t>(DelayByPlaces(key, live_nodes_));
  return std::max(to_rack, to_any);
}

Assigner::Proposal Assigner::AssignApp(AppIndex index, const Limits& limits) {
  App& app = s_.apps_[index];
  const ContainerIndex reservation = node().reserved;
  if (reservation != kNone) {
    RequestKey& key = *app.requests.Find(s_.containers_[reservation].priority);
    if (!key.is_served()) return {.outcome = Outcome::kQueueLimit, .dropped = reservation};
    return TryNode(index, &key, reservation, limits);
  }
  if (!IsWorthwhile(app.usage)) return {.outcome = Outcome::kSkipApp};
  for (RequestKey& key : app.requests.keys()) {
    if (!key.is_served()) continue;
    Outcome outcome = PreCheck(app, &key, limits);
    Proposal proposal{.outcome = outcome};
    if (outcome == Outcome::kNothing) proposal = TryNode(index, &key, kNone, limits);
    if (proposal.outcome != Outcome::kSkipKey) return proposal;
  }
  return {.outcome = Outcome::kSkipApp};
}

// Returns kNothing if the node may be tried.
Assigner::Outcome Assigner::PreCheck(const App& app, RequestKey* key, const Limits& limits) const {
  const bool ignores = mode_ == Exclusivity::kIgnore;
  const Resource& size = key->any().size;
  if (ignores && app.waits_for_master) return Outcome::kSkipApp;
  if (key->partition() != (ignores ? kDefaultPartition : partition_)) return Outcome::kSkipKey;
  const bool looks_on = s_.settings_.continue_looking;
  if (!looks_on && !WantsOneMore(*key, size)) return Outcome::kSkipKey;
  const Resource room =
      looks_on ? limits.headroom + app.usage[partition_].reserved : limits.headroom;
  if (!FitsIn(by(), size, room)) return Outcome::kQueueLimit;
  if (key->partition() == kDefaultPartition) ++key->default_opportunities;
  if (ignores && key->default_opportunities < s_.live_nodes_) return Outcome::kSkipApp;
  return Outcome::kNothing;
}

Assigner::Proposal Assigner::TryNode(AppIndex app, RequestKey* key, ContainerIndex reservation,
                                     const Limits& limits) {
  ++key->opportunities;
  const Proposal proposal = TryLocalities(app, *key, reservation, limits);
  if (reservation != kNone) return proposal;
  if (proposal.outcome == Outcome::kSkipKey) --key->opportunities;
  if (!proposal.is_any()) return proposal;
  if (proposal.locality == Locality::kNode ||
      (proposal.locality == Locality::kRack && s_.settings_.rack_locality_full_reset)) {
    key->opportunities = 0;
  }
  if (partition_ == kDefaultPartition) key->default_opportunities = 0;
  return proposal;
}

Assigner::Proposal Assigner::TryLocalities(AppIndex index, const RequestKey& key,
                                           ContainerIndex reservation, const Limits& limits) const {
  const Place places[] = {node().name, node().rack, kAnyPlace};
  for (size_t level = 0; level < 3; ++level) {
    const auto locality = static_cast<Locality>(level);
    const Ask* ask = key.Find(places[level]);
    if (ask == nullptr || ask->count <= 0) continue;
    if (locality != Locality::kNode && !ask->is_relaxed) return {.outcome = Outcome::kSkipKey};
    Proposal proposal{.outcome = Outcome::kSkipLocality};
    if (MayUse(key, locality, reservation != kNone)) {
      proposal = TryAsk(index, key, *ask, locality, reservation, limits);
    }
    if (proposal.is_any()) return proposal;
    if (locality == Locality::kAny) return {.outcome = Outcome::kSkipApp};
  }
  return {.outcome = Outcome::kSkipKey};
}

bool Assigner::MayUse(const RequestKey& key, Locality locality, bool is_reserved) const {
  const CapacitySettings& settings = s_.settings_;
  const int64_t nodes = s_.live_nodes_, missed = key.opportunities;
  if (locality == Locality::kAny) {
    if (is_reserved || key.places() == 1) return true;
    if (settings.rack_locality_delay > -1) {
      return missed > std::min(nodes, settings.node_locality_delay + settings.rack_locality_delay);
    }
    return DelayByPlaces(key, nodes) < static_cast<float>(missed);
  }
  if (key.CountOf(node().rack) <= 0) return false;
  if (locality == Locality::kNode) return key.CountOf(node().name) > 0;
  return missed > std::min(nodes, settings.node_locality_delay);
}

bool Assigner::WantsOneMore(const RequestKey& key, const Resource& size) const {
  int64_t starvation = 0;
  if (key.reserved > 0) {
    const Resource& max = s_.settings_.max_allocation;
    const float of_node = Ratio(by(), size, max);
    const float most = Ratio(by(), max - s_.settings_.min_allocation, max);
    const float again = static_cast<float>(key.reserved_again) / static_cast<float>(key.reserved);
    starvation = JavaInt(static_cast<double>(again * (1.0F - std::min(of_node, most))));
  }
  return starvation + key.any().count - key.reserved > 0;
}

ContainerIndex Assigner::FindReservation(const App& app, int32_t priority,
                                         const Resource& least) const {
  for (const ContainerIndex c : app.reserved) {
    const Container& container = s_.containers_[c];
    if (container.priority == priority && FitsIn(by(), least, container.size)) return c;
  }
  return kNone;
}

Assigner::Proposal Assigner::TryAsk(AppIndex index, const RequestKey& key, const Ask& ask,
                                    Locality locality, ContainerIndex reservation,
                                    const Limits& limits) const {
  const Proposal skipped{.outcome = Outcome::kSkipLocality};
  if (!FitsIn(by(), ask.size, node().total)) return skipped;
  const bool wants_more = WantsOneMore(key, ask.size);
  const bool is_fresh_look = reservation == kNone && s_.settings_.continue_looking;
  Resource excess = Max(by(), s_.cluster_, ask.size - limits.headroom, limits.needed_unreserve);
  const bool must_unreserve = Greater(by(), s_.cluster_, excess, {});
  Proposal proposal{.outcome = Outcome::kAllocated,
                    .app = index,
                    .priority = key.priority(),
                    .size = ask.size,
                    .locality = locality,
                    .reservation = reservation};
  if (ContainersIn(by(), node().free, ask.size) > 0) {
    if (is_fresh_look && (!wants_more || must_unreserve)) {
      if (!must_unreserve) excess = ask.size;
      proposal.dropped = FindReservation(s_.apps_[index], key.priority(), excess);
      if (proposal.dropped == kNone) return skipped;
    }
    return proposal;
  }
  if (!wants_more && reservation == kNone) return skipped;
  if (is_fresh_look && must_unreserve) return skipped;
  proposal.outcome = Outcome::kReserved;
  return proposal;
}

}  // namespace muster::yarn
