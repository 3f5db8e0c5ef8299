// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A binary heap over row numbers that keeps the position of each, so a row with a changed key moves
// in O(log n) without a search.
//
//   struct ByShare {
//     const std::vector<int64_t>* share;
//     bool operator()(uint32_t a, uint32_t b) const {
//       return (*share)[a] != (*share)[b] ? (*share)[a] < (*share)[b] : a < b;
//     }
//   };
//   IndexedHeap<ByShare> queues(ByShare{&share});
//   queues.Push(3);
//   share[3] += 100;
//   queues.Update(3);      // after every change of a key, before the next call
//   uint32_t poorest = queues.Top();
//
// REQUIRES of the comparator: a strict total order of the ids in the heap. It must distinguish any
// two ids, by the id itself if by nothing else. Then Top returns the one least id, whatever the
// history of the heap.
#ifndef MUSTER_BASE_INDEXED_HEAP_H_
#define MUSTER_BASE_INDEXED_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace muster {

template <class Less>
class IndexedHeap {
 public:
  explicit IndexedHeap(Less less = Less()) : less_(std::move(less)) {}

  // The position index grows to the largest id pushed. REQUIRES: !Contains(id).
  void Push(uint32_t id) {
    if (id >= position_.size()) position_.resize(size_t{id} + 1, kAbsent);
    heap_.push_back(id);
    position_[id] = static_cast<uint32_t>(heap_.size() - 1);
    Rise(heap_.size() - 1);
  }

  // The least id. REQUIRES: !empty().
  uint32_t Top() const { return heap_.front(); }

  // Removes the least id and returns it. REQUIRES: !empty().
  uint32_t Pop() {
    const uint32_t id = heap_.front();
    Remove(id);
    return id;
  }

  // Puts `id` where its changed key belongs. One key may be out of place at a time. REQUIRES:
  // Contains(id).
  void Update(uint32_t id) {
    Rise(position_[id]);
    Sink(position_[id]);
  }

  // REQUIRES: Contains(id).
  void Remove(uint32_t id) {
    const size_t hole = position_[id];
    const uint32_t last = heap_.back();
    heap_.pop_back();
    position_[id] = kAbsent;
    if (last == id) return;
    heap_[hole] = last;
    position_[last] = static_cast<uint32_t>(hole);
    Update(last);
  }

  bool Contains(uint32_t id) const { return id < position_.size() && position_[id] != kAbsent; }
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }

  // O(size), not O(largest id).
  void Clear() {
    for (uint32_t id : heap_) position_[id] = kAbsent;
    heap_.clear();
  }

 private:
  static constexpr uint32_t kAbsent = std::numeric_limits<uint32_t>::max();

  void Put(size_t at, uint32_t id) {
    heap_[at] = id;
    position_[id] = static_cast<uint32_t>(at);
  }

  void Rise(size_t at) {
    const uint32_t id = heap_[at];
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (!less_(id, heap_[parent])) break;
      Put(at, heap_[parent]);
      at = parent;
    }
    Put(at, id);
  }

  void Sink(size_t at) {
    const uint32_t id = heap_[at];
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && less_(heap_[child + 1], heap_[child])) ++child;
      if (!less_(heap_[child], id)) break;
      Put(at, heap_[child]);
      at = child;
    }
    Put(at, id);
  }

  Less less_;
  std::vector<uint32_t> heap_;
  std::vector<uint32_t> position_;  // by id, kAbsent if not in the heap
};

}  // namespace muster

#endif  // MUSTER_BASE_INDEXED_HEAP_H_
