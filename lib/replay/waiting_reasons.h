// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// For what jobs wait, counted for the series of a replay. Jobs are named by their rows in the trace, as World names them.
#ifndef MUSTER_REPLAY_WAITING_REASONS_H_
#define MUSTER_REPLAY_WAITING_REASONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "muster/plan.h"
#include "muster/replay.h"

namespace muster {

// One or two words of a plan's JSON for a reason, and what was scarce: "no_node: insufficient cpu", "queue_limit: cpu".
std::string ShortReason(const Reason& reason, const Plan& plan);

class WaitingReasons {
 public:
  // A cycle has said why jobs wait. Looked into when a sample is taken.
  void Learn(const Plan& plan) {
    plan_ = plan;
    is_read_ = false;
  }

  // Appends a sample to the series: of all `waiting` jobs, those for which `waits(row)` by their reasons, and the rest as
  // not reached.
  template <class Waits>
  void Sample(int64_t waiting, const Waits& waits, ReplaySeries* series);

 private:
  void Read();
  size_t Column(const std::string& reason, ReplaySeries* series);

  struct Known {
    uint32_t row;
    uint32_t reason;  // into words_
  };
  Plan plan_;
  bool is_read_ = true;
  std::vector<Known> known_;  // a job each
  std::vector<std::string> words_;
  HashMap<std::string, size_t> columns_;
};

template <class Waits>
void WaitingReasons::Sample(int64_t waiting, const Waits& waits, ReplaySeries* series) {
  if (!is_read_) Read();
  for (std::vector<int64_t>& column : series->waiting_by_reason) column.push_back(0);
  for (const Known& known : known_) {
    if (!waits(known.row)) continue;
    ++series->waiting_by_reason[Column(words_[known.reason], series)].back();
    --waiting;
  }
  if (waiting > 0) series->waiting_by_reason[Column("not_reached", series)].back() += waiting;
}

}  // namespace muster

#endif  // MUSTER_REPLAY_WAITING_REASONS_H_
