// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/pattern.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster::yunikorn {
namespace {

constexpr size_t kMostStates = 10'000;
constexpr int kMostGroups = 32;  // within each other
constexpr int kMostRepeats = 1'000;
constexpr std::string_view kIgnoreCase = "(?i)";

bool HasFlag(std::string_view text) { return text.starts_with(kIgnoreCase); }

}  // namespace

// Reads from right to left of the states: each part is built in front of what follows it, so a part
// that repeats is read again for each copy.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text), ignore_case_(HasFlag(text)) {
    if (ignore_case_) text_.remove_prefix(kIgnoreCase.size());
  }

  absl::StatusOr<Pattern> Read() {
    pattern_.states_.emplace_back();  // the match
    pattern_.start_ = Alternatives(0, text_.size(), 0, 0);
    if (!wrong_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("pattern \"", ToAbsl(text_), "\": ", wrong_));
    }
    return std::move(pattern_);
  }

 private:
  using Set = std::bitset<256>;
  struct Part {
    size_t begin, end;        // without its repetition
    int least = 1, most = 1;  // -1: any number
  };

  size_t New(Pattern::State state) {
    if (pattern_.states_.size() >= kMostStates) {
      wrong_ = "too large";
      return 0;
    }
    pattern_.states_.push_back(state);
    return pattern_.states_.size() - 1;
  }

  // Where the part that begins at `at` ends: a character, an escape, a class or a group.
  size_t EndOfPart(size_t at, size_t end) {
    if (text_[at] == '\\') return std::min(at + 2, end);
    if (text_[at] == '[') return EndOfClass(at, end);
    if (text_[at] != '(') return at + 1;
    size_t open = 0;
    while (at < end) {
      if (text_[at] == '\\' || text_[at] == '[') {
        at = text_[at] == '[' ? EndOfClass(at, end) : at + 2;
        continue;
      }
      if (text_[at] == '(') ++open;
      if (text_[at++] == ')' && --open == 0) return at;
    }
    wrong_ = "a group without its end";
    return end;
  }

  size_t EndOfClass(size_t at, size_t end) {
    size_t i = at + 1;
    if (i < end && text_[i] == '^') ++i;
    if (i < end && text_[i] == ']') ++i;
    while (i < end && text_[i] != ']') i += text_[i] == '\\' ? 2 : 1;
    if (i < end) return i + 1;
    wrong_ = "a class without its end";
    return end;
  }

  int Number(size_t& at, size_t end) {
    int number = 0;
    const size_t begin = at;
    for (; at < end && text_[at] >= '0' && text_[at] <= '9' && number <= kMostRepeats; ++at) {
      number = number * 10 + (text_[at] - '0');
    }
    if (at == begin || number > kMostRepeats) wrong_ = "a bad number of repetitions";
    return number;
  }

  // Reads what follows a part: how often it repeats. Returns where that ends.
  size_t Repetition(size_t at, size_t end, Part& part) {
    if (at == end) return at;
    const char sign = text_[at];
    if (sign == '*' || sign == '+' || sign == '?') {
      part.least = sign == '+' ? 1 : 0;
      part.most = sign == '?' ? 1 : -1;
      ++at;
    } else if (sign == '{') {
      part.least = part.most = Number(++at, end);
      if (at < end && text_[at] == ',') {
        part.most = ++at < end && text_[at] != '}' ? Number(at, end) : -1;
      }
      if (at == end || text_[at++] != '}') wrong_ = "a bad repetition";
      if (part.most >= 0 && part.most < part.least) wrong_ = "a bad repetition";
    } else {
      return at;
    }
    return at < end && text_[at] == '?' ? at + 1 : at;  // lazy: matches the same texts
  }

  size_t Alternatives(size_t begin, size_t end, size_t next, int depth) {
    if (depth > kMostGroups) {
      wrong_ = "too many groups within each other";
      return 0;
    }
    size_t first = begin, at = begin;
    while (at < end && text_[at] != '|' && wrong_.empty()) at = EndOfPart(at, end);
    const size_t here = Sequence(first, std::min(at, end), next, depth);
    if (at >= end || !wrong_.empty()) return here;
    const size_t others = Alternatives(at + 1, end, next, depth + 1);
    return New({Pattern::Kind::kFork, {}, here, others});
  }

  size_t Sequence(size_t begin, size_t end, size_t next, int depth) {
    std::vector<Part> parts;
    for (size_t at = begin; at < end && wrong_.empty();) {
      if (text_[at] == '*' || text_[at] == '+' || text_[at] == '?' || text_[at] == ')') {
        wrong_ = "a sign with nothing before it";
        return 0;
      }
      Part part{at, EndOfPart(at, end)};
      at = Repetition(part.end, end, part);
      parts.push_back(part);
    }
    for (size_t i = parts.size(); i-- > 0 && wrong_.empty();) next = Repeat(parts[i], next, depth);
    return next;
  }

  size_t Repeat(const Part& part, size_t next, int depth) {
    if (part.most < 0) {
      const size_t fork = New({Pattern::Kind::kFork, {}, next, next});
      const size_t body = Single(part, fork, depth);
      pattern_.states_[fork].other = body;
      next = fork;
    }
    const size_t exit = next;
    for (int i = part.least; i < part.most && wrong_.empty(); ++i) {
      const size_t body = Single(part, next, depth);
      next = New({Pattern::Kind::kFork, {}, exit, body});
    }
    for (int i = 0; i < part.least && wrong_.empty(); ++i) next = Single(part, next, depth);
    return next;
  }

  size_t Single(const Part& part, size_t next, int depth) {
    const char first = text_[part.begin];
    if (first == '^') return New({Pattern::Kind::kBegin, {}, next, 0});
    if (first == '$') return New({Pattern::Kind::kEnd, {}, next, 0});
    if (first == '(') {
      size_t begin = part.begin + 1;
      if (text_.substr(begin, 2) == "?:") begin += 2;
      return Alternatives(begin, part.end - 1, next, depth + 1);
    }
    return New({Pattern::Kind::kSet, SetOf(part), next, 0});
  }

  Set SetOf(const Part& part) {
    Set set;
    size_t at = part.begin;
    if (text_[at] == '.') return ~Set().set('\n');
    if (text_[at] != '[') return Folded(Member(at, part.end));
    const bool negated = text_[++at] == '^';
    if (negated) ++at;
    const size_t end = part.end - 1;
    while (at < end && wrong_.empty()) {
      const unsigned char low = static_cast<unsigned char>(text_[at]);
      const bool escaped = low == '\\';
      const Set member = Member(at, end);
      at += escaped ? 2 : 1;
      if (!escaped && at + 1 < end && text_[at] == '-') {
        const unsigned char high = static_cast<unsigned char>(text_[at + 1]);
        if (high < low) wrong_ = "a bad range";
        for (unsigned c = low; c <= high; ++c) set.set(c);
        at += 2;
      } else {
        set |= member;
      }
    }
    return negated ? ~Folded(set) : Folded(set);
  }

  // Both cases of the letters, if the pattern ignores case.
  Set Folded(Set set) const {
    if (!ignore_case_) return set;
    for (char lower = 'a'; lower <= 'z'; ++lower) {
      const auto small = static_cast<unsigned char>(lower);
      const auto large = static_cast<unsigned char>(lower - 'a' + 'A');
      if (set[small] || set[large]) set.set(small).set(large);
    }
    return set;
  }

  Set Member(size_t at, size_t end) {
    Set set;
    if (text_[at] != '\\') return set.set(static_cast<unsigned char>(text_[at]));
    if (at + 1 >= end) {
      wrong_ = "a backslash at the end";
      return set;
    }
    const char name = text_[at + 1];
    const auto range = [&](char a, char b) {
      for (char c = a; c <= b; ++c) set.set(static_cast<unsigned char>(c));
    };
    switch (name) {
      case 'd':
      case 'D':
        range('0', '9');
        break;
      case 'w':
      case 'W':
        range('0', '9');
        range('a', 'z');
        range('A', 'Z');
        set.set('_');
        break;
      case 's':
      case 'S':
        for (char c : {' ', '\t', '\n', '\f', '\r'}) set.set(static_cast<unsigned char>(c));
        break;
      default:
        if ((name >= 'a' && name <= 'z') || (name >= 'A' && name <= 'Z')) {
          wrong_ = absl::StrCat("\\", std::string(1, name));
        }
        return set.set(static_cast<unsigned char>(name));
    }
    return name >= 'a' ? set : ~set;
  }

  std::string_view text_;
  const bool ignore_case_;
  Pattern pattern_;
  std::string wrong_;
};

absl::StatusOr<Pattern> Pattern::Read(std::string_view text) { return PatternReader(text).Read(); }

// Marks the states that are reached from `state` without a character.
void Pattern::Follow(size_t state, size_t at, size_t length, std::vector<uint8_t>& active) const {
  std::vector<size_t> open = {state};
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    if (active[i] != 0) continue;
    active[i] = 1;
    const State& here = states_[i];
    if (here.kind == Kind::kFork) {
      open.push_back(here.next);
      open.push_back(here.other);
    } else if ((here.kind == Kind::kBegin && at == 0) ||
               (here.kind == Kind::kEnd && at == length)) {
      open.push_back(here.next);
    }
  }
}

bool Pattern::Matches(std::string_view text) const {
  std::vector<uint8_t> active(states_.size(), 0);
  for (size_t at = 0;; ++at) {
    Follow(start_, at, text.size(), active);
    if (active[0] != 0) return true;
    if (at == text.size()) return false;
    std::vector<uint8_t> next(states_.size(), 0);
    for (size_t i = 0; i < states_.size(); ++i) {
      if (active[i] == 0 || states_[i].kind != Kind::kSet) continue;
      if (states_[i].set[static_cast<unsigned char>(text[at])]) {
        Follow(states_[i].next, at + 1, text.size(), next);
      }
    }
    active = std::move(next);
  }
}

}  // namespace muster::yunikorn
