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

// By what waiting jobs are ordered; ties by submission. Under easy the job that is promised a start stays the oldest
// whatever the order is: it is the order of those that may go ahead of it.
enum class BatchOrder : uint8_t {
  kFifo,
  kSjf,       // shortest estimate first
  kLjf,       // longest
  kSmallest,  // fewest processors
  kLargest,   // most
  kArea,      // smallest estimate x processors
};

// Where run-time estimates come from.
enum class BatchEstimate : uint8_t {
  kUser,
  kActual,  // the run time itself
  kLastTwo,  // mean of the user's two jobs that ended last, corrected stepwise when it proves too short (EASY++)
};

struct BatchSpec {
  BatchPolicy policy = BatchPolicy::kEasy;
  BatchOrder order = BatchOrder::kFifo;
  BatchEstimate estimate = BatchEstimate::kUser;
  // conservative: a promise once made is only ever moved to an earlier time. Otherwise all promises are made anew, in
  // order, at every pass.
  bool keep_reservations = true;
  bool reservations_given = false;  // the text says which
};

bool IsBatchPolicy(std::string_view spec);  // by its name
absl::StatusOr<BatchSpec> ParseBatchSpec(std::string_view spec);
std::string BatchSpecText(
    const BatchSpec& spec);  // canonical: what differs from the usual, in a fixed order

// The profile that does the same on a cluster of nodes.
std::string ProfileText(const BatchSpec& spec);

// The key waiting jobs are ordered by: smaller first.
int64_t OrderKey(BatchOrder order, int64_t estimate, int64_t processors);

}  // namespace muster

#endif  // MUSTER_REPLAY_BATCH_SPEC_H_
