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
//    stands. Else its placements are undone and the next set joins.
// All tasks of the sets are evicted: none is spared for being needless.
//
// What is not done again. Victims stay evicted from one trial of a domain to the next. Sets of the
// whole cluster are kept between gangs and listed as far as needed (kept_victims.h), where the
// policies' orders compare keys and their judgement of the first few tasks does not depend on the
// rest. Otherwise all sets are made and sorted for each gang. What the cluster has free is added up
// once (cluster_room.h). A task looks only at nodes with room, one of each state (room_later.h). Why
// a trial failed is found out only for the last one of a domain, which is made again for that:
// earlier reasons are replaced before anything reads them.
#ifndef MUSTER_PEER_VOLCANO_ACTION_GANG_EVICTION_H_
#define MUSTER_PEER_VOLCANO_ACTION_GANG_EVICTION_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/part/context.h"
#include "lib/part/group_sheet.h"
#include "lib/peer/volcano/action/cluster_room.h"
#include "lib/peer/volcano/action/gang_victims.h"
#include "lib/peer/volcano/action/kept_victims.h"
#include "lib/peer/volcano/action/role_memory.h"
#include "lib/peer/volcano/action/room_later.h"
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

  ActionContext& context_;
  const Tables& tables_;
  Ledger& ledger_;
  const Dispatcher& dispatcher_;
  const std::string_view name_;

 private:
  // A starving job, and what it takes.
  struct Gang {
    JobIndex job;
    GroupSheet sheet;
    TaskIndex first = kNone;
    std::vector<int64_t> need;
    bool was_ready;  // it requests one sub-group at a time
    bool partial;    // success may leave tasks of it pending, which then have the last reason
  };
  struct Trial {
    bool again;    // it repeats a trial: no work is counted
    bool explain;  // if it fails, `failure` is set
    Reason failure = Reason{ReasonKind::kGangUndone};
  };
  void ForJob(JobIndex job);
  std::vector<TaskIndex> Wanting(JobIndex job) const;
  std::vector<DomainIndex> CandidateDomains(JobIndex job) const;
  // Returns whether the job got places in the domain. Sets `*tried` if there were victims that
  // might have been enough.
  bool InDomain(const Gang& gang, DomainIndex domain, bool* tried);
  // Returns what is free in the domain. What is promised to nominated tasks counts as free, too;
  // the trial finds that it is not.
  std::vector<int64_t> RoomIn(DomainIndex domain) {
    if (domain == context_.domains.root()) return cluster_room_.Sum();
    return RoomOf(ledger_, context_.domains.nodes(domain));
  }
  // Returns the victim sets in the order in which they are to go; where the list can be cut, those
  // of the first `limit` that are allowed. Sets `*all` if these are all.
  std::vector<VictimSet> SetsFor(const Gang& gang, DomainIndex domain, size_t limit, bool* all);
  std::optional<std::vector<TaskIndex>> EvictableSoFar(JobIndex job,
                                                       std::span<const TaskIndex> tasks) const;
  std::vector<VictimSet> AllSets(const Gang& gang, DomainIndex domain) const;
  bool PlaceAll(const Gang& gang, DomainIndex domain, Trial* trial);
  bool PlaceGroup(const SubGroup& group, DomainIndex domain, TaskQueue tasks, Trial* trial);
  NodeIndex NodeFor(TaskIndex task, DomainIndex domain);
  const std::vector<uint8_t>* HopelessFor(TaskIndex task) const;
  void NoteRefusals(ClassIndex c, DomainIndex domain, const std::vector<uint8_t>* hopeless,
                    std::vector<uint8_t>* refused);
  void Explain(JobIndex job, Reason reason);

  const VictimRules rules_;
  const bool whole_gangs_, error_cache_;
  const size_t max_domains_;
  KeptVictims kept_;
  const bool keeps_;  // `kept_` serves
  RoomLater room_;
  ClusterRoom cluster_room_;
  RoleMemory memory_;  // of one trial
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_ACTION_GANG_EVICTION_H_
