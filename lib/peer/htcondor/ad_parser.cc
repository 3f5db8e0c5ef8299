// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/ad_parser.h"

#include <charconv>
#include <iterator>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/peer/htcondor/ad_functions.h"

namespace muster::condor {
namespace {

bool IsNameStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

}  // namespace

absl::StatusOr<AdExpression> AdExpression::Parse(std::string_view text, AdNames* names) {
  return AdParser(text, names).Read();
}

absl::StatusOr<AdExpression> AdParser::Read() {
  Make(Op::kValue);  // number 0 stands for a failure
  if (text_.size() > kMostBytes) {
    Fail(absl::StrCat("longer than ", kMostBytes, " bytes"));
  } else {
    made_.root_ = ReadChoice();
    SkipSpace();
    if (error_.empty() && at_ != text_.size()) Fail("an operator or the end is expected");
  }
  if (!error_.empty()) return absl::InvalidArgumentError(error_);
  return std::move(made_);
}

uint32_t AdParser::Fail(std::string_view rule) {
  if (error_.empty()) error_ = absl::StrCat("expression, byte ", at_, ": ", ToAbsl(rule));
  return 0;
}

uint32_t AdParser::Make(Op op, const std::vector<uint32_t>& operands, uint32_t number,
                        AdValue value) {
  if (!error_.empty()) return 0;
  if (op == Op::kValue) {
    number = static_cast<uint32_t>(made_.values_.size());
    made_.values_.push_back(std::move(value));
  }
  made_.nodes_.push_back({op, number, static_cast<uint32_t>(made_.operands_.size()),
                          static_cast<uint32_t>(operands.size())});
  made_.operands_.insert(made_.operands_.end(), operands.begin(), operands.end());
  return static_cast<uint32_t>(made_.nodes_.size() - 1);
}

void AdParser::SkipSpace() {
  while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
}

bool AdParser::Take(std::string_view token) {
  SkipSpace();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

// One that is a word ends where the word does.
bool AdParser::TakeOperator(std::string_view token) {
  if (!IsNameStart(token[0])) return Take(token);
  SkipSpace();
  const size_t begin = at_;
  if (at_ < text_.size() && IsNameStart(text_[at_]) &&
      absl::EqualsIgnoreCase(ToAbsl(TakeName()), ToAbsl(token))) {
    return true;
  }
  at_ = begin;
  return false;
}

uint32_t AdParser::ReadChoice() {
  if (++nesting_ > kMostNesting) return Fail("nested too deeply");
  uint32_t node = ReadBinary(0);
  if (error_.empty() && Take("?")) {
    const uint32_t then = ReadChoice();
    if (!Take(":")) return Fail("':' is expected");
    const uint32_t otherwise = ReadChoice();
    node = Make(Op::kChoose, {node, then, otherwise});
  }
  --nesting_;
  return node;
}

// Operators from the loosest to the tightest; longer ones before those that they begin with.
uint32_t AdParser::ReadBinary(int level) {
  struct Binary {
    std::string_view token;
    Op op;
  };
  static constexpr Binary kOr[] = {{"||", Op::kOr}};
  static constexpr Binary kAnd[] = {{"&&", Op::kAnd}};
  static constexpr Binary kEquality[] = {{"=?=", Op::kIs},   {"=!=", Op::kIsNot},
                                         {"==", Op::kEqual}, {"!=", Op::kUnequal},
                                         {"is", Op::kIs},    {"isnt", Op::kIsNot}};
  static constexpr Binary kOrder[] = {
      {"<=", Op::kLessEqual}, {">=", Op::kGreaterEqual}, {"<", Op::kLess}, {">", Op::kGreater}};
  static constexpr Binary kSum[] = {{"+", Op::kPlus}, {"-", Op::kMinus}};
  static constexpr Binary kProduct[] = {
      {"*", Op::kTimes}, {"/", Op::kDivide}, {"%", Op::kRemainder}};
  static constexpr std::span<const Binary> kLevels[] = {kOr,    kAnd, kEquality,
                                                        kOrder, kSum, kProduct};
  if (level == static_cast<int>(std::size(kLevels))) return ReadUnary();
  uint32_t left = ReadBinary(level + 1);
  for (bool found = true; found && error_.empty();) {
    found = false;
    for (const Binary& binary : kLevels[level]) {
      if (!TakeOperator(binary.token)) continue;
      const uint32_t right = ReadBinary(level + 1);
      left = Make(binary.op, {left, right});
      found = true;
      break;
    }
  }
  return left;
}

uint32_t AdParser::ReadUnary() {
  if (++nesting_ > kMostNesting) return Fail("nested too deeply");
  uint32_t node = 0;
  SkipSpace();
  if (Take("!")) {
    node = Make(Op::kNot, {ReadUnary()});
  } else if (Take("-")) {
    node = Make(Op::kNegate, {ReadUnary()});
  } else if (Take("+")) {
    node = ReadUnary();
  } else {
    node = ReadOperand();
  }
  --nesting_;
  return node;
}

uint32_t AdParser::ReadOperand() {
  SkipSpace();
  if (at_ == text_.size()) return Fail("an operand is expected");
  const char c = text_[at_];
  if (IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]))) {
    return ReadNumber();
  }
  if (c == '"') return ReadText();
  if (IsNameStart(c)) return ReadWord();
  if (Take("{")) return Make(Op::kList, ReadItems('}'));
  if (!Take("(")) return Fail("an operand is expected");
  const uint32_t inner = ReadChoice();
  return Take(")") ? inner : Fail("')' is expected");
}

uint32_t AdParser::ReadNumber() {
  const char* const begin = text_.data() + at_;
  const char* const end = text_.data() + text_.size();
  double real = 0;
  const auto read = ReadDecimal(begin, end, real);
  if (read.ec != std::errc()) return Fail("a number out of range");
  const std::string_view digits(begin, static_cast<size_t>(read.ptr - begin));
  at_ += digits.size();
  if (at_ < text_.size() && IsNameStart(text_[at_])) return Fail("a number with a suffix");
  if (digits.find_first_of(".eE") != digits.npos) {
    return Make(Op::kValue, {}, 0, AdValue::Of(real));
  }
  int64_t whole = 0;
  if (std::from_chars(begin, read.ptr, whole).ec != std::errc()) {
    return Fail("an integer out of range");
  }
  return Make(Op::kValue, {}, 0, AdValue::Of(whole));
}

uint32_t AdParser::ReadText() {
  std::string text;
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    text.push_back(text_[at_]);
  }
  if (at_ == text_.size()) return Fail("a text without an end");
  ++at_;
  return Make(Op::kValue, {}, 0, AdValue::Of(std::move(text)));
}

std::string_view AdParser::TakeName() {
  const size_t begin = at_;
  while (at_ < text_.size() && (IsNameStart(text_[at_]) || IsDigit(text_[at_]))) ++at_;
  return text_.substr(begin, at_ - begin);
}

uint32_t AdParser::ReadWord() {
  const std::string_view word = TakeName();
  const std::string lower = absl::AsciiStrToLower(ToAbsl(word));
  if (lower == "true" || lower == "false") {
    return Make(Op::kValue, {}, 0, AdValue::Of(lower == "true"));
  }
  if (lower == "undefined") return Make(Op::kValue);
  if (lower == "error") return Make(Op::kValue, {}, 0, AdValue::Error());
  if (Take("(")) return ReadCall(lower);
  if ((lower == "my" || lower == "target") && Take(".")) {
    SkipSpace();
    if (at_ == text_.size() || !IsNameStart(text_[at_])) return Fail("a name is expected");
    const Op op = lower == "my" ? Op::kMyName : Op::kTargetName;
    return Make(op, {}, names_.Of(TakeName()));
  }
  if (Take(".")) return Fail("a name behind '.' is read after MY and TARGET alone");
  return Make(Op::kName, {}, names_.Of(word));
}

uint32_t AdParser::ReadCall(std::string_view name) {
  const AdSignature* function = FindAdFunction(name);
  if (function == nullptr) return Fail(absl::StrCat("function ", ToAbsl(name), " is not known"));
  std::vector<uint32_t> items = ReadItems(')');
  if (error_.empty() && (items.size() < function->least || items.size() > function->most)) {
    const std::string most =
        function->least == function->most ? "" : absl::StrCat(" to ", function->most);
    return Fail(
        absl::StrCat("function ", ToAbsl(name), " takes ", function->least, most, " arguments"));
  }
  for (size_t i = 0; i < items.size() && error_.empty(); ++i) {
    const bool is_list = made_.nodes_[items[i]].op == Op::kList;
    const ListRule rule = i == function->list_place ? function->list : ListRule::kNever;
    if (is_list && rule == ListRule::kNever) return Fail("a list where a value is expected");
    if (!is_list && rule == ListRule::kMust) return Fail("a list is expected");
  }
  if (function->function == AdFunction::kTime) return Make(Op::kName, {}, names_.Of(kTimeName));
  return Make(Op::kCall, items, static_cast<uint32_t>(function->function));
}

std::vector<uint32_t> AdParser::ReadItems(char close) {
  std::vector<uint32_t> items;
  const std::string_view end(&close, 1);
  if (Take(end)) return items;
  while (error_.empty()) {
    items.push_back(ReadChoice());
    if (Take(end)) return items;
    if (!Take(",")) Fail(absl::StrCat("',' or '", ToAbsl(end), "' is expected"));
  }
  return items;
}

}  // namespace muster::condor
