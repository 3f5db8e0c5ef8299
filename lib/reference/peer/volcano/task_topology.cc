// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// task-topology: the tasks of a job are dealt into buckets by the job's wishes. Every question
// deals them once more from the tables, and then follows every placement of the cycle, undone or
// not.
#include <algorithm>
#include <limits>

#include "lib/reference/peer/volcano/volcano.h"

namespace muster::reference {

namespace {

using Names = std::vector<std::string>;

struct Bucket {
  std::set<TaskIndex> waiting;
  Row request;
  double weight = 0;
  std::map<NodeIndex, int64_t> bound;
  std::map<std::string, int64_t> groups;  // how many tasks of each
};

struct Dealt {
  std::vector<Bucket> buckets;
  std::map<TaskIndex, size_t> bucket_of;
  std::map<NodeIndex, std::map<std::string, int64_t>> placed;
  int64_t largest = 0;
};

const std::string& GroupName(const Cycle& cycle, TaskIndex task) {
  const TaskTable& tasks = cycle.tables().tasks;
  return cycle.tables().jobs.groups[tasks.job[task]][tasks.group[task]].name;
}

const GroupTopology& WishesOf(const Cycle& cycle, JobIndex job) {
  return *cycle.tables().jobs.spec[job].group_topology;
}

bool Contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether one of the lists relates the two: a list of one name a group to itself, a longer one
// every pair of different names.
bool Related(const std::vector<Names>& lists, const std::string& a, const std::string& b) {
  for (const Names& list : lists) {
    if (a == b ? list == Names{a} : list.size() > 1 && Contains(list, a) && Contains(list, b)) {
      return true;
    }
  }
  return false;
}

int Importance(const GroupTopology& wishes, const std::string& group) {
  const auto named = [&](const std::vector<Names>& lists, bool alone) {
    return !group.empty() && std::any_of(lists.begin(), lists.end(), [&](const Names& list) {
      return (list.size() == 1) == alone && Contains(list, group);
    });
  };
  if (named(wishes.apart, true)) return 4;
  if (named(wishes.together, false)) return 3;
  if (named(wishes.together, true)) return 2;
  return named(wishes.apart, false) ? 1 : 0;
}

int64_t OrderOf(const GroupTopology& wishes, const std::string& group) {
  const auto at = std::find(wishes.order.begin(), wishes.order.end(), group);
  return at == wishes.order.end() ? std::numeric_limits<int64_t>::max() : at - wishes.order.begin();
}

// Below 0: tasks of the group `a` first.
int CompareGroups(const GroupTopology& wishes, const std::string& a, const std::string& b) {
  if (a == b) return 0;
  if (OrderOf(wishes, a) != OrderOf(wishes, b))
    return OrderOf(wishes, a) < OrderOf(wishes, b) ? -1 : 1;
  return Importance(wishes, b) - Importance(wishes, a);
}

bool IsListSound(const Cycle& cycle, JobIndex job, const Names& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    if (std::count(names.begin(), names.end(), names[i]) > 1) return false;
    bool there = false;
    for (TaskIndex t : cycle.world.tasks_of(job)) there = there || GroupName(cycle, t) == names[i];
    if (!there) return false;
  }
  return true;
}

bool HasBuckets(const Cycle& cycle, JobIndex job) {
  if (job == kNone || !cycle.tables().jobs.spec[job].group_topology) return false;
  const GroupTopology& wishes = WishesOf(cycle, job);
  std::vector<Names> lists = wishes.together;
  lists.insert(lists.end(), wishes.apart.begin(), wishes.apart.end());
  lists.push_back(wishes.order);
  for (const Names& list : lists) {
    if (!IsListSound(cycle, job, list)) return false;
  }
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (cycle.tables().tasks.status[t] == TaskStatus::kPending) return true;
  }
  return false;
}

int64_t Affinity(const GroupTopology& wishes, const std::string& group,
                 const std::map<std::string, int64_t>& others, bool foes_only) {
  int64_t sum = 0;
  for (const auto& [other, count] : others) {
    if (!foes_only && Related(wishes.together, group, other)) sum += count;
    if (Related(wishes.apart, group, other)) sum -= count;
  }
  return sum;
}

// One core, one GiB (nearly) and one unit of anything else weigh the same; a task itself weighs 1.
double Weight(const Cycle& cycle, TaskIndex task) {
  const auto request = cycle.world.request(task);
  double weight = static_cast<double>(OrZero(request[kCpu])) +
                  static_cast<double>(OrZero(request[kMemory])) / 1048576;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (d == kCpu || d == kMemory) continue;
    const bool whole = d != kPods && !IsMilliDimension(cycle.tables().dimensions.name(d));
    weight += static_cast<double>(OrZero(request[d])) * (whole ? 1000 : 1);
  }
  return weight;
}

void Add(const Cycle& cycle, Bucket& bucket, TaskIndex task, int sign) {
  AddTo(bucket.request, cycle.world.request(task), sign);
  bucket.weight += sign * Weight(cycle, task);
}

std::vector<TaskIndex> InDealingOrder(const Cycle& cycle, JobIndex job) {
  const Tables& tables = cycle.tables();
  const GroupTopology& wishes = WishesOf(cycle, job);
  std::vector<TaskIndex> tasks;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = tables.tasks.status[t];
    const bool ended = status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
    if (!ended && Importance(wishes, GroupName(cycle, t)) > 0) tasks.push_back(t);
  }
  std::stable_sort(tasks.begin(), tasks.end(), [&](TaskIndex l, TaskIndex r) {
    const NodeIndex left = tables.tasks.node[l], right = tables.tasks.node[r];
    if (left != kNone && right != kNone)
      return tables.nodes.names.name(left) < tables.nodes.names.name(right);
    if (left != kNone || right != kNone) return left != kNone;
    const int order = CompareGroups(wishes, GroupName(cycle, l), GroupName(cycle, r));
    return order != 0 ? order < 0 : tables.tasks.names.name(l) < tables.tasks.names.name(r);
  });
  return tasks;
}

Dealt Deal(const Cycle& cycle, JobIndex job) {
  const GroupTopology& wishes = WishesOf(cycle, job);
  Dealt dealt;
  std::map<NodeIndex, size_t> of_node;
  for (TaskIndex t : InDealingOrder(cycle, job)) {
    const NodeIndex node = cycle.tables().tasks.node[t];
    const std::string& group = GroupName(cycle, t);
    std::optional<size_t> chosen;
    if (node != kNone) {
      if (of_node.count(node) > 0) chosen = of_node[node];
    } else {
      std::optional<int64_t> best;
      for (size_t b = 0; b < dealt.buckets.size(); ++b) {
        const Bucket& bucket = dealt.buckets[b];
        const int64_t affinity = Affinity(wishes, group, bucket.groups, /*foes_only=*/false);
        if (best && affinity < *best) continue;
        if (best && affinity == *best && bucket.weight >= dealt.buckets[*chosen].weight) continue;
        best = affinity;
        chosen = b;
      }
      if (best && *best < 0) chosen.reset();
    }
    if (!chosen) {
      chosen = dealt.buckets.size();
      dealt.buckets.emplace_back().request.assign(cycle.world.dimensions(), 0);
      if (node != kNone) of_node[node] = *chosen;
    }
    Bucket& bucket = dealt.buckets[*chosen];
    dealt.bucket_of[t] = *chosen;
    ++bucket.groups[group];
    if (node != kNone) {
      ++bucket.bound[node];
    } else {
      bucket.waiting.insert(t);
      Add(cycle, bucket, t, 1);
    }
    int64_t size = static_cast<int64_t>(bucket.waiting.size());
    for (const auto& [on, count] : bucket.bound) size += count;
    dealt.largest = std::max(dealt.largest, size);
  }
  for (const auto& [task, node] : cycle.world.placements) {
    if (cycle.tables().tasks.job[task] != job) continue;
    if (!GroupName(cycle, task).empty()) ++dealt.placed[node][GroupName(cycle, task)];
    const auto bucket = dealt.bucket_of.find(task);
    if (bucket == dealt.bucket_of.end()) continue;
    Bucket& left = dealt.buckets[bucket->second];
    ++left.bound[node];
    left.waiting.erase(task);
    Add(cycle, left, task, -1);
  }
  return dealt;
}

int CompareByBuckets(const Cycle& cycle, const ReferencePolicy&, TaskIndex l, TaskIndex r) {
  const JobIndex job = cycle.tables().tasks.job[l], other = cycle.tables().tasks.job[r];
  if (!HasBuckets(cycle, job) || !HasBuckets(cycle, other)) return 0;
  const Dealt left = Deal(cycle, job), right = Deal(cycle, other);
  const auto of_l = left.bucket_of.find(l), of_r = right.bucket_of.find(r);
  const bool has_l = of_l != left.bucket_of.end(), has_r = of_r != right.bucket_of.end();
  if (has_l != has_r) return has_l ? -1 : 1;
  if (job != other || !has_l) return 0;
  const auto waiting = [&](size_t b) { return static_cast<int>(left.buckets[b].waiting.size()); };
  if (waiting(of_l->second) != waiting(of_r->second))
    return waiting(of_r->second) - waiting(of_l->second);
  if (of_l->second != of_r->second) return of_l->second < of_r->second ? -1 : 1;
  return CompareGroups(WishesOf(cycle, job), GroupName(cycle, l), GroupName(cycle, r));
}

double BucketScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                   NodeIndex node) {
  const World& world = cycle.world;
  const JobIndex job = cycle.tables().tasks.job[task];
  Row most = world.idle[node];
  AddTo(most, world.releasing[node], 1);
  const auto counts = [&](DimensionIndex d) { return d != kPods || world.counts_pods[node]; };
  for (DimensionIndex d = 0; d < most.size(); ++d) {
    if (counts(d) && most[d] < OrZero(world.request(task)[d])) return 0;
  }
  if (!HasBuckets(cycle, job)) return 0;
  const Dealt dealt = Deal(cycle, job);
  const auto index = dealt.bucket_of.find(task);
  if (index == dealt.bucket_of.end()) return 0;
  const Bucket& bucket = dealt.buckets[index->second];

  int64_t score = static_cast<int64_t>(bucket.waiting.size());
  if (const auto there = bucket.bound.find(node); there != bucket.bound.end())
    score += there->second;
  if (const auto placed = dealt.placed.find(node); placed != dealt.placed.end()) {
    score += Affinity(WishesOf(cycle, job), GroupName(cycle, task), placed->second,
                      /*foes_only=*/true);
  }
  Row rest = bucket.request;
  const auto too_much = [&] {
    for (DimensionIndex d = 0; d < rest.size(); ++d) {
      const bool asked = d == kCpu || d == kMemory || rest[d] > 0;
      if (asked && counts(d) && rest[d] > most[d]) return true;
    }
    return false;
  };
  auto next = bucket.waiting.begin();
  while (too_much() && next != bucket.waiting.end()) {
    const TaskIndex out = *next++;
    if (out == task) continue;
    AddTo(rest, world.request(out), -1);
    --score;
  }
  const double weighted = static_cast<double>(score) * NumberOption(policy, "weight", 1);
  return dealt.largest == 0 ? weighted : weighted * 100 / static_cast<double>(dealt.largest);
}

}  // namespace

PolicyTwin TaskTopologyPolicy() {
  PolicyTwin twin;
  twin.name = "task-topology";
  twin.task_order = CompareByBuckets;
  twin.score = BucketScore;
  return twin;
}

}  // namespace muster::reference
