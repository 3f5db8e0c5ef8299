// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One Kueue scheduling cycle: heads, nomination, order, turns, requeuing.
//
//   Scheduler scheduler(&world);
//   scheduler.Push(w);                        // for each workload that waits
//   CycleResult result = scheduler.Run();
//   for (const Entry& e : result.entries) ...
//
// Each active ClusterQueue gives its first workload. All are nominated against one and the same
// state; then they take turns, and each turn sees what those before it took. Victims of earlier
// turns are counted as gone where a fit is tested, and nowhere else.
//
// Run admits: what it assumed holds quota when it returns. Evictions are only listed. They happen
// when the caller calls World::Release; until then the victims count.
#ifndef MUSTER_PEER_KUEUE_CYCLE_H_
#define MUSTER_PEER_KUEUE_CYCLE_H_

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "lib/peer/kueue/entry.h"
#include "lib/peer/kueue/entry_order.h"
#include "lib/peer/kueue/flavor_scan.h"
#include "lib/peer/kueue/topology_world.h"
#include "lib/peer/kueue/victims.h"

namespace muster::kueue {

struct CycleResult {
  std::vector<Entry> entries;           // in the order of heads
  std::vector<uint32_t> order;          // of entries, as they took their turns
  std::vector<WorkloadIndex> requeued;  // back in a heap
  int64_t skipped_preemptions = 0;
  std::vector<uint32_t> recomputed;  // entries
};

// The victims that make room for one cell alone.
struct CellVictims {
  CellAmount cell;
  std::vector<Victim> victims = {};
};

class Scheduler {
 public:
  explicit Scheduler(World* world) : world_(world), search_(*world) {}

  PendingQueue& pending(Queue queue);
  void Push(WorkloadIndex w) { pending(world_->workloads[w].queue).Push(w); }
  // Workloads of all queues of the tree that wait apart are tried again.
  void Return(Queue queue);
  // The workload gives back its quota and its places.
  void Release(WorkloadIndex w);
  // Returns whether a queue has a workload to try.
  bool HasHeads();

  // `second_pass`: workloads that hold quota and need places.
  CycleResult Run(std::span<const WorkloadIndex> second_pass = {});
  // Topologies are the caller's; null: there are none.
  void set_topology(TopologyWorld* topology) { topology_ = topology; }
  // Usage of LocalQueues, by number: the caller's, with admission fair sharing.
  void set_local_usage(const std::vector<double>* usage);

  // Flavors and victims for one workload, as nomination finds them.
  void Nominate(Entry* entry, const Pins* pins = nullptr);
  // The first half of it, with another answer to what evictions make possible.
  Assignment Assign(Entry* entry, Oracle* oracle, const std::vector<int64_t>* counts = nullptr,
                    const Pins* pins = nullptr);
  VictimSearch& search() { return search_; }

  int64_t cycle = 0;

 private:
  enum class Room : uint8_t { kFits, kNoQuota, kNoPlaces };

  std::vector<Entry> Heads(std::span<const WorkloadIndex> second_pass);
  bool Admissible(Entry* entry);
  // REQUIRES of VictimsFor: the assignment is the last that AssignFlavors returned.
  Assignment AssignFlavors(Entry* entry, const std::vector<int64_t>* counts, const Pins* pins);
  std::vector<Victim> VictimsFor(const Entry& entry, const Assignment& assignment);
  void DropOutdated(WorkloadRow* row) const;
  void Process(Entry* entry, CycleResult* result);
  Room RoomFor(const Entry& entry);
  // Marks of the tree and the topologies, and back.
  std::pair<size_t, size_t> Mark() const;
  void Rollback(const std::pair<size_t, size_t>& mark);
  void RemoveUsage(WorkloadIndex w);
  void Search(Entry* entry, const Pins* pins);
  void Shrink(Entry* entry, const Pins* pins);
  void PlaceInTopology(const Entry& entry, Assignment* assignment);
  void PlaceForAccounts(Entry* entry);
  bool NeedsPlaces(const WorkloadRow& row) const;
  bool Overlaps(const Entry& entry) const;
  void Recompute(Entry* entry, bool overlap);
  void ReserveFor(const Entry& entry);
  void AddUsage(const Entry& entry);
  // Variants of one workload. Returns kNothing, or the sibling that holds quota in a flavor before
  // (`better`) or behind that of the entry.
  WorkloadIndex Sibling(const Entry& entry, bool better) const;
  void Migrate(Entry* entry, WorkloadIndex sibling);
  void Skip(Entry* entry, const char* note);
  void Requeue(Entry* entry, CycleResult* result);
  void Admit(const Entry& entry);

  World* world_;
  VictimSearch search_;
  TopologyWorld* topology_ = nullptr;
  const std::vector<double>* local_usage_ = nullptr;
  std::deque<PendingQueue> pending_;
  std::vector<WorkloadIndex> victims_;  // of this cycle
  std::vector<CellVictims> asked_;      // by the last AssignFlavors
};

// What a workload that found no victims keeps others from taking (CellAmounts of its assignment).
CellAmounts ResourcesToReserve(const World& world, Queue queue, const Assignment& assignment,
                               const CellAmounts& usage);

// Returns whether the next attempt of a workload of this hash begins at the first flavor again,
// although the last one got so far. `preserve`: gate FlavorFungibilityPreserveScanProgress.
bool IsOutdated(const ScanProgress& progress, uint64_t generation, int64_t cycle, uint32_t hash,
                bool preserve);

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_CYCLE_H_
