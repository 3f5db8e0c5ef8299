// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Pods and jobs as a cycle of KAI Scheduler changes them.
//
//   KaiJob job(facts, j);
//   job.Add(&pod);                                   // with the status that it has
//   job.SetStatus(&pod, KaiStatus::kPipelined);
//   KaiJob* few = arena.Clone(job, {&pod, &other});  // copies of the pods, and nothing else
//
// Idea. A job maps the UIDs of its tasks to pods, and keeps counts by status. A simulation works on
// copies: a copy of a job has copies of some of its pods. When a copy of a pod is evicted or
// placed, it replaces the pod in the session's job. So two copies of one task may be alive at once,
// with two statuses, and some of the peer's decisions depend on which of them is looked at.
// Therefore pods are objects with an identity here, too.
//
// Peer. The index by status and the count of active tasks are kept by the status of the pod that
// is given, and the counts of pod sets by that of the pod that was known. They part where a task is
// a victim twice.
//
// Cost. A change of status is O(1), a copy O(tasks of the job).
#ifndef MUSTER_PEER_KAI_PODS_H_
#define MUSTER_PEER_KAI_PODS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kai/facts.h"

namespace muster {

struct KaiPod {
  uint32_t task = 0;
  uint32_t node = kKaiNone;
  KaiStatus status = KaiStatus::kPending;
  KaiReceived received = KaiReceived::kNothing;
  bool is_virtual = false;   // its status was set by a simulation
  bool accepted = false;     // what it got is known
  double accepted_gpus = 0;  // devices and parts of them, without slices
  double accepted_quota = 0;
  std::vector<uint32_t> devices = {};  // groups of shared devices

  // Returns whether the task may be tried; in a simulation, also one that the simulation evicted.
  bool ToAllocate(bool real) const {
    return status == KaiStatus::kPending ||
           (!real && status == KaiStatus::kReleasing && is_virtual);
  }
};

// What the next tasks of a job request together.
struct KaiNext {
  KaiAmounts amounts = {};
  double whole_gpus = 0;  // without slices
};

class KaiJob {
 public:
  KaiJob(const KaiFacts& facts, uint32_t job);
  // Becomes a copy of `other` without pods. Keeps the memory that it has.
  void Become(const KaiJob& other);

  uint32_t number() const { return job_; }
  const KaiJobFacts& facts() const { return *own_; }

  void Add(KaiPod* pod);
  // Returns false, and changes nothing, if the job does not have the task.
  bool SetStatus(KaiPod* pod, KaiStatus status);

  // By place; null where a copy lacks the task.
  std::span<KaiPod* const> pods() const { return pods_; }
  KaiPod* Find(uint32_t task) const { return pods_[facts_->tasks[task].place]; }
  // For the end of a simulation: Replace puts another object of equal contents in the place of a
  // pod, and Redirect lets what is kept refer to the pods that the job has now.
  void Replace(uint32_t place, KaiPod* pod) { pods_[place] = pod; }
  void Redirect();
  void ForgetNext() const;
  // Another number once the next tasks, or what is allocated, may have changed.
  uint32_t revision() const { return revision_; }

  int32_t CountOf(KaiStatus status) const { return index_count_[IndexOf(status)]; }
  int32_t active_allocated() const { return active_allocated_; }
  const KaiAmounts& allocated() const { return allocated_; }
  int CountActiveUsed() const;
  int CountAllocated() const;
  bool HasToAllocate(bool real) const;
  // Returns whether a pod set counts an active task.
  bool HasActive() const { return counted_active_ > 0; }

  // --- pod sets and sets of sub-groups; by number of the group
  struct Counts {
    int32_t active_allocated = 0, active_used = 0, alive = 0, gated = 0, pods = 0;
  };
  const Counts& counts(uint32_t pod_set) const { return groups_[pod_set].counts; }
  int32_t minimum(uint32_t group) const { return groups_[group].minimum; }  // -1: all members
  void set_minimum(uint32_t group, int32_t minimum) {
    groups_[group].minimum = minimum;
    at_minimum_.reset();
    may_lose_some_.reset();
  }
  int32_t MembersToSatisfy(uint32_t group) const;
  int32_t ActiveMembers(uint32_t group) const;
  bool IsSatisfied(uint32_t set) const { return ActiveMembers(set) >= MembersToSatisfy(set); }
  bool IsReady(uint32_t group = 0) const;
  bool IsGangSatisfied() const;
  bool IsElastic() const;
  bool IsStale() const;
  bool ShouldPipeline() const;
  // Returns -1 below the minimum in some pod set, 0 exactly at it in all, else 1.
  int AtMinimum() const { return at_minimum_.has_value() ? *at_minimum_ : CompareToMinimum(); }

  // --- orders
  // Returns whether member `a` goes before `b`.
  bool GroupBefore(uint32_t a, uint32_t b) const;
  bool PodBefore(const KaiPod* a, const KaiPod* b) const {
    return facts_->tasks[a->task].rank < facts_->tasks[b->task].rank;
  }
  std::vector<uint32_t> MembersInOrder(uint32_t set, bool reversed) const;

  // The tasks to try next, and what they request; kept until a status changes, as at the peer
  // whatever `real` is then.
  const std::vector<KaiPod*>& Next(bool real) const;
  const KaiNext& NextRequest(bool real) const;
  // What the job loses in one step, and whether more is left then.
  std::vector<KaiPod*> NextVictims(bool* has_more) const;
  // Returns false only if the job loses all that is active in one step. O(groups), and O(1) until
  // something changes.
  bool MayLoseSome() const;

 private:
  static size_t IndexOf(KaiStatus status);
  void CollectNext(uint32_t set, bool real, std::vector<KaiPod*>* out) const;
  void CollectPodSet(uint32_t pod_set, bool real, std::vector<KaiPod*>* out) const;
  void CollectElastic(uint32_t set, std::vector<KaiPod*>* out) const;
  void CollectActive(uint32_t group, std::vector<KaiPod*>* out) const;
  void ActiveOf(uint32_t pod_set, std::vector<KaiPod*>* out) const;
  bool HasSurplus(uint32_t group) const;
  int CompareToMinimum() const;
  void PodSetsBelow(uint32_t set, std::vector<uint32_t>* out) const;

  const KaiFacts* facts_;
  const KaiJobFacts* own_;
  uint32_t job_;
  std::vector<KaiPod*> pods_;
  struct Marks {
    uint16_t counted = 0;  // the status that its pod set counts; 0: none
    uint16_t listed = 0;   // the statuses under which the index lists it
  };
  struct GroupState {
    Counts counts = {};
    int32_t minimum = -1;
  };
  std::vector<Marks> marks_;  // by place
  std::array<int32_t, 13> index_count_ = {};
  int32_t active_allocated_ = 0;
  int32_t counted_active_ = 0;  // of all pod sets
  KaiAmounts allocated_ = {};
  absl::InlinedVector<GroupState, 2> groups_;  // by group
  mutable std::vector<KaiPod*> next_;
  mutable bool knows_next_ = false;
  mutable uint32_t revision_ = 0;
  mutable std::optional<KaiNext> next_request_;
  mutable std::optional<int8_t> at_minimum_;
  mutable std::optional<bool> may_lose_some_;
};

// Returns -1 where the left job goes first, because it is below its minimum, or at it and the other
// is above; 1 where the right one does; else 0.
inline int CompareKaiElastic(const KaiJob& left, const KaiJob& right) {
  const int l = left.AtMinimum(), r = right.AtMinimum();
  return l < r ? -1 : l > r ? 1 : 0;
}

// Owns the copies that a simulation makes. What is cleared is used again: a search makes copies by
// the million.
class KaiArena {
 public:
  KaiPod* Clone(const KaiPod& pod);
  KaiJob* Clone(const KaiJob& job, std::span<KaiPod* const> pods);
  void Clear() { used_pods_ = used_jobs_ = 0; }
  // Calls visit(pod) for each copy since Clear, in their order.
  template <typename Visit>
  void ForEachPod(Visit visit) const {
    for (size_t i = 0; i < used_pods_; ++i) visit(pods_[i]);
  }

 private:
  std::deque<KaiPod> pods_;
  std::deque<KaiJob> jobs_;
  size_t used_pods_ = 0, used_jobs_ = 0;
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_PODS_H_
