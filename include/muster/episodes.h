// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Stretches of a trace in which somebody outside decides, step by step: what an agent that learns plays.
//
//   absl::StatusOr<Episodes> episodes = Episodes::Make(trace, {.jobs = 256, .places = 16}, /*count=*/64);
//   episodes->Reset(e, first);                             // episode e plays the jobs from row `first` of rows() on
//   Episodes::Outcome outcome = episodes->Act(e, action);
//   episodes->Look(e, jobs, machine, mask);
//
// Two questions can be asked of the agent.
//   Which job is next? On a pool. An action is a place among the oldest waiting jobs, which starts; or the number of
//   places, which waits.
//   Which node? On nodes. Jobs go in order of submission; an action is the row of the node that the next task of the first
//   waiting job gets. A job starts when its last task has its node. The action after the nodes waits, and takes back the
//   nodes that the job has so far. A node fits by requests and by the labels the task selects.
// To wait is to go on to the next submission or end. What the mask forbids counts as waiting, or, where nothing is left to
// wait for, as the first thing that is allowed. Where nobody waits there is nothing to decide, and time goes on by itself.
// The reward is minus what slowdowns grew by while jobs waited, over the number of jobs: an episode's rewards add up to minus
// the mean of wait / max(run, 10 s).
//
// Guarantee. A pure function of the actions. Ends of an instant come before submissions, as the agent sees only what came
// of both; whoever always starts the first job in line, or waits while it does not fit, makes fcfs's starts.
// Cost. Pool: O(waiting) a wait, O(places) a look. Nodes: O(nodes * resources) a look.
#ifndef MUSTER_EPISODES_H_
#define MUSTER_EPISODES_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

struct EpisodeOptions {
  bool nodes = false;   // the question is which node
  int64_t jobs = 256;   // of an episode
  int64_t places = 16;  // waiting jobs that are shown, where the question is which job
};

class MUSTER_EXPORT Episodes {
 public:
  // Refuses a trace of the other kind of machine, and numbers that leave nothing to decide.
  static absl::StatusOr<Episodes> Make(std::shared_ptr<const Trace> trace,
                                       const EpisodeOptions& options, size_t count);

  // Rows of the trace by submission, without jobs that the empty machine has no room for.
  const std::vector<uint32_t>& rows() const { return rows_; }
  size_t count() const { return episodes_.size(); }
  // Actions but that of waiting: places, or nodes.
  size_t choices() const { return options_.nodes ? nodes_ : static_cast<size_t>(options_.places); }
  // Numbers that describe a waiting job, and the machine (a pool: one; each node: two a resource).
  size_t job_features() const { return options_.nodes ? resources_ + 3 : 3; }
  size_t machine_features() const { return options_.nodes ? 2 * resources_ : 1; }

  void Reset(size_t e, size_t first);
  struct Outcome {
    double reward = 0;
    bool over = false;     // all jobs of the episode have started
    bool allowed = false;  // the mask allowed the action
  };
  // REQUIRES: the episode is not over; 0 <= action <= choices().
  Outcome Act(size_t e, size_t action);
  bool over(size_t e) const { return episodes_[e].waiting.empty(); }
  // Writes job_features() numbers for each place (one, where the question is which node), machine_features() for the pool or
  // each node, and choices() + 1 times whether an action is allowed.
  void Look(size_t e, float* jobs, float* machine, int8_t* mask) const;
  // By job of the episode: when it started; kAbsent while it has not.
  const std::vector<int64_t>& starts(size_t e) const { return episodes_[e].starts; }

 private:
  struct Episode {
    size_t first = 0, next = 0, end = 0;  // into rows_
    int64_t now = 0, free = 0;
    std::deque<size_t> waiting;
    std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>,
                        std::greater<>>
        ends;
    std::vector<int64_t> idle;              // by node and resource
    std::vector<uint32_t> chosen;           // nodes of the first job's tasks so far
    std::vector<std::vector<uint32_t>> on;  // nodes, by job of the episode
    std::vector<int64_t> starts;
  };

  Episodes(std::shared_ptr<const Trace> trace, const EpisodeOptions& options)
      : trace_(std::move(trace)), options_(options) {}
  void ReadMachine();
  bool FitsEmpty(uint32_t row) const;
  bool Fits(const Episode& episode, uint32_t row, size_t node) const;
  bool MayWait(const Episode& episode) const {
    return !episode.ends.empty() || episode.next < episode.end;
  }
  bool Allows(const Episode& episode, size_t action) const;
  void Choose(Episode* episode, size_t action);
  void Start(Episode* episode, size_t place);
  void Hold(Episode* episode, uint32_t row, uint32_t node, int sign);
  double Wait(Episode* episode);
  void Arrive(Episode* episode);
  void LookAtPool(const Episode& episode, float* jobs, float* machine) const;
  void LookAtNodes(const Episode& episode, float* jobs, float* machine) const;
  float Estimate(uint32_t row) const;

  std::shared_ptr<const Trace> trace_;
  EpisodeOptions options_;
  std::vector<uint32_t> rows_;
  size_t nodes_ = 0, resources_ = 0;
  std::vector<int64_t> capacity_;  // by node and resource
  std::vector<int64_t> most_;      // by resource: the largest node's
  std::vector<int64_t> requests_;  // by shape and resource
  std::vector<uint8_t> may_;       // by shape and node: labels and resources are there at all
  std::vector<Episode> episodes_;
};

}  // namespace muster

#endif  // MUSTER_EPISODES_H_
