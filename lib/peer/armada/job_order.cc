// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/job_order.h"

namespace muster::armada {
namespace {

bool Active(const Job& job) { return job.run && job.run->active; }

// The smaller value goes first.
template <class T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int CompareAges(const Job& a, const Job& b) {
  return Active(a) && Active(b) ? Compare(a.run->created, b.run->created) : 0;
}

int CompareIds(const RankedJob& a, const RankedJob& b) {
  if (const int order = Compare(a.rank, b.rank)) return order;
  return Compare(a.job->id, b.job->id);
}

int CompareSubmissions(const RankedJob& a, const RankedJob& b) {
  if (const int order = Compare(a.job->submitted, b.job->submitted)) return order;
  return CompareIds(a, b);
}

}  // namespace

int CompareFair(const RankedJob& a, const RankedJob& b) {
  if (CompareIds(a, b) == 0) return 0;
  if (const int order = Compare(Active(*b.job), Active(*a.job))) return order;
  if (const int order = Compare(b.class_priority, a.class_priority)) return order;
  if (const int order = Compare(a.job->priority, b.job->priority)) return order;
  if (const int order = CompareAges(*a.job, *b.job)) return order;
  return CompareSubmissions(a, b);
}

FairKey FairKeyOf(const Job& job, int32_t class_priority, int rank) {
  FairKey key;
  key.waits = !Active(job);
  key.class_priority = -int64_t{class_priority};
  key.priority = job.priority;
  // Of two jobs that are equal so far, both run or none does.
  if (!key.waits) key.created = job.run->created;
  key.submitted = job.submitted;
  key.rank = rank;
  return key;
}

int CompareMarket(const RankedJob& a, const RankedJob& b) {
  if (CompareIds(a, b) == 0) return 0;
  if (const int order = Compare(b.class_priority, a.class_priority)) return order;
  if (const int order = Compare(b.bid, a.bid)) return order;
  if (const int order = Compare(Active(*b.job), Active(*a.job))) return order;
  if (const int order = CompareAges(*a.job, *b.job)) return order;
  return CompareSubmissions(a, b);
}

}  // namespace muster::armada
