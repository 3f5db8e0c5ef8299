// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The queues of a cluster as YARN's tree: below one root, by path.
//
//   absl::StatusOr<std::vector<QueuePath>> rows = QueuePaths(tables.queues);
//   if (!rows.ok()) return rows.status();   // `queue "a.b": its name has a dot; ...`
//   for (const QueuePath& row : *rows) Configure(row.path, row.queue);
//
// A queue named "root" with queues below it is the root, and others without a parent are below it;
// without such a queue a root is made. A queue without jobs, settings, children and a parent is
// left out. Parents come first, and siblings in the order of the table.
//
// A name may begin with that of the parent and a dot, as whole paths do: queue "root.a.b" below
// queue "root.a" is the peer's "b". Any other dot is refused, and so is a queue more than 100
// levels below the root.
#ifndef MUSTER_PEER_YARN_QUEUE_PATHS_H_
#define MUSTER_PEER_YARN_QUEUE_PATHS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/model/tables.h"

namespace muster::yarn {

struct QueuePath {
  muster::QueueIndex queue = muster::kNone;  // kNone: a root that was made
  std::string path;                          // "root", "root.a"
  bool is_leaf = false;
  size_t parent = 0;  // its row; of the root: 0
};

// Costs O(queues) and the length of the paths.
absl::StatusOr<std::vector<QueuePath>> QueuePaths(const QueueTable& queues);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_QUEUE_PATHS_H_
