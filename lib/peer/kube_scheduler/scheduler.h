// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The scheduler: it follows the events of the cluster, and runs scheduling cycles.
//
//   Scheduler scheduler(tables, memory, settings, now);
//   scheduler.Follow();                     // events since the last plan, and the clock
//   while (scheduler.RunCycle()) {}
//   scheduler.Store();
//   for (const Made& made : scheduler.made()) ...
//
// Pods that find no node try to make room (failing.cc). Plug-ins beyond the default ones may let
// pods wait with their nodes (waiting.cc).
//
// Decisions take effect on the scheduler's own view at once; the tables do not change. What the
// memory slots hold is in kSlots.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_SCHEDULER_H_
#define MUSTER_PEER_KUBE_SCHEDULER_SCHEDULER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/memory_slots.h"
#include "lib/peer/kube_scheduler/batch.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/kube_scheduler/image_counts.h"
#include "lib/peer/kube_scheduler/node_tree.h"
#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "lib/peer/kube_scheduler/pod_queue.h"
#include "lib/peer/kube_scheduler/preemption.h"

namespace muster::kube {

// The slots: waiting pods and groups; numbers that a cycle hands to the next; nodes and pods as
// they were last seen; the last cycle, for tests.
inline constexpr MemoryDecl kSlots[] = {{"kube-queue", 1}, {"kube-groups", 1}, {"kube-cycle", 2},
                                        {"kube-nodes", 2}, {"kube-pods", 2},   {"kube-images", 1},
                                        {"kube-batch", 1}, {"kube-trace", 1}};

inline constexpr std::string_view kNoNodes = "no nodes available to schedule pods";

struct AttemptTrace;  // trace.h

// One decision.
struct Made {
  // kWait: the pod holds the node, and kReserve decides so at the end; kGiveUp: it does no longer.
  enum class Kind : uint8_t {
    kBind,
    kEvict,
    kNominate,
    kWithdraw,
    kWait,
    kGiveUp,
    kReserve,
  } kind;
  TaskIndex task;
  NodeIndex node = kNone;         // none, where a nomination is withdrawn
  TaskIndex beneficiary = kNone;  // of an eviction
  int64_t until = kAbsent;        // kReserve
  std::string group = {};         // kReserve
};

// Why a pod stays: the scheduler's message, and the same as counts of nodes by rule.
struct Unplaced {
  std::string message;
  std::vector<Refusal> refusals;
};

class Scheduler {
 public:
  // All must outlive this. `extra`: plug-ins beyond the default ones, or null.
  Scheduler(const Tables& tables, MemorySlots* memory, const Settings& settings, int64_t now,
            ExtraPlugins* extra = nullptr);

  // Which of the best nodes is chosen. `ties` outlives this.
  void SetTies(const TieRanks& ties) { world_.SetTies(ties); }

  void Follow();
  // Tries the pod or group that is first in the queue. Returns false if none is ready.
  bool RunCycle();
  // Makes reservations of what waits with a node, and explains what plug-ins do not let become
  // ready. Called once, after the last cycle.
  void ReserveWaiting();
  void Store();

  const std::vector<Made>& made() const { return made_; }
  // Why pods stay, by task.
  const HashMap<TaskIndex, Unplaced>& unplaced() const { return unplaced_; }

 private:
  void TakeNominations();
  void Begin();  // on a cluster of which nothing is known
  void See(const ClusterEvent& event);
  void SeeNode(const ClusterEvent& event);
  void SeeTask(const ClusterEvent& event);
  void SeeTaskChange(const std::string& name, TaskIndex task, uint32_t aspects);
  void SeeTaskGone(const std::string& name, bool held_node);
  void AddMissing();
  void SetFirstNomination(TaskIndex t);
  bool Waits(TaskIndex t) const;
  const std::string& MemoOfTask(TaskIndex t);
  void Remember(TaskIndex t);  // the pod's memo
  void Assigned(TaskIndex t);
  void LostNomination(const TaskShape& pod, int32_t priority);

  void TryPod(std::unique_ptr<Entity> entity);
  void FailPod(std::unique_ptr<Entity> entity, PodCycle* failed, AttemptTrace* trace);
  void FailJointly(std::unique_ptr<Entity> entity, PodCycle* failed, AttemptTrace* trace);
  std::string AfterFiltering(const Preemption& preemption, const Rejection& rejection) const;
  // Returns the node for the pod if its class has a board, and one is feasible; else kNone.
  NodeIndex ChooseByBoard(TaskIndex t);
  void TryGroup(std::unique_ptr<Entity> entity);
  void Place(TaskIndex t, NodeIndex n);
  void Preempt(const std::vector<TaskIndex>& victims, TaskIndex beneficiary);
  void Evict(const std::vector<TaskIndex>& victims, TaskIndex beneficiary, Leaving leaving);
  void TakePreempted();
  void WithdrawBelow(NodeIndex n, int32_t priority);
  // Sets the nomination of a pod that failed, and wakes what it had blocked.
  void SetNomination(const std::string& name, NodeIndex n);

  // A pod with a node that may not be bound yet.
  struct Waiting {
    NodeIndex node = kNone;
    int64_t until = kAbsent;
    std::string group;
    std::unique_ptr<Entity> entity;  // null: it waits since an earlier plan
  };
  void FindWaiting();
  void PlaceOrWait(std::unique_ptr<Entity> entity, NodeIndex n);
  void Allow(TaskIndex t);
  void Bound(TaskIndex t, NodeIndex n);
  void Refuse(std::unique_ptr<Entity> entity, const Permission& permission);
  void DropNomination(Entity* entity);
  void RejectWaiting(const Rejection& rejection);
  void RejectWith(const Rejection& rejection, const std::string& failed);
  std::unique_ptr<Entity> NextOfTurn();
  void ExplainGates();
  void Withdraw(TaskIndex t, Waiting waiting, const std::string& why);
  void RerankAll();

  friend class GroupTurn;

  const Tables& tables_;
  MemorySlots& memory_;
  const Settings& settings_;
  const int64_t now_;
  ExtraPlugins* const extra_;
  PodClasses classes_;
  World world_;
  ClassStates states_;
  DryRuns dry_runs_{tables_};
  PodQueue queue_;
  NodeTree tree_;
  ImageCounts images_;
  Batch batch_;
  int64_t cycle_number_ = 0;
  Nominations nominations_;
  uint64_t start_ = 0;
  // Pods that this scheduler bound, until the event comes: in earlier plans, and in this one.
  HashSet<std::string> told_;
  std::vector<TaskIndex> told_now_;
  HashSet<std::string> preempted_;  // pods that it preempted, until they are gone
  std::vector<Made> made_;
  HashMap<TaskIndex, Unplaced> unplaced_;
  HashMap<TaskIndex, Waiting> waiting_;  // in the order of their nodes' reservation
  std::string trace_;
  HashMap<ClassIndex, std::string> memos_;
  PackedRows pods_;  // memos, by pod
};

// The scheduler's message about a pod that found no node.
// `after`: what the plug-ins after filtering had to say; empty: nothing.
std::string FailureText(const World& world, const PodCycle& cycle, const std::string& after);
// Counts each node once, by the first rule that refused it; those of most nodes first.
std::vector<Refusal> RefusalsOf(const World& world, const PodCycle& cycle);

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_SCHEDULER_H_
