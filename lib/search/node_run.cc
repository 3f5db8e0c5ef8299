// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks of a run, each on its best node (lib/ledger/placement_run.h).
#include "lib/ledger/placement_run.h"
#include "lib/search/node_search.h"

namespace muster {

// Returns whether the class found nothing and the books have changed by placements only since.
bool NodeSearch::StillFails(ClassIndex c, Want want) const {
  const Failure& failure = failures_[c][static_cast<size_t>(want)];
  return failure.valid && ledger_.OnlyPlacementsSince(failure.moment);
}

// Returns whether the class can be in a run.
bool NodeSearch::RunsFast(ClassIndex c) {
  const ClassNeeds& needs = SyncedNeeds(c);
  if (!UseStates(needs) || !needs.uniform || !speed_.block_winners) return false;
  return !speed_.infeasibility_memory || !StillFails(c, Want::kNow);
}

size_t NodeSearch::PlaceRun(PlacementRun* run) {
  if (meter_ != nullptr && meter_->explains()) return 0;
  uint64_t changes[PlacementRun::kMostKinds];
  for (size_t k = 0; k < run->kinds(); ++k) {
    if (!RunsFast(ClassOf(run->first(k)))) return 0;
    changes[k] = states_->SumOf(run->change(k));
  }
  const ScoringContext scoring = context();
  size_t placed = 0;
  for (; placed < run->size() && states_->exact(); ++placed) {
    const ClassIndex c = ClassOf(run->task(placed));
    const NodeIndex node = Board(c, Want::kNow).Best(scoring, needs_[c]);
    if (node == kNone) break;
    run->Place(placed, node);
    states_->Add(node, changes[run->kind(placed)]);
  }
  if (meter_ != nullptr) meter_->searches().by_table += static_cast<int64_t>(placed);
  return placed;
}

}  // namespace muster
