// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How far a replay is from the best: means that no schedule of a trace undercuts.
//
//   absl::StatusOr<muster::TraceBound> bound = muster::BoundTrace(trace);
//   if (!bound.ok()) return Report(bound.status());
//   std::cout << "jobs wait " << bound->mean_wait << " s at least, on average\n";
//
// Promise. The bounds hold for every schedule in which each job runs once at full width and full
// length up to its end, at or after its submission, and no more runs at a time than the machine
// has. Schedules may know the future. Runs that an eviction or a failure ended do not matter, if
// the job then begins anew. What is bounded is turnaround less run time, which is the wait of a job
// that is not stopped. The proof is exact, in integers, by prices for the machine's time. Prices
// are found by floating-point steps, which are equal wherever the library is compiled as its CMake
// files have it.
// A bound is not the best schedule's mean. Of the machine one resource counts, as one amount.
// Failure. InvalidArgument where CheckTrace refuses the trace, for options out of range, and for
// rows that the trace does not have or that are listed twice.
// Ownership. Arguments are read during the call; the answer holds copies.
// Threads. Any number of threads may ask about one trace at once.
// Cost. O(rounds * jobs * steps of prices that a job might wait for).
#ifndef MUSTER_TRACE_BOUND_H_
#define MUSTER_TRACE_BOUND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/trace.h"

namespace muster {

// How a bound is looked for.
struct TraceBoundOptions {
  // Seconds. Shorter run times count as this in bounded slowdowns. 1 or more.
  int64_t slowdown_bound = 10;
  // How often prices are improved, for each of the two means. 1 to 100,000.
  int64_t rounds = 300;
  // How many prices there are at most. 1 to 1,000,000.
  int64_t steps = 16'384;
  // The jobs that the means are over, by row. The bound then holds for the means over these in any
  // schedule of all jobs. Absent: all that are no wider than the machine.
  std::optional<std::vector<uint32_t>> rows = {};
};

// A price for each step of time: the k-th is that of `origin` + k * `width` to the next, for one
// unit of the resource and second, in units of 2^-40. Before and after them the price is 0.
//
// With any prices of 0 or more, the sum of what a mean sums up is at least
//   (sum over jobs of the least, over starts t at or after the submission, of
//      2^40 * what the job adds if it starts at t + its amount * the prices from t to t + run)
//   - the machine's amount * the sum of all prices * width
// because the prices of what runs at a time never pay for more than the machine.
struct TracePrices {
  int64_t origin = 0, width = 1;
  std::vector<int64_t> price = {};
};

// Means that no schedule undercuts.
struct TraceBound {
  // The jobs that they are over.
  int64_t jobs = 0;
  // The resource that counts: "processors" of a pool; else that with the most work for what nodes
  // have of it. Its unit is that of `capacity` of it.
  std::string resource = {};
  int64_t capacity = 0;
  // Seconds.
  double mean_wait = 0;
  // Turnaround over run time, at least 1, as in metrics.h.
  double mean_bounded_slowdown = 1;
  // The proofs.
  TracePrices wait_prices = {}, slowdown_prices = {};
};

// Returns means that no schedule of the trace undercuts.
MUSTER_EXPORT absl::StatusOr<TraceBound> BoundTrace(const Trace& trace,
                                                    const TraceBoundOptions& options = {});

}  // namespace muster

#endif  // MUSTER_TRACE_BOUND_H_
