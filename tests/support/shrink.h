// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From a world that shows a fault to the smallest one that still does.
//
//   ClusterSpec small = Shrink(world, [&](const ClusterSpec& w) { return !Difference(w, spec).empty(); });
//
// Greedy: rows are deleted and fields of the others reset, one at a time, as long as
// the fault stays.
#ifndef MUSTER_TESTS_SUPPORT_SHRINK_H_
#define MUSTER_TESTS_SUPPORT_SHRINK_H_

#include <functional>

#include "muster/cluster.h"

namespace muster::testing {

// REQUIRES: faulty(world). At most `budget` worlds are tried.
ClusterSpec Shrink(ClusterSpec world, const std::function<bool(const ClusterSpec&)>& faulty,
                   int64_t budget = 5000);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_SHRINK_H_
