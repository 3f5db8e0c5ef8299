// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sorts as GNU's C++ library does, step by step, so that equal elements end in the same places
// whatever library the caller uses.
//
//   GnuSort(&list, [](int a, int b) { return a > b; });
//
// A peer that sorts with std::sort orders equal elements by what that function happens to do, and
// what it decides depends on it. Up to 16 elements this is insertion, which keeps their order. More
// are first divided: the median of the second, the middle and the last element goes to the front,
// the others are swapped around it from both ends, and the right part is divided on; from twice
// log2(n) divisions deep on, a part is sorted by a heap. What is left in parts of up to 16 is
// inserted: the first 16 with a look at the front, the others without.
//
// GnuSorted does the same from the front, as far as the list is read: a part is divided only once
// an element of it is asked for. Parts do not overlap, so the order of work changes no result.
//
//   GnuSorted sorted(std::move(list), less);
//   for (size_t i = 0; i < sorted.size() && Wanted(sorted[i]); ++i) ...
//
// `less` must be a strict weak order. Cost: O(n log n) comparisons. Of GnuSorted the first element
// costs O(n), and k elements O(n + k log n), where parts are about halved.
#ifndef MUSTER_BASE_GNU_SORT_H_
#define MUSTER_BASE_GNU_SORT_H_

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace muster {

template <class T, class Less>
class GnuSorted {
 public:
  GnuSorted(std::vector<T> list, Less less) : list_(std::move(list)), less_(std::move(less)) {
    if (size() > 0)
      parts_.push_back({0, size(), 2 * (static_cast<int>(std::bit_width(size())) - 1)});
  }

  size_t size() const { return list_.size(); }
  const T& operator[](size_t i) {
    while (done_ <= i) SortFront();
    return list_[i];
  }
  // Returns the whole list, sorted. It is the last call.
  std::vector<T> Take() && {
    while (done_ < size()) SortFront();
    return std::move(list_);
  }

 private:
  static constexpr size_t kInserted = 16;
  struct Part {
    size_t begin, end;
    int depth;  // so often it may be divided
  };

  // Sorts the first part that is not, until it is short enough to be inserted.
  void SortFront() {
    while (parts_.back().end - parts_.back().begin > kInserted && parts_.back().depth > 0) {
      Part& part = parts_.back();
      const Part left{part.begin, Partition(part.begin, part.end), --part.depth};
      part.begin = left.end;
      parts_.push_back(left);
    }
    const Part part = parts_.back();
    if (part.end - part.begin > kInserted) {
      HeapSort(part.begin, part.end);
    } else {
      // What is before the part is sorted, and less than none of it.
      for (size_t i = part.begin + 1; i < part.end; ++i) Insert(i, part.begin == 0);
    }
    done_ = part.end;
    parts_.pop_back();
  }

  size_t Partition(size_t begin, size_t end) {
    MedianToFront(begin, begin + 1, begin + (end - begin) / 2, end - 1);
    size_t low = begin + 1, high = end;
    for (;;) {
      while (less_(list_[low], list_[begin])) ++low;
      --high;
      while (less_(list_[begin], list_[high])) --high;
      if (low >= high) return low;
      std::swap(list_[low], list_[high]);
      ++low;
    }
  }

  void MedianToFront(size_t front, size_t a, size_t b, size_t c) {
    size_t median = a;
    if (less_(list_[a], list_[b])) {
      median = less_(list_[b], list_[c]) ? b : less_(list_[a], list_[c]) ? c : a;
    } else {
      median = less_(list_[a], list_[c]) ? a : less_(list_[b], list_[c]) ? c : b;
    }
    std::swap(list_[front], list_[median]);
  }

  // `guarded`: the element may be less than the first one.
  void Insert(size_t at, bool guarded) {
    T element = std::move(list_[at]);
    size_t to = at;
    if (guarded && less_(element, list_[0])) {
      for (; to > 0; --to) list_[to] = std::move(list_[to - 1]);
    } else {
      for (; less_(element, list_[to - 1]); --to) list_[to] = std::move(list_[to - 1]);
    }
    list_[to] = std::move(element);
  }

  void HeapSort(size_t begin, size_t end) {
    const size_t size = end - begin;
    for (size_t i = size / 2; i-- > 0;) Sink(begin, i, size, std::move(list_[begin + i]));
    for (size_t last = size - 1; last > 0; --last) {
      T element = std::move(list_[begin + last]);
      list_[begin + last] = std::move(list_[begin]);
      Sink(begin, 0, last, std::move(element));
    }
  }

  // Moves the hole down to a leaf along the greater children, then the element up from there.
  void Sink(size_t begin, size_t hole, size_t size, T element) {
    const size_t top = hole;
    while (2 * hole + 2 < size) {
      size_t child = 2 * hole + 2;
      if (less_(list_[begin + child], list_[begin + child - 1])) --child;
      list_[begin + hole] = std::move(list_[begin + child]);
      hole = child;
    }
    if (2 * hole + 2 == size) {
      list_[begin + hole] = std::move(list_[begin + 2 * hole + 1]);
      hole = 2 * hole + 1;
    }
    while (hole > top && less_(list_[begin + (hole - 1) / 2], element)) {
      list_[begin + hole] = std::move(list_[begin + (hole - 1) / 2]);
      hole = (hole - 1) / 2;
    }
    list_[begin + hole] = std::move(element);
  }

  std::vector<T> list_;
  Less less_;
  std::vector<Part> parts_;  // that are not sorted; the first of the list at the back
  size_t done_ = 0;          // all before are where they belong
};

template <class T, class Less>
void GnuSort(std::vector<T>* list, Less less) {
  *list = GnuSorted<T, Less>(std::move(*list), std::move(less)).Take();
}

}  // namespace muster

#endif  // MUSTER_BASE_GNU_SORT_H_
