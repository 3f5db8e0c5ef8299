// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The engine and its slow twin on one world.
//
//   std::string words = DifferenceFromReference(cluster.Freeze(), "volcano:+preempt", 0);   // "": they agree
#ifndef MUSTER_TESTS_SUPPORT_AGAINST_REFERENCE_H_
#define MUSTER_TESTS_SUPPORT_AGAINST_REFERENCE_H_

#include <string>
#include <string_view>

#include "muster/cluster.h"
#include "muster/snapshot.h"

namespace muster::testing {

// The first difference between the plans in words: decisions in order, tentative placements, shares
// to the bit. The usual hour lies among the times of random worlds, so that some are past and some
// to come.
std::string DifferenceFromReference(const Snapshot& snapshot, std::string_view profile,
                                    int64_t now = 2);

// Shrinks a world on which they differ and says it all: where, the world as scenario JSON, the
// profile.
std::string ReportDifference(const ClusterSpec& world, std::string_view profile);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_AGAINST_REFERENCE_H_
