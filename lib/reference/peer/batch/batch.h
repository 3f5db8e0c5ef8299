// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Slow twins of the batch policies on a pool of processors: when does each job start?
//
//   BatchStarts starts = ReferenceBatch(trace, {.policy = "easy", .order = "sjf"});
#ifndef MUSTER_REFERENCE_PEER_BATCH_BATCH_H_
#define MUSTER_REFERENCE_PEER_BATCH_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "muster/trace.h"

namespace muster::reference {

struct BatchQuestion {
  std::string policy = "easy";      // fcfs, easy, conservative
  std::string order = "fifo";       // the words of the option `order`
  std::string estimate = "user";    // user, actual, last_two, learnt
  std::string order_estimate = "";  // the same; empty: `estimate`
  // Of learnt, for promises and for the order, in thousandths.
  int64_t quantile = 900, order_quantile = 900;
  bool promises_first = false;        // easy: the head is the first of the order, not the oldest
  double scale = 200, cap = 0.3;      // of due
  std::string reservations = "kept";  // kept, afresh
  bool follow_preceding = false;
  int64_t latency = 0;  // of ReferenceLateBatch: seconds from a cycle to its decisions
};

struct BatchStarts {
  std::vector<int64_t> submit, start;  // kAbsent where it never was
  std::vector<uint8_t> backfilled;
};

// Returns where a job of that estimate and size stands in the order of the question: smaller first.
// `submit` is when it was submitted, `deadline` kAbsent where it has none.
int64_t PlaceInOrder(const BatchQuestion& question, int64_t estimate, int64_t size, int64_t submit,
                     int64_t deadline);

BatchStarts ReferenceBatch(const Trace& trace, const BatchQuestion& question);

// fcfs and easy by cycles after all events of an instant; their decisions come true late. Without
// follow_preceding.
BatchStarts ReferenceLateBatch(const Trace& trace, const BatchQuestion& question);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_BATCH_BATCH_H_
