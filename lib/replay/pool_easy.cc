// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// easy on a pool: the head of the queue is promised a start, and others go ahead where that does
// not delay it.
//
// Idea (Lifka, JSSPP 1995). The head is the oldest job that waits, or with head=first the first of
// the policy's order. A pass starts jobs from the head of the queue while they fit. The first
// that does not is promised the earliest time, the shadow, at which enough running jobs will have
// ended by their estimates; `extra` processors are left over then. Any other waiting job may start
// now if it fits now and either ends by the shadow or takes no more than what is extra. The promise
// is made anew in every pass.
//
// Guarantee. With estimates that are no shorter than the run times, the head starts no later than
// it was promised.
//
// Peer. The simulator of the SC'15 study on run-time prediction, to the second (docs/replay.md
// lists the rules). The time at which a job would end is compared inclusively. A submission in fifo
// order leads to a pass only if the job would fit; a termination always does.
//
// Ties. Those of an order go by submission.
//
// Cost. Work without an effect is left out. After a pass no waiting job can start until something
// is given back or an estimate changes: free processors only shrink, the shadow stays, and ends
// move away from now. So a submission looks at the new job alone. A pass over the queue skips
// chunks if their smallest job is too large, and the shadow is computed only when a job needs it.
#include <memory>
#include <vector>

#include "lib/replay/pool.h"

namespace muster {
namespace {

class Easy : public PoolPolicy {
 public:
  Easy(Pool* pool, const BatchSpec& spec, ReplayResult* result)
      : pool_(*pool), spec_(spec), result_(*result) {
    result_.backfilled.assign(result_.submit.size(), 0);
  }

  void Submitted(uint32_t job) override {
    const uint32_t number = static_cast<uint32_t>(queue_.size());
    queue_.push_back(job);
    const bool fits = pool_.size(job) <= pool_.free();
    const Entry entry = {pool_.key(job), number, job, pool_.size(job), pool_.estimate(job)};
    if (settled_ && IsBehindHead(entry)) {
      ++result_.passes;
      if (fits && MayGoAhead(entry)) {
        GoAhead(entry);
        queue_[number] = kNone;
      } else {
        waiting_.Insert(entry);
      }
      return;
    }
    waiting_.Insert(entry);
    if (fits || spec_.order != BatchOrder::kFifo) Pass();
  }

  void Released(uint32_t) override { Unsettle(); }
  void Corrected(uint32_t, int64_t) override { Unsettle(); }
  void Terminated(uint32_t) override { Pass(); }

 private:
  using Entry = ChunkList::Entry;

  void Unsettle() { settled_ = shadow_known_ = false; }

  void Pass() {
    ++result_.passes;
    settled_ = true;
    shadow_known_ = false;
    while (FindHead() && pool_.size(queue_[head_]) <= pool_.free()) {
      const uint32_t job = queue_[head_];
      waiting_.Remove(pool_.key(job), static_cast<uint32_t>(head_));
      pool_.Start(job);
      queue_[head_] = kNone;
    }
    for (size_t at = 0; at < waiting_.chunks() && pool_.free() > 0; ++at) {
      const ChunkList::Chunk& chunk = waiting_.chunk(at);
      if (chunk.least > pool_.free()) continue;
      if (shadow_known_ && chunk.least > extra_ && pool_.now() + chunk.shortest > shadow_) continue;
      size_t size = chunk.size;
      for (size_t i = 0; i < size && waiting_.chunk(at).least <= pool_.free();) {
        const Entry entry = waiting_.chunk(at).entries[i];
        if (entry.processors > pool_.free() || entry.tie == head_ || !MayGoAhead(entry)) {
          ++i;
          continue;
        }
        GoAhead(entry);
        queue_[entry.tie] = kNone;
        waiting_.Erase(at, i);
        if (--size == 0) --at;  // the chunk is gone, and the next one has its place
      }
    }
  }

  // Returns whether a job waits; head_ is then its place.
  bool FindHead() {
    if (spec_.promises_first()) {
      head_ = waiting_.empty() ? queue_.size() : waiting_.front().tie;
    } else {
      while (head_ < queue_.size() && queue_[head_] == kNone) ++head_;
    }
    return head_ < queue_.size();
  }
  // Returns whether a job waits before this one, which was submitted last.
  bool IsBehindHead(const Entry& entry) const {
    if (head_ >= entry.tie || queue_[head_] == kNone) return false;
    return !spec_.promises_first() || entry.key >= pool_.key(queue_[head_]);
  }

  // REQUIRES: it fits now, and the head does not.
  bool MayGoAhead(const Entry& entry) {
    if (!shadow_known_) FindShadow();
    return pool_.now() + entry.estimate <= shadow_ || entry.processors <= extra_;
  }

  void GoAhead(const Entry& entry) {
    if (pool_.now() + entry.estimate > shadow_) extra_ -= entry.processors;
    result_.backfilled[entry.job] = 1;
    pool_.Start(entry.job);
  }

  // The earliest estimated end at which the head fits, with all jobs that end then.
  void FindShadow() {
    shadow_known_ = true;
    const ChunkList& running = pool_.running();
    const int64_t needed = pool_.size(queue_[head_]);
    int64_t sum = pool_.free();
    size_t at = 0;
    while (at < running.chunks() && sum + running.chunk(at).sum < needed) {
      sum += running.chunk(at++).sum;
    }
    shadow_ = kNever;
    for (; at < running.chunks(); ++at) {
      const ChunkList::Chunk& chunk = running.chunk(at);
      for (size_t i = 0; i < chunk.size; ++i) {
        if (sum >= needed && chunk.entries[i].key > shadow_) {
          extra_ = sum - needed;
          return;
        }
        sum += chunk.entries[i].processors;
        shadow_ = chunk.entries[i].key;
      }
    }
    extra_ = sum - needed;
  }

  Pool& pool_;
  const BatchSpec spec_;
  ReplayResult& result_;
  std::vector<uint32_t> queue_;  // all jobs by submission; kNone where they have started
  size_t head_ = 0;
  ChunkList waiting_;     // by the order; ties are places in the queue
  bool settled_ = false;  // nothing that waits can start as things are
  bool shadow_known_ = false;
  int64_t shadow_ = 0, extra_ = 0;
};

}  // namespace

std::unique_ptr<PoolPolicy> MakeEasy(Pool* pool, const BatchSpec& spec, ReplayResult* result) {
  return std::make_unique<Easy>(pool, spec, result);
}

}  // namespace muster
