// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fair scheduler, event by event.
//
//   absl::StatusOr<FairScheduler> made = FairScheduler::Make(options, queues, user_limits, now);
//   FairScheduler& scheduler = *made;
//   NodeIndex node = *scheduler.AddNode("n1", "/r1", {16384, 8});
//   AppIndex app = *scheduler.AddApp({.id = 1, .queue = "root.etl", .user = "ann"});
//   scheduler.SetAsks(app, {{.priority = 1, .place = "*", .size = {2048, 1}, .count = 3}});
//   scheduler.Update();                         // demands, shares, starvation, preemption
//   const auto allocations = scheduler.Heartbeat(node);
//   for (const Allocation& allocation : *allocations) ...
//
// Every call that gets an unknown queue, application, node or container fails with NotFound or
// InvalidArgument, and changes nothing.
//
// Indices of applications and nodes stay valid until the application ends or the node leaves; that
// of a node that left is given to a later one. What an ended application was is kept.
#ifndef MUSTER_PEER_YARN_FAIR_SCHEDULER_H_
#define MUSTER_PEER_YARN_FAIR_SCHEDULER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/base/hash_map.h"
#include "lib/peer/yarn/fair/assign.h"
#include "lib/peer/yarn/fair/cluster.h"
#include "lib/peer/yarn/fair/config.h"
#include "lib/peer/yarn/fair/preempt.h"

namespace muster::yarn::fair {

struct AppSpec {
  int64_t id = 0;  // decides ties, as the text of the application's name
  std::string queue;
  std::string user;
  bool unmanaged = false;  // without a master container
  bool runs = false;       // it runs already, whatever the limits
};

struct AskSpec {
  int32_t priority = 0;  // the smallest is served first
  std::string place;     // a node, a rack, or "*"
  Resource size;         // raised to the increment's next multiple, within the allocations' limits
  int64_t count = 0;
  bool relax_locality = true;
};

// What is noted of an application between two updates.
struct Starvation {
  int64_t last_at_fair_share = 0;
  int64_t next_check = 0;
  Resource of_fair_share, of_min_share;
};

class FairScheduler {
 public:
  // Fails with InvalidArgument if CheckOptions(), CheckQueues() or CheckPolicies() does, or `now`
  // is not in 0..2^60.
  static absl::StatusOr<FairScheduler> Make(const Options& options,
                                            const std::vector<QueueConfig>& queues,
                                            const UserLimits& user_limits, int64_t now);

  absl::StatusOr<NodeIndex> AddNode(const std::string& name, const std::string& rack,
                                    const Resource& total);
  // Its containers and its reservation end.
  absl::Status RemoveNode(NodeIndex node);

  absl::StatusOr<AppIndex> AddApp(const AppSpec& spec);
  absl::Status EndApp(AppIndex app);
  // Adds a container that the application has already, whatever the limits: its node, size, and
  // whether it is the master, which counts for its leaf's share of masters, or is spared.
  // REQUIRES: application and node are there.
  ContainerName Recover(AppIndex app, const Container& container);
  // Adds a reservation that the application has already; does nothing if the node has one.
  // REQUIRES: both are there.
  void RecoverReservation(AppIndex app, NodeIndex node, const Resource& size, int32_t priority);
  // Sets how far the delay of a request has come. REQUIRES: the application is there.
  void SetLevel(AppIndex app, const LocalityLevel& level);
  // What preemption had noted: of an application and a leaf, of a container that is marked for
  // `starved`, which may be kNone, and what was promised on a node. REQUIRES: all are there.
  void RecoverStarvation(AppIndex app, const Starvation& starvation);
  void RecoverMinShareTime(QueueIndex leaf, int64_t time);
  void RecoverMark(ContainerName container, AppIndex starved, int64_t time);
  void RecoverPromise(AppIndex app, NodeIndex node, const Resource& amount);
  // The application is not looked at for starvation before `wait` milliseconds have passed.
  // REQUIRES: it is there.
  void DelayCheck(AppIndex app, int64_t wait);
  // Replaces what is outstanding at the places that are named.
  absl::Status SetAsks(AppIndex app, absl::Span<const AskSpec> asks);
  // What the application may still expect; parts may be below 0.
  absl::StatusOr<Resource> Headroom(AppIndex app) const;

  // The allocations stay valid until the next heartbeat.
  absl::StatusOr<absl::Span<const Allocation>> Heartbeat(NodeIndex node);
  // Marks a live container as its application's master.
  absl::Status MarkMaster(ContainerName container);
  absl::Status EndContainer(ContainerName container);
  // Ends a container that never started. If it is the master, its application waits for one again.
  absl::Status Withdraw(ContainerName container);

  // New settings of the same queues, and new limits of users. Waiting applications may start.
  absl::Status Reload(const std::vector<QueueConfig>& queues, const UserLimits& user_limits);
  // Computes demands, shares and starvation anew, then marks containers for preemption.
  std::vector<PreemptedFor> Update();
  // Moves the clock, and ends marked containers that are due. Fails if `now` is in the past
  // or beyond 2^60.
  absl::StatusOr<std::vector<ContainerName>> AdvanceTo(int64_t now);

  const Cluster& cluster() const { return cluster_; }

 private:
  bool HasApp(AppIndex app) const;
  bool HasNode(NodeIndex node) const;
  absl::StatusOr<ContainerIndex> Find(ContainerName name) const;
  Place PlaceOf(const std::string& name);
  uint32_t UserOf(const std::string& name);
  void SetUserLimits(const UserLimits& user_limits);

  Cluster cluster_;
  HashMap<std::string, QueueIndex> queues_;
  HashMap<std::string, uint32_t> users_;
  std::vector<NodeIndex> free_nodes_;
  HeartbeatWork work_;
};

}  // namespace muster::yarn::fair

#endif  // MUSTER_PEER_YARN_FAIR_SCHEDULER_H_
