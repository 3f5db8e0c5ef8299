// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The scheduling queue: pods that are ready, that back off, and that wait for an event.
//
//   PodQueue queue(classes, settings);
//   queue.Load(slot);                      // what an earlier cycle stored
//   queue.Tick(now);                       // backoffs that ended, waits that took too long
//   queue.Happen({.kind = Happened::kPodDeleted, .old_pod = &shape});
//   while (Entity* entity = queue.Pop()) ...
//
// An entity is a pod, or a pod group with all its waiting members. Entities go by priority, then by
// the time of their last failure or arrival. After a failure an entity waits until an event wakes
// it, but never longer than `longest_wait`. An entity that wakes backs off first, for a time that
// doubles with each failure; it is over when the second after it begins. If nothing else is ready
// the first that backs off is popped at once. Gated pods wait, too, for the event that opens the
// gate.
//
// Times are ticks of the caller's clock. Entities of one tick go by the order in which they came.
//
// Cost. O(log entities) to add and pop, and to remove a pod without a group; an event costs what
// waits. The gates of a group's pods are looked at once each while they are open.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_POD_QUEUE_H_
#define MUSTER_PEER_KUBE_SCHEDULER_POD_QUEUE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/base/hash_map.h"
#include "lib/peer/kube_scheduler/wake.h"
#include "muster/memory.h"

namespace muster::kube {

// Out are those that are tried, and those in the queue that rest.
enum class Pool : uint8_t { kOut, kActive, kBackoff, kWaiting };

struct Member {
  TaskIndex task = kNone;
  std::string name;
  int32_t priority = 0;
  int64_t time = 0, sequence = 0;  // of the last failure or arrival
  int64_t attempts = 0;
  int64_t failures = 0, errors = 0;
  PluginSet rejectors;
  Plugin gate = Plugin::kNone;
  std::string nominated;     // the node
  int64_t nominated_at = 0;  // the order of nominations to one node
  size_t number = 0;         // in the queue: grows along the members of an entity
};

using Members = absl::InlinedVector<Member, 1>;  // most entities are pods

class ExtraPlugins;  // extra_plugins.h

struct Entity;
using EntityList = std::list<std::unique_ptr<Entity>>;  // in the order of arrival

struct Entity {
  JobIndex group = kNone;
  std::string name;  // of the pod or the group
  int32_t priority = 0;
  Members members;  // one, for a pod
  Pool pool = Pool::kOut;
  Plugin gate = Plugin::kNone;
  int64_t time = 0, sequence = 0;
  int64_t failures = 0, errors = 0;
  int64_t flushed = kAbsent;
  bool parked = false, wakes_late = false;
  int64_t rank_time = 0;       // by plug-ins beyond the default ones; before `time`
  std::string rank_name = {};  // the same
  size_t open = 0;             // so many members of a group, the first, are known to have no gate
  uint64_t number = 0;         // of its arrival
  EntityList::iterator place;  // while it is in the queue
};

class PodQueue {
 public:
  // Both must outlive this.
  PodQueue(PodClasses* classes, const Settings* settings)
      : classes_(*classes), tables_(classes->tables()), settings_(*settings) {}
  // Plug-ins beyond the default ones, which rank and wake pods. Called before Load, if at all.
  void SetExtra(ExtraPlugins* extra) { extra_ = extra; }

  // `pods` and `groups` are slots that Store wrote, maybe of another state of the cluster: a member
  // has no task if its task does not wait any more.
  void Load(const MemorySlot& pods, const MemorySlot& groups, int64_t clock, int64_t sequence);
  void Store(MemorySlot* pods, MemorySlot* groups) const;
  int64_t clock() const { return now_; }
  int64_t sequence() const { return sequence_; }
  int64_t NextSequence() { return sequence_++; }

  // Moves the clock, second by second.
  void Tick(int64_t now);
  // Takes the event into account for all entities that wait. `most`: only those with a pod of at
  // most that priority.
  void Happen(const Happening& happening, int32_t most = INT32_MAX);
  // Wakes all that wait, whatever rejected them.
  void WakeAll();

  // Returns the entity of the pod, null if it is in no pool. Valid until the queue changes.
  Entity* Find(std::string_view name);
  // The same of the member. O(log n) of those of the entity.
  Member* FindMember(std::string_view name);
  // Adds a pod that came or came back.
  void Add(TaskIndex task);
  // Makes a pod that waits or backs off ready, whatever it waits for but gates.
  void Activate(std::string_view name);
  // Orders the pod anew after its rank changed; does nothing if it is not there.
  void Rerank(std::string_view name);
  // Keeps a pod that waits from being tried again in this plan: what would wake it wakes it when
  // the queue is stored.
  void Park(std::string_view name);
  void WakeParked();
  // Makes ready what failed without a backoff.
  void WakeRested();
  // Takes the pod out; does nothing if it is not there.
  void Remove(std::string_view name);
  // The waiting pod changed in these ways, one after the other.
  void Update(std::string_view name, std::span<const Happening> changes);

  // Takes out the entity to be tried next; null: none is ready.
  std::unique_ptr<Entity> Pop();
  // Takes out the pod, ready or not; null: it is not there, has gates of its own or is parked.
  std::unique_ptr<Entity> Take(std::string_view name);
  // Returns a pod that failed. Without a backoff it would be ready again; but in a plan time stands
  // still, and it would fail for ever. So it rests until WakeRested.
  void Fail(std::unique_ptr<Entity> entity, PluginSet rejectors);

  // Returns a group that was tried with the members that are left: at once if it was placed, and
  // else after its backoff, as pods. `tried`: some of them were members of the attempt.
  enum class GroupOutcome : uint8_t { kPlaced, kRejected, kError };
  void FailGroup(std::unique_ptr<Entity> entity, GroupOutcome outcome, bool tried);

  const EntityList& entities() const { return entities_; }

 private:
  struct GoesFirst {
    bool operator()(const Entity* a, const Entity* b) const;
  };
  struct CameFirst {
    bool operator()(const Entity* a, const Entity* b) const { return a->number < b->number; }
  };
  // Where a pod in the queue is found.
  struct Seat {
    Entity* entity = nullptr;
    size_t number = 0;  // of the member
  };
  static Members::iterator MemberAt(const Seat& seat);
  // Adds the last member of an entity in the queue.
  void Join(Member member, Entity* entity);
  JobIndex GroupOfTask(TaskIndex task) const;
  // `pod`: an entity of it alone.
  void AddToGroup(JobIndex group, std::unique_ptr<Entity> pod);
  void Return(Entity* entity);
  bool MoveToActive(Entity* entity, bool from_backoff);
  bool MoveToBackoff(Entity* entity);
  // Puts it where it belongs after an event.
  void Requeue(Entity* entity);
  // Puts it where it belongs after a failure that no event mends.
  void Rest(Entity* entity);
  void CheckGates(Entity* entity);
  Plugin GateOf(const Entity& entity, const Member& member);
  // Returns whether the cluster has fewer pods of the group than it needs.
  bool LacksPods(JobIndex group);
  bool BacksOff(const Entity& entity) const;
  int64_t BackoffEnd(const Entity& entity) const;  // in seconds; below 0: none
  void LoadGroups(const MemorySlot& groups, HashMap<std::string, Entity*>* by_group);
  int64_t SecondOf(int64_t time) const;
  bool WakesEntity(const Entity& entity, const Happening& happening, int32_t most) const;
  void Insert(std::unique_ptr<Entity> entity);
  void SetPool(Entity* entity, Pool pool);
  std::unique_ptr<Entity> TakeOut(Entity* entity);
  std::unique_ptr<Entity> BeginAttempt(Entity* entity);
  Entity* FirstInBackoff() const;

  void Rank(Entity* entity);

  PodClasses& classes_;
  const Tables& tables_;
  const Settings& settings_;
  ExtraPlugins* extra_ = nullptr;
  int64_t now_ = 0, sequence_ = 0;
  EntityList entities_;
  uint64_t arrivals_ = 0;
  std::set<Entity*, GoesFirst> active_;
  std::set<Entity*, CameFirst> waiting_;
  HashMap<std::string, Seat> by_pod_;
  HashMap<JobIndex, Entity*> by_group_;
  HashMap<JobIndex, bool> lacks_pods_;  // the tables do not change while this lives
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_POD_QUEUE_H_
