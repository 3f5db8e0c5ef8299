// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What every row is measured by: the time that this thread has run, so that others on the machine
// count little.
#ifndef MUSTER_BENCH_THREAD_CLOCK_H_
#define MUSTER_BENCH_THREAD_CLOCK_H_

#include <time.h>

namespace muster::bench {

inline double Seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace muster::bench

#endif  // MUSTER_BENCH_THREAD_CLOCK_H_
