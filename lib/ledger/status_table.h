// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a task in each status counts for, as data.
//
//   StatusTable statuses = kStatusTable;
//   statuses[TaskStatus::kNominated].pipelined = 2;   // another set of rules
//   Accounting accounting{.statuses = statuses};
//
// A ledger multiplies a row by the task's request and adds it to the accounts. A move takes back
// the row of the old status and adds that of the new one. A row depends on nothing but the status,
// so undoing a move is the reverse move. Columns of a node are read only for tasks in a status that
// holds one (HoldsNode, lib/model/tables.h). A leaving task that is promised another node
// (Ledger::Promise) counts twice: by the row of kReleasing where it is, and by that of kNominated
// where it goes.
#ifndef MUSTER_LEDGER_STATUS_TABLE_H_
#define MUSTER_LEDGER_STATUS_TABLE_H_

#include <array>
#include <cstddef>

#include "muster/types.h"

namespace muster {

// How many times the task's request is in each account; -1: it is taken out of it.
struct StatusRow {
  // Of the node that the task holds or is promised.
  int idle = 0, releasing = 0, pipelined = 0, used = 0;
  int evictable = 0;  // only if the task may be evicted at all
  // Of its job, its queue and all queues above.
  int allocated = 0, pending = 0;
  // 1: a move into the status leaves the task in the Kubernetes view of its node.
  int in_view = 0;

  friend constexpr bool operator==(const StatusRow&, const StatusRow&) = default;

  // This row and `times` times the other, `in_view` aside.
  constexpr StatusRow Plus(int times, const StatusRow& other) const {
    return {.idle = idle + times * other.idle,
            .releasing = releasing + times * other.releasing,
            .pipelined = pipelined + times * other.pipelined,
            .used = used + times * other.used,
            .evictable = evictable + times * other.evictable,
            .allocated = allocated + times * other.allocated,
            .pending = pending + times * other.pending};
  }
};

// A column of values by status.
template <typename Row>
struct ByStatus {
  std::array<Row, kTaskStatusCount> rows = {};

  constexpr Row& operator[](TaskStatus status) { return rows[static_cast<size_t>(status)]; }
  constexpr const Row& operator[](TaskStatus status) const {
    return rows[static_cast<size_t>(status)];
  }
  friend constexpr bool operator==(const ByStatus&, const ByStatus&) = default;
};

using StatusTable = ByStatus<StatusRow>;

// A task holds its node from its placement to its end. A nominated one holds nothing yet: it is
// promised room. One that leaves still holds its node, and counts neither for its queue nor in the
// Kubernetes view.
inline constexpr StatusTable kStatusTable = [] {
  constexpr StatusRow kHolds = {.idle = -1, .used = 1, .allocated = 1, .in_view = 1};
  constexpr StatusRow kMayGo = {
      .idle = -1, .used = 1, .evictable = 1, .allocated = 1, .in_view = 1};
  StatusTable table;
  table[TaskStatus::kPending] = {.pending = 1};
  table[TaskStatus::kPlaced] = kHolds;
  table[TaskStatus::kNominated] = {.pipelined = 1, .allocated = 1, .in_view = 1};
  table[TaskStatus::kBinding] = kHolds;
  table[TaskStatus::kBound] = kMayGo;
  table[TaskStatus::kRunning] = kMayGo;
  table[TaskStatus::kReleasing] = {.idle = -1, .releasing = 1, .used = 1};
  table[TaskStatus::kUnknown] = {.idle = -1, .used = 1, .in_view = 1};
  table[TaskStatus::kWaiting] = kHolds;
  return table;
}();

}  // namespace muster

#endif  // MUSTER_LEDGER_STATUS_TABLE_H_
