// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// From computed room to what a node shows: amplified, without what others hold, and only if the
// change is worth an update.
//
//   int64_t shown = ShownBatchCpu(room.cpu, ratio_of_cpus);         // whole thousandths of a core
//   if (IsChangeShown(old, shown, 0.1) || IsDue(age, 300 s)) ...    // update the node
//
// Peer. Koordinator's controller of node resources. Where it surprises:
// - A change is compared in thousandths of the shown unit, against a part of the old amount. An old
//   amount of zero therefore shows every change.
// - A resource that comes or goes is always shown.
// - A ratio of CPUs up to 1 does nothing.
//
// Cost. O(1).
#ifndef MUSTER_PEER_KOORDINATOR_COLOCATION_PUBLICATION_H_
#define MUSTER_PEER_KOORDINATOR_COLOCATION_PUBLICATION_H_

#include <cstdint>
#include <optional>

namespace muster::koordinator {

// Returns an amount of batch CPU in thousandths of its own unit, amplified by the ratio and cut.
int64_t AmplifiedBatchCpu(int64_t amount, double ratio);
// Returns it in whole units, rounded up.
int64_t ShownBatchCpu(int64_t amount, double ratio);

// Returns what remains for the cluster's own batch work of `room`, at least zero.
inline int64_t WithoutOthers(int64_t room, int64_t held) { return room > held ? room - held : 0; }

// Returns whether a change of an amount is larger than the part `threshold` of the old one. Absent
// amounts differ from all others.
bool IsChangeShown(std::optional<int64_t> old_amount, std::optional<int64_t> new_amount,
                   double threshold);

// Returns whether the last update, `age` nanoseconds ago, is too old; absent: there was none.
inline bool IsDue(std::optional<int64_t> age, int64_t limit) {
  return !age.has_value() || *age > limit;
}

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_COLOCATION_PUBLICATION_H_
