// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The type of row indices: one type for each table, so that a task is not taken for a node.
//
//   muster::NodeIndex node = 3;
//   for (muster::NodeIndex n = 0; n < snapshot.node_count(); ++n) Visit(n);
//   const auto last = muster::NodeIndex(names.size() - 1);  // from a number: written out
//   std::string_view name = names[node];                    // to a number: by itself
//   if (node == muster::kNone) return;                      // no row
//
// Promise. An index is a 32-bit number of a type of its own. It converts to a number where one is
// needed, and is made of a number only where the type is written out; integer literals and kNone
// convert by themselves. Indices of two tables neither convert into each other nor compare:
// `task == node` and `node = task` do not compile. Arithmetic gives numbers, so that `node + 1` is
// one.
// Failure. None. REQUIRES: numbers that become indices are below 2^32.
// Ownership, threads. A value.
// Cost. That of a uint32_t: the same size, layout and code. As with one, `NodeIndex n;` has no
// value.
#ifndef MUSTER_INDEX_H_
#define MUSTER_INDEX_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace muster {

// The type of kNone alone, which is an index into every table.
struct NoIndex {
  constexpr operator uint32_t() const { return std::numeric_limits<uint32_t>::max(); }
};

// No row. It converts to an index into any table, and compares with all of them. As a number it is
// the largest uint32_t.
inline constexpr NoIndex kNone;

// An index into the table that `Tag` stands for.
//
// Tags are declared in types.h and never defined: a tag has no members, and no table refers to it.
// A function that takes a row takes its index by value.
template <class Tag>
class Index {
 public:
  // Makes an index:
  // - without a value, as an int has none: `NodeIndex n;`
  // - of a literal, and of nothing else by itself, so that no count becomes a row by accident:
  //   `NodeIndex n = 3;`
  // - of kNone: `NodeIndex n = kNone;`
  // - of any integer, where the type is written out: `NodeIndex(rows.size() - 1)`
  // - not of an index into another table.
  Index() = default;
  template <std::same_as<int> Literal>
  consteval Index(Literal value) : value_(static_cast<uint32_t>(value)) {}
  constexpr Index(NoIndex none) : value_(none) {}
  template <std::integral Number>
  constexpr explicit Index(Number value) : value_(static_cast<uint32_t>(value)) {}
  template <std::same_as<int> Number>
  requires std::integral<Number>  // explicit, it comes before the literal's
  constexpr explicit Index(Number value) : value_(static_cast<uint32_t>(value)) {}
  template <class Other>
  Index(Index<Other>) = delete;

  // Returns the number. The conversion is implicit, so that an index also indexes vectors and
  // spans, and prints as a number.
  constexpr operator uint32_t() const { return value_; }
  constexpr uint32_t value() const { return value_; }

  // Indices count up and down, for loops over the rows of a table:
  //
  //   for (NodeIndex n = 0; n < cycle.node_count(); ++n) ...
  //
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  constexpr Index operator++(int) { return Index(value_++); }
  constexpr Index& operator--() {
    --value_;
    return *this;
  }
  constexpr Index operator--(int) { return Index(value_--); }

  // Indices compare with those of the same table, with kNone and with numbers: kNone is above all
  // of them. Comparisons with an index into another table do not compile.
  friend constexpr bool operator==(Index a, Index b) { return a.value_ == b.value_; }
  friend constexpr bool operator==(Index a, NoIndex b) { return a.value_ == uint32_t{b}; }
  template <std::integral Number>
  friend constexpr bool operator==(Index a, Number b) {
    return std::cmp_equal(a.value_, b);
  }
  template <class Other>
  friend bool operator==(Index, Index<Other>) = delete;

  friend constexpr std::strong_ordering operator<=>(Index a, Index b) {
    return a.value_ <=> b.value_;
  }
  template <std::integral Number>
  friend constexpr std::strong_ordering operator<=>(Index a, Number b) {
    return std::cmp_less(a.value_, b)    ? std::strong_ordering::less
           : std::cmp_equal(a.value_, b) ? std::strong_ordering::equal
                                         : std::strong_ordering::greater;
  }
  template <class Other>
  friend void operator<=>(Index, Index<Other>) = delete;

  // Indices are keys of Abseil's hash tables and, by std::hash below, of the standard library's.
  template <class H>
  friend H AbslHashValue(H h, Index index) {
    return H::combine(std::move(h), index.value_);
  }

 private:
  uint32_t value_;
};

}  // namespace muster

template <class Tag>
struct std::hash<muster::Index<Tag>> {
  size_t operator()(muster::Index<Tag> index) const noexcept { return index.value(); }
};

#endif  // MUSTER_INDEX_H_
