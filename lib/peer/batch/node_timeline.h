// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How an amount of each dimension changes over time, on one node.
//
//   NodeTimeline room(dimensions);
//   room.Add(100, request, 1);             // from time 100 on there is more,
//   room.Add(200, request, -1);            // and from 200 on less
//   int64_t least = room.Least(d, 50, 250);   // 0
//
// Cost. Add: O(changes x dimensions) at most, O(dimensions) for the latest time so far. Least:
// O(log changes), and O(changes x dimensions) once after changes.
#ifndef MUSTER_PEER_BATCH_NODE_TIMELINE_H_
#define MUSTER_PEER_BATCH_NODE_TIMELINE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace muster {

class NodeTimeline {
 public:
  explicit NodeTimeline(size_t dimensions) : dimensions_(dimensions) {}

  // Adds sign * amounts from `time` on.
  void Add(int64_t time, std::span<const int64_t> amounts, int sign) {
    const auto at = std::lower_bound(times_.begin(), times_.end(), time);
    const auto row =
        static_cast<ptrdiff_t>(at - times_.begin()) * static_cast<ptrdiff_t>(dimensions_);
    if (at == times_.end() || *at != time) {
      times_.insert(at, time);
      changes_.insert(changes_.begin() + row, dimensions_, 0);
    }
    for (size_t d = 0; d < dimensions_; ++d) changes_[row + d] += sign * amounts[d];
    summed_ = false;
  }

  // Returns the least amount from `from` to before `to`; at least `from` itself counts.
  int64_t Least(size_t dimension, int64_t from, int64_t to) {
    if (!summed_) Sum();
    const auto first = std::upper_bound(times_.begin(), times_.end(), from);
    const auto last = std::lower_bound(first, times_.end(), to);
    // Leaf 0 is what was there before the first change, leaf i + 1 what is there from change i on.
    size_t low = leaves() + (first - times_.begin()), high = leaves() + (last - times_.begin()) + 1;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) least = std::min(least, least_[low++ * dimensions_ + dimension]);
      if (high % 2 == 1) least = std::min(least, least_[--high * dimensions_ + dimension]);
    }
    return least;
  }

 private:
  size_t leaves() const { return times_.size() + 1; }

  // Fills the tree of minima: node i has nodes 2i and 2i + 1 below it, and the leaves are last.
  void Sum() {
    summed_ = true;
    least_.assign(2 * leaves() * dimensions_, 0);
    for (size_t i = (leaves() + 1) * dimensions_; i < 2 * leaves() * dimensions_; ++i) {
      least_[i] = least_[i - dimensions_] + changes_[i - (leaves() + 1) * dimensions_];
    }
    for (size_t i = leaves(); i-- > 1;) {
      for (size_t d = 0; d < dimensions_; ++d) {
        least_[i * dimensions_ + d] =
            std::min(least_[2 * i * dimensions_ + d], least_[(2 * i + 1) * dimensions_ + d]);
      }
    }
  }

  size_t dimensions_;
  std::vector<int64_t> times_;    // ascending
  std::vector<int64_t> changes_;  // a row for each time
  std::vector<int64_t> least_;    // while `summed_`: a row for each node of the tree
  bool summed_ = false;
};

}  // namespace muster

#endif  // MUSTER_PEER_BATCH_NODE_TIMELINE_H_
