// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "muster/index.h"

#include <concepts>
#include <functional>
#include <type_traits>
#include <vector>

#include "absl/hash/hash.h"
#include "gtest/gtest.h"
#include "muster/types.h"

namespace muster {
namespace {

template <class Operator, class A, class B>
constexpr bool kCompares = std::is_invocable_v<Operator, A, B>;

// Whether nothing leads from one type to the other.
template <class A, class B>
constexpr bool AreStrangers() {
  return !std::is_convertible_v<A, B> && !std::is_constructible_v<A, B> &&
         !std::is_assignable_v<A&, B> && !kCompares<std::equal_to<>, A, B> &&
         !kCompares<std::not_equal_to<>, A, B> && !kCompares<std::less<>, A, B> &&
         !kCompares<std::greater_equal<>, A, B>;
}

template <class... Ids>
constexpr bool AllAreStrangers() {
  const auto to_others = []<class A>(std::type_identity<A>) {
    return ((std::is_same_v<A, Ids> || AreStrangers<A, Ids>()) && ...);
  };
  return (to_others(std::type_identity<Ids>()) && ...);
}

static_assert(AllAreStrangers<DimensionIndex, NodeIndex, QueueIndex, JobIndex, TaskIndex,
                              DomainIndex, ClassIndex, GroupIndex, SubGroupIndex>());

// The questions above have other answers within one table.
static_assert(!AreStrangers<NodeIndex, NodeIndex>());
static_assert(kCompares<std::equal_to<>, NodeIndex, NodeIndex>);
static_assert(kCompares<std::less<>, NodeIndex, NodeIndex>);

// Numbers become indices by name only, and doubles never.
static_assert(std::is_constructible_v<NodeIndex, size_t>);
static_assert(!std::is_convertible_v<size_t, NodeIndex>);
static_assert(!std::is_convertible_v<uint32_t, NodeIndex>);
static_assert(!std::is_assignable_v<NodeIndex&, uint32_t>);
static_assert(!std::is_constructible_v<NodeIndex, double>);
static_assert(std::is_convertible_v<NodeIndex, uint32_t>);
static_assert(std::is_convertible_v<NodeIndex, size_t>);

// What a vector, a register and a memcpy make of an index is what they make of a uint32_t.
static_assert(sizeof(NodeIndex) == sizeof(uint32_t) && alignof(NodeIndex) == alignof(uint32_t));
static_assert(std::is_trivial_v<NodeIndex> && std::is_standard_layout_v<NodeIndex>);

// Literals and kNone are constants of every type.
constexpr NodeIndex kThird = 2;
static_assert(kThird == 2 && kThird != kNone && kThird < kNone && kThird + 1 == 3);
static_assert(NodeIndex(kNone) == kNone && uint32_t{kNone} == 0xFFFFFFFF);

TEST(Index, CountsAndAddresses) {
  std::vector<int> cells(3, 0);
  for (NodeIndex n = 0; n < cells.size(); ++n) cells[n] = static_cast<int>(n * 2);
  EXPECT_EQ(cells, (std::vector<int>{0, 2, 4}));
  NodeIndex n = 1;
  EXPECT_EQ(n++, 1);
  EXPECT_EQ(n--, 2);
  EXPECT_EQ(--n, 0);
  EXPECT_EQ((n == 0 ? kNone : n), kNone);
}

TEST(Index, ComparesWithNumbersByValue) {
  const NodeIndex last(0xFFFFFFFEu);
  EXPECT_FALSE(last == -2);
  EXPECT_GT(last, -2);
  EXPECT_LT(last, uint64_t{1} << 32);
  EXPECT_FALSE(NodeIndex(0) == uint64_t{1} << 32);
  EXPECT_LT(last, kNone);
}

TEST(Index, HashesItsNumber) {
  EXPECT_EQ(absl::Hash<NodeIndex>()(7), absl::Hash<NodeIndex>()(NodeIndex(7u)));
  EXPECT_NE(absl::Hash<NodeIndex>()(7), absl::Hash<NodeIndex>()(8));
  EXPECT_EQ(std::hash<NodeIndex>()(7), 7u);
}

}  // namespace
}  // namespace muster
