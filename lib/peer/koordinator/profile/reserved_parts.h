// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a reservation keeps beside amounts: CPUs, zones and devices of its node, read from labels of
// its shape. They stand for the annotations in which Koordinator writes what a reservation was
// given.
//
//   const absl::StatusOr<ReservedParts> parts = ReadReservedParts(reservation);
//   if (!parts.ok()) return parts.status();    // reservation "r", label koordinator/cpuset: ...
//
//   koordinator/cpuset            "0-3,8": CPUs by number
//   koordinator/zone-amounts      "z0:cpu=2+memory=4Gi,z1:cpu=1": amounts of zones, by name
//   koordinator/device-parts      "gpu-0,gpu-1:500,gpu-2:250:4Gi": devices by name; thousandths of
//                                 it, 1000 by default; bytes of its memory
//
// What the node does not list counts as nothing.
//
// Cost. O(length of the labels).
#ifndef MUSTER_PEER_KOORDINATOR_PROFILE_RESERVED_PARTS_H_
#define MUSTER_PEER_KOORDINATOR_PROFILE_RESERVED_PARTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/fit/cpu_set.h"
#include "lib/model/tables.h"
#include "lib/share/sparse.h"
#include "muster/reservation.h"
#include "muster/spec.h"

namespace muster::koordinator {

struct ReservedParts {
  CpuSet cpus = {};
  std::vector<std::pair<std::string, Resources>> zones = {};  // by name
  std::vector<DeviceHold> devices = {};
};

// Fails for a label that does not have the form above.
absl::StatusOr<ReservedParts> ReadReservedParts(const ReservationSpec& reservation);

// Returns amounts by the numbers of their dimensions, without pods and what the cluster does not
// know. REQUIRES: the amounts were checked.
Sparse AmountsByDimension(const Tables& tables, const Resources& resources);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_PROFILE_RESERVED_PARTS_H_
