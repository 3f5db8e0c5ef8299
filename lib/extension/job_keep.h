// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a policy may promise about jobs from one cycle to the next.
//
//   class Priority : public Policy, public OrderPolicy, public JobKeep { ... };
//   const auto* keep = dynamic_cast<const JobKeep*>(entry->policy);
//   if (keep != nullptr && keep->JobEpoch() == epoch) ...   // ordered as they were
#ifndef MUSTER_EXTENSION_JOB_KEEP_H_
#define MUSTER_EXTENSION_JOB_KEEP_H_

#include <cstdint>

namespace muster {

// Implemented by policies that order jobs or find out whether they are valid. One that does not
// implement it promises nothing.
class JobKeep {
 public:
  // Returns a number that grows when CompareJobs or Valid may answer otherwise than before about
  // jobs with the same rows and accounts. Constant after Open.
  virtual uint64_t JobEpoch() const { return 0; }

 protected:
  ~JobKeep() = default;
};

}  // namespace muster

#endif  // MUSTER_EXTENSION_JOB_KEEP_H_
