// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/ad_functions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace muster::condor {
namespace {

using Kind = AdValue::Kind;

constexpr AdSignature kFunctions[] = {
    {"ifthenelse", AdFunction::kIfThenElse, 3, 3},
    {"quantize", AdFunction::kQuantize, 2, 2, ListRule::kMay, 1},
    {"floor", AdFunction::kFloor, 1, 1},
    {"ceiling", AdFunction::kCeiling, 1, 1},
    {"round", AdFunction::kRound, 1, 1},
    {"int", AdFunction::kInt, 1, 1},
    {"real", AdFunction::kReal, 1, 1},
    {"string", AdFunction::kString, 1, 1},
    {"isundefined", AdFunction::kIsUndefined, 1, 1},
    {"iserror", AdFunction::kIsError, 1, 1},
    {"isboolean", AdFunction::kIsBoolean, 1, 1},
    {"isinteger", AdFunction::kIsInteger, 1, 1},
    {"isreal", AdFunction::kIsReal, 1, 1},
    {"isstring", AdFunction::kIsString, 1, 1},
    {"islist", AdFunction::kIsList, 1, 1, ListRule::kMay, 0},
    {"member", AdFunction::kMember, 2, 2, ListRule::kMust, 1},
    {"sum", AdFunction::kSum, 1, 1, ListRule::kMust, 0},
    {"avg", AdFunction::kAverage, 1, 1, ListRule::kMust, 0},
    {"min", AdFunction::kMin, 1, 1, ListRule::kMust, 0},
    {"max", AdFunction::kMax, 1, 1, ListRule::kMust, 0},
    {"size", AdFunction::kSize, 1, 1, ListRule::kMay, 0},
    {"strcat", AdFunction::kStrCat, 0, 1'000},
    {"substr", AdFunction::kSubstr, 2, 3},
    {"tolower", AdFunction::kToLower, 1, 1},
    {"toupper", AdFunction::kToUpper, 1, 1},
    {"stringlistmember", AdFunction::kStringListMember, 2, 3},
    {"stringlistimember", AdFunction::kStringListIMember, 2, 3},
    {"time", AdFunction::kTime, 0, 0},
};

// The real as an integer; error beyond the range of integers.
AdValue Whole(double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(real >= -kLimit && real < kLimit)) return AdValue::Error();
  return AdValue::Of(static_cast<int64_t>(real));
}

AdValue WholeOf(const AdValue& value, double (*round)(double)) {
  if (value.kind == Kind::kInteger) return value;
  double number = 0;
  if (!value.ToNumber(&number)) return value.is_undefined() ? value : AdValue::Error();
  return Whole(round(number));
}

// The smallest multiple of `step` that is not below the number.
AdValue Multiple(const AdValue& value, const AdValue& step) {
  double number = 0, by = 0;
  if (!value.ToNumber(&number) || !step.ToNumber(&by) || by == 0) return AdValue::Error();
  const double steps = std::ceil(number / by);
  if (value.kind != Kind::kReal && step.kind != Kind::kReal) return Whole(steps * by);
  return AdValue::Of(steps * by);
}

// The first of the list that is not below the value, or the smallest multiple of the last one.
AdValue Quantize(const AdValue& value, const std::vector<AdValue>& list) {
  if (value.is_undefined()) return value;
  double number = 0, item = 0;
  if (!value.ToNumber(&number) || list.empty()) return AdValue::Error();
  for (const AdValue& bound : list) {
    if (!bound.ToNumber(&item)) return AdValue::Error();
    if (number <= item) return bound;
  }
  return Multiple(value, list.back());
}

AdValue IsMember(const AdValue& value, const std::vector<AdValue>& list) {
  if (value.is_undefined() || value.kind == Kind::kError) return value;
  for (const AdValue& item : list) {
    double x = 0, y = 0;
    if (value.kind == Kind::kText && item.kind == Kind::kText &&
        absl::EqualsIgnoreCase(value.text, item.text)) {
      return AdValue::Of(true);
    }
    if (value.ToNumber(&x) && item.ToNumber(&y) && x == y) return AdValue::Of(true);
  }
  return AdValue::Of(false);
}

// The sum of the numbers of the list, 0 of none; undefined items do not count.
AdValue Sum(const std::vector<AdValue>& list, int64_t* count) {
  AdScalar sum = AdScalar::Of(int64_t{0});
  for (const AdValue& item : list) {
    if (item.is_undefined()) continue;
    if (!item.is_number()) return AdValue::Error();
    sum = ++*count == 1 ? AdScalar(item) : Arithmetic('+', sum, item);
  }
  return sum;
}

AdValue Average(const std::vector<AdValue>& list) {
  int64_t count = 0;
  const AdValue sum = Sum(list, &count);
  if (count == 0) return sum;
  return Arithmetic('/', sum, AdScalar::Of(static_cast<double>(count)));
}

// The first of the least numbers, or of the largest; undefined of none.
AdValue Bound(const std::vector<AdValue>& list, bool least) {
  AdValue bound;
  double best = 0, number = 0;
  for (const AdValue& item : list) {
    if (item.is_undefined()) continue;
    if (!item.is_number() || !item.ToNumber(&number)) return AdValue::Error();
    if (!bound.is_undefined() && !(least ? number < best : number > best)) continue;
    bound = item;
    best = number;
  }
  return bound;
}

// A text, or the value as it would be written.
AdValue TextOf(const AdValue& value) {
  switch (value.kind) {
    case Kind::kUndefined:
    case Kind::kError:
    case Kind::kText:
      return value;
    case Kind::kBool:
      return AdValue::Of(std::string(value.integer != 0 ? "true" : "false"));
    case Kind::kInteger:
      return AdValue::Of(std::string(absl::StrCat(value.integer)));
    case Kind::kReal:
      break;
  }
  const double real = value.real;
  if (real == 0) return AdValue::Of(std::string(std::signbit(real) ? "-0.0" : "0.0"));
  if (std::isnan(real)) return AdValue::Of(std::string("real(\"NaN\")"));
  if (std::isinf(real))
    return AdValue::Of(std::string(real > 0 ? "real(\"INF\")" : "real(\"-INF\")"));
  return AdValue::Of(std::string(absl::StrFormat("%.15E", real)));
}

AdValue WithCase(const AdValue& value, bool upper) {
  AdValue text = TextOf(value);
  if (text.kind != Kind::kText) return text;
  if (upper) absl::AsciiStrToUpper(&text.text);
  if (!upper) absl::AsciiStrToLower(&text.text);
  return text;
}

// The first argument that is undefined or an error is the value.
AdValue Joined(const std::vector<AdValue>& arguments) {
  std::string joined;
  for (const AdValue& argument : arguments) {
    const AdValue text = TextOf(argument);
    if (text.kind != Kind::kText) return text;
    joined += text.text;
    if (joined.size() > kMostTextBytes) return AdValue::Error();
  }
  return AdValue::Of(std::move(joined));
}

// Negative offsets count from the end, negative lengths are left out there.
AdValue Part(const std::vector<AdValue>& arguments) {
  const AdValue& whole = arguments[0];
  if (std::ranges::any_of(arguments, [](const AdValue& a) { return a.is_undefined(); })) return {};
  const auto is_integer = [](const AdValue& a) { return a.kind == Kind::kInteger; };
  if (whole.kind != Kind::kText ||
      !std::all_of(arguments.begin() + 1, arguments.end(), is_integer)) {
    return AdValue::Error();
  }
  const auto size = static_cast<int64_t>(whole.text.size());
  const int64_t given = arguments[1].integer;
  const int64_t offset = given < 0 ? std::max(-size, given) + size : std::min(given, size);
  int64_t length = size - offset;
  if (arguments.size() == 3) {
    const int64_t wanted = arguments[2].integer;
    length = wanted < 0 ? std::max<int64_t>(0, length + std::max(-size, wanted))
                        : std::min(length, wanted);
  }
  return AdValue::Of(whole.text.substr(static_cast<size_t>(offset), static_cast<size_t>(length)));
}

AdValue SizeOf(const std::vector<AdValue>& arguments, const std::vector<AdValue>* list) {
  if (list != nullptr) return AdValue::Of(static_cast<int64_t>(list->size()));
  const AdValue& value = arguments[0];
  if (value.kind == Kind::kText) return AdValue::Of(static_cast<int64_t>(value.text.size()));
  return value.is_undefined() ? value : AdValue::Error();
}

// Whether the text is an item of a text with items between delimiters. What is undefined is empty,
// unless both are.
AdValue IsInTextList(const std::vector<AdValue>& arguments, bool any_case) {
  const auto is_text = [](const AdValue& a) { return a.is_undefined() || a.kind == Kind::kText; };
  if (!std::ranges::all_of(arguments, is_text)) return AdValue::Error();
  if (arguments[0].is_undefined() && arguments[1].is_undefined()) return {};
  const std::string& item = arguments[0].text;
  const bool has_delimiters = arguments.size() == 3 && arguments[2].kind == Kind::kText;
  const std::string delimiters = has_delimiters ? arguments[2].text : ", \t\r\n";
  for (absl::string_view word :
       absl::StrSplit(arguments[1].text, absl::ByAnyChar(delimiters), absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    if (any_case ? absl::EqualsIgnoreCase(word, item) : word == item) return AdValue::Of(true);
  }
  return AdValue::Of(false);
}

// Two's complement: what overflows wraps around.
int64_t Wrapped(char op, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return static_cast<int64_t>(op == '+' ? x + y : op == '-' ? x - y : x * y);
}

AdValue AskKind(AdFunction function, const AdValue& value) {
  constexpr std::pair<AdFunction, Kind> kKinds[] = {
      {AdFunction::kIsUndefined, Kind::kUndefined}, {AdFunction::kIsError, Kind::kError},
      {AdFunction::kIsBoolean, Kind::kBool},        {AdFunction::kIsInteger, Kind::kInteger},
      {AdFunction::kIsReal, Kind::kReal},           {AdFunction::kIsString, Kind::kText}};
  for (const auto& [known, kind] : kKinds) {
    if (known == function) return AdValue::Of(value.kind == kind);
  }
  return AdValue::Error();
}

}  // namespace

const AdSignature* FindAdFunction(std::string_view name) {
  const auto* const it = std::ranges::find(kFunctions, name, &AdSignature::name);
  return it == std::end(kFunctions) ? nullptr : it;
}

AdValue CallAdFunction(AdFunction function, const std::vector<AdValue>& arguments,
                       const std::vector<AdValue>* list) {
  const AdValue none;
  const AdValue& first = arguments.empty() ? none : arguments[0];
  int64_t count = 0;
  switch (function) {
    case AdFunction::kQuantize:
      return list == nullptr ? Multiple(first, arguments[1]) : Quantize(first, *list);
    case AdFunction::kFloor:
      return WholeOf(first, std::floor);
    case AdFunction::kCeiling:
      return WholeOf(first, std::ceil);
    case AdFunction::kRound:
      return WholeOf(first, std::round);
    case AdFunction::kInt:
      return WholeOf(first, std::trunc);
    case AdFunction::kReal: {
      double number = 0;
      if (first.ToNumber(&number)) return AdValue::Of(number);
      return first.is_undefined() ? first : AdValue::Error();
    }
    case AdFunction::kMember:
      return IsMember(first, *list);
    case AdFunction::kSum:
      return Sum(*list, &count);
    case AdFunction::kAverage:
      return Average(*list);
    case AdFunction::kMin:
    case AdFunction::kMax:
      return Bound(*list, function == AdFunction::kMin);
    case AdFunction::kSize:
      return SizeOf(arguments, list);
    case AdFunction::kString:
      return TextOf(first);
    case AdFunction::kStrCat:
      return Joined(arguments);
    case AdFunction::kSubstr:
      return Part(arguments);
    case AdFunction::kToLower:
    case AdFunction::kToUpper:
      return WithCase(first, function == AdFunction::kToUpper);
    case AdFunction::kStringListMember:
    case AdFunction::kStringListIMember:
      return IsInTextList(arguments, function == AdFunction::kStringListIMember);
    case AdFunction::kIsList:
      return AdValue::Of(list != nullptr);
    default:
      return AskKind(function, first);
  }
}

AdScalar Arithmetic(char op, const AdScalar& a, const AdScalar& b) {
  double x = 0, y = 0;
  if (a.kind == Kind::kError || b.kind == Kind::kError) return AdScalar::Error();
  if (a.is_undefined() || b.is_undefined()) return AdScalar();
  if (!a.ToNumber(&x) || !b.ToNumber(&y)) return AdScalar::Error();
  if (a.kind == Kind::kReal || b.kind == Kind::kReal) {
    switch (op) {
      case '+':
        return AdScalar::Of(x + y);
      case '-':
        return AdScalar::Of(x - y);
      case '*':
        return AdScalar::Of(x * y);
      case '/':
        return y == 0 ? AdScalar::Error() : AdScalar::Of(x / y);
      default:
        return AdScalar::Error();
    }
  }
  if (op == '+' || op == '-' || op == '*') return AdScalar::Of(Wrapped(op, a.integer, b.integer));
  if (b.integer == 0) return AdScalar::Error();
  // The one quotient that does not fit.
  if (b.integer == -1) return AdScalar::Of(op == '/' ? Wrapped('-', 0, a.integer) : int64_t{0});
  return AdScalar::Of(op == '/' ? a.integer / b.integer : a.integer % b.integer);
}

}  // namespace muster::condor
