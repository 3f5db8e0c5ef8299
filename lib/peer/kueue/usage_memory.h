// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What LocalQueues have used, from plan to plan: admission fair sharing over the cluster's tables.
//
//   UsageMemory usage(tables, &world);       // weights and histories of the queues
//   usage.Recall(slot);                      // what earlier plans remembered comes before those
//   usage.Settle();                          // the time that has passed counts
//   scheduler.set_local_usage(&usage.values());
//   ...
//   usage.Charge(w);                         // w was admitted: its LocalQueue has used more
//   usage.Remember(&slot);
//
// Usage counts in queues with `by_usage` in their rules. A LocalQueue is known by a job of such a
// queue, by a weight or a history of it, or by the memory. Its usage is settled when it is first
// seen, when a workload of it is admitted, and once the interval of sampling has passed: what its
// admitted workloads use now then counts for the whole time since.
//
// An admission counts with a penalty at once. The penalty joins the history when all checks of the
// workload have passed, and is dropped if it loses its quota before that.
//
// Jobs without a LocalQueue go by a usage of 0.
//
// The slot has a row "queue/NAME" for each LocalQueue, {time, (resource, whole units, billionths)
// ...}, and a row "job/NAME" for each penalty that waits for checks, {LocalQueue, (resource, ...)
// ...}.
//
// Cost. O(workloads) for Settle, O(workloads that hold quota of the queue) for an admission.
#ifndef MUSTER_PEER_KUEUE_USAGE_MEMORY_H_
#define MUSTER_PEER_KUEUE_USAGE_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/model/tables.h"
#include "lib/peer/kueue/local_usage.h"
#include "lib/peer/kueue/world.h"
#include "muster/memory.h"

namespace muster::kueue {

inline constexpr MemoryDecl kUsageSlot = {"kueue-usage", 1};

class UsageMemory {
 public:
  // REQUIRES: the world is read, and outlives this.
  UsageMemory(const Tables& tables, World* world);

  // Replaces what histories have, but where these are later. Rows that are malformed are skipped.
  void Recall(const MemorySlot& slot);
  // Brings the usage up to now. Call it once, before the first cycle.
  void Settle();
  // REQUIRES: the workload was admitted just now.
  void Charge(WorkloadIndex w);
  void Remember(MemorySlot* slot) const;

  // The usage of LocalQueues, by their number in the world. The vector stays where it is.
  const std::vector<double>& values() const { return values_; }

 private:
  struct Record {
    LocalUsage usage;
    std::optional<int64_t> as_of = {};  // absent: it was not seen before
    bool settled = false;               // at least once, by this or an earlier plan
    bool named = false;                 // a queue or a job has it
    double weight = 1;
  };

  Record& RecordOf(std::string_view local_queue);
  void ReadQueue(const QueueSpec& queue);
  // Whether the workload's usage counts for its LocalQueue: its queue goes by usage.
  bool Counts(const WorkloadRow& row) const;
  UsedAmounts RequestsOf(const WorkloadRow& row) const;
  void AddUsage(const WorkloadRow& row, UsedAmounts* used) const;
  // Decays the record up to now, against what its workloads use.
  void Decay(const UsedAmounts& used, Record* record) const;
  // Returns the workloads that have passed their checks: their penalties join the history once it
  // has decayed. Penalties of workloads that have lost their quota are dropped.
  std::vector<std::string> TakeFolds(Record* record) const;
  void Revalue(uint32_t local_queue);

  World* world_;
  std::vector<Record> records_;  // by number of the LocalQueue
  std::vector<double> values_;
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_USAGE_MEMORY_H_
