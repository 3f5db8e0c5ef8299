// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What gangpreempt and gangreclaim share: from a starving gang to victims and places for all of it,
// or to nothing.
//
// 1. Candidate domains are those that the policies offer for making room, the widest first, at most
//    `max_domains`. The whole cluster is the only candidate where they offer none and nothing of
//    the job is bound to domains. The next steps are done in one domain after the other until they
//    succeed.
// 2. Tasks of the domain that may go are sorted into victim sets (gang_victims.h): what their gangs
//    can spare, and the rest of them.
// 3. Sets are ordered, spared ones first, and the policies judge all their tasks at once. A spared
//    set keeps those that may go; a whole one is dropped unless all may.
// 4. Set after set joins the victims. Whenever the sum over the domain's nodes would cover the
//    gang's need, a trial evicts all victims so far and places the pending tasks, sub-group after
//    sub-group. A sub-group of a job bound to domains goes to the first of the domains offered to
//    it below this one where all of it finds places; any other goes anywhere in this one.
// 5. If the job is then pipelined, or was ready before and one sub-group is placed, the trial
//    stands. Else it is undone and the next set joins.
// All tasks of the sets are evicted: none is spared for being needless.
#ifndef MUSTER_PEER_VOLCANO_ACTION_GANG_EVICTION_H_
#define MUSTER_PEER_VOLCANO_ACTION_GANG_EVICTION_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/part/context.h"
#include "lib/part/group_sheet.h"
#include "lib/peer/volcano/action/gang_victims.h"
#include "lib/peer/volcano/action/role_memory.h"
#include "muster/policy.h"

namespace muster {

extern const std::span<const OptionDecl> kGangEvictionOptions;

class GangEviction {
 public:
  GangEviction(ActionContext& context, const Options& options, std::string_view name,
               bool from_other_queues);
  virtual ~GangEviction() = default;
  void Run();

 protected:
  // Returns whether the queue's jobs get a turn.
  virtual bool MayAsk(QueueIndex queue) { return true; }
  // Returns whether the job may take that much. If it returns false, it has set the reason.
  virtual bool MayTake(JobIndex job, std::span<const int64_t> request) { return true; }
  virtual bool IsCandidate(JobIndex job, TaskIndex victim) const = 0;
  // Returns a negative number if, for `job`, tasks of `a` go before those of `b`, of the same kind;
  // 0: their worth decides.
  virtual int CompareVictims(JobIndex job, JobIndex a, JobIndex b) const = 0;

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  const std::string_view name_;

 private:
  void ForJob(JobIndex job);
  std::vector<TaskIndex> Wanting(JobIndex job) const;
  std::vector<uint32_t> CandidateDomains(JobIndex job) const;
  // Returns whether the job got places in the domain. `tried`: there were victims that might have
  // been enough.
  bool InDomain(JobIndex job, uint32_t domain, const GroupSheet& sheet, TaskIndex first,
                std::span<const int64_t> need, bool* tried);
  std::vector<VictimSet> VictimSets(JobIndex job, uint32_t domain, std::span<const int64_t> need);
  bool Try(JobIndex job, uint32_t domain, const GroupSheet& sheet, TaskIndex first,
           std::span<const TaskIndex> victims);
  std::optional<Reason> PlaceAll(JobIndex job, uint32_t domain, GroupSheet sheet, bool was_ready);
  std::optional<Reason> PlaceGroup(const SubGroup& group, uint32_t domain, TaskQueue tasks);
  NodeIndex NodeFor(TaskIndex task, uint32_t domain);
  void Explain(JobIndex job, Reason reason);

  const bool from_other_queues_, whole_gangs_, error_cache_;
  const size_t max_domains_;
  RoleMemory memory_;  // of one trial
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_GANG_EVICTION_H_
