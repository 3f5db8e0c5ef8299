// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fingerprint of what was decided and why. It leaves out what only describes the history:
// names, how the profile was spelled, and the numbers that count the cluster's changes: its
// version, and the generations of the memory. So a cluster after a thousand deltas and one that was
// built at once give equal digests when they decide alike.
#include <bit>
#include <cstdint>
#include <string>

#include "lib/base/digest.h"
#include "lib/model/memory_data.h"
#include "lib/plan/memory_json.h"
#include "lib/plan/plan_data.h"
#include "muster/plan.h"

namespace muster {
namespace {

// Adds the number by its bits; the two zeros are one number.
void AddDouble(double x, Digest* digest) { digest->Add(std::bit_cast<uint64_t>(x == 0 ? 0.0 : x)); }

void AddRow(const std::vector<int64_t>& row, Digest* digest) {
  digest->Add(row.size());
  for (const int64_t amount : row) digest->Add(amount);
}

// The fields of the kinds that a Decision lacks. A plan with the old kinds alone adds nothing.
void AddDetails(const DecisionsByKind& decisions, Digest* digest) {
  for (const Admission& admission : decisions.admissions) {
    for (const GroupAssignment& group : admission.assignment) {
      digest->Add(admission.job);
      digest->Add(group.group);
      digest->Add(group.count);
      for (const AssignedFlavor& flavor : group.flavors) {
        digest->Add(flavor.dimension);
        digest->Add(flavor.flavor);
      }
      for (const AssignedPlace& place : group.places) {
        for (const std::string& value : place.values) digest->Add(value);
        digest->Add(place.count);
      }
    }
  }
  for (const Move& move : decisions.moves) {
    digest->Add(move.from);
    digest->Add(move.nominated);
  }
  for (const Reservation& reservation : decisions.reservations) {
    digest->Add(reservation.until);
    digest->Add(reservation.waiting_group);
  }
  for (const Offer& offer : decisions.offers) {
    digest->Add(offer.queue);
    AddRow(offer.amounts, digest);
  }
  for (const Resize& resize : decisions.resizes) {
    digest->Add(resize.group);
    digest->Add(resize.count);
  }
  for (const Split& split : decisions.splits) digest->Add(split.parts);
}

void AddReason(const Reason& reason, Digest* digest) {
  digest->Add(static_cast<int>(reason.kind));
  digest->Add(reason.policy);
  digest->Add(reason.queue);
  digest->Add(reason.dimension);
  digest->Add(reason.placed);
  digest->Add(reason.needed);
  if (!reason.where.empty()) digest->Add(reason.where);
  digest->Add(reason.refusals.size());
  for (const Refusal& refusal : reason.refusals) {
    digest->Add(static_cast<int>(refusal.code));
    digest->Add(refusal.dimension);
    digest->Add(refusal.detail);
    digest->Add(refusal.nodes);
  }
}

// A plan without such jobs adds nothing.
void AddWaitingJobs(const std::vector<WaitingJob>& waiting_jobs, Digest* digest) {
  for (const WaitingJob& waiting : waiting_jobs) {
    digest->Add(waiting.job);
    digest->Add(waiting.tasks);
    digest->Add(waiting.reason);
  }
}

void AddSlots(const internal::MemoryData& memory, Digest* digest) {
  for (const auto& [name, slot] : memory.slots) {
    std::string rows;
    AppendJson(*slot.rows, &rows);
    digest->Add(name);
    digest->Add(slot.version);
    digest->Add(rows);
  }
}

}  // namespace

std::string Plan::Digest() const {
  muster::Digest digest;
  digest.Add(decisions().size());
  for (const Decision& d : decisions()) {
    digest.Add(static_cast<int>(d.kind));
    digest.Add(d.task);
    digest.Add(d.node);
    digest.Add(d.job);
    digest.Add(d.beneficiary);
    digest.Add(static_cast<int>(d.phase));
    digest.Add(d.after_eviction);
  }
  if (data_ != nullptr) AddDetails(data_->by_kind, &digest);
  digest.Add(tentative().size());
  for (const Tentative& t : tentative()) {
    digest.Add(t.task);
    digest.Add(t.node);
    digest.Add(t.nominated);
  }
  digest.Add(pending().size());
  for (const PendingTask& p : pending()) {
    digest.Add(p.task);
    digest.Add(p.reason);
  }
  digest.Add(reasons().size());
  for (const Reason& reason : reasons()) AddReason(reason, &digest);
  if (data_ != nullptr) AddWaitingJobs(data_->waiting_jobs, &digest);
  digest.Add(shares().size());
  for (const QueueShare& share : shares()) {
    digest.Add(share.queue);
    AddRow(share.allocated_before, &digest);
    AddRow(share.allocated_after, &digest);
    digest.Add(share.deserved.size());
    for (const double amount : share.deserved) AddDouble(amount, &digest);
    AddDouble(share.share_before, &digest);
    AddDouble(share.share_after, &digest);
  }
  for (const ChosenDomain& chosen : domains()) {
    digest.Add(chosen.job);
    digest.Add(chosen.sub_group);
    digest.Add(chosen.domain);
  }
  for (const ChosenDevice& chosen : devices()) {
    digest.Add(chosen.task);
    digest.Add(chosen.device);
    digest.Add(chosen.milli);
    digest.Add(chosen.memory);
  }
  digest.Add(work());
  digest.Add(complete());
  digest.Add(cursor());
  const Memory remembered = memory();
  if (const internal::MemoryData* data = internal::DataOf(remembered)) AddSlots(*data, &digest);
  return digest.Hex();
}

}  // namespace muster
