// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The one list of JSON keys: for each struct of a scenario, its members in order with the key each
// has.
//
//   std::apply([](const auto&... m) { (Use(m.key, m.value), ...); }, Members(node));
//
// The reader, the writer and the test of the JSON Schema all use these lists. A structured binding
// must name every member of a struct, so a member added to spec.h stops the build here until it has
// a key.
#ifndef MUSTER_SCENARIO_MEMBERS_H_
#define MUSTER_SCENARIO_MEMBERS_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "lib/scenario/member.h"
#include "lib/scenario/question.h"
#include "lib/scenario/rule_members.h"
#include "lib/scenario/scenario.h"
#include "muster/event.h"
#include "muster/memory.h"
#include "muster/spec.h"
#include "muster/what_if.h"

namespace muster {

// A Turn: one of these is set, or none for a whole cycle.
struct TurnRow {
  std::optional<int64_t> decisions;
  std::optional<std::vector<std::string>> heartbeats;
  std::optional<bool> event;
  friend bool operator==(const TurnRow&, const TurnRow&) = default;
};

// The part of ScheduleOptions that a scenario holds.
struct ScenarioOptions {
  int64_t now = 0;
  uint64_t seed = 0;
  std::optional<int64_t> work_budget;
  TurnRow turn;
};

template <Is<Taint> S>
auto Members(S& s) {
  auto& [key, value, effect] = s;
  return std::tuple(Key("key", key), Key("value", value), Key("effect", effect));
}

template <Is<Toleration> S>
auto Members(S& s) {
  auto& [key, op, value, effect] = s;
  return std::tuple(Key("key", key), Key("op", op), Key("value", value), Key("effect", effect));
}

template <Is<Requirement> S>
auto Members(S& s) {
  auto& [key, op, values] = s;
  return std::tuple(Key("key", key), Key("op", op), Key("values", values));
}

template <Is<Selector> S>
auto Members(S& s) {
  auto& [match_labels, match_expressions] = s;
  return std::tuple(Key("match_labels", match_labels), Key("match_expressions", match_expressions));
}

template <Is<NodeTerm> S>
auto Members(S& s) {
  auto& [match_expressions, match_fields] = s;
  return std::tuple(Key("match_expressions", match_expressions), Key("match_fields", match_fields));
}

template <Is<PreferredNodeTerm> S>
auto Members(S& s) {
  auto& [weight, term] = s;
  return std::tuple(Key("weight", weight), Key("term", term));
}

template <Is<AffinityTerm> S>
auto Members(S& s) {
  auto& [topology_key, selector, namespaces, namespace_selector] = s;
  return std::tuple(Key("topology_key", topology_key), Key("selector", selector),
                    Key("namespaces", namespaces), Key("namespace_selector", namespace_selector));
}

template <Is<PreferredAffinityTerm> S>
auto Members(S& s) {
  auto& [weight, term] = s;
  return std::tuple(Key("weight", weight), Key("term", term));
}

template <Is<SpreadConstraint> S>
auto Members(S& s) {
  auto& [topology_key, max_skew, required, selector, min_domains, honor_node_affinity,
         honor_taints] = s;
  return std::tuple(
      Key("topology_key", topology_key), Key("max_skew", max_skew), Key("required", required),
      Key("selector", selector), Key("min_domains", min_domains),
      Key("honor_node_affinity", honor_node_affinity), Key("honor_taints", honor_taints));
}

template <Is<HostPort> S>
auto Members(S& s) {
  auto& [ip, protocol, port] = s;
  return std::tuple(Key("ip", ip), Key("protocol", protocol), Key("port", port));
}

template <Is<ContainerSpec> S>
auto Members(S& s) {
  auto& [request, init, sidecar, image] = s;
  return std::tuple(Key("request", request), Key("init", init), Key("sidecar", sidecar),
                    Key("image", image));
}

template <Is<DeviceRequest> S>
auto Members(S& s) {
  auto& [kind, count, milli, memory, models, exclusive, same] = s;
  return std::tuple(RequiredKey("kind", kind), Key("count", count), Key("milli", milli),
                    Key("memory", memory), Key("models", models), Key("exclusive", exclusive),
                    Key("same", same));
}

template <Is<DeviceHold> S>
auto Members(S& s) {
  auto& [device, milli, memory] = s;
  return std::tuple(RequiredKey("device", device), Key("milli", milli), Key("memory", memory));
}

template <Is<PodTraits> S>
auto Members(S& s) {
  auto& [overhead, whole_request, added_affinity, default_spread] = s;
  return std::tuple(Key("overhead", overhead), Key("whole_request", whole_request),
                    Key("added_affinity", added_affinity), Key("default_spread", default_spread));
}

template <Is<TaskShape> S>
auto Members(S& s) {
  auto& [request, initial_request, containers, name_space, labels, node_selector,
         required_node_affinity, preferred_node_affinity, required_affinity, required_anti_affinity,
         preferred_affinity, preferred_anti_affinity, tolerations, spread, host_ports, revocable,
         guaranteed_qos, devices, alignment, pod] = s;
  return std::tuple(
      Key("request", request), Key("initial_request", initial_request),
      Key("containers", containers), Key("namespace", name_space), Key("labels", labels),
      Key("node_selector", node_selector), Key("required_node_affinity", required_node_affinity),
      Key("preferred_node_affinity", preferred_node_affinity),
      Key("required_affinity", required_affinity),
      Key("required_anti_affinity", required_anti_affinity),
      Key("preferred_affinity", preferred_affinity),
      Key("preferred_anti_affinity", preferred_anti_affinity), Key("tolerations", tolerations),
      Key("spread", spread), Key("host_ports", host_ports), Key("revocable", revocable),
      Key("guaranteed_qos", guaranteed_qos), Key("devices", devices), Key("alignment", alignment),
      Key("pod", pod));
}

template <Is<TaskSpec> S>
auto Members(S& s) {
  auto& [name, job, group, sub_group, shape, status, node, nominated_node, priority, preemptable,
         never_preempts, priority_class, gates, created, ordinal, uid_rank, started,
         protected_until, devices, usage, lifetime, waits_until, waiting_group, uid] = s;
  return std::tuple(RequiredKey("name", name), Key("job", job), Key("group", group),
                    Key("sub_group", sub_group), Key("shape", shape), Key("status", status),
                    Key("node", node), Key("nominated_node", nominated_node),
                    Key("priority", priority), Key("preemptable", preemptable),
                    Key("never_preempts", never_preempts), Key("priority_class", priority_class),
                    Key("gates", gates), Key("created", created), Key("ordinal", ordinal),
                    Key("uid_rank", uid_rank), Key("started", started),
                    Key("protected_until", protected_until), Key("devices", devices),
                    Key("usage", usage), Key("lifetime", lifetime), Key("waits_until", waits_until),
                    Key("waiting_group", waiting_group), Key("uid", uid));
}

template <Is<GroupSpec> S>
auto Members(S& s) {
  auto& [name, count, min_available, shape, priority, by_count] = s;
  return std::tuple(Key("name", name), Key("count", count), Key("min_available", min_available),
                    Key("shape", shape), Key("priority", priority), Key("by_count", by_count));
}

template <Is<TopologyWish> S>
auto Members(S& s) {
  auto& [hard, highest_tier, highest_tier_name] = s;
  return std::tuple(Key("hard", hard), Key("highest_tier", highest_tier),
                    Key("highest_tier_name", highest_tier_name));
}

template <Is<SubGroupSpec> S>
auto Members(S& s) {
  auto& [name, policy, min_available, order, topology, place] = s;
  return std::tuple(Key("name", name), Key("policy", policy), Key("min_available", min_available),
                    Key("order", order), Key("topology", topology), Key("place", place));
}

template <Is<SubGroupPolicy> S>
auto Members(S& s) {
  auto& [name, min_sub_groups] = s;
  return std::tuple(Key("name", name), Key("min_sub_groups", min_sub_groups));
}

template <Is<GroupTopology> S>
auto Members(S& s) {
  auto& [together, apart, order] = s;
  return std::tuple(Key("together", together), Key("apart", apart), Key("order", order));
}

template <Is<JobSpec> S>
auto Members(S& s) {
  auto& [name, queue, priority, min_available, groups, sub_groups, sub_group_policies,
         min_resources, phase, preemptable, topology, created, uid_rank, estimate, deadline,
         waiting_time, group_topology, max_unavailable, min_running, bundle_strategy, owner,
         lifetime, admission, pod_group, gang, settings] = s;
  return std::tuple(RequiredKey("name", name), Key("queue", queue), Key("priority", priority),
                    Key("min_available", min_available), Key("groups", groups),
                    Key("sub_groups", sub_groups), Key("sub_group_policies", sub_group_policies),
                    Key("min_resources", min_resources), Key("phase", phase),
                    Key("preemptable", preemptable), Key("topology", topology),
                    Key("created", created), Key("uid_rank", uid_rank), Key("estimate", estimate),
                    Key("deadline", deadline), Key("waiting_time", waiting_time),
                    Key("group_topology", group_topology), Key("max_unavailable", max_unavailable),
                    Key("min_running", min_running), Key("bundle_strategy", bundle_strategy),
                    Key("owner", owner), Key("lifetime", lifetime), Key("admission", admission),
                    Key("pod_group", pod_group), Key("gang", gang), Key("settings", settings));
}

template <Is<ZoneSpec> S>
auto Members(S& s) {
  auto& [name, capacity, available, distances] = s;
  return std::tuple(Key("name", name), Key("capacity", capacity), Key("available", available),
                    Key("distances", distances));
}

template <Is<DeviceSpec> S>
auto Members(S& s) {
  auto& [name, kind, model, zone, links, memory, milli, healthy] = s;
  return std::tuple(Key("name", name), Key("kind", kind), Key("model", model), Key("zone", zone),
                    Key("links", links), Key("memory", memory), Key("milli", milli),
                    Key("healthy", healthy));
}

template <Is<ImageSpec> S>
auto Members(S& s) {
  auto& [names, size] = s;
  return std::tuple(Key("names", names), Key("size", size));
}

// A row may also have "count", which is no member: it stands for that many nodes.
template <Is<NodeSpec> S>
auto Members(S& s) {
  auto& [name, capacity, allocatable, labels, taints, unschedulable, ready, network_unavailable,
         memory_pressure, disk_pressure, pid_pressure, zones, devices, images, domain, usage, shard,
         alignment, alignment_scope, zones_measured, settings] = s;
  return std::tuple(
      RequiredKey("name", name), Key("capacity", capacity), Key("allocatable", allocatable),
      Key("labels", labels), Key("taints", taints), Key("unschedulable", unschedulable),
      Key("ready", ready), Key("network_unavailable", network_unavailable),
      Key("memory_pressure", memory_pressure), Key("disk_pressure", disk_pressure),
      Key("pid_pressure", pid_pressure), Key("zones", zones), Key("devices", devices),
      Key("images", images), Key("domain", domain), Key("usage", usage), Key("shard", shard),
      Key("alignment", alignment), Key("alignment_scope", alignment_scope),
      Key("zones_measured", zones_measured), Key("settings", settings));
}

template <Is<DomainSpec> S>
auto Members(S& s) {
  auto& [name, parent, tier, tier_name] = s;
  return std::tuple(RequiredKey("name", name), Key("parent", parent), Key("tier", tier),
                    Key("tier_name", tier_name));
}

template <Is<PathStep> S>
auto Members(S& s) {
  auto& [name, weight] = s;
  return std::tuple(Key("name", name), Key("weight", weight));
}

template <Is<NodeGroupWish> S>
auto Members(S& s) {
  auto& [required, preferred, anti_required, anti_preferred] = s;
  return std::tuple(Key("required", required), Key("preferred", preferred),
                    Key("anti_required", anti_required), Key("anti_preferred", anti_preferred));
}

template <Is<NodeGroupLimit> S>
auto Members(S& s) {
  auto& [group, limit] = s;
  return std::tuple(Key("group", group), Key("limit", limit));
}

template <Is<QueueSpec> S>
auto Members(S& s) {
  auto& [name, parent, weight, priority, state, guaranteed, deserved, limit, borrow_limit,
         lend_limit, reclaimable, job_order, created, uid_rank, share_path, node_groups,
         node_group_limits, rules, users, history, settings] = s;
  return std::tuple(
      RequiredKey("name", name), Key("parent", parent), Key("weight", weight),
      Key("priority", priority), Key("state", state), Key("guaranteed", guaranteed),
      Key("deserved", deserved), Key("limit", limit), Key("borrow_limit", borrow_limit),
      Key("lend_limit", lend_limit), Key("reclaimable", reclaimable), Key("job_order", job_order),
      Key("created", created), Key("uid_rank", uid_rank), Key("share_path", share_path),
      Key("node_groups", node_groups), Key("node_group_limits", node_group_limits),
      Key("rules", rules), Key("users", users), Key("history", history), Key("settings", settings));
}

template <Is<DisruptionBudgetSpec> S>
auto Members(S& s) {
  auto& [name, name_space, selector, allowed, disrupted] = s;
  return std::tuple(RequiredKey("name", name), Key("namespace", name_space),
                    Key("selector", selector), Key("allowed", allowed),
                    Key("disrupted", disrupted));
}

template <Is<QuotaSpec> S>
auto Members(S& s) {
  auto& [name, hard, used] = s;
  return std::tuple(Key("name", name), Key("hard", hard), Key("used", used));
}

template <Is<QueueBindingSpec> S>
auto Members(S& s) {
  auto& [name, queues, selector, limit] = s;
  return std::tuple(Key("name", name), Key("queues", queues), Key("selector", selector),
                    Key("limit", limit));
}

template <Is<NamespaceSpec> S>
auto Members(S& s) {
  auto& [name, labels, quotas, bindings] = s;
  return std::tuple(RequiredKey("name", name), Key("labels", labels), Key("quotas", quotas),
                    Key("bindings", bindings));
}

template <Is<TurnRow> S>
auto Members(S& s) {
  auto& [decisions, heartbeats, event] = s;
  return std::tuple(Key("decisions", decisions), Key("heartbeats", heartbeats),
                    Key("event", event));
}

template <Is<ScenarioOptions> S>
auto Members(S& s) {
  auto& [now, seed, work_budget, turn] = s;
  return std::tuple(Key("now", now), Key("seed", seed), Key("work_budget", work_budget),
                    Key("turn", turn));
}

// The rows of a memory and the list of events, as documents have them (lib/scenario/memory_rows.h).
struct SlotRow {
  int64_t version = 0;
  uint64_t generation = 0;
  Named<MemoryRow> rows;
};

template <Is<SlotRow> S>
auto Members(S& s) {
  auto& [version, generation, rows] = s;
  return std::tuple(RequiredKey("version", version), RequiredKey("generation", generation),
                    RequiredKey("rows", rows));
}

struct MemoryDocument {
  int64_t version = 0;
  Named<SlotRow> slots;
};

template <Is<MemoryDocument> S>
auto Members(S& s) {
  auto& [version, slots] = s;
  return std::tuple(RequiredKey("version", version), RequiredKey("slots", slots));
}

struct EventAspects {
  uint32_t bits = 0;
  friend bool operator==(const EventAspects&, const EventAspects&) = default;
};

struct EventRow {
  ClusterEventKind kind = ClusterEventKind::kNodeAdded;
  std::string name;
  EventAspects aspects;
  std::string node;
};

template <Is<EventRow> S>
auto Members(S& s) {
  auto& [kind, name, aspects, node] = s;
  return std::tuple(RequiredKey("kind", kind), RequiredKey("name", name), Key("aspects", aspects),
                    Key("node", node));
}

template <Is<LeftOut> S>
auto Members(S& s) {
  auto& [name, why] = s;
  return std::tuple(RequiredKey("name", name), RequiredKey("why", why));
}

template <Is<ExpectedShare> S>
auto Members(S& s) {
  auto& [deserved, share] = s;
  return std::tuple(Key("deserved", deserved), Key("share", share));
}

template <Is<Expectation> S>
auto Members(S& s) {
  auto& [binds, nominations, tentative, moves, reservations, evictions, admitted, phases, shares,
         reasons] = s;
  return std::tuple(Key("binds", binds), Key("nominations", nominations),
                    Key("tentative", tentative), Key("moves", moves),
                    Key("reservations", reservations), Key("evictions", evictions),
                    Key("admitted", admitted), Key("phases", phases), Key("shares", shares),
                    Key("reasons", reasons));
}

template <Is<QueueEdit> S>
auto Members(S& s) {
  auto& [name, weight, guaranteed, deserved, limit, spending_limit, hourly_limit, quota, state] = s;
  return std::tuple(RequiredKey("name", name), Key("weight", weight), Key("guaranteed", guaranteed),
                    Key("deserved", deserved), Key("limit", limit),
                    Key("spending_limit", spending_limit), Key("hourly_limit", hourly_limit),
                    Key("quota", quota), Key("state", state));
}

template <Is<RemovedNodes> S>
auto Members(S& s) {
  auto& [name, labels] = s;
  return std::tuple(Key("name", name), Key("labels", labels));
}

template <Is<NewNodes> S>
auto Members(S& s) {
  auto& [count, node] = s;
  return std::tuple(Key("count", count), RequiredKey("node", node));
}

template <Is<JobEdit> S>
auto Members(S& s) {
  auto& [name, queue, priority, min_available, tolerations, request, request_at_most, gates, labels,
         node_selector, drop_node_labels] = s;
  return std::tuple(RequiredKey("name", name), Key("queue", queue), Key("priority", priority),
                    Key("min_available", min_available), Key("tolerations", tolerations),
                    Key("request", request), Key("request_at_most", request_at_most),
                    Key("gates", gates), Key("labels", labels), Key("node_selector", node_selector),
                    Key("drop_node_labels", drop_node_labels));
}

template <Is<NodeEdit> S>
auto Members(S& s) {
  auto& [name, labels, unschedulable, taints, remove_taints, set_labels, remove_labels, capacity,
         ready] = s;
  return std::tuple(Key("name", name), Key("labels", labels), Key("unschedulable", unschedulable),
                    Key("taints", taints), Key("remove_taints", remove_taints),
                    Key("set_labels", set_labels), Key("remove_labels", remove_labels),
                    Key("capacity", capacity), Key("ready", ready));
}

template <Is<WhatIfChange> S>
auto Members(S& s) {
  auto& [queue, remove_nodes, add_nodes, add_job, remove_job, remove_task, job, nodes, add_task] =
      s;
  return std::tuple(Key("queue", queue), Key("remove_nodes", remove_nodes),
                    Key("add_nodes", add_nodes), Key("add_job", add_job),
                    Key("remove_job", remove_job), Key("remove_task", remove_task), Key("job", job),
                    Key("nodes", nodes), Key("add_task", add_task));
}

template <Is<DiagnoseQuestion> S>
auto Members(S& s) {
  auto& [job, trials] = s;
  return std::tuple(RequiredKey("job", job), Key("trials", trials));
}

template <Is<DrainQuestion> S>
auto Members(S& s) {
  auto& [nodes] = s;
  return std::tuple(RequiredKey("nodes", nodes));
}

template <Is<NodeOffer> S>
auto Members(S& s) {
  auto& [node, price, most] = s;
  return std::tuple(RequiredKey("node", node), Key("price", price), Key("most", most));
}

template <Is<NeedNodesQuestion> S>
auto Members(S& s) {
  auto& [offers, most] = s;
  return std::tuple(Key("offers", offers), Key("most", most));
}

template <Is<Question> S>
auto Members(S& s) {
  auto& [rehearse, diagnose, drain, need_nodes] = s;
  return std::tuple(Key("rehearse", rehearse), Key("diagnose", diagnose), Key("drain", drain),
                    Key("need_nodes", need_nodes));
}

// A struct that has such a list.
template <class T>
concept HasMembers = requires(T& t) {
  Members(t);
};

template <class F, class S>
void ForEachMember(S& s, F&& f) {
  std::apply([&f](auto... member) { (f(member), ...); }, Members(s));
}

}  // namespace muster

#endif  // MUSTER_SCENARIO_MEMBERS_H_
