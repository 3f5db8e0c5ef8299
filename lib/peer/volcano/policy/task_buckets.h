// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The tasks of one job dealt into buckets, for task-topology (task_topology.cc tells why).
//
//   if (WishesHold(tables, job)) buckets = std::make_unique<TaskBuckets>(tables, ledger, job);
//   buckets->Placed(task, node);              // for every placement of a task of the job
//   int64_t score = buckets->Score(other_task, node);
#ifndef MUSTER_PEER_VOLCANO_POLICY_TASK_BUCKETS_H_
#define MUSTER_PEER_VOLCANO_POLICY_TASK_BUCKETS_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"

namespace muster {

// Whether all groups that the job's wishes name have tasks, and none is in a list twice. An empty
// name is no group's.
bool WishesHold(const Tables& tables, JobIndex job);

class TaskBuckets {
 public:
  TaskBuckets(const Tables& tables, const Ledger& ledger, JobIndex job);

  // Number of the task's bucket, kNone: it has none.
  uint32_t bucket(TaskIndex task) const;
  // Of two tasks in buckets: below 0, a goes first.
  int Compare(TaskIndex a, TaskIndex b) const;
  int64_t Score(TaskIndex task, NodeIndex node) const;
  // Tasks in the largest bucket as they were dealt.
  int64_t largest() const { return largest_; }
  void Placed(TaskIndex task, NodeIndex node);

 private:
  // How many tasks of each group.
  using Census = std::map<GroupIndex, int64_t>;
  struct Bucket {
    std::vector<TaskIndex> waiting;  // ascending
    std::vector<int64_t> request;    // of those
    double size = 0;                 // of that, cores, GiB and units being worth the same
    std::map<NodeIndex, int64_t> on_node;
    int64_t placed = 0;
    Census groups;
  };
  struct Wishes {
    std::vector<uint8_t> with, against;  // group x group
    std::vector<int> rank;               // per group, 0: nothing is said of it
    std::vector<int64_t> order;          // per group, larger first
  };

  void ReadWishes();
  int CompareGroups(GroupIndex a, GroupIndex b) const;
  int64_t Friends(GroupIndex group, const Census& census, bool count_friends) const;
  void Deal(std::vector<TaskIndex> tasks);
  uint32_t BestFor(GroupIndex group) const;
  void Charge(Bucket& bucket, TaskIndex task, int sign);

  const Tables& tables_;
  const Ledger& ledger_;
  const JobIndex job_;
  Wishes wishes_;
  std::vector<Bucket> buckets_;
  std::map<TaskIndex, uint32_t> bucket_of_;
  std::map<NodeIndex, Census> placed_on_;  // in this cycle
  int64_t largest_ = 0;
};

}  // namespace muster

#endif  // MUSTER_PEER_VOLCANO_POLICY_TASK_BUCKETS_H_
