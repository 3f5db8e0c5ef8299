// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Containers that leave for other applications of their queue: those of higher priority, or of
// users below their limit.
#include <algorithm>
#include <optional>
#include <utility>

#include "lib/peer/yarn/java_order.h"
#include "lib/peer/yarn/preempt/selection.h"

namespace muster::yarn {
namespace {

struct WantingUser {
  UserIndex user = kNone;
  Resource used, masters, limit;  // limit without masters
  Resource ideal, selected;
  bool is_quota_done = false;
  Resource used_without_masters() const { return used - masters; }
};

struct WantingApp {
  AppIndex app = kNone;
  size_t user = 0;  // in the list of users
  int32_t priority = 0;
  Resource used, master, pending, selected, ideal;
  Resource from_others;      // that it needs
  Resource to_be_preempted;  // that it could give
  Resource actual;           // that it gives
  Resource used_without_master() const { return used - master; }
};

struct Leaves {
  std::vector<WantingUser> users;
  std::vector<WantingApp> apps;  // the least important first
};

// One leaf in one partition.
class IntraQueue {
 public:
  IntraQueue(const IntraRules& rules, Selection* selection, QueueIndex leaf, Partition partition)
      : rules_(rules), s_(*selection), leaf_(leaf), p_(partition) {}

  Leaves Compute() {
    const QueueShare& share = s_.trees[p_].shares()[leaf_];
    Resource reassignable = share.used - share.obtain;
    const Queue& queue = s_.scheduler.queues()[leaf_];
    const Leaf& leaf = s_.scheduler.leaves()[leaf_];
    if (queue.capacity[p_].used < rules_.threshold) return {};
    for (const AppIndex a : leaf.active) reassignable -= MasterOf(s_.scheduler.apps()[a]);
    std::vector<AppIndex> all = leaf.pending;
    for (const AppIndex a : leaf.active) {
      if (std::ranges::find(all, a) == all.end()) all.push_back(a);
    }
    if (all.size() == 1) return {};
    for (const AppIndex a : s_.Arranged(std::move(all))) AddApp(a);
    SetIdeal(reassignable);
    Resource most = Multiply(share.guaranteed, static_cast<double>(rules_.limit));
    most = Greater(by(), cluster(), most, share.obtain) ? most - share.obtain : Resource{};
    SetToBePreempted(Min(by(), cluster(), most, s_.allowed));
    MatchDemand();
    return std::move(found_);
  }

 private:
  Calculator by() const { return s_.by(); }
  Resource cluster() const { return s_.scheduler.cluster(); }
  Resource MasterOf(const App& app) const {
    return app.master_partition == p_ ? app.master : Resource{};
  }

  void AddApp(AppIndex index) {
    const App& app = s_.scheduler.apps()[index];
    auto user = std::ranges::find(found_.users, app.user, &WantingUser::user);
    if (user == found_.users.end()) {
      const Leaf& leaf = s_.scheduler.leaves()[leaf_];
      const User* entry = leaf.users.Find(app.user);
      WantingUser made{.user = app.user};
      if (entry != nullptr) made.used = entry->used[p_];
      for (const AppIndex a : leaf.active) {
        const App& other = s_.scheduler.apps()[a];
        if (other.user == app.user) made.masters += MasterOf(other);
      }
      made.limit = s_.scheduler.UserLimit(leaf_, app.user, p_, false) - made.masters;
      found_.users.push_back(made);
      user = found_.users.end() - 1;
    }
    found_.apps.push_back({.app = index,
                           .user = static_cast<size_t>(user - found_.users.begin()),
                           .priority = app.priority,
                           .used = app.usage[p_].used,
                           .master = app.waits_for_master ? Resource{} : MasterOf(app),
                           .pending = app.usage[p_].pending});
  }

  // Returns below 0 if `a` is more important. In a fair leaf this is no order where three
  // applications are of two users that use the same.
  int CompareApps(const WantingApp& a, const WantingApp& b) const {
    const App& left = s_.scheduler.apps()[a.app];
    const App& right = s_.scheduler.apps()[b.app];
    const QueueSettings& settings = s_.scheduler.queues()[leaf_].settings;
    if (!settings.is_fair || !rules_.user_limit_first) {
      return IsFirstByPriority(left, right) ? -1 : 1;
    }
    if (a.user == b.user) return IsFirstByUse(left, right, settings.size_based_weight) ? -1 : 1;
    const Resource used = found_.users[a.user].used_without_masters();
    const Resource other = found_.users[b.user].used_without_masters();
    if (used == other) return left.id < right.id ? -1 : 1;
    return Less(by(), cluster(), used, other) ? -1 : 1;
  }

  void SetIdeal(Resource reassignable) {
    const auto compare = [&](size_t a, size_t b) {
      return CompareApps(found_.apps[a], found_.apps[b]);
    };
    JavaHeap<size_t> heap;
    for (size_t i = 0; i < found_.apps.size(); ++i) heap.Push(i, compare);
    std::vector<size_t> order;
    while (!heap.empty()) {
      order.push_back(heap.Pop(compare));
      WantingApp& app = found_.apps[order.back()];
      if (Compare(by(), cluster(), reassignable, {}) <= 0) continue;
      if (rules_.is_conservative && IsAnyZeroOrBelow(by(), reassignable)) continue;
      SetIdealOf(&app, &reassignable);
    }
    const auto reverse = [&](size_t a, size_t b) { return compare(order[b], order[a]); };
    std::vector<WantingApp> sorted;
    for (const size_t i : TreeOrder(order.size(), reverse)) {
      sorted.push_back(found_.apps[order[i]]);
    }
    found_.apps = std::move(sorted);
  }

  void SetIdealOf(WantingApp* app, Resource* reassignable) {
    WantingUser& user = found_.users[app->user];
    CountSelected(app, &user);
    const Resource wanted = app->used_without_master() + app->pending - app->selected;
    if (!Less(by(), cluster(), user.ideal, user.limit)) return;
    app->ideal =
        Min(by(), cluster(), *reassignable, Min(by(), cluster(), wanted, user.limit - user.ideal));
    user.ideal += app->ideal;
    const Resource kept = app->used_without_master() - app->selected;
    if (Greater(by(), cluster(), app->ideal, kept)) app->from_others = app->ideal - kept;
    *reassignable = SubtractToZero(*reassignable, app->ideal);
  }

  void CountSelected(WantingApp* app, WantingUser* user) {
    const App& own = s_.scheduler.apps()[app->app];
    for (const auto* list : {&own.live, &own.reserved}) {
      for (const ContainerIndex c : *list) {
        const Container& container = s_.scheduler.containers()[c];
        if (!s_.Has(c) || container.requested != p_) continue;
        app->selected += container.size;
        user->selected += container.size;
      }
    }
  }

  void SetToBePreempted(Resource limit) {
    for (WantingApp& app : found_.apps) {
      if (Compare(by(), cluster(), limit, {}) <= 0) continue;
      if (Compare(by(), cluster(), app.used, {}) <= 0) continue;
      Resource most = SubtractToZero(app.used - app.ideal, app.selected);
      most = SubtractToZero(most, app.master);
      if (rules_.user_limit_first) {
        most = SubtractToZero(most, s_.scheduler.settings().min_allocation);
      }
      app.to_be_preempted = Min(by(), cluster(), Max(by(), cluster(), most, Resource{}), limit);
      limit = SubtractToZero(limit, app.to_be_preempted);
    }
  }

  void MatchDemand() {
    for (size_t high = found_.apps.size(); high-- > 0;) {
      if (!Greater(by(), cluster(), found_.apps[high].from_others, {})) continue;
      for (WantingApp& low : found_.apps) Match(&found_.apps[high], &low);
    }
  }

  void Match(WantingApp* high, WantingApp* low) {
    if (!Greater(by(), cluster(), low->to_be_preempted, {})) return;
    const bool is_same_user = high->user == low->user;
    if (is_same_user && low->priority >= high->priority) return;
    if (Compare(by(), cluster(), low->to_be_preempted, low->actual) <= 0) return;
    if (high->from_others.IsZero()) return;
    WantingUser& user = found_.users[low->user];
    const bool is_over = Greater(by(), cluster(), user.used_without_masters(), user.limit);
    if (!is_same_user && !is_over && rules_.user_limit_first) return;
    Resource available = low->to_be_preempted - low->actual;
    if (!is_same_user && low->priority == high->priority && is_over) {
      Resource beyond = user.used_without_masters() - user.selected - user.limit;
      if (user.is_quota_done) beyond = {};
      if (Less(by(), cluster(), beyond, available)) {
        user.is_quota_done = true;
        available = beyond;
      }
    }
    if (!Greater(by(), cluster(), available, {})) return;
    const Resource taken = Min(by(), cluster(), high->from_others, available);
    high->from_others -= taken;
    low->actual += taken;
  }

  const IntraRules& rules_;
  Selection& s_;
  const QueueIndex leaf_;
  const Partition p_;
  Leaves found_;
};

// Takes containers off the applications of one leaf.
void TakeFromApps(const IntraRules& rules, const Leaves& found, QueueIndex leaf,
                  Partition partition, Selection* selection) {
  Selection& s = *selection;
  const Resource cluster = s.scheduler.cluster();
  Obtain obtain(s.trees.size());
  obtain[partition] = Resource{};
  for (const WantingApp& app : found.apps) *obtain[partition] += app.actual;
  std::vector<Resource> rolling;
  for (const WantingUser& user : found.users) {
    const User* entry = s.scheduler.leaves()[leaf].users.Find(user.user);
    rolling.push_back(entry == nullptr ? Resource{} : entry->used[partition]);
  }
  for (const WantingApp& app : found.apps) {
    if (app.actual.IsZero()) continue;
    const WantingUser& user = found.users[app.user];
    for (const ContainerIndex c : s.LiveOf(s.scheduler.apps()[app.app])) {
      if (IsNothing(obtain)) break;
      const Container& container = s.scheduler.containers()[c];
      if (s.Has(c) || container.is_master) continue;
      const Resource after = rolling[app.user] - container.size;
      if (rules.user_limit_first &&
          Compare(s.by(), cluster, after, user.limit + user.masters) <= 0) {
        break;
      }
      if (s.TryChoose(c, rules.is_conservative, &obtain) && rules.user_limit_first) {
        rolling[app.user] = after;
      }
    }
  }
}

}  // namespace

void SelectWithinQueues(const IntraRules& rules, Selection* selection) {
  struct Entry {
    QueueIndex leaf;
    Partition partition;
    Leaves found;
  };
  Selection& s = *selection;
  std::vector<Entry> entries;
  for (size_t p = 0; p < s.trees.size(); ++p) {
    for (const QueueIndex q : s.trees[p].under_served()) {
      if (!s.scheduler.queues()[q].is_leaf()) continue;
      const auto partition = static_cast<Partition>(p);
      entries.push_back({q, partition, IntraQueue(rules, selection, q, partition).Compute()});
    }
  }
  s.DeductChosen();
  // Every container chosen so far is taken off what each application of its queue gives.
  for (const ContainerIndex index : s.Chosen()) {
    const Container& c = s.scheduler.containers()[index];
    for (Entry& entry : entries) {
      if (entry.leaf != s.QueueOf(c) || entry.partition != s.PartitionOf(c)) continue;
      for (WantingApp& app : entry.found.apps) {
        if (Greater(s.by(), s.scheduler.total(entry.partition), app.actual, c.size)) {
          app.actual -= c.size;
        }
      }
    }
  }
  for (const Entry& entry : entries) {
    bool is_disabled = s.trees[entry.partition].shares()[entry.leaf].is_disabled;
    for (QueueIndex q = entry.leaf; q != kNone; q = s.scheduler.queues()[q].parent) {
      const std::optional<bool>& own = s.scheduler.queues()[q].settings.disable_intra_preemption;
      if (!own) continue;
      is_disabled |= *own;
      break;
    }
    if (is_disabled) continue;
    TakeFromApps(rules, entry.found, entry.leaf, entry.partition, selection);
  }
}

}  // namespace muster::yarn
