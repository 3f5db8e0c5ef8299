// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a bound reads of a snapshot: tasks that wait, room on nodes, what queues hold.
//
//   BoundFacts facts(TablesOf(snapshot), options);
//   facts.Admits(set, node)      // by the rules of nodes alone
//   facts.room[n][d]             // kUnlimited: any amount fits
//
// Idea. All that is read here is necessary for any plan: what stays on its node takes room there,
// whatever order and policy decide. Only books are counted, and nothing of a policy is asked, so
// the room needs no ledger.
#ifndef MUSTER_BOUND_FACTS_H_
#define MUSTER_BOUND_FACTS_H_

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/model/tables.h"
#include "muster/bound.h"

namespace muster {

inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

struct BoundFacts {
  // `gone` are tasks that leave their nodes, besides those that the options imply.
  BoundFacts(const Tables& tables, const BoundOptions& options,
             const std::set<TaskIndex>& gone = {});

  // Returns whether the node's own rules admit tasks of the constraint set.
  bool Admits(size_t set, NodeIndex node) const;
  // Returns how many tasks of the class the room of the node holds, if nothing else comes.
  int64_t FitsAlone(ClassIndex c, NodeIndex node) const;

  const Tables& tables;
  const BoundOptions options;
  std::vector<TaskIndex> waiting;
  // By class: the number of its set of constraints; kNone: no task of it waits.
  std::vector<uint32_t> set_of;
  std::vector<ClassIndex> first_of_set;
  // By node and dimension; dead nodes have an empty row.
  std::vector<std::vector<int64_t>> room;
  // Kinds of devices that are requested, and by node and kind the thousandths that are left.
  std::vector<std::string> kinds;
  std::vector<std::vector<int64_t>> parts;
  // By queue and dimension, with all queues below it; INT64_MAX at most.
  std::vector<std::vector<int64_t>> held;
  // By job: tasks that count for its minimum without being placed.
  std::vector<int64_t> there;

 private:
  bool Stays(TaskIndex task, const std::set<TaskIndex>& gone) const;
  void ReadNodes(const std::set<TaskIndex>& gone);
  void ReadDevices(const std::set<TaskIndex>& gone);
  void ReadTasks(const std::set<TaskIndex>& gone);
};

// Returns the thousandths of devices of the kind that a task of the shape requests.
int64_t DeviceParts(const TaskShape& shape, const std::string& kind);

}  // namespace muster

#endif  // MUSTER_BOUND_FACTS_H_
