// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One table of statuses: the words of the model agree with it, and the validator reads it.
#include "lib/ledger/status_table.h"

#include "gtest/gtest.h"
#include "lib/model/tables.h"

namespace muster {
namespace {

TEST(StatusTable, TheWordsOfTheModelAgreeWithIt) {
  for (int i = 0; i < kTaskStatusCount; ++i) {
    const auto status = static_cast<TaskStatus>(i);
    const StatusRow& row = kStatusTable[status];
    const bool on_a_node = row.used != 0 || row.pipelined != 0;
    EXPECT_EQ(HoldsNode(status), on_a_node) << TaskStatusName(status);
    EXPECT_EQ(IsAllocated(status), row.allocated == 1 && row.used == 1) << TaskStatusName(status);
    // What is used is not idle, and what leaves was used.
    EXPECT_EQ(row.idle, -row.used) << TaskStatusName(status);
    EXPECT_LE(row.releasing, row.used) << TaskStatusName(status);
    EXPECT_EQ(row.pending, status == TaskStatus::kPending) << TaskStatusName(status);
  }
}

}  // namespace
}  // namespace muster
