// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Unlike tasks onto unlike nodes, all that are needed or none: a search that goes back where it was wrong.
//
//   std::vector<PackStep> steps = PackGang(shapes, nodes, tasks, {.all = 4}, /*most_tries=*/200);
//   // empty: there is no way, or it was not found in so many tries
//
// Idea. Tasks are taken the largest first, by the sum of the parts that they want of all the room there is. Each tries
// the nodes in order, then to be left out where the others suffice; when no way is left the task before it moves on.
// Only tasks that bring the gang nearer to being whole are placed, and the search ends as soon as it is.
// What need not be tried: a task like the one before it goes to no earlier node than that one, and is left out if that
// one was; a node is passed over that is just what the last one tried for the same task was.
// Guarantee. Where tasks hold what they need to start, and tries suffice, a way is found if there is one. Ties. Shapes,
// tasks and nodes in the order given.
// Cost. A try is a task put on a node or left out; finding the node for it is O(nodes x resources).
#ifndef MUSTER_FIT_GANG_PACKING_H_
#define MUSTER_FIT_GANG_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

struct PackShape {
  std::vector<int64_t> to_start, held;  // per resource
};

struct PackNode {
  std::vector<int64_t> room;  // per resource
  std::vector<bool> takes;    // per shape: resources aside
};

struct PackTask {
  size_t shape = 0, group = 0;
};

struct PackNeed {
  int64_t all = 0;
  std::vector<int64_t> of_group = {};  // of each group at least so many; absent at the end: 0
};

struct PackStep {
  size_t task, node;
};

// REQUIRES: there is a shape, and lists are as long as shapes and resources are many.
std::vector<PackStep> PackGang(std::span<const PackShape> shapes, std::span<const PackNode> nodes,
                               std::span<const PackTask> tasks, const PackNeed& need,
                               int64_t most_tries);

}  // namespace muster

#endif  // MUSTER_FIT_GANG_PACKING_H_
