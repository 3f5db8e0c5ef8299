// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How far a plan is from the best: what no plan of a snapshot could exceed.
//
//   absl::StatusOr<muster::Bound> bound = muster::BoundOf(snapshot);
//   if (!bound.ok()) return Report(bound.status());
//   std::cout << "no plan places more than " << bound->tasks << " of " << bound->waiting << "\n";
//   absl::StatusOr<muster::PlanGap> gap = muster::GapOf(snapshot, plan);
//   if (gap.ok()) std::cout << gap->placed << " placed, at most " << gap->bound.tasks << "\n";
//
// Promise. A bound is never too small: no plan that keeps the rules of BoundOptions places more
// tasks that wait, nor more of a resource with them. It is proven by prices, in integers: the
// proof does not depend on how the prices were found. A bound may be too large. It relaxes the
// cluster: tasks may be cut into parts, places on alike nodes are counted together, devices are
// counted by kind, and rules between tasks (affinity, spread, ports, zones, domains) are left out.
// Prices come from floating-point iterations. They are equal wherever the library is compiled as
// its CMake files have it; elsewhere they, and so how near the bound is, may differ.
// Failure. InvalidArgument for options out of range, and for a plan of another version of the
// snapshot. BestOf fails with Unimplemented where a task that waits requests devices.
// Ownership. Arguments are read during the call; answers hold copies.
// Threads. Any number of threads may ask about one snapshot at once.
// Cost. O(nodes * sets of constraints + tasks) to read the snapshot, and then the iterations that
// `work` admits, each O(entries of the program). BestOf is exponential, within `work`.
#ifndef MUSTER_BOUND_H_
#define MUSTER_BOUND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"
#include "muster/plan.h"
#include "muster/snapshot.h"

namespace muster {

// Which plans a bound is about, and how much work it may cost.
struct BoundOptions {
  // False: tasks that hold a node keep it. True: those that may be evicted count as gone. Tasks
  // that are leaving count as gone in both cases.
  bool evictions = false;
  // Plans place tasks only where node selectors, required node affinities, taints and the mark
  // `unschedulable` admit them.
  bool node_rules = true;
  // Plans give no more of a kind of devices than nodes have healthy ones, in thousandths.
  bool devices = true;
  // Plans keep the limit of each queue, up to the root.
  bool queue_limits = true;
  // Plans place nothing of a gang that cannot become whole.
  bool gangs = true;
  // The most work: entries of the program that iterations read, for all bounds together; of BestOf,
  // placements that are tried. 1 or more.
  int64_t work = 200'000'000;
};

// The linear program behind a bound, for any solver.
//
// A column is how many tasks of one kind go to nodes of one group; it is 0 to `most`. Entries
// e = first[c] .. first[c + 1] - 1 of column c have a row[e] and an amount[e] above 0. Each row's
// sum of amount * column is at most its `capacity`. All numbers are integers, and so are the
// columns of a plan. A resource is counted in steps of `unit`, rounded to the side that relaxes.
struct BoundProgram {
  // By column.
  std::vector<int64_t> most;
  // One longer than `most`.
  std::vector<uint32_t> first;
  // By entry.
  std::vector<uint32_t> row;
  std::vector<int64_t> amount;
  // By row: what is limited, in words, and how much there is.
  std::vector<std::string> row_name;
  std::vector<int64_t> capacity;
  // What is counted: "tasks" first, then each resource that tasks which wait request.
  std::vector<std::string> objective;
  // By objective and column: the value of one task, in `unit`, rounded up.
  std::vector<std::vector<int64_t>> value;
  std::vector<int64_t> unit;
};

// Prices that prove a bound, by row: 0 or more, in units of 2^-40 of an objective's step.
//
// With any such prices the objective is at most
//   (sum of capacity * price + sum of most * max(0, value * 2^40 - sum of amount * price)) / 2^40
// because each column earns no more than what it pays and what is left to it. Rounded down it is
// the bound, in `unit`.
struct BoundProof {
  std::vector<int64_t> prices;
  // The bound that they prove, in steps.
  int64_t steps = 0;
};

// What no plan exceeds.
struct Bound {
  // Tasks that wait: pending or nominated ones of jobs, without gates.
  int64_t waiting = 0;
  // The most tasks of these that a plan places.
  int64_t tasks = 0;
  // Resources that tasks which wait request; how much they request; and the most of it that a plan
  // places, each in the unit of types.h.
  std::vector<std::string> dimensions = {};
  std::vector<int64_t> requested = {}, amounts = {};
  // The work that was spent, as BoundOptions::work counts it.
  int64_t work = 0;
  // The program, and a proof for each of its objectives.
  BoundProgram program = {};
  std::vector<BoundProof> proofs = {};
};

// A plan beside the bound.
struct PlanGap {
  // Tasks that waited and get a node: now, once what is released has ended, or kept for them. A
  // task that the plan evicts again is not counted.
  int64_t placed = 0;
  // What these request, in the order of Bound::dimensions.
  std::vector<int64_t> amounts = {};
  // Rules of BoundOptions that the plan does not keep, by their names there, and "capacity" where a
  // node is given more than it has. The bound is then about plans without that rule, or with that
  // much more on these nodes: `placed` is never above it.
  std::vector<std::string> broken = {};
  Bound bound = {};
};

// The best that there is, of small worlds.
struct Best {
  // The most tasks that wait and can be placed; if `proven` is false, the most that was found.
  int64_t tasks = 0;
  // False: the work was spent before all placements were ruled out.
  bool proven = true;
  int64_t work = 0;
};

// Returns what no plan of the snapshot exceeds.
MUSTER_EXPORT absl::StatusOr<Bound> BoundOf(const Snapshot& snapshot,
                                            const BoundOptions& options = {});

// Returns the plan beside the bound. `plan` is one of this snapshot, or of a cluster at the same
// version: of one with other rows, the rows are found by name. Evictions count as admitted if the
// plan has some, whatever the option.
MUSTER_EXPORT absl::StatusOr<PlanGap> GapOf(const Snapshot& snapshot, const Plan& plan,
                                            const BoundOptions& options = {});

// Returns the most tasks that can be placed at once, by branch and bound over whole tasks on single
// nodes; a gang is whole or absent. Rules between tasks are left out here, too. Meant for worlds of
// a dozen tasks.
MUSTER_EXPORT absl::StatusOr<Best> BestOf(const Snapshot& snapshot,
                                          const BoundOptions& options = {});

// Returns what prices prove about objective `which`, in steps, and INT64_MAX where that is beyond
// int64. REQUIRES: a price for each row, 0 to 2^62.
MUSTER_EXPORT int64_t Proven(const BoundProgram& program, size_t which,
                             const std::vector<int64_t>& prices);

}  // namespace muster

#endif  // MUSTER_BOUND_H_
