// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The penalty for queues of short jobs: a job that ends soon after its start counts as if it still
// ran, until `cutoff` has passed since that start.
//
//   ShortJobs jobs(/*cutoff=*/60);
//   jobs.Load(memory.Recall(kShortJobSlot.slot));
//   jobs.SetNow(now);                     // drops what is over
//   jobs.Report({.id = "a", .queue = "q", .requests = {{"cpu", 500}}, .started = now - 5});
//   state.queues[0].penalty = jobs.PenaltyOf("q", state.resources);
//
// The penalty raises the cost by which queues take turns, and changes neither shares nor limits.
// A job is charged once, and is over at the moment of its deadline. Preempted jobs are not charged.
//
// Cost. A report O(log charges), the penalty of a queue O(charges).
#ifndef MUSTER_PEER_ARMADA_SHORT_JOBS_H_
#define MUSTER_PEER_ARMADA_SHORT_JOBS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/extension/memory_slots.h"
#include "lib/ledger/ledger.h"
#include "lib/peer/armada/cluster.h"
#include "lib/peer/armada/config.h"

namespace muster::armada {

inline constexpr MemoryDecl kShortJobSlot = {"armada-short-jobs", 1};

using NamedAmounts = std::vector<std::pair<std::string, int64_t>>;

struct EndedJob {
  std::string id;
  std::string queue;
  NamedAmounts requests;
  bool ended = true;  // it succeeded, failed or was cancelled
  bool preempted = false;
  std::optional<int64_t> started;  // absent: it never ran
};

class ShortJobs {
 public:
  // A cutoff of 0 charges nothing.
  explicit ShortJobs(int64_t cutoff) : cutoff_(cutoff) {}

  // Moves the clock. Nothing is charged before the first call.
  void SetNow(int64_t now);
  // Returns whether a report of the job would be charged now.
  bool IsShort(const EndedJob& job) const;
  void Report(const EndedJob& job);
  // Returns what the queue is charged, by resource.
  Amounts PenaltyOf(std::string_view queue, std::span<const Resource> resources) const;

  void Load(const MemorySlot& slot);
  MemorySlot Stored() const;

  // Returns whether both charge the same, whatever their clocks.
  friend bool operator==(const ShortJobs& a, const ShortJobs& b) {
    return a.charges_ == b.charges_;
  }

 private:
  struct Charge {
    std::string queue;
    int64_t deadline = 0;
    NamedAmounts requests;
    friend bool operator==(const Charge&, const Charge&) = default;
  };

  int64_t cutoff_;
  std::optional<int64_t> now_;
  std::map<std::string, Charge, std::less<>> charges_;  // by id
};

// Reports all ended tasks of the tables that belong to the pool. O(tasks).
void ReportEnded(const muster::Tables& tables, const Ledger& ledger, const Config& config,
                 ShortJobs* jobs);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_SHORT_JOBS_H_
