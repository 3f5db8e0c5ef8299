// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/selector_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::koordinator {
namespace {

TEST(SelectorText, HasFourFormsOfParts) {
  const auto read = ReadSelectorText("a=b+c;x/y!=d;e=*;!f;g=");
  ASSERT_TRUE(read.ok()) << read.status();
  const std::vector<Requirement> expected = {{"a", RequirementOp::kIn, {"b", "c"}},
                                             {"x/y", RequirementOp::kNotIn, {"d"}},
                                             {"e", RequirementOp::kExists, {}},
                                             {"f", RequirementOp::kDoesNotExist, {}},
                                             {"g", RequirementOp::kIn, {""}}};
  ASSERT_EQ(read->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ((*read)[i].key, expected[i].key);
    EXPECT_EQ((*read)[i].op, expected[i].op) << expected[i].key;
    EXPECT_EQ((*read)[i].values, expected[i].values) << expected[i].key;
  }
}

TEST(SelectorText, RefusesOtherParts) {
  for (const char* text : {"", "a", "!", "=b", "!=b", "!a=b", "a=b;;c=d", "a!=*", "a=b c", "a=b=c",
                           "a=b+*", "a b=c"}) {
    const auto read = ReadSelectorText(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(
        std::string(read.status().message()),
        ::testing::HasSubstr("is not LABEL=VALUE+..., LABEL!=VALUE+..., LABEL=* or !LABEL"));
  }
}

}  // namespace
}  // namespace muster::koordinator
