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
// Cost. A job of a new class costs O(slots) evaluations (verdicts.h), one of a known class none.
// Where no slot is in use or divided, and no two are equally good, the slots of a class are sorted
// once for the cycle; else for each list, as the order of equal ones depends on all others: as far
// as jobs take from it.
//
// Where the peer surprises: the counters that name a refusal's reason begin anew only when slots
// are looked at. After a refusal by concurrency those of the job before still stand.
#ifndef MUSTER_PEER_HTCONDOR_MATCHMAKER_H_
#define MUSTER_PEER_HTCONDOR_MATCHMAKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/gnu_sort.h"
#include "lib/peer/htcondor/pool.h"
#include "lib/peer/htcondor/verdicts.h"

namespace muster::condor {

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
      : rules_(rules), all_(*all), names_(names), verdicts_(rules, names) {}

  // The slots that are left, which Take removes from; matches count in `counts`.
  // `gate` may be null.
  void Begin(std::vector<Slot>* slots, ConcurrencyCounts* counts, const SlotGate* gate);
  void DropList() { list_.reset(); }

  Offer Find(const SessionLimits& session, const CondorJob& job);
  void Take(const Offer& offer, const SessionLimits& session, const CondorJob& job);
  // Why the last job was refused, in the peer's words.
  const char* Reason() const;
  const RefusalCounts& counts() const { return refused_; }
  // Counts why slots refuse the job; once for a class. Call it for a job that has found none.
  MatchRefusalCounts CountRefusals(const SessionLimits& session, const CondorJob& job);
  void ResetCounts() { refused_ = {}; }
  bool has_slots() const { return left_ > 0; }
  const Slot& slot(size_t s) const { return (*slots_)[s]; }
  // Returns whether jobs get parts of the slot, by its consumption policy.
  bool Divides(size_t s) const { return facts_[s].divides; }

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
  };
  // What does not change of a slot while it is there.
  struct Facts {
    bool divides = false;  // by a consumption policy
    double weight = 1;
    std::string user;  // that can be preempted
  };
  // A slot, and its place in the class's order.
  struct Place {
    uint32_t place, slot;
  };
  struct ByPlace {
    bool operator()(const Place& a, const Place& b) const { return a.place < b.place; }
  };
  struct List {
    int64_t auto_cluster;
    SessionLimits session;  // as it was when the list was made
    RefusalCounts refused;
    // Sorted candidates; in a plain pool slots in the order of the class from `next` on, or in an
    // order of this list.
    std::vector<Candidate> candidates;
    std::shared_ptr<const JobClass> job_class = nullptr;
    std::optional<GnuSorted<Place, ByPlace>> own_order = std::nullopt;
    size_t next = 0;
    size_t length() const { return own_order ? own_order->size() : job_class->order.size(); }
    size_t SlotAt(size_t i) { return own_order ? (*own_order)[i].slot : job_class->order[i]; }
  };
  static bool IsBetter(const Candidate& a, const Candidate& b);
  static Candidate FreeCandidate(size_t s, const Verdict& verdict, double cost);
  Facts FactsOf(const ClassAd& slot) const;
  bool IsOf(const List& list, const SessionLimits& session, const CondorJob& job) const;
  bool Judge(size_t s, const SessionLimits& session, const ClassAd& job, JobClass* job_class,
             Candidate* candidate);
  std::optional<Verdict> JudgeDivided(size_t s, const ClassAd& job, int64_t kind, double* cost);
  bool JudgeUser(const SessionLimits& session, const std::string& user, const Verdict& verdict,
                 State* state);
  static bool Permits(double used, double cost, double allowed);
  static bool PermitsFree(const SessionLimits& session, double cost);
  bool PermitsAgain(const SessionLimits& session, const Candidate& candidate) const;
  void Sort(const ClassAd& job, JobClass* job_class);
  Offer MakeList(const SessionLimits& session, const CondorJob& job, const ClassAd& dressed,
                 JobClass* job_class);
  Offer StartInOrder(const SessionLimits& session, const CondorJob& job,
                     const std::shared_ptr<JobClass>& job_class);
  Offer SortAgain(const SessionLimits& session, const CondorJob& job,
                  const std::shared_ptr<JobClass>& job_class);
  Offer TakeInOrder(const SessionLimits& session);
  Offer TakeFromList(const SessionLimits& session);
  Offer ToOffer(const Candidate& candidate) const;
  ClassAd Dressed(const SessionLimits& session, const CondorJob& job) const;

  const MatchRules& rules_;
  AdNames& all_;
  const PoolNames& names_;
  std::vector<Slot>* slots_ = nullptr;
  ConcurrencyCounts* concurrency_ = nullptr;
  Verdicts verdicts_;
  std::vector<uint8_t> gone_;  // by slot
  std::vector<Facts> facts_;   // by slot
  bool is_plain_ = false;      // no slot divides or has a user
  bool is_even_ = false;       // all slots have one weight
  size_t left_ = 0;
  std::optional<List> list_;
  RefusalCounts refused_;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_MATCHMAKER_H_
