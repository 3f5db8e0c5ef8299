// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books of queues and of the pool during a round: what is allocated, and what the round has
// scheduled, evicted and let come back.
//
// A job has several marks at once. It is scheduled or came back; it failed; it is evicted until it
// comes back.
//
// Surprises. An evicted gang that was tried without success loses its mark "evicted" in its queue,
// but the pool still counts it.
#ifndef MUSTER_PEER_ARMADA_ACCOUNTS_H_
#define MUSTER_PEER_ARMADA_ACCOUNTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lib/peer/armada/cost.h"
#include "lib/peer/armada/job_context.h"
#include "lib/peer/armada/tables.h"

namespace muster::armada {

struct ContextAccount {
  Amounts allocated;
  Amounts billable;  // empty: not set
  std::optional<double> billable_price;
  std::vector<Amounts> by_class, scheduled, evicted, optimised_away;  // by class
  Limiter limiter;
};

class Accounts {
 public:
  // `contexts` is read for the reasons of jobs.
  Accounts(const Tables& tables, const std::vector<JobContext>& contexts);

  // Takes everything back, and reads the limiters of the state anew.
  void Restart();

  // Books the job as scheduled, or as failed if its context has a reason.
  absl::Status Add(int job);
  // Takes the job out again. Of a job that the round did not schedule it becomes evicted.
  absl::Status Evict(int job);
  // The optimiser preempts the job.
  absl::Status Preempt(int job);
  void MarkPreempted(int job);

  bool scheduled(int job) const { return Has(job, kScheduled); }
  bool failed(int job) const { return Has(job, kFailed); }
  bool returned(int job) const { return Has(job, kReturned); }
  bool preempted(int job) const { return Has(job, kPreempted); }
  bool AnyNegative() const;

  // What the queue pays for: the jobs that have their places now.
  void SetBillable();

  const ContextAccount& account(int context) const {
    return accounts_[static_cast<size_t>(context)];
  }
  ContextAccount& account(int context) { return accounts_[static_cast<size_t>(context)]; }
  size_t size() const { return accounts_.size(); }

  Amounts allocated, scheduled_amounts, evicted_amounts;  // of the pool
  Limiter limiter, preemption_limiter;

 private:
  enum Mark : uint8_t {
    kScheduled = 1,
    kFailed = 2,
    kReturned = 4,
    kEvicted = 8,
    kBillable = 16,
    kPreempted = 32,
  };

  bool Has(int job, Mark mark) const { return (marks_[static_cast<size_t>(job)] & mark) != 0; }
  void Set(int job, Mark mark) { marks_[static_cast<size_t>(job)] |= mark; }
  void Clear(int job, int marks) {
    marks_[static_cast<size_t>(job)] &= static_cast<uint8_t>(~marks);
  }
  void Take(int job, Amounts& amounts) const { Change(job, amounts, 1); }
  void Give(int job, Amounts& amounts) const { Change(job, amounts, -1); }
  void Change(int job, Amounts& amounts, int64_t sign) const;
  void LeaveBill(int job, ContextAccount& account);
  absl::Status NoContext(int job) const;

  const Tables& tables_;
  const std::vector<JobContext>& contexts_;
  std::vector<ContextAccount> accounts_;
  std::vector<uint8_t> marks_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_ACCOUNTS_H_
