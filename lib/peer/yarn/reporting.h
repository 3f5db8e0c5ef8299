// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What action heartbeat needs of a scheduler: nodes report, and tasks get containers on them.
//
//   for (const Given& given : scheduler.Report(node)) {
//     if (!Bind(given.task, node)) scheduler.TakeBack(given.container);
//   }
//   for (const Unserved& unserved : scheduler.WhatWaits()) ...
//   scheduler.Keep(cycle);   // what the next cycle goes on with
#ifndef MUSTER_PEER_YARN_REPORTING_H_
#define MUSTER_PEER_YARN_REPORTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "muster/plan.h"
#include "muster/policy/cycle.h"
#include "muster/types.h"

namespace muster::yarn {

// A container that a node gave.
struct Given {
  TaskIndex task;
  uint32_t container;
};

// Tasks that got none, all for one reason.
struct Unserved {
  std::vector<TaskIndex> tasks;
  ReasonKind kind = ReasonKind::kNoNode;
  std::string message = {};
};

class Reporting {
 public:
  virtual ~Reporting() = default;

  // The node reports. Returns nothing for a node that is not ready.
  virtual std::vector<Given> Report(muster::NodeIndex node) = 0;
  // After `idle` rounds of reports of all nodes that gave nothing: whether one more may give
  // something, as requests that were missed so often may go to further nodes.
  virtual bool MayGiveLater(int64_t idle) = 0;
  // Ends a container of the last report. Its task stays without one.
  virtual void TakeBack(uint32_t container) = 0;
  virtual std::vector<Unserved> WhatWaits() = 0;
  // Writes what the scheduler keeps between heartbeats to the memory of the cycle.
  virtual void Keep(const Cycle& cycle) = 0;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_REPORTING_H_
