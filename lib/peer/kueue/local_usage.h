// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Admission fair sharing: what LocalQueues of one ClusterQueue have used lately. The workloads of
// the one with the least usage come first.
//
//   LocalUsage usage;
//   usage.Push("ns/job", {{"cpu", 2 * kOne}});        // it was admitted just now
//   usage.Settle({{"cpu", 2 * kOne}}, /*elapsed=*/5, /*half_life=*/10);
//   usage.Value(/*weight=*/1, {});                    // what orders the queue
//
// History decays: after a half-life half of it is forgotten, and what is used now counts for the
// other half. Between two settlements a workload that was just admitted counts with a penalty, so
// that one LocalQueue cannot have many admissions before its usage is measured. A workload has at
// most one penalty, which is taken back exactly.
//
// Amounts are exact, in billionths; what is scaled is rounded toward 0, so that history ends.
//
// Where Kueue surprises: without a half-life nothing is ever counted, for history is not renewed. A
// weight of 0 or less puts the queue last even if it uses nothing.
#ifndef MUSTER_PEER_KUEUE_LOCAL_USAGE_H_
#define MUSTER_PEER_KUEUE_LOCAL_USAGE_H_

#include <map>
#include <optional>
#include <string>

#include "absl/numeric/int128.h"

namespace muster::kueue {

using Billionths = absl::int128;
inline constexpr Billionths kOne = 1000000000;
// By resource.
using UsedAmounts = std::map<std::string, Billionths>;
using ResourceWeights = std::map<std::string, double>;

// Returns the part that the present has after so much time: 1 minus what is left of the history.
double PresentShare(double elapsed, double half_life);
// REQUIRES: 0 <= factor <= 1.
UsedAmounts Scaled(const UsedAmounts& amounts, double factor);
UsedAmounts Sum(const UsedAmounts& a, const UsedAmounts& b);
// Returns history with its present part replaced.
UsedAmounts Decayed(const UsedAmounts& history, const UsedAmounts& now, double elapsed,
                    double half_life);
// Returns what an admission of a workload counts for until usage is measured, every `interval`.
UsedAmounts PenaltyOf(const UsedAmounts& requests, double interval, double half_life);
// Returns the number that LocalQueues are ordered by. Resources without a weight have 1.
double UsageValue(const UsedAmounts& amounts, double weight, const ResourceWeights& weights);

// Whether an admission counts with a penalty: in queues that go by usage, and once for each
// reservation.
bool CountsPenalty(bool configured, bool by_usage, bool reserved);

class LocalUsage {
 public:
  void Push(const std::string& workload, const UsedAmounts& penalty);
  // Takes the penalty of the workload back, if it has one.
  void Take(const std::string& workload);
  // Makes the penalty of the workload a part of the history, if it has one.
  void Fold(const std::string& workload);
  bool HasPenalty() const;
  const UsedAmounts& penalty() const { return penalty_; }
  const std::map<std::string, UsedAmounts>& penalties() const { return penalties_; }
  const UsedAmounts& history() const { return history_; }
  void set_history(const UsedAmounts& history) { history_ = history; }
  void Settle(const UsedAmounts& now, double elapsed, double half_life) {
    history_ = Decayed(history_, now, elapsed, half_life);
  }
  double Value(double weight, const ResourceWeights& weights) const {
    return UsageValue(Sum(history_, penalty_), weight, weights);
  }

 private:
  UsedAmounts history_, penalty_;
  std::map<std::string, UsedAmounts> penalties_;  // by workload
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_LOCAL_USAGE_H_
