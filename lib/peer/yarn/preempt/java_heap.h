// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A binary heap that orders equal items as Java's PriorityQueue does.
//
//   JavaHeap<int, Compare> heap(compare);   // compare(a, b) < 0: a goes first
//   heap.Push(3);
//   const int first = heap.Pop();
#ifndef MUSTER_PEER_YARN_PREEMPT_JAVA_HEAP_H_
#define MUSTER_PEER_YARN_PREEMPT_JAVA_HEAP_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace muster::yarn {

template <class Item, class Compare>
class JavaHeap {
 public:
  explicit JavaHeap(Compare compare) : compare_(std::move(compare)) {}

  bool empty() const { return items_.empty(); }
  const Item& top() const { return items_.front(); }
  const std::vector<Item>& items() const { return items_; }  // in the order of the heap

  void Push(Item item) {
    items_.push_back(item);
    size_t at = items_.size() - 1;
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (compare_(item, items_[parent]) >= 0) break;
      items_[at] = items_[parent];
      at = parent;
    }
    items_[at] = item;
  }

  // REQUIRES: !empty().
  Item Pop() {
    const Item first = items_.front();
    const Item last = items_.back();
    items_.pop_back();
    if (!items_.empty()) SiftDown(last);
    return first;
  }

 private:
  void SiftDown(Item item) {
    const size_t size = items_.size();
    size_t at = 0;
    while (at < size / 2) {
      size_t child = 2 * at + 1;
      if (child + 1 < size && compare_(items_[child], items_[child + 1]) > 0) ++child;
      if (compare_(item, items_[child]) <= 0) break;
      items_[at] = items_[child];
      at = child;
    }
    items_[at] = item;
  }

  Compare compare_;
  std::vector<Item> items_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_PREEMPT_JAVA_HEAP_H_
