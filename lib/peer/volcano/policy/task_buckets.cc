// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/policy/task_buckets.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>

namespace muster {
namespace {

// What is said of a group decides its rank: the larger, the earlier its tasks are dealt.
enum Rank { kApart = 1, kSelfTogether = 2, kTogether = 3, kSelfApart = 4 };

const std::vector<GroupRow>& GroupsOf(const Tables& tables, JobIndex job) {
  return tables.jobs.groups[job];
}

std::optional<GroupIndex> FindGroup(const Tables& tables, JobIndex job, const std::string& name) {
  const auto& groups = GroupsOf(tables, job);
  for (GroupIndex g = 0; g < groups.size(); ++g) {
    if (!name.empty() && groups[g].name == name) return g;
  }
  return std::nullopt;
}

bool HasEnded(TaskStatus status) {
  return status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
}

}  // namespace

bool WishesHold(const Tables& tables, JobIndex job) {
  const GroupTopology& wishes = *tables.jobs.spec[job].group_topology;
  std::set<std::string> there;
  for (TaskIndex t : tables.jobs.tasks[job]) {
    there.insert(GroupsOf(tables, job)[tables.tasks.group[t]].name);
  }
  const auto holds = [&](const std::vector<std::string>& names) {
    std::set<std::string> seen;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.empty() || (there.count(name) > 0 && seen.insert(name).second);
    });
  };
  return std::all_of(wishes.together.begin(), wishes.together.end(), holds) &&
         std::all_of(wishes.apart.begin(), wishes.apart.end(), holds) && holds(wishes.order);
}

TaskBuckets::TaskBuckets(const Tables& tables, const Ledger& ledger, JobIndex job)
    : tables_(tables), ledger_(ledger), job_(job) {
  ReadWishes();
  std::vector<TaskIndex> tasks;
  for (TaskIndex t : tables_.jobs.tasks[job_]) {
    if (wishes_.rank[tables_.tasks.group[t]] > 0 && !HasEnded(ledger_.status(t))) {
      tasks.push_back(t);
    }
  }
  Deal(std::move(tasks));
}

void TaskBuckets::ReadWishes() {
  const GroupTopology& said = *tables_.jobs.spec[job_].group_topology;
  const size_t groups = GroupsOf(tables_, job_).size();
  wishes_.with.assign(groups * groups, 0);
  wishes_.against.assign(groups * groups, 0);
  wishes_.rank.assign(groups, 0);
  wishes_.order.assign(groups, 0);
  const auto read = [&](const std::vector<std::vector<std::string>>& lists, int self, int others,
                        std::vector<uint8_t>* relation) {
    for (const auto& list : lists) {
      for (size_t i = 0; i < list.size(); ++i) {
        const auto group = FindGroup(tables_, job_, list[i]);
        if (!group) continue;
        int& rank = wishes_.rank[*group];
        rank = std::max(rank, list.size() == 1 ? self : others);
        if (list.size() == 1) (*relation)[*group * groups + *group] = 1;
        for (size_t k = 0; k < i; ++k) {
          const auto other = FindGroup(tables_, job_, list[k]);
          if (!other) continue;
          (*relation)[*group * groups + *other] = (*relation)[*other * groups + *group] = 1;
        }
      }
    }
  };
  read(said.together, kSelfTogether, kTogether, &wishes_.with);
  read(said.apart, kSelfApart, kApart, &wishes_.against);
  for (size_t i = 0; i < said.order.size(); ++i) {
    if (const auto group = FindGroup(tables_, job_, said.order[i])) {
      wishes_.order[*group] = static_cast<int64_t>(said.order.size() - i);
    }
  }
}

// Below 0: tasks of `a` first.
int TaskBuckets::CompareGroups(GroupIndex a, GroupIndex b) const {
  if (wishes_.order[a] != wishes_.order[b]) return wishes_.order[a] > wishes_.order[b] ? -1 : 1;
  if (wishes_.rank[a] != wishes_.rank[b]) return wishes_.rank[a] > wishes_.rank[b] ? -1 : 1;
  return 0;
}

int64_t TaskBuckets::Friends(GroupIndex group, const Census& census, bool count_friends) const {
  const size_t groups = wishes_.rank.size();
  int64_t sum = 0;
  for (const auto& [other, count] : census) {
    if (count_friends && wishes_.with[group * groups + other]) sum += count;
    if (wishes_.against[group * groups + other]) sum -= count;
  }
  return sum;
}

uint32_t TaskBuckets::BestFor(GroupIndex group) const {
  uint32_t best = kNone;
  int64_t most = 0;
  for (uint32_t i = 0; i < buckets_.size(); ++i) {
    const int64_t friends = Friends(group, buckets_[i].groups, /*count_friends=*/true);
    if (best == kNone || friends > most ||
        (friends == most && buckets_[i].size < buckets_[best].size)) {
      best = i;
      most = friends;
    }
  }
  return most < 0 ? kNone : best;
}

void TaskBuckets::Deal(std::vector<TaskIndex> tasks) {
  const TaskTable& table = tables_.tasks;
  const auto node_name = [&](TaskIndex t) {
    return ledger_.node_of(t) == kNone ? std::string_view()
                                       : tables_.nodes.names.name(ledger_.node_of(t));
  };
  std::sort(tasks.begin(), tasks.end(), [&](TaskIndex a, TaskIndex b) {
    const bool bound = ledger_.node_of(a) != kNone;
    if (bound != (ledger_.node_of(b) != kNone)) return bound;
    if (bound) return node_name(a) != node_name(b) ? node_name(a) < node_name(b) : a < b;
    if (const int order = CompareGroups(table.group[a], table.group[b])) return order < 0;
    return table.names.name(a) < table.names.name(b);
  });
  std::map<NodeIndex, uint32_t> of_node;
  for (TaskIndex t : tasks) {
    const NodeIndex node = ledger_.node_of(t);
    uint32_t chosen = kNone;
    if (node == kNone) {
      chosen = BestFor(table.group[t]);
    } else if (const auto known = of_node.find(node); known != of_node.end()) {
      chosen = known->second;
    }
    if (chosen == kNone) {
      chosen = static_cast<uint32_t>(buckets_.size());
      buckets_.emplace_back().request.assign(ledger_.dimensions(), 0);
      if (node != kNone) of_node[node] = chosen;
    }
    Bucket& bucket = buckets_[chosen];
    bucket_of_[t] = chosen;
    ++bucket.groups[table.group[t]];
    if (node != kNone) {
      ++bucket.on_node[node];
      ++bucket.placed;
    } else {
      bucket.waiting.insert(std::lower_bound(bucket.waiting.begin(), bucket.waiting.end(), t), t);
      Charge(bucket, t, +1);
    }
    largest_ = std::max(largest_, static_cast<int64_t>(bucket.waiting.size()) + bucket.placed);
  }
}

void TaskBuckets::Charge(Bucket& bucket, TaskIndex task, int sign) {
  const auto request = ledger_.request(task);
  double size = static_cast<double>(OrZero(request[kCpu])) +
                static_cast<double>(OrZero(request[kMemory])) / 1024 / 1024;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    const int64_t amount = OrZero(request[d]);
    bucket.request[d] += sign * amount;
    if (d == kCpu || d == kMemory) continue;
    const bool thousandths = d != kPods && !IsMilliDimension(tables_.dimensions.name(d));
    size += static_cast<double>(amount) * (thousandths ? 1000 : 1);
  }
  bucket.size += sign * size;
}

uint32_t TaskBuckets::bucket(TaskIndex task) const {
  const auto it = bucket_of_.find(task);
  return it == bucket_of_.end() ? kNone : it->second;
}

int TaskBuckets::Compare(TaskIndex a, TaskIndex b) const {
  const uint32_t left = bucket(a), right = bucket(b);
  const size_t here = buckets_[left].waiting.size(), there = buckets_[right].waiting.size();
  if (here != there) return here > there ? -1 : 1;
  if (left == right) return CompareGroups(tables_.tasks.group[a], tables_.tasks.group[b]);
  return left < right ? -1 : 1;
}

int64_t TaskBuckets::Score(TaskIndex task, NodeIndex node) const {
  const auto idle = ledger_.node(node, kIdle), releasing = ledger_.node(node, kReleasing);
  const auto request = ledger_.request(task);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (idle[d] + releasing[d] < OrZero(request[d])) return 0;
  }
  const uint32_t index = bucket(task);
  if (index == kNone) return 0;
  const Bucket& bucket = buckets_[index];
  const auto there = bucket.on_node.find(node);
  int64_t score = there == bucket.on_node.end() ? 0 : there->second;
  if (const auto placed = placed_on_.find(node); placed != placed_on_.end()) {
    score += Friends(tables_.tasks.group[task], placed->second, /*count_friends=*/false);
  }
  score += static_cast<int64_t>(bucket.waiting.size());
  std::vector<int64_t> rest = bucket.request;
  const auto fits = [&] {
    for (DimensionIndex d = 0; d < rest.size(); ++d) {
      if (d > kMemory && rest[d] <= 0) continue;
      if (rest[d] > idle[d] + releasing[d]) return false;
    }
    return true;
  };
  if (fits()) return score;
  for (TaskIndex t : bucket.waiting) {
    if (t == task) continue;
    const auto less = ledger_.request(t);
    for (DimensionIndex d = 0; d < rest.size(); ++d) rest[d] -= OrZero(less[d]);
    --score;
    if (fits()) break;
  }
  return score;
}

void TaskBuckets::Placed(TaskIndex task, NodeIndex node) {
  const GroupIndex group = tables_.tasks.group[task];
  if (!GroupsOf(tables_, job_)[group].name.empty()) ++placed_on_[node][group];
  const uint32_t index = bucket(task);
  if (index == kNone) return;
  Bucket& bucket = buckets_[index];
  ++bucket.on_node[node];
  ++bucket.placed;
  std::erase(bucket.waiting, task);
  Charge(bucket, task, -1);
}

}  // namespace muster
