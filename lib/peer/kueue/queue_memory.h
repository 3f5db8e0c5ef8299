// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Kueue's queues remember between cycles, from plan to plan: which workload waits for its
// victims to go, and how far searches for flavors got.
//
//   QueueMemory memory(&world, &scheduler);
//   memory.Recall(slots.Recall(kQueueSlot.slot));   // once all that wait are pushed
//   ...                                             // cycles
//   if (memory.HasNews(slot)) memory.Remember(&slots.Remember(kQueueSlot.slot));
//
// The slot has a row "front/QUEUE" for the workload that evicted others and stays in front of its
// queue, {job, spec}, and a row "scan/JOB" for each search of the last cycle that did not
// come to its last flavor, {spec, (pod set, resource, position) ...}. `spec` is a hash of what the
// workload requests: a row about another spec is dropped, and so is one of a job that has quota or
// is gone.
//
// A search of an earlier cycle than the last goes on only if the quota of the queue has not changed
// since, which a plan cannot know: it begins at the first flavor. Without gate
// FlavorFungibilityPreserveScanProgress the victims that leave make all searches begin there.
//
// Cost. O(rows of the slot + workloads that wait).
#ifndef MUSTER_PEER_KUEUE_QUEUE_MEMORY_H_
#define MUSTER_PEER_KUEUE_QUEUE_MEMORY_H_

#include <string>
#include <vector>

#include "lib/peer/kueue/cycle.h"
#include "lib/peer/kueue/world.h"
#include "muster/memory.h"

namespace muster::kueue {

inline constexpr MemoryDecl kQueueSlot = {"kueue-queue", 1};

class QueueMemory {
 public:
  // Both must outlive this.
  QueueMemory(World* world, Scheduler* scheduler) : world_(*world), scheduler_(*scheduler) {}

  // REQUIRES: no cycle has run.
  void Recall(const MemorySlot& slot);
  // Returns whether the slot has or gets rows. A plan without any leaves it alone.
  bool HasNews(const MemorySlot& before) const;
  void Remember(MemorySlot* slot) const;

 private:
  bool Waits(WorkloadIndex w) const;
  int64_t SpecOf(WorkloadIndex w) const;
  void RecallFront(std::string_view key, const MemorySlot& slot);
  void RecallScan(std::string_view key, size_t cells, const MemorySlot& slot);
  std::vector<std::pair<std::string, MemoryRow>> Rows() const;

  World& world_;
  Scheduler& scheduler_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_QUEUE_MEMORY_H_
