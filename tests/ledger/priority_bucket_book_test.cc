// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A book from outside the ledger: what is allocated on a node, by priority bucket, as Armada counts
// it.
//
// A bucket holds what a task scheduled at its priority may not use. A task takes of every bucket up
// to its own, because tasks of higher priority may displace it; one that may not be preempted takes
// of all. An evicted task may still come back, so it takes of the lowest bucket, which is below all
// priorities, and of no other.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "tests/ledger/book_walk.h"

namespace muster::testing {
namespace {

constexpr size_t kBuckets = 5;  // 0: of evicted tasks; then by priority, ascending
constexpr std::array<int32_t, kBuckets> kLeastPriority = {-1'000'000'000, -1'000'000'000, 1, 10,
                                                          1000};

// Column 0: the task has its place. Column 1: it was evicted, and may be placed again.
constexpr BookTable kBucketStatuses = [] {
  BookTable table;
  for (const TaskStatus status :
       {TaskStatus::kPlaced, TaskStatus::kBinding, TaskStatus::kBound, TaskStatus::kRunning,
        TaskStatus::kUnknown, TaskStatus::kWaiting}) {
    table[status] = {1, 0};
  }
  table[TaskStatus::kReleasing] = {0, 1};
  return table;
}();

size_t BucketOf(const Tables& tables, TaskIndex t) {
  if ((tables.tasks.flags[t] & kTaskPreemptable) == 0) return kBuckets - 1;
  size_t bucket = kBuckets - 1;
  while (bucket > 1 && tables.tasks.priority[t] < kLeastPriority[bucket]) --bucket;
  return bucket;
}

class PriorityBucketBook : public Book {
 public:
  PriorityBucketBook() : Book("buckets", kBucketStatuses, /*has_cells=*/true) {}

  std::vector<int64_t> allocated(NodeIndex n, size_t bucket) const {
    return n < nodes_.size() && !nodes_[n][bucket].empty() ? nodes_[n][bucket]
                                                           : std::vector<int64_t>(dimensions_, 0);
  }

  void Open(const Tables& tables) override {
    dimensions_ = tables.dimension_count();
    nodes_.clear();
  }
  int64_t CellOf(NodeIndex n) const override { return allocated(n, kBuckets - 1)[kCpu]; }
  // The highest bucket that it takes of.
  uint32_t Read(const Tables& tables, const BookedTask& task) override {
    return static_cast<uint32_t>(BucketOf(tables, task.task));
  }
  void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) override {
    if (task.node >= nodes_.size()) nodes_.resize(task.node + 1);
    const auto request = tables.classes.request.row(task.task_class);
    for (size_t bucket = 0; bucket <= task.memo; ++bucket) {
      std::vector<int64_t>& cells = nodes_[task.node][bucket];
      cells.resize(dimensions_, 0);
      const int count = bucket == 0 ? times[0] + times[1] : times[0];
      for (size_t d = 0; d < dimensions_; ++d) cells[d] += count * request[d];
    }
  }

 private:
  size_t dimensions_ = 0;
  std::vector<std::array<std::vector<int64_t>, kBuckets>> nodes_;
};

const PriorityBucketBook& BucketsOf(const Ledger& ledger) {
  return *static_cast<const PriorityBucketBook*>(ledger.book("buckets"));
}

Accounting WithBuckets() {
  Accounting accounting;
  accounting.books = {[] { return std::make_unique<PriorityBucketBook>(); }};
  return accounting;
}

TEST(PriorityBucketBook, IsWhatTasksTakeOfEachBucket) {
  int64_t evicted = 0;
  WalkBooks(WithBuckets(), {}, [&](const Ledger& ledger) {
    const Tables& tables = ledger.tables();
    const size_t nodes = tables.nodes.alive.size(), dimensions = ledger.dimensions();
    std::vector<std::vector<int64_t>> expected(nodes * kBuckets,
                                               std::vector<int64_t>(dimensions, 0));
    ForEachTask(ledger, [&](TaskIndex t) {
      const NodeIndex n = ledger.node_of(t);
      const TaskStatus status = ledger.status(t);
      if (n == kNone || status == TaskStatus::kNominated) return;
      evicted += status == TaskStatus::kReleasing;
      for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
        const bool takes =
            bucket == 0 || (status != TaskStatus::kReleasing && bucket <= BucketOf(tables, t));
        for (size_t d = 0; takes && d < dimensions; ++d) {
          expected[n * kBuckets + bucket][d] += ledger.request(t)[d];
        }
      }
    });
    for (NodeIndex n = 0; n < nodes; ++n) {
      for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
        ASSERT_EQ(BucketsOf(ledger).allocated(n, bucket), expected[n * kBuckets + bucket])
            << "node " << n << ", bucket " << bucket;
      }
    }
  });
  EXPECT_GT(evicted, 1000);
}

TEST(PriorityBucketBook, EvictionFreesAllBucketsButTheLowest) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 8}}}};
  world.queues = {{.name = "default"}};
  world.jobs = {{.name = "j"}};
  world.tasks = {{.name = "low",
                  .job = "j",
                  .shape = {.request = {{"cpu", 3}}},
                  .status = TaskStatus::kRunning,
                  .node = "n",
                  .priority = 5},
                 {.name = "high", .job = "j", .shape = {.request = {{"cpu", 2}}}, .priority = 10}};
  const Cluster cluster = MakeCluster(world);
  const Tables& tables = TablesOf(cluster);
  Ledger ledger(tables, WithBuckets());
  const TaskIndex low = *tables.tasks.names.Find("low"), high = *tables.tasks.names.Find("high");
  const auto cpu = [&] {
    std::vector<int64_t> taken;
    for (size_t b = 0; b < kBuckets; ++b) {
      taken.push_back(BucketsOf(ledger).allocated(0, b)[kCpu]);
    }
    return taken;
  };
  using Taken = std::vector<int64_t>;
  EXPECT_EQ(cpu(), (Taken{3000, 3000, 3000, 0, 0}));
  const Ledger::Savepoint before = ledger.Save();
  ledger.Move(low, TaskStatus::kReleasing, 0);
  EXPECT_EQ(cpu(), (Taken{3000, 0, 0, 0, 0}));
  ledger.Move(high, TaskStatus::kPlaced, 0);
  EXPECT_EQ(cpu(), (Taken{5000, 2000, 2000, 2000, 0}));
  ledger.Move(low, TaskStatus::kPlaced, 0);
  EXPECT_EQ(cpu(), (Taken{5000, 5000, 5000, 2000, 0}));
  ledger.Rollback(before);
  EXPECT_EQ(cpu(), (Taken{3000, 3000, 3000, 0, 0}));
}

}  // namespace
}  // namespace muster::testing
