// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Chooses a slot for one job.
//
//   Matchmaker matchmaker(rules, &names, known);
//   matchmaker.Begin(&slots, &counts);
//   Offer offer = matchmaker.Find(session, job);
//   if (offer.slot == kNoSlot) Refuse(offer.reason) else matchmaker.Take(offer, job);
//
// A slot must satisfy the requirements of both sides, and then:
// 1. A claimed slot is open to a job that the machine prefers to the one it runs (rank preemption),
//    and to a user of better priority if a rule allows it (priority preemption).
// 2. Free slots and priority preemptions count against the submitter's limit; one match may exceed
//    it.
// 3. The best has the highest rank by the negotiator's first expression, by the job, by the
//    negotiator's second expression; then free slots go before rank preemption before priority
//    preemption; then the rank of preemption decides. Of equals the first of the list.
//
// With a match list all fitting slots are sorted once, and later jobs of the auto cluster take from
// that list. A slot of it that the limit refuses is lost for the list's life.
//
// Where the peer surprises: the counters that name a refusal's reason begin anew only when slots
// are looked at. After a refusal by concurrency those of the job before still stand.
#ifndef MUSTER_PEER_HTCONDOR_MATCHMAKER_H_
#define MUSTER_PEER_HTCONDOR_MATCHMAKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/peer/htcondor/pool.h"

namespace muster::condor {

struct MatchRules {
  bool preemption = true;
  bool weights = true;
  bool match_lists = true;
  // Absent: false, 0.
  std::optional<AdExpression> preemption_requirements, preemption_rank, first_rank, last_rank;
};

inline constexpr size_t kNoSlot = SIZE_MAX;

// What a submitter may use in its session.
struct SessionLimits {
  std::string submitter;
  double priority = 0;
  double limit = 0, unclaimed_limit = 0;
  double used = 0, unclaimed_used = 0;
  bool only_for_rank = false;  // it is beyond its limit
};

struct Offer {
  size_t slot = kNoSlot;
  std::string preempts;  // the user of the slot; empty: it is free
  double cost = 0;
};

// How many slots were refused, by reason, since slots were looked at last.
struct RefusalCounts {
  int64_t concurrency = 0, policy = 0, limit = 0;
};

class Matchmaker {
 public:
  // All must outlive this.
  Matchmaker(const MatchRules& rules, AdNames* all, const PoolNames& names)
      : rules_(rules), all_(*all), names_(names) {}

  // The slots that are left, which Take removes from; matches count in `counts`.
  void Begin(std::vector<Slot>* slots, ConcurrencyCounts* counts);
  void DropList() { list_.reset(); }

  Offer Find(const SessionLimits& session, const CondorJob& job);
  void Take(const Offer& offer, const SessionLimits& session, const CondorJob& job);
  // Why the last job was refused, in the peer's words.
  const char* Reason() const;
  const RefusalCounts& counts() const { return refused_; }
  void ResetCounts() { refused_ = {}; }
  bool has_slots() const { return left_ > 0; }
  const Slot& slot(size_t s) const { return (*slots_)[s]; }

 private:
  enum class State : uint8_t { kPriority, kRank, kFree };  // what is preempted; the best last
  struct Candidate {
    size_t slot = kNoSlot;
    float first = 0;
    double rank = 0;
    float last = 0;
    State state = State::kFree;
    float preemption = 0;
    double cost = 0;
    std::string user;
  };
  struct List {
    int64_t auto_cluster;
    std::string submitter;
    double priority;
    bool only_for_rank;
    std::vector<Candidate> candidates;
    size_t next = 0;
    RefusalCounts refused;
  };
  static bool IsBetter(const Candidate& a, const Candidate& b);
  bool Judge(size_t s, const SessionLimits& session, const ClassAd& job, Candidate* candidate);
  bool JudgeUser(const SessionLimits& session, const ClassAd& slot, const ClassAd& job,
                 Candidate* candidate);
  void Rate(const ClassAd& slot, const ClassAd& job, Candidate* candidate) const;
  static bool Permits(double used, double cost, double allowed);
  bool PermitsAgain(const SessionLimits& session, const Candidate& candidate) const;
  Offer TakeFromList(const SessionLimits& session);
  Offer ToOffer(const Candidate& candidate) const;
  ClassAd Dressed(const SessionLimits& session, const CondorJob& job) const;

  const MatchRules& rules_;
  AdNames& all_;
  const PoolNames& names_;
  std::vector<Slot>* slots_ = nullptr;
  ConcurrencyCounts* concurrency_ = nullptr;
  std::vector<uint8_t> gone_;  // by slot
  size_t left_ = 0;
  std::optional<List> list_;
  RefusalCounts refused_;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_MATCHMAKER_H_
