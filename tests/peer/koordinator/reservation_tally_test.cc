// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Words for reservations that did not serve a task.
#include "lib/peer/koordinator/reservation/reservation_tally.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Words = std::vector<std::string>;

TEST(ReservationTally, CountsUnderTheRuleThatRefused) {
  const Taint taint = {"k", "v", TaintEffect::kNoSchedule};
  ReservationTally tally;
  tally.Count(ReservationMatch::kIgnored, nullptr);
  tally.Count(ReservationMatch::kNotOwner, nullptr);
  EXPECT_EQ(tally.ignored, 1);
  EXPECT_EQ(tally.owned, 0);
  for (const ReservationMatch match :
       {ReservationMatch::kMatched, ReservationMatch::kNamed, ReservationMatch::kUnreadable,
        ReservationMatch::kOtherName, ReservationMatch::kUnschedulable, ReservationMatch::kTaint,
        ReservationMatch::kAffinity, ReservationMatch::kNotExact}) {
    tally.Count(match, match == ReservationMatch::kTaint ? &taint : nullptr);
  }
  EXPECT_EQ(tally.owned, 8);
  EXPECT_EQ(tally.named, 1);
  EXPECT_EQ(tally.unreadable, 1);
  EXPECT_EQ(tally.by_taint["{k: v}"], 1);
  const TalliedNode node = {tally, {}};
  EXPECT_EQ(ReservationReasons({&node, 1}, false),
            (Words{"1 Reservation(s) exactly matches the requested reservation name",
                   "1 Reservation(s) didn't match the requested reservation name",
                   "1 Reservation(s) didn't match affinity rules",
                   "1 Reservation(s) is unschedulable", "1 Reservation(s) is not exact matched",
                   "1 Reservation(s) had untolerated taint {k: v}",
                   "8 Reservation(s) matched owner total"}));
}

TEST(ReservationTally, TheRestCountsUnderTheReasonsOfTheNode) {
  TalliedNode node;
  node.tally.owned = 5;
  node.tally.affinity = 1;
  node.reasons = {"too small", "Reservation(s) Insufficient cpu", "too far"};
  EXPECT_EQ(ReservationReasons({&node, 1}, false),
            (Words{"1 Reservation(s) didn't match affinity rules",
                   "3 Reservation(s) for node reason that too far",
                   "3 Reservation(s) for node reason that too small",
                   "5 Reservation(s) matched owner total"}));
}

TEST(ReservationTally, SaysNothingOfReservationsOfOthers) {
  const TalliedNode node;
  EXPECT_TRUE(ReservationReasons({&node, 1}, false).empty());
  EXPECT_EQ(ReservationReasons({&node, 1}, true), Words{"0 Reservation(s) matched owner total"});
}

}  // namespace
}  // namespace muster
