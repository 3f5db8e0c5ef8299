// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Upper bounds on run times, and run times by chance, from the jobs that have ended.
//
//   RunBounds runs;
//   runs.Learn({.user = 7, .estimate = 3600, .processors = 16}, /*run=*/110);
//   std::optional<int64_t> bound = runs.Bound(kind, RunBounds::kWhole * 9 / 10, /*beyond=*/0);
//   RunBounds::Draws draws(runs, kind, /*beyond=*/elapsed, /*cap=*/3600);
//   const int64_t run = draws.Next(rng);
//
// Idea. Jobs are alike by the five keys of run_history.h. Of each key the last jobs that ended are
// kept, with run time and estimate: 512 of the first two keys, 64 of the others. A run time of a
// job with another estimate counts in proportion. Let n jobs of a key have run longer than
// `beyond`. The bound of quantile q is the k-th shortest of them, with k = (n + 1) q rounded up.
// The narrowest key decides with which k is at most n and n is 3 or more.
//
// Guarantee. If a job and the n jobs before it were drawn alike, it runs no longer than the bound
// with probability q or more (conformal prediction). What is learnt later never changes an earlier
// bound. All is integers: equal histories give equal bounds on every machine.
//
// A draw goes through the same keys, narrowest first. A key with n run times beyond `beyond`
// decides with probability n / (n + 1), and each of its run times is then equally likely. Where no
// key decides, all times from `beyond` to the cap are equally likely.
//
// Cost. Learn: O(1). Bound, and a key's first draw: O(jobs of the key). Memory: O(jobs kept).
#ifndef MUSTER_POLICY_RUN_BOUNDS_H_
#define MUSTER_POLICY_RUN_BOUNDS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/base/rng.h"
#include "lib/policy/run_history.h"

namespace muster {

class RunBounds {
 public:
  using Kind = RunKind;
  // Quantiles count in millionths.
  static constexpr int64_t kWhole = 1'000'000;
  // Of a job without an estimate, as of order=due.
  static constexpr int64_t kNoEstimate = 432'000;
  // Of draws. No run time is above it.
  static constexpr int64_t kNoCap = int64_t{1} << 53;

  void Learn(const Kind& kind, int64_t run);
  // Returns seconds above `beyond`, or nothing where no key has enough jobs. REQUIRES: 0 < quantile
  // < kWhole.
  std::optional<int64_t> Bound(const Kind& kind, int64_t quantile, int64_t beyond) const;

  // Run times of one job by chance.
  class Draws {
   public:
    // `runs` must outlive this, and learn nothing meanwhile.
    Draws(const RunBounds& runs, const Kind& kind, int64_t beyond, int64_t cap)
        : runs_(&runs), kind_(kind), beyond_(beyond), cap_(cap) {}
    // Returns seconds above `beyond` and no more than `cap`, or `beyond` + 1 where the cap is less.
    int64_t Next(Rng& rng);

   private:
    const RunBounds* runs_;
    Kind kind_;
    int64_t beyond_, cap_;
    std::array<std::optional<std::vector<int64_t>>, kRunKeys> beyonds_;  // by key
  };

 private:
  struct Past {
    int64_t run, estimate;
  };
  struct Ring {
    std::vector<Past> jobs;
    size_t next = 0;  // that is overwritten once it is full
  };

  // Returns the run times of a key beyond `beyond`, as of a job of the kind.
  std::vector<int64_t> Beyond(uint32_t level, const Kind& kind, int64_t beyond) const;

  HashMap<RunKey, Ring> rings_;
};

}  // namespace muster

#endif  // MUSTER_POLICY_RUN_BOUNDS_H_
