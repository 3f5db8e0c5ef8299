// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Regular expressions over names, in the syntax of Go's package regexp (and so of RE2), as far as
// names need it.
//
//   absl::StatusOr<Pattern> pattern = Pattern::Parse("^rack-[0-9]{2}$");
//   pattern->Matches("rack-07");   // true
//
// Read are: characters, ".", classes ("[a-z]", "[^0-9]", "\d", "\w", "\s" and their capitals), "^",
// "$", "\b", groups ("(...)", "(?:...)"), "|", and "*", "+", "?", "{n}", "{n,}", "{n,m}", each also
// with "?" behind it, which changes nothing here. Bytes are matched, not characters. Back
// references and looking around are no part of the syntax.
//
// Parse fails with InvalidArgument, with the byte and the rule, for text that is no pattern, for
// counts above 1000, for nesting deeper than 100, and for patterns of more than 20000 steps.
// Matches never fails, and costs O(steps * length) however the pattern was written.
#ifndef MUSTER_IMPORT_PATTERN_H_
#define MUSTER_IMPORT_PATTERN_H_

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace muster {

class Pattern {
 public:
  static absl::StatusOr<Pattern> Parse(std::string_view text);

  // Whether the pattern matches anywhere in the name.
  bool Matches(std::string_view name) const;

 private:
  friend class PatternParser;
  enum class Op : uint8_t { kBytes, kFork, kJump, kBegin, kEnd, kWordEdge, kNoWordEdge, kMatch };
  struct Step {
    Op op;
    uint32_t next = 0;   // kFork, kJump: where it goes on
    uint32_t other = 0;  // kFork: and where else; kBytes: which set
  };

  // Adds the step, and what follows it without a byte, to the list.
  void Follow(uint32_t step, std::string_view name, size_t at, std::vector<uint32_t>* list,
              std::vector<bool>* listed) const;

  std::vector<Step> steps_;
  std::vector<std::bitset<256>> sets_;
};

}  // namespace muster

#endif  // MUSTER_IMPORT_PATTERN_H_
