// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One future of a pool under a batch policy: what becomes of the jobs that run and wait, if they
// run so long and others are submitted so.
//
//   PoolFuture future(/*processors=*/100, spec, now, jobs, arrivals);
//   future.Play(/*target=*/jobs.size() - 1, /*most_events=*/100000);
//   const int64_t start = future.start(jobs.size() - 1);
//
// The loop is that of pool.h, from a state in the middle: the same policies decide. Two things are
// forgotten that a replay knows: promises of conservative with reservations=kept are made anew, and
// a guess that a running job outlives grows by a quarter, and by a minute or more.
//
// Cost. That of a replay of the jobs, until the target has started.
#ifndef MUSTER_REPLAY_POOL_FUTURE_H_
#define MUSTER_REPLAY_POOL_FUTURE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "lib/replay/batch_spec.h"
#include "lib/replay/pool.h"

namespace muster {

struct FutureJob {
  int64_t processors = 1;
  int64_t run = 1;          // in this future
  int64_t estimate = 1;     // that the policy reads
  int64_t cap = kEndless;   // no guess is above it
  int64_t key = 0;          // its place in the order of the policy
  int64_t start = kAbsent;  // kAbsent: it waits
};

// A submission to come.
struct FutureArrival {
  int64_t time = kNever;  // kNever: there is none
  FutureJob job = {};
};

// Returns the guess that follows one which a job outlived.
int64_t NextGuess(int64_t estimate, int64_t cap);

class PoolFuture {
 public:
  // `jobs`: those that run, and those that wait, by submission. `arrivals` returns the next
  // submission, by time from `now` on.
  PoolFuture(int64_t processors, const BatchSpec& spec, int64_t now,
             const std::vector<FutureJob>& jobs, std::function<FutureArrival()> arrivals);

  // Plays until `target` has started, or all of the jobs if it is kNone, or so many events are
  // over. Returns the number of events.
  int64_t Play(uint32_t target, int64_t most_events);
  // kAbsent: it has not started.
  int64_t start(uint32_t job) const { return pool_.start_[job]; }
  // The time of the last event.
  int64_t now() const { return pool_.now_; }

 private:
  uint32_t Add(const FutureJob& job);
  void Enter(const std::vector<FutureJob>& jobs, int64_t now, bool by_key);
  void Arrive();
  void Terminate();
  void ReleaseByEstimate();
  void Release(uint32_t job);
  void Correct();
  void NoteStarts();
  void WatchEstimate(uint32_t job);

  Trace rows_;  // the columns that the pool reads
  Pool pool_;
  ReplayResult result_;
  std::unique_ptr<PoolPolicy> policy_;
  std::function<FutureArrival()> arrivals_;
  FutureArrival next_;
  std::vector<int64_t> cap_;
  std::vector<uint8_t> released_;
  std::priority_queue<Pool::Termination, std::vector<Pool::Termination>,
                      std::greater<Pool::Termination>>
      corrections_;
  uint32_t inserted_ = 0;
  uint32_t given_ = 0;    // jobs that were there at the beginning
  uint32_t waiting_ = 0;  // of those: that have not started
};

}  // namespace muster

#endif  // MUSTER_REPLAY_POOL_FUTURE_H_
