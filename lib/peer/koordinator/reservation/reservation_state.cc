// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_state.h"

namespace muster {

bool IsMatchable(const ReservationState& state) {
  if (!state.is_available || !state.owners_can_be_read) return false;
  return !state.allocate_once || state.tasks == 0;
}

bool IsReservationAvailable(std::string_view node, std::string_view phase) {
  return !node.empty() && phase == "Available";
}
bool IsServingTaskAvailable(std::string_view phase, bool is_ready) {
  return phase == "Running" && is_ready;
}

std::string_view FlawOf(const ReservationForm& form) {
  if (!form.has_template) return "the reservation misses the template spec";
  if (!form.has_owners) return "the reservation misses the owner spec";
  return form.has_end ? "" : "the reservation misses the expiration spec";
}

}  // namespace muster
