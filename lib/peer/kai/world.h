// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One cycle of KAI Scheduler: jobs, nodes and queues as the actions change them.
//
//   KaiWorld world(std::move(facts), std::move(tree), opening);
//   KaiAllocate(&world, &listener);       // actions.h
//   world.status(task);
//
// Idea. The world has the peer's state as the peer keeps it, and nothing of the engine's: releasing
// resources, shared devices, copies of pods and what is virtual differ too much from what a ledger
// can express. Actions change it by statements (statement.h). What a statement commits is reported
// to a listener, which makes decisions of it.
//
// Cost. Opening is O(rows). Memory is O(rows), and that of a simulation's copies until its job is
// decided.
#ifndef MUSTER_PEER_KAI_WORLD_H_
#define MUSTER_PEER_KAI_WORLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/peer/kai/facts.h"
#include "lib/peer/kai/fit_errors.h"
#include "lib/peer/kai/node_board.h"
#include "lib/peer/kai/nodes.h"
#include "lib/peer/kai/pods.h"
#include "lib/peer/kai/queue_tree.h"
#include "lib/peer/kai/topology_tree.h"

namespace muster {

// What a task is when the cycle opens.
struct KaiOpening {
  KaiStatus status = KaiStatus::kPending;
  uint32_t node = kKaiNone;
  std::vector<uint32_t> devices = {};  // groups, numbered in their order on the node
};

// Receives what is committed.
class KaiListener {
 public:
  virtual ~KaiListener() = default;
  virtual void Bound(const KaiPod& pod) = 0;
  virtual void Pipelined(const KaiPod& pod) = 0;
  // `beneficiary`: a task of the job for which it is evicted; kKaiNone: for none.
  virtual void Evicted(const KaiPod& pod, uint32_t beneficiary) = 0;
};

// Why a job was not placed when it was last tried.
struct KaiRefusal {
  enum class Rule : uint8_t { kNone, kOverLimit, kOverQuota, kNoRoom, kNoTopology };
  Rule rule = Rule::kNone;
  uint32_t queue = kKaiNone;
  size_t resource = 0;
  int64_t placed = 0, needed = 0;  // tasks
  // Of kNoRoom: what kept the last task from each node; null: it was not asked for a node.
  std::shared_ptr<const KaiFitErrors> errors = nullptr;
  // The peer's words: of gates the numbers, else why a topology has no nodes for the job.
  std::string message = {};
};

// What the latest action that looks for victims did for a job: nothing, or no search because one
// for a job like it had failed, or a search.
enum class KaiTrial : uint8_t { kNone, kOfLikeJob, kOwn };

class KaiWorld {
  // Comes first, because the others refer to it.
  KaiFacts facts_;

 public:
  KaiWorld(KaiFacts facts, KaiQueueTree tree, std::vector<KaiTopology> topologies,
           std::span<const KaiOpening> opening);
  KaiWorld(const KaiWorld&) = delete;
  KaiWorld& operator=(const KaiWorld&) = delete;

  const KaiFacts& facts() const { return facts_; }
  const KaiOptions& options() const { return facts_.options; }
  KaiJob& job(uint32_t j) { return jobs_[j]; }
  const KaiJob& job(uint32_t j) const { return jobs_[j]; }
  const KaiJob& JobOf(const KaiPod& pod) const { return jobs_[facts_.tasks[pod.task].job]; }
  KaiJob& JobOf(const KaiPod& pod) { return jobs_[facts_.tasks[pod.task].job]; }
  const KaiShape& ShapeOf(const KaiPod& pod) const { return facts_.shape_of(pod.task); }
  size_t job_count() const { return jobs_.size(); }
  std::span<const uint32_t> all_nodes() const { return all_nodes_; }

  KaiNodes nodes;
  KaiQueueTree tree;       // as it is
  KaiQueueTree tree_then;  // as it was when the solution for the present job was begun
  KaiAmounts total = {};
  std::vector<KaiTopology> topologies;
  KaiArena arena;
  // Of tasks: the copy that stands for it.
  const KaiPod& pod(uint32_t task) const {
    return *jobs_[facts_.tasks[task].job].pods()[facts_.tasks[task].place];
  }
  std::vector<KaiRefusal> refusals;  // by job
  std::vector<KaiTrial> trials;      // by job
  // By job: whether this cycle evicted some of it, or started it.
  std::vector<uint8_t> evicted_now, started_now;
  // By job: since when its gang has too few tasks, as the last look at stale gangs left it.
  std::vector<std::optional<int64_t>> stale_since;

  // Whether taking changes back leaves all books as they were (victim_room.h).
  bool has_exact_books() const { return has_exact_books_; }
  // Set once a search that fails might change what later ones find. Every search is made then, even
  // a hopeless one. A test may set it from the start.
  bool searches_leave_marks = false;
  // Set once a running task was moved to another node: both nodes note it.
  bool has_moved_tasks = false;

  // Returns the board of the shape, as the nodes are now; null: nodes must be scanned.
  KaiNodeBoard* BoardOf(uint32_t shape);

  // Returns cpu, memory and GPUs that the pod got.
  KaiAmounts Accepted(const KaiPod& pod) const;
  // Events: the queue of the pod gets, or gives back, what the pod got.
  void Charge(const KaiPod& pod);
  void Discharge(const KaiPod& pod);
  // Return when the gang was last started, and when it was last evicted.
  std::optional<int64_t> StartOf(const KaiJob& job) const {
    if (started_now[job.number()] != 0) return facts_.now;
    return job.facts().last_start;
  }
  std::optional<int64_t> EvictionOf(const KaiJob& job) const {
    if (evicted_now[job.number()] != 0) return facts_.now;
    return job.facts().last_eviction;
  }
  // Returns why no node takes the pod now. Pods of one shape share the answer while the nodes stay
  // as they are.
  std::shared_ptr<const KaiFitErrors> FitErrorsOf(const KaiPod& pod,
                                                  std::span<const uint32_t> nodes);
  // Moves all pods out of the arena, and clears it.
  void Settle();

 private:
  void SumUp();

  bool has_exact_books_ = false;
  std::vector<KaiJob> jobs_;
  std::vector<KaiPod> own_;  // by task
  std::vector<uint32_t> all_nodes_;
  std::vector<std::unique_ptr<KaiNodeBoard>> boards_;  // by shape; null: none was asked for yet
  struct KnownErrors {
    size_t changes = 0;
    std::shared_ptr<const KaiFitErrors> errors;
  };
  std::vector<KnownErrors> errors_;  // by shape: of all nodes, after so many changes of them
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_WORLD_H_
