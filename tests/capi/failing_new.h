// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The operators new and delete of the executable that this is linked to: they count what is alive,
// and fail on demand.
#ifndef MUSTER_CAPI_FAILING_NEW_H_
#define MUSTER_CAPI_FAILING_NEW_H_

#include <atomic>
#include <cstdint>

namespace muster {

extern std::atomic<int64_t> living;         // allocations that were not given back
extern std::atomic<int64_t> until_failure;  // 1: the next one fails; below 0: none does
extern std::atomic<bool> persistent;        // and all after it

// Returns which allocation of a call fails next: each of the first two hundred, then every seventh,
// and each one with MUSTER_EVERY_ALLOCATION set (./test --full). Those of a long call repeat each
// other, and trying all takes the square of their number.
int64_t NextToFail(int64_t at);

}  // namespace muster

#endif  // MUSTER_CAPI_FAILING_NEW_H_
