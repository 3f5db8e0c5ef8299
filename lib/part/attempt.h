// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Moves that are kept together or not at all: save, try, undo unless it succeeded.
//
//   Attempt attempt(context);
//   Evict(context, victim, task);
//   context.ledger.Move(task, TaskStatus::kNominated, node);
//   if (context.dispatcher.Pipelined(job)) attempt.Commit();   // else all of it is taken back
//
// An attempt ends in one of four ways: Commit (its moves become decisions), Keep (they stay in the
// books, as part of the attempt around it or undecided until the cycle ends), Undo (they are taken
// back now), or at the end of its scope, which undoes it. Attempts nest; an inner one ends before
// the outer one does.
// Failure. Memory may run out while moves are undone; the exception passes. While an exception
// passes nothing is undone, because its handler discards the books.
// Cost. O(1) to begin, O(moves) to end.
#ifndef MUSTER_PART_ATTEMPT_H_
#define MUSTER_PART_ATTEMPT_H_

#include <exception>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/part/context.h"

namespace muster {

class Attempt {
 public:
  explicit Attempt(ActionContext& context)
      : context_(context), before_(context.ledger.Save()), passing_(std::uncaught_exceptions()) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() noexcept(false) {
    if (open_ && std::uncaught_exceptions() == passing_) Undo();
  }

  void Commit() {
    open_ = false;
    context_.decisions.Commit(before_);
  }
  void Keep() { open_ = false; }
  void Undo() {
    open_ = false;
    context_.ledger.Rollback(before_);
  }
  // Undoes everything; the next moves belong to the attempt.
  void StartOver() { context_.ledger.Rollback(before_); }

  // Returns the moves since the attempt began. Valid until the ledger changes.
  std::span<const Ledger::Entry> moves() const {
    return context_.ledger.log().subspan(before_.position);
  }

 private:
  ActionContext& context_;
  const Ledger::Savepoint before_;
  const int passing_;
  bool open_ = true;
};

// Commits the attempt if the job's gang has its places (Dispatcher::Pipelined). Otherwise undoes
// it, and sets the job's reason to "undone by `action`" if it had made moves. Returns whether it
// was committed.
bool CommitIfPipelined(ActionContext& context, JobIndex job, std::string_view action,
                       Attempt* attempt);

// Moves that were undone, to be made once more: the outcome of the best trial.
class RecordedMoves {
 public:
  RecordedMoves() = default;
  explicit RecordedMoves(std::span<const Ledger::Entry> moves);
  // Makes the moves. Nominations among them are not marked as waiting for evictions.
  // REQUIRES: the books are as they were before the moves were first made.
  void Replay(ActionContext& context) const;

 private:
  struct Move {
    TaskIndex task;
    TaskStatus status;
    NodeIndex node;
  };
  std::vector<Move> moves_;
};

}  // namespace muster

#endif  // MUSTER_PART_ATTEMPT_H_
