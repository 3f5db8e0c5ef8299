// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Migrations from cycle to cycle: asked for, passed or waiting, under way, ended.
//
//   Migrations migrations(context, rules, &world, &targets);   // those of earlier cycles
//   migrations.Ask(task, {.cause = MoveCause::kLoad});
//   migrations.Run();                                          // arbitration, then moves
//   migrations.Store();
//
// Idea. A task that shall leave gets a migration. In each cycle the waiting ones are ruled on
// (arbitration.h), and those that passed go on (migration_steps.h). With mode `reserve` another
// node is found and kept for the task, which becomes a move of the plan. With mode `evict` the task
// is evicted. A migration is under way until a task of that name runs on the node that is kept, or,
// with mode `evict`, has left its node. It counts against the limits that long, or up to its time
// to live.
//
// Budgets. A task with a disruption budget that has no room stays, and its migration waits.
// Evictions of the plan before it count.
//
// Deviation. The peer's reservation waits for a node; here a migration without one fails at once,
// and the next round may ask for it again.
//
// Memory. A row for each migration that has not ended, by the name of its task; a bucket for each
// workload that moved a task a while ago.
// Cost. O(migrations * (migrations + nodes * resources)) a cycle.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_MIGRATIONS_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_MIGRATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/context.h"
#include "lib/peer/koordinator/rebalance/arbitration.h"
#include "lib/peer/koordinator/rebalance/budget_book.h"
#include "lib/peer/koordinator/rebalance/eviction_rates.h"
#include "lib/peer/koordinator/rebalance/migration_steps.h"
#include "lib/peer/koordinator/rebalance/rebalance_options.h"
#include "lib/peer/koordinator/rebalance/rebalance_world.h"
#include "lib/peer/koordinator/rebalance/targets.h"
#include "muster/memory.h"

namespace muster::koordinator {

inline constexpr std::string_view kMigrationSlot = "koordinator-migrations";
inline constexpr std::string_view kEvictionRateSlot = "koordinator-eviction-rates";

// Writes a slot of the memory if it differs.
void StoreRebalanceSlot(const ActionContext& context, std::string_view name, MemorySlot slot);

// What chose a task. The numbers are part of the memory's version.
enum class MoveCause : uint8_t {
  kLoad,
  kFragmentation,
  kDuplicate,
  kNodeAffinity,
  kTaint,
  kAntiAffinity,
  kLevel,
};

class Migrations {
 public:
  // Loads and advances those of earlier cycles. All must outlive this.
  Migrations(ActionContext& context, const RebalanceRules& rules, const RebalanceWorld& world,
             MoveTargets& targets);

  // Returns whether the task may leave by the rules that refuse for good: it runs, is evictable and
  // chosen, has no migration, and its workload has replicas to spare.
  bool IsCandidate(TaskIndex task) const;
  // Asks for a migration; does nothing if the task has one.
  void Ask(TaskIndex task, MoveCause cause);
  // Rules on all that wait, and carries out what passed. Returns false if the cycle ends here.
  bool Run();
  void Store() const;

 private:
  struct Migration {
    std::string task;
    std::string uid = {};  // of the task when it was asked for
    std::string from = {};
    int64_t created = 0;  // seconds
    MoveCause cause = MoveCause::kLoad;
    MigrationState state = {};
    bool has_passed = false;
  };

  void Load();
  std::optional<TaskIndex> FindTask(const std::string& name) const;
  // Returns whether the task is still on the node that it shall leave.
  bool IsThere(const Migration& migration) const;
  bool MayGo(TaskIndex task) const;
  MigrationSight SightOf(const Migration& migration) const;
  void AddJob(const Migration& migration);
  void Arbitrate();
  void Start(Migration* migration);
  bool AllowsTarget(const Migration& migration, size_t node) const;
  void Leave(TaskIndex task, NodeIndex to);
  bool IsLimited(TaskIndex task) const;
  void DropEnded();
  static bool HasEnded(const Migration& migration);
  size_t CopiesOn(TaskIndex task, size_t node) const;

  ActionContext& context_;
  const RebalanceRules& rules_;
  const RebalanceWorld& world_;
  MoveTargets& targets_;
  const int64_t now_;  // nanoseconds
  std::vector<Migration> list_;
  HashSet<std::string> migrating_;  // names of tasks in list_
  MigrationWorld arbitrated_;       // a job for each of list_, in its order
  EvictionRates rates_;
  BudgetBook budgets_;
};

// Returns what makes tasks copies of each other: owner, namespace and images. Empty: none.
std::string CopyKeyOf(const RebalanceWorld& world, TaskIndex task);
// Returns the level of each node of the world, by the rules' selectors; absent: it has none.
std::vector<std::optional<size_t>> LevelsOfNodes(const RebalanceRules& rules,
                                                 const RebalanceWorld& world);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_MIGRATIONS_H_
