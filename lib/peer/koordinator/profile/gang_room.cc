// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/gang_room.h"

#include <algorithm>
#include <utility>

#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/gangs/gang_preemption.h"
#include "lib/peer/koordinator/profile/stand_ins.h"
#include "lib/peer/kube_scheduler/preemption.h"

namespace muster::koordinator {
namespace {

constexpr char kNoVictims[] = "no potential victims";

bool MayLeave(const kube::World& world, TaskIndex victim, TaskIndex preemptor) {
  return world.priority(victim) < world.priority(preemptor) &&
         (world.tables().tasks.flags[victim] & kTaskPreemptable) != 0 &&
         ReservationToPlace(world.classes().shape(world.class_of(victim))) == nullptr;
}

// Copies of the books of the nodes on which an eviction can help.
class CycleRooms : public GangRooms {
 public:
  CycleRooms(kube::World* world, kube::PodCycle* cycle, const std::vector<TaskIndex>& pods,
             const std::vector<TaskIndex>& waiting)
      : world_(*world), cycle_(*cycle), pods_(pods), places_(cycle->curable()) {
    const auto& names = world_.tables().tasks.names;
    const auto& jobs = world_.tables().jobs.names;
    HashSet<TaskIndex> staying;
    staying.insert(waiting.begin(), waiting.end());
    for (const NodeIndex n : places_) {
      books_.push_back(world_.books(n));
      refusals_.emplace_back();
      GangNode& node = nodes_.emplace_back();
      std::vector<TaskIndex>& tasks = victims_.emplace_back();
      for (const TaskIndex t : world_.pods_on(n)) {
        if (!MayLeave(world_, t, cycle_.task()) || staying.contains(t)) continue;
        const JobIndex job = world_.tables().tasks.job[t];
        node.victims.push_back({std::string(names.name(t)),
                                job == kNone ? "" : std::string(jobs.name(job)),
                                world_.priority(t)});
        tasks.push_back(t);
      }
    }
  }

  const std::vector<GangNode>& nodes() const { return nodes_; }
  NodeIndex place(size_t node) const { return places_[node]; }
  TaskIndex victim(size_t node, size_t victim) const { return victims_[node][victim]; }
  bool has_victims() const {
    return std::ranges::any_of(victims_, [](const auto& tasks) { return !tasks.empty(); });
  }
  // Returns the message about the nodes, once no place was found.
  std::string WhyNot() const {
    kube::FewCounts<kube::Cause> counts;
    if (!has_victims() && !places_.empty()) {
      counts.Add(kube::WordsCause(&world_, kNoVictims), static_cast<int64_t>(places_.size()));
    }
    for (const kube::Status& status : refusals_) {
      for (const kube::Cause cause : status.causes) counts.Add(cause, 1);
    }
    return kube::VainText(world_, std::move(counts), places_.size());
  }

  void MoveVictim(size_t node, size_t victim, int sign) override {
    const TaskIndex t = victims_[node][victim];
    MoveBooks(t, node, sign);
    cycle_.Count(t, places_[node], sign);
  }
  void MovePod(size_t pod, size_t node, int sign) override {
    const TaskIndex t = pods_[pod];
    MoveBooks(t, node, sign);
    // A pod that this plan evicted from its node is counted there, and holds devices of it.
    if (world_.node_of(t) == kNone) cycle_.Count(t, places_[node], sign);
  }
  bool Fits(size_t, size_t node) override {
    kube::Status status = cycle_.Filter(places_[node], books_[node]);
    const bool fits = status.code == kube::Code::kFits;
    if (!fits) refusals_[node] = std::move(status);
    return fits;
  }

 private:
  void MoveBooks(TaskIndex t, size_t node, int sign) {
    if (sign > 0) {
      books_[node].Add(world_.pod(t));
    } else {
      books_[node].Remove(world_.pod(t));
    }
  }

  kube::World& world_;
  kube::PodCycle& cycle_;
  const std::vector<TaskIndex>& pods_;
  const std::vector<NodeIndex> places_;
  std::vector<kube::NodeBooks> books_;
  std::vector<GangNode> nodes_;
  std::vector<std::vector<TaskIndex>> victims_;
  std::vector<kube::Status> refusals_;  // of each node, the last one
};

}  // namespace

std::string WhyNoGangRoom(const kube::World& world, const kube::PodCycle& cycle,
                          const kube::Nominations& nominations, const std::vector<TaskIndex>& pods,
                          bool never) {
  if (pods.empty()) return "no pending pods";
  if (never) return "not eligible due to preemptionPolicy=Never.";
  for (const TaskIndex pod : pods) {
    const NodeIndex node = nominations.of(pod);
    if (node == kNone) continue;
    if (pod == cycle.task() && cycle.status(node).code == kube::Code::kUnresolvable) continue;
    for (const TaskIndex t : world.pods_on(node)) {
      if (world.leaving(t) == kube::Leaving::kPreempted && MayLeave(world, t, pod)) {
        return "not eligible due to terminating pod on the nominated node.";
      }
    }
  }
  return {};
}

kube::JointPreemption GangRoomFor(kube::World* world, kube::PodCycle* cycle,
                                  const std::vector<TaskIndex>& pods,
                                  const std::vector<TaskIndex>& waiting) {
  CycleRooms rooms(world, cycle, pods, waiting);
  kube::JointPreemption joint;
  GangRoom found;
  if (rooms.has_victims()) found = MakeGangRoom(pods.size(), rooms.nodes(), &rooms);
  if (found.places.empty()) {
    joint.message = rooms.WhyNot();
    return joint;
  }
  for (size_t i = 0; i < pods.size(); ++i) {
    joint.places.emplace_back(pods[i], rooms.place(found.places[i]));
  }
  for (const auto& [node, victim] : found.victims) {
    const TaskIndex t = rooms.victim(node, victim);
    if (!world->terminating(t)) joint.victims.push_back(t);
  }
  return joint;
}

}  // namespace muster::koordinator
