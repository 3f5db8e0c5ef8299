// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/pre_allocation.h"

#include <numeric>

namespace muster {
namespace {

// One call of FilterByPreAllocation.
class TakeOver {
 public:
  TakeOver(const Sparse& request, const ReservedNode& node, const Reserved& reserved,
           const PreAllocationOptions& options)
      : request_(request), node_(node), reserved_(reserved), options_(options) {}

  PreAllocationAnswer Run(std::span<const Sparse> tasks) {
    const bool may_be_alone = !options_.rules.required;
    if (may_be_alone && options_.prefers_none && Alone().none()) {
      answer_.fits = true;
      return answer_;
    }
    if (options_.takes_several ? AddUp(tasks) : TryEach(tasks)) {
      answer_.fits = true;
      return answer_;
    }
    if (!may_be_alone) return answer_;
    // Without candidates the node's own filter decides, unless free room was tried first.
    if (answer_.node.none() && (options_.prefers_none || !tasks.empty())) answer_.node = Alone();
    answer_.fits = answer_.node.none();
    return answer_;
  }

 private:
  // What free room lacks: no reservation is matched, no owner counts twice.
  Lacks Alone() const {
    ReservedNode node = node_;
    node.held_by_owners = Sparse();
    node.matched = 0;
    return LacksOfNode(request_, node, Sparse(), options_.rules);
  }

  Lacks NodeWithout(const Sparse& taken, size_t tasks) const {
    ReservedNode node = node_;
    node.requested.Subtract(taken);
    node.matched = static_cast<int64_t>(tasks);
    return LacksOfNode(request_, node, Sparse(), options_.rules);
  }

  Lacks Within(const Sparse& taken) const {
    if (reserved_.policy != Reserved::Policy::kRestricted) return {};
    return LacksOfReservation(taken, reserved_, options_.rules.ignored);
  }

  bool Concerns(const Sparse& task) const { return (task.keys() & reserved_.names) != 0; }

  bool TryEach(std::span<const Sparse> tasks) {
    for (const Sparse& task : tasks) {
      if (!Concerns(task)) continue;
      const Lacks node = NodeWithout(task, 1), within = Within(task);
      answer_.node.resources |= node.resources;
      answer_.node.tasks |= node.tasks;
      if (!within.none()) answer_.reservation.push_back(within);
      if (!node.none() || !within.none()) continue;
      answer_.taken.resize(tasks.size());
      std::iota(answer_.taken.begin(), answer_.taken.end(), size_t{0});
      return true;
    }
    return false;
  }

  bool AddUp(std::span<const Sparse> tasks) {
    Sparse sum;
    std::vector<size_t> taken;
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (!Concerns(tasks[i])) continue;
      Sparse trial = sum;
      trial.Add(tasks[i]);
      answer_.node = NodeWithout(trial, taken.size() + 1);
      const Lacks within = Within(trial);
      if (!within.none()) {
        answer_.reservation.push_back(within);
        continue;
      }
      sum = trial;
      taken.push_back(i);
      if (!answer_.node.none()) continue;
      answer_.taken = taken;
      return true;
    }
    return false;
  }

  const Sparse& request_;
  const ReservedNode& node_;
  const Reserved& reserved_;
  const PreAllocationOptions& options_;
  PreAllocationAnswer answer_;
};

}  // namespace

PreAllocationAnswer FilterByPreAllocation(const Sparse& request, const ReservedNode& node,
                                          const Reserved& reserved, std::span<const Sparse> tasks,
                                          const PreAllocationOptions& options) {
  return TakeOver(request, node, reserved, options).Run(tasks);
}

}  // namespace muster
