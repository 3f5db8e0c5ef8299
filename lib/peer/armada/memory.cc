// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/memory.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::armada {
namespace {

constexpr std::string_view kOptimiserKey = "optimiser";

// Returns whether the task has its place on the node, or the promise of one.
bool IsAt(const muster::Tables& tables, const Ledger& ledger, TaskIndex task,
          muster::NodeIndex node) {
  const TaskStatus status = ledger.status(task);
  if (IsAllocated(status) || status == TaskStatus::kNominated) return ledger.node_of(task) == node;
  return status == TaskStatus::kPending && tables.tasks.nominated[task] == node;
}

}  // namespace

RunMemory::RunMemory(MemorySlots* memory, const muster::Tables& tables, const Ledger& ledger)
    : memory_(*memory), tables_(tables) {
  const MemorySlot& slot = memory_.Recall(kRunSlot.slot);
  for (const auto& [name, row] : slot.rows()) {
    const auto task = tables.tasks.names.Find(name);
    const auto node = tables.nodes.names.Find(slot.Text(name, 0));
    if (!task || !node || !tables.tasks.alive[*task] || !tables.nodes.alive[*node]) continue;
    if (!IsAt(tables, ledger, *task, *node)) continue;
    const int64_t priority = std::clamp<int64_t>(slot.Integer(name, 1), kCrossPoolPriority,
                                                 std::numeric_limits<int32_t>::max());
    rows_[*task] = {*node, static_cast<int32_t>(priority), slot.Integer(name, 2),
                    std::string(slot.Text(name, 3))};
  }
}

const RunRow* RunMemory::Find(TaskIndex task) const {
  const auto found = rows_.find(task);
  return found == rows_.end() ? nullptr : &found->second;
}

void RunMemory::Store() const {
  MemorySlot made;
  for (const auto& [task, row] : rows_) {
    made.Set(tables_.tasks.names.name(task), {std::string(tables_.nodes.names.name(row.node)),
                                              int64_t{row.priority}, row.created, row.pool});
  }
  if (made != memory_.Recall(kRunSlot.slot)) memory_.Remember(kRunSlot.slot) = std::move(made);
}

Limiter TokenMemory::Open(std::string_view key, const Rate& rate) const {
  Limiter limiter;
  if (rate.burst == 0) return limiter;
  limiter.limited = true;
  limiter.burst = rate.burst;
  const auto burst = static_cast<double>(rate.burst);
  const MemorySlot& slot = memory_.Recall(kTokenSlot.slot);
  limiter.tokens = burst;
  if (slot.Find(key) == nullptr) return limiter;
  const auto passed = static_cast<double>(now_) - static_cast<double>(slot.Integer(key, 1));
  limiter.tokens = std::min(burst, slot.Real(key, 0) + std::max(0.0, passed) * rate.per_second);
  return limiter;
}

void TokenMemory::Close(std::string_view key, const Limiter& opened, int64_t taken) {
  if (!opened.limited || taken == 0) return;
  memory_.Remember(kTokenSlot.slot).Set(key, {opened.tokens - static_cast<double>(taken), now_});
}

bool TokenMemory::OptimiserIsDue(int64_t interval) const {
  const MemorySlot& slot = memory_.Recall(kTokenSlot.slot);
  if (slot.Find(kOptimiserKey) == nullptr) return true;
  const auto passed = static_cast<double>(now_) - static_cast<double>(slot.Integer(kOptimiserKey));
  return passed >= static_cast<double>(interval);
}

void TokenMemory::NoteOptimiser() { memory_.Remember(kTokenSlot.slot).Set(kOptimiserKey, {now_}); }

}  // namespace muster::armada
