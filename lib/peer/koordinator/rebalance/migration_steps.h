// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a migration of one task does next: reserves room, waits for it, evicts the task, and ends.
//
//   MigrationState state;
//   MigrationAct act = Advance(sight, &state);   // kReserve: the caller makes a reservation
//   ...                                          // once it has a node:
//   act = Advance(sight, &state);                // kEvict
//
// Idea. A migration that reserves first makes a reservation, waits until it has a node, evicts its
// task, waits until a new task is bound to the reservation and is ready. One that evicts directly
// ends once its task is gone. A migration fails if its task or its room is gone, if its time is
// over, if the room is on the task's own node, or if another task took the room.
//
// Peer. Koordinator's reconciler of PodMigrationJob. Surprises: a reservation that is gone does not
// end the migration; the peer returns an error and looks again. A reservation that is used up is
// taken for one that another task has, even if the task's own successor has it, as long as the task
// is not evicted.
//
// Cost. O(1).
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_MIGRATION_STEPS_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_MIGRATION_STEPS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace muster::koordinator {

enum class MigrationStage : uint8_t { kPending, kRunning, kSucceeded, kFailed };
enum class MigrationFailure : uint8_t {
  kNone,
  kTimeout,
  kNoTaskNamed,
  kMissingTask,
  kExpired,        // the reservation
  kUnschedulable,  // the reservation
  kForbidden,      // the room is on the task's node, or another task has it
};
enum class MigrationAct : uint8_t { kNone, kWait, kReserve, kEvict };

// What a migration keeps between its steps.
struct MigrationState {
  MigrationStage stage = MigrationStage::kPending;
  MigrationFailure failure = MigrationFailure::kNone;
  bool reserved = false;  // the caller sets it once a reservation is made
  bool evicting = false, evicted = false;
  std::string node = {};  // that the reservation has
};

// What is there when a step is taken.
struct MigrationSight {
  struct Task {
    std::string id = {};
    std::string node = {};
    bool scheduled = false;
    bool same = true;  // not another one of the same name
  };
  struct Reservation {
    enum class Phase : uint8_t { kPending, kAvailable, kSucceeded, kFailed };
    Phase phase = Phase::kPending;
    bool expired = false;  // kFailed: because its time is over
    bool scheduled = false;
    bool may_preempt = false;  // the caller makes room for it
    bool for_pending = false;  // the task itself is to be scheduled into it
    std::string node = {};
    std::string bound = {};    // the task that has it
    bool bound_ready = false;  // or gone already
  };

  bool paused = false;
  bool task_named = true;
  bool reserves = true;  // room first
  bool limited = false;  // EvictionRates
  int64_t age = 0;       // nanoseconds
  int64_t ttl = 0;       // 0: no end
  std::optional<Task> task = {};
  std::optional<Reservation> reservation = {};
};

// Takes as many steps as can be taken at once. kReserve and kEvict are for the caller to do before
// the next call.
MigrationAct Advance(const MigrationSight& sight, MigrationState* state);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_MIGRATION_STEPS_H_
