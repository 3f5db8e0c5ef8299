// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the fair scheduler knows: queues, applications, nodes and containers, as plain values. All
// of them are numbers into vectors, so a heartbeat hashes no name.
//
// The scheduler (scheduler.h) changes these values, callers read them.
#ifndef MUSTER_PEER_YARN_FAIR_CLUSTER_H_
#define MUSTER_PEER_YARN_FAIR_CLUSTER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yarn/containers.h"
#include "lib/peer/yarn/fair/config.h"
#include "lib/peer/yarn/fair/order.h"
#include "lib/peer/yarn/java_order.h"
#include "lib/peer/yarn/requests.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn::fair {

using QueueIndex = uint32_t;

// The `number`-th container of an application, from 1 on. Unlike an index it is never used again.
struct ContainerName {
  AppIndex app = kNone;
  uint32_t number = 0;
};

// Delay scheduling of one request priority.
struct LocalityLevel {
  int32_t priority = 0;
  int64_t opportunities = 0;  // nodes offered since the level was last relaxed
  bool known = false;         // a node was offered before
  Locality allowed = Locality::kNode;
};

struct App {
  int64_t id = 0;
  QueueIndex queue = kNone;
  uint32_t user = kNone;
  int64_t start_time = 0;
  uint64_t name_order = 0;  // names are compared as texts
  bool unmanaged = false;   // has no master container
  bool master_runs = false;
  bool runnable = false;
  bool ended = false;
  float weight = 1;
  Resource usage, demand, fair_share, master_size;
  OrderKey order;  // among its siblings, while it is runnable
  Requests requests;
  std::vector<LocalityLevel> levels;
  uint32_t last_number = 0;                // of its containers
  std::vector<ContainerIndex> containers;  // by number, reservations among them
  std::vector<NodeIndex> reserved_nodes;   // each holds one reservation
  // Starvation and preemption.
  Resource fair_share_starvation, min_share_starvation, to_preempt;
  int64_t last_at_fair_share = 0;
  int64_t next_starvation_check = 0;
};

struct Queue {
  QueueConfig config;
  Policy policy = Policy::kFair;  // that of `config`, unless a change was refused
  QueueIndex parent = kNone;
  std::vector<QueueIndex> children;
  uint32_t name_rank = 0;  // place of the path in the order of texts
  Resource max;            // no less than the minimum
  int64_t min_share_timeout = kNever;
  int64_t fair_share_timeout = kNever;
  float fair_share_threshold = 0.5f;
  bool preemptable = true;
  Resource fair_share, steady_share, demand, usage;
  OrderKey order;                       // among its siblings
  int64_t running = 0;                  // runnable applications below
  std::vector<AppIndex> apps, waiting;  // of a leaf: runnable ones, and those over a limit
  Resource master_usage;
  int64_t last_at_min_share = 0;
};

struct FairNode : Node {
  // For which applications how much was preempted here, from the first on, and all of it.
  std::vector<std::pair<AppIndex, Resource>> promised;
  Resource promised_sum;
};

struct User {
  std::string name;
  int64_t limit = kMaxQuantity;
  int64_t running = 0;
  std::vector<AppIndex> waiting;
};

// Containers that die together.
struct Kill {
  int64_t time = 0;
  AppIndex starved = kNone;  // for which they die
  std::vector<ContainerName> containers;
};

struct Cluster {
  Options options;
  std::vector<Queue> queues;       // 0: the root; parents before children
  std::vector<QueueIndex> leaves;  // in the order of the tree, depth first
  std::vector<App> apps;
  std::vector<FairNode> nodes;
  ContainerPool containers;
  std::vector<NodeIndex> present;  // in the order of registration
  std::vector<User> users;
  HashMap<std::string, Place> places;
  std::vector<uint32_t> place_hashes;  // Java's of the name
  std::vector<int64_t> rack_nodes;     // by place: how many nodes the rack has
  Resource total;
  Resource available;  // what was free in the cluster when that was last noted
  int64_t now = 0;
  bool orders_stale = true;    // more than usage has changed since the orders were computed
  JavaHeap<AppIndex> starved;  // to be helped by preemption
  std::vector<Kill> kills;
};

// Adds `size` (or its negative) to the usage of an application and of all queues above it.
void AddUsage(Cluster& cluster, AppIndex app, const Resource& size);
// Returns whether `size` more keeps a queue and all above it within their maximum.
bool FitsInMax(const Cluster& cluster, QueueIndex leaf, const Resource& size);
// Makes the application's next container, which is on no list but the application's.
ContainerIndex MakeContainer(Cluster& cluster, AppIndex app, const Container& container);
// Reserves a node for the application. REQUIRES: the node has no reservation.
void MakeReservation(Cluster& cluster, AppIndex app, NodeIndex node, const Resource& size,
                     int32_t priority);
// kNone: it has ended, or there never was one.
ContainerIndex FindContainer(const Cluster& cluster, ContainerName name);
// Ends a running container, or drops a reservation.
void EndContainer(Cluster& cluster, ContainerIndex container);
// Counts the application's master, of this size, for the share of masters of its leaf.
void StartMaster(Cluster& cluster, AppIndex app, const Resource& size);
// Promises the application `amount` more on the node, where containers die for it.
void Promise(Cluster& cluster, AppIndex app, NodeIndex node, const Resource& amount);
// Takes the reservation off the node. The container stays. REQUIRES: the node has a reservation.
void ClearReservation(Cluster& cluster, NodeIndex node);
// What is free in the cluster is noted at certain events, and stale in between.
void NoteAvailable(Cluster& cluster);
// Computes the order of one application; that of all runnable ones and all queues, if it is stale.
void RefreshOrder(Cluster& cluster, AppIndex app);
void RefreshOrders(Cluster& cluster);
inline Calculator CalculatorOf(Policy policy) {
  return policy == Policy::kDrf ? Calculator::kDominant : Calculator::kMemory;
}
// Whether usage is below a share: by memory, or under drf by the dominant type.
inline bool IsBelow(Policy policy, const Resource& total, const Resource& usage,
                    const Resource& share) {
  return Compare(CalculatorOf(policy), total, usage, share, /*is_single=*/true) < 0;
}
// Usage below the fair share, or a minimum share that was missed for too long.
bool IsStarved(const Cluster& cluster, const App& app);

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_CLUSTER_H_
