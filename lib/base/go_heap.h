// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The binary heap of Go's container/heap, step by step.
//
//   GoHeap<int, std::less<int>> heap;
//   heap.Push(3);
//   heap.Push(1);
//   heap.Pop();  // 1
//
// Several peers keep jobs, queues and victims in Go's heap under comparators that read live
// numbers: shares that change while the element lies in the heap, or "less" that is true both ways.
// Which element comes out then depends on which pairs are compared, when, and what is swapped. To
// decide as they decide, this class makes exactly the same comparisons in the same order and the
// same swaps:
//
//   Push  appends, then while less(child, parent): swaps them and goes up to (i - 1) / 2.
//   Pop   swaps the root with the last element, sinks the new root in the rest, returns the last.
//   sink  takes the left child, the right one if less(right, left), stops if !less(child, parent).
//   Init  sinks from n / 2 - 1 down to 0.
//   FixTop  sinks the root, of which the key has changed.
//   Fix     sinks an element, or raises it if it did not sink.
//   Remove  swaps the element with the last, sinks it in the rest, or raises it if it did not sink.
//
// So `less` may be any predicate at all. std::push_heap and std::pop_heap promise neither.
#ifndef MUSTER_BASE_GO_HEAP_H_
#define MUSTER_BASE_GO_HEAP_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace muster {

template <class T, class Less>
class GoHeap {
 public:
  explicit GoHeap(Less less = Less()) : less_(std::move(less)) {}

  // Replaces the contents. O(n).
  void Init(std::vector<T> elements) {
    elements_ = std::move(elements);
    for (size_t i = elements_.size() / 2; i-- > 0;) Sink(i, elements_.size());
  }

  void Push(T element) {
    elements_.push_back(std::move(element));
    Raise(elements_.size() - 1);
  }

  // REQUIRES: !empty().
  void FixTop() { Sink(0, elements_.size()); }

  // REQUIRES: i < size().
  void Fix(size_t i) {
    if (!Sink(i, elements_.size())) Raise(i);
  }

  // REQUIRES: i < size().
  T Remove(size_t i) {
    const size_t last = elements_.size() - 1;
    if (i != last) {
      std::swap(elements_[i], elements_[last]);
      if (!Sink(i, last)) Raise(i);
    }
    T element = std::move(elements_.back());
    elements_.pop_back();
    return element;
  }

  // REQUIRES: !empty().
  T Pop() {
    const size_t last = elements_.size() - 1;
    if (last > 0) std::swap(elements_[0], elements_[last]);
    Sink(0, last);
    T element = std::move(elements_.back());
    elements_.pop_back();
    return element;
  }

  // Replaces the contents by those of another heap, as they lie. No comparison is made.
  void CopyFrom(const GoHeap& other) { elements_ = other.elements_; }

  bool empty() const { return elements_.empty(); }
  size_t size() const { return elements_.size(); }
  void Clear() { elements_.clear(); }

  // The array as it lies; [0] is what Pop would return.
  const std::vector<T>& elements() const { return elements_; }

 private:
  void Raise(size_t child) {
    while (child > 0) {
      const size_t parent = (child - 1) / 2;
      if (!less_(elements_[child], elements_[parent])) break;
      std::swap(elements_[parent], elements_[child]);
      child = parent;
    }
  }

  // Returns whether the element has moved.
  bool Sink(size_t parent, size_t size) {
    const size_t first = parent;
    for (;;) {
      size_t child = 2 * parent + 1;
      if (child >= size) break;
      if (child + 1 < size && less_(elements_[child + 1], elements_[child])) ++child;
      if (!less_(elements_[child], elements_[parent])) break;
      std::swap(elements_[parent], elements_[child]);
      parent = child;
    }
    return parent > first;
  }

  Less less_;
  std::vector<T> elements_;
};

}  // namespace muster

#endif  // MUSTER_BASE_GO_HEAP_H_
