// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A book from outside the ledger: capacity of nodes that is kept for some tasks, as Koordinator's
// reservations are.
//
// A reservation belongs to a job and keeps an amount of one node. A task of the job that comes to
// the node is given the first reservation with room for it, and stays with it; what a reservation
// has left no other task may take. Which one a task was given depends on what was taken when it
// came, so it cannot be found out anew: it is the task's memo.
#include <algorithm>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/ledger/ledger.h"
#include "lib/model/access.h"
#include "tests/ledger/book_walk.h"

namespace muster::testing {
namespace {

// Column 0: the task takes of its node, and of its reservation.
constexpr BookTable kReservationStatuses = [] {
  BookTable table;
  for (const TaskStatus status :
       {TaskStatus::kPlaced, TaskStatus::kNominated, TaskStatus::kBinding, TaskStatus::kBound,
        TaskStatus::kRunning, TaskStatus::kReleasing, TaskStatus::kUnknown, TaskStatus::kWaiting}) {
    table[status] = {1};
  }
  return table;
}();

struct KeptRoom {  // a reservation
  NodeIndex node;
  JobIndex owner;
  int64_t cpu;  // milli-cores
};

class ReservationBook : public Book {
 public:
  explicit ReservationBook(std::vector<KeptRoom> reservations)
      : Book("reservations", kReservationStatuses, /*has_cells=*/true),
        reservations_(std::move(reservations)) {}

  // milli-cores that tasks without a reservation may take; below 0: none, and more is held than
  // there is.
  int64_t free_cpu(const Tables& tables, NodeIndex n) const {
    int64_t free = OrZero(tables.nodes.allocatable.at(n, kCpu)) - At(held_, n);
    for (size_t r = 0; r < reservations_.size(); ++r) {
      if (reservations_[r].node == n)
        free -= std::max<int64_t>(0, reservations_[r].cpu - taken_[r]);
    }
    return free;
  }
  int64_t taken(size_t r) const { return taken_[r]; }

  void Open(const Tables&) override {
    taken_.assign(reservations_.size(), 0);
    held_.clear();
    unkept_.clear();
  }
  // What is kept of the node beside what is held.
  int64_t CellOf(NodeIndex n) const override { return At(unkept_, n); }
  // What runs there already: every third task has one.
  uint32_t Read(const Tables&, const BookedTask& task) override {
    for (size_t r = 0; r < reservations_.size() && task.task % 3 == 0; ++r) {
      if (Serves(r, task)) return static_cast<uint32_t>(r + 1);
    }
    return 0;
  }
  uint32_t Choose(const Tables& tables, const BookedTask& task, TaskStatus) override {
    const int64_t cpu = tables.classes.request.at(task.task_class, kCpu);
    for (size_t r = 0; r < reservations_.size(); ++r) {
      if (Serves(r, task) && taken_[r] + cpu <= reservations_[r].cpu) {
        return static_cast<uint32_t>(r + 1);
      }
    }
    return 0;
  }
  void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) override {
    const int64_t cpu = times[0] * tables.classes.request.at(task.task_class, kCpu);
    Room(held_, task.node) += cpu;
    if (task.memo == 0) return;
    taken_[task.memo - 1] += cpu;
    Room(unkept_, task.node) += cpu;
  }

 private:
  using ByNode = std::vector<int64_t>;
  static int64_t At(const ByNode& cells, NodeIndex n) { return n < cells.size() ? cells[n] : 0; }
  static int64_t& Room(ByNode& cells, NodeIndex n) {
    if (n >= cells.size()) cells.resize(n + 1, 0);
    return cells[n];
  }
  bool Serves(size_t r, const BookedTask& task) const {
    return task.node != kNone && reservations_[r].node == task.node &&
           reservations_[r].owner == task.job;
  }

  const std::vector<KeptRoom> reservations_;
  std::vector<int64_t> taken_;  // by reservation
  ByNode held_, unkept_;        // by node: by all tasks; by those with a reservation
};

const ReservationBook& ReservationsOf(const Ledger& ledger) {
  return *static_cast<const ReservationBook*>(ledger.book("reservations"));
}

Accounting With(std::vector<KeptRoom> reservations) {
  Accounting accounting;
  accounting.books = {[=] { return std::make_unique<ReservationBook>(reservations); }};
  return accounting;
}

TEST(ReservationBook, KeepsRoomForItsOwners) {
  // Two on each node for each of the first jobs: there is something to choose.
  std::vector<KeptRoom> reservations;
  for (NodeIndex n = 0; n < 6; ++n) {
    for (JobIndex job = 0; job < 4; ++job) {
      reservations.push_back({n, job, 1500});
      reservations.push_back({n, job, 4000});
    }
  }
  int64_t first = 0, second = 0, none = 0;  // tasks of owners, by what they got
  int64_t promised = 0;                     // reservations, to leaving tasks
  WalkBooks(With(reservations), {.nodes = 6, .jobs = 5, .extremes = false},
            [&](const Ledger& ledger) {
              const ReservationBook& book = ReservationsOf(ledger);
              std::vector<int64_t> taken(reservations.size(), 0);
              std::vector<int64_t> held(ledger.tables().nodes.alive.size(), 0);
              const auto add = [&](TaskIndex t, NodeIndex n, uint32_t memo) {
                if (n == kNone) return;
                held[n] += ledger.request(t)[kCpu];
                if (ledger.tables().tasks.job[t] < 4)
                  ++(memo == 0 ? none : memo % 2 ? first : second);
                if (memo == 0) return;
                const KeptRoom& given = reservations[memo - 1];
                ASSERT_EQ(given.node, n);
                ASSERT_EQ(given.owner, ledger.tables().tasks.job[t]);
                taken[memo - 1] += ledger.request(t)[kCpu];
              };
              ForEachTask(ledger, [&](TaskIndex t) {
                add(t, ledger.node_of(t), ledger.memo(book, t));
                add(t, ledger.promised_node(t), ledger.promised_memo(book, t));
                promised += ledger.promised_memo(book, t) != 0;
              });
              for (NodeIndex n = 0; n < held.size(); ++n) {
                int64_t free = OrZero(ledger.tables().nodes.allocatable.at(n, kCpu)) - held[n];
                for (size_t r = 0; r < reservations.size(); ++r) {
                  if (reservations[r].node != n) continue;
                  ASSERT_EQ(book.taken(r), taken[r]) << "reservation " << r;
                  free -= std::max<int64_t>(0, reservations[r].cpu - taken[r]);
                }
                ASSERT_EQ(book.free_cpu(ledger.tables(), n), free) << "node " << n;
              }
            });
  EXPECT_GT(std::min({first, second, none, promised}), 100);
}

// The task that came second has the second reservation, also after its eviction was undone, when
// the first is free.
TEST(ReservationBook, UndoGivesBackTheReservationAndNoOther) {
  ClusterSpec world;
  world.nodes = {{.name = "n", .capacity = {{"cpu", 16}}}};
  world.queues = {{.name = "default"}};
  world.jobs = {{.name = "owner"}, {.name = "other"}};
  for (const char* name : {"a", "b", "c"}) {
    world.tasks.push_back({.name = name,
                           .job = name[0] == 'c' ? "other" : "owner",
                           .shape = {.request = {{"cpu", 3}}}});
  }
  const Cluster cluster = MakeCluster(world);
  const Tables& tables = TablesOf(cluster);
  const JobIndex owner = *tables.jobs.names.Find("owner");
  Ledger ledger(tables, With({{0, owner, 4000}, {0, owner, 5000}}));
  const auto memo = [&](TaskIndex t) { return ledger.memo(ReservationsOf(ledger), t); };
  const auto free = [&] { return ReservationsOf(ledger).free_cpu(tables, 0); };
  EXPECT_EQ(free(), 7000);
  ledger.Move(0, TaskStatus::kPlaced, 0);
  ledger.Move(1, TaskStatus::kPlaced, 0);
  EXPECT_EQ(free(), 7000);
  EXPECT_EQ(memo(0), 1);
  EXPECT_EQ(memo(1), 2);
  ledger.Move(2, TaskStatus::kPlaced, 0);
  EXPECT_EQ(free(), 4000);
  EXPECT_EQ(memo(2), 0);
  ledger.Move(0, TaskStatus::kPending, kNone);
  const Ledger::Savepoint before = ledger.Save();
  ledger.Move(1, TaskStatus::kPending, kNone);
  EXPECT_EQ(memo(1), 0);
  ledger.Move(1, TaskStatus::kPlaced, 0);
  EXPECT_EQ(memo(1), 1);
  ledger.Rollback(before);
  EXPECT_EQ(memo(1), 2);
  EXPECT_EQ(free(), 4000);
}

}  // namespace
}  // namespace muster::testing
