// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables and books as the capacity scheduler keeps them.
//
//   CapacityWorld world(context.tables, context.ledger, *std::move(tree));
//   for (ContainerIndex c : world.scheduler().Heartbeat(world.node_of(n))) {
//     const TaskIndex task = world.Take(c);   // that the container is for
//   }
//
// What rows are to the peer:
//
//   application    a job; JobOwner::user is its user, else "nobody"; it has no master
//   request        pending tasks of one class and priority; a larger priority goes first
//   container      a task that holds a node, with its request rounded up as any other
//   node           one that is ready; memory in MiB, and whole vcores, rounded down
//
// Requests of memory and cpu are rounded up to multiples of the least allocation. A class that not
// every node admits, by a cordon, selector, affinity or taint, is requested at each node that does,
// and nowhere else. Tasks without a job, and leaving ones, take their part of the node's total.
//
// A task is not offered, with a reason, if it requests another resource that the scheduler does not
// know and that no node has free, if it is larger than the largest allocation, or if its queue is
// no leaf or closed.
//
// Order. Applications go by creation, uid_rank and index of the job; tasks by ordinal, uid_rank and
// index. Nodes go by index.
// Cost. O(rows) for each call, and O(nodes) for each class that not every node admits.
#ifndef MUSTER_PEER_YARN_CAPACITY_WORLD_H_
#define MUSTER_PEER_YARN_CAPACITY_WORLD_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/capacity/scheduler.h"
#include "lib/peer/yarn/capacity_settings.h"

namespace muster::yarn {

class CapacityWorld {
 public:
  CapacityWorld(const Tables& tables, const Ledger& ledger, CapacityTree tree);

  CapacityScheduler& scheduler() { return *scheduler_; }
  // kNone: the node is not ready.
  NodeIndex node_of(muster::NodeIndex node) const { return node_of_[node]; }
  muster::NodeIndex row_of(NodeIndex node) const { return row_of_[node]; }

  // Returns the next task of the request that the container was made of.
  // REQUIRES: the container is of the last heartbeat, and is taken once.
  TaskIndex Take(ContainerIndex container);

  // A request with tasks that have no container.
  struct Waiting {
    AppIndex app;
    int32_t priority;
    Resource size;
    std::vector<TaskIndex> tasks;  // in order
  };
  std::vector<Waiting> LeftOver() const;
  // Tasks that were not offered, with the peer's message.
  const std::vector<std::pair<TaskIndex, std::string>>& refused() const { return refused_; }

 private:
  struct Request {
    ClassIndex task_class;
    Resource size;
    std::vector<TaskIndex> tasks;  // the next last
  };

  void AddNodes();
  void AddApps();
  void AddApp(JobIndex job);
  void Recover(AppIndex app, JobIndex job);
  void AskFor(AppIndex app, JobIndex job, std::vector<TaskIndex> tasks);
  std::string Refusal(ClassIndex c, const Resource& size) const;
  Resource SizeOf(ClassIndex c) const;
  bool Admits(muster::NodeIndex node, ClassIndex c) const;

  const Tables& tables_;
  const Ledger& ledger_;
  const std::vector<uint32_t> queue_of_;
  absl::StatusOr<CapacityScheduler> scheduler_;
  std::vector<NodeIndex> node_of_;
  std::vector<muster::NodeIndex> row_of_;
  std::vector<std::map<int32_t, Request>> requests_;  // by application, then by priority
  std::vector<std::pair<TaskIndex, std::string>> refused_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_WORLD_H_
