// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which queue's next gang is tried next.
//
//   GangOrder order(world, cost, rules, std::move(walks), allocated);
//   order.Start();
//   while (const Candidate* gang = order.Peek()) { ...; order.Clear(); }
//
// Order of two gangs. Those of this pool come before those of other pools; then those of the higher
// class; then those of the queue with the lower cost. With large jobs preferred, gangs within their
// queue's share come before the others, by what the queue costs now and the larger size; the others
// by what the queue would cost. In a market: the higher bid, running before queued, then queues in
// turn.
//
// Surprises. Urgency is stronger than fairness: a queue above its share goes first with a gang of a
// higher class. Taking turns in a market changes the order of the heap while it stands, so the heap
// is that of the peer, step by step. Queues enter it in the order of State::queues, at random in
// the peer.
#ifndef MUSTER_PEER_ARMADA_GANG_ORDER_H_
#define MUSTER_PEER_ARMADA_GANG_ORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/go_heap.h"
#include "lib/peer/armada/cost.h"
#include "lib/peer/armada/queue_walk.h"

namespace muster::armada {

class GangOrder {
 public:
  struct Rules {
    bool by_scheduled_priority = false;  // instead of the priority of the class
    bool prefer_large = false;
    bool home_first = true;
    bool market = false;
  };

  // `allocated` has the amounts of each context, which change during the walk.
  GangOrder(const WalkWorld& world, const Cost& cost, const Rules& rules,
            std::vector<QueueWalk> walks, std::vector<const Amounts*> allocated);
  GangOrder(const GangOrder&) = delete;
  GangOrder& operator=(const GangOrder&) = delete;

  absl::Status Start();
  // Null at the end.
  const Candidate* Peek() const;
  // What the queue of the first gang would cost with it.
  double proposed() const { return items_[First()].proposed; }
  absl::Status Clear();

  absl::Status OnlyYieldEvicted();
  absl::Status OnlyYieldEvictedOf(int context);
  absl::Status ResumeNew();

  // The highest bid of a queue of this pool other than `context`; 0 if there is none.
  double SecondPrice(int context) const;

 private:
  struct Item {
    const Candidate* gang = nullptr;
    bool away = false, queued = false;
    int32_t class_priority = 0, scheduled_priority = 0;
    double budget = 0, proposed = 0, current = 0, size = 0, price = 0;
    int64_t created = 0, submitted = 0;
    int64_t seen = 0;  // number of the update
  };
  struct Less {
    const GangOrder* order;
    bool operator()(int a, int b) const { return order->Before(a, b); }
  };

  size_t First() const { return static_cast<size_t>(heap_.elements()[0]); }
  bool Before(int a, int b) const;
  bool BeforeByCost(int a, int b) const;
  bool BeforeByPrice(int a, int b) const;
  int TakeTurns(int a, int b) const;
  absl::Status Update(size_t place);
  absl::Status UpdateCost(Item& item);
  void UpdatePriorities(Item& item);
  void UpdatePrice(Item& item);
  absl::Status Push(size_t place);

  const WalkWorld& world_;
  const Cost& cost_;
  Rules rules_;
  std::vector<QueueWalk> walks_;
  std::vector<const Amounts*> allocated_;
  std::vector<Item> items_;          // of the walks
  std::vector<size_t> entry_order_;  // in which the walks enter the heap
  std::vector<bool> only_evicted_of_;
  bool only_evicted_ = false;
  int64_t updates_ = 0;
  double last_price_ = 0;
  int last_ = -1;  // the walk that was cleared last
  GoHeap<int, Less> heap_;
};

}  // namespace muster::armada

#endif  // MUSTER_PEER_ARMADA_GANG_ORDER_H_
