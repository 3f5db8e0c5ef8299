// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Orders of jobs that compare one number of each job, so that a heap of many tasks need not ask
// about each pair of their jobs.
//
//   const JobOrderKeys order(dispatcher);
//   if (order.known()) {
//     const JobKeys keys = order.Of(a);             // valid while ledger.job_stamp(a) stays
//     const int first = keys.Compare(order.Of(b));  // as dispatcher.CompareJobs(a, b)
//   }
//
// A policy that answers at kJobOrder may implement KeyedJobs beside OrderPolicy.
#ifndef MUSTER_EXTENSION_KEYED_JOBS_H_
#define MUSTER_EXTENSION_KEYED_JOBS_H_

#include <array>
#include <cstddef>

#include "lib/extension/dispatcher.h"

namespace muster {

class KeyedJobs {
 public:
  virtual ~KeyedJobs() = default;
  // Returns the job's number, by which CompareJobs orders: the smaller first. Within a cycle it
  // changes only with the job's account (Ledger::job_stamp).
  virtual double KeyOf(JobIndex job) = 0;
};

// The numbers of one job, first policy first; those behind the last policy are 0.
struct JobKeys {
  static constexpr size_t kMost = 4;
  std::array<double, kMost> of_policy = {};

  // Returns -1, 0 or 1.
  int Compare(const JobKeys& other) const {
    for (size_t i = 0; i < kMost; ++i) {
      if (of_policy[i] != other.of_policy[i]) return of_policy[i] < other.of_policy[i] ? -1 : 1;
    }
    return 0;
  }
};

class JobOrderKeys {
 public:
  // The dispatcher must outlive this.
  explicit JobOrderKeys(const Dispatcher& dispatcher) {
    for (const PolicyEntry* entry : dispatcher.at(Point::kJobOrder)) {
      auto* keyed = dynamic_cast<KeyedJobs*>(entry->policy);
      known_ &= keyed != nullptr && count_ < JobKeys::kMost;
      if (known_) policies_[count_++] = keyed;
    }
  }

  // Returns whether every policy that orders jobs has such numbers, and they are few enough.
  bool known() const { return known_; }
  // REQUIRES: known().
  JobKeys Of(JobIndex job) const {
    JobKeys keys;
    for (size_t i = 0; i < count_; ++i) keys.of_policy[i] = policies_[i]->KeyOf(job);
    return keys;
  }

 private:
  bool known_ = true;
  size_t count_ = 0;
  std::array<KeyedJobs*, JobKeys::kMost> policies_ = {};
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_KEYED_JOBS_H_
