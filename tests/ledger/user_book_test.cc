// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A book from outside the ledger: users inside queues, as YARN counts them.
//
// What a user of a queue has decides whether the user may have more of it; how much that is depends
// on the number of users that are active there, which are those with tasks that wait. Whether a
// container that is being preempted still counts for its user is a matter of the table alone: the
// test runs with both.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/ledger/ledger.h"
#include "tests/ledger/book_walk.h"

namespace muster::testing {
namespace {

// Column 0: the user has its request. Column 1: the user waits for it.
BookTable Statuses(bool leaving_counts) {
  BookTable table;
  for (const TaskStatus status : {TaskStatus::kPlaced, TaskStatus::kNominated, TaskStatus::kBinding,
                                  TaskStatus::kBound, TaskStatus::kRunning, TaskStatus::kWaiting}) {
    table[status] = {1, 0};
  }
  table[TaskStatus::kPending] = {0, 1};
  if (leaving_counts) table[TaskStatus::kReleasing] = {1, 0};
  return table;
}

uint32_t UserOf(JobIndex job) { return job % 3; }

using Key = std::pair<QueueIndex, uint32_t>;  // a queue and a user
using Used = std::map<Key, std::vector<int64_t>>;

class UserBook : public Book {
 public:
  explicit UserBook(const BookTable& statuses) : Book("users", statuses) {}

  // Users that have something, in any dimension.
  Used used() const {
    Used used = used_;
    std::erase_if(used, [](const auto& entry) {
      return std::ranges::all_of(entry.second, [](int64_t amount) { return amount == 0; });
    });
    return used;
  }
  int active_users(QueueIndex q) const {
    const auto it = active_.find(q);
    return it == active_.end() ? 0 : it->second;
  }

  void Open(const Tables&) override {
    used_.clear();
    waiting_.clear();
    active_.clear();
  }
  void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) override {
    if (task.job == kNone) return;
    const Key key{task.queue, UserOf(task.job)};
    const auto request = tables.classes.request.row(task.task_class);
    std::vector<int64_t>& used = used_[key];
    used.resize(request.size(), 0);
    for (size_t d = 0; d < request.size(); ++d) used[d] += times[0] * request[d];
    int& waiting = waiting_[key];
    active_[task.queue] -= waiting > 0;
    waiting += times[1];
    active_[task.queue] += waiting > 0;
  }

 private:
  Used used_;
  std::map<Key, int> waiting_;        // tasks
  std::map<QueueIndex, int> active_;  // users with waiting tasks
};

class UserBooks : public ::testing::TestWithParam<bool> {};

TEST_P(UserBooks, CountUsersByQueue) {
  const bool leaving_counts = GetParam();
  Accounting accounting;
  accounting.books = {[=] { return std::make_unique<UserBook>(Statuses(leaving_counts)); }};
  int most_users = 0;
  WalkBooks(accounting, {}, [&](const Ledger& ledger) {
    Used expected;
    std::map<QueueIndex, std::array<int, 3>> waiting;
    ForEachTask(ledger, [&](TaskIndex t) {
      const JobIndex job = ledger.tables().tasks.job[t];
      if (job == kNone) return;
      const QueueIndex q = ledger.tables().jobs.queue[job];
      const TaskStatus status = ledger.status(t);
      if (status == TaskStatus::kPending) ++waiting[q][UserOf(job)];
      int places = IsAllocated(status) || status == TaskStatus::kNominated;
      places += leaving_counts && status == TaskStatus::kReleasing;
      places += ledger.promised_node(t) != kNone;
      if (places == 0) return;
      std::vector<int64_t>& used = expected[{q, UserOf(job)}];
      used.resize(ledger.dimensions(), 0);
      for (size_t d = 0; d < used.size(); ++d) used[d] += places * ledger.request(t)[d];
    });
    const auto& book = *static_cast<const UserBook*>(ledger.book("users"));
    ASSERT_EQ(book.used(), expected);
    for (QueueIndex q = 0; q < ledger.tables().queues.alive.size(); ++q) {
      const int active =
          static_cast<int>(std::ranges::count_if(waiting[q], [](int n) { return n > 0; }));
      ASSERT_EQ(book.active_users(q), active) << "queue " << q;
      most_users = std::max(most_users, active);
    }
  });
  EXPECT_GT(most_users, 1);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutLeavingTasks, UserBooks, ::testing::Bool());

}  // namespace
}  // namespace muster::testing
