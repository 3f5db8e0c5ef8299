// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// KeptOrder: a sorted list that is kept from one use to the next.
//
//   order.Touch(queue);                       // its key changed, or it came or went
//   order.Refresh(belongs, compare, sort);    // moves what was touched, or sorts anew
//   for (Index queue : order.items()) ...
//
// `compare(a, b)` is negative, zero or positive, or kMixed where the two have no order. The peer
// sorts anew each time; its result depends on the comparisons made only where two have no order, so
// then the list is sorted by `sort(items)` each time, which makes the peer's comparisons.
//
// Cost of Refresh: a scan for each item that was touched, and O(log n) comparisons; three if a
// single item was touched and stays where it is.
#ifndef MUSTER_PEER_YUNIKORN_KEPT_ORDER_H_
#define MUSTER_PEER_YUNIKORN_KEPT_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/peer/yunikorn/objects.h"

namespace muster::yunikorn {

class KeptOrder {
 public:
  static constexpr int kMixed = 2;

  void Invalidate() {
    valid_ = false;
    touched_.clear();
  }

  void Touch(Index item) {
    if (!valid_ || std::ranges::find(touched_, item) != touched_.end()) return;
    if (touched_.size() == kMostTouched) return Invalidate();
    touched_.push_back(item);
  }

  // `sort` fills the list and returns whether its order may be kept.
  template <class Belongs, class Compare, class Sort>
  void Refresh(Belongs belongs, Compare compare, Sort sort) {
    if (valid_ && touched_.size() == 1 && Stays(touched_[0], belongs, compare)) touched_.clear();
    if (valid_) {
      for (Index item : touched_) std::erase(items_, item);
      for (Index item : touched_) valid_ = valid_ && (!belongs(item) || Insert(item, compare));
      touched_.clear();
    }
    if (valid_) return;
    items_.clear();
    valid_ = sort(items_) && Ordered(compare);
  }

  const std::vector<Index>& items() const { return items_; }

 private:
  static constexpr size_t kMostTouched = 16;

  template <class Compare>
  bool Ordered(Compare compare) const {
    for (size_t i = 1; i < items_.size(); ++i) {
      const int order = compare(items_[i - 1], items_[i]);
      if (order > 0) return false;
    }
    return true;
  }

  // Returns whether an item of the list still belongs where it is.
  template <class Belongs, class Compare>
  bool Stays(Index item, Belongs belongs, Compare compare) const {
    const auto at = std::ranges::find(items_, item);
    if (at == items_.end() || !belongs(item) || compare(item, item) != 0) return false;
    return (at == items_.begin() || compare(*(at - 1), item) < 0) &&
           (at + 1 == items_.end() || compare(item, *(at + 1)) < 0);
  }

  // Returns false if the item has no order with one of those that it was compared with. Those
  // include its neighbors, and orders of neighbors extend to all others.
  template <class Compare>
  bool Insert(Index item, Compare compare) {
    size_t low = 0, high = items_.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      const int order = compare(items_[middle], item);
      if (order == kMixed) return false;
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(low), item);
    return true;
  }

  std::vector<Index> items_;
  std::vector<Index> touched_;
  bool valid_ = false;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_KEPT_ORDER_H_
