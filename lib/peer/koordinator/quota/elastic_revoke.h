// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Groups of an elastic quota tree that use more than they may, and the tasks of theirs that have to
// go.
//
//   OveruseWatch watch(120);                                  // seconds, or the clock's own unit
//   for (const std::string& group : watch.Look(tree, now)) {  // as often as the caller likes
//     std::vector<size_t> gone = TasksToRevoke(used, runtime, tasks);
//   }
//
// Idea. What other groups took back shows as a runtime below the use. After a while of that the
// least important tasks leave until the use fits. Then those that fit after all come back, the most
// important first.
//
// Guarantee. No task leaves before its group was above its runtime at every look for longer than
// the delay; the delay then begins anew. A task that must not be preempted stays. If the use does
// not fit without all others, all go.
//
// Peer. Koordinator's over-use revocation. It reads runtimes as the last refresh left them and
// counts only resources that both amounts name. While tasks leave and come back, it forgets what
// the latest of them does not name, so a resource that only other tasks use is no reason any more.
// kEveryResource remembers.
//
// Ties. Of equally important tasks the later one goes first.
//
// Cost. O(groups * resources) a look; a sort a list.
#ifndef MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_REVOKE_H_
#define MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_REVOKE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/koordinator/quota/elastic_tree.h"
#include "lib/share/sparse.h"

namespace muster {

struct RevocableTask {
  Sparse request = {};
  int32_t priority = 0;
  int64_t started = 0;
  bool preemptible = true;
};

enum class RevokeBooks : uint8_t { kLatestResources, kEveryResource };

// Returns indices into `tasks`, in the order in which they go.
std::vector<size_t> TasksToRevoke(const Sparse& used, const Sparse& runtime,
                                  std::span<const RevocableTask> tasks,
                                  RevokeBooks books = RevokeBooks::kLatestResources);

class OveruseWatch {
 public:
  explicit OveruseWatch(int64_t delay) : delay_(delay) {}

  // Takes over what an earlier watch knew: when the group was last known to fit.
  void Remember(const std::string& group, int64_t fitted) { fitted_[group] = fitted; }
  // Returns the groups to revoke from now, in the tree's order. A group not seen before counts as
  // fitting until now. The root and the system's group are not watched.
  std::vector<std::string> Look(const ElasticTree& tree, int64_t now);
  // Returns the groups that were above their runtime at the last look, and when each was last known
  // to fit.
  const HashMap<std::string, int64_t>& above() const { return above_; }

 private:
  int64_t delay_;
  HashMap<std::string, int64_t> fitted_;  // when last known to fit
  HashMap<std::string, int64_t> above_;   // those of them that did not
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_QUOTA_ELASTIC_REVOKE_H_
