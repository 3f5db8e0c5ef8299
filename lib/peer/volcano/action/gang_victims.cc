// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/gang_victims.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace muster {
namespace {

constexpr double kPriceless = std::numeric_limits<double>::infinity();

std::vector<int64_t> Sum(const ActionContext& context, std::span<const TaskIndex> tasks) {
  std::vector<int64_t> sum(context.ledger.dimensions(), 0);
  for (TaskIndex t : tasks) {
    const auto request = context.ledger.request(t);
    for (DimensionIndex d = 0; d < sum.size(); ++d) sum[d] += request[d];
  }
  return sum;
}

// The number of tasks that each role may lose; kAnyNumber where it has no minimum, or where the
// minimums do not count because they add up to more than the job needs.
constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();

std::vector<int64_t> Surpluses(const ActionContext& context, JobIndex job) {
  const auto& groups = context.tables.jobs.groups[job];
  std::vector<int64_t> surpluses(groups.size(), kAnyNumber);
  int64_t total = 0;
  for (const GroupRow& group : groups) total += OrZero(group.min_available);
  if (context.tables.jobs.spec[job].min_available < total) return surpluses;
  for (GroupIndex g = 0; g < groups.size(); ++g) {
    const JobCounts& counts = context.ledger.group(job, g);
    const int64_t need = OrZero(groups[g].min_available);
    if (need > 0) surpluses[g] = counts.ready() + counts.pending_best_effort - need;
  }
  return surpluses;
}

// Which sub-groups are whole, and how many of each policy's may be broken.
class WholeSubGroups {
 public:
  WholeSubGroups(const ActionContext& context, JobIndex job)
      : context_(context), job_(job), spec_(context.tables.jobs.spec[job]) {
    counts_ = std::any_of(spec_.sub_group_policies.begin(), spec_.sub_group_policies.end(),
                          [](const SubGroupPolicy& p) { return p.min_sub_groups > 0; });
    if (!counts_) return;
    const size_t slots = spec_.sub_groups.size() + 1;
    std::vector<uint8_t> there(slots, 0);
    for (TaskIndex t : context.tables.jobs.tasks[job])
      there[SubGroup::SlotOf(context.tables.tasks.sub_group[t])] = 1;
    broken_.assign(slots, 1);
    for (size_t slot = 0; slot < slots; ++slot) {
      const SubGroup group = SubGroup::AtSlot(job, slot);
      const JobCounts& counts = context.ledger.sub_group(job, group.index);
      if (!there[slot] ||
          counts.ready() + counts.pending_best_effort < context.domains.Need(group)) {
        continue;
      }
      broken_[slot] = 0;
      ++to_spare_[context.domains.PolicyOf(group)];
    }
    for (const SubGroupPolicy& policy : spec_.sub_group_policies) {
      to_spare_[policy.name] -= policy.min_sub_groups;
    }
  }
  bool CanSpare(TaskIndex task) {
    return !counts_ || broken_[SlotOf(task)] || to_spare_[PolicyOf(task)] > 0;
  }
  void Spare(TaskIndex task) {
    if (!counts_ || broken_[SlotOf(task)]) return;
    broken_[SlotOf(task)] = 1;
    --to_spare_[PolicyOf(task)];
  }

 private:
  size_t SlotOf(TaskIndex task) const {
    return SubGroup::SlotOf(context_.tables.tasks.sub_group[task]);
  }
  std::string_view PolicyOf(TaskIndex task) const {
    return context_.domains.PolicyOf({job_, context_.tables.tasks.sub_group[task]});
  }

  const ActionContext& context_;
  const JobIndex job_;
  const JobSpec& spec_;
  bool counts_ = false;
  std::vector<uint8_t> broken_;  // by slot: tasks of no sub-group first
  HashMap<std::string_view, int64_t> to_spare_;
};

}  // namespace

void AddVictimSets(const ActionContext& context, JobIndex job, std::vector<TaskIndex> tasks,
                   std::vector<VictimSet>* sets) {
  const TaskTable& table = context.tables.tasks;
  std::sort(tasks.begin(), tasks.end(), [&](TaskIndex a, TaskIndex b) {
    return std::tuple(table.priority[a], table.uid_rank[a], a) <
           std::tuple(table.priority[b], table.uid_rank[b], b);
  });
  int64_t surplus = context.ledger.job(job).ready() - context.tables.jobs.spec[job].min_available;
  VictimSet spared{false, job, {}, kPriceless};
  if (surplus < 0) {
    spared.tasks = std::move(tasks);
    sets->push_back(std::move(spared));
    return;
  }
  VictimSet rest{true, job, {}, 0};
  std::vector<int64_t> surpluses = Surpluses(context, job);
  WholeSubGroups sub_groups(context, job);
  for (TaskIndex t : tasks) {
    int64_t& of_role = surpluses[table.group[t]];
    if (surplus > 0 && of_role > 0 && sub_groups.CanSpare(t)) {
      sub_groups.Spare(t);
      --surplus;
      if (of_role != kAnyNumber) --of_role;
      spared.tasks.push_back(t);
    } else {
      rest.tasks.push_back(t);
    }
  }
  if (!spared.tasks.empty()) sets->push_back(std::move(spared));
  if (!rest.tasks.empty()) sets->push_back(std::move(rest));
}

double WorthOf(const ActionContext& context, const VictimSet& set, std::span<const int64_t> need) {
  if (!set.whole) return kPriceless;
  const std::vector<int64_t> won = Sum(context, set.tasks);
  const std::vector<int64_t> lost = Sum(context, context.tables.jobs.tasks[set.job]);
  double gain = 0, price = 0;
  for (DimensionIndex d = 0; d < need.size(); ++d) {
    if (need[d] <= 0) continue;
    const double all = static_cast<double>(need[d]);
    gain += static_cast<double>(std::min(won[d], need[d])) / all;
    price += static_cast<double>(lost[d]) / all;
  }
  return price == 0 ? kPriceless : gain / price;
}

bool VictimRules::MayGo(TaskIndex task) const {
  const Tables& tables = context_.tables;
  const JobIndex job = tables.tasks.job[task];
  if (job == kNone || !(tables.tasks.flags[task] & kTaskPreemptable)) return false;
  if (!tables.jobs.spec[job].preemptable.value_or(true)) return false;
  const TaskStatus status = context_.ledger.status(task);
  return status == TaskStatus::kRunning || (status == TaskStatus::kBound && !from_other_queues_);
}

bool VictimRules::MayTakeFrom(JobIndex job, JobIndex other) const {
  const JobTable& jobs = context_.tables.jobs;
  const QueueIndex own = jobs.queue[job], queue = jobs.queue[other];
  if (from_other_queues_) return queue != own && context_.tables.queues.spec[queue].reclaimable;
  return queue == own && jobs.spec[other].priority < jobs.spec[job].priority;
}

bool VictimRules::JobBefore(JobIndex a, JobIndex b) const {
  if (!from_other_queues_) return !context_.dispatcher.JobBefore(a, b);
  const JobSpec &left = context_.tables.jobs.spec[a], &right = context_.tables.jobs.spec[b];
  return left.uid_rank != right.uid_rank ? left.uid_rank < right.uid_rank : a < b;
}

bool VictimRules::Before(JobIndex job, const VictimSet& a, const VictimSet& b) const {
  if (a.whole != b.whole) return b.whole;
  if (from_other_queues_ && a.job != b.job) {
    const auto& queue_of = context_.tables.jobs.queue;
    const QueueIndex left = queue_of[a.job], right = queue_of[b.job];
    if (left != right) {
      return context_.dispatcher.VictimQueueBefore(left, right, queue_of[job]);
    }
    if (a.worth != b.worth) return a.worth > b.worth;
  }
  return a.job != b.job && JobBefore(a.job, b.job);
}

bool VictimRules::ComparesKeys() const {
  // Orders along a tree of queues are not among them: equal branches make them intransitive.
  const auto known = [&](Point point, std::span<const std::string_view> names) {
    return std::ranges::all_of(context_.dispatcher.at(point), [&](const PolicyEntry* entry) {
      return std::ranges::find(names, entry->policy->name()) != names.end();
    });
  };
  constexpr std::array<std::string_view, 4> kJobKeys = {"priority", "gang", "drf", "sla"};
  constexpr std::array<std::string_view, 1> kQueueKeys = {"proportion"};
  if (!from_other_queues_) return known(Point::kJobOrder, kJobKeys);
  return known(Point::kQueueOrder, kQueueKeys) && known(Point::kVictimQueueOrder, {});
}

}  // namespace muster
