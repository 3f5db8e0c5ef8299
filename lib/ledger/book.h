// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A book: accounts by a key of its own, which a ledger charges beside those of nodes, jobs and
// queues.
//
//   constexpr BookTable kHolders = [] {
//     BookTable table;                                        // column 0: the task holds something
//     for (TaskStatus s : {TaskStatus::kPlaced, TaskStatus::kRunning}) table[s] = {1};
//     return table;
//   }();
//   class NamespaceBook : public Book {                       // tasks by namespace
//    public:
//     NamespaceBook() : Book("namespaces", kHolders) {}
//     void Open(const Tables&) override { count_.clear(); }
//     void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) override {
//       count_[tables.classes.shape[task.task_class].name_space] += times[0];
//     }
//     ...
//   };
//   accounting.books.push_back([] { return std::make_unique<NamespaceBook>(); });
//   Ledger ledger(tables, accounting);
//   const auto* book = static_cast<const NamespaceBook*>(ledger.book("namespaces"));
//
// The book's table defines what a status counts for: by status, how often a task counts in each of
// up to kBookColumns columns. The book defines what a column means. The ledger compares rows: a
// move between statuses of equal rows on one node calls no book. A book may choose something for a
// task that moves to a node (its devices, its reservation). The choice is a number, the memo: the
// ledger keeps it beside the task, passes it with every charge, notes it in the log and restores it
// on undo.
//
// Two places. A leaving task may be promised another node (Ledger::Promise). The book is then
// charged for it twice: by the row of kReleasing on the node that it leaves, and by the row of
// kNominated on the node that it goes to, with a memo of its own.
//
// Undo. Whatever Charge adds it must take back, to the bit, when it is called with the same task
// and the opposite times, and two calls for one task must do what one with the sum of their times
// does: the state of a book is a function of what is charged, not of the order. The ledger undoes
// moves by such calls and nothing else.
// Calls. The ledger calls Open first. When the tables have changed it calls Follow for each change,
// and then charges the tasks that changed anew; the tables have all changes already. A book has no
// access to the ledger, and must not keep references to tables.
// Cost. Nothing for a ledger without books. With books every move costs a call or two of Charge for
// each book; a move of a task that concerns none costs a look at its class and its memos.
#ifndef MUSTER_LEDGER_BOOK_H_
#define MUSTER_LEDGER_BOOK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "lib/ledger/status_table.h"
#include "lib/model/tables.h"
#include "muster/types.h"

namespace muster {

inline constexpr size_t kBookColumns = 4;
using BookRow = std::array<int, kBookColumns>;
using BookTable = ByStatus<BookRow>;

// A task as a book is charged for it. While the ledger follows the tables, these may have other
// values already: a charge is taken back with the values with which it was made.
struct BookedTask {
  TaskIndex task;
  ClassIndex task_class;
  JobIndex job;      // kNone: none
  QueueIndex queue;  // kNone: none
  NodeIndex node;    // that it holds or is promised; kNone: none
  uint32_t memo;
};

class Book {
 public:
  // `name` must outlive the book; no other book of the ledger has it. `has_cells`: see CellOf.
  Book(std::string_view name, const BookTable& statuses, bool has_cells = false)
      : name_(name), statuses_(statuses), has_cells_(has_cells) {}
  virtual ~Book() = default;
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  std::string_view name() const { return name_; }
  const BookTable& statuses() const { return statuses_; }
  bool has_cells() const { return has_cells_; }

  // --- what there is
  // Begins with no task charged. The ledger then charges every task.
  virtual void Open(const Tables& tables) = 0;
  // Called when a row of the tables was added, changed or removed. Returns true if the row is a
  // node and the book has dropped all that was charged on that node: the ledger charges the tasks
  // there anew.
  virtual bool Follow(const Tables&, const Change&) { return false; }
  // Called when the ledger has followed the tables. Returns true if cells of nodes were renumbered.
  virtual bool Tidy() { return false; }
  // Returns a number for what the book has of the node. It is a cell of the ledger's row for the
  // node, so nodes of equal rows have equal numbers, and a change of it is in the journal. Called
  // only if has_cells().
  virtual int64_t CellOf(NodeIndex) const { return 0; }

  // Returns whether a task of the class may be charged, or get a memo by a move. If not, the ledger
  // calls nothing for the moves of its tasks, unless Read gave one a memo.
  virtual bool Concerns(const Tables&, ClassIndex) const { return true; }

  // --- memos
  // Returns the memo of a task as the tables have it; task.memo is 0. Called for tasks of classes
  // that concern a book of the ledger and for those that hold devices; all others have memo 0.
  virtual uint32_t Read(const Tables&, const BookedTask&) { return 0; }
  // Returns whether a task that stays on its node gets a new memo because it moves from one status
  // to another.
  virtual bool ChoosesAnew(const Tables&, const BookedTask&, TaskStatus /*from*/,
                           TaskStatus /*to*/) {
    return false;
  }
  // Returns the memo of a task that was moved to task.node, or gets a new memo there. The charges
  // with task.memo, its memo until now, are taken back already.
  virtual uint32_t Choose(const Tables&, const BookedTask& task, TaskStatus /*to*/) {
    return task.memo;
  }

  // Counts the task `times[i]` more times in column i; below 0: fewer times. Not all are 0.
  virtual void Charge(const Tables& tables, const BookedTask& task, const BookRow& times) = 0;

 private:
  const std::string_view name_;
  const BookTable statuses_;
  const bool has_cells_;
};

using BookFactory = std::function<std::unique_ptr<Book>()>;

}  // namespace muster

#endif  // MUSTER_LEDGER_BOOK_H_
