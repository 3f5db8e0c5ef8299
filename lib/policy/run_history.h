// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What jobs that have ended tell of those that come: a run time, and the chance to end at once.
//
//   RunHistory history;
//   history.Learn({.user = 7, .estimate = 3600, .processors = 16}, /*run=*/110);
//   const double length = history.Length({.user = 7, .estimate = 3600, .processors = 16});
//
// Idea. Jobs are alike by five keys, each narrower than the one before: all jobs; estimate and
// processors to the next lower power of two; the user; user and estimate; user, estimate and
// processors. Of each key the history keeps a number of jobs, the sum of their run times and the
// sum of their inverse run times. All three decay when a job is added, by 0.999 for the first two
// keys and 0.9 for the others. A guess starts from half of the estimate and goes through the keys
// in that order: each pulls it towards its own mean, with the weight of its number of jobs against
// 1 (0.1 for the first key).
//
// Length is the geometric mean of the guessed run time and of the inverse of the guessed inverse: a
// job of a kind that often ends at once counts as short, which the mean run time would hide.
//
// Guarantee. What is learnt later never changes an earlier guess, and the sums are taken in one
// order: equal histories guess equal numbers on every machine.
//
// Cost. O(1) each; memory O(kinds of jobs that have ended).
#ifndef MUSTER_POLICY_RUN_HISTORY_H_
#define MUSTER_POLICY_RUN_HISTORY_H_

#include <cstdint>
#include <utility>

#include "lib/base/hash_map.h"

namespace muster {

// The number of keys by which jobs are alike. Jobs of unknown users are so by the first two alone.
inline constexpr uint32_t kRunKeys = 5, kRunKeysWithoutUser = 2;

// Returns the power of two by which the second key tells amounts apart.
int64_t RunMagnitude(int64_t amount);

// The jobs of one key that have ended. `level` is the number of the key, from 0.
struct RunSums {
  double count = 0, run = 0, inverse = 0;
  void Add(uint32_t level, int64_t run_time);
};

// A guess in the making. Keys pull in their order, each once; keys without a job do not pull.
class RunGuess {
 public:
  explicit RunGuess(int64_t estimate);
  void Pull(uint32_t level, const RunSums& sums);
  // Returns seconds; above 0.
  double Length() const;

 private:
  const double estimate_;
  double run_, inverse_;
};

// What tells of a job how it will run.
struct RunKind {
  uint32_t user = 0;  // kNone: not known
  int64_t estimate = 1, processors = 1;
};

// Jobs of equal keys of a level are alike.
struct RunKey {
  uint32_t level, user;
  int64_t estimate, processors;
  friend bool operator==(const RunKey&, const RunKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const RunKey& key) {
    return H::combine(std::move(h), key.level, key.user, key.estimate, key.processors);
  }
};
RunKey RunKeyOf(uint32_t level, const RunKind& kind);
// Returns how many of the keys a job has.
uint32_t RunKeysOf(const RunKind& kind);

class RunHistory {
 public:
  using Kind = RunKind;

  void Learn(const Kind& kind, int64_t run);
  // Returns seconds; above 0.
  double Length(const Kind& kind) const;

 private:
  HashMap<RunKey, RunSums> sums_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_RUN_HISTORY_H_
