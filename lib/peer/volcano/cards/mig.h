// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Cards in partitions (MIG): which instance of which geometry a request gets.
//
//   std::vector<MigGeometry> allowed = {
//       {"group1", {{"1g.10gb", 10240, 4}, {"3g.40gb", 40960, 1}}}};
//   std::optional<MigMatch> match = FindInstance(use, allowed, /*memory=*/6000);
//   AddInstance(allowed, match->slot, &use);                       // geometry 0, position 0
//
// A card can be cut by one of several geometries, each a list of instance kinds with a count;
// positions are counted through the kinds. The smallest kind with enough memory is taken, at its
// first free position. A card that is cut keeps its geometry, even when its last instance is given
// back. One that is not yet cut takes the first geometry that has such a kind.
//
// Peer. Volcano, with this surprise: as long as any instance is in use, only kinds of which some
// are in use are offered.
#ifndef MUSTER_PEER_VOLCANO_CARDS_MIG_H_
#define MUSTER_PEER_VOLCANO_CARDS_MIG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster {

struct MigInstance {
  std::string name;
  int64_t memory = 0;
  int count = 0;
};

struct MigGeometry {
  std::string group;
  std::vector<MigInstance> instances;
};

struct MigUse {
  struct Kind {
    std::string name;
    int64_t memory = 0;
    std::vector<int> used;  // of this kind's, ascending
  };
  int geometry = -1;  // below 0: not cut yet
  std::vector<Kind> kinds;
};

struct MigSlot {
  int geometry = 0, position = 0;

  friend bool operator==(const MigSlot&, const MigSlot&) = default;
};

struct MigMatch {
  MigSlot slot;
  int64_t memory = 0;
};

std::optional<MigMatch> FindInstance(const MigUse& use, std::span<const MigGeometry> allowed,
                                     int64_t memory);

// Returns the memory of the instance. Returns nothing if there is no such slot, and changes
// nothing.
std::optional<int64_t> AddInstance(std::span<const MigGeometry> allowed, MigSlot slot, MigUse* use);
// Returns 0 if the instance was not in use.
std::optional<int64_t> RemoveInstance(std::span<const MigGeometry> allowed, MigSlot slot,
                                      MigUse* use);

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_CARDS_MIG_H_
