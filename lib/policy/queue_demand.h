// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What admission knows of queues: what was promised to jobs that do not hold it yet, and what jobs
// hold beyond their minimum and could give back. Shared by proportion and capacity.
//
//   demand.Open(cycle, {});
//   if (demand.Wanted(queue, d, minimum, held) <= limit) ...   // the job may be admitted
//   demand.Admitted(job);                                      // and counts from now on
#ifndef MUSTER_POLICY_QUEUE_DEMAND_H_
#define MUSTER_POLICY_QUEUE_DEMAND_H_

#include <cstdint>
#include <vector>

#include "lib/extension/cycle.h"
#include "lib/policy/kept_sums.h"

namespace muster {

inline bool IsOpen(const Tables& tables, QueueIndex queue) {
  return tables.queues.spec[queue].state == QueueState::kOpen;
}

class QueueDemand {
 public:
  // `parents`: per queue the one above it, kNone at the top; what is promised below a queue counts
  // for it, too. Empty: queues stand side by side. Where no job waits for admission none will
  // ask, and nothing is added up. O(jobs that changed).
  void Open(const Cycle& cycle, std::vector<QueueIndex> parents);
  void Admitted(JobIndex job);

  // What would be held of a dimension in which `held` is, if the job with that minimum were
  // admitted and all gave back what they can.
  double Wanted(QueueIndex queue, DimensionIndex d, int64_t minimum, int64_t held) const {
    const size_t cell = queue * dimensions_ + d;
    return static_cast<double>(minimum) + static_cast<double>(held) + promised_[cell] -
           elastic_[cell];
  }

 private:
  void Add(QueueIndex queue, DimensionIndex d, double amount, std::vector<double>* cells);
  void Promise(QueueIndex queue, const std::vector<int64_t>& amounts);

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  size_t dimensions_ = 0;
  std::vector<QueueIndex> parents_;
  KeptSums promises_, spares_;              // of jobs, by queue
  KeptSums pending_;                        // the number of jobs that are not admitted
  std::vector<double> promised_, elastic_;  // in this cycle, per queue and dimension
};

}  // namespace muster

#endif  // MUSTER_POLICY_QUEUE_DEMAND_H_
