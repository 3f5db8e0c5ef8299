// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/policy/job_size.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "lib/base/math.h"

namespace muster {
namespace {

// Returns the amount in whole cpus or devices, or in Gi where it is bytes.
int64_t WholeUnits(const Tables& tables, DimensionIndex d, int64_t amount) {
  const int64_t unit = IsMilliDimension(tables.dimensions.name(d)) ? 1000
                       : d == kMemory                              ? int64_t{1} << 30
                                                                   : 1;
  return std::max<int64_t>(amount / unit + (amount % unit > 0), 1);
}

}  // namespace

JobSize SizeOfJob(const Tables& tables, const Ledger& ledger, JobIndex job) {
  absl::InlinedVector<std::pair<ClassIndex, int64_t>, 8> classes;  // tasks of one follow each other
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const ClassIndex c = tables.tasks.task_class[task];
    if (classes.empty() || classes.back().first != c) classes.emplace_back(c, 0);
    ++classes.back().second;
  }
  JobSize size;
  for (DimensionIndex d = 0; d < ledger.dimensions(); ++d) {
    if (d == kPods || ledger.total()[d] <= 0) continue;
    int64_t sum = 0;
    for (const auto& [c, count] : classes) {
      sum = SatAdd(sum, SatMul(tables.classes.request.row(c)[d], count));
    }
    const double share = static_cast<double>(sum) / static_cast<double>(ledger.total()[d]);
    if (share <= size.share) continue;
    size = {.share = share, .units = WholeUnits(tables, d, sum)};
  }
  return size;
}

}  // namespace muster
