// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What each queue of a replay deserves at a time, whatever the policy is: the machine divided among
// what the queues request.
//
//   const MachineDivision division(claims);
//   std::vector<double> deserved = division.Divide(wanted, capacity);   // dominant shares
//
// Idea. A queue that gets x of what it requests holds the dominant share x * s, s being that of all
// it requests. One level rises; a queue's dominant share is level * weight, but at least what its
// guarantee gives and at most what it requests and its limit allows. Where a resource is full, the
// queues that request it stay where they are, and the level rises for the others. What the children
// of a queue get is divided in the same way, with the part of their parent as the machine.
//
// Guarantee. Weighted max-min fair in dominant shares: no queue can have more unless one of its
// siblings that has no more for its weight, and is above its guarantee, gets less. Guarantees that
// exceed the machine are met in full all the same: what is deserved then adds up to more than it.
//
// The levels are found by halving intervals of doubles, in one order of operations: equal on every
// machine, and exact to a millionth of a millionth of the machine.
//
// Cost. O(queues x resources x 90) for each resource that fills up.
#ifndef MUSTER_REPLAY_DESERVED_H_
#define MUSTER_REPLAY_DESERVED_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace muster {

// By dimension; 0 or more.
using DivisionAmounts = std::vector<int64_t>;

struct DivisionQueue {
  size_t parent = 0;  // kNoParent: it is a root
  int64_t weight = 1;
  // An absent amount, and one below 0, limits and guarantees nothing.
  std::optional<DivisionAmounts> guaranteed, limit;
};
inline constexpr size_t kNoParent = SIZE_MAX;

class MachineDivision {
 public:
  MachineDivision() = default;
  explicit MachineDivision(std::vector<DivisionQueue> queues);

  // `wanted`: what the jobs of each queue hold and request, by dimension, without those of its
  // children. A dimension without capacity does not count. Returns the dominant share of the
  // machine that each queue deserves.
  std::vector<double> Divide(std::span<const std::vector<double>> wanted,
                             const DivisionAmounts& capacity) const;
  // Adds what the queues below hold to what each queue holds.
  void AddChildren(std::vector<DivisionAmounts>* held) const;

 private:
  std::vector<DivisionQueue> queues_;
  std::vector<size_t> order_;                  // parents first
  std::vector<std::vector<size_t>> children_;  // the last has the roots
};

}  // namespace muster

#endif  // MUSTER_REPLAY_DESERVED_H_
