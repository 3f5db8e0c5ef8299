// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The linear program of a snapshot: tasks of a kind on nodes of a group.
//
//   ProgramColumns built = BuildProgram(facts);
//   built.program.most[column]
//
// Idea. Tasks of one class below the same limited queue are one kind; nodes with equal answers and
// equal room are one group. Among nodes of a group an average of any placement is a placement, so
// counting them together loses nothing beyond what fractions lose. If that makes more than
// kMostColumns columns, nodes that admit the same kinds form a group whatever their room.
//
// Rounding. Requests of a resource are divided by their greatest common divisor. Of each node as
// many whole steps are counted as it has. That is right for whole tasks alone, and so is nearer
// than the program in bytes. Amounts above 2^22 steps are halved until they are not; a request is
// then rounded down and a value rounded up, which only relaxes.
//
// A row that all tasks together cannot fill is left out.
#ifndef MUSTER_BOUND_PROGRAM_H_
#define MUSTER_BOUND_PROGRAM_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lib/bound/facts.h"

namespace muster {

inline constexpr size_t kMostColumns = 20'000;
inline constexpr int kMostBits = 22;

struct ProgramColumns {
  BoundProgram program;
  // By objective: the dimension; kNone: tasks.
  std::vector<DimensionIndex> dimension;
  // By node: its group; kNone: none.
  std::vector<uint32_t> group_of;
  // By (class, queue of the nearest limit or kNone): the kind.
  std::map<std::pair<ClassIndex, QueueIndex>, uint32_t> kinds;
  // By (kind, group): the column.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> columns;
  // By job: 1: it is a gang that cannot become whole.
  std::vector<uint8_t> hopeless;
};

ProgramColumns BuildProgram(const BoundFacts& facts);

// Returns the nearest queue with a limit, from `queue` up to the root; kNone: there is none.
QueueIndex NearestLimit(const Tables& tables, QueueIndex queue);

}  // namespace muster

#endif  // MUSTER_BOUND_PROGRAM_H_
