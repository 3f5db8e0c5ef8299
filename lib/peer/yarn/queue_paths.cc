// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yarn/queue_paths.h"

#include "absl/strings/str_cat.h"

namespace muster::yarn {

std::vector<QueuePath> QueuePaths(const QueueTable& queues) {
  std::vector<muster::QueueIndex> tops;
  muster::QueueIndex root = muster::kNone;
  for (muster::QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q] || queues.parent[q] != muster::kNone) continue;
    if (queues.spec[q].name == "root" && !queues.children[q].empty()) {
      root = q;
    } else if (queues.jobs[q] > 0 || !queues.children[q].empty() ||
               !queues.spec[q].settings.empty()) {
      tops.push_back(q);
    }
  }
  if (root != muster::kNone) {
    tops.insert(tops.begin(), queues.children[root].begin(), queues.children[root].end());
  }
  std::vector<QueuePath> rows = {{.queue = root, .path = "root"}};
  const auto add = [&](const std::vector<muster::QueueIndex>& children, size_t parent) {
    for (const muster::QueueIndex q : children) {
      rows.push_back({.queue = q,
                      .path = absl::StrCat(rows[parent].path, ".", queues.spec[q].name),
                      .is_leaf = queues.children[q].empty(),
                      .parent = parent});
    }
  };
  add(tops, 0);
  for (size_t i = 1; i < rows.size(); ++i) add(queues.children[rows[i].queue], i);
  return rows;
}

}  // namespace muster::yarn
