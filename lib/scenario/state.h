// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Everything that a scheduler must remember, as one text: what a standby needs to continue.
//
//   std::string state = SaveState(&leader);
//   absl::Status loaded = LoadState(state, &standby);   // from now on, equal plans for equal calls
//
// A scenario document holds the rows, and the memory with the events that its slots have not seen.
// A state also holds the indices of rows and dimensions, the deltas of a watch that came and those
// that wait, and the decisions of plans that the world has not confirmed.
//
// The text begins with its form and ends with a digest. Only LoadState reads it.
#ifndef MUSTER_SCENARIO_STATE_H_
#define MUSTER_SCENARIO_STATE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/scenario/budget.h"
#include "muster/cluster.h"
#include "muster/limits.h"

namespace muster {

// Numbers the rows of the cluster anew, without those that were removed: indices move as after many
// removals.
void NumberAnew(Cluster* cluster);
// REQUIRES: NumberAnew was called, and nothing has been removed since.
std::string StateText(const Cluster& cluster);
// Returns the state that a new cluster with the snapshot's rows would have: no deltas have come.
std::string StateText(const Snapshot& snapshot);
// Calls NumberAnew and returns the state's text.
std::string SaveState(Cluster* cluster);

// Replaces *cluster. Returns InvalidArgument for text that SaveState did not write; *cluster then
// stays as it was.
absl::Status LoadState(std::string_view text, Cluster* cluster, const Limits& limits = {});
absl::Status LoadState(std::string_view text, Cluster* cluster, Budget* budget);

}  // namespace muster

#endif  // MUSTER_SCENARIO_STATE_H_
