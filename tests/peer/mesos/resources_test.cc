// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/resources.h"

#include "gtest/gtest.h"

namespace muster::mesos {
namespace {

Item Scalar(uint32_t kind, int64_t amount, uint8_t column = 0) {
  return {.kind = kind, .amount = amount, .column = column};
}

Item Disk(uint32_t kind, int64_t amount) {
  return {.kind = kind, .amount = amount, .form = Form::kSolid};
}

Item Range(uint32_t first, uint32_t last) {
  return {.kind = 9,
          .amount = (int64_t{last} - first + 1) * 1000,
          .begin = first,
          .column = 3,
          .form = Form::kRange};
}

Bundle Of(std::initializer_list<Item> items) {
  Bundle bundle;
  for (const Item& item : items) Add(bundle, item);
  return bundle;
}

TEST(Bundles, RangesMergeAndAreCut) {
  EXPECT_EQ(Of({Range(1, 4), Range(8, 9), Range(5, 7)}), Of({Range(1, 9)}));
  Bundle rest = Of({Range(1, 9)});
  Subtract(rest, Of({Range(3, 4), Range(9, 12)}));
  EXPECT_EQ(rest, Of({Range(1, 2), Range(5, 8)}));
  EXPECT_TRUE(Contains(rest, Of({Range(6, 8)})));
  EXPECT_FALSE(Contains(rest, Of({Range(2, 5)})));
  Subtract(rest, Of({Range(0, 20)}));
  EXPECT_TRUE(rest.empty());
}

TEST(Bundles, SolidItemsAreEqualOrNot) {
  const Bundle disks = Of({Disk(1, 5), Disk(1, 5), Disk(1, 7)});
  EXPECT_EQ(disks.size(), 3u);
  EXPECT_TRUE(Contains(disks, Of({Disk(1, 5), Disk(1, 7)})));
  EXPECT_FALSE(Contains(disks, Of({Disk(1, 4)})));
  EXPECT_FALSE(Contains(disks, Of({Disk(1, 7), Disk(1, 7)})));
}

TEST(Bundles, ShrinkToAmounts) {
  const Bundle bundle = Of({Disk(1, 6), Scalar(2, 6), Scalar(3, 4, 1)});
  Amounts target;
  target[0] = 5;
  EXPECT_EQ(ShrinkTo(bundle, target), Of({Scalar(2, 5)}));
  target[0] = 8;
  EXPECT_EQ(ShrinkTo(bundle, target), Of({Disk(1, 6), Scalar(2, 2)}));
}

TEST(Bundles, ShrinkToLimitsKeepsWhatHasNone) {
  const Bundle bundle = Of({Scalar(2, 6), Scalar(3, 4, 1)});
  const Limits limits = {.named = 1};
  EXPECT_EQ(ShrinkTo(bundle, limits), Of({Scalar(3, 4, 1)}));
  EXPECT_EQ(ShrinkTo(bundle, Limits{}), bundle);
}

TEST(Bundles, AtLeastAddsUpKinds) {
  Amounts least;
  least[0] = 10;
  EXPECT_TRUE(HasAtLeast(Of({Scalar(1, 6), Scalar(2, 4)}), least));
  EXPECT_FALSE(HasAtLeast(Of({Scalar(1, 6), Scalar(2, 3)}), least));
}

}  // namespace
}  // namespace muster::mesos
