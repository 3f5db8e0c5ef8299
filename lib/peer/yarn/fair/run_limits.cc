// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/fair/run_limits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/base/math.h"

namespace muster::yarn::fair {
namespace {

using AppList = std::vector<AppIndex>;

bool EraseOne(AppList* list, AppIndex app) {
  const auto at = std::ranges::find(*list, app);
  if (at == list->end()) return false;
  list->erase(at);
  return true;
}

bool MayRun(const Cluster& cluster, const App& app) {
  const User& user = cluster.users[app.user];
  if (user.running >= user.limit) return false;
  for (QueueIndex at = app.queue; at != kNone; at = cluster.queues[at].parent) {
    const Queue& queue = cluster.queues[at];
    if (queue.running >= queue.config.max_running_apps) return false;
  }
  return true;
}

void Count(Cluster& cluster, const App& app, int64_t change) {
  cluster.users[app.user].running += change;
  for (QueueIndex at = app.queue; at != kNone; at = cluster.queues[at].parent) {
    cluster.queues[at].running += change;
  }
}

void Start(Cluster& cluster, AppIndex app) {
  Count(cluster, cluster.apps[app], 1);
  cluster.apps[app].runnable = true;
  RefreshOrder(cluster, app);
  cluster.queues[cluster.apps[app].queue].apps.push_back(app);
}

// The lists of waiting applications below a queue, as far as no limit there is reached.
void GatherLists(const Cluster& cluster, QueueIndex top, std::vector<AppList>* lists) {
  std::vector<QueueIndex> open = {top};
  while (!open.empty()) {
    const Queue& queue = cluster.queues[open.back()];
    open.pop_back();
    if (queue.running >= queue.config.max_running_apps) continue;
    if (queue.config.leaf) lists->push_back(queue.waiting);
    open.insert(open.end(), queue.children.rbegin(), queue.children.rend());
  }
}

// Starts up to `most` applications of the lists, the oldest first. Lists that begin at equal times
// take turns as in the peer's heap.
void StartOldest(Cluster& cluster, const std::vector<AppList>& lists, size_t most) {
  std::vector<size_t> next(lists.size());
  const auto time_of = [&](size_t list) {
    return next[list] < lists[list].size() ? cluster.apps[lists[list][next[list]]].start_time
                                           : kNever;
  };
  const auto compare = [&](size_t a, size_t b) {
    return time_of(a) < time_of(b) ? -1 : (time_of(a) > time_of(b) ? 1 : 0);
  };
  JavaHeap<size_t> heap;
  for (size_t i = 0; i < lists.size(); ++i) heap.Push(i, compare);
  AppList started;
  AppIndex previous = kNone;
  while (!heap.empty() && time_of(heap.top()) != kNever && started.size() < most) {
    const size_t list = heap.Pop(compare);
    const AppIndex app = lists[list][next[list]++];
    heap.Push(list, compare);
    if (app != previous && MayRun(cluster, cluster.apps[app])) {
      Start(cluster, app);
      started.push_back(app);
    }
    previous = app;
  }
  for (const AppIndex app : started) {
    EraseOne(&cluster.queues[cluster.apps[app].queue].waiting, app);
    EraseOne(&cluster.users[cluster.apps[app].user].waiting, app);
  }
}

void AdmitAfterLeave(Cluster& cluster, const App& app) {
  QueueIndex top = kNone;
  for (QueueIndex at = app.queue; at != kNone; at = cluster.queues[at].parent) {
    const Queue& queue = cluster.queues[at];
    if (queue.running == queue.config.max_running_apps - 1) top = at;
  }
  std::vector<AppList> lists;
  if (top != kNone) GatherLists(cluster, top, &lists);
  const User& user = cluster.users[app.user];
  if (user.running == user.limit - 1) lists.push_back(user.waiting);
  StartOldest(cluster, lists, lists.size());
}

}  // namespace

void AdmitOrHold(Cluster& cluster, AppIndex index, bool runs) {
  const App& app = cluster.apps[index];
  if (runs || MayRun(cluster, app)) return Start(cluster, index);
  cluster.queues[app.queue].waiting.push_back(index);
  cluster.users[app.user].waiting.push_back(index);
}

void Leave(Cluster& cluster, AppIndex index) {
  App& app = cluster.apps[index];
  Queue& queue = cluster.queues[app.queue];
  app.runnable = false;
  if (!EraseOne(&queue.apps, index)) {
    EraseOne(&queue.waiting, index);
    EraseOne(&cluster.users[app.user].waiting, index);
    return;
  }
  if (app.master_runs) queue.master_usage -= app.master_size;
  Count(cluster, app, -1);
  AdmitAfterLeave(cluster, app);
}

void AdmitAfterReload(Cluster& cluster) {
  std::vector<AppList> lists;
  GatherLists(cluster, 0, &lists);
  StartOldest(cluster, lists, std::numeric_limits<size_t>::max());
}

}  // namespace muster::yarn::fair
