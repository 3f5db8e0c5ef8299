// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/attempt.h"

namespace muster {

bool CommitIfPipelined(ActionContext& context, JobIndex job, std::string_view action,
                       Attempt* attempt) {
  if (context.dispatcher.Pipelined(job)) {
    attempt->Commit();
    return true;
  }
  if (!attempt->moves().empty()) {
    context.reasons.ExplainJob(job, context.reasons.GangUndone(job, action));
  }
  attempt->Undo();
  return false;
}

RecordedMoves::RecordedMoves(std::span<const Ledger::Entry> moves) {
  moves_.reserve(moves.size());
  for (const Ledger::Entry& entry : moves) {
    moves_.push_back({entry.task, entry.to, entry.to_node});
  }
}

void RecordedMoves::Replay(ActionContext& context) const {
  for (const Move& move : moves_) {
    context.ledger.Move(move.task, move.status, move.node);
    if (move.status == TaskStatus::kNominated) {
      context.decisions.NoteNominatedAfterEviction(move.task, false);
    }
  }
}

}  // namespace muster
