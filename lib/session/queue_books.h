// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A cluster reduced to its queues: what each holds and requests, and what there is to share. It can
// be changed, and returns the shares that the policies of a profile compute from it.
//
//   QueueBooks books(tables, ledger, config);
//   absl::Status changed = books.Apply(change);
//   std::vector<QueueShares> shares = books.Count();
//
// The policies are those of the profile. They get tables that hold the queues and nothing else, and
// a ledger of sums. So the answer costs O(queues x dimensions), and equals the shares of a cycle
// over the changed cluster, as long as policies compute shares from queues and sums alone.
#ifndef MUSTER_SESSION_QUEUE_BOOKS_H_
#define MUSTER_SESSION_QUEUE_BOOKS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/ledger/ledger.h"
#include "lib/model/interner.h"
#include "lib/model/tables.h"
#include "lib/session/config.h"
#include "muster/what_if.h"

namespace muster {

struct QueueShares {
  std::vector<double> deserved;  // empty: no policy publishes it
  double share = 0;
  bool published = false;
};

class QueueBooks {
 public:
  // All three must outlive this. `ledger` has no moves applied; its lists of tasks on nodes are
  // made on demand.
  QueueBooks(const Tables& tables, Ledger& ledger, const ProfileConfig& config);

  // Makes the change. Fails as WhatIf does (what_if.h); a change that is refused may be half made.
  absl::Status Apply(const WhatIfChange& change);

  // Returns the shares by queue, those of removed queues included.
  std::vector<QueueShares> Count();

  const Tables& tables() const { return small_; }
  std::span<const int64_t> allocated(QueueIndex q) const { return sums_.queue_allocated.row(q); }
  std::span<const int64_t> pending(QueueIndex q) const { return sums_.queue_pending.row(q); }

 private:
  absl::Status Edit(const QueueEdit& edit);
  absl::Status RemoveNodes(const RemovedNodes& choice);
  absl::Status AddNodes(const NewNodes& added);
  absl::Status AddJob(const JobSpec& job);
  absl::Status RemoveJob(const std::string& name);

  absl::Status FindQueue(std::string_view name, const std::string& place, QueueIndex* queue) const;
  absl::Status CheckKnown(const std::string& place, const char* where,
                          const Amounts& amounts) const;
  void RemoveNode(NodeIndex node);
  void Widen();  // after new dimensions came
  // Sums the nodes that count under rules that leave out overfull ones.
  void SumWholeNodes();

  const Tables& tables_;
  Ledger& ledger_;
  const ProfileConfig& config_;
  const bool whole_nodes_only_;
  Tables small_;  // the queues; one node, where only whole ones count
  Interner interner_;
  Ledger::Sums sums_;
  std::vector<int64_t> nodes_with_;  // per dimension
  HashSet<NodeIndex> removed_nodes_;
  HashSet<JobIndex> removed_jobs_;
  // What removed jobs held of nodes, where only whole nodes count.
  HashMap<NodeIndex, std::vector<int64_t>> freed_;
  HashSet<std::string> added_jobs_;
  struct Added {
    int64_t count;
    std::vector<int64_t> allocatable;
  };
  std::vector<Added> added_nodes_;
};

}  // namespace muster

#endif  // MUSTER_SESSION_QUEUE_BOOKS_H_
