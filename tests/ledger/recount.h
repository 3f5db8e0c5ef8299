// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The ledger's accounts by name, summed from nothing, and as the ledger has them.
//
//   const States states = FromTables(tables, rules);
//   EXPECT_EQ(FirstDifference(Recount(tables, states, rules), Read(ledger)), "");
#ifndef MUSTER_TESTS_LEDGER_RECOUNT_H_
#define MUSTER_TESTS_LEDGER_RECOUNT_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/ledger/device_book.h"
#include "lib/ledger/ledger.h"

namespace muster::testing {

using Cells = std::vector<int64_t>;
using AccountsByName = std::map<std::string, Cells>;

inline Cells Copy(std::span<const int64_t> row) { return Cells(row.begin(), row.end()); }

// What a test has of every task by following the moves itself.
struct TaskState {
  TaskStatus status;
  NodeIndex node;
  bool view;
  std::vector<DevicePart> grants = {};  // what it holds of the node's devices
  // The same of its second place, which a leaving task may be promised.
  NodeIndex promised = kNone;
  std::vector<DevicePart> promised_grants = {};
  friend bool operator==(const TaskState&, const TaskState&) = default;
};
using States = std::vector<TaskState>;

// As in the tables, before any move.
States FromTables(const Tables& tables, const Accounting& rules);

// Every account, summed over all tasks.
AccountsByName Recount(const Tables& tables, const States& states, const Accounting& rules);

AccountsByName Read(const Ledger& ledger);

// Empty: there is none.
std::string FirstDifference(const AccountsByName& expected, const AccountsByName& actual);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_LEDGER_RECOUNT_H_
