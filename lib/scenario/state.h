// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// All that a scheduler must remember, as one text: what a standby needs to go on.
//
//   std::string state = SaveState(&leader);
//   absl::Status loaded = LoadState(state, &standby);     // from now on equal calls give plans of equal digests
//
// A scenario document tells the rows. A state tells also their indices and those of dimensions, what events of a watch
// came and which of them wait, and what plans said that the world has not confirmed. Policies remember nothing beyond
// the rows; when each task began, gangs became pending and whom nobody may evict until when are fields of them.
//
// The text begins with its form and ends with a digest. It is for LoadState and nobody else.
#ifndef MUSTER_SCENARIO_STATE_H_
#define MUSTER_SCENARIO_STATE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "muster/cluster.h"

namespace muster {

// Numbers the rows of the cluster anew, without those that were removed: indices move as after many removals.
void NumberAnew(Cluster* cluster);
// REQUIRES: NumberAnew was called, and nothing has been removed since.
std::string StateText(const Cluster& cluster);
// Both.
std::string SaveState(Cluster* cluster);

// Replaces *cluster. InvalidArgument, and it stays as it was, where the text is none that SaveState wrote.
absl::Status LoadState(std::string_view text, Cluster* cluster);

}  // namespace muster

#endif  // MUSTER_SCENARIO_STATE_H_
