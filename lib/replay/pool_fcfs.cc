// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// fcfs on a pool: in order, and the first that does not fit holds up the rest.
//
// With order=sjf and its like, the first of that order. Cost: O(log waiting) an event.
#include <memory>

#include "lib/replay/pool.h"

namespace muster {
namespace {

class Fcfs : public PoolPolicy {
 public:
  Fcfs(Pool* pool, const BatchSpec& spec, ReplayResult* result)
      : pool_(*pool), spec_(spec), result_(*result) {}

  void Submitted(uint32_t job) override {
    waiting_.Insert({pool_.key(job), submitted_++, job, pool_.size(job), pool_.estimate(job)});
    Pass();
  }
  void Released(uint32_t) override {}
  void Corrected(uint32_t, int64_t) override {}
  void Terminated(uint32_t) override { Pass(); }

 private:
  void Pass() {
    ++result_.passes;
    while (!waiting_.empty() && waiting_.front().processors <= pool_.free()) {
      const uint32_t job = waiting_.front().job;
      waiting_.Erase(0, 0);
      pool_.Start(job);
    }
  }

  Pool& pool_;
  const BatchSpec spec_;
  ReplayResult& result_;
  ChunkList waiting_;
  uint32_t submitted_ = 0;
};

}  // namespace

std::unique_ptr<PoolPolicy> MakeFcfs(Pool* pool, const BatchSpec& spec, ReplayResult* result) {
  return std::make_unique<Fcfs>(pool, spec, result);
}

}  // namespace muster
