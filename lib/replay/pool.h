// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The event loop of a pool of equal processors, and the books that batch policies share.
//
// Events go by (time, kind, insertion): corrections of estimates, submissions, terminations. Before
// anything else at a time, jobs with an estimated end at that time count as having given their
// processors back, even where their termination comes later in that order. That is a detail of the
// simulator behind published tables, and 2,063,304 recorded starts pin it.
#ifndef MUSTER_REPLAY_POOL_H_
#define MUSTER_REPLAY_POOL_H_

#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "lib/replay/arrivals.h"
#include "lib/replay/batch_spec.h"
#include "lib/replay/chunk_list.h"
#include "lib/replay/estimates.h"
#include "muster/replay.h"

namespace muster {

// The pool as policies read it. Jobs are rows of the trace.
class Pool {
 public:
  explicit Pool(const Trace& trace);

  int64_t processors() const { return processors_; }
  int64_t free() const { return free_; }
  int64_t now() const { return now_; }
  int64_t size(uint32_t job) const { return trace_.tasks[job]; }
  int64_t estimate(uint32_t job) const { return estimate_[job]; }
  // The place of a job in the order of the policy, fixed when it was submitted: smaller first.
  int64_t key(uint32_t job) const { return key_[job]; }
  int64_t estimated_end(uint32_t job) const { return start_[job] + estimate_[job]; }
  // Jobs that hold processors, by estimated end and row.
  const ChunkList& running() const { return running_; }

  void Start(uint32_t job);
  // Adds the cost of an event beyond its own. It counts for the calls that ask whether to go on.
  void Spend(size_t jobs_looked_at) { spent_ += jobs_looked_at; }

 private:
  friend class PoolLoop;
  friend class PoolFuture;
  struct Termination {
    int64_t time;
    uint32_t number, job;  // by start
    bool operator>(const Termination& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  const Trace& trace_;
  const int64_t processors_;
  int64_t free_, now_ = 0;
  std::vector<int64_t> start_, estimate_, key_;
  ChunkList running_;
  std::priority_queue<Termination, std::vector<Termination>, std::greater<Termination>>
      terminations_;
  std::vector<uint32_t> started_;  // since the loop looked last
  size_t spent_ = 0;               // since the last call that asked whether to go on
  uint32_t starts_ = 0;
};

class PoolPolicy {
 public:
  virtual ~PoolPolicy() = default;
  virtual void Submitted(uint32_t job) = 0;
  // The pool has jobs that run, and none was submitted yet.
  virtual void Resumed() {}
  // The job gave its processors back: at its estimated end, or when it ended before that.
  virtual void Released(uint32_t job) = 0;
  virtual void Terminated(uint32_t job) = 0;  // after Released, when its event comes
  // A running job's estimated end was `before` and is later now.
  virtual void Corrected(uint32_t job, int64_t before) = 0;
};

std::unique_ptr<PoolPolicy> MakeFcfs(Pool* pool, const BatchSpec& spec, ReplayResult* result);
std::unique_ptr<PoolPolicy> MakeEasy(Pool* pool, const BatchSpec& spec, ReplayResult* result);
std::unique_ptr<PoolPolicy> MakeConservative(Pool* pool, const BatchSpec& spec,
                                             ReplayResult* result);
// Makes the one of them that the spec names.
std::unique_ptr<PoolPolicy> MakePoolPolicy(Pool* pool, const BatchSpec& spec, ReplayResult* result);

// What a replay gave each job when it was submitted; 0 for those that never were.
struct PoolColumns {
  std::vector<int64_t> estimate, order_estimate, key;
};

// `columns` (may be null) is filled.
ReplayResult ReplayPool(const Trace& trace, const BatchSpec& spec, const ReplayOptions& options,
                        PoolColumns* columns = nullptr);

}  // namespace muster

#endif  // MUSTER_REPLAY_POOL_H_
