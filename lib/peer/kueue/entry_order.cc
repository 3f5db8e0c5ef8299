// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/entry_order.h"

#include <algorithm>

namespace muster::kueue {

EntryOrder::EntryOrder(World& world, FairShares& shares, std::vector<Entry>& entries)
    : world_(world), shares_(shares) {
  if (world.config.fair_sharing) {
    by_queue_.assign(world.queues.size(), nullptr);
    for (Entry& e : entries) {
      if (e.considered) by_queue_[e.queue] = &e;
    }
    return;
  }
  for (Entry& e : entries) {
    if (e.considered) classical_.push_back(&e);
  }
  std::stable_sort(classical_.begin(), classical_.end(),
                   [&](const Entry* a, const Entry* b) { return Before(world_, *a, *b); });
  std::reverse(classical_.begin(), classical_.end());
}

bool EntryOrder::Before(const World& world, const Entry& a, const Entry& b) {
  const WorkloadRow &x = world.workloads[a.workload], &y = world.workloads[b.workload];
  const Gates& gates = world.config.gates;
  if (a.holds != b.holds) return a.holds;
  if (gates.prioritize_preemptors && a.is_preemptor != b.is_preemptor) return a.is_preemptor;
  if (a.assignment.borrowing != b.assignment.borrowing) {
    return a.assignment.borrowing < b.assignment.borrowing;
  }
  if (gates.priority_sorting && x.priority != y.priority) return x.priority > y.priority;
  return x.queue_time < y.queue_time;
}

Entry* EntryOrder::Next() {
  if (world_.config.fair_sharing) return Tournament();
  if (classical_.empty()) return nullptr;
  Entry* const entry = classical_.back();
  classical_.pop_back();
  return entry;
}

Entry* EntryOrder::Tournament() {
  while (first_ < by_queue_.size() && by_queue_[first_] == nullptr) ++first_;
  if (first_ == by_queue_.size()) return nullptr;
  Entry* winner = by_queue_[first_];
  if (world_.HasParent(first_)) {
    const Queue root = world_.tree.Root(first_);
    std::vector<Contender> contenders(by_queue_.size());
    for (Queue q = first_; q < by_queue_.size(); ++q) {
      if (by_queue_[q] != nullptr && world_.tree.Root(q) == root) {
        contenders[q] = Measure(by_queue_[q]);
      }
    }
    winner = Winner(root, contenders)->entry;
  }
  by_queue_[winner->queue] = nullptr;
  return winner;
}

EntryOrder::Contender EntryOrder::Measure(Entry* entry) {
  Contender contender{.entry = entry, .shares = {}};
  const size_t mark = world_.tree.Mark();
  world_.tree.Add(entry->queue, entry->usage);
  for (Queue q = entry->queue; world_.HasParent(q); q = world_.tree.parent(q)) {
    Share share = shares_.Of(q);
    if (world_.config.gates.prioritize_non_borrowing) {
      share.borrowing = BorrowsOn(world_.tree, q, entry->usage);
    }
    contender.shares.emplace_back(world_.tree.parent(q), share);
  }
  world_.tree.Rollback(mark);
  return contender;
}

bool EntryOrder::FairBefore(const World& world, const Entry& a, const Share& mine, const Entry& b,
                            const Share& theirs) {
  const WorkloadRow &x = world.workloads[a.workload], &y = world.workloads[b.workload];
  const Gates& gates = world.config.gates;
  if (gates.prioritize_preemptors && a.is_preemptor != b.is_preemptor) return a.is_preemptor;
  if (gates.prioritize_non_borrowing && mine.borrowing != theirs.borrowing) {
    return !mine.borrowing;
  }
  const int order = Compare(mine, theirs);
  if (order != 0) return order < 0;
  if (gates.priority_sorting && x.priority != y.priority) return x.priority > y.priority;
  return x.queue_time < y.queue_time;
}

bool EntryOrder::Wins(const Contender& a, const Contender& b, Queue cohort) const {
  const auto share_in = [&](const Contender& c) {
    return std::find_if(c.shares.begin(), c.shares.end(),
                        [&](const auto& s) { return s.first == cohort; })
        ->second;
  };
  return FairBefore(world_, *a.entry, share_in(a), *b.entry, share_in(b));
}

const EntryOrder::Contender* EntryOrder::Winner(Queue cohort,
                                                const std::vector<Contender>& contenders) const {
  const Contender* best = nullptr;
  const auto meet = [&](const Contender* c) {
    if (c != nullptr && (best == nullptr || Wins(*c, *best, cohort))) best = c;
  };
  for (const Queue child : world_.tree.children(cohort)) {
    if (world_.queues[child].is_cohort) meet(Winner(child, contenders));
  }
  for (const Queue child : world_.tree.children(cohort)) {
    if (!world_.queues[child].is_cohort && contenders[child].entry != nullptr) {
      meet(&contenders[child]);
    }
  }
  return best;
}

}  // namespace muster::kueue
