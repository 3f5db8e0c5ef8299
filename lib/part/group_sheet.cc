// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/part/group_sheet.h"

#include <algorithm>
#include <utility>

#include "lib/base/go_sort.h"

namespace muster {

GroupSheet MakeGroupSheet(const ActionContext& context, JobIndex job,
                          const std::vector<TaskIndex>& tasks) {
  const Tables& tables = context.tables;
  const Dispatcher& dispatcher = context.dispatcher;
  const Domains& domains = context.domains;
  const JobSpec& spec = tables.jobs.spec[job];
  const size_t slots = spec.sub_groups.size() + 1;
  std::vector<uint8_t> there(slots, 0);
  for (TaskIndex t : tables.jobs.tasks[job]) there[SubGroup::SlotOf(tables.tasks.sub_group[t])] = 1;
  std::vector<SubGroup> waiting;
  HashMap<std::string_view, int64_t> ready;  // by the policy that counts them
  for (size_t slot = 0; slot < slots; ++slot) {
    if (!there[slot]) continue;
    const SubGroup group = SubGroup::AtSlot(job, slot);
    if (dispatcher.SubGroupReady(group)) {
      ++ready[domains.PolicyOf(group)];
    } else {
      waiting.push_back(group);
    }
  }
  GoSort(waiting,
         [&](const SubGroup& a, const SubGroup& b) { return dispatcher.SubGroupBefore(a, b); });
  auto needed = std::make_shared<std::vector<uint8_t>>(slots, 0);
  for (const SubGroup& group : waiting) {
    const std::string_view name = domains.PolicyOf(group);
    const auto policy = std::find_if(spec.sub_group_policies.begin(), spec.sub_group_policies.end(),
                                     [&](const SubGroupPolicy& p) { return p.name == name; });
    if (policy == spec.sub_group_policies.end() || ready[name] >= policy->min_sub_groups) continue;
    (*needed)[group.slot()] = 1;
    ++ready[name];
  }
  std::vector<std::vector<TaskIndex>> pending(slots);
  for (TaskIndex t : tasks) pending[SubGroup::SlotOf(tables.tasks.sub_group[t])].push_back(t);
  GroupSheet sheet{
      GoHeap<SubGroup, GroupSheet::Before>(GroupSheet::Before{&dispatcher, std::move(needed)}), {}};
  for (size_t slot = 0; slot < slots; ++slot) {
    if (!pending[slot].empty()) sheet.groups.Push(SubGroup::AtSlot(job, slot));
    // Each is ordered by itself: where tasks do not compare transitively, its order is no part of
    // that of the whole job.
    std::sort(pending[slot].begin(), pending[slot].end());
    sheet.tasks.emplace_back(dispatcher, context.InTaskOrder(std::move(pending[slot])));
  }
  return sheet;
}

bool HasHardWish(const ActionContext& context, JobIndex job) {
  if (context.domains.WishOf(job).hard) return true;
  const size_t sub_groups = context.tables.jobs.spec[job].sub_groups.size();
  for (SubGroupIndex s = 0; s < sub_groups; ++s) {
    if (context.domains.WishOf(SubGroup{job, s}).hard) return true;
  }
  return false;
}

}  // namespace muster
