// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A book from outside the ledger: usage by queue, flavor and resource, as Kueue counts it.
//
// A queue keeps to itself what it does not lend. Usage first fills that local quota; only what goes
// beyond it is usage of the queue above, and so on to the root. The flavor is that of the node.
// Quotas are rows of the tables: when they change, so does what a queue shows to the one above it.
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

constexpr size_t kFlavors = 2;
uint32_t FlavorOf(NodeIndex n) { return n % kFlavors; }

// Quota is held from the nomination on.
constexpr BookTable kFlavorStatuses = [] {
  BookTable table;
  for (const TaskStatus status : {TaskStatus::kPlaced, TaskStatus::kNominated, TaskStatus::kBinding,
                                  TaskStatus::kBound, TaskStatus::kRunning, TaskStatus::kWaiting}) {
    table[status] = {1};
  }
  return table;
}();

// A queue's quota and what it lends of it at most, kAbsent being all: by the tables, and in a way
// of the test's own where they are silent.
int64_t QuotaOf(const QueueTable& queues, QueueIndex q, DimensionIndex d) {
  const int64_t quota = queues.guaranteed.at(q, d);
  if (quota != kAbsent) return quota;
  return d == kCpu ? 3000 : 2;
}
int64_t LentAtMost(const QueueTable& queues, QueueIndex q, DimensionIndex d) {
  const int64_t limit = queues.lend_limit.at(q, d);
  return limit == kAbsent && q % 2 == 1 ? QuotaOf(queues, q, d) / 2 : limit;
}

// What a queue does not lend of its quota and of what its children lend it.
std::vector<int64_t> LocalQuotas(const Tables& tables) {
  const QueueTable& queues = tables.queues;
  const size_t dimensions = tables.dimension_count(), count = queues.alive.size();
  std::vector<int64_t> subtree(count * dimensions, 0), local(count * dimensions, 0);
  std::vector<QueueIndex> order;  // parents before children
  for (QueueIndex q = 0; q < count; ++q) {
    if (queues.alive[q] && queues.parent[q] == kNone) order.push_back(q);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const auto& children = queues.children[order[i]];
    order.insert(order.end(), children.begin(), children.end());
  }
  for (size_t i = order.size(); i-- > 0;) {
    const QueueIndex q = order[i];
    for (DimensionIndex d = 0; d < dimensions; ++d) {
      const size_t cell = q * dimensions + d;
      const int64_t limit = LentAtMost(queues, q, d);
      subtree[cell] += QuotaOf(queues, q, d);
      if (limit != kAbsent) local[cell] = std::max<int64_t>(0, subtree[cell] - limit);
      if (queues.parent[q] == kNone) continue;
      subtree[queues.parent[q] * dimensions + d] += subtree[cell] - local[cell];
    }
  }
  return local;
}

class FlavorUsageBook : public Book {
 public:
  FlavorUsageBook() : Book("usage", kFlavorStatuses) {}

  int64_t usage(QueueIndex q, uint32_t flavor, DimensionIndex d) const {
    return usage_[flavor][q * dimensions_ + d];
  }

  void Open(const Tables& tables) override {
    dimensions_ = tables.dimension_count();
    for (auto& own : own_) own.assign(tables.queues.alive.size() * dimensions_, 0);
    Recount(tables);
  }
  bool Follow(const Tables& tables, const Change& change) override {
    if (change.table == Change::Table::kQueue) {
      for (auto& own : own_) own.resize(tables.queues.alive.size() * dimensions_, 0);
      Recount(tables);
    }
    return false;
  }
  void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) override {
    if (task.queue == kNone || task.node == kNone) return;
    const auto request = tables.classes.request.row(task.task_class);
    for (DimensionIndex d = 0; d < dimensions_; ++d) {
      own_[FlavorOf(task.node)][task.queue * dimensions_ + d] += times[0] * request[d];
      Add(FlavorOf(task.node), task.queue, d, times[0] * request[d]);
    }
  }

 private:
  void Add(uint32_t flavor, QueueIndex q, DimensionIndex d, int64_t amount) {
    for (; q != kNone && amount != 0; q = parent_[q]) {
      const size_t cell = q * dimensions_ + d;
      const int64_t beyond = std::max<int64_t>(0, usage_[flavor][cell] - local_[cell]);
      usage_[flavor][cell] += amount;
      amount = std::max<int64_t>(0, usage_[flavor][cell] - local_[cell]) - beyond;
    }
  }
  void Recount(const Tables& tables) {
    local_ = LocalQuotas(tables);
    parent_ = tables.queues.parent;
    for (uint32_t flavor = 0; flavor < kFlavors; ++flavor) {
      usage_[flavor].assign(own_[flavor].size(), 0);
      for (size_t cell = 0; cell < own_[flavor].size(); ++cell) {
        Add(flavor, static_cast<QueueIndex>(cell / dimensions_),
            static_cast<DimensionIndex>(cell % dimensions_), own_[flavor][cell]);
      }
    }
  }

  size_t dimensions_ = 0;
  std::vector<int64_t> local_;
  std::vector<QueueIndex> parent_;
  // By flavor; cells by queue and resource: what is charged to the queue itself, and its usage.
  std::array<std::vector<int64_t>, kFlavors> own_, usage_;
};

const FlavorUsageBook& UsageOf(const Ledger& ledger) {
  return *static_cast<const FlavorUsageBook*>(ledger.book("usage"));
}

Accounting WithUsage() {
  Accounting accounting;
  accounting.books = {[] { return std::make_unique<FlavorUsageBook>(); }};
  return accounting;
}

// Usage of the queue, from its tasks and its children: what a child uses beyond its local quota.
int64_t Recount(const Ledger& ledger, const std::vector<int64_t>& local, QueueIndex q,
                uint32_t flavor, DimensionIndex d) {
  const Tables& tables = ledger.tables();
  int64_t usage = 0;
  ForEachTask(ledger, [&](TaskIndex t) {
    const JobIndex job = tables.tasks.job[t];
    const TaskStatus status = ledger.status(t);
    if (job == kNone || tables.jobs.queue[job] != q) return;
    const bool holds = IsAllocated(status) || status == TaskStatus::kNominated;
    const NodeIndex node = holds ? ledger.node_of(t) : ledger.promised_node(t);
    if (node != kNone && FlavorOf(node) == flavor) usage += ledger.request(t)[d];
  });
  for (const QueueIndex child : tables.queues.children[q]) {
    const int64_t of_child = Recount(ledger, local, child, flavor, d);
    usage += std::max<int64_t>(0, of_child - local[child * ledger.dimensions() + d]);
  }
  return usage;
}

TEST(FlavorUsageBook, BubblesWhatGoesBeyondTheLocalQuota) {
  int64_t within = 0, beyond = 0;  // how often a queue with a local quota was
  WalkBooks(WithUsage(), {.jobs = 5, .tasks = 4, .extremes = false, .lending = true},
            [&](const Ledger& ledger) {
              const Tables& tables = ledger.tables();
              const std::vector<int64_t> local = LocalQuotas(tables);
              for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
                if (!tables.queues.alive[q]) continue;
                for (DimensionIndex d = 0; d < ledger.dimensions(); ++d) {
                  for (uint32_t flavor = 0; flavor < kFlavors; ++flavor) {
                    const int64_t usage = UsageOf(ledger).usage(q, flavor, d);
                    ASSERT_EQ(usage, Recount(ledger, local, q, flavor, d))
                        << "queue " << q << ", flavor " << flavor << ", dimension " << d;
                    const int64_t quota = local[q * ledger.dimensions() + d];
                    if (usage == 0 || quota == 0) continue;
                    ++(usage > quota ? beyond : within);
                  }
                }
              }
            });
  EXPECT_GT(within, 100);
  EXPECT_GT(beyond, 100);
}

TEST(FlavorUsageBook, IsThatOfTheFlavor) {
  ClusterSpec world;
  world.nodes = {{.name = "a", .capacity = {{"cpu", 8}}}, {.name = "b", .capacity = {{"cpu", 8}}}};
  world.queues = {{.name = "cohort"},
                  {.name = "default",
                   .parent = "cohort",
                   .guaranteed = Resources{{"cpu", 5}},
                   .lend_limit = Resources{{"cpu", 2}}}};
  world.jobs = {{.name = "j"}};
  for (const char* name : {"s", "t", "u"}) {
    world.tasks.push_back({.name = name, .job = "j", .shape = {.request = {{"cpu", 2}}}});
  }
  Cluster cluster = MakeCluster(world);
  const Tables& tables = TablesOf(cluster);
  Ledger ledger(tables, WithUsage());
  const QueueIndex cohort = *tables.queues.names.Find("cohort");
  const QueueIndex queue = *tables.queues.names.Find("default");
  const auto cpu = [&](QueueIndex q) {
    return std::vector<int64_t>{UsageOf(ledger).usage(q, 0, kCpu),
                                UsageOf(ledger).usage(q, 1, kCpu)};
  };
  using Cpu = std::vector<int64_t>;
  // Of 5 the queue keeps 3 to itself, of each flavor.
  ledger.Move(0, TaskStatus::kPlaced, 0);
  EXPECT_EQ(cpu(queue), (Cpu{2000, 0}));
  EXPECT_EQ(cpu(cohort), (Cpu{0, 0}));
  const Ledger::Savepoint before = ledger.Save();
  ledger.Move(1, TaskStatus::kNominated, 0);
  EXPECT_EQ(cpu(queue), (Cpu{4000, 0}));
  EXPECT_EQ(cpu(cohort), (Cpu{1000, 0}));
  ledger.Move(2, TaskStatus::kPlaced, 1);
  EXPECT_EQ(cpu(queue), (Cpu{4000, 2000}));
  EXPECT_EQ(cpu(cohort), (Cpu{1000, 0}));
  ledger.Rollback(before);
  EXPECT_EQ(cpu(queue), (Cpu{2000, 0}));
  EXPECT_EQ(cpu(cohort), (Cpu{0, 0}));
}

}  // namespace
}  // namespace muster::testing
