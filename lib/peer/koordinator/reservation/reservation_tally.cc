// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_tally.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr std::string_view kOfReservation = "Reservation(s) ";

// Adds what no rule of reservations refused, under the reasons of the node.
void CountRest(const TalliedNode& node, std::map<std::string, int64_t>* by_reason) {
  const ReservationTally& tally = node.tally;
  int64_t rest = tally.owned - tally.other_name - tally.unschedulable - tally.affinity -
                 tally.not_exact - tally.taints;
  if (rest <= 0) return;
  std::map<std::string, int64_t> counts;
  for (const std::string& reason : node.reasons) {
    if (reason.starts_with(kOfReservation)) {
      --rest;
    } else {
      ++counts[reason];
    }
  }
  if (rest <= 0) return;
  for (const auto& [reason, count] : counts) (*by_reason)[reason] += rest * count;
}

}  // namespace

void ReservationTally::Count(ReservationMatch match, const Taint* taint) {
  if (match == ReservationMatch::kIgnored) ++ignored;
  if (match == ReservationMatch::kIgnored || match == ReservationMatch::kNotOwner) return;
  ++owned;
  switch (match) {
    case ReservationMatch::kNamed:
      ++named;
      break;
    case ReservationMatch::kUnreadable:
      ++unreadable;
      break;
    case ReservationMatch::kOtherName:
      ++other_name;
      break;
    case ReservationMatch::kUnschedulable:
      ++unschedulable;
      break;
    case ReservationMatch::kTaint:
      ++taints;
      if (taint != nullptr) ++by_taint[absl::StrCat("{", taint->key, ": ", taint->value, "}")];
      break;
    case ReservationMatch::kAffinity:
      ++affinity;
      break;
    case ReservationMatch::kNotExact:
      ++not_exact;
      break;
    default:
      break;
  }
}

std::vector<std::string> ReservationReasons(std::span<const TalliedNode> nodes, bool has_affinity) {
  ReservationTally sum;
  std::map<std::string, int64_t> by_reason;
  for (const TalliedNode& node : nodes) {
    const ReservationTally& tally = node.tally;
    sum.owned += tally.owned;
    sum.named += tally.named;
    sum.other_name += tally.other_name;
    sum.unschedulable += tally.unschedulable;
    sum.affinity += tally.affinity;
    sum.not_exact += tally.not_exact;
    for (const auto& [taint, count] : tally.by_taint) sum.by_taint[taint] += count;
    CountRest(node, &by_reason);
  }
  if (sum.owned <= 0 && !has_affinity) return {};
  std::vector<std::string> reasons;
  const auto add = [&](int64_t count, std::string_view words, std::string_view more = "") {
    if (count > 0)
      reasons.push_back(
          absl::StrCat(count, " ", ToAbsl(kOfReservation), ToAbsl(words), ToAbsl(more)));
  };
  add(sum.named, "exactly matches the requested reservation name");
  add(sum.other_name, "didn't match the requested reservation name");
  add(sum.affinity, "didn't match affinity rules");
  add(sum.unschedulable, "is unschedulable");
  add(sum.not_exact, "is not exact matched");
  for (const auto& [taint, count] : sum.by_taint) add(count, "had untolerated taint ", taint);
  for (const auto& [reason, count] : by_reason) add(count, "for node reason that ", reason);
  reasons.push_back(absl::StrCat(sum.owned, " ", ToAbsl(kOfReservation), "matched owner total"));
  return reasons;
}

}  // namespace muster
