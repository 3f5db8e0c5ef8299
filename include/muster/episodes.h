// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Episodes: stretches of a trace in which the caller decides, step by step. A learning agent plays
// them.
//
//   absl::StatusOr<muster::Episodes> episodes =
//       muster::Episodes::Make(trace, {.jobs = 256, .places = 16}, /*count=*/64);
//   episodes->Reset(e, first);                     // episode e plays the jobs from this row on
//   muster::Episodes::Outcome outcome = episodes->Act(e, action);
//   episodes->Look(e, jobs, machine, mask);        // the next observation of the agent
//
// An agent answers one of two questions. On a pool: which job is next? Action i starts the i-th
// oldest waiting job. On nodes: which node? Jobs start by submission, and action i places the next
// task of the first waiting job on node i; the job starts when all its tasks have a node. A node
// fits by requests and by the labels that the task selects.
// The action after these, `choices()`, waits for the next submission or end. On nodes it also takes
// back the nodes that the first job has so far. Time goes on by itself while no job waits.
// The reward of an action is minus the growth of the jobs' slowdowns meanwhile, over the number of
// jobs. The rewards of an episode add up to minus the mean of wait / max(run, 10 s).
//
// Promises. An episode is a pure function of its trace and its actions. Ends of an instant come
// before its submissions. An agent that always starts the first job, and waits while that does not
// fit, makes the starts of the batch policy fcfs.
// Failures. Make fails with InvalidArgument. A forbidden action is no failure: the episode waits,
// or takes the first allowed action where there is nothing left to wait for.
// Ownership. The episodes share the trace.
// Threads. One thread at a time uses an Episodes. Several may share one trace.
// Cost. On a pool, waiting costs O(waiting jobs) and a look O(places). On nodes, a look costs
// O(nodes * resources).
#ifndef MUSTER_EPISODES_H_
#define MUSTER_EPISODES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

// What is decided in an episode, and how long it is.
struct EpisodeOptions {
  // True: the question is which node. False: which job.
  bool nodes = false;
  // Of an episode; 1 or more.
  int64_t jobs = 256;
  // Waiting jobs that are shown, where the question is which job; 1 or more.
  int64_t places = 16;
};

// Several episodes of one trace, side by side.
class MUSTER_EXPORT Episodes {
 public:
  // Makes `count` episodes, each at row 0. Fails where the trace has the other kind of machine, or
  // where fewer jobs than options.jobs fit the empty machine.
  // REQUIRES: CheckTrace accepts the trace.
  static absl::StatusOr<Episodes> Make(std::shared_ptr<const Trace> trace,
                                       const EpisodeOptions& options, size_t count);
  ~Episodes();
  // A moved-from object can only be assigned to and destroyed.
  Episodes(Episodes&& other) noexcept;
  Episodes& operator=(Episodes&& other) noexcept;

  // Returns the rows of the trace that fit the empty machine, by submission.
  const std::vector<uint32_t>& rows() const;
  // Returns the number of episodes.
  size_t count() const;
  // Returns the number of actions besides waiting: places, or nodes.
  size_t choices() const;
  // Returns how many numbers describe a waiting job.
  size_t job_features() const;
  // Returns how many numbers describe the pool, or each node: two a resource.
  size_t machine_features() const;

  // Begins episode e anew with the jobs from rows()[first] on; a `first` too late for a whole
  // episode is the last that is not. REQUIRES: e < count().
  void Reset(size_t e, size_t first);

  // What one step led to.
  struct Outcome {
    // Minus the growth of slowdowns until the next decision, over the number of jobs.
    double reward = 0;
    // True: all jobs of the episode have started.
    bool over = false;
    // False: the mask forbade the action.
    bool allowed = false;
  };
  // Makes one step. REQUIRES: e < count(), !over(e), action <= choices().
  Outcome Act(size_t e, size_t action);
  // Returns whether all jobs of the episode have started.
  bool over(size_t e) const;

  // Writes the observation of the agent. docs/capi.md defines the numbers.
  //   jobs     job_features() numbers for each place; on nodes, for the first waiting job only
  //   machine  machine_features() numbers for the pool, or for each node
  //   mask     choices() + 1 numbers: 1 where the action is allowed, else 0
  void Look(size_t e, float* jobs, float* machine, int8_t* mask) const;

  // Returns when each job of the episode started; kAbsent where it has not.
  const std::vector<int64_t>& starts(size_t e) const;

 private:
  struct Impl;
  explicit Episodes(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster

#endif  // MUSTER_EPISODES_H_
