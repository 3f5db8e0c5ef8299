// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/ledger/book_list.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

void ChargeTimes(Book& book, const Tables& tables, const BookedTask& task, const BookRow& row,
                 int times) {
  BookRow charge = row;
  bool any = false;
  for (int& column : charge) {
    column *= times;
    any |= column != 0;
  }
  if (any) book.Charge(tables, task, charge);
}

BookRow Difference(const BookRow& to, const BookRow& from) {
  BookRow row;
  for (size_t i = 0; i < kBookColumns; ++i) row[i] = to[i] - from[i];
  return row;
}

}  // namespace

Book* BookList::Find(std::string_view name) const {
  for (const auto& book : books_) {
    if (book->name() == name) return book.get();
  }
  return nullptr;
}

size_t BookList::NumberOf(const Book& book) const {
  size_t b = 0;
  while (books_[b].get() != &book) ++b;
  return b;
}

uint32_t BookList::memo(const Book& book, TaskIndex t) const { return memos_[NumberOf(book)][t]; }

uint32_t BookList::promised_memo(const Book& book, TaskIndex t) const {
  const auto promise = promised_memos_.find(t);
  return promise == promised_memos_.end() ? 0 : promise->second[NumberOf(book)];
}

void BookList::Open(std::span<const BookFactory> factories, const Tables& tables) {
  for (const BookFactory& make : factories) {
    books_.push_back(make());
    books_.back()->Open(tables);
    cells_ += books_.back()->has_cells();
  }
  memos_.resize(books_.size());
}

void BookList::Grow(const Tables& tables) {
  if (books_.empty()) return;
  for (std::vector<uint32_t>& memos : memos_) memos.resize(tables.tasks.alive.size(), 0);
  const size_t classes = tables.classes.shape.size();
  for (ClassIndex c(concerned_.size()); c < classes; ++c) {
    concerned_.push_back(
        std::ranges::any_of(books_, [&](const auto& book) { return book->Concerns(tables, c); }));
  }
}

bool BookList::WriteCells(NodeIndex node, int64_t* cells) const {
  bool changed = false;
  for (const auto& book : books_) {
    if (!book->has_cells()) continue;
    const int64_t cell = book->CellOf(node);
    changed |= *cells != cell;
    *cells++ = cell;
  }
  return changed;
}

bool BookList::Tidy() {
  bool renumbered = false;
  for (const auto& book : books_) renumbered |= book->Tidy();
  return renumbered;
}

void BookList::Recharge(const Tables& tables, BookedTask task, TaskStatus status, size_t b) {
  task.memo = 0;
  task.memo = memos_[b][task.task] = books_[b]->Read(tables, task);
  ChargeTimes(*books_[b], tables, task, books_[b]->statuses()[status], +1);
}

void BookList::Read(const Tables& tables, const BookedTask& task) {
  for (size_t b = 0; b < books_.size(); ++b) {
    memos_[b][task.task] = books_[b]->Read(tables, task);
  }
}

void BookList::Charge(const Tables& tables, BookedTask task, TaskStatus status, int times) {
  for (size_t b = 0; b < books_.size(); ++b) {
    task.memo = memos_[b][task.task];
    ChargeTimes(*books_[b], tables, task, books_[b]->statuses()[status], times);
  }
}

void BookList::Move(const Tables& tables, BookedTask task, TaskStatus from, TaskStatus to,
                    NodeIndex node) {
  const NodeIndex old = task.node;
  for (size_t b = 0; b < books_.size(); ++b) {
    Book& book = *books_[b];
    const BookRow &before = book.statuses()[from], &after = book.statuses()[to];
    uint32_t& memo = memos_[b][task.task];
    task.node = old;
    task.memo = memo;
    if (node == old && !book.ChoosesAnew(tables, task, from, to)) {
      ChargeTimes(book, tables, task, Difference(after, before), +1);
      continue;
    }
    ChargeTimes(book, tables, task, before, -1);
    task.node = node;
    task.memo = memo = book.Choose(tables, task, to);
    ChargeTimes(book, tables, task, after, +1);
  }
}

void BookList::Log(TaskIndex task) {
  for (const std::vector<uint32_t>& memos : memos_) log_.push_back(memos[task]);
}

void BookList::Undo(const Tables& tables, BookedTask task, TaskStatus from, TaskStatus to,
                    NodeIndex node) {
  const NodeIndex now = task.node;
  const size_t begin = log_.size() - books_.size();
  for (size_t b = 0; b < books_.size(); ++b) {
    Book& book = *books_[b];
    const BookRow &before = book.statuses()[from], &after = book.statuses()[to];
    uint32_t& memo = memos_[b][task.task];
    task.node = now;
    task.memo = memo;
    memo = log_[begin + b];
    if (node == now && task.memo == memo) {
      ChargeTimes(book, tables, task, Difference(after, before), +1);
      continue;
    }
    ChargeTimes(book, tables, task, before, -1);
    task.node = node;
    task.memo = memo;
    ChargeTimes(book, tables, task, after, +1);
  }
  log_.resize(begin);
}

void BookList::ChargePromise(const Tables& tables, const BookedTask& task, size_t b, int times) {
  if (task.node == kNone) return;
  ChargeTimes(*books_[b], tables, task, books_[b]->statuses()[TaskStatus::kNominated], times);
}

void BookList::KeepPromise(const BookedTask& task, std::vector<uint32_t> memos) {
  if (task.node == kNone) {
    promised_memos_.erase(task.task);
  } else {
    promised_memos_[task.task] = std::move(memos);
  }
}

void BookList::LogPromise(TaskIndex task) {
  const auto promise = promised_memos_.find(task);
  for (size_t b = 0; b < books_.size(); ++b) {
    log_.push_back(promise == promised_memos_.end() ? 0 : promise->second[b]);
  }
}

void BookList::Promise(const Tables& tables, BookedTask task, NodeIndex node) {
  std::vector<uint32_t> memos(books_.size(), 0);
  const bool is_new = task.node == kNone;
  const NodeIndex old = task.node;
  for (size_t b = 0; b < books_.size(); ++b) {
    // A new promise begins with the memo of the task's first place.
    task.memo = is_new ? memos_[b][task.task] : promised_memos_[task.task][b];
    task.node = old;
    ChargePromise(tables, task, b, -1);
    task.node = node;
    if (node == kNone) continue;
    memos[b] = task.memo = books_[b]->Choose(tables, task, TaskStatus::kNominated);
    ChargePromise(tables, task, b, +1);
  }
  task.node = node;
  KeepPromise(task, std::move(memos));
}

void BookList::UndoPromise(const Tables& tables, BookedTask task, NodeIndex node) {
  const size_t begin = log_.size() - books_.size();
  std::vector<uint32_t> memos(log_.begin() + static_cast<std::ptrdiff_t>(begin), log_.end());
  const NodeIndex old = task.node;
  for (size_t b = 0; b < books_.size(); ++b) {
    task.node = old;
    if (old != kNone) task.memo = promised_memos_[task.task][b];
    ChargePromise(tables, task, b, -1);
    task.node = node;
    task.memo = memos[b];
    ChargePromise(tables, task, b, +1);
  }
  task.node = node;
  KeepPromise(task, std::move(memos));
  log_.resize(begin);
}

}  // namespace muster
