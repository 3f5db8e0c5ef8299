// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Go's sort.Slice (1.22 and later), comparison by comparison.
//
//   GoSort(cores, [&](int a, int b) { return free[a] < free[b] || a < b; });
//
// Some peers sort by a "less" that is no order: conditions joined by "or", so that a is before b
// and b before a. The result is then no sorted list but what the algorithm's comparisons make of
// it. To decide as they decide, this function compares and swaps in the same order. Equal elements,
// too, lie as Go leaves them.
//
// Orders of callers' policies may be no orders, either. Lists that go by them are sorted here:
// std::sort and std::stable_sort run past the end of a list if a comparison is wrong.
//
// The algorithm is pattern-defeating quicksort: insertion sort up to 12 elements, a median of three
// or nine as the pivot, a few swaps of a fixed generator where a partition was lopsided, heap sort
// where that did not help.
//
// `less` may be any predicate: no element outside the list is ever touched. At most O(n log n)
// calls.
#ifndef MUSTER_BASE_GO_SORT_H_
#define MUSTER_BASE_GO_SORT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace muster {

template <class Container, class Less>
class GoSorter {
 public:
  GoSorter(Container& items, Less less) : items_(items), less_(std::move(less)) {}

  void Run() {
    const size_t n = items_.size();
    Sort(0, static_cast<Index>(n), static_cast<int>(std::bit_width(n)));
  }

 private:
  using Index = std::ptrdiff_t;
  enum class Hint : uint8_t { kUnknown, kIncreasing, kDecreasing };

  bool Before(Index i, Index j) const {
    return less_(items_[static_cast<size_t>(i)], items_[static_cast<size_t>(j)]);
  }
  void Swap(Index i, Index j) {
    std::swap(items_[static_cast<size_t>(i)], items_[static_cast<size_t>(j)]);
  }

  void Sort(Index a, Index b, int limit) {
    bool balanced = true, partitioned = true;
    for (;;) {
      const Index length = b - a;
      if (length <= 12) return Insert(a, b);
      if (limit == 0) return HeapSort(a, b);
      if (!balanced) {
        Scatter(a, b);
        --limit;
      }
      auto [pivot, hint] = ChoosePivot(a, b);
      if (hint == Hint::kDecreasing) {
        for (Index i = a, j = b - 1; i < j; ++i, --j) Swap(i, j);
        pivot = (b - 1) - (pivot - a);
        hint = Hint::kIncreasing;
      }
      if (balanced && partitioned && hint == Hint::kIncreasing && InsertFew(a, b)) return;
      if (a > 0 && !Before(a - 1, pivot)) {  // many are equal to the pivot
        a = PartEqual(a, b, pivot);
        continue;
      }
      const auto [middle, was_parted] = Part(a, b, pivot);
      partitioned = was_parted;
      const Index left = middle - a, right = b - middle;
      if (left < right) {
        balanced = left >= length / 8;
        Sort(a, middle, limit);
        a = middle + 1;
      } else {
        balanced = right >= length / 8;
        Sort(middle + 1, b, limit);
        b = middle;
      }
    }
  }

  void Insert(Index a, Index b) {
    for (Index i = a + 1; i < b; ++i) {
      for (Index j = i; j > a && Before(j, j - 1); --j) Swap(j, j - 1);
    }
  }

  void Sink(Index root, Index size, Index first) {
    for (;;) {
      Index child = 2 * root + 1;
      if (child >= size) return;
      if (child + 1 < size && Before(first + child, first + child + 1)) ++child;
      if (!Before(first + root, first + child)) return;
      Swap(first + root, first + child);
      root = child;
    }
  }

  void HeapSort(Index a, Index b) {
    const Index size = b - a;
    for (Index i = (size - 1) / 2; i >= 0; --i) Sink(i, size, a);
    for (Index i = size - 1; i >= 0; --i) {
      Swap(a, a + i);
      Sink(0, i, a);
    }
  }

  // Three swaps around the middle with places drawn from a generator seeded by the length.
  void Scatter(Index a, Index b) {
    const Index length = b - a;
    uint64_t state = static_cast<uint64_t>(length);
    const uint64_t mask = (uint64_t{1} << std::bit_width(state)) - 1;
    const Index middle = a + length / 4 * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      Index other = static_cast<Index>(state & mask);
      if (other >= length) other -= length;
      Swap(i, a + other);
    }
  }

  std::pair<Index, Hint> ChoosePivot(Index a, Index b) {
    const Index quarter = (b - a) / 4;
    int swaps = 0;
    Index i = a + quarter, j = a + quarter * 2, k = a + quarter * 3;
    if (b - a >= 50) {
      i = Median(i - 1, i, i + 1, &swaps);
      j = Median(j - 1, j, j + 1, &swaps);
      k = Median(k - 1, k, k + 1, &swaps);
    }
    j = Median(i, j, k, &swaps);
    return {j, swaps == 0 ? Hint::kIncreasing : swaps == 12 ? Hint::kDecreasing : Hint::kUnknown};
  }

  Index Median(Index a, Index b, Index c, int* swaps) const {
    const auto order = [&](Index* x, Index* y) {
      if (!Before(*y, *x)) return;
      ++*swaps;
      std::swap(*x, *y);
    };
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    return b;
  }

  // For lists that are nearly sorted: true if a few moves did it.
  bool InsertFew(Index a, Index b) {
    Index i = a + 1;
    for (int step = 0; step < 5; ++step) {
      while (i < b && !Before(i, i - 1)) ++i;
      if (i == b) return true;
      if (b - a < 50) return false;
      Swap(i, i - 1);
      if (i - a >= 2) {
        for (Index j = i - 1; j >= 1 && Before(j, j - 1); --j) Swap(j, j - 1);
      }
      if (b - i >= 2) {
        for (Index j = i + 1; j < b && Before(j, j - 1); ++j) Swap(j, j - 1);
      }
    }
    return false;
  }

  // Elements equal to the pivot to the front; none is smaller.
  Index PartEqual(Index a, Index b, Index pivot) {
    Swap(a, pivot);
    Index i = a + 1, j = b - 1;
    for (;;) {
      while (i <= j && !Before(a, i)) ++i;
      while (i <= j && Before(a, j)) --j;
      if (i > j) return i;
      Swap(i++, j--);
    }
  }

  // Where the pivot is now, and whether nothing had to move.
  std::pair<Index, bool> Part(Index a, Index b, Index pivot) {
    Swap(a, pivot);
    Index i = a + 1, j = b - 1;
    for (bool first = true;; first = false) {
      while (i <= j && Before(i, a)) ++i;
      while (i <= j && !Before(j, a)) --j;
      if (i > j) {
        Swap(j, a);
        return {j, first};
      }
      Swap(i++, j--);
    }
  }

  Container& items_;
  Less less_;
};

// For containers with size() and operator[].
template <class Container, class Less>
void GoSort(Container& items, Less less) {
  GoSorter<Container, Less>(items, std::move(less)).Run();
}

}  // namespace muster

#endif  // MUSTER_BASE_GO_SORT_H_
