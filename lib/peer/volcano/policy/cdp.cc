// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// cdp: a task that has only just begun is not evicted.
//
// Promise. A running task that is protected until some later time is no victim before it.
// Peer. Volcano's cooldown protection plugin: the time is that of the pod's scheduling and its
// cooldown together. Tasks that are bound and do not run yet are not protected.
// Ties. None. Cost. O(candidates).
#include "lib/extension/alike_evictors.h"
#include "lib/extension/cycle.h"
#include "lib/peer/volcano/policies.h"

namespace muster {
namespace {

class Cooldown : public Policy, public VictimPolicy, public AlikeEvictors {
 public:
  std::string_view name() const override { return "cdp"; }
  PointSet points() const override { return {Point::kPreemptable, Point::kReclaimable}; }
  Traits traits() const override {
    Traits traits;
    traits.judges_in_order = true;
    return traits;
  }
  VictimPolicy* victims() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    now_ = cycle.now();
  }

  Vote Preemptable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return LeaveProtected(candidates, chosen);
  }
  Vote Reclaimable(TaskIndex, std::span<const TaskIndex> candidates,
                   std::vector<TaskIndex>* chosen) override {
    return LeaveProtected(candidates, chosen);
  }

 private:
  Vote LeaveProtected(std::span<const TaskIndex> candidates, std::vector<TaskIndex>* chosen) {
    for (TaskIndex t : candidates) {
      const bool runs = tables_->tasks.status[t] == TaskStatus::kRunning;
      const int64_t until = tables_->tasks.protected_until[t];
      if (!runs || until == kAbsent || until <= now_) chosen->push_back(t);
    }
    return Vote::kPermit;
  }

  const Tables* tables_ = nullptr;
  int64_t now_ = 0;
};

}  // namespace

PolicyDecl CooldownPolicy() {
  return {"cdp",
          "who has only just begun is not evicted",
          {},
          [](const Options&) -> std::unique_ptr<Policy> { return std::make_unique<Cooldown>(); }};
}

}  // namespace muster
