// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The second check of a proposal, and its entry in the books.
#include "lib/peer/yarn/capacity/assigner.h"

namespace muster::yarn {

void Assigner::Commit(const Proposal& proposal) {
  if (!proposal.is_any()) {
    if (proposal.dropped != kNone) s_.DropReservation(proposal.dropped);
    return;
  }
  if (IsAccepted(proposal)) {
    Apply(proposal);
  } else {
    was_refused_ = true;
  }
}

bool Assigner::IsAccepted(const Proposal& proposal) {
  const bool is_reservation = proposal.outcome == Outcome::kReserved;
  if (is_reservation) {
    if (proposal.reservation != kNone) return true;
    return node().reserved == kNone && FitsLimits(proposal);
  }
  const RequestKey& key = *s_.apps_[proposal.app].requests.Find(proposal.priority);
  if (key.any().count <= 0) return false;
  if (proposal.locality != Locality::kAny && key.CountOf(node().rack) <= 0) return false;
  if (proposal.locality == Locality::kNode && key.CountOf(node().name) <= 0) return false;
  if (node().reserved != proposal.reservation) return false;
  if (!FitsIn(by(), proposal.size, node().free)) return false;
  return proposal.reservation != kNone || FitsLimits(proposal);
}

bool Assigner::FitsLimits(const Proposal& proposal) {
  const App& app = s_.apps_[proposal.app];
  const Resource limit = s_.LimitOf(proposal.app, partition_, mode_);
  const User* user = s_.leaves_[app.queue].users.Find(app.user);
  if (user == nullptr) return false;
  const Resource released =
      proposal.dropped == kNone ? Resource{} : s_.containers_[proposal.dropped].size;
  if (Greater(by(), s_.cluster_, user->used[partition_] - released, limit)) return false;
  for (QueueIndex q = app.queue; q != kNone; q = s_.queues_[q].parent) {
    const Queue& queue = s_.queues_[q];
    const Resource most =
        mode_ == Exclusivity::kRespect ? queue.capacity[partition_].most : s_.totals_[partition_];
    const Resource after = queue.usage[partition_].used + proposal.size - released;
    if (!FitsIn(by(), after, most)) return false;
  }
  return true;
}

void Assigner::Apply(const Proposal& proposal) {
  App& app = s_.apps_[proposal.app];
  const bool is_reservation = proposal.outcome == Outcome::kReserved;
  ContainerIndex index = proposal.reservation;
  if (is_reservation && index != kNone) {
    ++app.requests.Find(proposal.priority)->reserved_again;
    return;
  }
  if (index == kNone) {
    index =
        s_.MakeContainer(proposal.app, node_, proposal.size, proposal.priority, proposal.locality);
  } else {
    s_.Unreserve(index);
  }
  if (is_reservation) {
    s_.AddReservation(index);
  } else {
    s_.containers_[index].locality = proposal.locality;
    s_.TakeRequest(&app, proposal.priority, proposal.locality, node());
    s_.AddLive(index);
    s_.made_.push_back(index);
  }
  if (proposal.dropped != kNone) s_.DropReservation(proposal.dropped);
  if (proposal.reservation != kNone) return;
  s_.ChangeUsed(&app, partition_, proposal.size);
  s_.MarkDirty(proposal.app);
}

}  // namespace muster::yarn
