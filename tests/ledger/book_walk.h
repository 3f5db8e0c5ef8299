// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random moves, rollbacks and changes of the tables under a ledger with registered books.
//
//   Accounting accounting;
//   accounting.books.push_back([] { return std::make_unique<MyBook>(); });
//   WalkBooks(accounting, {}, [](const Ledger& ledger) {
//     const auto& book = *static_cast<const MyBook*>(ledger.book("mine"));
//     ASSERT_EQ(book.held(), RecountHeld(ledger)) << ...;
//   });
#ifndef MUSTER_TESTS_LEDGER_BOOK_WALK_H_
#define MUSTER_TESTS_LEDGER_BOOK_WALK_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/base/rng.h"
#include "lib/ledger/ledger.h"
#include "lib/model/cluster_impl.h"
#include "tests/support/random_world.h"

namespace muster::testing {

using CheckBooks = std::function<void(const Ledger&)>;

// Walks over many random worlds: `check` is called after every step, which is a move, a savepoint,
// a rollback, or a change of the cluster that the ledger follows. Besides, it is checked that a
// rollback brings back every memo and every node's row, that the journal names every node with a
// changed row, and that at the end of a cycle a ledger made afresh has the same rows.
void WalkBooks(const Accounting& accounting, const WorldKnobs& knobs, const CheckBooks& check);

// Calls visit(task) for every task that the ledger counts.
template <typename Visit>
void ForEachTask(const Ledger& ledger, Visit visit) {
  const TaskTable& tasks = ledger.tables().tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (tasks.alive[t]) visit(t);
  }
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_LEDGER_BOOK_WALK_H_
