// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Places unlike tasks on unlike nodes, all that are needed or none, by a search that goes back
// where it was wrong.
//
//   std::vector<PackStep> steps = PackGang(shapes, nodes, tasks, {.all = 4}, /*most_tries=*/200);
//   // empty: there is no way, or it was not found in that many tries
//
// Idea. The largest tasks go first, by the sum of the parts that they take of all the room there
// is. Each task tries the nodes in order, and is then left out if the others suffice. When no way
// is left, the task before it moves on. Only tasks that bring the gang nearer to being whole are
// placed, and the search ends as soon as it is whole.
//
// Two kinds of tries are skipped. A task like the one before it goes to no earlier node than that
// one, and is left out if that one was. A node is passed over that equals the last one tried for
// the same task.
//
// Parts. A shape may take more of a node than amounts, such as devices. What a node has of these is
// a book, by a number of the caller's. The caller returns the book with one more task, or kNoParts
// if the node lacks what the task takes:
//
//   PackGang(shapes, nodes, tasks, need, tries,
//            [&](size_t shape, uint32_t book) { return books.After(shape, book); });
//
// Guarantee. If there is a way, it is found under three conditions: tasks hold what they need to
// start; a node that has parts for several tasks also has them for those that came before the last
// one; and the tries suffice.
//
// Ties. Shapes, tasks and nodes go in the order given.
//
// Cost. A try is a task put on a node or left out. Finding the node is O(nodes x resources), and a
// question about parts for each node with room, where the shape takes any.
#ifndef MUSTER_FIT_GANG_PACKING_H_
#define MUSTER_FIT_GANG_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"

namespace muster {

struct PackShape {
  std::vector<int64_t> to_start, held;  // per resource
  bool parts = false;                   // it takes more than amounts:
  int64_t size = 0;                     // so much of what there is of it, in millionths
};

struct PackNode {
  std::vector<int64_t> room;  // per resource
  std::vector<bool> takes;    // per shape: resources aside
  uint32_t book = 0;          // of what it has beside amounts
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

// The book of a node in that book with one more task of the shape; kNoParts: it has not what the
// task takes. Called for shapes that take parts alone; equal calls have equal answers.
using PackParts = absl::FunctionRef<uint32_t(size_t shape, uint32_t book)>;
inline constexpr uint32_t kNoParts = UINT32_MAX;
inline uint32_t SameBook(size_t, uint32_t book) { return book; }

// REQUIRES: there is a shape, and lists are as long as shapes and resources are many.
std::vector<PackStep> PackGang(std::span<const PackShape> shapes, std::span<const PackNode> nodes,
                               std::span<const PackTask> tasks, const PackNeed& need,
                               int64_t most_tries, PackParts parts = SameBook);

}  // namespace muster

#endif  // MUSTER_FIT_GANG_PACKING_H_
