// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The keys of a mix, for the reader and the writer: see lib/scenario/members.h.
#ifndef MUSTER_REPLAY_MIX_MEMBERS_H_
#define MUSTER_REPLAY_MIX_MEMBERS_H_

#include <tuple>

#include "lib/scenario/members.h"
#include "muster/mix.h"

namespace muster {

template <Is<MixNodes> S>
auto Members(S& s) {
  auto& [node, count] = s;
  return std::tuple(RequiredKey("node", node), Key("count", count));
}

template <Is<MixJobs> S>
auto Members(S& s) {
  auto& [weight, tasks, min_tasks, shape, run] = s;
  return std::tuple(RequiredKey("weight", weight), Key("tasks", tasks), Key("min_tasks", min_tasks),
                    Key("shape", shape), Key("run", run));
}

template <Is<MixQueue> S>
auto Members(S& s) {
  auto& [queue, jobs] = s;
  return std::tuple(RequiredKey("queue", queue), Key("jobs", jobs));
}

template <Is<TraceMix> S>
auto Members(S& s) {
  auto& [name, processors, nodes, jobs, queues, users, run, gaps, hours, estimate] = s;
  return std::tuple(Key("name", name), Key("processors", processors), Key("nodes", nodes),
                    RequiredKey("jobs", jobs), Key("queues", queues), Key("users", users),
                    RequiredKey("run", run), RequiredKey("gaps", gaps), Key("hours", hours),
                    Key("estimate", estimate));
}

}  // namespace muster

#endif  // MUSTER_REPLAY_MIX_MEMBERS_H_
