// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Negotiation cycles: submitters take turns at slots, by user priority.
//
//   Negotiator negotiator(rules, std::move(groups), &names);
//   CycleRecord record = negotiator.RunCycle(std::move(pool));
//   for (const NegotiationEvent& event : record.events) ...
//
// The accountant's records carry over from cycle to cycle; slots, submitters and jobs are told
// anew.
#ifndef MUSTER_PEER_HTCONDOR_NEGOTIATOR_H_
#define MUSTER_PEER_HTCONDOR_NEGOTIATOR_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/htcondor/accountant.h"
#include "lib/peer/htcondor/class_ad.h"
#include "lib/peer/htcondor/group_tree.h"
#include "lib/peer/htcondor/matchmaker.h"
#include "lib/peer/htcondor/pool.h"
#include "lib/peer/htcondor/quota_rounds.h"

namespace muster::condor {

struct NegotiatorRules {
  AccountantRules accountant;
  GroupRules groups;
  RoundRules rounds;  // weights and preemption are those of `match`
  MatchRules match;
  ConcurrencyCounts::Limits concurrency;
  std::optional<AdExpression> group_sort_key;
  bool early_preemption = false;  // claims with retirement time left may be preempted
  bool ignores_priorities = false;
  bool weighted_demand = true;
};

// One step of a cycle.
struct NegotiationEvent {
  enum class Kind : uint8_t { kGroupTurn, kSession, kMatch, kReject } kind;
  std::string name;  // the group, submitter or job
  std::string
      other;  // of a session: the group, empty if none limits it; of a match: the slot; of a
              // rejection: the reason
  std::string preempts;
  double priority = 0, limit = 0, unclaimed_limit = 0, pie_left = 0;  // of a session
  double allocated = 0;                                               // of a group's turn
  double cost = 0;                                                    // of a match
  bool ignores_limit = false;
  uint32_t job_row = 0, slot_row = 0;  // of a match; the job's of a rejection, too
  MatchRefusalCounts refusals;         // of a rejection, if NegotiationWatch wants them
};

// Follows a cycle while it runs.
struct NegotiationWatch {
  virtual ~NegotiationWatch() = default;
  // Returns whether the cycle may offer another job.
  virtual bool MayGoOn() = 0;
  virtual void Matched(const NegotiationEvent& match) = 0;
};

struct CycleRecord {
  double pool_weight = 0, least_weight = 0;
  size_t considered = 0;  // slots
  struct Standing {
    std::string submitter;
    double priority, factor, used;
  };
  std::vector<Standing> standings;
  std::vector<NegotiationEvent> events;
};

class Negotiator {
 public:
  // `names` must outlive this.
  Negotiator(NegotiatorRules rules, std::vector<GroupSpec> groups, AdNames* names);

  Accountant& accountant() { return accountant_; }
  GroupTree& tree() { return tree_; }
  // `watch` may be null.
  CycleRecord RunCycle(Pool pool, NegotiationWatch* watch = nullptr);
  // Returns the jobs that the last cycle left, by submitter. They are valid until the next cycle.
  struct JobsLeft {
    std::string_view submitter;
    std::vector<const CondorJob*> jobs;
  };
  std::vector<JobsLeft> ListJobsLeft() const;

 private:
  struct Entry {
    const Submitter* submitter;
    double priority = 0, starvation = 0;
    double limit = 0, unclaimed_limit = 0;
  };
  // What one group may negotiate for.
  struct Turn {
    GroupIndex group = kRootGroup;
    bool is_limited = false;  // by the group's usage
    double quota = 0;
    bool is_floor = false;
  };
  enum class Outcome : uint8_t { kDone, kResume };
  // What the cycle reads of a slot, once: ads of a large pool are far apart in memory.
  struct SlotState {
    bool is_claimed = false, is_partitionable = false;
    double weight = 1, cpus = 1, retirement_left = 0;
    std::string user, customer;  // that can be preempted; that the claim counts for
  };

  void ReserveEvents();
  void ReadSlots();
  void CountClaims();
  void Begin();
  void Trim();
  void RunGroups();
  void Negotiate(Turn turn, std::vector<const Submitter*>* submitters);
  void Spin(const Turn& turn, std::vector<Entry>* entries);
  bool RunSpin(const Turn& turn, int spin, std::vector<Entry>* entries);
  double SetLimits(const Turn& turn, double pie, double usage, std::vector<Entry>* entries);
  void SetLimit(const Turn& turn, double usage, Entry* entry) const;
  Outcome Visit(const Turn& turn, int spin, bool ignores_limit, double usage, Entry* entry);
  Outcome RunSession(bool ignores_limit, double ceiling, const Entry& entry);
  // Marks those of the jobs that get a slot.
  Outcome OfferSlots(bool ignores_limit, double ceiling, const Entry& entry,
                     std::span<const CondorJob> jobs, std::span<const uint32_t> left,
                     std::vector<uint8_t>* is_matched);
  void Match(const Offer& offer, const CondorJob& job, SessionLimits* session);
  void Reject(const SessionLimits& session, const CondorJob& job);
  double UsageOf(GroupIndex g) const;
  // Returns true once the watch has ended the cycle.
  bool IsStopped();

  const NegotiatorRules rules_;
  const PoolNames names_;
  GroupTree tree_;
  const GroupSortKey sort_key_;
  Accountant accountant_;
  Matchmaker matchmaker_;
  // Of the cycle:
  Pool pool_;
  NegotiationWatch* watch_ = nullptr;
  bool stopped_ = false;
  std::optional<ConcurrencyCounts> concurrency_;
  std::vector<SlotState> states_;  // of the slots, before they are trimmed
  // By submitter that had a session: the places of its jobs that have no slot, ascending.
  HashMap<std::string, std::vector<uint32_t>> left_;
  std::optional<Accountant::Payer> payer_;  // of the session, once it has a match
  CycleRecord record_;
  double pool_for_groups_ = 0;
  double pie_ = 0, pie_left_ = 0, most_priority_ = 0, norm_ = 0;
  int64_t parts_ = 0;  // of slots that were given away
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_NEGOTIATOR_H_
