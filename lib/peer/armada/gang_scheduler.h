// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Tries one gang: limits, then nodes; all members or none.
//
// A gang of new jobs must keep to the limits of the round, the rates, and what its queue may have
// of the class. A gang that comes back keeps only to floating resources. With a uniformity label
// each value is tried: the first one that needs no preemption, or else the one that preempts the
// lowest priorities.
//
// Surprises. The limit of the round is checked before the gang counts, so a round may exceed it by
// one gang. The gang counts while the limit of its queue is checked.
#ifndef MUSTER_PEER_ARMADA_GANG_SCHEDULER_H_
#define MUSTER_PEER_ARMADA_GANG_SCHEDULER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/peer/armada/accounts.h"
#include "lib/peer/armada/node_finder.h"
#include "lib/peer/armada/queue_walk.h"

namespace muster::armada {

// Whether a reason ends the scheduling of new jobs.
bool EndsRound(Reason reason);
bool EndsQueue(Reason reason);
// Whether all jobs of the shape share the reason.
bool ConcernsShape(Reason reason);

class GangScheduler {
 public:
  GangScheduler(const WalkWorld& world, NodeFinder& finder) : world_(world), finder_(finder) {}

  void set_learns_shapes(bool learns) { learns_shapes_ = learns; }

  // Returns kNone if the gang has its nodes.
  absl::StatusOr<Reason> Schedule(const Candidate& gang);
  absl::StatusOr<Reason> CheckLimits(const Candidate& gang) const;
  Reason CheckRound() const;
  Reason CheckFloating(const Candidate& gang) const;

 private:
  absl::StatusOr<Reason> ScheduleBooked(const Candidate& gang);
  absl::StatusOr<Reason> PlaceAnywhere(const Candidate& gang, const ValueFilter& filter);
  absl::StatusOr<Reason> PlaceUniformly(const Candidate& gang, const Gang& own);
  absl::StatusOr<Reason> TryValues(const Candidate& gang, const LabelValues& label,
                                   const std::vector<int>& values);
  double MeanPreempted(const Candidate& gang) const;
  void Commit(const Candidate& gang, int value, const std::vector<Preemption>& preempted);
  absl::Status Refuse(const Candidate& gang, Reason reason);

  const WalkWorld& world_;
  NodeFinder& finder_;
  bool learns_shapes_ = true;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_GANG_SCHEDULER_H_
