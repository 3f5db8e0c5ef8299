// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The order in which KAI Scheduler turns to jobs, and to victims: a tree of heaps over the queues.
//
//   KaiJobQueue queue(&world, {.depth = 10});
//   for (uint32_t j = 0; j < world.job_count(); ++j) queue.Push(&world.job(j));
//   while (!queue.empty()) Try(queue.Pop());
//
// Idea. A leaf holds a heap of jobs, an inner queue a heap of queues. A queue is compared with its
// best job. A change marks the queues above as out of place, and only the queue at the top of a
// heap is put right, when it is looked at.
//
// A queue of victims has all comparisons turned round. A queue is then judged without the victims
// that were taken from it, and without the next one.
//
// Peer. A marked queue below the top of a heap stays where it is. A heap with a limited depth drops
// the element at that place of its array when it grows beyond, and that need not be the worst.
// Jobs are pushed in ascending order of UIDs (the peer: in the order of a map, by chance).
//
// Cost. O(log jobs + depth log queues) comparisons a push or pop. A queue is judged anew only when
// its accounts, its best job or its victims have changed. What is cleared is remembered.
#ifndef MUSTER_PEER_KAI_JOB_QUEUE_H_
#define MUSTER_PEER_KAI_JOB_QUEUE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/base/go_heap.h"
#include "lib/peer/kai/queue_order.h"
#include "lib/peer/kai/world.h"

namespace muster {

class KaiJobQueue {
 public:
  struct Rules {
    bool victims = false;
    int64_t depth = -1;  // jobs of a queue; -1: any number
  };

  KaiJobQueue(const KaiWorld* world, Rules rules)
      : world_(world), rules_(rules), nodes_(world->tree.queues.size()), tops_(NodeLess{this}) {}
  KaiJobQueue(const KaiJobQueue&) = delete;
  KaiJobQueue& operator=(const KaiJobQueue&) = delete;

  bool empty() const { return tops_.empty(); }
  void Clear();
  // Goes on as the other would, which has the same world and rules.
  void CopyFrom(const KaiJobQueue& other);
  // The job's queue must be a leaf.
  void Push(const KaiJob* job);
  // REQUIRES: !empty().
  const KaiJob* Pop();

 private:
  struct Node;
  struct NodeLess {
    KaiJobQueue* queue;
    bool operator()(uint32_t a, uint32_t b) const { return queue->NodeBefore(a, b); }
  };
  struct JobLess {
    const KaiJobQueue* queue;
    bool operator()(const KaiJob* a, const KaiJob* b) const {
      return queue->JobBefore(*a, *b) != queue->rules_.victims;
    }
  };
  // How a queue stands, and with what.
  struct Judged {
    const KaiJob* job = nullptr;  // the best; null: not known
    uint32_t leaf = 0;            // of the job
    uint32_t revision = 0;        // of the job
    uint32_t charges = 0;         // of the queue
    size_t victims = 0;           // that were taken from the leaf
    uint64_t accounts = 0;        // the tree's revision when it was last looked at
    KaiQueueStanding standing = {};
  };
  struct Node {
    Node(KaiJobQueue* queue, bool leaf)
        : leaf(leaf), jobs(JobLess{queue}), below(NodeLess{queue}) {}
    bool leaf;
    bool misplaced = false;
    bool is_fresh = false;  // nothing below it has moved since `judged` was looked at
    bool linked = false;    // it has a place in the heap above; else it is only remembered
    Judged judged;
    GoHeap<const KaiJob*, JobLess> jobs;
    GoHeap<uint32_t, NodeLess> below;
    bool empty() const { return leaf ? jobs.empty() : below.empty(); }
  };

  bool JobBefore(const KaiJob& a, const KaiJob& b) const;
  bool NodeBefore(uint32_t a, uint32_t b);
  const KaiQueueStanding& StandingOf(uint32_t q);
  bool IsLinked(uint32_t q) const { return nodes_[q] != nullptr && nodes_[q]->linked; }
  void Make(uint32_t q, bool leaf);
  void Unmake(uint32_t q);
  void Unlink();
  uint32_t BestLeaf(uint32_t q) const;
  void Link(uint32_t q);
  void MarkUp(uint32_t q);
  uint32_t Top(GoHeap<uint32_t, NodeLess>* heap);

  const KaiWorld* world_;
  const Rules rules_;
  std::vector<std::unique_ptr<Node>> nodes_;  // by queue; null: never had jobs
  GoHeap<uint32_t, NodeLess> tops_;
  std::vector<std::vector<KaiAmounts>> taken_;  // by queue: what popped victims held
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_JOB_QUEUE_H_
