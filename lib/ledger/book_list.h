// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books of one ledger, and the memos of its tasks.
//
//   BookList books;
//   books.Open(accounting.books, tables);
//   books.Charge(tables, task, status, +1);               // a task that is there from the start
//   books.Log(task.task);                                 // before a move: notes its memos
//   books.Move(tables, task, from, to, node);             // chooses new memos
//   books.Undo(tables, task, to, from, old_node);         // the last move that was logged
//
// It is a part of Ledger, which calls nothing of it while it is empty.
#ifndef MUSTER_LEDGER_BOOK_LIST_H_
#define MUSTER_LEDGER_BOOK_LIST_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/book.h"

namespace muster {

class BookList {
 public:
  bool empty() const { return books_.empty(); }
  // The number of books that have cells.
  size_t cells() const { return cells_; }
  Book* Find(std::string_view name) const;                      // null: there is none
  uint32_t memo(const Book& book, TaskIndex t) const;           // REQUIRES: it is one of these
  uint32_t promised_memo(const Book& book, TaskIndex t) const;  // 0: there is no promise

  void Open(std::span<const BookFactory> factories, const Tables& tables);
  // Makes room for the tasks and classes of the tables; new tasks have memo 0.
  void Grow(const Tables& tables);
  // Returns whether a move of the task may change a book. If not, neither Log nor Move need be
  // called for it, and Undo must not be.
  bool Concern(TaskIndex t, ClassIndex c) const {
    if (books_.empty()) return false;
    bool any = concerned_[c] != 0;
    for (const std::vector<uint32_t>& memos : memos_) any |= memos[t] != 0;
    return any;
  }
  // Returns whether a book may read a memo for the task, which holds that list of devices (0:
  // none).
  bool IsRead(ClassIndex c, uint32_t devices) const {
    return !books_.empty() && (concerned_[c] != 0 || devices != 0);
  }
  // Sets the memos of a task that no book reads.
  void Forget(TaskIndex t) {
    for (std::vector<uint32_t>& memos : memos_) memos[t] = 0;
  }
  // Writes CellOf(node), a cell for each book that has them. Returns whether any cell changed.
  bool WriteCells(NodeIndex node, int64_t* cells) const;
  bool Tidy();  // true: all cells are to be written again

  // In the following, `task` need not have its memo.
  // Reports a change to the books; calls `recharge(index of the book)` where Book::Follow returns
  // true.
  template <typename Recharge>
  void Follow(const Tables& tables, const Change& change, Recharge recharge) {
    for (size_t b = 0; b < books_.size(); ++b) {
      if (books_[b]->Follow(tables, change)) recharge(b);
    }
  }
  // Reads the memo from the tables and charges one book.
  void Recharge(const Tables& tables, BookedTask task, TaskStatus status, size_t book);
  void Read(const Tables& tables, const BookedTask& task);
  void Charge(const Tables& tables, BookedTask task, TaskStatus status, int times);

  // `task` as it is before the move, which takes it to `to` and `node`.
  void Move(const Tables& tables, BookedTask task, TaskStatus from, TaskStatus to, NodeIndex node);
  void Undo(const Tables& tables, BookedTask task, TaskStatus from, TaskStatus to, NodeIndex node);
  void Log(TaskIndex task);

  // Do the same for the second place of a task that is leaving its first (Ledger::Promise), with a
  // memo of its own. `task` has the node of the promise before, `node` is that of the promise
  // after; kNone: there is none.
  void Promise(const Tables& tables, BookedTask task, NodeIndex node);
  void UndoPromise(const Tables& tables, BookedTask task, NodeIndex node);
  void LogPromise(TaskIndex task);

 private:
  // The number of the book among these.
  size_t NumberOf(const Book& book) const;
  // Charges book `b` for a promise, unless task.node is kNone.
  void ChargePromise(const Tables& tables, const BookedTask& task, size_t b, int times);
  // Notes the memos of the promise; task.node is kNone: forgets them.
  void KeepPromise(const BookedTask& task, std::vector<uint32_t> memos);

  std::vector<std::unique_ptr<Book>> books_;
  size_t cells_ = 0;
  std::vector<uint8_t> concerned_;                            // by class: Book::Concerns of any
  std::vector<std::vector<uint32_t>> memos_;                  // by book and task
  HashMap<TaskIndex, std::vector<uint32_t>> promised_memos_;  // by book
  std::vector<uint32_t> log_;  // for each move and each promise, a memo of every book
};

}  // namespace muster

#endif  // MUSTER_LEDGER_BOOK_LIST_H_
