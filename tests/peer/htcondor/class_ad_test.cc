// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Expressions over two ads, and what is refused.
#include "lib/peer/htcondor/class_ad.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/hash_map.h"
#include "lib/base/rng.h"

namespace muster::condor {
namespace {

using ::testing::HasSubstr;

class ClassAdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    my_.Set(names_.Of("Memory"), AdValue::Of(int64_t{4096}));
    my_.Set(names_.Of("Owner"), AdValue::Of(std::string("Ann")));
    my_.Set(names_.Of("Half"), Parsed("Memory / 2"));
    my_.Set(names_.Of("Loop"), Parsed("Loop + 1"));
    target_.Set(names_.Of("Memory"), AdValue::Of(int64_t{512}));
    target_.Set(names_.Of("Cpus"), AdValue::Of(2.5));
  }
  AdExpression Parsed(const std::string& text) {
    absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
    EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status();
    return parsed.ok() ? *std::move(parsed) : AdExpression();
  }
  std::string Value(const std::string& text) {
    const AdValue value = Parsed(text).Evaluate(my_, &target_);
    switch (value.kind) {
      case AdValue::Kind::kUndefined:
        return "undefined";
      case AdValue::Kind::kError:
        return "error";
      case AdValue::Kind::kBool:
        return value.integer != 0 ? "true" : "false";
      case AdValue::Kind::kInteger:
        return absl::StrCat(value.integer);
      case AdValue::Kind::kReal:
        return absl::StrCat(value.real, "r");
      case AdValue::Kind::kText:
        return "'" + value.text + "'";
    }
    return "";
  }
  std::string Refusal(const std::string& text) {
    return std::string(AdExpression::Parse(text, &names_).status().message());
  }

  AdNames names_;
  ClassAd my_, target_;
};

TEST_F(ClassAdTest, NamesAreLookedUpInTheOwnAdFirst) {
  EXPECT_EQ(Value("memory"), "4096");
  EXPECT_EQ(Value("TARGET.Memory"), "512");
  EXPECT_EQ(Value("MY.Cpus"), "undefined");
  EXPECT_EQ(Value("Cpus"), "2.5r");
  EXPECT_EQ(Value("target.Half"), "undefined");
  EXPECT_EQ(Value("Half"), "2048");
}

TEST_F(ClassAdTest, NumbersKeepTheirKind) {
  EXPECT_EQ(Value("7 / 2"), "3");
  EXPECT_EQ(Value("7 % 4 + 2 * 3"), "9");
  EXPECT_EQ(Value("7 / 2.0"), "3.5r");
  EXPECT_EQ(Value("-(2 - 5)"), "3");
  EXPECT_EQ(Value("true * 10.0"), "10r");
  EXPECT_EQ(Value("1 / 0"), "error");
  EXPECT_EQ(Value("1.0 / 0"), "error");
  EXPECT_EQ(Value("9223372036854775807 + 1"), "-9223372036854775808");
  EXPECT_EQ(Value("(0 - 9223372036854775807 - 1) / -1"), "-9223372036854775808");
}

TEST_F(ClassAdTest, UndefinedSpreadsUnlessTheOtherSideDecides) {
  EXPECT_EQ(Value("None > 3"), "undefined");
  EXPECT_EQ(Value("None > 3 && false"), "false");
  EXPECT_EQ(Value("None > 3 || true"), "true");
  EXPECT_EQ(Value("None > 3 && true"), "undefined");
  EXPECT_EQ(Value("!None"), "undefined");
  EXPECT_EQ(Value("None =?= undefined"), "true");
  EXPECT_EQ(Value("Memory =!= undefined"), "true");
  EXPECT_EQ(Value("None ? 1 : 2"), "undefined");
}

TEST_F(ClassAdTest, TextsCompareWithoutCaseButForIdentity) {
  EXPECT_EQ(Value("Owner == \"ann\""), "true");
  EXPECT_EQ(Value("Owner =?= \"ann\""), "false");
  EXPECT_EQ(Value("Owner < \"bob\""), "true");
  EXPECT_EQ(Value("Owner == 3"), "error");
  EXPECT_EQ(Value("\"a\\\"b\""), "'a\"b'");
}

TEST_F(ClassAdTest, FunctionsOfTheSubset) {
  EXPECT_EQ(Value("quantize(3, {2, 8})"), "8");
  EXPECT_EQ(Value("quantize(20, {2, 8})"), "24");
  EXPECT_EQ(Value("quantize(20.5, 8)"), "24r");
  EXPECT_EQ(Value("floor(3.7) + ceiling(3.2) + round(2.5) + int(-1.5)"), "9");
  EXPECT_EQ(Value("ifThenElse(Memory > 100, Owner, 1 / 0)"), "'Ann'");
  EXPECT_EQ(Value("member(\"ANN\", {\"bob\", Owner})"), "true");
  EXPECT_EQ(Value("isUndefined(None) && isError(1 / 0)"), "true");
  EXPECT_EQ(Value("tolower(Owner)"), "'ann'");
  EXPECT_EQ(Value("floor(1e300)"), "error");
}

TEST_F(ClassAdTest, IsAndIsntAreIdentity) {
  EXPECT_EQ(Value("None is undefined"), "true");
  EXPECT_EQ(Value("Owner ISNT \"ann\""), "true");
  EXPECT_EQ(Value("Owner isnt undefined && Memory is 4096"), "true");
  EXPECT_EQ(Value("1 is 1.0"), "false");
  EXPECT_EQ(Value("isnt"), "undefined");  // a name, where an operand stands
  EXPECT_EQ(Refusal("Memory island"), "expression, byte 7: an operator or the end is expected");
}

TEST_F(ClassAdTest, FunctionsOfTexts) {
  EXPECT_EQ(Value("strcat(Owner, \"-\", 3, true)"), "'Ann-3true'");
  EXPECT_EQ(Value("strcat()"), "''");
  EXPECT_EQ(Value("strcat(\"a\", None)"), "undefined");
  EXPECT_EQ(Value("strcat(\"a\", 1 / 0)"), "error");
  EXPECT_EQ(Value("substr(\"abcdef\", 2)"), "'cdef'");
  EXPECT_EQ(Value("substr(\"abcdef\", 1, 3)"), "'bcd'");
  EXPECT_EQ(Value("substr(\"abcdef\", -2)"), "'ef'");
  EXPECT_EQ(Value("substr(\"abcdef\", 1, -2)"), "'bcd'");
  EXPECT_EQ(Value("substr(\"abcdef\", 1, 0)"), "''");
  EXPECT_EQ(Value("substr(\"abcdef\", 9) == \"\" && substr(\"ab\", -9, -9) == \"\""), "true");
  EXPECT_EQ(Value("substr(\"abc\", None)"), "undefined");
  EXPECT_EQ(Value("substr(7, 0)"), "error");
  EXPECT_EQ(Value("size(\"abc\") + size(\"\")"), "3");
  EXPECT_EQ(Value("size(3)"), "error");
  EXPECT_EQ(Value("toUpper(Owner)"), "'ANN'");
  EXPECT_EQ(Value("toLower(TRUE)"), "'true'");
  EXPECT_EQ(Value("toUpper(None)"), "undefined");
  EXPECT_EQ(Value("string(1.5)"), "'1.500000000000000E+00'");
  EXPECT_EQ(Value("string(0.0)"), "'0.0'");
  EXPECT_EQ(Value("string(-12)"), "'-12'");
  EXPECT_EQ(Value("string(error)"), "error");
}

TEST_F(ClassAdTest, ListsOfTexts) {
  EXPECT_EQ(Value("stringListMember(\"b\", \"a, b,c\")"), "true");
  EXPECT_EQ(Value("stringListMember(\"B\", \"a, b,c\")"), "false");
  EXPECT_EQ(Value("stringListIMember(\"B\", \"a, b,c\")"), "true");
  EXPECT_EQ(Value("stringListMember(\"b c\", \"a; b c\", \";\")"), "true");
  EXPECT_EQ(Value("stringListMember(\"a\", None)"), "false");
  EXPECT_EQ(Value("stringListMember(None, None)"), "undefined");
  EXPECT_EQ(Value("stringListMember(1, \"1,2\")"), "error");
}

TEST_F(ClassAdTest, FunctionsOfLists) {
  EXPECT_EQ(Value("sum({1, 2, None, 3})"), "6");
  EXPECT_EQ(Value("sum({1, 0.5})"), "1.5r");
  EXPECT_EQ(Value("sum({})"), "0");
  EXPECT_EQ(Value("avg({1, 2})"), "1.5r");
  EXPECT_EQ(Value("max({Memory, TARGET.Memory, 7})"), "4096");
  EXPECT_EQ(Value("min({3, 2.5, 9})"), "2.5r");
  EXPECT_EQ(Value("min({None})"), "undefined");
  EXPECT_EQ(Value("max({1, \"a\"})"), "error");
  EXPECT_EQ(Value("size({1, 2, 3})"), "3");
  EXPECT_EQ(Value("isList({1}) && !isList(1)"), "true");
}

TEST_F(ClassAdTest, KindsAreAsked) {
  EXPECT_EQ(Value("isString(Owner) && isInteger(Memory) && isReal(Cpus) && isBoolean(!true)"),
            "true");
  EXPECT_EQ(Value("isString(1) || isInteger(1.0) || isReal(1) || isBoolean(1)"), "false");
  EXPECT_EQ(Value("isString(None)"), "false");
}

TEST_F(ClassAdTest, TimeIsAnAttributeThatNoTextNames) {
  EXPECT_EQ(Value("time()"), "undefined");
  my_.Set(names_.Of(kTimeName), AdValue::Of(int64_t{100}));
  EXPECT_EQ(Value("time() - 40"), "60");
  EXPECT_TRUE(names_.Knows(kTimeName));
  EXPECT_EQ(Refusal("time(1)"), "expression, byte 7: function time takes 0 arguments");
}

TEST_F(ClassAdTest, TextsThatFunctionsMakeAreBounded) {
  my_.Set(names_.Of("t0"), AdValue::Of(std::string(1'000, 'a')));
  for (int i = 0; i < 7; ++i) {
    my_.Set(names_.Of(absl::StrCat("t", i + 1)),
            Parsed(absl::StrCat("strcat(t", i, ", t", i, ")")));
  }
  EXPECT_EQ(Value("size(t6)"), "64000");
  EXPECT_EQ(Value("size(t7)"), "error");
}

TEST_F(ClassAdTest, AnAttributeThatNamesItselfIsUndefined) {
  EXPECT_EQ(Value("Loop"), "undefined");
  EXPECT_EQ(Value("isUndefined(Loop)"), "true");
  // The first of the two is no attribute yet when its own expression is evaluated.
  my_.Set(names_.Of("Odd"), Parsed("isUndefined(Odd)"));
  EXPECT_EQ(my_.Get(names_.Of("Odd")).integer, 0);
  EXPECT_EQ(Value("Odd"), "true");
}

TEST_F(ClassAdTest, WorkIsBounded) {
  // Each attribute names the next one twice, which doubles the work.
  const auto chain = [&](const std::string& name, int length) {
    for (int i = 0; i < length; ++i) {
      const std::string next = absl::StrCat(name, i + 1);
      my_.Set(names_.Of(absl::StrCat(name, i)), Parsed(next + " + " + next));
    }
    my_.Set(names_.Of(absl::StrCat(name, length)), AdValue::Of(int64_t{1}));
  };
  chain("short", 10);
  EXPECT_EQ(Value("short0"), "1024");
  chain("long", 60);
  EXPECT_EQ(Value("long0"), "error");
  EXPECT_EQ(Value("isError(long0)"), "error");  // all of it
}

// An evaluation of these takes two million nodes if it remembers nothing, and a hundred if it does.
TEST_F(ClassAdTest, AnAttributeIsEvaluatedOnceHoweverOftenItIsNamed) {
  for (int i = 0; i < 16; ++i) {
    my_.Set(names_.Of(absl::StrCat("a", i)), Parsed(absl::StrCat("a", i + 1, " + a", i + 1)));
  }
  my_.Set(names_.Of("a16"), Parsed("TARGET.b0 + 1"));
  for (int i = 0; i < 3; ++i) {
    target_.Set(names_.Of(absl::StrCat("b", i)), Parsed(absl::StrCat("b", i + 1, " + b", i + 1)));
  }
  target_.Set(names_.Of("b3"), AdValue::Of(int64_t{1}));
  const AdExpression expression = Parsed("a0 - a1");
  for (int round = 0; round < 20'000; ++round) {
    ASSERT_EQ(expression.Evaluate(my_, &target_).integer, (1 << 15) * 9);
  }
}

// The number of nodes decides as if all of them were evaluated.
TEST_F(ClassAdTest, WhatIsRememberedCountsAgain) {
  for (int i = 0; i < 30; ++i) {
    my_.Set(names_.Of(absl::StrCat("a", i)), Parsed(absl::StrCat("a", i + 1, " + a", i + 1)));
  }
  my_.Set(names_.Of("a30"), AdValue::Of(int64_t{1}));
  // Attribute a[30 - n] takes 4 * 2^n - 3 nodes.
  EXPECT_EQ(Value("a9"), "2097152");
  EXPECT_EQ(Value("a9 + a12"), "2359296");
  EXPECT_EQ(Value("a9 + a11"), "error");
  EXPECT_EQ(Value("a8"), "error");
}

// What a loop of attributes returns depends on where it is entered, so nothing is remembered.
TEST_F(ClassAdTest, ValuesOfALoopDependOnTheWayToThem) {
  my_.Set(names_.Of("y"), Parsed("(isUndefined(q) ? 1 : 5) + 0 * (1 + 1 + 1 + 1 + 1 + 1 + 1)"));
  my_.Set(names_.Of("q"), Parsed("(isUndefined(y) ? 7 : y) + 0 * (1 + 1 + 1 + 1 + 1 + 1 + 1)"));
  EXPECT_EQ(Value("y"), "5");
  EXPECT_EQ(Value("q"), "1");
  EXPECT_EQ(Value("y * 10 + q"), "51");
  for (int i = 0; i < 40; ++i) {
    my_.Set(names_.Of(absl::StrCat("l", i)), Parsed(absl::StrCat("l", i + 1, " + l", i + 1)));
  }
  my_.Set(names_.Of("l40"), Parsed("isUndefined(l0) ? 1 : 2"));
  for (int round = 0; round < 10; ++round) EXPECT_EQ(Value("l0"), "error");
}

TEST_F(ClassAdTest, ReferencesAreBounded) {
  for (int i = 0; i < 410; ++i) {
    my_.Set(names_.Of(absl::StrCat("r", i)), Parsed(absl::StrCat("r", i + 1)));
  }
  my_.Set(names_.Of("r410"), AdValue::Of(int64_t{1}));
  EXPECT_EQ(Value("r11"), "1");
  EXPECT_EQ(Value("r10"), "error");
}

TEST_F(ClassAdTest, KeysTellAdsApartByNamedAttributes) {
  AdNameSet names;
  names.Add(names_.Of("Half"));
  std::string first, second, third;
  EXPECT_TRUE(my_.AppendKey(&names, &first));  // Half names Memory
  first.clear();
  EXPECT_FALSE(my_.AppendKey(&names, &first));
  my_.Set(names_.Of("Owner"), AdValue::Of(std::string("Bob")));
  my_.AppendKey(&names, &second);
  EXPECT_EQ(first, second);
  my_.Set(names_.Of("Memory"), AdValue::Of(4096.0));
  my_.AppendKey(&names, &third);
  EXPECT_NE(first, third);
}

TEST_F(ClassAdTest, RefusesWithPlaceAndRule) {
  EXPECT_EQ(Refusal("Memory >"), "expression, byte 8: an operand is expected");
  EXPECT_EQ(Refusal("(1 + 2"), "expression, byte 6: ')' is expected");
  EXPECT_EQ(Refusal("1 2"), "expression, byte 2: an operator or the end is expected");
  EXPECT_EQ(Refusal("\"open"), "expression, byte 5: a text without an end");
  EXPECT_EQ(Refusal("regexp(\"a\", Owner)"), "expression, byte 7: function regexp is not known");
  EXPECT_EQ(Refusal("floor(1, 2)"), "expression, byte 11: function floor takes 1 arguments");
  EXPECT_THAT(Refusal("99999999999999999999"), HasSubstr("an integer out of range"));
  EXPECT_EQ(Refusal("substr(Owner)"),
            "expression, byte 13: function substr takes 2 to 3 arguments");
  EXPECT_THAT(Refusal("floor({1})"), HasSubstr("a list where a value"));
  EXPECT_THAT(Refusal("sum(Memory)"), HasSubstr("a list is expected"));
  EXPECT_THAT(Refusal(std::string(5'000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(Refusal(std::string(70'000, ' ')), HasSubstr("longer than 65536 bytes"));
  EXPECT_THAT(Refusal("other.Memory"), HasSubstr("MY and TARGET alone"));
}

// Returns an expression of up to 2^depth operands.
std::string Drawn(int depth, Rng& rng) {
  constexpr const char* kOperands[] = {"1",           "0",           "2.5",           "true",
                                       "false",       "\"ann\"",     "undefined",     "error",
                                       "Memory",      "Owner",       "Half",          "MY.Cpus",
                                       "TARGET.Cpus", "TARGET.Half", "TARGET.Memory", "None",
                                       "MY.Loop",     "Twice",       "Cpus",          "MY.Memory"};
  constexpr const char* kOperators[] = {
      "||", "&&", "==", "!=", "=?=", "=!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"};
  if (depth == 0 || rng.Chance(0.1)) return kOperands[rng.Below(std::size(kOperands))];
  const std::string first = Drawn(depth - 1, rng);
  switch (rng.Below(8)) {
    case 0:
      return absl::StrCat("!(", first, ")");
    case 1:
      return absl::StrCat("(-", first, ")");
    case 2:
      return absl::StrCat("(", first, " ? ", Drawn(depth - 1, rng), " : ", Drawn(depth - 1, rng),
                          ")");
    case 3:
      return absl::StrCat("ifThenElse(", first, ", ", Drawn(depth - 1, rng), ", ",
                          Drawn(depth - 1, rng), ")");
    case 4:
      return absl::StrCat(rng.Chance(0.5) ? "isUndefined(" : "isError(", first, ")");
    default:
      return absl::StrCat("(", first, " ", kOperators[rng.Below(std::size(kOperators))], " ",
                          Drawn(depth - 1, rng), ")");
  }
}

// A list forces the full evaluation.
TEST_F(ClassAdTest, QuickAndFullEvaluationsAgree) {
  my_.Set(names_.Of("Twice"), Parsed("Half + TARGET.Third"));
  target_.Set(names_.Of("Third"), Parsed("MY.Cpus * 3 + TARGET.Half"));
  Rng rng(7);
  HashSet<std::string> values;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = Drawn(4, rng);
    const std::string value = Value(text);
    EXPECT_EQ(value, Value("ifThenElse(member(1, {1}), " + text + ", 0)")) << text;
    values.insert(value);
  }
  EXPECT_GT(values.size(), 40U);
}

TEST_F(ClassAdTest, NoTextDoesHarm) {
  constexpr const char* kTokens[] = {
      "1",  "2.5", "\"a\"", "Memory",  "MY.",  "TARGET.", "(",      ")",       "{",         "}",
      ",",  "+",   "-",     "*",       "/",    "%",       "&&",     "||",      "!",         "=?=",
      "==", "<=",  "?",     ":",       "if",   "x(",      "floor(", "member(", "undefined", "error",
      " ",  "is",  "isnt",  "strcat(", "sum(", "size(",   "time()"};
  Rng rng(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (uint64_t i = rng.Below(12); i > 0; --i) text += kTokens[rng.Below(std::size(kTokens))];
    const absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
    if (parsed.ok()) parsed->Evaluate(my_, &target_);
  }
}

}  // namespace
}  // namespace muster::condor
