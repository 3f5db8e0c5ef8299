// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pattern: regular expressions for the users and groups of placement rules.
//
//   auto pattern = Pattern::Read("^dev-[a-z]+$");
//   pattern->Matches("dev-ann");   // true
//
// Of the peer's language: characters, ".", classes "[a-z]" and "[^a-z]", \d \w \s and their
// opposites, groups "(...)" and "(?:...)", "|", "*", "+", "?", "{n}", "{n,}", "{n,m}", "^" and "$".
// "(?i)" at the begin ignores the case of ASCII letters.
// A pattern matches if any part of the text does. Everything else is refused.
//
// A match takes time proportional to the text times the pattern, whatever the two are.
#ifndef MUSTER_PEER_YUNIKORN_PATTERN_H_
#define MUSTER_PEER_YUNIKORN_PATTERN_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::yunikorn {

class Pattern {
 public:
  // Fails with InvalidArgument for what is no pattern, or too large a one.
  static absl::StatusOr<Pattern> Read(std::string_view text);
  bool Matches(std::string_view text) const;

 private:
  friend class PatternReader;
  enum class Kind : uint8_t { kSet, kBegin, kEnd, kFork, kMatch };
  struct State {
    Kind kind = Kind::kMatch;
    std::bitset<256> set;
    size_t next = 0;
    size_t other = 0;  // of a fork
  };
  void Follow(size_t state, size_t at, size_t length, std::vector<uint8_t>& active) const;

  std::vector<State> states_;
  size_t start_ = 0;
};

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_PATTERN_H_
