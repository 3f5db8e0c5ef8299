// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The lists of JSON keys, as in members.h, of what only some rows have. Include members.h.
#ifndef MUSTER_SCENARIO_RULE_MEMBERS_H_
#define MUSTER_SCENARIO_RULE_MEMBERS_H_

#include <tuple>

#include "lib/scenario/member.h"
#include "muster/spec.h"

namespace muster {

template <Is<TopologyLevels> S>
auto Members(S& s) {
  auto& [topology, required, preferred] = s;
  return std::tuple(RequiredKey("topology", topology), Key("required", required),
                    Key("preferred", preferred));
}

template <Is<SubGroupPlace> S>
auto Members(S& s) {
  auto& [parent, min_sub_groups, levels] = s;
  return std::tuple(Key("parent", parent), Key("min_sub_groups", min_sub_groups),
                    Key("levels", levels));
}

template <Is<ElasticSize> S>
auto Members(S& s) {
  auto& [least, most] = s;
  return std::tuple(Key("least", least), Key("most", most));
}

template <Is<GangRules> S>
auto Members(S& s) {
  auto& [min_sub_groups, levels, started, evicted, stale_since, staleness_grace, preemption_delay,
         elastic] = s;
  return std::tuple(Key("min_sub_groups", min_sub_groups), Key("levels", levels),
                    Key("started", started), Key("evicted", evicted),
                    Key("stale_since", stale_since), Key("staleness_grace", staleness_grace),
                    Key("preemption_delay", preemption_delay), Key("elastic", elastic));
}

template <Is<FlavorTopology> S>
auto Members(S& s) {
  auto& [name, levels] = s;
  return std::tuple(RequiredKey("name", name), Key("levels", levels));
}

template <Is<FlavorSpec> S>
auto Members(S& s) {
  auto& [name, node_labels, taints, tolerations, topology] = s;
  return std::tuple(RequiredKey("name", name), Key("node_labels", node_labels),
                    Key("taints", taints), Key("tolerations", tolerations),
                    Key("topology", topology));
}

template <Is<FlavorQuota> S>
auto Members(S& s) {
  auto& [flavor, nominal, borrow_limit, lend_limit] = s;
  return std::tuple(RequiredKey("flavor", flavor), Key("nominal", nominal),
                    Key("borrow_limit", borrow_limit), Key("lend_limit", lend_limit));
}

template <Is<ResourceGroup> S>
auto Members(S& s) {
  auto& [resources, flavors] = s;
  return std::tuple(Key("resources", resources), Key("flavors", flavors));
}

template <Is<FlavorRules> S>
auto Members(S& s) {
  auto& [when_borrowing, when_preempting, preference] = s;
  return std::tuple(Key("when_borrowing", when_borrowing), Key("when_preempting", when_preempting),
                    Key("preference", preference));
}

template <Is<PreemptionRules> S>
auto Members(S& s) {
  auto& [within_queue, reclaim, while_borrowing, while_borrowing_most, preempt_min_runtime,
         reclaim_min_runtime, fence, delay, quota_delay] = s;
  return std::tuple(Key("within_queue", within_queue), Key("reclaim", reclaim),
                    Key("while_borrowing", while_borrowing),
                    Key("while_borrowing_most", while_borrowing_most),
                    Key("preempt_min_runtime", preempt_min_runtime),
                    Key("reclaim_min_runtime", reclaim_min_runtime), Key("fence", fence),
                    Key("delay", delay), Key("quota_delay", quota_delay));
}

template <Is<AdmissionCheck> S>
auto Members(S& s) {
  auto& [name, flavors] = s;
  return std::tuple(RequiredKey("name", name), Key("flavors", flavors));
}

template <Is<PartitionShare> S>
auto Members(S& s) {
  auto& [partition, capacity, max_capacity, weight, guaranteed, limit] = s;
  return std::tuple(Key("partition", partition), Key("capacity", capacity),
                    Key("max_capacity", max_capacity), Key("weight", weight),
                    Key("guaranteed", guaranteed), Key("limit", limit));
}

template <Is<SpendingRules> S>
auto Members(S& s) {
  auto& [prices, hourly_limit, limit, period] = s;
  return std::tuple(Key("prices", prices), Key("hourly_limit", hourly_limit), Key("limit", limit),
                    Key("period", period));
}

template <Is<QueueRules> S>
auto Members(S& s) {
  auto& [groups, fair_weight, over_quota_weight, strategy, stop, flavor_search, preemption,
         namespaces, checks, by_usage, partitions, spending] = s;
  return std::tuple(Key("groups", groups), Key("fair_weight", fair_weight),
                    Key("over_quota_weight", over_quota_weight), Key("strategy", strategy),
                    Key("stop", stop), Key("flavor_search", flavor_search),
                    Key("preemption", preemption), Key("namespaces", namespaces),
                    Key("checks", checks), Key("by_usage", by_usage), Key("partitions", partitions),
                    Key("spending", spending));
}

template <Is<PartitionSpec> S>
auto Members(S& s) {
  auto& [name, nodes, selector, queues, exclusive, borrows] = s;
  return std::tuple(RequiredKey("name", name), Key("nodes", nodes), Key("selector", selector),
                    Key("queues", queues), Key("exclusive", exclusive), Key("borrows", borrows));
}

template <Is<UsageWindow> S>
auto Members(S& s) {
  auto& [seconds, average, p50, p90, p95, p99] = s;
  return std::tuple(RequiredKey("seconds", seconds), Key("average", average), Key("p50", p50),
                    Key("p90", p90), Key("p95", p95), Key("p99", p99));
}

template <Is<UsageDetail> S>
auto Members(S& s) {
  auto& [amounts, system, interval, windows] = s;
  return std::tuple(Key("amounts", amounts), Key("system", system), Key("interval", interval),
                    Key("windows", windows));
}

template <Is<NodeUsage> S>
auto Members(S& s) {
  auto& [cpu, memory, measured, detail] = s;
  return std::tuple(Key("cpu", cpu), Key("memory", memory), Key("measured", measured),
                    Key("detail", detail));
}

template <Is<TaskUsage> S>
auto Members(S& s) {
  auto& [amounts, measured, windows] = s;
  return std::tuple(Key("amounts", amounts), Key("measured", measured), Key("windows", windows));
}

template <Is<UsageEntry> S>
auto Members(S& s) {
  auto& [user, amounts, penalty, priority, factor] = s;
  return std::tuple(Key("user", user), Key("amounts", amounts), Key("penalty", penalty),
                    Key("priority", priority), Key("factor", factor));
}

template <Is<UsageHistory> S>
auto Members(S& s) {
  auto& [as_of, half_life, entries, spent] = s;
  return std::tuple(Key("as_of", as_of), Key("half_life", half_life), Key("entries", entries),
                    Key("spent", spent));
}

template <Is<ReservationOwner> S>
auto Members(S& s) {
  auto& [task, job, name_space, selector] = s;
  return std::tuple(Key("task", task), Key("job", job), Key("namespace", name_space),
                    Key("selector", selector));
}

template <Is<ReservationSpec> S>
auto Members(S& s) {
  auto& [name, node, phase, shape, owners, allocate_once, policy, restricted, expires, allocated,
         holders, taints, unschedulable, order, priority, created] = s;
  return std::tuple(RequiredKey("name", name), Key("node", node), Key("phase", phase),
                    Key("shape", shape), Key("owners", owners), Key("allocate_once", allocate_once),
                    Key("policy", policy), Key("restricted", restricted), Key("expires", expires),
                    Key("allocated", allocated), Key("holders", holders), Key("taints", taints),
                    Key("unschedulable", unschedulable), Key("order", order),
                    Key("priority", priority), Key("created", created));
}

template <Is<Lifetime> S>
auto Members(S& s) {
  auto& [max_runtime, expected_end, checkpointed, restart_cost] = s;
  return std::tuple(Key("max_runtime", max_runtime), Key("expected_end", expected_end),
                    Key("checkpointed", checkpointed), Key("restart_cost", restart_cost));
}

template <Is<PodGroupTraits> S>
auto Members(S& s) {
  auto& [evicted_whole] = s;
  return std::tuple(Key("evicted_whole", evicted_whole));
}

template <Is<ByCount> S>
auto Members(S& s) {
  auto& [count, min_count, parallelism, admitted, running, succeeded, failed] = s;
  return std::tuple(RequiredKey("count", count), Key("min_count", min_count),
                    Key("parallelism", parallelism), Key("admitted", admitted),
                    Key("running", running), Key("succeeded", succeeded), Key("failed", failed));
}

template <Is<AssignedPlace> S>
auto Members(S& s) {
  auto& [values, count] = s;
  return std::tuple(RequiredKey("values", values), RequiredKey("count", count));
}

template <Is<GroupAdmission> S>
auto Members(S& s) {
  auto& [group, count, flavors, places] = s;
  return std::tuple(Key("group", group), Key("count", count), Key("flavors", flavors),
                    Key("places", places));
}

template <Is<JobAdmission> S>
auto Members(S& s) {
  auto& [queue, time, groups] = s;
  return std::tuple(Key("queue", queue), Key("time", time), Key("groups", groups));
}

template <Is<JobOwner> S>
auto Members(S& s) {
  auto& [user, groups] = s;
  return std::tuple(RequiredKey("user", user), Key("groups", groups));
}

template <Is<UserLimit> S>
auto Members(S& s) {
  auto& [name, group, limit, max_jobs, weight] = s;
  return std::tuple(RequiredKey("name", name), Key("group", group), Key("limit", limit),
                    Key("max_jobs", max_jobs), Key("weight", weight));
}

template <Is<UserRules> S>
auto Members(S& s) {
  auto& [limits, least_percent, factor] = s;
  return std::tuple(Key("limits", limits), Key("least_percent", least_percent),
                    Key("factor", factor));
}

}  // namespace muster

#endif  // MUSTER_SCENARIO_RULE_MEMBERS_H_
