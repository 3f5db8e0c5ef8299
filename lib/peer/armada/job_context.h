// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a round has decided about each job so far.
#ifndef MUSTER_PEER_ARMADA_JOB_CONTEXT_H_
#define MUSTER_PEER_ARMADA_JOB_CONTEXT_H_

#include <cstdint>
#include <vector>

#include "lib/peer/armada/cluster.h"

namespace muster::armada {

enum class Method : uint8_t {
  kNone,
  kRescheduled,
  kNoPreemption,
  kFairShare,
  kUrgency,
  kAway,
  kOptimiser
};

// Why a gang did not get its nodes. The comments say how far a reason reaches; the others concern
// one gang alone.
enum class Reason : uint8_t {
  kNone,
  kJobDoesNotFit,   // all jobs of the shape
  kGangDoesNotFit,  // all jobs of the shape, where the gang has one job
  kRoundLimit,      // all new jobs
  kQueueCordoned,   // the queue's new jobs
  kRateLimit,       // all new jobs
  kGangAboveBurst,  // all jobs of the shape, where the gang has one job
  kGangAboveRate,
  kQueueRateLimit,  // the queue's new jobs
  kGangAboveQueueBurst,
  kGangAboveQueueRate,
  kQueueLimit,
  kNoFloatingResources,  // the pool has none
  kFloatingLimit,        // FloatingShortage names the resource
  kLabelNotIndexed,
  kLabelWithoutNodes,
  kNoUniformNodes,
};

// The latest search for a node.
struct Attempt {
  bool made = false;
  bool away = false;
  Method method = Method::kNone;
  int away_type = -1;  // place among the away node types of the class
  int node = -1;
  int32_t scheduled_at = 0;
  int32_t preempted_at = kEvictedPriority;
};

struct JobContext {
  bool evicted = false;
  Reason reason = Reason::kNone;
  int own_node = -1;       // of an evicted job: the only one it may go to
  int cardinality = 1;     // of its gang, without members that have ended
  int preemptor = -1;      // job that took its place
  int sibling = -1;        // member of its gang that was preempted first
  int uniform_value = -1;  // place among the values of the gang's label; -1: none was asked for
  bool optimised_away = false;  // preempted by the optimiser
  uint64_t tolerated = 0;       // away node types that an attempt has found nodes of, as bits
  Attempt attempt;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_JOB_CONTEXT_H_
