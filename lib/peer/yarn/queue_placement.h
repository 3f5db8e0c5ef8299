// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which leaf of the capacity scheduler each job is in, and the leaves that are made for jobs.
//
//   absl::StatusOr<PlacedQueues> placed = PlaceJobs(tables, *std::move(rows));
//   if (!placed.ok()) return placed.status();
//   const uint32_t row = placed->row_of_job[job];   // kNoRow: placed->refusals has why
//
// A job is in its queue, unless mapping rules of the root (queue_mapping.h) place it elsewhere. A
// job names no queue if that is root.default. A queue "default" without settings, as every cluster
// has, is no leaf where there are rules, or where all of its jobs name another queue. Setting
// `queue` of a job names one that need not be in the table.
//
// Settings:
//
//   of the root   queue-mappings                  rules; default: none
//                 queue-mappings-override.enable  true: also for jobs that name a queue
//   of a parent   auto-create-child-queue.enabled
//                     true: leaves are made below it, and none is set there. Of all together that
//                     are needed, the first by their oldest job have capacities up to 100 percent,
//                     and the others have none
//                 leaf-queue-template.KEY         setting KEY of such a leaf; the capacity, in
//                                                 percent, must be set
//                 auto-queue-creation-v2.enabled  true: leaves with weights are made below it,
//                                                 and parents of leaves
//                 auto-queue-creation-v2.maximum-queue-depth
//                                                 levels of queues that are made; default: 2
//                 auto-queue-creation-v2.template.KEY, .leaf-template.KEY, .parent-template.KEY
//                                                 of those right below it; default: a weight of 1,
//                                                 and for leaves no user-limit-factor and a
//                                                 maximum-am-resource-percent of 1
//                 *.auto-queue-creation-v2.template.KEY, *.*. and so on
//                                                 the same below each queue right below it, two
//                                                 levels below it, and so on, at most as many as
//                                                 the maximum-queue-depth of the queue that gets
//                                                 one below it, 2 if it was made itself. Nearer
//                                                 ones count, and those of leaves or parents
//                                                 before those of all
//   of a job      queue                           the queue that it names; default: its own
//                 application                     its name to rules; default: its own
//
// A queue that is made exists while a job is in it: it is no row of the cluster, and each cycle
// makes it anew, in the order of the oldest job.
#ifndef MUSTER_PEER_YARN_QUEUE_PLACEMENT_H_
#define MUSTER_PEER_YARN_QUEUE_PLACEMENT_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/hash_map.h"
#include "lib/model/settings.h"
#include "lib/model/tables.h"
#include "lib/peer/yarn/queue_paths.h"

namespace muster::yarn {

inline constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

struct PlacedQueues {
  std::vector<QueuePath> rows;       // those of the table, then those that are made
  std::vector<QueueSpec> made;       // of the latter
  std::vector<uint32_t> row_of_job;  // kNoRow: it is refused, or not alive
  HashMap<JobIndex, std::string> refusals;

  size_t known() const { return rows.size() - made.size(); }
};

// Fails with InvalidArgument for wrong settings that tell how jobs are placed. Costs O(rows), and
// for jobs that rules place O(rules) each.
absl::StatusOr<PlacedQueues> PlaceJobs(const Tables& tables, std::vector<QueuePath> rows);

// Names the settings above to the reader of a queue, which refuses others.
void NameQueueSettings(bool is_root, const Labels& settings, SettingReader* reader);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_QUEUE_PLACEMENT_H_
