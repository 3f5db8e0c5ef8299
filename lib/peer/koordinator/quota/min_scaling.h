// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Minimums that their parent cannot cover any more.
//
// Idea. Where a parent has less than its children's minimums together, those that scale share what
// is left after the others', in proportion.
//
// Peer. Koordinator's: one product and one division in doubles, truncated, resource by resource,
// and only for the resources that the parent's amount names.
//
// Cost. O(resources).
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_MIN_SCALING_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_MIN_SCALING_H_

#include "lib/share/sparse.h"

namespace muster {

// Returns the minimum of one child. `original` is its own; `fixed` and `scaling` are the sums over
// its siblings and itself.
Sparse ScaledMin(const Sparse& total, const SparseSum& fixed, const SparseSum& scaling,
                 const Sparse& original);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_MIN_SCALING_H_
