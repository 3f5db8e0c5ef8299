// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cheapest set of those who could go from a node, where one alone does not suffice.
//
// Idea. An offer takes candidates in their order until the task fits and gives back whom it does not need, so nobody of it
// is there in vain; but two large ones may do where three small ones come first, and a younger pair where the first pair
// is old. So all sets are gone through, in the order in which candidates go, and the cheapest is kept.
// Who may be in a set: candidates that their gangs can spare together, or gangs as a whole, with all their tasks wherever
// those run; and no policy may protect any of them when all are asked about at once.
// Guarantee. Where no more than kMostItems could go, no set is cheaper than the offer: fewer victims, then lower priority
// (of the highest), then younger (the oldest). Of equally cheap ones the offer stays what it was, else the first in order.
// Where more could go, or somebody could not go in the offer's order at all, the offer stays what it was.
// Cost. Branch and bound: a branch is left when it lacks more than what its victims to come could give, or would cost as
// much as what is known. Nothing where one victim suffices, one look at each candidate where all are alike.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "lib/action/fair_gang.h"
#include "lib/action/fair_offers.h"

namespace muster {
namespace {

constexpr size_t kMostItems = 16;

struct Cost {
  int64_t victims = 0, priority = std::numeric_limits<int64_t>::min(),
          age = std::numeric_limits<int64_t>::min();
  // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
  friend auto operator<=>(const Cost&, const Cost&) = default;  // NOLINT(modernize-use-nullptr)
};

Cost operator+(const Cost& a, const Cost& b) {
  return {a.victims + b.victims, std::max(a.priority, b.priority), std::max(a.age, b.age)};
}

// Who goes together.
struct Item {
  std::vector<TaskIndex> tasks;
  bool whole_gang = false;
  JobIndex job = kNone;
  Cost cost;
  std::vector<int64_t> gives;  // on the node, of each amount that is lacking
};

// All sets of items that give enough and cost less than `limit`, the cheaper the later.
class CheaperSets {
 public:
  CheaperSets(std::span<const Item> items, const Cost& limit, std::span<const int64_t> lacking)
      : items_(items),
        best_(limit),
        lacking_(lacking.begin(), lacking.end()),
        most_(items.size() + 1) {
    most_.back().assign(lacking.size(), 0);
    for (size_t i = items.size(); i-- > 0;) {
      most_[i] = most_[i + 1];
      for (size_t d = 0; d < lacking.size(); ++d) {
        const int64_t each =
            (items[i].gives[d] + items[i].cost.victims - 1) / items[i].cost.victims;
        most_[i][d] = std::max(most_[i][d], each);
      }
    }
  }

  // Whether may_go(set) held of any, the last of which is the cheapest.
  template <typename MayGo>
  bool Search(const MayGo& may_go) {
    From(0, {}, may_go);
    return !cheapest_.empty();
  }
  const std::vector<const Item*>& cheapest() const { return cheapest_; }

 private:
  // What is chosen costs as much as this and lacks lacking_: as it is, and with some of the items from here on.
  template <typename MayGo>
  void From(size_t next, const Cost& cost, const MayGo& may_go) {
    const int64_t more = MoreVictims(next);
    if (more == 0 && !chosen_.empty() && may_go(chosen_)) {
      best_ = cost;
      cheapest_ = chosen_;
      return;
    }
    if (more < 0 || cost + Cost{std::max<int64_t>(more, 1)} >= best_) return;
    for (size_t i = next; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if (cost + item.cost >= best_ || Overlaps(item)) continue;
      Choose(item, 1);
      From(i + 1, cost + item.cost, may_go);
      Choose(item, -1);
    }
  }

  // How many more have to go at the least, of the items from `next` on; below zero: they do not suffice.
  int64_t MoreVictims(size_t next) const {
    int64_t more = 0;
    for (size_t d = 0; d < lacking_.size(); ++d) {
      if (lacking_[d] <= 0) continue;
      if (most_[next][d] <= 0) return -1;
      more = std::max(more, (lacking_[d] + most_[next][d] - 1) / most_[next][d]);
    }
    return more;
  }
  bool Overlaps(const Item& item) const {
    return item.whole_gang && std::any_of(chosen_.begin(), chosen_.end(), [&](const Item* other) {
             return other->job == item.job;
           });
  }
  void Choose(const Item& item, int sign) {
    for (size_t d = 0; d < lacking_.size(); ++d) lacking_[d] -= sign * item.gives[d];
    if (sign > 0) {
      chosen_.push_back(&item);
    } else {
      chosen_.pop_back();
    }
  }

  const std::span<const Item> items_;
  Cost best_;
  std::vector<int64_t> lacking_;
  std::vector<std::vector<int64_t>> most_;  // that one victim gives, of the items from each on
  std::vector<const Item*> chosen_, cheapest_;
};

}  // namespace

void FairOffers::Cheapen(TaskIndex task, Offer* offer) {
  const Price price = PriceOf(*offer);
  if (price.victims < 2) return;
  Ledger& ledger = context_.ledger;
  const TaskTable& tasks = context_.tables.tasks;
  const auto& jobs = context_.tables.jobs.spec;
  const NodeIndex node = offer->node;

  const ClassIndex c = context_.ClassOf(task);
  const auto request = context_.tables.classes.initial_request.row(c);
  absl::InlinedVector<DimensionIndex, 8> dimensions;
  absl::InlinedVector<int64_t, 8> lacking, largest;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if ((d > kPods && request[d] == 0) || request[d] <= ledger.future_idle(node, d)) continue;
    dimensions.push_back(d);
    lacking.push_back(request[d] - ledger.future_idle(node, d));
    largest.push_back(0);
  }

  // As many have to go at the least, if all give as much as the largest. Where that is as many as do, a cheaper set is all
  // of lower priority, or all younger and of no higher one.
  absl::InlinedVector<TaskIndex, 16> candidates;
  int64_t lower = 0, younger = 0, least = 1;
  for (TaskIndex t : ledger.tasks_on(node)) {
    if (!MayGo(task, t)) continue;
    candidates.push_back(t);
    const auto gives = ledger.request(t);
    for (size_t d = 0; d < dimensions.size(); ++d) {
      largest[d] = std::max(largest[d], gives[dimensions[d]]);
    }
    const int64_t priority = jobs[tasks.job[t]].priority;
    lower += priority < price.priority;
    younger += priority <= price.priority && -tasks.created[t] < price.age;
  }
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (largest[d] > 0) least = std::max(least, (lacking[d] + largest[d] - 1) / largest[d]);
  }
  if (least >= price.victims && std::max(lower, younger) < price.victims) return;

  std::sort(candidates.begin(), candidates.end(), [&](TaskIndex a, TaskIndex b) {
    const int32_t left = jobs[tasks.job[a]].priority, right = jobs[tasks.job[b]].priority;
    if (left != right) return left < right;
    if (tasks.created[a] != tasks.created[b]) return tasks.created[a] > tasks.created[b];
    return a > b;
  });
  std::vector<Item> items;
  const auto add = [&](std::vector<TaskIndex> members, bool whole_gang, JobIndex job) {
    Item item{std::move(members), whole_gang, job, {}, std::vector<int64_t>(dimensions.size(), 0)};
    for (TaskIndex t : item.tasks) {
      item.cost = item.cost + Cost{1, jobs[tasks.job[t]].priority, -tasks.created[t]};
      if (ledger.node_of(t) != node) continue;
      for (size_t d = 0; d < dimensions.size(); ++d) {
        item.gives[d] += ledger.request(t)[dimensions[d]];
      }
    }
    items.push_back(std::move(item));
  };
  // Of a job whose candidates cannot all be spared: as a whole.
  std::vector<JobIndex> gangs;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const TaskIndex t = candidates[i];
    const JobIndex job = tasks.job[t];
    const FairGang gang(context_, job);
    if (gang.CanSpare(tasks.group[t], 1, 1)) add({t}, /*whole_gang=*/false, job);
    int64_t of_job = 1, of_group = 1;
    for (size_t k = 0; k < i; ++k) {
      of_job += tasks.job[candidates[k]] == job;
      of_group += tasks.job[candidates[k]] == job && tasks.group[candidates[k]] == tasks.group[t];
    }
    if (!gang.CanSpare(tasks.group[t], of_job, of_group) &&
        std::find(gangs.begin(), gangs.end(), job) == gangs.end()) {
      gangs.push_back(job);
    }
  }
  for (JobIndex job : gangs) {
    std::vector<TaskIndex> members;
    if (GangMayGo(task, job, &members)) add(std::move(members), /*whole_gang=*/true, job);
  }
  if (items.size() > kMostItems) return;

  const auto spared = [&](std::span<const Item* const> set) {
    for (size_t i = 0; i < set.size(); ++i) {
      if (set[i]->whole_gang) continue;
      const GroupIndex group = tasks.group[set[i]->tasks[0]];
      int64_t of_job = 1, of_group = 1;
      for (size_t k = 0; k < i; ++k) {
        of_job += set[k]->job == set[i]->job;
        of_group += set[k]->job == set[i]->job && tasks.group[set[k]->tasks[0]] == group;
      }
      if (!FairGang(context_, set[i]->job).CanSpare(group, of_job, of_group)) return false;
    }
    return true;
  };
  std::vector<TaskIndex> all;
  const auto may_go = [&](std::span<const Item* const> set) {
    if (!spared(set)) return false;
    all.clear();
    for (const Item* item : set) all.insert(all.end(), item->tasks.begin(), item->tasks.end());
    if (Unprotected(task, all).size() != all.size()) return false;
    const Ledger::Savepoint before = ledger.Save();
    for (TaskIndex t : all) ledger.Move(t, TaskStatus::kReleasing, ledger.node_of(t));
    const bool fits = Fits(task, node);
    ledger.Rollback(before);
    return fits;
  };
  CheaperSets sets(items, {price.victims, price.priority, price.age}, lacking);
  if (!sets.Search(may_go)) return;
  offer->units.clear();
  for (const Item* item : sets.cheapest()) {
    offer->units.emplace_back(item->tasks.begin(), item->tasks.end());
  }
}

}  // namespace muster
