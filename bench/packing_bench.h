// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#ifndef MUSTER_BENCH_PACKING_BENCH_H_
#define MUSTER_BENCH_PACKING_BENCH_H_

namespace muster::bench {

void RegisterPacking();

}  // namespace muster::bench

#endif  // MUSTER_BENCH_PACKING_BENCH_H_
