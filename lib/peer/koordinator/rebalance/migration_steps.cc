// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/rebalance/migration_steps.h"

namespace muster::koordinator {
namespace {

using Phase = MigrationSight::Reservation::Phase;

MigrationAct Fail(MigrationFailure failure, MigrationState* state) {
  state->stage = MigrationStage::kFailed;
  state->failure = failure;
  return MigrationAct::kNone;
}

MigrationAct Succeed(MigrationState* state) {
  state->stage = MigrationStage::kSucceeded;
  return MigrationAct::kNone;
}

// Returns nothing once the task is gone, else what to do about it.
std::optional<MigrationAct> Evict(const MigrationSight& sight, MigrationState* state) {
  if (state->evicted) return std::nullopt;
  const bool gone = !sight.task.has_value() || (state->evicting && !sight.task->same);
  if (gone && !state->evicting) return Fail(MigrationFailure::kMissingTask, state);
  if (gone) {
    state->evicted = true;
    return std::nullopt;
  }
  if (state->evicting) return MigrationAct::kWait;
  if (sight.reservation.has_value() && sight.reservation->phase == Phase::kSucceeded) {
    return Fail(MigrationFailure::kForbidden, state);
  }
  state->evicting = true;
  return MigrationAct::kEvict;
}

// A task that waits gets the room itself.
MigrationAct AwaitPending(const MigrationSight& sight, MigrationState* state) {
  if (!sight.task.has_value()) return Fail(MigrationFailure::kMissingTask, state);
  if (sight.task->scheduled) return Succeed(state);
  const bool used = sight.reservation->phase == Phase::kSucceeded;
  if (used && sight.reservation->bound != sight.task->id) {
    return Fail(MigrationFailure::kForbidden, state);
  }
  return MigrationAct::kWait;
}

MigrationAct WithRoom(const MigrationSight& sight, MigrationState* state) {
  const MigrationSight::Reservation& room = *sight.reservation;
  if (!room.node.empty() && state->node.empty()) {
    if (sight.task.has_value() && sight.task->node == room.node) {
      return Fail(MigrationFailure::kForbidden, state);
    }
    state->node = room.node;
  }
  if (room.for_pending) return AwaitPending(sight, state);
  if (const std::optional<MigrationAct> act = Evict(sight, state)) return *act;
  if (room.bound.empty() || !room.bound_ready) return MigrationAct::kWait;
  return Succeed(state);
}

}  // namespace

MigrationAct Advance(const MigrationSight& sight, MigrationState* state) {
  const bool ended =
      state->stage == MigrationStage::kSucceeded || state->stage == MigrationStage::kFailed;
  if (sight.paused || ended) return MigrationAct::kNone;
  if (sight.ttl > 0 && sight.age >= sight.ttl) return Fail(MigrationFailure::kTimeout, state);
  if (state->stage == MigrationStage::kPending) {
    if (!sight.task_named) return Fail(MigrationFailure::kNoTaskNamed, state);
    if (!sight.task.has_value()) return Fail(MigrationFailure::kMissingTask, state);
    state->stage = MigrationStage::kRunning;
  }
  if (sight.limited) return MigrationAct::kWait;
  if (!sight.reserves) {
    const std::optional<MigrationAct> act = Evict(sight, state);
    return act.has_value() ? *act : Succeed(state);
  }
  if (!state->reserved) {
    if (!sight.task.has_value()) return Fail(MigrationFailure::kMissingTask, state);
    return MigrationAct::kReserve;
  }
  if (!sight.reservation.has_value() || sight.reservation->phase == Phase::kPending) {
    return MigrationAct::kWait;
  }
  if (sight.reservation->expired) return Fail(MigrationFailure::kExpired, state);
  if (!sight.reservation->scheduled) {
    if (sight.reservation->may_preempt) return MigrationAct::kWait;
    return Fail(MigrationFailure::kUnschedulable, state);
  }
  return WithRoom(sight, state);
}

}  // namespace muster::koordinator
