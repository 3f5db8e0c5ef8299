// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tries changes for one job: each trial makes them in a clone of the cluster and runs a cycle.
//
//   Trials trials(cluster, "volcano", "train", options);
//   const Trials::Outcome outcome = trials.Try(changes);
//   if (outcome.helps()) ...
#ifndef MUSTER_ADVICE_TRIALS_H_
#define MUSTER_ADVICE_TRIALS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "muster/cluster.h"
#include "muster/remedy.h"

namespace muster {

// Returns the smallest number from 1 to `most` that helps; nothing if `most` does not help. The
// search doubles and halves, as if all numbers above one that helps would help, too; what it
// returns was asked for.
std::optional<int64_t> Smallest(int64_t most, const std::function<bool(int64_t)>& helps);

class Trials {
 public:
  struct Outcome {
    int64_t starts = 0, waiting = 0, evictions = 0;
    int64_t others = 0;  // tasks of other jobs that start
    // All of the job starts that waited.
    bool helps() const { return starts > 0 && waiting == 0; }
  };

  // All must outlive this.
  Trials(const Cluster& cluster, std::string_view profile, std::string_view job,
         const RemedyOptions& options)
      : cluster_(cluster), profile_(profile), job_(job), options_(options) {}

  // Changes that the cluster refuses, and trials beyond the limit, start nothing.
  Outcome Try(std::span<const WhatIfChange> changes) { return Try(changes, profile_); }
  Outcome Try(std::span<const WhatIfChange> changes, std::string_view profile);
  bool Helps(std::span<const WhatIfChange> changes) { return Try(changes).helps(); }
  // The same beyond the limit: what is returned to the caller is made once more as it is returned.
  Outcome Confirm(std::span<const WhatIfChange> changes, std::string_view profile) const;

  // The outcome of the job in a plan of a snapshot.
  Outcome Judge(const Snapshot& snapshot, const Plan& plan) const;

  int64_t made() const { return made_; }

 private:
  const Cluster& cluster_;
  const std::string_view profile_, job_;
  const RemedyOptions& options_;
  int64_t made_ = 0;
};

}  // namespace muster

#endif  // MUSTER_ADVICE_TRIALS_H_
