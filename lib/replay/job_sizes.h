// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How large the jobs of a trace are, for histories of run times: processors, whole cpus, whole GPUs
// or Gi, of the resource of which a job requests the largest part of the machine.
//
//   const JobSizes sizes(trace);
//   const int64_t processors = sizes.of(row);
//
// Cost. O(jobs + nodes x resources); a call O(1).
#ifndef MUSTER_REPLAY_JOB_SIZES_H_
#define MUSTER_REPLAY_JOB_SIZES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "muster/trace.h"

namespace muster {

// The rule, for any machine of nodes.
class MachineSizes {
 public:
  explicit MachineSizes(const std::vector<NodeSpec>& nodes);
  // What so many tasks request together. Returns 1 or more.
  int64_t Of(const std::vector<std::pair<const Resources*, int64_t>>& requests) const;

 private:
  HashMap<std::string, int64_t> total_;  // by resource
};

class JobSizes {
 public:
  // `trace` must outlive this.
  explicit JobSizes(const Trace& trace);
  // Returns 1 or more.
  int64_t of(uint32_t job) const;

 private:
  uint64_t KeyOf(uint32_t job) const;

  const Trace& trace_;
  const MachineSizes machine_;
  HashMap<uint64_t, int64_t> known_;  // by shape and tasks
};

}  // namespace muster

#endif  // MUSTER_REPLAY_JOB_SIZES_H_
