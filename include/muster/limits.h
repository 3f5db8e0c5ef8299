// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How much one input may make: a budget of rows, bytes and depth for each text that is read.
//
//   muster::ReadOptions options{.limits = {.rows = 20'000'000}};
//   muster::Limits strict{.rows = 1000, .bytes = 1 << 20, .depth = 32};
//
// Promise. A reader adds up what a text makes and checks the sum before it takes the memory. A few
// bytes that stand for many rows ("count": 1000000000) are so refused at once. Every reader has the
// same defaults: scenarios, saved states, logs of calls, traces, dumps and questions.
// Failure. A reader fails with ResourceExhausted, and names the place, the sum and the limit:
// `nodes.csv:3: 20000000 rows in all; at most 4000000 are read`. Nesting that is too deep is an
// InvalidArgument. A limit of 0 or less admits nothing.
// Ownership. Plain values.
// Threads. Plain values: any number of threads may read one.
// Cost. O(1) a row. The time of a reader is linear in the bytes and rows that it admits.
#ifndef MUSTER_LIMITS_H_
#define MUSTER_LIMITS_H_

#include <cstdint>

namespace muster {

// What one text may make. docs/limits.md lists what counts as a row.
struct Limits {
  // Of all tables together: nodes, queues, jobs, tasks, domains, shapes and so on. A row with a
  // count counts that many times.
  int64_t rows = 4'000'000;
  // Of the text; of a gzip file, once it is inflated.
  int64_t bytes = int64_t{4} << 30;
  // Of arrays and objects inside each other. 256 is the most: a higher limit is one of 256.
  int32_t depth = 256;
};

}  // namespace muster

#endif  // MUSTER_LIMITS_H_
