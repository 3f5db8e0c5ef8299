// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Workloads that wait in one ClusterQueue: those that the next cycles try, and those that wait
// until something changes.
//
//   PendingQueue pending(world, queue);
//   pending.Push(w);
//   WorkloadIndex head = pending.Pop();
//   pending.Requeue(head, RequeueReason::kNoFit);   // it is inadmissible until Return
//
// Order: [the usage of the LocalQueue,] the sticky preemptor, priority, waiting time, uid.
//
// A workload that cannot be admitted under best effort waits apart, together with all of equal hash
// (World::HashOf), until quota is released or the world changes (Return). Under strict FIFO it goes
// back to the front. `pop_cycle` and `return_cycle` tell whether the world changed while the head
// was being looked at; it is then tried once more.
//
// Idea. Workloads of one hash share a bucket with two ordered sets, so that all of them change
// sides at once, by a swap. Of the buckets, the fronts are kept in order.
//
// Cost. O(log n) for each call. Return costs O(buckets that wait apart).
#ifndef MUSTER_PEER_KUEUE_PENDING_H_
#define MUSTER_PEER_KUEUE_PENDING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lib/peer/kueue/world.h"

namespace muster::kueue {

enum class RequeueReason : uint8_t {
  kGeneric,
  kFailedAfterNomination,
  kNamespaceMismatch,
  kNoFit,
  kPreemptionNoCandidates,
  kPendingPreemption,
  kPreemptionFailed,
  kPendingMigration,
  kPreemptionGated,
};

class PendingQueue {
 public:
  PendingQueue(const World* world, Queue queue) : world_(world), queue_(queue) {}

  // Usage of LocalQueues, by number, where workloads go by it; null: they do not.
  void set_usage(const std::vector<double>* usage) { usage_ = usage; }

  // Adds a workload that is new, or that changed.
  void Push(WorkloadIndex w);
  // Takes the first out of the heap; kNothing if it is empty. It counts either way.
  WorkloadIndex Pop();
  // Returns whether the workload went back to the heap. One that came back on its own stays in the
  // heap; one that waits apart leaves it only if it may be tried at once.
  bool Requeue(WorkloadIndex w, RequeueReason reason);
  // All that wait apart go back, but those that may not be tried yet, and those of namespaces that
  // the queue does not take. Returns how many did.
  size_t Return();
  // Forgets the workload, wherever it is.
  void Delete(WorkloadIndex w);
  // Puts the workload into the heap, or aside, as it was when a state was saved.
  void Activate(WorkloadIndex w);
  void PutAside(WorkloadIndex w);
  // A workload that changes leaves, is changed, and enters again. Nothing happens while it is being
  // looked at: it goes where Requeue puts it. One that waits apart stays there unless the change
  // may help (ChangeMayHelp).
  enum class Place : uint8_t { kNowhere, kActive, kAside, kInFlight };
  Place PlaceOf(WorkloadIndex w) const;
  Place Leave(WorkloadIndex w);
  void Enter(WorkloadIndex w, Place was, bool may_help);
  // Workloads of equal hash as this one are inadmissible, now and until Return: those in the heap
  // move aside. Returns how many; under strict FIFO none.
  size_t Remember(WorkloadIndex w);
  bool Remembers(WorkloadIndex w) const;
  // Returns whether the workload waited long enough after its last attempt.
  bool MayBeTried(WorkloadIndex w) const;

  bool empty() const { return active_count_ == 0; }
  // In the order in which they would be popped.
  std::vector<WorkloadIndex> Active() const;
  std::vector<WorkloadIndex> Inadmissible() const;

  // The workload that waits for its victims to go.
  struct Preemptor {
    WorkloadIndex workload = kNothing;
    uint64_t generation = 0;
    bool sticky = false;
  };
  const Preemptor& preemptor() const { return preemptor_; }
  void set_preemptor(const Preemptor& preemptor) { preemptor_ = preemptor; }
  bool IsPreemptor(WorkloadIndex w) const {
    return preemptor_.workload == w && preemptor_.generation == world_->workloads[w].generation;
  }

  int64_t pop_cycle = 0;
  int64_t return_cycle = -1;

 private:
  struct Key {
    int64_t priority;
    int64_t time;
    int64_t uid_rank;
    WorkloadIndex workload;
    friend bool operator<(const Key& a, const Key& b) {
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.time != b.time) return a.time < b.time;
      if (a.uid_rank != b.uid_rank) return a.uid_rank < b.uid_rank;
      return a.workload < b.workload;
    }
  };
  struct Bucket {
    std::set<Key> active, aside;
    uint32_t local_queue = 0;
    bool remembered = false;  // its workloads were found inadmissible
  };
  struct Front {
    Key key;
    uint32_t bucket;
    friend bool operator<(const Front& a, const Front& b) { return a.key < b.key; }
  };

  Key KeyOf(WorkloadIndex w) const;
  uint64_t BucketKey(WorkloadIndex w) const;
  uint32_t BucketOf(WorkloadIndex w);
  const Bucket* FindBucket(WorkloadIndex w) const;
  bool MayReturn(WorkloadIndex w) const;
  bool Choosy() const;
  // Changes a bucket's active set by `change`, and keeps the fronts.
  template <class Change>
  void Edit(uint32_t bucket, Change change);
  void SetAside(uint32_t bucket);
  // Returns the bucket with the first workload.
  uint32_t First() const;
  bool StickyIsActive() const;
  bool Before(WorkloadIndex a, WorkloadIndex b) const;

  const World* world_;
  Queue queue_;
  const std::vector<double>* usage_ = nullptr;
  std::vector<Bucket> buckets_;
  std::map<uint64_t, uint32_t> bucket_of_;  // by hash and LocalQueue
  std::set<Front> fronts_;                  // of buckets with active workloads
  std::set<uint32_t> with_aside_;           // buckets with workloads that wait apart
  std::set<uint32_t> remembered_;           // buckets
  size_t active_count_ = 0;
  size_t barred_ = 0;  // of those apart, how many might not be tried when they got there
  Preemptor preemptor_;
  WorkloadIndex in_flight_ = kNothing;  // popped, and not back
};

}  // namespace muster::kueue

#endif  // MUSTER_PEER_KUEUE_PENDING_H_
