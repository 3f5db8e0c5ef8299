// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plug-ins beyond the default ones: what the scheduler asks them at each step of a cycle.
//
//   class Mine : public ExtraPlugins { ... };
//   Mine plugins(...);
//   Scheduler scheduler(tables, memory, settings, now, &plugins);
//
// Each plug-in has a number from Plugin::kExtra on. They run behind the default plug-ins: a node
// that these refuse is not shown to them. Reasons in words of their own come from World::Words.
//
// A pod that gets a node is reserved there, and permitted, or refused, or it waits: it then holds
// the node until it is allowed or rejected. The scheduler keeps the waiting pods, and withdraws
// what was reserved for those that are rejected.
//
// Without plug-ins the scheduler decides as if this file did not exist.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_EXTRA_PLUGINS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_EXTRA_PLUGINS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/extension/memory_slots.h"
#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "lib/peer/kube_scheduler/wake.h"
#include "muster/plan.h"

namespace muster::kube {

struct Candidate;  // preemption.h

// The order of a pod among those of its priority: the smaller `time`, then the smaller `name`, then
// as without plug-ins.
struct QueueRank {
  int64_t time = 0;
  std::string name = {};
};

// Whether a pod that was reserved a node may be bound.
struct Permission {
  enum class Code : uint8_t { kAllow, kWait, kRefuse };
  Code code = Code::kAllow;
  int64_t until = kAbsent;                // kWait: when it is rejected, in ticks
  std::string group = {};                 // kWait: those that are released together
  std::vector<TaskIndex> allowed = {};    // kAllow: that waited
  std::vector<TaskIndex> activated = {};  // kWait: to be tried soon
  Plugin plugin = Plugin::kNone;          // kRefuse
  std::string message = {};               // kRefuse
};

// Pods that no longer wait, and why.
struct Rejection {
  std::string message = {};  // what the failed pod's message ends with
  std::string why = {};      // of the rejected pods
  std::vector<TaskIndex> rejected = {};
};

// The turn of pods that are tried one right after the other, before the rest of the queue.
struct PodTurn {
  TaskIndex next = kNone;              // the pod to be tried now, if it is in the queue
  bool has_ended = false;              // it has no further pod
  Rejection rejection = {};            // has_ended: what waits with a node in vain
  std::vector<TaskIndex> parked = {};  // has_ended: pods that this plan does not try again
};

// What a pod that found no node does together with others.
struct JointPreemption {
  // Why nothing was done; empty: `places` has a node for each pod that was without one.
  std::string message = {};
  // The pods of which nominations change, and their nodes now. kNone: none.
  std::vector<std::pair<TaskIndex, NodeIndex>> places = {};
  std::vector<TaskIndex> victims = {};
  Rejection rejection = {};  // of pods that waited with a node
};

class ExtraPlugins {
 public:
  virtual ~ExtraPlugins() = default;

  virtual std::string_view NameOf(Plugin plugin) const = 0;

  // Called once, before all else. The arguments outlive the plug-ins' last call.
  virtual void Open(World* world, const Nominations* nominations, MemorySlots* memory,
                    int64_t now) = 0;
  virtual void Store(MemorySlots* memory) = 0;

  // --- the queue
  // The rank of a pod changes only within calls that return pods of its group; those are ranked
  // again.
  virtual QueueRank RankOf(TaskIndex task) = 0;
  virtual std::vector<TaskIndex> Reranked() = 0;
  // Returns the plug-in that keeps the pod from being ready; kNone: none does. It is asked whenever
  // the pod would become ready, and of each pod that an earlier plan left ready.
  virtual Plugin GateOf(TaskIndex task) {
    static_cast<void>(task);
    return Plugin::kNone;
  }
  // Returns why it does.
  virtual std::string WhyGated(TaskIndex task) {
    static_cast<void>(task);
    return {};
  }
  // Returns the pod that is tried before those of the queue, until a turn ends or there is none.
  virtual PodTurn NextOfTurn() { return {}; }
  // Returns pods on nodes, none of which leaves or waits, that are evicted before all else, in the
  // order in which they go.
  virtual std::vector<TaskIndex> Revoked() { return {}; }
  // Returns whether something changed since the last plan that no event tells of, so that all pods
  // that wait are tried again.
  virtual bool WakesAll() { return false; }
  // Returns whether a plug-in among `rejectors` takes the event for a reason to try the pod again.
  virtual bool Wakes(TaskIndex task, PluginSet rejectors, const Happening& happening) = 0;

  // --- one pod and the nodes
  // A status that is not kFits refuses the pod everywhere.
  virtual Status PreFilter(TaskIndex task) = 0;
  // Returns whether Filter or Score could answer anything of a pod.
  virtual bool LooksAtNodes(TaskIndex task) = 0;
  // Returns whether a pod sees other books of a node than all pods do. ChangeBooks makes these of
  // those.
  virtual bool SeesOtherBooks(TaskIndex task, NodeIndex node) {
    static_cast<void>(task);
    static_cast<void>(node);
    return false;
  }
  virtual void ChangeBooks(TaskIndex task, NodeIndex node, NodeBooks* books) {
    static_cast<void>(task);
    static_cast<void>(node);
    static_cast<void>(books);
  }
  // `books`: as the pod sees them; not always those of the world.
  virtual Status Filter(TaskIndex task, NodeIndex node, const NodeBooks& books) = 0;
  virtual std::vector<ExtraScore> Score(TaskIndex task, std::span<const NodeIndex> feasible) = 0;

  // --- places
  virtual void Reserve(TaskIndex task, NodeIndex node) = 0;
  virtual Permission Permit(TaskIndex task) = 0;
  // Returns the parts of devices that the pod gets where it was reserved a node.
  virtual std::vector<ChosenDevice> DevicesOf(TaskIndex task) {
    static_cast<void>(task);
    return {};
  }
  // Returns whether a pod that waits since an earlier plan cannot keep its node.
  virtual bool HasLostPlace(TaskIndex task) {
    static_cast<void>(task);
    return false;
  }
  // Takes a reservation back. Returns waiting pods that are rejected with it.
  virtual Rejection Unreserve(TaskIndex task) = 0;
  // A pod found no node. `preempts`: preemption makes room for it.
  virtual Rejection NothingFits(const PodCycle& cycle, bool preempts) = 0;

  // --- preemption
  // Returns whether the pod makes room together with others, by PreemptJointly, in place of
  // preemption for it alone.
  virtual bool PreemptsJointly(TaskIndex task) {
    static_cast<void>(task);
    return false;
  }
  // `never`: the pod may not preempt. Nominations that count against none of the pods may be
  // cleared; those of `places` are set by the caller.
  virtual JointPreemption PreemptJointly(PodCycle& cycle, Nominations* nominations, bool never) {
    static_cast<void>(cycle);
    static_cast<void>(nominations);
    static_cast<void>(never);
    return {};
  }
  // Returns whether the victim may not be evicted for the preemptor.
  virtual bool IsExempt(TaskIndex victim, TaskIndex preemptor) = 0;
  // A pod leaves its node in a dry run (-1), or comes back (+1).
  virtual void CountVictim(TaskIndex victim, int sign) {
    static_cast<void>(victim);
    static_cast<void>(sign);
  }
  // Returns whether a plug-in takes the place of default preemption: its messages have no prefix.
  virtual bool ReplacesPreemption() const = 0;
  // Returns whether it also chooses victims by rules of its own, through WhyIneligible and Select.
  virtual bool SelectsVictims() const = 0;
  // Returns why the pod, which may preempt, does not preempt now. Empty: it does.
  virtual std::string WhyIneligible(const PodCycle& cycle) = 0;
  virtual Status SelectVictims(PodCycle& cycle, NodeIndex node, Candidate* candidate) = 0;
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_EXTRA_PLUGINS_H_
