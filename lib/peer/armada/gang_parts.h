// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which tasks of a job are one gang.
//
//   const GangParts parts = DivideGang(tables, job, running, queued, succeeded);
//
// A job is a gang if it, or one of its groups, has a minimum above 1. Its gang has as many tasks as
// the minimum requests: first those that groups lack, then any, in their order. Tasks that have
// succeeded count, those that failed do not.
//
// The peer's gangs have a fixed number of members, and all of them start at once. A job that lost
// some of its tasks would never be whole there; here the tasks that it lacks are a gang.
#ifndef MUSTER_PEER_ARMADA_GANG_PARTS_H_
#define MUSTER_PEER_ARMADA_GANG_PARTS_H_

#include <vector>

#include "lib/model/tables.h"

namespace muster::armada {

using TaskList = std::vector<TaskIndex>;

struct GangParts {
  TaskList running, running_alone;  // evicted together; one by one
  TaskList queued, queued_alone;    // placed together; one by one
  TaskList incomplete;              // pending tasks of a gang that has too few tasks
};

// Returns false if DivideGang would find no gang, whatever the tasks do.
bool MayBeGang(const muster::Tables& tables, JobIndex job);

GangParts DivideGang(const muster::Tables& tables, JobIndex job, const TaskList& running,
                     const TaskList& queued, const TaskList& succeeded);

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_GANG_PARTS_H_
