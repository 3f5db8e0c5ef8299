// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words of batch policies.
//
//   absl::StatusOr<BatchSpec> spec = ParseBatchSpec("easy:estimate=actual,order=sjf");
#ifndef MUSTER_REPLAY_BATCH_SPEC_H_
#define MUSTER_REPLAY_BATCH_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace muster {

enum class BatchPolicy : uint8_t { kFcfs, kEasy, kConservative };

// The order of waiting jobs; ties by submission. Under easy the job that is promised a start stays
// the oldest for any order, and the order sorts the jobs that may go ahead of it.
enum class BatchOrder : uint8_t {
  kFifo,
  kSjf,       // shortest estimate first
  kLjf,       // longest
  kSmallest,  // fewest processors
  kLargest,   // most
  kArea,      // smallest estimate x processors
};

// The source of run-time estimates.
enum class BatchEstimate : uint8_t {
  kUser,
  kActual,  // the run time itself
  // mean of the user's two jobs that ended last, corrected stepwise when it proves too short
  // (EASY++)
  kLastTwo,
};

struct BatchSpec {
  BatchPolicy policy = BatchPolicy::kEasy;
  BatchOrder order = BatchOrder::kFifo;
  BatchEstimate estimate = BatchEstimate::kUser;
  // conservative: if true, a promise is only ever moved to an earlier time. Otherwise all promises
  // are made anew, in order, at every pass.
  bool keep_reservations = true;
  bool reservations_given = false;  // whether the text sets it
};

bool IsBatchPolicy(std::string_view spec);  // by its name
absl::StatusOr<BatchSpec> ParseBatchSpec(std::string_view spec);
std::string BatchSpecText(
    const BatchSpec& spec);  // canonical: what differs from the usual, in a fixed order

// Returns the profile that does the same on a cluster of nodes.
std::string ProfileText(const BatchSpec& spec);

// Returns the key that orders waiting jobs: smaller first.
int64_t OrderKey(BatchOrder order, int64_t estimate, int64_t processors);

}  // namespace muster

#endif  // MUSTER_REPLAY_BATCH_SPEC_H_
