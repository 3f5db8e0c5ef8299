// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Texts that importers read: lists and streams of objects, times and durations, amounts, patterns.
#include <limits>

#include "lib/import/amounts.h"
#include "lib/import/json_text.h"
#include "lib/import/pattern.h"
#include "lib/import/times.h"
#include "tests/import/objects.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Kinds(std::string_view text) {
  Budget budget;
  const absl::StatusOr<std::vector<RawObject>> objects = ReadJsonObjects(text, &budget);
  EXPECT_TRUE(objects.ok()) << objects.status();
  std::vector<std::string> kinds;
  for (const RawObject& object : objects.value()) {
    kinds.push_back(object.api_version + ":" + object.kind);
  }
  return kinds;
}

std::string RefusalOf(std::string_view text) {
  Budget budget;
  return std::string(ReadJsonObjects(text, &budget).status().message());
}

TEST(JsonObjects, ListsArraysAndStreams) {
  EXPECT_THAT(Kinds(""), ElementsAre());
  EXPECT_THAT(Kinds(" \n\t "), ElementsAre());
  EXPECT_THAT(Kinds(R"({"kind": "List", "items": []} {"kind": "List", "items": null})"),
              ElementsAre());
  EXPECT_THAT(Kinds("\xEF\xBB\xBF"
                    R"({"kind": "Node"})"),
              ElementsAre(":Node"));
  EXPECT_THAT(Kinds(R"({"kind": "Node"}{"kind": "Pod", "apiVersion": "v1"}
                       [{"kind": "Queue"}, [{"kind": "PodGroup"}]])"),
              ElementsAre(":Node", "v1:Pod", ":Queue", ":PodGroup"));
}

TEST(JsonObjects, ItemsOfTypedListsTakeTheirKindFromTheList) {
  // As kubectl writes it, the list's kind comes behind its items.
  EXPECT_THAT(Kinds(R"({"apiVersion": "v1", "items": [{"metadata": {}}, {"kind": "Odd"},
                        {"apiVersion": "v2"}], "kind": "NodeList"})"),
              ElementsAre("v1:Node", ":Odd", "v2:Node"));
  EXPECT_THAT(Kinds(R"({"kind": "List", "items": [{"kind": "PodList", "items": [{}]},
                        {"kind": "Node"}]})"),
              ElementsAre(":Pod", ":Node"));
  // What is no list keeps what else it has.
  EXPECT_THAT(Kinds(R"({"items": [{"kind": "Pod"}], "kind": "Menu"})"), ElementsAre(":Menu"));
}

TEST(JsonObjects, WhatIsNoDumpIsRefusedByPlace) {
  EXPECT_EQ(RefusalOf("[1]"), "dump: document 1[0]: expected an object, got 1");
  EXPECT_EQ(RefusalOf("{} "), "dump: document 1: key \"kind\" is missing; each object has one");
  EXPECT_EQ(RefusalOf(R"({"kind": "Pod"} 7)"), "dump: document 2: expected an object, got 7");
  EXPECT_EQ(RefusalOf(R"({"kind": "List", "items": [{"kind": "A"}, {"kind": ""}]})"),
            "dump: document 1: an item has no key \"kind\"; each object has one");
  EXPECT_EQ(RefusalOf(R"({"kind": "List", "items": [[{"kind": "A"}, {}]]})"),
            "dump: document 1.items[0][1]: key \"kind\" is missing; each object has one");
  EXPECT_EQ(RefusalOf(R"({"items": {}})"),
            "dump: document 1.items: expected an array, got an object");
  EXPECT_EQ(RefusalOf(R"({"kind": "List", "items": "x"})"),
            "dump: document 1.items: expected an array, got \"x\"");
  EXPECT_EQ(RefusalOf(R"({"kind": "Pod", "spec": {"a": 1, "a": 2}})"),
            "dump: document 1.spec: key \"a\" is given twice");
  EXPECT_EQ(RefusalOf(R"({"kind": "List", "items": [)"),
            "dump: byte 27: unexpected end of input; the text is cut off: get it anew");
  // A line break behind it, as a program puts one behind each file, belongs to no text within.
  for (const char* text : {R"({"kind": "Po)", "{\"kind\": \"Po\n", "{\"kind\": \"Po\\\n",
                           "{\"kind\": \"A\", \"x\": tr \n"}) {
    EXPECT_THAT(RefusalOf(text), HasSubstr("unexpected end of input; the text is cut off")) << text;
  }
  EXPECT_THAT(RefusalOf("{\"kind\": \"Po\n\"}"), HasSubstr("malformed JSON"));
  EXPECT_THAT(RefusalOf(R"({"kind": "A"} {"kind": nan})"), HasSubstr("malformed JSON"));
  EXPECT_EQ(RefusalOf(R"({"kind": "A", "x": 1e999})"), "dump: byte 24: the number is too large");
  EXPECT_THAT(RefusalOf("{\"kind\": \"\xFF\"}"), HasSubstr("malformed JSON"));
}

TEST(JsonObjects, WhatATextLooksLikeIsTold) {
  const std::string todo = "; a dump is JSON: kubectl get ... -o json";
  for (const char* text : {"apiVersion: v1\nkind: List\n", "---\nkind: Pod\n", "# nodes\n- a\n",
                           "\xEF\xBB\xBFitems:\n- a\n"}) {
    EXPECT_EQ(RefusalOf(text), "dump: this is YAML" + todo) << text;
  }
  for (const char* text : {"<!DOCTYPE html>\n<html>", "\n <html><body>Log in</body></html>"}) {
    EXPECT_EQ(RefusalOf(text), "dump: this is HTML, such as the page of a log-in" + todo);
  }
  EXPECT_EQ(RefusalOf("<?xml version=\"1.0\"?><configuration/>"), "dump: this is XML" + todo);
  EXPECT_EQ(RefusalOf("error: You must be logged in to the server (Unauthorized)\nx"),
            "dump: this is plain text: \"error: You must be logged in to the server "
            "(Unauthorized)\"" +
                todo);
  EXPECT_EQ(RefusalOf(R"({"kind": "Status", "status": "Failure", "message": "Unauthorized"})"),
            "dump: document 1: this is an error of the API server: \"Unauthorized\"");
  EXPECT_EQ(RefusalOf(R"([{"foo": 1}])"),
            "dump: document 1[0]: key \"kind\" is missing; each object has one; this one begins "
            "with \"foo\"");
  // Malformed within.
  EXPECT_THAT(RefusalOf(R"({"kind": x})"), HasSubstr("malformed JSON"));
}

TEST(JsonObjects, DepthIsLimitedWhereverItIs) {
  const std::string open(kMostJsonDepth, '['), more(100000, '[');
  EXPECT_THAT(RefusalOf(open + "[]"), HasSubstr("nested deeper than 256"));
  EXPECT_THAT(RefusalOf(more), HasSubstr("nested deeper than 256"));
  EXPECT_THAT(RefusalOf("{\"kind\": \"A\", \"x\": " + more), HasSubstr("nested deeper than 256"));
  std::string lists;
  for (int i = 0; i < 1000; ++i) lists += R"({"kind": "List", "items": [)";
  EXPECT_THAT(RefusalOf(lists), HasSubstr("nested deeper than 256"));
}

TEST(Times, StampsOfRfc3339) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ParseTime("2026-01-01T00:00:05.999Z"), 1767225605);
  EXPECT_EQ(ParseTime("2026-01-01T01:00:05+01:00"), 1767225605);
  EXPECT_EQ(ParseTime("2025-12-31t19:30:05-04:30"), 1767225605);
  EXPECT_EQ(ParseTime("2024-02-29T00:00:00"), 1709164800);
  EXPECT_EQ(ParseTime("0001-01-01T00:00:00Z"), -62135596800);
  EXPECT_EQ(ParseTime("1969-12-31T23:59:59.5Z"), -1);
  for (const char* text :
       {"", "yesterday", "2026-01-01", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+1:00",
        "0000-01-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-1-01T00:00:00Z"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(Times, DurationsAndWindows) {
  EXPECT_EQ(ParseDuration("1h30m"), 5400);
  EXPECT_EQ(ParseDuration("1.5m"), 90);
  EXPECT_EQ(ParseDuration("900ms100000us1s"), 2);
  EXPECT_EQ(ParseDuration("1\xC2\xB5s.5h"), 1800);
  EXPECT_EQ(ParseDuration("0"), 0);
  EXPECT_EQ(ParseDuration("0s"), 0);
  EXPECT_EQ(ParseDuration("+1h"), 3600);
  EXPECT_EQ(ParseDuration("-1h30m"), -5400);
  EXPECT_EQ(ParseDuration("-1ms"), -1);  // rounded down, as 1.9s is 1
  EXPECT_EQ(ParseDuration("-0"), 0);
  for (const char* text : {"", "5", "h", "1h-", "1d", "1 h", ".", "zz", "-", "--1h", "-5"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseDuration(std::string(400, '9') + "h"), std::nullopt);

  EXPECT_EQ(WindowMinutes(" 9:05-17:30 "), std::pair(545, 1050));
  EXPECT_EQ(WindowMinutes("23:59-0:00"), std::pair(1439, 0));
  for (const char* text : {"", "9-17", "24:00-1:00", "9:60-10:00", "9:00-10:0", "9:00-10:000",
                           "x9:00-10:00", "9:00", "9:00-10:00x"}) {
    EXPECT_EQ(WindowMinutes(text), std::nullopt) << text;
  }
}

TEST(AmountTexts, EveryFormHasItsExactValue) {
  const auto parts = [](int64_t whole, int64_t billionths) {
    return std::optional<ExactAmount>(ExactAmount(whole) * kAmountUnit + billionths);
  };
  EXPECT_EQ(ParseAmount("1"), parts(1, 0));
  EXPECT_EQ(ParseAmount("-2"), parts(-2, 0));
  EXPECT_EQ(ParseAmount("+1."), parts(1, 0));
  EXPECT_EQ(ParseAmount(".5"), parts(0, 500000000));
  EXPECT_EQ(ParseAmount("500m"), parts(0, 500000000));
  EXPECT_EQ(ParseAmount("1.5Gi"), parts(int64_t{3} << 29, 0));
  EXPECT_EQ(ParseAmount("2k"), parts(2000, 0));
  EXPECT_EQ(ParseAmount("1E"), parts(1000000000000000000, 0));
  EXPECT_EQ(ParseAmount("1e3"), parts(1000, 0));
  EXPECT_EQ(ParseAmount("1E-3"), parts(0, 1000000));
  EXPECT_EQ(ParseAmount("100n"), parts(0, 100));
  EXPECT_EQ(ParseAmount("3u"), parts(0, 3000));
  EXPECT_EQ(ParseAmount("1Ei"), parts(int64_t{1} << 60, 0));
  EXPECT_EQ(ParseAmount("0.1n"), parts(0, 1));  // finer than Kubernetes counts: rounded up
  EXPECT_EQ(ParseAmount("1e-300"), parts(0, 1));
  EXPECT_EQ(ParseAmount("0e999"), parts(0, 0));
  EXPECT_EQ(ParseAmount("0.0000000000000000000000000000001Ei"), parts(0, 1));
  EXPECT_EQ(ParseAmount("9223372036854775807"), parts(std::numeric_limits<int64_t>::max(), 0));
  EXPECT_EQ(ParseAmount("7.9999999999Ei"), parts(9223372036739483657, 539315303));
}

TEST(AmountTexts, WhatIsNoAmountHasNone) {
  for (const char* text :
       {"1e3k", "", "K", "1K", "1 Gi", "0x1", "1GiB", "nan", "1e", "--1", "1e1000", "1ee3", ".",
        "1e-", "1i", "9223372036854775808", "8Ei", "99999999999Ei", "1e999"}) {
    EXPECT_EQ(ParseAmount(text), std::nullopt) << text;
  }
}

TEST(AmountTexts, AmountsAreRoundedUpToWhatIsCounted) {
  const auto text = [](std::string_view name, std::string_view amount) {
    return ToQuantity(name, ParseAmount(amount).value()).text;
  };
  EXPECT_EQ(text("cpu", "0.0001"), "1m");
  EXPECT_EQ(text("cpu", "1.5"), "1500m");
  EXPECT_EQ(text("cpu", "2000m"), "2");
  EXPECT_EQ(text("memory", "1.5"), "2");
  EXPECT_EQ(text("memory", "1Ki"), "1024");
  EXPECT_EQ(text("example.com/x", "1.0005"), "1001m");
  EXPECT_EQ(text("hugepages-2Mi", "1500m"), "2");
  EXPECT_EQ(text("pods", "0"), "0");
}

TEST(Patterns, NamesThatMatch) {
  const auto matches = [](std::string_view pattern, std::string_view name) {
    const absl::StatusOr<Pattern> parsed = Pattern::Parse(pattern);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return parsed->Matches(name);
  };
  EXPECT_TRUE(matches("", "x"));
  EXPECT_TRUE(matches("ode", "node-1"));
  EXPECT_FALSE(matches("^ode", "node-1"));
  EXPECT_TRUE(matches("^node-[0-9]+$", "node-17"));
  EXPECT_FALSE(matches("^node-[0-9]+$", "node-17a"));
  EXPECT_TRUE(matches("^rack-[0-9]{2}$", "rack-07"));
  EXPECT_FALSE(matches("^rack-[0-9]{2}$", "rack-007"));
  EXPECT_TRUE(matches("^a{2,}b{0,1}c{1,2}$", "aaacc"));
  EXPECT_FALSE(matches("^a{2,}b{0,1}c{1,2}$", "abbc"));
  EXPECT_TRUE(matches("^(a|bc|d)*(?:e|)f?$", "abcde"));
  EXPECT_FALSE(matches("^(a|bc|d)*(?:e|)f?$", "abd"));
  EXPECT_TRUE(matches("^(ab|c|d){2}$", "dab"));
  EXPECT_TRUE(matches("^[^a-c\\d]+?$", "xyz"));
  EXPECT_FALSE(matches("^[^a-c\\d]+?$", "xyz1"));
  EXPECT_TRUE(matches("^[]x-]+$", "]-x"));
  EXPECT_TRUE(matches("\\bpool\\b", "gpu-pool-1"));
  EXPECT_FALSE(matches("\\bpool\\b", "gpu-pools-1"));
  EXPECT_TRUE(matches("^\\w+\\.\\w+\\S\\D$", "a_1.b2-x"));
  EXPECT_TRUE(matches("{x}", "a{x}b"));
  EXPECT_TRUE(matches("^.*$", ""));
  EXPECT_TRUE(matches("()*", ""));
}

TEST(Patterns, WhatIsNoneIsRefusedAndNothingTakesLong) {
  const auto rule = [](std::string_view pattern) {
    return std::string(Pattern::Parse(pattern).status().message());
  };
  EXPECT_EQ(rule("a("), "byte 2: \"(\" without \")\"");
  EXPECT_EQ(rule("a)b"), "byte 1: \")\" without \"(\"");
  EXPECT_EQ(rule("*a"), "byte 0: nothing stands before it to repeat");
  EXPECT_EQ(rule("[a"), "byte 2: \"[\" without \"]\"");
  EXPECT_THAT(rule("[b-a]"), HasSubstr("begins with its smaller character"));
  EXPECT_THAT(rule("(?=a)"), HasSubstr("only \"(?:\" is read"));
  EXPECT_THAT(rule("a\\1"), HasSubstr("no class has this name"));
  EXPECT_THAT(rule("a\\"), HasSubstr("nothing stands behind the backslash"));
  EXPECT_THAT(rule("a{2000}"), HasSubstr("counts up to 1000"));
  EXPECT_THAT(rule("a{3,2}"), HasSubstr("the smaller one first"));
  EXPECT_THAT(rule("((((a{1000}){1000}){1000}){1000})"), HasSubstr("more than 20000 steps"));
  EXPECT_THAT(rule(std::string(100000, '(')), HasSubstr("nested deeper than 100"));
  const absl::StatusOr<Pattern> slow_elsewhere = Pattern::Parse("^(a*)*(a*)*(a|aa)+$");
  ASSERT_TRUE(slow_elsewhere.ok());
  EXPECT_FALSE(slow_elsewhere->Matches(std::string(20000, 'a') + "b"));
}

}  // namespace
}  // namespace muster
