// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/quota/elastic_revoke.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/base/hash_map.h"

namespace muster {

std::vector<size_t> TasksToRevoke(const Sparse& used, const Sparse& runtime,
                                  std::span<const RevocableTask> tasks, RevokeBooks books) {
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (tasks[a].priority != tasks[b].priority) return tasks[a].priority < tasks[b].priority;
    if (tasks[a].started != tasks[b].started) return tasks[a].started > tasks[b].started;
    return a > b;
  });
  Sparse left = used;
  const auto remember = [&](const Sparse& request) {
    if (books == RevokeBooks::kLatestResources) left = left.Only(request.keys());
  };
  std::vector<size_t> leaving;
  for (size_t task : order) {
    if (!Exceeds(left, runtime)) break;
    if (!tasks[task].preemptible) continue;
    left.Subtract(tasks[task].request);
    remember(tasks[task].request);
    leaving.push_back(task);
  }
  if (Exceeds(left, runtime)) return leaving;
  std::vector<size_t> gone;
  for (size_t i = leaving.size(); i-- > 0;) {
    const Sparse& request = tasks[leaving[i]].request;
    left.Add(request);
    remember(request);
    if (!Exceeds(left, runtime)) continue;
    left.Subtract(request);
    gone.push_back(leaving[i]);
  }
  return gone;
}

std::vector<std::string> OveruseWatch::Look(const ElasticTree& tree, int64_t now) {
  std::vector<std::string> due;
  HashMap<std::string, int64_t> fitted;
  above_ = {};
  for (const std::string& group : tree.Groups()) {
    if (group == kRootQuota || group == kSystemQuota) continue;
    const ElasticTree::Room room = *tree.RoomOf(group);
    const auto known = fitted_.find(group);
    int64_t since = known == fitted_.end() ? now : known->second;
    const bool is_above = Exceeds(room.used, room.runtime);
    if (!is_above) {
      since = now;
    } else if (SaturatingSubtract(now, since) > delay_) {
      due.push_back(group);
      since = now;
    }
    if (is_above) above_.emplace(group, since);
    fitted.emplace(group, since);
  }
  fitted_ = std::move(fitted);
  return due;
}

}  // namespace muster
