// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which nodes may take a task. All rules of the predicates policy are asked, so that it is known
// whether an eviction could help: it could not when a rule fails that looks at the node and the
// task alone, at required affinity, or at a missing label.
#include <algorithm>

#include "lib/reference/fit/node_devices.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/kube/selectors.h"

namespace muster::reference {

namespace {

std::string TaintText(const Taint& taint) {
  return taint.value.empty() ? taint.key : taint.key + "=" + taint.value;
}

std::string Address(const HostPort& port) { return port.ip.empty() ? "0.0.0.0" : port.ip; }

bool PortTaken(const World& world, NodeIndex node, const HostPort& wanted) {
  for (TaskIndex t : world.present[node]) {
    for (const HostPort& used : world.shape(t).host_ports) {
      if (used.port != wanted.port || used.port <= 0 || used.protocol != wanted.protocol) continue;
      const std::string mine = Address(wanted), theirs = Address(used);
      if (mine == "0.0.0.0" || theirs == "0.0.0.0" || mine == theirs) return true;
    }
  }
  return false;
}

bool PortsTaken(const World& world, NodeIndex node, TaskIndex task) {
  const auto& ports = world.shape(task).host_ports;
  return std::any_of(ports.begin(), ports.end(),
                     [&](const HostPort& port) { return PortTaken(world, node, port); });
}

bool TooManyTasks(const World& world, NodeIndex node) {
  return world.counts_pods[node] &&
         world.capacity[node][kPods] <= static_cast<int64_t>(world.present[node].size());
}

bool Unresolvable(RefusalCode code) {
  switch (code) {
    case RefusalCode::kNotReady:
    case RefusalCode::kUnschedulable:
    case RefusalCode::kNodeAffinity:
    case RefusalCode::kTaint:
    case RefusalCode::kAffinity:
    case RefusalCode::kSpreadLabel:
    case RefusalCode::kPolicy:
      return true;
    default:
      return false;
  }
}

// What is wrong with the node itself.
void JudgeNode(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, NodeIndex node,
               std::vector<Refusal>& refusals) {
  const NodeSpec& spec = cycle.tables().nodes.spec[node];
  const TaskShape& shape = cycle.world.shape(task);
  const auto refuse = [&](RefusalCode code) { refusals.push_back({.code = code, .detail = {}}); };
  const KubernetesRules& rules = cycle.rules.kubernetes;
  const bool ask_ready = rules.ready_always || SwitchOption(policy.options, "node_ready", false);
  if ((ask_ready && !spec.ready) || (rules.network_available && spec.network_unavailable)) {
    refuse(RefusalCode::kNotReady);
  }
  const bool tolerated = rules.unschedulable_tolerated && ToleratesUnschedulable(shape);
  if (spec.unschedulable && !tolerated) refuse(RefusalCode::kUnschedulable);
  if (SwitchOption(policy.options, "node_affinity", true) && !MatchesNode(shape, spec)) {
    refuse(RefusalCode::kNodeAffinity);
  }
  const Taint* taint = FirstUntolerated(shape, spec);
  if (taint != nullptr && SwitchOption(policy.options, "taints", true)) {
    refuse(RefusalCode::kTaint);
    refusals.back().detail = TaintText(*taint);
  }
}

// What is wrong with the tasks on it, or elsewhere.
void JudgeTasks(const Cycle& cycle, const FilterState& state, const ReferencePolicy& policy,
                TaskIndex task, NodeIndex node, std::vector<Refusal>& refusals) {
  const auto refuse = [&](std::optional<RefusalCode> code) {
    if (code) refusals.push_back({.code = *code, .detail = {}});
  };
  if (TooManyTasks(cycle.world, node)) refuse(RefusalCode::kPodLimit);
  if (SwitchOption(policy.options, "host_ports", true) && PortsTaken(cycle.world, node, task)) {
    refuse(RefusalCode::kHostPort);
  }
  if (SwitchOption(policy.options, "pod_affinity", true)) {
    refuse(cycle.rules.kubernetes.every_task_has_terms ? AffinityRefusal(cycle, state, task, node)
                                                       : OldAffinityRefusal(cycle, task, node));
  }
  if (cycle.rules.kubernetes.spread && SwitchOption(policy.options, "spread", true)) {
    refuse(SpreadRefusal(cycle, state, task, node));
  }
}

// In the order in which a plan reports them.
std::vector<Refusal> AllRefusals(const Cycle& cycle, const FilterState& state, TaskIndex task,
                                 NodeIndex node) {
  std::vector<Refusal> refusals;
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "fit")) {
    const PolicyTwin& twin = TwinOf(cycle, *policy);
    std::optional<Refusal> by_rule;
    if (twin.refuse != nullptr) by_rule = twin.refuse(cycle, *policy, task, node);
    if (policy->name == "zones") by_rule = ZoneRefusal(cycle, *policy, task, node);
    if (by_rule) refusals.push_back(*by_rule);
    if (policy->name != "predicates") continue;
    JudgeNode(cycle, *policy, task, node, refusals);
    JudgeTasks(cycle, state, *policy, task, node, refusals);
  }
  return refusals;
}

const ReferencePolicy* Sampling(const Cycle& cycle) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "fit")) {
    if (policy->name == "sampling") return policy;
  }
  return nullptr;
}

// After how many nodes that fit a search of the list ends.
size_t Enough(const ReferencePolicy& sampling, size_t nodes) {
  const size_t least = static_cast<size_t>(NumberOption(sampling, "least_nodes", 100));
  int percent = static_cast<int>(NumberOption(sampling, "percent", 0));
  if (nodes <= least) return nodes;
  if (percent == 0) {
    percent = 50 - static_cast<int>(nodes / 125);
    percent = std::max(percent, static_cast<int>(NumberOption(sampling, "least_percent", 5)));
  }
  return std::max(nodes * static_cast<size_t>(percent) / 100, least);
}

bool FitsWithinTolerance(const Cycle& cycle, TaskIndex task, const Row& row) {
  return TolerantLessEqual(Measure(cycle, cycle.world.initial_request(task)),
                           MeasureBooks(cycle, row), cycle.tolerance);
}

}  // namespace

std::vector<std::vector<NodeIndex>> Divided(const Cycle& cycle,
                                            const std::vector<NodeIndex>& nodes) {
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "score")) {
    const PolicyTwin& twin = TwinOf(cycle, *policy);
    if (twin.divide == nullptr) continue;
    if (auto parts = twin.divide(cycle, *policy, nodes); !parts.empty()) return parts;
  }
  return {nodes};
}

FilterState PrepareFilters(const Cycle& cycle, TaskIndex task) {
  FilterState state;
  if (!cycle.rules.kubernetes.every_task_has_terms) return state;
  CountAffinity(cycle, task, state);
  CountSpread(cycle, task, state);
  return state;
}

Verdict Judge(const Cycle& cycle, const FilterState& state, TaskIndex task, NodeIndex node) {
  Verdict verdict;
  for (const Refusal& refusal : AllRefusals(cycle, state, task, node)) {
    if (!verdict.refusal) verdict.refusal = refusal;
    verdict.unresolvable = verdict.unresolvable || Unresolvable(refusal.code);
  }
  return verdict;
}

Verdict Judge(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  return Judge(cycle, PrepareFilters(cycle, task), task, node);
}

bool TrialAccepts(const Cycle& before, const Cycle& trial, TaskIndex task, NodeIndex node) {
  for (const ReferencePolicy* policy : PoliciesAt(before, "fit")) {
    if (policy->name != "predicates" || !SwitchOption(policy->options, "pod_affinity", true))
      continue;
    const Cycle& cycle = SwitchOption(policy->options, "trial_evictions", true) ? trial : before;
    if (AffinityRefusal(cycle, PrepareFilters(cycle, task), task, node)) return false;
  }
  return true;
}

std::optional<Refusal> FirstRefusal(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const World& world = cycle.world;
  if (!world.in_session[node]) return Refusal{.code = RefusalCode::kNotReady, .detail = {}};
  const std::optional<Refusal> refusal = Judge(cycle, task, node).refusal;
  if (refusal && refusal->code < RefusalCode::kInsufficient) return refusal;
  DimensionIndex dimension = kNone;
  if (!cycle.rules.releasing_apart) {
    dimension = ShortDimension(world, task, node, world.future_idle(node));
  } else if (!FitsIdle(cycle, task, node) && !FitsReleasing(cycle, task, node)) {
    dimension = ShortDimension(world, task, node, world.idle[node]);
  }
  if (dimension != kNone) {
    return Refusal{.code = RefusalCode::kInsufficient, .dimension = dimension, .detail = {}};
  }
  if (!HasDevices(world, task, node, /*later=*/true)) {
    return Refusal{.code = RefusalCode::kDevice, .detail = {}};
  }
  return refusal;
}

DimensionIndex ShortDimension(const World& world, TaskIndex task, NodeIndex node, const Row& row) {
  const auto request = world.initial_request(task);
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    if (IsScalar(d) && request[d] == kAbsent) continue;
    if (d == kPods && !world.counts_pods[node]) continue;
    if (OrZero(request[d]) > row[d]) return d;
  }
  return kNone;
}

bool Fits(const World& world, TaskIndex task, NodeIndex node, const Row& row) {
  return ShortDimension(world, task, node, row) == kNone;
}

bool FitsLater(const World& world, TaskIndex task, NodeIndex node) {
  return Fits(world, task, node, world.future_idle(node)) &&
         HasDevices(world, task, node, /*later=*/true);
}

bool HasRoom(const World& world, TaskIndex task, NodeIndex node, const Row& row) {
  const auto request = world.initial_request(task);
  for (DimensionIndex d = 0; d < row.size(); ++d) {
    if (d == kPods && !world.counts_pods[node]) continue;
    if (IsScalar(d) && d != kPods && OrZero(request[d]) == 0) continue;
    if (OrZero(request[d]) > row[d]) return false;
  }
  return true;
}

bool HasRoomNow(const World& world, TaskIndex task, NodeIndex node) {
  return HasRoom(world, task, node, world.idle[node]) &&
         HasDevices(world, task, node, /*later=*/false);
}

bool HasRoomLater(const World& world, TaskIndex task, NodeIndex node) {
  return HasRoom(world, task, node, world.future_idle(node)) &&
         HasDevices(world, task, node, /*later=*/true);
}

bool FitsIdle(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  if (!HasDevices(cycle.world, task, node, /*later=*/false)) return false;
  if (cycle.rules.tolerance) return FitsWithinTolerance(cycle, task, cycle.world.idle[node]);
  return Fits(cycle.world, task, node, cycle.world.idle[node]);
}

bool FitsReleasing(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  if (!HasDevices(cycle.world, task, node, /*later=*/true)) return false;
  Row releasing = cycle.world.releasing[node];
  AddTo(releasing, cycle.world.pipelined[node], -1);
  return FitsWithinTolerance(cycle, task, releasing);
}

Found FindNodes(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& nodes,
                Search search, ErrorCache& cache) {
  const World& world = cycle.world;
  const JobIndex job = cycle.tables().tasks.job[task];
  const GroupIndex role = cycle.tables().tasks.group[task];
  const bool remember = cache.enabled && !cycle.tables().jobs.groups[job][role].name.empty();
  std::map<NodeIndex, bool>& refused = cache.refused[{job, role}];

  const FilterState state = PrepareFilters(cycle, task);
  const ReferencePolicy* sampling = search == Search::kGang ? nullptr : Sampling(cycle);
  const size_t start = sampling == nullptr ? 0 : cycle.next_node;
  size_t looked_at = 0;
  Found found;
  for (; looked_at < nodes.size(); ++looked_at) {
    const NodeIndex n = nodes[(start + looked_at) % nodes.size()];
    if (const auto old = refused.find(n); remember && old != refused.end()) {
      if (old->second) found.unresolvable.insert(n);
      continue;
    }
    Verdict verdict;
    const bool needs_room = search == Search::kAllocate || search == Search::kGang;
    bool accepted = !needs_room || FitsLater(world, task, n);
    if (accepted) {
      verdict = Judge(cycle, state, task, n);
      const bool curable = search == Search::kPreempt || search == Search::kGang;
      accepted = curable ? !verdict.unresolvable : !verdict.refusal.has_value();
    }
    if (accepted) {
      if (sampling != nullptr && found.nodes.size() == Enough(*sampling, nodes.size())) {
        ++looked_at;  // it has seen that there are more
        break;
      }
      found.nodes.push_back(n);
      continue;
    }
    if (verdict.unresolvable) found.unresolvable.insert(n);
    if (remember) refused[n] = verdict.unresolvable;
  }
  if (sampling != nullptr && !nodes.empty()) cycle.next_node = (start + looked_at) % nodes.size();
  return found;
}

std::vector<NodeIndex> CurableNodes(const Cycle& cycle, TaskIndex task) {
  const auto errors = cycle.fit_errors.find(task);
  std::vector<NodeIndex> nodes;
  for (NodeIndex n : cycle.world.session_nodes()) {
    if (errors == cycle.fit_errors.end() || errors->second.count(n) == 0) nodes.push_back(n);
  }
  return nodes;
}

}  // namespace muster::reference
