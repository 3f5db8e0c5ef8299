// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a profile places tasks, or only admits jobs.
//
//   if (!PlacesTasks(config)) ...   // "NAME:actions=admit"
#ifndef MUSTER_SESSION_PLACES_TASKS_H_
#define MUSTER_SESSION_PLACES_TASKS_H_

#include <algorithm>

#include "lib/session/config.h"

namespace muster {

// Returns whether an action of the profile places tasks on nodes. An action of the library that
// admits jobs places none; one of the caller may do both, as it states no points.
inline bool PlacesTasks(const ProfileConfig& config) {
  return std::ranges::any_of(config.actions, [](const ConfiguredAction& action) {
    return !action.decl.admits || !action.decl.points.has_value();
  });
}

}  // namespace muster

#endif  // MUSTER_SESSION_PLACES_TASKS_H_
