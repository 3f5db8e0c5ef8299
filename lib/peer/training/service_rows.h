// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How much service each job has had, as memory of cycles.
//
//   ServiceRows rows(kAttainedSlot.slot, "nvidia.com/gpu");
//   rows.Update(cycle);                      // in Policy::Open
//   rows.of(job).service;                    // thousandths of a GPU, times seconds
//
// Rules.
// - Service is what the job's tasks request of the resource, times the seconds for which they held
//   a place. A task that requests none of it counts as one.
// - A place counts from the start of its task. A task without a start counts from the last cycle
//   that noted the job, and else from the first cycle that sees it.
// - A task that leaves between two cycles is not counted since the first of them.
// - Seconds since a job was noted in which none of its tasks held a place are seconds for which it
//   waited.
//
// Memory. The slot has a row for each job that has held a place: service, the seconds for which it
// ran, those for which it waited, the time up to which all three count, and the seconds for which
// it ran before Reset.
//
// Cost. Update: O(jobs + tasks that hold a place). Rows are integers, so equal histories give equal
// orders on every machine.
#ifndef MUSTER_PEER_TRAINING_SERVICE_ROWS_H_
#define MUSTER_PEER_TRAINING_SERVICE_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "muster/memory.h"
#include "muster/policy/cycle.h"

namespace muster {

// Returns the seconds from one time to a later one; 0 if it is not later.
int64_t SecondsBetween(int64_t from, int64_t to);

struct JobService {
  int64_t service = 0;
  int64_t ran = 0, waited = 0;  // seconds since the last Reset
  int64_t ran_before = 0;       // seconds
  bool noted = false;           // it has held a place
  bool holds = false;           // it holds one now
};

class ServiceRows {
 public:
  ServiceRows(std::string_view slot, std::string resource)
      : slot_(slot), resource_(std::move(resource)) {}

  void Update(const Cycle& cycle);
  const JobService& of(JobIndex job) const { return services_[job]; }
  // Forgets service and wait. Seconds for which the job ran go to `ran_before`.
  void Reset(JobIndex job);
  // Returns what all tasks of the job request of the resource, in thousandths.
  int64_t SizeOf(JobIndex job) const;

 private:
  // Adds what happened from `seen` to now.
  void Count(JobIndex job, int64_t seen, JobService* row) const;
  int64_t UnitsOf(TaskIndex task) const;
  bool Serves(TaskIndex task) const;
  void Write(JobIndex job) const;

  const std::string_view slot_;
  const std::string resource_;
  const Cycle* cycle_ = nullptr;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  DimensionIndex dimension_ = kNone;  // kNone: the cluster does not have it
  int64_t scale_ = 1;                 // thousandths in a unit of the dimension
  std::vector<JobService> services_;  // by job
};

}  // namespace muster

#endif  // MUSTER_PEER_TRAINING_SERVICE_ROWS_H_
