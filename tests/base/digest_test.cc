// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Golden digests, computed by an independent program that also reproduces the published FNV-1a of
// "a".
#include "lib/base/digest.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace muster {
namespace {

template <class... Values>
std::string HexOf(Values... values) {
  Digest digest;
  (digest.Add(values), ...);
  return digest.Hex();
}

TEST(DigestTest, Golden) {
  EXPECT_EQ(HexOf(), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(HexOf(0), "9d30c1f78465995be47dda5e4e4e77ed");
  EXPECT_EQ(HexOf(1, -1, "node-a", ""), "dc4b259e049c79e4e2125ce71aa8d980");
}

TEST(DigestTest, LengthsSeparateTexts) {
  EXPECT_EQ(HexOf("ab", "c"), "b6ce7db35a06e7457857fa227a8bde4e");
  EXPECT_EQ(HexOf("a", "bc"), "efdf187f3b77026ced2f13d8b5bb1a22");
}

TEST(DigestTest, TheWidthOfAnIntegerDoesNotMatter) {
  EXPECT_EQ(HexOf(int8_t{-5}, true, uint16_t{7}), HexOf(int64_t{-5}, 1, uint64_t{7}));
  EXPECT_NE(HexOf(uint8_t{251}), HexOf(int8_t{-5}));
}

TEST(DigestTest, OrderMattersAndEqualityIsOfTheSequence) {
  Digest a, b, c;
  a.Add(1);
  a.Add(std::string("x"));
  b.Add(1);
  b.Add("x");
  c.Add("x");
  c.Add(1);
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a == c);
}

}  // namespace
}  // namespace muster
