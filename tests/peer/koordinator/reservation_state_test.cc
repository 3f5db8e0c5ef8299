// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether reservations may serve tasks, by hand.
#include "lib/peer/koordinator/reservation/reservation_state.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(ReservationState, AvailableOnANode) {
  EXPECT_TRUE(IsReservationAvailable("n", "Available"));
  EXPECT_FALSE(IsReservationAvailable("", "Available"));
  EXPECT_FALSE(IsReservationAvailable("n", "Failed"));
  EXPECT_TRUE(IsServingTaskAvailable("Running", true));
  EXPECT_FALSE(IsServingTaskAvailable("Running", false));
  EXPECT_FALSE(IsServingTaskAvailable("Pending", true));
}

TEST(ReservationState, MatchableUntilItIsUsedUp) {
  ReservationState state = {.is_available = true};
  EXPECT_TRUE(IsMatchable(state));
  state.tasks = 3;
  EXPECT_TRUE(IsMatchable(state));
  state.allocate_once = true;
  EXPECT_FALSE(IsMatchable(state));
  state.tasks = 0;
  EXPECT_TRUE(IsMatchable(state));
  state.owners_can_be_read = false;
  EXPECT_FALSE(IsMatchable(state));
  EXPECT_FALSE(IsMatchable({}));
}

}  // namespace
}  // namespace muster
