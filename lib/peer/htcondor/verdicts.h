// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What expressions of slots, jobs and rules evaluate to, remembered for jobs that are alike.
//
//   Verdicts verdicts(rules, known);
//   verdicts.Begin(slots, gate);
//   const std::shared_ptr<JobClass> alike = verdicts.ClassOf(job_ad, kind);
//   const Verdict& verdict = verdicts.Of(alike.get(), s, job_ad);
//
// Jobs are of one class if they are equal in kind (pool.h) and in all attributes that any
// expression names. These are few, and most jobs of a user have the same ones, so a pair is
// evaluated once and not for each job. Classes are forgotten when kMostVerdicts would be exceeded;
// no decision depends on that.
//
// Slots are alike if they share those attributes. A class is evaluated for the first of them alone;
// only the gate is asked about each.
#ifndef MUSTER_PEER_HTCONDOR_VERDICTS_H_
#define MUSTER_PEER_HTCONDOR_VERDICTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/htcondor/pool.h"

namespace muster::condor {

struct MatchRules {
  bool preemption = true;
  bool weights = true;
  bool match_lists = true;
  // Absent: false, 0.
  std::optional<AdExpression> preemption_requirements, preemption_rank, first_rank, last_rank;
};

// Why a slot and a job do not match.
enum class MatchRefusal : uint8_t { kNone, kGate, kSlot, kJob };

// Of a slot and a job.
struct Verdict {
  double slot_rank = 0, current_rank = 0;
  double rank = 0;  // by the job
  float first = 0, last = 0;
  float preemption = 0;  // the rank of preemption
  bool matches = false;  // by the requirements of both; without it the rest is not set
  MatchRefusal refusal = MatchRefusal::kNone;
  bool may_preempt = false;  // by the rule for users of better priority
};

// How many slots refused a class, by the side that did; and how many had been taken before.
struct MatchRefusalCounts {
  int64_t by_gate = 0, by_slot = 0, by_job = 0, taken = 0, others = 0;
};

struct JobClass {
  int64_t kind = 0;
  std::vector<Verdict> verdicts;  // by slot
  std::vector<uint8_t> known;     // by slot: whether the verdict is there
  // Slots from the best to the worst, once the matchmaker has sorted them.
  std::vector<uint32_t> order;
  bool is_sorted = false;
  bool is_strict = false;  // no two are equally good
  // By slot: its place in that order, and equal for slots that are equally good.
  std::vector<uint32_t> places;
  std::vector<uint32_t> left;                  // slots of the order, ascending; some may be gone
  size_t head = 0;                             // slots before this place are gone
  std::optional<MatchRefusalCounts> refusals;  // when it found no match for the first time
};

class Verdicts {
 public:
  static constexpr size_t kMostVerdicts = 1 << 20;

  // All must outlive this.
  Verdicts(const MatchRules& rules, const PoolNames& names) : rules_(rules), names_(names) {}

  // `slots` must outlive this; `gate` may be null.
  void Begin(const std::vector<Slot>& slots, const SlotGate* gate);

  // The class outlives its being forgotten.
  std::shared_ptr<JobClass> ClassOf(const ClassAd& job, int64_t kind);

  // REQUIRES: the slot's ad is the one that it had at Begin, and the job is of the class.
  const Verdict& Of(JobClass* job_class, size_t s, const ClassAd& job) {
    if (!job_class->known[s]) {
      job_class->verdicts[s] = Find(*job_class, s, job);
      job_class->known[s] = 1;
    }
    return job_class->verdicts[s];
  }

  // `request`: the job as the requirements of both see it.
  Verdict Evaluate(const Slot& slot, const ClassAd& request, const ClassAd& job,
                   int64_t kind) const;

 private:
  Verdict Find(const JobClass& job_class, size_t s, const ClassAd& job);
  void FindAlike();

  const MatchRules& rules_;
  const PoolNames& names_;
  const std::vector<Slot>* slots_ = nullptr;
  std::vector<uint32_t> first_alike_;  // by slot; empty: not known
  const SlotGate* gate_ = nullptr;
  AdNameSet named_;  // by any expression, as far as known
  HashMap<std::string, std::shared_ptr<JobClass>> classes_;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_VERDICTS_H_
