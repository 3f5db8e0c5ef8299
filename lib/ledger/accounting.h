// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How a profile keeps its accounts: what a status counts for, which books there are, and rules that
// no table has.
//
//   Accounting accounting;                                   // the defaults
//   accounting.statuses[TaskStatus::kReleasing].in_view = 1;
//   accounting.books.push_back(DeviceBook::Factory({.strategy = DevicePick::kPack}));
//   Ledger ledger(tables, accounting);
//
// It is a value: every ledger of a profile is made from the same one, and makes its own books by
// the factories.
#ifndef MUSTER_LEDGER_ACCOUNTING_H_
#define MUSTER_LEDGER_ACCOUNTING_H_

#include <cstdint>
#include <vector>

#include "lib/ledger/book.h"
#include "lib/ledger/status_table.h"
#include "muster/types.h"

namespace muster {

// Amounts below these count as none; 1: every amount counts.
struct LeastAmounts {
  int64_t milli = 1, memory = 1;
  int64_t of(DimensionIndex d) const { return d == kMemory ? memory : milli; }
};

struct Accounting {
  StatusTable statuses = kStatusTable;
  // Books beside the fixed accounts; no two have one name.
  std::vector<BookFactory> books = {};
  // What a node may hold too much of without being overfull (overfull.h), and what queries of
  // amounts neglect.
  LeastAmounts least = {};
  // Scores count the requests of regular containers only; false: those of init containers, too.
  bool score_main_containers = false;
  // Undoing an eviction leaves the task running even if it had only been bound, and out of the
  // Kubernetes view of its node until the cycle ends. No effect where a move to kReleasing keeps
  // tasks in the view.
  bool undone_eviction_lingers = false;
};

}  // namespace muster

#endif  // MUSTER_LEDGER_ACCOUNTING_H_
