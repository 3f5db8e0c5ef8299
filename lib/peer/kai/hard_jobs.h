// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs of a world that failed in an action, by their signatures (scheduling_signature.h).
#ifndef MUSTER_PEER_KAI_HARD_JOBS_H_
#define MUSTER_PEER_KAI_HARD_JOBS_H_

#include <cstdint>

#include "lib/peer/kai/scheduling_signature.h"
#include "lib/peer/kai/world.h"

namespace muster {

class KaiHardJobList {
 public:
  // Returns false if a job like this one failed, and this one is not easier.
  bool IsEasier(const KaiWorld& world, const KaiJob& job) const;
  void Update(const KaiWorld& world, const KaiJob& job);

 private:
  KaiHardJobs failed_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_HARD_JOBS_H_
