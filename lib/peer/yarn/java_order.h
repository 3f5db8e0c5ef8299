// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Orders in which collections of Java's library hold their elements, where a decision depends on
// them: a comparator that is no order, or equal elements of a heap.
//
//   JavaHeap<App*, Before> heap;      // PriorityQueue
//   heap.Push(app, before);
//   App* next = heap.Pop(before);
//   TreeOrder(size, compare);         // what a TreeSet makes of 0..size-1, one after the other
//   HashMapOrder(hashes);             // how a HashMap walks keys with these hashes
//   HashTableOrder(hashes);           // the same of a ConcurrentHashMap
#ifndef MUSTER_PEER_YARN_JAVA_ORDER_H_
#define MUSTER_PEER_YARN_JAVA_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace muster::yarn {

// A binary heap. `compare(a, b)` is negative if a comes first; it may be no order at all.
template <class T>
class JavaHeap {
 public:
  bool empty() const { return items_.empty(); }
  const T& top() const { return items_.front(); }
  const std::vector<T>& items() const { return items_; }

  template <class Compare>
  void Push(T item, const Compare& compare) {
    size_t at = items_.size();
    items_.push_back(item);
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (compare(item, items_[parent]) >= 0) break;
      items_[at] = items_[parent];
      at = parent;
    }
    items_[at] = item;
  }

  // REQUIRES: !empty().
  template <class Compare>
  T Pop(const Compare& compare) {
    const T first = items_.front();
    const T moved = items_.back();
    items_.pop_back();
    if (!items_.empty()) SiftDown(moved, compare);
    return first;
  }

 private:
  template <class Compare>
  void SiftDown(const T& moved, const Compare& compare) {
    const size_t size = items_.size();
    size_t at = 0;
    while (at < size / 2) {
      size_t child = 2 * at + 1;
      if (child + 1 < size && compare(items_[child], items_[child + 1]) > 0) ++child;
      if (compare(moved, items_[child]) <= 0) break;
      items_[at] = items_[child];
      at = child;
    }
    items_[at] = moved;
  }

  std::vector<T> items_;
};

// Inserts elements 0..size-1 into a red-black tree and returns them from left to right. An element
// that compares as 0 with one on its way is left out. For a strict order this is a sort.
template <class Compare>
class JavaTree {
 public:
  explicit JavaTree(const Compare& compare) : compare_(compare) {}

  void Insert(size_t element) {
    int parent = kNone, order = 0;
    for (int at = root_; at != kNone; at = order < 0 ? nodes_[at].left : nodes_[at].right) {
      order = compare_(element, nodes_[at].element);
      if (order == 0) return;
      parent = at;
    }
    const int added = static_cast<int>(nodes_.size());
    nodes_.push_back({.element = element, .parent = parent});
    if (parent == kNone) {
      root_ = added;
    } else {
      (order < 0 ? nodes_[parent].left : nodes_[parent].right) = added;
    }
    Balance(added);
  }

  std::vector<size_t> InOrder() const {
    std::vector<size_t> elements;
    std::vector<int> path;
    int at = root_;
    while (at != kNone || !path.empty()) {
      for (; at != kNone; at = nodes_[at].left) path.push_back(at);
      at = path.back();
      path.pop_back();
      elements.push_back(nodes_[at].element);
      at = nodes_[at].right;
    }
    return elements;
  }

 private:
  static constexpr int kNone = -1;
  struct Node {
    size_t element = 0;
    int parent = kNone, left = kNone, right = kNone;
    bool red = true;
  };

  // The rules of insertion into a red-black tree; `at` is red and new.
  void Balance(int at) {
    while (at != root_ && nodes_[nodes_[at].parent].red) {
      int parent = nodes_[at].parent;
      const int grandparent = nodes_[parent].parent;
      const bool left = parent == nodes_[grandparent].left;
      const int uncle = left ? nodes_[grandparent].right : nodes_[grandparent].left;
      if (uncle != kNone && nodes_[uncle].red) {
        nodes_[parent].red = nodes_[uncle].red = false;
        nodes_[grandparent].red = true;
        at = grandparent;
        continue;
      }
      if (at == (left ? nodes_[parent].right : nodes_[parent].left)) {
        at = parent;
        Rotate(at, left);
        parent = nodes_[at].parent;
      }
      nodes_[parent].red = false;
      nodes_[grandparent].red = true;
      Rotate(grandparent, !left);
    }
    nodes_[root_].red = false;
  }

  // Moves the right (`left`: rotate to the left) or the left child of `at` above it.
  void Rotate(int at, bool left) {
    const int up = left ? nodes_[at].right : nodes_[at].left;
    const int inner = left ? nodes_[up].left : nodes_[up].right;
    (left ? nodes_[at].right : nodes_[at].left) = inner;
    if (inner != kNone) nodes_[inner].parent = at;
    const int above = nodes_[at].parent;
    nodes_[up].parent = above;
    if (above == kNone) {
      root_ = up;
    } else {
      (nodes_[above].left == at ? nodes_[above].left : nodes_[above].right) = up;
    }
    (left ? nodes_[up].left : nodes_[up].right) = at;
    nodes_[at].parent = up;
  }

  const Compare& compare_;
  std::vector<Node> nodes_;
  int root_ = kNone;
};

template <class Compare>
std::vector<size_t> TreeOrder(size_t size, const Compare& compare) {
  JavaTree<Compare> tree(compare);
  for (size_t i = 0; i < size; ++i) tree.Insert(i);
  return tree.InOrder();
}

// Returns the places of `hashes` in the order of a walk through a table with this number of slots.
inline std::vector<size_t> SlotOrder(absl::Span<const uint32_t> hashes, size_t slots) {
  std::vector<std::vector<size_t>> table(slots);
  for (size_t i = 0; i < hashes.size(); ++i) {
    table[(hashes[i] ^ (hashes[i] >> 16)) & (slots - 1)].push_back(i);
  }
  std::vector<size_t> order;
  for (const std::vector<size_t>& slot : table) order.insert(order.end(), slot.begin(), slot.end());
  return order;
}

// Returns the places of `hashes` (of distinct keys, in the order of insertion) in the order of a
// walk through a HashMap of the keys, which doubles when more than three quarters of it are taken.
inline std::vector<size_t> HashMapOrder(absl::Span<const uint32_t> hashes) {
  size_t slots = 16;
  while (hashes.size() > slots - slots / 4) slots *= 2;
  return SlotOrder(hashes, slots);
}

// The same of a ConcurrentHashMap, which doubles when three quarters are taken.
inline std::vector<size_t> HashTableOrder(absl::Span<const uint32_t> hashes) {
  size_t slots = 16;
  while (hashes.size() >= slots - slots / 4) slots *= 2;
  return SlotOrder(hashes, slots);
}

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_JAVA_ORDER_H_
