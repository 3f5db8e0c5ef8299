// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/ledger/book_walk.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/model/access.h"
#include "tests/support/random_edits.h"

namespace muster::testing {
namespace {

std::vector<Book*> BooksOf(const Ledger& ledger) {
  std::vector<Book*> books;
  for (const BookFactory& make : ledger.accounting().books) {
    books.push_back(ledger.book(make()->name()));
  }
  return books;
}

class Walk {
 public:
  Walk(const Tables& tables, const Accounting& accounting, Rng& rng, const CheckBooks& check)
      : rng_(rng), accounting_(accounting), check_(check), ledger_(tables, accounting) {
    Begin();
    check_(ledger_);
  }

  void Step() {
    if (rng_.Chance(0.2)) saved_.push_back({ledger_.Save(), Now()});
    if (!saved_.empty() && rng_.Chance(0.2)) {
      const size_t to = rng_.Below(saved_.size());
      Back(saved_[to], /*restore=*/false);
      saved_.resize(to);
    } else {
      MoveSomething();
    }
    CheckJournal();
    check_(ledger_);
  }

  void BackToTheBeginning() {
    Back(beginning_, /*restore=*/true);
    saved_.clear();
    const Ledger fresh(ledger_.tables(), accounting_);
    for (NodeIndex n = 0; n < ledger_.tables().nodes.alive.size(); ++n) {
      // Numbers in cells may differ between ledgers; what they stand for is the caller's to
      // compare.
      const auto row = ledger_.node_row(n), other = fresh.node_row(n);
      const size_t fixed = row.size() - cells_;
      ASSERT_TRUE(
          std::equal(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(fixed), other.begin()));
    }
    check_(fresh);
    check_(ledger_);
  }

  void Follow(const Tables& tables) {
    ledger_.set_tables(&tables);
    if (!ledger_.Sync()) ledger_.Restart(tables, accounting_);
    Begin();
    check_(ledger_);
  }

 private:
  // All that a rollback brings back.
  struct State {
    std::vector<std::vector<int64_t>> rows;
    std::vector<uint32_t> memos;  // of tasks, and of what they are promised
  };
  struct Saved {
    Ledger::Savepoint point;
    State state;
  };

  State Now() const {
    State state;
    for (NodeIndex n = 0; n < ledger_.tables().nodes.alive.size(); ++n) {
      const auto row = ledger_.node_row(n);
      state.rows.emplace_back(row.begin(), row.end());
    }
    for (const Book* book : books_) {
      for (TaskIndex t = 0; t < ledger_.tables().tasks.alive.size(); ++t) {
        state.memos.push_back(ledger_.memo(*book, t));
        state.memos.push_back(ledger_.promised_memo(*book, t));
      }
    }
    return state;
  }

  void Begin() {
    books_ = BooksOf(ledger_);
    cells_ = 0;
    for (const Book* book : books_) cells_ += book->has_cells();
    beginning_ = {ledger_.Save(), Now()};
    rows_ = beginning_.state.rows;
    journal_ = ledger_.journal().size();
  }

  void Back(const Saved& saved, bool restore) {
    if (restore) {
      ledger_.Restore(saved.point);
    } else {
      ledger_.Rollback(saved.point);
    }
    const State now = Now();
    ASSERT_EQ(now.rows, saved.state.rows);
    ASSERT_EQ(now.memos, saved.state.memos);
  }

  void CheckJournal() {
    std::vector<bool> named(rows_.size(), false);
    for (const NodeIndex n : ledger_.journal().subspan(journal_)) named[n] = true;
    std::vector<std::vector<int64_t>> rows = Now().rows;
    for (NodeIndex n = 0; n < rows.size(); ++n) {
      ASSERT_TRUE(named[n] || rows[n] == rows_[n]) << "the journal misses node " << n;
    }
    rows_ = std::move(rows);
    journal_ = ledger_.journal().size();
  }

  void MoveSomething() {
    const Tables& tables = ledger_.tables();
    if (tables.tasks.alive.empty() || tables.nodes.alive.empty()) return;
    const TaskIndex t = static_cast<TaskIndex>(rng_.Below(tables.tasks.alive.size()));
    const NodeIndex n = static_cast<NodeIndex>(rng_.Below(tables.nodes.alive.size()));
    if (!tables.tasks.alive[t] || !tables.nodes.alive[n]) return;
    constexpr TaskStatus kPlaces[] = {TaskStatus::kPlaced, TaskStatus::kPlaced,
                                      TaskStatus::kNominated, TaskStatus::kWaiting};
    const TaskStatus arrives = kPlaces[rng_.Below(4)];
    switch (ledger_.status(t)) {
      case TaskStatus::kPending:
        ledger_.Move(t, arrives, n);
        break;
      case TaskStatus::kPlaced:
        if (rng_.Chance(0.5)) {
          ledger_.Move(t, TaskStatus::kBinding, ledger_.node_of(t));
        } else {
          ledger_.Move(t, TaskStatus::kPending, kNone);
        }
        break;
      case TaskStatus::kNominated:
      case TaskStatus::kWaiting:
        if (rng_.Chance(0.5)) {
          ledger_.Move(t, TaskStatus::kPlaced, ledger_.node_of(t));
        } else {
          ledger_.Move(t, TaskStatus::kPending, kNone);
        }
        break;
      case TaskStatus::kBinding:
      case TaskStatus::kBound:
      case TaskStatus::kRunning:
        ledger_.Move(t, TaskStatus::kReleasing, ledger_.node_of(t));
        break;
      case TaskStatus::kReleasing:
        // It is promised a node, or none any more; or it comes back to its node, or goes to another
        // at once.
        if (rng_.Chance(0.6)) {
          ledger_.Promise(t, rng_.Chance(0.8) ? n : kNone);
        } else if (rng_.Chance(0.5)) {
          ledger_.Move(t, TaskStatus::kRunning, ledger_.node_of(t));
        } else {
          ledger_.Move(t, arrives, n);
        }
        break;
      default:
        break;
    }
  }

  Rng& rng_;
  const Accounting& accounting_;
  const CheckBooks& check_;
  Ledger ledger_;
  std::vector<Book*> books_;
  size_t cells_ = 0;
  Saved beginning_;
  std::vector<Saved> saved_;
  std::vector<std::vector<int64_t>> rows_;
  size_t journal_ = 0;
};

}  // namespace

void WalkBooks(const Accounting& accounting, const WorldKnobs& knobs, const CheckBooks& check) {
  int64_t edits = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    Cluster cluster = MakeCluster(RandomWorld(seed, knobs));
    RandomEdits editor(cluster, rng, knobs);
    Walk walk(TablesOf(cluster), accounting, rng, check);
    for (int round = 0; round < 10; ++round) {
      for (uint64_t step = rng.Below(12); step > 0; --step) walk.Step();
      walk.BackToTheBeginning();
      if (rng.Chance(0.1)) (void)cluster.Freeze();
      for (uint64_t edit = rng.Below(4); edit > 0; --edit) editor.Step();
      walk.Follow(TablesOf(cluster));
      if (::testing::Test::HasFailure()) return;
    }
    edits += editor.done();
  }
  EXPECT_GT(edits, 500) << "the random changes are refused: the test sees nothing";
}

}  // namespace muster::testing
