// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A pattern becomes steps of a machine that is in several of them at once; what is repeated is
// written down as often as it may be repeated.
#include "lib/import/pattern.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  absl::StatusOr<Pattern> Parse() && {
    Alternatives(0);
    if (status_.ok() && at_ < text_.size()) Fail("\")\" without \"(\"");
    if (!status_.ok()) return status_;
    Add(Pattern::Op::kMatch);
    return std::move(out_);
  }

 private:
  using Op = Pattern::Op;
  using Bytes = std::bitset<256>;
  static constexpr int kMostDepth = 100, kMostRepeats = 1000;
  static constexpr size_t kMostSteps = 20000;

  void Fail(std::string_view rule) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat("byte ", at_, ": ", ToAbsl(rule)));
    }
    at_ = text_.size();  // nothing more is read
  }
  bool More() const { return at_ < text_.size(); }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  uint32_t Here() const { return static_cast<uint32_t>(out_.steps_.size()); }
  void Add(Op op, uint32_t next = 0, uint32_t other = 0) {
    if (out_.steps_.size() >= kMostSteps) {
      Fail(absl::StrCat("the pattern has more than ", kMostSteps, " steps"));
      return;
    }
    out_.steps_.push_back({op, next, other});
  }
  void AddBytes(const Bytes& bytes) {
    out_.sets_.push_back(bytes);
    Add(Op::kBytes, 0, static_cast<uint32_t>(out_.sets_.size() - 1));
  }

  // Moves the steps from `from` on by one, and puts a step before them.
  void InsertBefore(uint32_t from, Op op, uint32_t next, uint32_t other);
  void CopyFrom(const std::vector<Pattern::Step>& part, uint32_t from);

  void Alternatives(int depth);
  void Sequence(int depth);
  void Atom(int depth);
  bool Repeat(uint32_t from);
  bool ReadCounts(int* least, int* most);
  bool Number(int* out);
  Bytes Class();
  Bytes Escape();

  std::string_view text_;
  size_t at_ = 0;
  absl::Status status_;
  Pattern out_;
};

namespace {

using Bytes = std::bitset<256>;

Bytes Range(char first, char last) {
  Bytes bytes;
  for (int c = static_cast<uint8_t>(first); c <= static_cast<uint8_t>(last); ++c) {
    bytes.set(static_cast<size_t>(c));
  }
  return bytes;
}

Bytes Word() { return Range('0', '9') | Range('a', 'z') | Range('A', 'Z') | Range('_', '_'); }

bool IsWord(std::string_view name, size_t at) {
  return at < name.size() && (absl::ascii_isalnum(name[at]) || name[at] == '_');
}

}  // namespace

void PatternParser::CopyFrom(const std::vector<Pattern::Step>& part, uint32_t from) {
  const uint32_t shift = Here() - from;
  for (const Pattern::Step& step : part) {
    const bool goes = step.op == Op::kFork || step.op == Op::kJump;
    Add(step.op, goes ? step.next + shift : 0,
        step.op == Op::kFork ? step.other + shift : step.other);
  }
}

void PatternParser::InsertBefore(uint32_t from, Op op, uint32_t next, uint32_t other) {
  for (uint32_t i = from; i < Here(); ++i) {
    Pattern::Step& step = out_.steps_[i];
    if (step.op == Op::kFork || step.op == Op::kJump) ++step.next;
    if (step.op == Op::kFork) ++step.other;
  }
  Add(op);
  if (!status_.ok()) return;
  std::rotate(out_.steps_.begin() + from, out_.steps_.end() - 1, out_.steps_.end());
  out_.steps_[from] = {op, next, other};
}

void PatternParser::Alternatives(int depth) {
  if (depth > kMostDepth) return Fail(absl::StrCat("nested deeper than ", kMostDepth));
  const uint32_t from = Here();
  std::vector<uint32_t> ends;  // jumps to what comes behind
  Sequence(depth);
  while (Take("|")) {
    Add(Op::kJump);
    // What was read so far is one of two ways; jumps in it already wait for the end.
    InsertBefore(from, Op::kFork, from + 1, Here() + 1);
    for (uint32_t& end : ends) ++end;
    ends.push_back(Here() - 1);
    Sequence(depth);
  }
  if (!status_.ok()) return;
  for (uint32_t end : ends) out_.steps_[end].next = Here();
}

void PatternParser::Sequence(int depth) {
  while (More() && text_[at_] != '|' && text_[at_] != ')') {
    const uint32_t from = Here();
    Atom(depth);
    while (Repeat(from)) {
    }
  }
}

void PatternParser::Atom(int depth) {
  if (Take("(")) {
    if (Take("?") && !Take(":")) return Fail("of groups with \"?\" only \"(?:\" is read");
    Alternatives(depth + 1);
    if (!Take(")")) Fail("\"(\" without \")\"");
    return;
  }
  if (Take("^")) return Add(Op::kBegin);
  if (Take("$")) return Add(Op::kEnd);
  if (Take("\\b")) return Add(Op::kWordEdge);
  if (Take("\\B")) return Add(Op::kNoWordEdge);
  if (Take("\\A")) return Add(Op::kBegin);
  if (Take("\\z")) return Add(Op::kEnd);
  if (Take(".")) return AddBytes(~Range('\n', '\n'));
  if (Take("[")) return AddBytes(Class());
  if (Take("\\")) return AddBytes(Escape());
  if (std::string_view("*+?").find(text_[at_]) < 3)
    return Fail("nothing stands before it to repeat");
  AddBytes(Range(text_[at_], text_[at_]));
  if (status_.ok()) ++at_;
}

// Repeats the steps from `from` on as the next token requires. Returns false if that is no
// repetition.
bool PatternParser::Repeat(uint32_t from) {
  int least = 0, most = -1;  // -1: any number
  if (Take("+")) {
    least = 1;
  } else if (Take("?")) {
    most = 1;
  } else if (!Take("*") && !ReadCounts(&least, &most)) {
    return false;
  }
  Take("?");
  const std::vector<Pattern::Step> part(out_.steps_.begin() + from, out_.steps_.end());
  const auto once = [&] { CopyFrom(part, from); };
  out_.steps_.resize(from);
  for (int i = 0; i < least && status_.ok(); ++i) once();
  const auto size = static_cast<uint32_t>(part.size());
  if (most < 0) {
    const uint32_t loop = Here();
    Add(Op::kFork, loop + 1, loop + size + 2);
    once();
    Add(Op::kJump, loop);
    return status_.ok();
  }
  for (int i = least; i < most && status_.ok(); ++i) {
    const uint32_t fork = Here();
    Add(Op::kFork, fork + 1, fork + size + 1);
    once();
  }
  return status_.ok();
}

// Reads {n}, {n,} or {n,m}. Returns false for other text, and leaves at_ as it was.
bool PatternParser::ReadCounts(int* least, int* most) {
  const size_t begin = at_;
  if (!Take("{")) return false;
  bool read = Number(least);
  *most = *least;
  if (read && Take(",")) {
    *most = -1;
    if (More() && text_[at_] != '}') read = Number(most);
  }
  read = read && Take("}");
  if (!read) {
    at_ = begin;
    return false;
  }
  const bool right =
      *least <= kMostRepeats && *most <= kMostRepeats && (*most < 0 || *least <= *most);
  if (!right) Fail(absl::StrCat("expected counts up to ", kMostRepeats, ", the smaller one first"));
  return right;
}

bool PatternParser::Number(int* out) {
  const size_t begin = at_;
  for (*out = 0; More() && absl::ascii_isdigit(text_[at_]); ++at_) {
    *out = std::min(10 * *out + (text_[at_] - '0'), kMostRepeats + 1);
  }
  return at_ > begin;
}

// Behind "[".
Bytes PatternParser::Class() {
  Bytes bytes;
  const bool inverted = Take("^");
  for (bool first = true; !Take("]") || first; first = false) {
    if (first && at_ > 0 && text_[at_ - 1] == ']') {  // the first one stands for itself
      bytes.set(']');
      continue;
    }
    if (!More()) {
      Fail("\"[\" without \"]\"");
      return bytes;
    }
    if (Take("\\")) {
      bytes |= Escape();
      continue;
    }
    const char begin = text_[at_++];
    const bool range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
    const char end = range ? text_[at_ + 1] : begin;
    if (range) at_ += 2;
    if (static_cast<uint8_t>(end) < static_cast<uint8_t>(begin) || (range && end == '\\')) {
      Fail("a range of a class begins with its smaller character");
      return bytes;
    }
    bytes |= Range(begin, end);
  }
  return inverted ? ~bytes : bytes;
}

// Behind a backslash.
Bytes PatternParser::Escape() {
  if (!More()) {
    Fail("nothing stands behind the backslash");
    return {};
  }
  const char c = text_[at_++];
  const Bytes blank = Range('\t', '\n') | Range('\f', '\r') | Range(' ', ' ');
  switch (c) {
    case 'd':
      return Range('0', '9');
    case 'D':
      return ~Range('0', '9');
    case 'w':
      return Word();
    case 'W':
      return ~Word();
    case 's':
      return blank;
    case 'S':
      return ~blank;
    case 't':
      return Range('\t', '\t');
    case 'n':
      return Range('\n', '\n');
    case 'r':
      return Range('\r', '\r');
    default:
      if (absl::ascii_isalnum(c)) Fail("no class has this name");
      return Range(c, c);
  }
}

absl::StatusOr<Pattern> Pattern::Parse(std::string_view text) {
  return PatternParser(text).Parse();
}

void Pattern::Follow(uint32_t first, std::string_view name, size_t at, std::vector<uint32_t>* list,
                     std::vector<bool>* listed) const {
  std::vector<uint32_t> open = {first};
  while (!open.empty()) {
    const uint32_t step = open.back();
    open.pop_back();
    if ((*listed)[step]) continue;
    (*listed)[step] = true;
    const bool edge = (at > 0 && IsWord(name, at - 1)) != IsWord(name, at);
    switch (steps_[step].op) {
      case Op::kFork:
        open.push_back(steps_[step].other);
        open.push_back(steps_[step].next);
        break;
      case Op::kJump:
        open.push_back(steps_[step].next);
        break;
      case Op::kBegin:
        if (at == 0) open.push_back(step + 1);
        break;
      case Op::kEnd:
        if (at == name.size()) open.push_back(step + 1);
        break;
      case Op::kWordEdge:
        if (edge) open.push_back(step + 1);
        break;
      case Op::kNoWordEdge:
        if (!edge) open.push_back(step + 1);
        break;
      case Op::kBytes:
      case Op::kMatch:
        list->push_back(step);
        break;
    }
  }
}

bool Pattern::Matches(std::string_view name) const {
  std::vector<uint32_t> now, next;
  std::vector<bool> listed(steps_.size(), false);
  for (size_t at = 0; at <= name.size(); ++at) {
    // A match may begin anywhere.
    Follow(0, name, at, &now, &listed);
    next.clear();
    listed.assign(steps_.size(), false);
    for (const uint32_t step : now) {
      if (steps_[step].op == Op::kMatch) return true;
      if (at < name.size() && sets_[steps_[step].other].test(static_cast<uint8_t>(name[at]))) {
        Follow(step + 1, name, at + 1, &next, &listed);
      }
    }
    std::swap(now, next);
  }
  return false;
}

}  // namespace muster
