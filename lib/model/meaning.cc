// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/meaning.h"

#include "lib/model/checker.h"
#include "lib/model/spec_amounts.h"
#include "lib/model/tables.h"
#include "muster/quantity.h"

namespace muster {
namespace {

void AddWindows(const std::vector<UsageWindow>& windows, Key& key) {
  key.Add(static_cast<int64_t>(windows.size()));
  for (const UsageWindow& window : windows) {
    key.Add(window.seconds);
    for (const Resources* amounts :
         {&window.average, &window.p50, &window.p90, &window.p95, &window.p99}) {
      AddMeant(*amounts, key);
    }
  }
}

void AddGroups(const std::vector<ResourceGroup>& groups, Key& key) {
  key.Add(static_cast<int64_t>(groups.size()));
  for (const ResourceGroup& group : groups) {
    key.Add(group.resources);
    key.Add(static_cast<int64_t>(group.flavors.size()));
    for (const FlavorQuota& quota : group.flavors) {
      key.Add(quota.flavor);
      AddMeant(quota.nominal, key);
      AddMeant(quota.borrow_limit, key);
      AddMeant(quota.lend_limit, key);
    }
  }
}

void AddPreemption(const PreemptionRules& rules, Key& key) {
  for (const VictimScope scope : {rules.within_queue, rules.reclaim, rules.while_borrowing}) {
    key.Add(static_cast<int64_t>(scope));
  }
  key.Add(int64_t{rules.while_borrowing_most.has_value()});
  key.Add(int64_t{rules.while_borrowing_most.value_or(0)});
  key.Add(rules.preempt_min_runtime);
  key.Add(rules.reclaim_min_runtime);
  key.Add(static_cast<int64_t>(rules.fence));
  key.Add(rules.delay);
  key.Add(rules.quota_delay);
}

}  // namespace

void AddMeant(const Quantity& number, Key& key) {
  key.Add(ParseQuantity(number.text, Unit::kMilli).value_or(0));
}

void AddMeant(const Resources& resources, Key& key) {
  Amounts amounts;
  for (const auto& [name, quantity] : resources) {
    amounts.push_back({name, ValidAmount(name, quantity)});
  }
  key.AddSorted(amounts);
}

void AddMeant(const std::vector<Taint>& taints, Key& key) {
  key.Add(static_cast<int64_t>(taints.size()));
  for (const Taint& taint : taints) key.Add(taint);
}

void AddMeant(const QueueRules& rules, Key& key) {
  AddGroups(rules.groups, key);
  AddMeant(rules.fair_weight, key);
  AddMeant(rules.over_quota_weight, key);
  key.Add(static_cast<int64_t>(rules.strategy));
  key.Add(static_cast<int64_t>(rules.stop));
  key.Add(static_cast<int64_t>(rules.flavor_search.when_borrowing));
  key.Add(static_cast<int64_t>(rules.flavor_search.when_preempting));
  key.Add(static_cast<int64_t>(rules.flavor_search.preference));
  AddPreemption(rules.preemption, key);
  key.Add(rules.namespaces);
  key.Add(static_cast<int64_t>(rules.checks.size()));
  for (const AdmissionCheck& check : rules.checks) {
    key.Add(check.name);
    key.Add(check.flavors);
  }
  key.Add(int64_t{rules.by_usage});
  key.Add(static_cast<int64_t>(rules.partitions.size()));
  for (const PartitionShare& share : rules.partitions) {
    key.Add(share.partition);
    AddMeant(share.capacity, key);
    AddMeant(share.max_capacity, key);
    AddMeant(share.weight, key);
    AddMeant(share.guaranteed, key);
    AddMeant(share.limit, key);
  }
  AddMeant(rules.spending, key);
}

// As spelled: prices and limits have more decimals than thousandths.
void AddMeant(const SpendingRules& rules, Key& key) {
  Labels prices;
  for (const auto& [name, price] : rules.prices) prices.emplace_back(name, price.text);
  key.AddSorted(prices);
  key.Add(rules.hourly_limit);
  key.Add(rules.limit);
  key.Add(rules.period);
}

void AddMeant(const UserRules& rules, Key& key) {
  key.Add(static_cast<int64_t>(rules.limits.size()));
  for (const UserLimit& limit : rules.limits) {
    key.Add(limit.name);
    key.Add(int64_t{limit.group});
    AddMeant(limit.limit, key);
    key.Add(limit.max_jobs);
    AddMeant(limit.weight, key);
  }
  AddMeant(rules.least_percent, key);
  AddMeant(rules.factor, key);
}

void AddMeant(const UsageHistory& history, Key& key) {
  key.Add(history.as_of);
  key.Add(history.half_life);
  key.Add(static_cast<int64_t>(history.entries.size()));
  for (const UsageEntry& entry : history.entries) {
    key.Add(entry.user);
    AddMeant(entry.amounts, key);
    AddMeant(entry.penalty, key);
    key.Add(entry.priority);  // as spelled: it may have more decimals than thousandths
    key.Add(entry.factor);
  }
  key.Add(history.spent);
}

void AddMeant(const UsageDetail& detail, Key& key) {
  AddMeant(detail.amounts, key);
  AddMeant(detail.system, key);
  key.Add(detail.interval);
  AddWindows(detail.windows, key);
}

void AddMeant(const TaskUsage& usage, Key& key) {
  AddMeant(usage.amounts, key);
  key.Add(usage.measured);
  AddWindows(usage.windows, key);
}

void AddMeant(const Lifetime& lifetime, Key& key) {
  key.Add(lifetime.max_runtime);
  key.Add(lifetime.expected_end);
  key.Add(lifetime.checkpointed);
  key.Add(lifetime.restart_cost);
}

void AddMeant(const PodGroupTraits& traits, Key& key) { key.Add(int64_t{traits.evicted_whole}); }

void AddMeant(const ByCount& tasks, Key& key) {
  key.Add(tasks.count);
  key.Add(tasks.min_count);
  key.Add(tasks.parallelism);
  for (const int64_t part : {tasks.admitted, tasks.running, tasks.succeeded, tasks.failed}) {
    key.Add(part);
  }
}

void AddMeant(const JobOwner& owner, Key& key) {
  key.Add(owner.user);
  key.Add(owner.groups);
}

void AddMeant(const JobAdmission& admission, Key& key) {
  key.Add(admission.queue);
  key.Add(admission.time);
  key.Add(static_cast<int64_t>(admission.groups.size()));
  for (const GroupAdmission& group : admission.groups) {
    key.Add(group.group);
    key.Add(group.count);
    key.AddSorted(group.flavors);
    key.Add(static_cast<int64_t>(group.places.size()));
    for (const AssignedPlace& place : group.places) {
      key.Add(place.values);
      key.Add(place.count);
    }
  }
}

void AddMeant(const TopologyLevels& levels, Key& key) {
  key.Add(levels.topology);
  key.Add(levels.required);
  key.Add(levels.preferred);
}

void AddMeant(const SubGroupPlace& place, Key& key) {
  key.Add(place.parent);
  key.Add(place.min_sub_groups);
  AddMeant(place.levels, key);
}

void AddMeant(const GangRules& gang, Key& key) {
  AddMeant(gang.levels, key);
  for (const std::optional<int64_t>& number :
       {gang.min_sub_groups, gang.started, gang.evicted, gang.stale_since, gang.staleness_grace,
        gang.preemption_delay}) {
    key.Add(number);
  }
  key.Add(int64_t{gang.elastic.has_value()});
  if (!gang.elastic) return;
  key.Add(gang.elastic->least);
  key.Add(gang.elastic->most);
}

}  // namespace muster
