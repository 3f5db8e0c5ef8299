// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tries changes for one job, or for a task without a job: each trial makes them in a clone of the
// cluster and runs a cycle.
//
//   Trials trials(cluster, "volcano", "train", options);
//   const Trials::Outcome outcome = trials.Try(changes);
//   if (outcome.helps()) ...
#ifndef MUSTER_ADVICE_TRIALS_H_
#define MUSTER_ADVICE_TRIALS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/advice/executor_of.h"
#include "lib/model/tables.h"
#include "muster/cluster.h"
#include "muster/remedy.h"

namespace muster {

// Returns how many tasks the plan places or leaves waiting. Each may go to a node that joins, so no
// more new nodes can help.
// REQUIRES: the plan is of a snapshot with these tables.
int64_t TriedIn(const Tables& tables, const Plan& plan);

class Trials {
 public:
  struct Outcome {
    int64_t starts = 0, waiting = 0, evictions = 0;
    int64_t others = 0;                     // other tasks that start
    int64_t least = 1;                      // as AskFor
    std::vector<std::string> evicted = {};  // names of tasks that are evicted, those by count not
    // Nothing of the job waits, and no fewer tasks than `least` start: all that waited, or one or
    // more of a job that may be admitted in part. Tasks by count, and all tasks under a profile
    // that places none, start by being admitted.
    bool helps() const { return starts >= least && waiting == 0; }
  };

  // `name` is a job's, or that of a task without a job. All must outlive this.
  Trials(const Cluster& cluster, std::string_view profile, std::string_view name,
         const RemedyOptions& options)
      : cluster_(cluster), profile_(profile), name_(name), options_(options) {}

  // Makes these changes before those of each trial, from now on.
  void Assume(std::vector<WhatIfChange> changes) { assumed_ = std::move(changes); }

  // Lets help, from now on, only what starts so many tasks of the job: 1 or more. Before: 1.
  void AskFor(int64_t least) { least_ = least; }

  // Changes that the cluster refuses, and trials beyond the limit, start nothing.
  Outcome Try(std::span<const WhatIfChange> changes) { return Try(changes, profile_); }
  Outcome Try(std::span<const WhatIfChange> changes, std::string_view profile);
  bool Helps(std::span<const WhatIfChange> changes) { return Try(changes).helps(); }
  // The same beyond the limit: what is returned to the caller is made once more as it is returned.
  Outcome Confirm(std::span<const WhatIfChange> changes, std::string_view profile) const;

  // Returns trials that begin where these are and count by themselves, for another thread.
  Trials Fork() const { return *this; }
  // Returns whether those that a fork made, which began where `begun` were made, would have been
  // made of these, too: they then count as made. If not, they have to be made here.
  bool Join(const Trials& fork, int64_t begun) {
    const int64_t more = fork.made_ - begun;
    if (made_ + more > options_.trials) return false;
    made_ += more;
    return true;
  }

  // The outcome of the job in a plan of a snapshot under the profile.
  Outcome Judge(const Snapshot& snapshot, const Plan& plan, std::string_view profile) const;

  int64_t made() const { return made_; }
  // Null: all trials stay on the calling thread.
  Executor* executor() const { return ExecutorOf(options_.executor, options_.schedule); }

 private:
  const Cluster& cluster_;
  const std::string_view profile_, name_;
  const RemedyOptions& options_;
  std::vector<WhatIfChange> assumed_;
  int64_t made_ = 0, least_ = 1;
};

}  // namespace muster

#endif  // MUSTER_ADVICE_TRIALS_H_
