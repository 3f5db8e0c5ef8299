// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The capacity scheduler: nodes, applications and heartbeats.
//
//   auto scheduler = CapacityScheduler::Make(settings);
//   const NodeIndex node = scheduler->AddNode({.name = "n0", .rack = "/r0", .total = {8192, 8}});
//   const auto app = scheduler->Submit({.id = 1, .queue = "root.a", .user = "ann"});
//   scheduler->Ask(*app, 1, {{kAnyPlace, {.size = {1024, 1}, .count = 3}}});
//   for (ContainerIndex c : scheduler->Heartbeat(node)) Launch(scheduler->containers()[c]);
//
// Calls take effect at once and in order. Applications are numbered by the caller; of equal
// priority the smaller number goes first.
#ifndef MUSTER_PEER_YARN_CAPACITY_SCHEDULER_H_
#define MUSTER_PEER_YARN_CAPACITY_SCHEDULER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/names.h"
#include "lib/peer/yarn/capacity/config.h"
#include "lib/peer/yarn/capacity/leaf_past.h"
#include "lib/peer/yarn/capacity/order.h"
#include "lib/peer/yarn/capacity/queue.h"
#include "lib/peer/yarn/containers.h"

namespace muster::yarn {

struct NodeSpec {
  std::string name, rack;
  Resource total;
  Partition partition = kDefaultPartition;
};

struct AppSpec {
  uint32_t id = 0;
  std::string queue, user;
  int32_t priority = 0;
  std::optional<Resource> master;           // none: the application runs its master elsewhere
  Partition partition = kDefaultPartition;  // of the master
  int64_t started = 0;                      // 0: the time of the call
  // How far an application came that was accepted before; it never goes back. None: it is new.
  // Those that are active must be submitted first, and then those that are pending.
  std::optional<AppState> before = std::nullopt;
};

// Counts of a request that outlive its containers (RequestKey).
struct MissedCounts {
  int64_t opportunities = 0, default_opportunities = 0, reserved_again = 0;
};

class CapacityScheduler {
 public:
  // Fails with InvalidArgument if the queues form no tree below "root", or a setting is missing.
  static absl::StatusOr<CapacityScheduler> Make(CapacitySettings settings);

  // Reads the settings of the same queues again.
  absl::Status Reconfigure(std::vector<QueueSettings> queues);

  // The time, in ms, at which containers and reservations are made from now on; 0 at first.
  void SetTime(int64_t time) { time_ = time; }

  NodeIndex AddNode(const NodeSpec& spec);
  // The same of several, with one update of the queues. REQUIRES: there is no application yet.
  void AddNodes(const std::vector<NodeSpec>& specs);
  // Its containers and its reservation end. REQUIRES: the node is not gone.
  void RemoveNode(NodeIndex node);

  // Fails with ResourceExhausted if the queue or the user has too many applications, and with
  // InvalidArgument if there is no such leaf.
  absl::StatusOr<AppIndex> Submit(const AppSpec& spec);
  void Ask(AppIndex app, int32_t priority, const std::vector<std::pair<Place, struct Ask>>& asks);
  // Returns what the application may still get, as it is told. The limit of its user is computed.
  Resource Headroom(AppIndex app);
  void EndApp(AppIndex app);
  // Adds a container that the application has already, whatever the limits.
  ContainerIndex Recover(AppIndex app, NodeIndex node, const Resource& size, int32_t priority = 0,
                         bool is_spared = false);
  // Adds a reservation that the application has already, whatever the limits; counts of the request
  // stay. Does nothing if the node has one. REQUIRES: there was an Ask for the priority.
  void RecoverReservation(AppIndex app, NodeIndex node, const Resource& size, int32_t priority);
  // Sets counts of a request. REQUIRES: the same.
  void SetMissed(AppIndex app, int32_t priority, const MissedCounts& counts);
  // Returns what a leaf keeps of its past. SetLimits and SetSums restore it in a scheduler with the
  // same applications. REQUIRES of these: IsOutdated() is false.
  LeafPast PastOf(QueueIndex leaf) const;
  void SetLimits(QueueIndex leaf, const LeafPast& past);
  void SetSums(QueueIndex leaf, const LeafPast& past);
  // Returns whether a change of the cluster or of settings ended what the limits rest on.
  bool IsOutdated(QueueIndex leaf, const LeafPast& past) const;
  // Computes limits and sums again, as after such a change.
  void Refresh() { UpdateCluster(); }
  // Returns the highest number of missed opportunities that still keeps the request from a place.
  int64_t LongestDelay(const RequestKey& key) const;
  void EndContainer(ContainerIndex container);
  // Drops a reservation. REQUIRES: it is one.
  void DropReservation(ContainerIndex container);
  // Moves a reservation to another node of its partition. Returns false if that has one.
  bool MoveReservation(ContainerIndex container, NodeIndex node);
  // Its application waits for its master no more.
  void MarkMaster(ContainerIndex container);

  // Returns the containers made, in order. The list is valid until the next call.
  const std::vector<ContainerIndex>& Heartbeat(NodeIndex node);

  // Names of nodes and racks are places; that of kAnyPlace is "*".
  Place PlaceOf(std::string_view name) { return places_.Intern(name); }
  std::string_view NameOf(Place place) const { return places_.name(place); }
  std::string_view UserName(UserIndex user) const { return user_names_.name(user); }

  const CapacitySettings& settings() const { return settings_; }
  size_t partitions() const { return settings_.exclusive_partitions.size(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<App>& apps() const { return apps_; }
  const std::vector<Queue>& queues() const { return queues_; }
  const std::vector<Leaf>& leaves() const { return leaves_; }  // by queue; parents' are empty
  const ContainerPool& containers() const { return containers_; }
  Resource cluster() const { return cluster_; }
  Resource total(Partition partition) const { return totals_[partition]; }
  std::optional<QueueIndex> FindQueue(std::string_view path) const;

  // Returns whether the user has as many applications that run as one may have.
  bool HasMostParallel(UserIndex user) const;

  // The applications of a leaf in its order, brought up to date.
  const std::vector<AppIndex>& OrderedApps(QueueIndex leaf);
  Resource UserLimit(QueueIndex leaf, UserIndex user, Partition partition, bool of_active);

 private:
  friend class Assigner;
  explicit CapacityScheduler(CapacitySettings settings);

  void EnterNode(const NodeSpec& spec);

  // --- the tree (tree.cc)
  absl::Status SetQueues(std::vector<QueueSettings> queues);
  void ApplySettings(QueueIndex queue);
  void UpdateCluster();
  void UpdateQueue(QueueIndex queue, Resource limit);
  void UpdateLeaf(QueueIndex queue, Resource limit);
  void UpdateShares(QueueIndex queue);
  void UpdateWeights(QueueIndex queue);
  void UpdateAbsolute(QueueIndex queue, Partition partition);
  void UpdateMinRatio(QueueIndex queue, Partition partition);
  void UpdateMaxApplications(QueueIndex queue);
  void UpdateUse(QueueIndex queue, Partition partition);
  Resource ChildLimit(QueueIndex queue, QueueIndex child, Resource* limit, Partition partition,
                      const Resource& blocked) const;
  void SetCurrentLimit(QueueIndex leaf, const Resource& limit);
  void SortByHash(std::vector<QueueIndex>* children) const;
  std::vector<UserIndex> UsersInTableOrder(QueueIndex leaf) const;

  // --- applications (applications.cc)
  absl::Status MayAccept(const AppSpec& spec, QueueIndex queue);
  bool MayRun(const App& app) const;
  void CountRunnable(const App& app, int64_t by);
  void Enqueue(AppIndex app);
  void Activate(QueueIndex leaf);
  void BeActive(AppIndex app);
  Resource MasterLimit(QueueIndex leaf, Partition partition);
  Resource UserMasterLimit(QueueIndex leaf, Partition partition, UserIndex user);
  void ChangeMasters(App* app, int64_t sign);
  void Leave(AppIndex app);
  int64_t MaxParallelOf(UserIndex user) const;
  std::vector<AppIndex> WaitingOf(UserIndex user) const;
  void RunWaiting(const std::vector<std::vector<AppIndex>>& lists, size_t most);
  void GatherWaiting(QueueIndex queue, std::vector<std::vector<AppIndex>>* lists) const;
  void StartWanting(App* app);
  void StopIfSatisfied(App* app);
  void ChangePending(App* app, Partition partition, const Resource& by);
  void TakeRequest(App* app, int32_t priority, Locality locality, const Node& node);

  // --- order of applications in a leaf (applications.cc)
  bool IsFirst(const App& a, const App& b) const;
  void Insert(AppIndex app);
  void MarkDirty(AppIndex app);

  // --- books of containers (books.cc)
  UserLimitBase LimitBase(QueueIndex leaf, Partition partition) const;
  void ChangeUsed(App* app, Partition partition, const Resource& by);
  void ChangeReserved(App* app, Partition partition, const Resource& by);
  ContainerIndex MakeContainer(AppIndex app, NodeIndex node, const Resource& size, int32_t priority,
                               Locality locality);
  void AddReservation(ContainerIndex container);
  void Unreserve(ContainerIndex container);
  void AddLive(ContainerIndex container);
  void Release(ContainerIndex container);
  // Computes the user's limit and notes the queue's as what headroom is told by.
  Resource LimitOf(AppIndex app, Partition partition, Exclusivity mode);
  void NoteHeadroom(AppIndex app);
  Resource HeadroomIn(const App& app, Partition partition);

  CapacitySettings settings_;
  std::vector<Queue> queues_;
  NameTable paths_;  // of queues, by index
  std::vector<Leaf> leaves_;
  std::vector<Node> nodes_;
  std::vector<App> apps_;
  ContainerPool containers_;
  NameTable places_, user_names_;
  std::vector<int64_t> running_of_;  // applications, by user; those behind the end have none
  Resource cluster_;
  std::vector<Resource> totals_;  // of partitions
  int64_t live_nodes_ = 0, clock_ = 0, time_ = 0;
  std::vector<ContainerIndex> made_;
  std::vector<std::vector<QueueRank>> ranks_;  // memory for the order of children, by queue
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_SCHEDULER_H_
