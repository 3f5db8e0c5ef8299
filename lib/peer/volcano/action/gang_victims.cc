// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/gang_victims.h"

#include <algorithm>
#include <limits>
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

double Worth(const ActionContext& context, JobIndex job, std::span<const TaskIndex> tasks,
             std::span<const int64_t> need) {
  const std::vector<int64_t> won = Sum(context, tasks);
  const std::vector<int64_t> lost = Sum(context, context.tables.jobs.tasks[job]);
  double gain = 0, price = 0;
  for (DimensionIndex d = 0; d < need.size(); ++d) {
    if (need[d] <= 0) continue;
    const double all = static_cast<double>(need[d]);
    gain += static_cast<double>(std::min(won[d], need[d])) / all;
    price += static_cast<double>(lost[d]) / all;
  }
  return price == 0 ? kPriceless : gain / price;
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
                   std::span<const int64_t> need, std::vector<VictimSet>* sets) {
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
  if (rest.tasks.empty()) return;
  rest.worth = Worth(context, job, rest.tasks, need);
  sets->push_back(std::move(rest));
}

}  // namespace muster
