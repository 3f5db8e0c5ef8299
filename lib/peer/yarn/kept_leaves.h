// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What decisions read of the past of the capacity scheduler's leaves, as memory between cycles.
//
//   const std::optional<LeafPast> past = KeptLeafOf(slot, "root.a", labels);   // of earlier cycles
//   slot.Set("root.a", RowOf(*past, labels));
//
// Slot yarn-leaves has a row for each leaf with users: its last limits, the number of users that
// had only pending applications then, and by label the running sum of what users hold. A sum of
// 32-bit floats is that of its changes, in their order: added up anew it can have another last bit,
// and then limits of users are one least allocation apart.
#ifndef MUSTER_PEER_YARN_KEPT_LEAVES_H_
#define MUSTER_PEER_YARN_KEPT_LEAVES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/yarn/capacity/leaf_past.h"
#include "muster/memory.h"

namespace muster::yarn {

inline constexpr std::string_view kLeafSlot = "yarn-leaves";

// None: there is no such row. Labels are those of partitions; sums of others are left out. Cells of
// the wrong type read as 0, or as an empty text, and numbers beyond all bounds as these.
std::optional<LeafPast> KeptLeafOf(const MemorySlot& slot, std::string_view path,
                                   const std::vector<std::string>& labels);
MemoryRow RowOf(const LeafPast& past, const std::vector<std::string>& labels);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_KEPT_LEAVES_H_
