// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/fuzz/draws.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"

namespace muster::fuzz {
namespace {

// Targets that take their bytes for choices (input.h).
constexpr std::array<std::string_view, 3> kSequences = {"calls", "c_calls", "nonsense"};
constexpr size_t kLongestSequence = 400;
// What a number of a text may become.
constexpr std::array<std::string_view, 12> kOddValues = {"0",
                                                         "-1",
                                                         "9223372036854775807",
                                                         "-9223372036854775808",
                                                         "4294967296",
                                                         "1e400",
                                                         "1.5",
                                                         "\"\"",
                                                         "[]",
                                                         "{}",
                                                         "null",
                                                         "\xFF"};

}  // namespace

Draws::Draws(std::string_view target, std::vector<std::string> corpus,
             std::vector<std::string> words, uint64_t seed)
    : is_sequence_(std::ranges::count(kSequences, target) > 0),
      corpus_(std::move(corpus)),
      words_(std::move(words)),
      rng_(seed) {}

std::string Draws::Next() {
  if (is_sequence_ && Below(3) > 0) return AnyBytes();
  std::string text = corpus_[Below(corpus_.size())];
  for (size_t left = 1 + Below(6); left > 0 && !text.empty(); --left) Change(&text);
  return text;
}

std::string Draws::AnyBytes() {
  std::string bytes(16 + Below(kLongestSequence), '\0');
  for (char& byte : bytes) byte = static_cast<char>(Below(256));
  return bytes;
}

void Draws::Change(std::string* text) {
  const size_t at = Below(text->size());
  switch (Below(7)) {
    case 0:
      (*text)[at] = static_cast<char>(Below(256));
      break;
    case 1:
      (*text)[at] = static_cast<char>((*text)[at] ^ 1 << Below(8));
      break;
    case 2:
      text->erase(at, 1 + Below(8));
      break;
    case 3:
      text->insert(at, words_[Below(words_.size())]);
      break;
    case 4:
      text->insert(at, PartOf(corpus_[Below(corpus_.size())]));
      break;
    case 5:
      text->insert(at, PartOf(*text));
      break;
    default: {
      const auto is_digit = [](char c) { return absl::ascii_isdigit(c); };
      const auto first =
          std::find_if(text->begin() + static_cast<std::ptrdiff_t>(at), text->end(), is_digit);
      text->replace(first, std::find_if_not(first, text->end(), is_digit),
                    kOddValues[Below(kOddValues.size())]);
    }
  }
}

std::string Draws::PartOf(std::string_view text) {
  if (text.empty()) return "";
  return std::string(text.substr(Below(text.size()), 1 + Below(64)));
}

}  // namespace muster::fuzz
