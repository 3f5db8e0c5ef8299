// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Go's sort.SliceStable, comparison by comparison.
//
//   GoStableSort(queues, [&](size_t i, size_t j) { return Before(queues[i], queues[j]); });
//
// `less` gets places in the list, not elements, and may be any predicate: some of the peer's are no
// orders, and one depends on the places themselves. The result is then what the comparisons make of
// the list, so the same ones are made, in the same order.
//
// The algorithm is insertion sort on blocks of 20, which are then merged in place by symmetric
// decisions. At most O(n log n) comparisons and O(n log^2 n) moves.
#ifndef MUSTER_PEER_YUNIKORN_STABLE_SORT_H_
#define MUSTER_PEER_YUNIKORN_STABLE_SORT_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace muster::yunikorn {

template <class T, class Less>
class GoStableSorter {
 public:
  GoStableSorter(std::vector<T>& items, Less less) : items_(items), less_(std::move(less)) {}

  void Run() {
    const size_t n = items_.size();
    size_t block = 20;
    for (size_t a = 0; a < n; a += block) Insert(a, std::min(a + block, n));
    for (; block < n; block *= 2) {
      for (size_t a = 0; a + block < n; a += 2 * block) {
        Merge(a, a + block, std::min(a + 2 * block, n));
      }
    }
  }

 private:
  void Insert(size_t a, size_t b) {
    for (size_t i = a + 1; i < b; ++i) {
      for (size_t j = i; j > a && less_(j, j - 1); --j) std::swap(items_[j], items_[j - 1]);
    }
  }

  void Rotate(size_t a, size_t m, size_t b) {
    const auto at = [&](size_t i) { return items_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(a), at(m), at(b));
  }

  // Merges the sorted a..m and m..b. The depth is logarithmic in b - a.
  void Merge(size_t a, size_t m, size_t b) {
    if (m - a == 1) return MergeFirst(a, m, b);
    if (b - m == 1) return MergeLast(a, m);
    const size_t middle = (a + b) / 2, n = middle + m;
    size_t start = m > middle ? n - b : a, end = m > middle ? middle : m;
    while (start < end) {
      const size_t c = (start + end) / 2;
      if (less_(n - 1 - c, c)) {
        end = c;
      } else {
        start = c + 1;
      }
    }
    end = n - start;
    if (start < m && m < end) Rotate(start, m, end);
    if (a < start && start < middle) Merge(a, start, middle);
    if (middle < end && end < b) Merge(middle, end, b);
  }

  void MergeFirst(size_t a, size_t m, size_t b) {
    size_t i = m, j = b;
    while (i < j) {
      const size_t half = (i + j) / 2;
      if (less_(half, a)) {
        i = half + 1;
      } else {
        j = half;
      }
    }
    Rotate(a, a + 1, i);
  }

  void MergeLast(size_t a, size_t m) {
    size_t i = a, j = m;
    while (i < j) {
      const size_t half = (i + j) / 2;
      if (less_(m, half)) {
        j = half;
      } else {
        i = half + 1;
      }
    }
    Rotate(i, m, m + 1);
  }

  std::vector<T>& items_;
  Less less_;
};

template <class T, class Less>
void GoStableSort(std::vector<T>& items, Less less) {
  GoStableSorter<T, Less>(items, std::move(less)).Run();
}

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_STABLE_SORT_H_
