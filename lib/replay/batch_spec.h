// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The words of batch policies.
//
//   absl::StatusOr<BatchSpec> spec = ParseBatchSpec("easy:estimate=actual,order=sjf");
#ifndef MUSTER_REPLAY_BATCH_SPEC_H_
#define MUSTER_REPLAY_BATCH_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/policy/due_order.h"
#include "muster/types.h"

namespace muster {

enum class BatchPolicy : uint8_t { kFcfs, kEasy, kConservative };

// The order of waiting jobs; ties by submission.
enum class BatchOrder : uint8_t {
  kFifo,
  kSjf,       // shortest estimate first
  kLjf,       // longest
  kSmallest,  // fewest processors
  kLargest,   // most
  kArea,      // smallest estimate x processors
  kDue,       // earliest due time (due_order.h)
  kSaf,       // smallest estimate x processors; the first of the order is the head
  kF1,        // smallest number of a formula (job_keys.h)
  kF2,
  kF3,
  kF4,
  kEdf,  // earliest deadline; jobs without one go last
};

// easy: the job that is promised a start. The order sorts the jobs that may go ahead of it.
enum class BatchHead : uint8_t { kOldest, kFirst };  // kFirst: of the order

// The source of run-time estimates.
enum class BatchEstimate : uint8_t {
  kUser,
  kActual,  // the run time itself
  // mean of the user's two jobs that ended last, corrected stepwise when it proves too short
  // (EASY++)
  kLastTwo,
  // an upper bound that holds for a chosen part of the jobs, from those that have ended
  // (estimates.h)
  kLearnt,
};

// A source with what belongs to it.
struct RunGuesses {
  BatchEstimate source = BatchEstimate::kUser;
  // Of kLearnt: the part of the jobs that run no longer than the guess, above 0 and below 1.
  double quantile = 0.9;
  friend bool operator==(const RunGuesses&, const RunGuesses&) = default;
};

struct BatchSpec {
  BatchPolicy policy = BatchPolicy::kEasy;
  BatchOrder order = BatchOrder::kFifo;
  BatchEstimate estimate = BatchEstimate::kUser;
  // By which the order compares jobs. Absent: by `estimate`. Not of kDue, which guesses by itself.
  std::optional<BatchEstimate> order_estimate = {};
  double quantile = RunGuesses().quantile;    // of kLearnt
  std::optional<double> order_quantile = {};  // of order_estimate=learnt; absent: `quantile`
  std::optional<BatchHead> head = {};         // absent: kFirst from kDue on, else kOldest
  DueSettings due = {};                       // of kDue
  // conservative: if true, a promise is only ever moved to an earlier time. Otherwise all promises
  // are made anew, in order, at every pass.
  bool keep_reservations = true;
  bool reservations_given = false;  // whether the text sets it

  // What promises and the order go by.
  RunGuesses promises_by() const {
    return estimate == BatchEstimate::kLearnt ? RunGuesses{estimate, quantile}
                                              : RunGuesses{.source = estimate};
  }
  RunGuesses orders_by() const {
    const BatchEstimate source = order_estimate.value_or(estimate);
    return source == BatchEstimate::kLearnt ? RunGuesses{source, order_quantile.value_or(quantile)}
                                            : RunGuesses{.source = source};
  }
  bool promises_first() const {
    return head.value_or(order >= BatchOrder::kDue ? BatchHead::kFirst : BatchHead::kOldest) ==
           BatchHead::kFirst;
  }
};

bool IsBatchPolicy(std::string_view spec);  // by its name
// Returns the refusal of policies and actions of the caller on a pool, where no cycle asks them.
absl::Status PoolTakesNone(std::string_view spec);
absl::StatusOr<BatchSpec> ParseBatchSpec(std::string_view spec);
std::string BatchSpecText(
    const BatchSpec& spec);  // canonical: what differs from the usual, in a fixed order

// Returns the profile that does the same on a cluster of nodes. Fails with InvalidArgument if the
// policy has an option that only pools have.
absl::StatusOr<std::string> ProfileText(const BatchSpec& spec);

// Returns whether decisions depend on run times of jobs that have not ended. An estimate that is
// `absent` in a trace is replaced by the run time.
bool IsClairvoyant(const BatchSpec& spec, bool absent);

// What orders read of a job.
struct OrderedJob {
  int64_t estimate = 1, processors = 1, submit = 0;
  int64_t deadline = kAbsent;
};

// Returns the key that orders waiting jobs: smaller first. Numbers of formulas count in
// thousandths. REQUIRES: the order is not kDue.
int64_t OrderKey(BatchOrder order, const OrderedJob& job);

}  // namespace muster

#endif  // MUSTER_REPLAY_BATCH_SPEC_H_
