// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cluster's tables and books in YARN's words, for both schedulers.
//
//   const ClusterRows rows(tables, ledger);
//   for (const NodeRow& node : rows.nodes()) scheduler.AddNode(...);
//   Offered offered = rows.ReadApps({.most = rows.LargestUpTo(most), .rounded = round});
//   for (const AppRow& app : offered.apps) scheduler.Submit(...);
//
// What rows are to the peer:
//
//   application    a job; JobOwner::user is its user, else "nobody"; it has no master
//   request        pending tasks of one class and priority; a larger priority goes first
//   container      a task that holds a node, with its request rounded up as any other
//   node           one that is ready; memory in MiB, and whole vcores, rounded down
//
// A node that is not ready is one that the peer has lost, or that is unhealthy: the peer removes it
// and ends its containers. So what tasks hold there counts for no queue, user or application. A
// cordoned node is one that is decommissioned with grace: its containers count, and it gets none.
//
// A class that not every node admits, by a cordon, selector, affinity or taint, is requested at
// each node that does, and nowhere else. Tasks without a job, and leaving ones, take their part of
// the node's total.
//
// A task is not offered, with a reason, if it requests a resource that the scheduler does not know,
// if its plain request is larger than the largest allocation, or if its queue is closed.
//
// Order. Applications go by creation, uid_rank and index of the job; tasks by priority, class,
// ordinal, uid_rank and index. Containers go by the start of their tasks, or else their creation,
// and by index. Nodes go by index.
// Cost. O(rows) for each call, and O(nodes) for each class that not every node admits.
#ifndef MUSTER_PEER_YARN_ROWS_H_
#define MUSTER_PEER_YARN_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

struct NodeRow {
  muster::NodeIndex node;
  Resource total;
};

// The place in ClusterRows::nodes().
using NodePlace = uint32_t;

// A task that holds a node.
struct RunningRow {
  TaskIndex task;
  NodePlace place;
  Resource size;
  int32_t priority;  // the smallest is the most important
  bool is_spared;    // it may not be evicted, or does not run yet
};

struct RequestRow {
  int32_t priority;  // from 1 on; the smallest is served first
  Resource size;
  std::vector<TaskIndex> tasks;  // the next last
  bool everywhere = true;
  std::vector<NodePlace> places;  // that admit it, if not all do
};

struct AppRow {
  JobIndex job;
  std::string user;
  std::vector<RunningRow> running;  // the oldest first
  std::vector<RequestRow> requests;
};

// How requests are counted.
struct RequestRules {
  Resource most;  // larger ones are refused
  // Rounds up a request, to its second argument at most.
  std::function<Resource(const Resource&, const Resource&)> rounded;
};

struct Offered {
  std::vector<AppRow> apps;  // with something that runs or is requested
  std::vector<std::pair<TaskIndex, std::string>> refused;
};

class ClusterRows {
 public:
  // Both must outlive this.
  ClusterRows(const Tables& tables, const Ledger& ledger);

  const std::vector<NodeRow>& nodes() const { return nodes_; }
  // The place of a node of the cluster; ~0: it is not ready.
  NodePlace PlaceOf(muster::NodeIndex node) const { return place_of_[node]; }
  static constexpr NodePlace kNoPlace = ~NodePlace{0};
  const std::string& NameOf(NodePlace place) const {
    return tables_.nodes.spec[nodes_[place].node].name;
  }
  // Returns the largest allocation: the amounts of `most`, 0 being no limit, and not more than the
  // largest node has, amount by amount.
  Resource LargestUpTo(const Resource& most) const;

  Offered ReadApps(const RequestRules& rules) const;

 private:
  void ReadApp(JobIndex job, const RequestRules& rules, Offered* offered) const;
  void ReadRequests(JobIndex job, std::vector<TaskIndex> tasks, const RequestRules& rules,
                    AppRow* app, Offered* offered) const;
  RequestRow RequestOf(ClassIndex c, int32_t priority, const Resource& size) const;
  std::string Refusal(ClassIndex c, const Resource& size, const RequestRules& rules) const;
  Resource PlainSize(ClassIndex c) const;
  Resource SizeOf(ClassIndex c, const RequestRules& rules) const;
  RunningRow RunningOf(TaskIndex task, NodePlace place, const RequestRules& rules) const;
  bool IsClosed(JobIndex job) const;
  bool Admits(muster::NodeIndex node, ClassIndex c) const;

  const Tables& tables_;
  const Ledger& ledger_;
  std::vector<NodeRow> nodes_;
  std::vector<NodePlace> place_of_;
  Resource largest_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_ROWS_H_
