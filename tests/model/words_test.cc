// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/words.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

// Every word reads back as its value, and no enum has a word twice.
template <class Enum>
void CheckWords() {
  const WordTable table = WordsOf(Enum());
  std::set<std::string_view> words;
  for (size_t i = 0; i < table.words.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(ParseWord<Enum>(Word(value)), value) << table.what << " " << i;
    words.insert(Word(value));
  }
  EXPECT_EQ(words.size(), table.words.size()) << table.what;
  EXPECT_EQ(ParseWord<Enum>("?"), std::nullopt);
}

TEST(WordsTest, ReadBack) {
  CheckWords<TaskStatus>();
  CheckWords<JobPhase>();
  CheckWords<QueueState>();
  CheckWords<TaintEffect>();
  CheckWords<TolerationOp>();
  CheckWords<RequirementOp>();
  CheckWords<Protocol>();
  CheckWords<SamePart>();
  CheckWords<Alignment>();
  CheckWords<AlignmentScope>();
  CheckWords<BundleStrategy>();
  CheckWords<JobOrder>();
  EXPECT_EQ(WordsOf(TaskStatus()).words.size(), static_cast<size_t>(kTaskStatusCount));
}

TEST(WordsTest, RenamedWordsNameTheNewOne) {
  const std::string_view shape[] = {"request", "guaranteed_qos"};
  EXPECT_EQ(SuggestWord("guaranteed", shape), ", renamed to \"guaranteed_qos\"");
  const std::string_view columns[] = {"name", "shape.guaranteed_qos"};
  EXPECT_EQ(SuggestWord("shape.guaranteed", columns), ", renamed to \"shape.guaranteed_qos\"");
  EXPECT_EQ(UnknownWord("phase", "unknown", WordsOf(JobPhase()).words),
            "unknown phase \"unknown\", renamed to \"degraded\"");
  const std::string_view other[] = {"weight", "limit"};
  EXPECT_EQ(SuggestWord("guaranteed", other), "");
}

TEST(WordsTest, OtherWordsNameTheNearestOneOrAll) {
  const std::string_view words[] = {"", "pack", "spread"};
  EXPECT_EQ(UnknownWord("strategy", "sprad", words),
            "unknown strategy \"sprad\", did you mean \"spread\"?");
  EXPECT_EQ(UnknownWord("strategy", "elsewhere", words),
            "unknown strategy \"elsewhere\", expected one of \"\", pack, spread");
}

}  // namespace
}  // namespace muster
