// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The reasons why jobs wait, counted for the series of a replay. Jobs are named by their rows in
// the trace, as World names them.
#ifndef MUSTER_REPLAY_WAITING_REASONS_H_
#define MUSTER_REPLAY_WAITING_REASONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/plan/plan_data.h"
#include "lib/replay/world.h"
#include "muster/replay.h"

namespace muster {

// Returns one or two words of a plan's JSON for a reason, and the scarce dimension: "no_node:
// insufficient cpu", "queue_limit: cpu".
std::string ShortReason(const Reason& reason, const Tables& tables);

class WaitingReasons {
 public:
  // Takes the reasons out of the plan of a cycle on the world. They are put into words when a
  // sample is taken.
  void Learn(const World& world, PlanData* plan);

  // Appends a sample to the series, of all `waiting` jobs: those for which `waits(row)` returns
  // true by their reasons, and the rest as not reached.
  template <class Waits>
  void Sample(int64_t waiting, const Waits& waits, ReplaySeries* series);

 private:
  size_t Column(const std::string& reason, ReplaySeries* series);

  struct Known {
    uint32_t row;
    uint32_t reason;  // into reasons_
  };
  const Tables* tables_ = nullptr;
  std::vector<Known> known_;  // a job each
  std::vector<Reason> reasons_;
  HashMap<std::string, size_t> columns_;
};

template <class Waits>
void WaitingReasons::Sample(int64_t waiting, const Waits& waits, ReplaySeries* series) {
  for (std::vector<int64_t>& column : series->waiting_by_reason) column.push_back(0);
  std::vector<size_t> columns(reasons_.size(), SIZE_MAX);
  for (const Known& known : known_) {
    if (!waits(known.row)) continue;
    size_t& column = columns[known.reason];
    if (column == SIZE_MAX) column = Column(ShortReason(reasons_[known.reason], *tables_), series);
    ++series->waiting_by_reason[column].back();
    --waiting;
  }
  if (waiting > 0) series->waiting_by_reason[Column("not_reached", series)].back() += waiting;
}

}  // namespace muster

#endif  // MUSTER_REPLAY_WAITING_REASONS_H_
