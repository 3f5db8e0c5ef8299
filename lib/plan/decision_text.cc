// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One decision in words, as ToText and Explain print it.
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/strings.h"
#include "lib/plan/explain.h"

namespace muster {
namespace {

// `again`: the job is admitted already, and gets other places.
std::string AdmissionText(const Admission& admission, bool again, const PlanNames& names) {
  std::string out =
      absl::StrCat("admit ", ToAbsl(names.job(admission.job)), again ? " to other places" : "");
  for (const GroupAssignment& group : admission.assignment) {
    const bool first = &group == &admission.assignment.front();
    absl::StrAppend(&out, first ? " with " : ", ", group.count);
    if (!group.group.empty()) absl::StrAppend(&out, " of ", group.group);
    for (const AssignedFlavor& assigned : group.flavors) {
      absl::StrAppend(&out, &assigned == &group.flavors.front() ? " (" : ", ",
                      ToAbsl(names.dimension(assigned.dimension)), " from ", assigned.flavor);
    }
    if (!group.flavors.empty()) out.push_back(')');
    for (const AssignedPlace& place : group.places) {
      absl::StrAppend(&out, &place == &group.places.front() ? " in " : " and ",
                      absl::StrJoin(place.values, "/"), ": ", place.count);
    }
  }
  return out;
}

std::string MoveText(const Move& move, const PlanNames& names) {
  std::string out =
      absl::StrCat("move ", ToAbsl(names.task(move.task)), " from ", ToAbsl(names.node(move.from)),
                   " to ", ToAbsl(names.node(move.to)), move.nominated ? " once released" : "");
  if (move.beneficiary != kNone) {
    absl::StrAppend(&out, " for ", ToAbsl(names.task(move.beneficiary)));
  }
  return out;
}

std::string ReservationText(const Reservation& reservation, const PlanNames& names) {
  std::string out = absl::StrCat("reserve ", ToAbsl(names.node(reservation.node)), " for ",
                                 ToAbsl(names.task(reservation.task)));
  if (reservation.until != kAbsent) absl::StrAppend(&out, " until ", reservation.until);
  if (!reservation.waiting_group.empty()) {
    absl::StrAppend(&out, " with ", reservation.waiting_group);
  }
  return out;
}

std::string OfferText(const Offer& offer, const PlanNames& names) {
  const std::string_view taker =
      offer.job == kNone ? names.queue(offer.queue) : names.job(offer.job);
  std::string out = absl::StrCat("offer ", ToAbsl(taker), taker.empty() ? "on " : " on ",
                                 ToAbsl(names.node(offer.node)), ":");
  for (DimensionIndex d = 0; d < offer.amounts.size(); ++d) {
    if (offer.amounts[d] == kAbsent || offer.amounts[d] == 0) continue;
    absl::StrAppend(&out, out.back() == ':' ? " " : ", ", ToAbsl(names.dimension(d)), " ",
                    offer.amounts[d]);
  }
  return out;
}

std::string ResizeText(const Resize& resize, const PlanNames& names) {
  std::string out = absl::StrCat("resize ", ToAbsl(names.job(resize.job)));
  if (!resize.group.empty()) absl::StrAppend(&out, " group ", resize.group);
  return absl::StrCat(out, " to ", resize.count);
}

}  // namespace

std::string DecisionText(const Decision& d, const PlanData& data) {
  const PlanNames& names = *data.names;
  const absl::string_view task = ToAbsl(names.task(d.task)), node = ToAbsl(names.node(d.node));
  switch (d.kind) {
    case DecisionKind::kAdmit:
      return AdmissionText(data.by_kind.admissions[d.index], d.phase != JobPhase::kPending, names);
    case DecisionKind::kBind:
      return absl::StrCat("bind ", task, " to ", node);
    case DecisionKind::kNominate:
      return absl::StrCat("nominate ", task, " to ", node,
                          d.after_eviction ? " after evicting there" : "");
    case DecisionKind::kEvict:
      if (d.beneficiary == kNone) return absl::StrCat("evict ", task, " from ", node);
      return absl::StrCat("evict ", task, " from ", node, " for ",
                          ToAbsl(names.task(d.beneficiary)));
    case DecisionKind::kPhase:
      return absl::StrCat("phase ", ToAbsl(names.job(d.job)), " ", ToAbsl(JobPhaseName(d.phase)));
    case DecisionKind::kMove:
      return MoveText(data.by_kind.moves[d.index], names);
    case DecisionKind::kReserve:
      return ReservationText(data.by_kind.reservations[d.index], names);
    case DecisionKind::kOffer:
      return OfferText(data.by_kind.offers[d.index], names);
    case DecisionKind::kResize:
      return ResizeText(data.by_kind.resizes[d.index], names);
    case DecisionKind::kSplit:
      return absl::StrCat("split ", task, " into ", data.by_kind.splits[d.index].parts);
  }
  return "";
}

std::string_view DecisionKindName(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kAdmit:
      return "admit";
    case DecisionKind::kBind:
      return "bind";
    case DecisionKind::kNominate:
      return "nominate";
    case DecisionKind::kEvict:
      return "evict";
    case DecisionKind::kPhase:
      return "phase";
    case DecisionKind::kMove:
      return "move";
    case DecisionKind::kReserve:
      return "reserve";
    case DecisionKind::kOffer:
      return "offer";
    case DecisionKind::kResize:
      return "resize";
    case DecisionKind::kSplit:
      return "split";
  }
  return "";
}

}  // namespace muster
