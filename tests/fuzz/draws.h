// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Inputs drawn at random for targets, where libFuzzer is not there.
//
//   Draws draws("calls", files, words, /*seed=*/1);
//   for (int i = 0; i < 400; ++i) target.run(draws.Next());
//
// Idea. Sequences of calls take any bytes, so most of theirs are drawn from nothing. Texts are
// files of the corpus in which a few bytes, words of the dictionary and parts of other files are
// changed. Nothing learns from branches that are reached: an ordinary build finds what lies close,
// in a second, and the fuzzer what lies deep.
//
// Draws of one seed and corpus are equal on every machine.
#ifndef MUSTER_TESTS_FUZZ_DRAWS_H_
#define MUSTER_TESTS_FUZZ_DRAWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/rng.h"

namespace muster::fuzz {

class Draws {
 public:
  // REQUIRES: the corpus has a file, and the dictionary a word.
  Draws(std::string_view target, std::vector<std::string> corpus, std::vector<std::string> words,
        uint64_t seed);

  std::string Next();

 private:
  std::string AnyBytes();
  void Change(std::string* text);
  // 1 to 64 bytes of the text, or fewer where it ends.
  std::string PartOf(std::string_view text);
  size_t Below(size_t bound) { return static_cast<size_t>(rng_.Below(bound)); }

  const bool is_sequence_;
  const std::vector<std::string> corpus_, words_;
  Rng rng_;
};

}  // namespace muster::fuzz

#endif  // MUSTER_TESTS_FUZZ_DRAWS_H_
