// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The evicted jobs that have not come back, in the order in which they would. A new job takes the
// place of those that would come last.
#ifndef MUSTER_PEER_ARMADA_EVICTED_JOBS_H_
#define MUSTER_PEER_ARMADA_EVICTED_JOBS_H_

#include <cstddef>
#include <vector>

namespace muster::armada {

class EvictedJobs {
 public:
  explicit EvictedJobs(size_t jobs) : place_(jobs, -1) {}

  void Grow(size_t jobs) { place_.resize(jobs, -1); }
  void Clear() {
    for (const int job : order_) place_[static_cast<size_t>(job)] = -1;
    order_.clear();
    log_.clear();
    removed_places_.clear();
    count_ = 0;
  }
  void Append(int job) {
    place_[static_cast<size_t>(job)] = static_cast<int>(order_.size());
    order_.push_back(job);
    ++count_;
  }
  bool Has(int job) const { return place_[static_cast<size_t>(job)] >= 0; }
  void Remove(int job) {
    if (!Has(job)) return;
    log_.push_back(job);
    removed_places_.push_back(place_[static_cast<size_t>(job)]);
    place_[static_cast<size_t>(job)] = -1;
    --count_;
  }

  size_t size() const { return count_; }
  // With gaps: jobs of which Has is false.
  const std::vector<int>& order() const { return order_; }
  int place(int job) const { return place_[static_cast<size_t>(job)]; }

  size_t Mark() const { return log_.size(); }
  void Undo(size_t mark) {
    while (log_.size() > mark) {
      place_[static_cast<size_t>(log_.back())] = removed_places_.back();
      log_.pop_back();
      removed_places_.pop_back();
      ++count_;
    }
  }

 private:
  std::vector<int> order_, place_, log_, removed_places_;
  size_t count_ = 0;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_EVICTED_JOBS_H_
