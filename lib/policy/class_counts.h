// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The number of tasks of each class, kept from cycle to cycle.
//
//   ClassCounts counts;
//   if (counts.Follow(cycle)) Reweigh(counts.tasks());      // by class; before each cycle
//
// Counts tasks of jobs in any status. Rounds each number down to its four highest binary digits,
// so that a task more or less rarely changes one: what is derived from them is then kept, too.
// Cost. O(tasks of jobs that changed) a cycle.
#ifndef MUSTER_POLICY_CLASS_COUNTS_H_
#define MUSTER_POLICY_CLASS_COUNTS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/extension/cycle.h"
#include "lib/policy/kept_sums.h"

namespace muster {

class ClassCounts {
 public:
  // Returns whether a rounded number changed.
  bool Follow(const Cycle& cycle) {
    const Tables& tables = internal::DataOf(cycle).tables;
    if (internal::DataOf(cycle).changed == nullptr) {
      exact_.clear();
      of_job_.clear();
    }
    exact_.resize(tables.classes.shape.size(), 0);
    of_job_.resize(tables.jobs.alive.size());
    ForChangedJobs(cycle, [&](JobIndex job) { Read(tables, job); });
    std::vector<int64_t> rounded(exact_.size());
    std::ranges::transform(exact_, rounded.begin(), Rounded);
    const bool changed = rounded != rounded_;
    rounded_ = std::move(rounded);
    return changed;
  }
  std::span<const int64_t> tasks() const { return rounded_; }

  static int64_t Rounded(int64_t number) {
    const int digits = std::bit_width(static_cast<uint64_t>(number));
    const int cut = std::max(0, digits - 4);
    return number >> cut << cut;
  }

 private:
  void Read(const Tables& tables, JobIndex job) {
    for (const auto& [c, tasks] : of_job_[job]) exact_[c] -= tasks;
    of_job_[job].clear();
    if (!tables.jobs.alive[job]) return;
    for (const TaskIndex t : tables.jobs.tasks[job]) {
      const ClassIndex c = tables.tasks.task_class[t];
      const auto known =
          std::ranges::find(of_job_[job], c, [](const auto& entry) { return entry.first; });
      if (known != of_job_[job].end()) {
        ++known->second;
      } else {
        of_job_[job].emplace_back(c, 1);
      }
    }
    for (const auto& [c, tasks] : of_job_[job]) exact_[c] += tasks;
  }

  std::vector<absl::InlinedVector<std::pair<ClassIndex, int64_t>, 1>> of_job_;
  std::vector<int64_t> exact_, rounded_;  // by class
};

}  // namespace muster

#endif  // MUSTER_POLICY_CLASS_COUNTS_H_
