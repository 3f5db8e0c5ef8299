// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a gang must keep to beside its nodes, and what a queue may have of a class.
//
//   Amounts limit = LimitOf(state.resources, state.total, {{"cpu", 0.5}});    // half of all cpus
//   CheckGangLimits({.pool = pool, .queue = queue, .held = held, .limit = limit}, /*jobs=*/4);
//
// Surprises. Of several fractions of one resource the last counts, so those of a queue and of a
// pool come last. A limit of a share that comes to nothing is 0, and no fraction is no limit.
#ifndef MUSTER_PEER_ARMADA_LIMITS_H_
#define MUSTER_PEER_ARMADA_LIMITS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/job_context.h"

namespace muster::armada {

// A part of what the pool has of a resource.
struct Fraction {
  std::string resource;
  double part = 1;
};

// Returns the part of the amount, as the peer rounds it: all of it for 1, and else toward zero.
int64_t PartOf(int64_t amount, double part);

// Returns the amounts that the fractions come to; kUnlimited for resources without one.
Amounts LimitOf(std::span<const Resource> resources, const Amounts& total,
                std::span<const Fraction> fractions);

// Returns the smaller amount of each resource.
Amounts Capped(Amounts amounts, const Amounts& limit);

// Returns whether `amounts` has more than `limit` of anything. An empty limit is none.
bool Exceeds(const Amounts& amounts, const Amounts& limit);

// Checks what the round has scheduled so far, without the gang.
Reason CheckRoundLimit(const Amounts& scheduled, const Amounts& limit);

// What a gang of new jobs finds in its pool and queue.
struct GangLimits {
  bool cordoned = false;
  const Limiter& pool;
  const Limiter& queue;
  const Amounts& held;   // by the queue in jobs of the class, the gang included
  const Amounts& limit;  // of the queue and the class
};
// Checks a gang of so many new jobs.
Reason CheckGangLimits(const GangLimits& limits, int64_t jobs);

// Checks what the whole pool holds, the gang included. `limits` is absent where the pool has none.
Reason CheckFloatingLimits(std::span<const Resource> resources, const Amounts& held,
                           const std::optional<Amounts>& limits);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_LIMITS_H_
