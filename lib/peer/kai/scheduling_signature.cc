// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/scheduling_signature.h"

#include <algorithm>
#include <utility>

#include "lib/base/go_sort.h"
#include "lib/peer/kai/node_fit.h"

namespace muster {
namespace {

// Positions in the order of sizes, as the peer's sort leaves them.
std::vector<const std::vector<double>*> BySize(const KaiRequests& requests) {
  std::vector<const std::vector<double>*> order;
  for (const std::vector<double>& request : requests) order.push_back(&request);
  GoSort(order, [](const std::vector<double>* a, const std::vector<double>* b) {
    return WithinKaiVector(*a, *b);
  });
  return order;
}

}  // namespace

bool IsKaiJobEasier(const KaiRequests& job, const KaiRequests& than) {
  if (job.empty() || than.empty()) return false;
  if (than.size() > job.size()) return true;
  const auto ours = BySize(job), theirs = BySize(than);
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (WithinKaiVector(*ours[i], *theirs[i]) && !WithinKaiVector(*theirs[i], *ours[i])) {
      return true;
    }
  }
  return false;
}

bool IsKaiJobSmaller(const KaiRequests& job, const KaiRequests& than) {
  if (job.empty() || than.empty() || job.size() > than.size()) return false;
  const auto ours = BySize(job), theirs = BySize(than);
  for (size_t i = 0; i < ours.size(); ++i) {
    if (!WithinKaiVector(*ours[i], *theirs[i])) return false;
  }
  return true;
}

bool KaiHardJobs::IsEasier(uint64_t signature, const KaiRequests& pending) const {
  const auto at = std::lower_bound(rows_.begin(), rows_.end(), signature,
                                   [](const Row& r, uint64_t s) { return r.signature < s; });
  if (at == rows_.end() || at->signature != signature) return true;
  return IsKaiJobEasier(pending, at->pending);
}

void KaiHardJobs::Update(uint64_t signature, KaiRequests pending) {
  const auto at = std::lower_bound(rows_.begin(), rows_.end(), signature,
                                   [](const Row& r, uint64_t s) { return r.signature < s; });
  if (at == rows_.end() || at->signature != signature) {
    rows_.insert(at, {signature, std::move(pending)});
  } else if (IsKaiJobSmaller(pending, at->pending)) {
    at->pending = std::move(pending);
  }
}

}  // namespace muster
