// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// conservative on a pool: every waiting job is promised a start, and none delays a promise made
// before.
//
// Idea (Mu'alem and Feitelson, TPDS 2001). The availability of processors over time is a step
// function of what running jobs hold until their estimated ends and what waiting jobs are promised.
// A new job is promised the earliest window it fits into. When a job ends before its estimate, the
// promises are visited in order: each is taken back and made again at the earliest time, which is
// never later than before. A job starts when its time has come.
//
// Guarantee. reservations=kept: with estimates no shorter than run times, no job starts later than
// it was promised when it was submitted. An estimate that proves too short (last_two) breaks
// promises; all are then made anew, in order. reservations=afresh makes all anew at every pass, as
// schedulers do that keep nothing between passes. In rare cases a job then moves back because
// others moved forward.
//
// Ties. Equal orders go by submission; jobs with a start that is due start in order.
//
// Cost. A submission walks the steps, one for each running or waiting job; an early end does so for
// each waiting job. Jobs are searched for due starts only when the earliest promise is due.
#include <algorithm>
#include <memory>
#include <vector>

#include "lib/replay/availability.h"
#include "lib/replay/pool.h"

namespace muster {
namespace {

class Conservative : public PoolPolicy {
 public:
  Conservative(Pool* pool, const BatchSpec& spec, ReplayResult* result)
      : pool_(*pool),
        spec_(spec),
        result_(*result),
        free_(pool->processors()),
        promised_(result->submit.size(), kAbsent) {
    result_.backfilled.assign(result_.submit.size(), 0);
  }

  void Resumed() override { PromiseAnew(); }

  void Submitted(uint32_t job) override {
    if (job >= promised_.size()) promised_.resize(job + 1, kAbsent);
    ++result_.passes;
    const uint32_t number = submitted_++;
    waiting_.Insert({pool_.key(job), number, job, pool_.size(job), pool_.estimate(job)});
    // What was released by its estimate alone changes no promise: the promises already counted on
    // it.
    if (spec_.keep_reservations) {
      Promise(job, pool_.estimate(job), pool_.size(job));
    } else {
      PromiseAnew();
    }
    StartDue();
  }

  void Released(uint32_t job) override {
    // At its estimated end there is nothing to give back.
    if (pool_.now() < pool_.estimated_end(job)) {
      free_.Give(pool_.now(), pool_.estimated_end(job), pool_.size(job));
      early_ = true;
    }
  }

  void Corrected(uint32_t job, int64_t before) override {
    free_.Take(before, pool_.estimated_end(job), pool_.size(job));
    broken_ = true;
  }

  void Terminated(uint32_t) override {
    ++result_.passes;
    free_.Forget(pool_.now());
    if (broken_ || !spec_.keep_reservations) {
      PromiseAnew();
    } else if (early_) {
      Compress();
    }
    early_ = false;
    StartDue();
  }

 private:
  using Entry = ChunkList::Entry;

  template <class Visit>
  void ForWaiting(Visit visit) {
    pool_.Spend(waiting_.size());
    for (size_t at = 0; at < waiting_.chunks(); ++at) {
      for (size_t i = 0; i < waiting_.chunk(at).size; ++i) visit(waiting_.chunk(at).entries[i]);
    }
  }

  void Promise(uint32_t job, int64_t estimate, int64_t processors) {
    const int64_t start = free_.EarliestFit(pool_.now(), estimate, processors);
    promised_[job] = start;
    next_due_ = std::min(next_due_, start);
    free_.Take(start, start + estimate, processors);
  }

  void Compress() {
    ForWaiting([this](const Entry& e) {
      const int64_t before = promised_[e.job];
      if (before <= pool_.now()) return;
      free_.Give(before, before + e.estimate, e.processors);
      Promise(e.job, e.estimate, e.processors);
    });
  }

  void PromiseAnew() {
    broken_ = false;
    free_ = Availability(pool_.processors());
    const ChunkList& running = pool_.running();
    for (size_t at = 0; at < running.chunks(); ++at) {
      const ChunkList::Chunk& chunk = running.chunk(at);
      for (size_t i = 0; i < chunk.size; ++i) {
        free_.Take(pool_.now(), chunk.entries[i].key, chunk.entries[i].processors);
      }
    }
    ForWaiting([this](const Entry& e) { Promise(e.job, e.estimate, e.processors); });
  }

  void StartDue() {
    if (next_due_ > pool_.now()) return;
    next_due_ = kNever;
    bool first = true;
    for (size_t at = 0; at < waiting_.chunks(); ++at) {
      size_t size = waiting_.chunk(at).size;
      for (size_t i = 0; i < size;) {
        const Entry entry = waiting_.chunk(at).entries[i];
        // A broken promise may be due while there is no room for it.
        if (promised_[entry.job] > pool_.now() || entry.processors > pool_.free()) {
          first = false;
          next_due_ = std::min(next_due_, promised_[entry.job]);
          ++i;
          continue;
        }
        result_.backfilled[entry.job] = !first;
        const int64_t promised_end = promised_[entry.job] + entry.estimate;
        waiting_.Erase(at, i);
        if (--size == 0) --at;
        pool_.Start(entry.job);
        free_.Take(promised_end, pool_.estimated_end(entry.job), entry.processors);
      }
    }
  }

  Pool& pool_;
  const BatchSpec spec_;
  ReplayResult& result_;
  Availability free_;
  std::vector<int64_t> promised_;
  int64_t next_due_ = kNever;  // no promise to a waiting job is for an earlier time
  ChunkList waiting_;
  uint32_t submitted_ = 0;
  bool early_ = false, broken_ = false;
};

}  // namespace

std::unique_ptr<PoolPolicy> MakeConservative(Pool* pool, const BatchSpec& spec,
                                             ReplayResult* result) {
  return std::make_unique<Conservative>(pool, spec, result);
}

}  // namespace muster
