// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What pods state about reservations: the annotations reservation-affinity and
// exact-match-reservation become labels of their shapes
// (lib/peer/koordinator/profile/reservation_wishes.h). The label reservation-ignored stays as it
// is. Marks of objects that the profile has no rule for are reported.
//
//   ReadReservationWishes(pods, &cluster);         // `pods` are those of cluster.tasks, in order
//   ReportOtherMarks(source.dump);
//
// Cost. O(objects).
#ifndef MUSTER_IMPORT_KOORDINATOR_WISHES_H_
#define MUSTER_IMPORT_KOORDINATOR_WISHES_H_

#include <string_view>

#include "lib/import/api_object.h"
#include "muster/snapshot.h"

namespace muster {

// Returns whether the annotation is one of those of pods that ReadReservationWishes reports where
// they are no JSON.
bool IsWishOfPods(std::string_view key);
void ReadReservationWishes(const Dump::Objects& pods, ClusterSpec* cluster);
void ReportOtherMarks(const Dump& dump);

}  // namespace muster

#endif  // MUSTER_IMPORT_KOORDINATOR_WISHES_H_
