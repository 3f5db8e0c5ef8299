// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The cheapest set of victims on a node, where one victim alone does not suffice.
//
// Idea. A choice takes candidates in their order until the task fits, and gives back those that it
// does not need. So no victim of a choice is needless, but another set may be cheaper:
// - two large victims instead of three small ones that come first,
// - a younger pair instead of the first one,
// - victims of another queue, where the first ones use up what their own queue can spare.
// So all sets are searched, in the order of the candidates, and the cheapest is kept. A set
// consists of candidates that their gangs can spare together, and of whole gangs with all their
// tasks on any node. Policies must permit all victims of a set at once.
//
// Guarantee. Where at most kMostItems items could go, no set is cheaper than the choice. Cheaper
// means fewer victims, then lower priority (of the highest), then less work lost (in sum; with
// `by_loss` alone), then younger (the oldest). Ties: among
// equally cheap sets the choice stays what it was, else the first set in order. If the order alone
// finds no victims, but the task would fit without all candidates, the cheapest set is the choice.
// That search ends after kMostOutOfOrder sets for one kind of asker, with the cheapest set so far.
// Where more items could go, the choice stays what it was.
//
// Cost. Branch and bound. A branch ends when
// - it lacks more than what its remaining items could give,
// - it would cost as much as the best set so far,
// - it holds a victim that may not go after those before it, where policies look at nothing else.
// Of adjacent equal items only the first ones are tried. Nothing is searched where one victim
// suffices; one look at each candidate where all are equal.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "lib/base/math.h"
#include "lib/part/victims.h"
#include "lib/peer/muster/fair_gang.h"
#include "lib/peer/muster/victim_choices.h"

namespace muster {
namespace {

constexpr size_t kMostItems = 16;
constexpr int64_t kMostOutOfOrder = 10000;

struct Cost {
  int64_t victims = 0, priority = std::numeric_limits<int64_t>::min(), loss = 0,
          age = std::numeric_limits<int64_t>::min();
  // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
  friend auto operator<=>(const Cost&, const Cost&) = default;  // NOLINT(modernize-use-nullptr)
};

Cost operator+(const Cost& a, const Cost& b) {
  return {a.victims + b.victims, std::max(a.priority, b.priority), SatAdd(a.loss, b.loss),
          std::max(a.age, b.age)};
}

// Tasks that go together.
struct Item {
  std::vector<TaskIndex> tasks;
  bool whole_gang = false;
  JobIndex job = kNone;
  bool like_last = false;  // equal to the item before, except for its place in the order
  Cost cost;
  std::vector<int64_t> gives;  // what the item frees on the node of each amount that is lacking
};

using Set = std::vector<const Item*>;

// Finds the cheapest set of items that gives enough, costs less than `limit` and satisfies
// `suffices`. Skips sets that begin with an item for which `may_begin` returns false.
class CheapestSet {
 public:
  using Test = absl::FunctionRef<bool(const Set&)>;
  CheapestSet(std::span<const Item> items, const Cost& limit, std::span<const int64_t> lacking,
              Test may_begin, Test suffices)
      : items_(items),
        may_begin_(may_begin),
        suffices_(suffices),
        best_(limit),
        lacking_(lacking.begin(), lacking.end()),
        rest_(items.size() + 1),
        most_(items.size() + 1) {
    rest_.back().assign(lacking.size(), 0);
    most_.back().assign(lacking.size(), 0);
    for (size_t i = items.size(); i-- > 0;) {
      rest_[i] = rest_[i + 1];
      most_[i] = most_[i + 1];
      for (size_t d = 0; d < lacking.size(); ++d) {
        const int64_t each =
            (items[i].gives[d] + items[i].cost.victims - 1) / items[i].cost.victims;
        rest_[i][d] += items[i].gives[d];
        most_[i][d] = std::max(most_[i][d], each);
      }
    }
  }

  // Returns the set; empty if there is none.
  const Set& Find() {
    From(0, {});
    return cheapest_;
  }

 private:
  // Tries what is chosen, which costs `cost` and lacks lacking_, as it is and with some of the
  // items from `next` on.
  void From(size_t next, const Cost& cost) {
    const int64_t more = MoreVictims(next);
    if (more == 0 && !chosen_.empty() && suffices_(chosen_)) {
      best_ = cost;
      cheapest_ = chosen_;
      return;
    }
    if (more < 0 || cost + Cost{std::max<int64_t>(more, 1)} >= best_) return;
    for (size_t i = next; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if ((i > next && item.like_last) || cost + item.cost >= best_ || Overlaps(item)) continue;
      Choose(item, 1);
      if (may_begin_(chosen_)) From(i + 1, cost + item.cost);
      Choose(item, -1);
    }
  }

  // Returns the least number of further victims among the items from `next` on; below zero: they do
  // not suffice.
  int64_t MoreVictims(size_t next) const {
    int64_t more = 0;
    for (size_t d = 0; d < lacking_.size(); ++d) {
      if (lacking_[d] <= 0) continue;
      if (rest_[next][d] < lacking_[d]) return -1;
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
  const Test may_begin_, suffices_;
  Cost best_;
  std::vector<int64_t> lacking_;
  std::vector<std::vector<int64_t>> rest_;  // what the items from each one on give together
  std::vector<std::vector<int64_t>> most_;  // and what one victim of them gives at the most
  Set chosen_, cheapest_;
};

}  // namespace

// Finds a cheaper set than a choice of the node of candidates_.
class VictimChoices::Cheaper {
 public:
  Cheaper(VictimChoices& choices, TaskIndex task, const Price& price)
      : choices_(choices),
        ledger_(choices.context_.ledger),
        tasks_(choices.context_.tables.tasks),
        task_(task),
        node_(price.node),
        price_(price) {
    const ActionContext& context = choices.context_;
    const auto request = context.tables.classes.initial_request.row(context.ClassOf(task));
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if ((d > kPods && request[d] == 0) || request[d] <= ledger_.future_idle(node_, d)) continue;
      dimensions_.push_back(d);
      lacking_.push_back(request[d] - ledger_.future_idle(node_, d));
    }
  }

  // Returns whether numbers alone leave room for a cheaper set. The least number of victims is the
  // one that suffices if all give as much as the largest. Where that is the present number, a
  // cheaper set has lower priority throughout, or loses less, or is younger throughout at no higher
  // priority.
  bool Possible() const {
    absl::InlinedVector<int64_t, 8> largest(dimensions_.size(), 0);
    int64_t lower = 0, younger = 0, least = 1;
    ClassIndex last = kNone;  // candidates of a node are often alike
    for (const Candidate& candidate : choices_.candidates_) {
      const ClassIndex c = tasks_.task_class[candidate.task];
      const auto gives = ledger_.request(candidate.task);
      for (size_t d = 0; c != last && d < dimensions_.size(); ++d) {
        largest[d] = std::max(largest[d], gives[dimensions_[d]]);
      }
      last = c;
      lower += candidate.priority < price_.priority;
      younger += candidate.priority <= price_.priority && -candidate.created < price_.age;
    }
    for (size_t d = 0; d < dimensions_.size(); ++d) {
      if (largest[d] > 0) least = std::max(least, (lacking_[d] + largest[d] - 1) / largest[d]);
    }
    return least < price_.victims || price_.loss > 0 || std::max(lower, younger) >= price_.victims;
  }

  // Returns whether all candidates together make room.
  bool RoomForAll() {
    Tasks all;
    for (const Candidate& candidate : choices_.candidates_) all.push_back(candidate.task);
    return FitsWithout(all);
  }

  // Lists what could be in a set: each candidate that its gang can spare; then, as a whole, gangs
  // that cannot spare all of their candidates. Returns false if there are more than can be tried.
  bool ListItems() {
    Tasks before;
    std::vector<JobIndex> gangs;
    for (const Candidate& candidate : choices_.candidates_) {
      const TaskIndex t = candidate.task;
      const JobIndex job = tasks_.job[t];
      if (choices_.GangSpares(t, {})) Add({t}, /*whole_gang=*/false, job);
      if (items_.size() > kMostItems) return false;
      if (!choices_.GangSpares(t, before) &&
          std::find(gangs.begin(), gangs.end(), job) == gangs.end()) {
        gangs.push_back(job);
      }
      before.push_back(t);
    }
    for (JobIndex job : gangs) {
      Tasks members;
      if (choices_.GangMayGo(task_, job, &members)) Add(std::move(members), true, job);
    }
    return items_.size() <= kMostItems;
  }

  // Puts the cheapest set into `units`. Looks at no more than `*most` sets, and takes those it
  // looked at off `*most`. Returns false if none is cheaper; `units` are then unchanged. REQUIRES:
  // ListItems returned true.
  bool Find(std::vector<Unit>* units, int64_t* most) {
    const auto may_begin = [&](const Set& set) {
      return (*most)-- > 0 && GangsSpare(set) && (!choices_.in_order_ || AllMayGo(set));
    };
    const auto suffices = [this](const Set& set) {
      return (choices_.in_order_ || AllMayGo(set)) && FitsWithout(AllOf(set));
    };
    const Cost limit{price_.victims, price_.priority, price_.loss, price_.age};
    CheapestSet search(items_, limit, lacking_, may_begin, suffices);
    const Set& cheapest = search.Find();
    if (cheapest.empty()) return false;
    units->clear();
    for (const Item* item : cheapest) units->emplace_back(item->tasks.begin(), item->tasks.end());
    return true;
  }

 private:
  void Add(Tasks members, bool whole_gang, JobIndex job) {
    Item item{std::move(members), whole_gang, job};
    item.gives.assign(dimensions_.size(), 0);
    item.like_last = !items_.empty() && Alike(items_.back(), item);
    const int64_t priority = choices_.context_.tables.jobs.spec[job].priority;
    for (TaskIndex t : item.tasks) {
      item.cost = item.cost + Cost{1, priority, choices_.LossOf(t), -tasks_.created[t]};
      if (ledger_.node_of(t) != node_) continue;
      for (size_t d = 0; d < dimensions_.size(); ++d) {
        item.gives[d] += ledger_.request(t)[dimensions_[d]];
      }
    }
    items_.push_back(std::move(item));
  }
  // Tasks of one class and job are equal to all rules, unless it matters which parts of the node
  // they hold.
  bool Alike(const Item& a, const Item& b) const {
    if (a.whole_gang || b.whole_gang || a.job != b.job) return false;
    const TaskIndex left = a.tasks[0], right = b.tasks[0];
    const ClassIndex c = tasks_.task_class[left];
    return c == tasks_.task_class[right] && tasks_.group[left] == tasks_.group[right] &&
           !choices_.context_.search.Picks(c);
  }

  static Tasks AllOf(const Set& set) {
    Tasks all;
    for (const Item* item : set) all.insert(all.end(), item->tasks.begin(), item->tasks.end());
    return all;
  }
  bool AllMayGo(const Set& set) const {
    const Tasks all = AllOf(set);
    return choices_.Unprotected(task_, all).size() == all.size();
  }
  bool FitsWithout(const Tasks& victims) {
    TrialEvictions trial(choices_.context_);
    trial.Evict(victims);
    return choices_.Fits(task_, node_);
  }
  // Returns whether no job has single tasks in a set beside its whole gang.
  bool GangsSpare(const Set& set) const {
    Tasks spared;
    for (const Item* item : set) {
      if (item->whole_gang) continue;
      if (!choices_.GangSpares(item->tasks[0], spared)) return false;
      spared.push_back(item->tasks[0]);
    }
    return true;
  }

  VictimChoices& choices_;
  Ledger& ledger_;
  const TaskTable& tasks_;
  const TaskIndex task_;
  const NodeIndex node_;
  const Price price_;
  absl::InlinedVector<DimensionIndex, 8> dimensions_;  // of which the node has too little
  absl::InlinedVector<int64_t, 8> lacking_;            // of each of them
  std::vector<Item> items_;
};

void VictimChoices::Cheapen(TaskIndex task) {
  size_t victims = 0;
  for (const Unit& unit : made_.units) victims += unit.size();
  if (victims < 2) return;
  Cheaper cheaper(*this, task, PriceOf(made_));
  int64_t any = std::numeric_limits<int64_t>::max();
  if (cheaper.Possible() && cheaper.ListItems()) cheaper.Find(&made_.units, &any);
}

bool VictimChoices::MakeOutOfOrder(TaskIndex task) {
  if (candidates_.empty() || looked_at_ >= kMostOutOfOrder) return false;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Cheaper any(*this, task, {kMost, kMost, kMost, kMost, made_.node});
  if (!any.ListItems() || !any.RoomForAll()) return false;
  int64_t left = kMostOutOfOrder - looked_at_;
  const bool found = any.Find(&made_.units, &left);
  looked_at_ = kMostOutOfOrder - left;
  return found;
}

}  // namespace muster
