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
//   application    a job; JobOwner::user is its user, else "nobody"
//   master         of the tasks of its master's group the first that holds a node, or that waits
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
// A class that every node admits, and that prefers some by their labels or names, is requested at
// those, in their racks and anywhere: a locality. Terms about the label of racks alone are requests
// for racks. A node's rack is its label yarn.apache.org/rack, else the peer's "/default-rack".
//
// A task is not offered, with a reason, if it requests a resource that the scheduler does not know,
// if its plain request is larger than the largest allocation, or if its queue is closed.
//
// Order. Applications go by creation, uid_rank and index of the job; tasks by priority, class,
// ordinal, uid_rank and index. Containers go by the start of their tasks, or else their creation,
// and by index. Nodes go by index.
// Cost. O(rows) for each call, O(nodes) for each class and kind of job, and the nodes once more for
// each request of a class that not all of them admit.
#ifndef MUSTER_PEER_YARN_ROWS_H_
#define MUSTER_PEER_YARN_ROWS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/kept.h"
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
  int64_t since;     // seconds: its start, or else its creation
  bool is_master = false;
};

struct RequestRow {
  int32_t priority;  // from 1 on, of a master 0; the smallest is served first
  RequestName name;  // by which it is known in the next cycle
  Resource size;
  std::vector<TaskIndex> tasks;    // the next last
  bool everywhere = true;          // at all nodes that serve the job
  std::vector<NodePlace> places;   // that admit it, if not all of those do; else that it prefers
  std::vector<std::string> racks;  // that it prefers, if everywhere; those of `places` among them
};

struct AppRow {
  JobIndex job;
  uint32_t kind = 0;  // as RequestRules::kind_of
  std::string user;
  std::vector<RunningRow> running;  // the oldest first
  std::optional<Resource> master;   // its size; none: there is no such task
  bool waits_for_master = false;    // which does not run: nothing else is requested
  std::vector<RequestRow> requests;
};

// Returns the request of that name. If there is none, it is added without tasks, as the last.
const RequestRow& FindOrAddRequest(const RequestName& name, AppRow* app);

// How requests are counted.
struct RequestRules {
  Resource most;  // larger ones are refused
  // Rounds up a request, to its second argument at most.
  std::function<Resource(const Resource&, const Resource&)> rounded;
  // Of a job: which nodes serve it, whatever they admit. Unset: 0.
  std::function<uint32_t(JobIndex)> kind_of = {};
  std::function<bool(uint32_t kind, muster::NodeIndex)> serves = {};  // unset: all nodes do
  // The group that the job's master is of; unset, or none: it has no master.
  std::function<std::optional<GroupIndex>(JobIndex)> master_group_of = {};
  // The queue that the job is in, or below; kNone: none. Unset: that of its row.
  std::function<muster::QueueIndex(JobIndex)> home_of = {};
  // Why the job is no application; empty, or unset: it is one.
  std::function<std::string(JobIndex)> refusal_of = {};
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
  // The rack of a node, as a name that no node has.
  std::string RackOf(NodePlace place) const;
  const std::string& NameOf(NodePlace place) const {
    return tables_.nodes.spec[nodes_[place].node].name;
  }
  // Returns the largest allocation: the amounts of `most`, 0 being no limit, and not more than the
  // largest node has, amount by amount.
  Resource LargestUpTo(const Resource& most) const;

  Offered ReadApps(const RequestRules& rules) const;

 private:
  // Where a class is admitted, for jobs of a kind, and where it is preferred.
  struct Admitted {
    bool everywhere = true;
    std::vector<NodePlace> places;
    std::vector<std::string> racks;
  };
  using AdmittedByClass = HashMap<uint64_t, Admitted>;

  void ReadApp(JobIndex job, const RequestRules& rules, AdmittedByClass* known,
               Offered* offered) const;
  std::vector<std::span<const TaskIndex>> RunsOf(std::span<const TaskIndex> tasks) const;
  void ReadRequests(std::vector<TaskIndex> tasks, const RequestRules& rules, AdmittedByClass* known,
                    AppRow* app, Offered* offered) const;
  void SetMaster(GroupIndex group, const RequestRules& rules, std::vector<TaskIndex>* pending,
                 AppRow* app, Offered* offered) const;
  const Admitted& AdmittedOf(ClassIndex c, uint32_t kind, const RequestRules& rules,
                             AdmittedByClass* known) const;
  void ReadWishes(ClassIndex c, Admitted* admitted) const;
  std::string Refusal(ClassIndex c, const Resource& size, const RequestRules& rules) const;
  Resource PlainSize(ClassIndex c) const;
  Resource SizeOf(ClassIndex c, const RequestRules& rules) const;
  RunningRow RunningOf(TaskIndex task, NodePlace place, const RequestRules& rules) const;
  // Why no task of the job is offered; empty: they are.
  std::string WhyShut(JobIndex job, const RequestRules& rules) const;
  bool Admits(muster::NodeIndex node, ClassIndex c) const;

  const Tables& tables_;
  const Ledger& ledger_;
  std::vector<NodeRow> nodes_;
  std::vector<NodePlace> place_of_;
  Resource largest_;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_ROWS_H_
