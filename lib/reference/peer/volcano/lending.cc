// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes that are for some: groups of nodes for queues (nodegroup), and nodes on loan to batch tasks
// for hours of the day (tdm). Everything is read from labels and specs when it is asked for.
#include <algorithm>
#include <set>

#include "lib/reference/peer/volcano/volcano.h"
#include "muster/quantity.h"

namespace muster::reference {

namespace {

std::optional<std::string> Label(const Cycle& cycle, NodeIndex node, std::string_view name) {
  for (const auto& [key, value] : cycle.tables().nodes.spec[node].labels) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<std::string> GroupOf(const Cycle& cycle, NodeIndex node) {
  return Label(cycle, node, "volcano.sh/nodegroup-name");
}

using NameSet = std::set<std::string>;
NameSet SetOf(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

NodeGroupWish WishFor(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task) {
  const QueueTable& queues = cycle.tables().queues;
  QueueIndex q = cycle.world.queue_of(task);
  while (q != kNone && !queues.spec[q].node_groups) {
    q = SwitchOption(policy.options, "hierarchy", false) ? queues.parent[q] : kNone;
  }
  return q == kNone ? NodeGroupWish() : *queues.spec[q].node_groups;
}

// What tasks of the queue hold in the group, by the books of jobs: places in sight count.
Row HeldInGroup(const Cycle& cycle, QueueIndex queue, const std::string& group) {
  Row held(cycle.world.dimensions(), 0);
  for (TaskIndex t = 0; t < cycle.tables().tasks.alive.size(); ++t) {
    if (!cycle.tables().tasks.alive[t] || cycle.tables().tasks.job[t] == kNone) continue;
    const TaskStatus status = cycle.world.status[t];
    if (!IsAllocated(status) && status != TaskStatus::kNominated) continue;
    if (cycle.world.queue_of(t) != queue || GroupOf(cycle, cycle.world.node[t]) != group) continue;
    AddTo(held, cycle.world.request(t), 1);
  }
  return held;
}

bool BeyondLimit(const Cycle& cycle, TaskIndex task, const std::string& group) {
  const QueueIndex queue = cycle.world.queue_of(task);
  for (const NodeGroupLimit& limit : cycle.tables().queues.spec[queue].node_group_limits) {
    if (limit.group != group) continue;
    Row held = HeldInGroup(cycle, queue, group);
    AddTo(held, cycle.world.request(task), 1);
    for (const auto& [name, quantity] : limit.limit) {
      const auto d = cycle.tables().dimensions.Find(name);
      if (!d) continue;
      const Unit unit = IsMilliDimension(name) ? Unit::kMilli : Unit::kWhole;
      if (held[*d] > ParseQuantity(quantity.text, unit).value()) return true;
    }
  }
  return false;
}

// The zone's window in minutes of the day; nullopt: it has none.
std::optional<std::pair<int64_t, int64_t>> WindowOf(const ReferencePolicy& policy,
                                                    const std::string& zone) {
  const auto from = policy.options.find("from." + zone), to = policy.options.find("to." + zone);
  if (from == policy.options.end() || to == policy.options.end()) return std::nullopt;
  return std::pair(static_cast<int64_t>(NumberOption(policy, "from." + zone, 0)),
                   static_cast<int64_t>(NumberOption(policy, "to." + zone, 0)));
}

// The window of today, from its beginning to its end.
bool IsOpen(const Cycle& cycle, const ReferencePolicy& policy, const std::string& zone) {
  const auto window = WindowOf(policy, zone);
  if (!window) return false;
  int64_t midnight = cycle.now - cycle.now % 86400;
  if (midnight > cycle.now) midnight -= 86400;
  const int64_t start = midnight + window->first * 60;
  int64_t end = midnight + window->second * 60;
  if (window->second <= window->first) end += 86400;
  return start <= cycle.now && cycle.now <= end;
}

std::string ZoneOf(const Cycle& cycle, NodeIndex node) {
  return Label(cycle, node, "volcano.sh/revocable-zone").value_or("");
}

int64_t Share(const std::string& text, int64_t all) {
  if (text.back() != '%') return std::stoll(text);
  const int64_t hundredths = std::stoll(text.substr(0, text.size() - 1)) * all;
  return hundredths / 100 + (hundredths % 100 > 0);
}

Refusal Refuse(RefusalCode code, const char* words) { return {.code = code, .detail = words}; }

std::optional<Refusal> NodeGroupRefusal(const Cycle& cycle, const ReferencePolicy& policy,
                                        TaskIndex task, NodeIndex node) {
  const NodeGroupWish wish = WishFor(cycle, policy, task);
  const bool unset = wish == NodeGroupWish();
  const auto group = GroupOf(cycle, node);
  if (!group) {
    if (unset && !SwitchOption(policy.options, "strict", true)) return std::nullopt;
    return Refuse(RefusalCode::kNodeAffinity, "(node has no group)");
  }
  if (unset) return Refuse(RefusalCode::kNodeAffinity, "(queue wants no group)");
  bool allowed = SetOf(wish.required).count(*group) + SetOf(wish.preferred).count(*group) > 0;
  if (SetOf(wish.anti_required).count(*group) > 0) allowed = false;
  if (SetOf(wish.anti_preferred).count(*group) > 0) allowed = true;
  if (!allowed) return Refuse(RefusalCode::kNodeAffinity, "(queue wants other groups)");
  if (BeyondLimit(cycle, task, *group)) return Refuse(RefusalCode::kPolicy, "");
  return std::nullopt;
}

double NodeGroupScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                      NodeIndex node) {
  const NodeGroupWish wish = WishFor(cycle, policy, task);
  const auto group = GroupOf(cycle, node);
  if (!group) return 0;
  double score = 0;
  if (SetOf(wish.required).count(*group) > 0) score += 100;
  const NameSet preferred = SetOf(wish.preferred);
  if (preferred.count(*group) > 0) {
    if (SwitchOption(policy.options, "preferred_order", false)) {
      int64_t last = 0;
      for (size_t i = 0; i < wish.preferred.size(); ++i) {
        if (wish.preferred[i] == *group) last = static_cast<int64_t>(i);
      }
      const auto n = static_cast<int64_t>(preferred.size());
      score += 0.5 * 100 * static_cast<double>(n - last) / static_cast<double>(n);
    } else {
      score += 50;
    }
  }
  if (SetOf(wish.anti_preferred).count(*group) > 0) score = -1;
  return score;
}

bool IsOnLoan(const Cycle& cycle, NodeIndex node) { return !ZoneOf(cycle, node).empty(); }

std::optional<Refusal> LendingRefusal(const Cycle& cycle, const ReferencePolicy& policy,
                                      TaskIndex task, NodeIndex node) {
  if (!IsOnLoan(cycle, node)) return std::nullopt;
  if (!IsOpen(cycle, policy, ZoneOf(cycle, node))) {
    return Refuse(RefusalCode::kNodeAffinity, "(not lent at this hour)");
  }
  if (cycle.world.shape(task).revocable) return std::nullopt;
  return Refuse(RefusalCode::kNodeAffinity, "(lent to revocable tasks)");
}

double LendingScore(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                    NodeIndex node) {
  const bool lent = IsOnLoan(cycle, node) && IsOpen(cycle, policy, ZoneOf(cycle, node));
  return lent && cycle.world.shape(task).revocable ? 100 : 0;
}

int64_t Dispensable(const Cycle& cycle, JobIndex job) {
  const JobSpec& spec = cycle.tables().jobs.spec[job];
  int64_t all = 0, running = 0, finished = 0;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    const TaskStatus status = cycle.world.status[t];
    ++all;
    running += status == TaskStatus::kRunning;
    finished += status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
  }
  if (!spec.min_running.empty()) {
    const int64_t beyond = running - Share(spec.min_running, all);
    if (beyond >= 0) return beyond;
  } else if (!spec.max_unavailable.empty()) {
    const int64_t down = all - finished - running;
    return std::max<int64_t>(0, Share(spec.max_unavailable, all) - down);
  }
  return 1;
}

// Batch tasks on nodes that are not on loan, a few of each job.
TaskList AskLending(const Cycle& cycle, const ReferencePolicy&, TaskIndex preemptor,
                    const TaskList& candidates) {
  const TaskTable& tasks = cycle.tables().tasks;
  const auto batch = [&](TaskIndex t) { return (tasks.flags[t] & kTaskPreemptable) != 0; };
  if (batch(preemptor) || cycle.world.shape(preemptor).revocable) return {};
  TaskList victims;
  std::map<JobIndex, int64_t> taken;
  for (TaskIndex t : candidates) {
    if (tasks.job[t] == kNone || !batch(t) || IsOnLoan(cycle, cycle.world.node[t])) continue;
    if (cycle.world.status[t] != TaskStatus::kRunning) continue;
    if (taken[tasks.job[t]] >= Dispensable(cycle, tasks.job[t])) continue;
    ++taken[tasks.job[t]];
    victims.push_back(t);
  }
  return victims;
}

int CompareByLoan(const Cycle& cycle, const ReferencePolicy&, JobIndex l, JobIndex r) {
  const auto lent = [&](JobIndex j) {
    return cycle.tables().jobs.spec[j].preemptable.value_or(false);
  };
  return lent(l) == lent(r) ? 0 : lent(r) ? -1 : 1;
}

std::optional<bool> WaitsWithMinimum(const Cycle& cycle, const ReferencePolicy&, JobIndex job) {
  const int64_t served = CountReady(cycle.world, job) + CountWaiting(cycle.world, job);
  return served >= cycle.tables().jobs.spec[job].min_available;
}

bool StarvesUnlessBatch(const Cycle& cycle, const ReferencePolicy&, JobIndex job) {
  if (cycle.tables().jobs.spec[job].preemptable.value_or(false)) return false;
  for (TaskIndex t : cycle.world.tasks_of(job)) {
    if (cycle.world.status[t] == TaskStatus::kPending) return true;
  }
  return false;
}

}  // namespace

PolicyTwins LendingPolicies() {
  PolicyTwin groups;
  groups.name = "nodegroup";
  groups.refuse = NodeGroupRefusal;
  groups.score = NodeGroupScore;
  PolicyTwin lending;
  lending.name = "tdm";
  lending.job_order = CompareByLoan;
  lending.pipelined = WaitsWithMinimum;
  lending.starving = StarvesUnlessBatch;
  lending.preemptable = AskLending;
  lending.refuse = LendingRefusal;
  lending.score = LendingScore;
  return {groups, lending};
}

std::vector<TaskIndex> OverstayingTasks(const Cycle& cycle, const ReferencePolicy& policy,
                                        const std::vector<TaskIndex>& running) {
  std::set<std::string> zones;
  for (const auto& [key, minute] : policy.options) {
    if (const size_t dot = key.find('.'); dot != std::string::npos)
      zones.insert(key.substr(dot + 1));
  }
  std::vector<TaskIndex> victims;
  for (const std::string& zone : zones) {
    if (IsOpen(cycle, policy, zone)) continue;
    std::map<JobIndex, std::vector<TaskIndex>> of_job;
    for (TaskIndex t : running) {
      const bool batch = (cycle.tables().tasks.flags[t] & kTaskPreemptable) != 0;
      if (!batch || ZoneOf(cycle, cycle.world.node[t]) != zone) continue;
      of_job[cycle.tables().tasks.job[t]].push_back(t);
    }
    for (const auto& [job, tasks] : of_job) {
      const int64_t most = Dispensable(cycle, job);
      for (size_t i = 0; i < tasks.size() && static_cast<int64_t>(i) < most; ++i) {
        victims.push_back(tasks[i]);
      }
    }
  }
  return victims;
}

}  // namespace muster::reference
