// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words of enums, one table each, and what to suggest for a word that no table has.
//
//   Word(TaskStatus::kRunning)                        // "running"
//   std::optional<JobPhase> phase = ParseWord<JobPhase>("degraded");
//   SuggestWord("guaranteed", {"guaranteed_qos"})     // ", renamed to \"guaranteed_qos\""
//
// Scenarios, tables of C, rows of Python and importers use these words and no others. A table lists
// the words in the order of the enum's values; the word "" stands for a value that is not set.
#ifndef MUSTER_MODEL_WORDS_H_
#define MUSTER_MODEL_WORDS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "muster/event.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// The words of one enum, and what messages call one: "phase".
struct WordTable {
  std::string_view what;
  std::span<const std::string_view> words;
};

// One overload for each enum that has words; the argument is not read.
WordTable WordsOf(TaskStatus);
WordTable WordsOf(JobPhase);
WordTable WordsOf(QueueState);
WordTable WordsOf(ClusterEventKind);
WordTable WordsOf(TaintEffect);
WordTable WordsOf(TolerationOp);
WordTable WordsOf(RequirementOp);
WordTable WordsOf(Protocol);
WordTable WordsOf(SamePart);
WordTable WordsOf(Alignment);
WordTable WordsOf(AlignmentScope);
WordTable WordsOf(BundleStrategy);
WordTable WordsOf(JobOrder);
WordTable WordsOf(FlavorSearch);
WordTable WordsOf(FlavorPreference);
WordTable WordsOf(QueueingStrategy);
WordTable WordsOf(StopPolicy);
WordTable WordsOf(VictimScope);
WordTable WordsOf(PreemptionFence);
WordTable WordsOf(ReservationPhase);
WordTable WordsOf(ReservationPolicy);

template <class E>
concept HasWords = requires(E e) {
  WordsOf(e);
};

// Returns the word of the value; "" for a number that the enum has no value for.
template <HasWords E>
std::string_view Word(E value) {
  const std::span<const std::string_view> words = WordsOf(value).words;
  const auto number = static_cast<size_t>(value);
  return number < words.size() ? words[number] : std::string_view();
}

// Returns the value that `text` is the word of, or nothing.
template <HasWords E>
std::optional<E> ParseWord(std::string_view text) {
  const std::span<const std::string_view> words = WordsOf(E()).words;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

// Returns what to append to "unknown key \"x\"": the word that `word` was renamed to, or the one
// that it most likely misspells. Returns "" if `valid` has neither. Only the part of `word` behind
// its last dot is looked up among the renamed: columns are named "shape.guaranteed".
std::string SuggestWord(std::string_view word, std::span<const std::string_view> valid);

// Returns `unknown key "x"` with a suggestion, or with the list of valid words if there is none.
std::string UnknownWord(std::string_view what, std::string_view word,
                        std::span<const std::string_view> valid);

}  // namespace muster

#endif  // MUSTER_MODEL_WORDS_H_
