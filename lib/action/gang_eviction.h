// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What gangpreempt and gangreclaim share: from a starving gang to victims and places for all of it, or to nothing.
//
//   1. Tasks that may go are sorted into bundles (gang_bundles.h): what their gangs can spare, and the rest of them.
//   2. Bundles are ordered - spared ones first - and the policies are asked about all their tasks at once. A spared
//      bundle keeps those that may go, a whole one is dropped unless all may.
//   3. Bundle after bundle joins the victims. Whenever the sum over all nodes would cover the gang's need the whole
//      of it is tried: all victims so far are evicted, and each pending task looks for its node. If the job is then
//      pipelined the trial stands, else it is undone and the next bundle joins.
// Evictions are as many as the bundles hold: none is spared for being needless.
#ifndef MUSTER_ACTION_GANG_EVICTION_H_
#define MUSTER_ACTION_GANG_EVICTION_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/action/context.h"
#include "lib/action/gang_bundles.h"
#include "lib/action/role_memory.h"

namespace muster {

extern const std::span<const OptionDecl> kGangEvictionOptions;

class GangEviction {
 public:
  GangEviction(ActionContext& context, const Options& options, std::string_view name,
               bool from_other_queues);
  virtual ~GangEviction() = default;
  void Run();

 protected:
  // Whether the queue's jobs get a turn.
  virtual bool MayAsk(QueueIndex queue) { return true; }
  // Whether the job may take that much. False: it was explained.
  virtual bool MayTake(JobIndex job, std::span<const int64_t> request) { return true; }
  virtual bool IsCandidate(JobIndex job, TaskIndex victim) const = 0;
  // Negative: for `job`, tasks of `a` go before those of `b`, of the same kind; 0: their worth decides.
  virtual int CompareVictims(JobIndex job, JobIndex a, JobIndex b) const = 0;

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  const std::string_view name_;

 private:
  void ForJob(JobIndex job);
  std::vector<TaskIndex> Wanting(JobIndex job) const;
  std::vector<Bundle> Bundles(JobIndex job, std::span<const int64_t> need);
  bool Try(JobIndex job, std::span<const TaskIndex> pending, std::span<const TaskIndex> victims);
  std::optional<Reason> PlaceAll(JobIndex job, TaskIndex first, TaskQueue rest);
  NodeIndex NodeFor(TaskIndex task);
  void Explain(JobIndex job, Reason reason);

  const bool from_other_queues_, whole_gangs_, error_cache_;
  RoleMemory memory_;  // of one trial
};

}  // namespace muster

#endif  // MUSTER_ACTION_GANG_EVICTION_H_
