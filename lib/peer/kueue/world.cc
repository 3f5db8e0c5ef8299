// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/world.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/model/shape_key.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/cohort_path.h"
#include "lib/peer/kueue/readiness.h"
#include "lib/peer/kueue/slices.h"

namespace muster::kueue {
namespace {

// Returns the number of the name, new or known.
template <class Map>
uint32_t Intern(Map* names, std::string_view name, std::vector<std::string>* list) {
  if (const auto found = names->find(name); found != names->end()) return found->second;
  const uint32_t index = static_cast<uint32_t>(names->size());
  names->emplace(std::string(name), index);
  if (list != nullptr) list->emplace_back(name);
  return index;
}

Policy PolicyOf(VictimScope scope) {
  switch (scope) {
    case VictimScope::kNever:
      return Policy::kNever;
    case VictimScope::kLowerPriority:
      return Policy::kLowerPriority;
    case VictimScope::kLowerOrNewerEqualPriority:
      return Policy::kLowerOrNewerEqual;
    case VictimScope::kAny:
      return Policy::kAny;
  }
  return Policy::kNever;
}

Amount LimitOf(const Resources& limits, std::string_view resource) {
  for (const auto& [name, amount] : limits) {
    if (name == resource) return QuotaAmount(name, amount.text);
  }
  return kNoLimit;
}

bool IsPlain(const TaskShape& shape) {
  return shape.node_selector.empty() && !shape.required_node_affinity &&
         shape.tolerations.empty() && shape.preferred_node_affinity.empty();
}

Requests Divided(Requests requests, int64_t by, int64_t times) {
  if (by == 0) return requests;
  for (ResourceAmount& r : requests) r.amount = Times(r.amount / by, times);
  return requests;
}

}  // namespace

bool ScanProgress::Pending() const {
  for (const auto& pod_set : tried) {
    for (const auto& [resource, index] : pod_set) {
      if (index != -1) return true;
    }
  }
  return false;
}

ResourceIndex World::Resource(std::string_view name) {
  const size_t before = resources.size();
  const ResourceIndex r = Intern(&resource_names_, name, &resources);
  if (r == before) resource_keys_.emplace_back(ResourceHash(name), std::string(name));
  return r;
}

FlavorIndex World::Flavor(std::string_view name) {
  const FlavorIndex f = Intern(&flavor_names_, name, nullptr);
  if (f == flavors.size()) flavors.push_back({.name = std::string(name)});
  return f;
}

Queue World::FindQueue(std::string_view name) const {
  const auto found = queue_names_.find(name);
  return found == queue_names_.end() ? kNothing : found->second;
}

WorkloadIndex World::FindWorkload(std::string_view name) const {
  const auto found = workload_names_.find(name);
  return found == workload_names_.end() ? kNothing : found->second;
}

uint32_t World::LocalQueue(std::string_view name) {
  if (local_queues.empty()) Intern(&local_queue_names_, "", &local_queues);
  return Intern(&local_queue_names_, name, &local_queues);
}

Cell World::CellOf(FlavorIndex flavor, ResourceIndex resource) {
  const uint64_t key = uint64_t{flavor} << 32 | resource;
  if (const auto found = cells_.find(key); found != cells_.end()) return found->second;
  const Cell cell = static_cast<Cell>(cell_keys_.size());
  cells_.emplace(key, cell);
  cell_keys_.emplace_back(flavor, resource);
  stale_ = true;
  return cell;
}

void World::SetFlavor(const FlavorSpec& spec) {
  FlavorRow& row = flavors[Flavor(spec.name)];
  row.exists = true;
  row.spec = spec;
  stale_ = true;
}

void World::RemoveFlavor(std::string_view name) {
  flavors[Flavor(name)].exists = false;
  stale_ = true;
}

void World::ReadGroups(const QueueSpec& spec, QueueRow* row) {
  for (const ResourceGroup& group : spec.rules->groups) {
    FlavorGroup& made = row->groups.emplace_back();
    for (const std::string& name : group.resources) made.resources.push_back(Resource(name));
    for (const FlavorQuota& quota : group.flavors) {
      made.flavors.push_back(Flavor(quota.flavor));
      for (const std::string& name : group.resources) {
        const Cell cell = CellOf(made.flavors.back(), Resource(name));
        made.cells.push_back(cell);
        const Amount nominal = LimitOf(quota.nominal, name);
        row->quotas.emplace_back(
            cell, Quota{nominal == kNoLimit ? 0 : nominal, LimitOf(quota.borrow_limit, name),
                        LimitOf(quota.lend_limit, name)});
      }
    }
  }
}

Queue World::SetQueue(const QueueSpec& spec) {
  const Queue q = Intern(&queue_names_, spec.name, nullptr);
  if (q == queues.size()) queues.emplace_back();
  QueueRow& row = queues[q];
  row.name = spec.name;
  row.alive = true;
  row.parent = spec.parent;
  stale_ = true;
  const QueueRules none;
  const QueueRules& rules = spec.rules ? *spec.rules : none;
  row.groups.clear();
  row.quotas.clear();
  if (spec.rules) ReadGroups(spec, &row);
  row.within = PolicyOf(rules.preemption.within_queue);
  row.reclaim = PolicyOf(rules.preemption.reclaim);
  row.while_borrowing = PolicyOf(rules.preemption.while_borrowing);
  row.while_borrowing_most = rules.preemption.while_borrowing_most;
  row.when_borrowing = rules.flavor_search.when_borrowing;
  row.when_preempting = rules.flavor_search.when_preempting;
  row.prefers_preemption = rules.flavor_search.preference == FlavorPreference::kPreemption;
  row.strict = rules.strategy == QueueingStrategy::kStrictFifo;
  row.stop = rules.stop;
  row.stopped = rules.stop != StopPolicy::kNone || spec.state == QueueState::kClosed;
  row.by_usage = rules.by_usage;
  row.weight = rules.fair_weight ? WeightValue(rules.fair_weight->text) : 1;
  row.checks = rules.checks;
  row.check_kinds.clear();
  row.delays.clear();
  row.namespaces = rules.namespaces;
  return q;
}

void World::RemoveQueue(std::string_view name) {
  const Queue q = FindQueue(name);
  if (q == kNothing) return;
  queues[q].alive = false;
  stale_ = true;
}

void World::Settle() {
  if (!stale_) return;
  stale_ = false;
  ++structure;
  tree.Resize(queues.size(), cell_keys_.size());
  for (QueueRow& row : queues) row.is_cohort = false;
  std::vector<Queue> parents(queues.size(), kNothing);
  for (Queue q = 0; q < queues.size(); ++q) {
    const QueueRow& row = queues[q];
    if (!row.alive || row.parent.empty()) continue;
    const Queue parent = FindQueue(row.parent);
    if (parent != kNothing && queues[parent].alive) parents[q] = parent;
  }
  const std::vector<bool> endless = Endless(parents);
  for (Queue q = 0; q < queues.size(); ++q) {
    QueueRow& row = queues[q];
    if (!row.alive) continue;
    if (parents[q] != kNothing) queues[parents[q]].is_cohort = true;
    if (!endless[q]) tree.SetParent(q, parents[q]);
    for (const auto& [cell, quota] : row.quotas) tree.SetQuota(q, cell, quota);
    ++row.generation;
  }
  for (Queue q = 0; q < queues.size(); ++q) {
    QueueRow& row = queues[q];
    QueueFacts facts{.terminating = !row.alive, .stopped = row.stopped};
    for (const FlavorGroup& group : row.groups) {
      for (const FlavorIndex f : group.flavors) {
        if (!flavors[f].exists) facts.missing_flavors.push_back(flavors[f].name);
      }
    }
    facts.checks = ChecksOf(*this, row);
    const Readiness readiness = ReadinessOf(facts);
    row.active = readiness.active && !endless[q];
    row.why_inactive = readiness.active || row.stopped ? "" : readiness.message;
    for (const WorkloadIndex w : row.holders) {
      for (const CellAmount& used : workloads[w].usage) {
        tree.SetUsage(q, used.cell, Plus(tree.usage(q, used.cell), used.amount));
      }
    }
  }
  tree.Compute();
}

void World::Sort(Requests* requests) const {
  std::sort(requests->begin(), requests->end(),
            [&](const ResourceAmount& a, const ResourceAmount& b) {
              return resource_keys_[a.resource] < resource_keys_[b.resource];
            });
}

const FlavorGroup* World::GroupOf(Queue queue, ResourceIndex resource) const {
  for (const FlavorGroup& group : queues[queue].groups) {
    for (const ResourceIndex r : group.resources) {
      if (r == resource) return &group;
    }
  }
  return nullptr;
}

bool World::Precedes(WorkloadIndex a, WorkloadIndex b) const {
  const WorkloadRow &x = workloads[a], &y = workloads[b];
  if (x.evicted != y.evicted) return x.evicted;
  if (x.priority != y.priority) return x.priority < y.priority;
  const int64_t x_time = x.reserved ? x.reserved_at : now,
                y_time = y.reserved ? y.reserved_at : now;
  if (x_time != y_time) return x_time > y_time;
  return x.uid_rank < y.uid_rank;
}

CellAmounts World::UsageOf(const std::vector<Granted>& granted) {
  CellAmounts usage;
  for (const Granted& pod_set : granted) {
    for (const auto& [resource, flavor] : pod_set.flavors) {
      const Cell cell = CellOf(flavor, resource);
      int64_t amount = 0;
      for (const ResourceAmount& r : pod_set.requests) {
        if (r.resource == resource) amount = r.amount;
      }
      auto known = std::find_if(usage.begin(), usage.end(),
                                [&](const CellAmount& u) { return u.cell == cell; });
      if (known == usage.end()) {
        usage.push_back({cell, amount});
      } else {
        known->amount = Plus(known->amount, amount);
      }
    }
  }
  return usage;
}

void World::Insert(WorkloadIndex workload) {
  std::vector<WorkloadIndex>& list = queues[workloads[workload].queue].holders;
  list.insert(std::lower_bound(list.begin(), list.end(), workload,
                               [&](WorkloadIndex a, WorkloadIndex b) { return Precedes(a, b); }),
              workload);
  queues[workloads[workload].queue].holders_stamp = ++stamp_;
}

void World::Erase(WorkloadIndex workload) {
  std::vector<WorkloadIndex>& list = queues[workloads[workload].queue].holders;
  list.erase(std::find(list.begin(), list.end(), workload));
  queues[workloads[workload].queue].holders_stamp = ++stamp_;
}

void World::Hold(WorkloadIndex workload, std::vector<Granted> granted, int64_t time) {
  WorkloadRow& row = workloads[workload];
  row.granted = std::move(granted);
  if (row.holds) {  // its places changed, and nothing else
    row.open_checks = row.open_checks && IsOpen(*this, row);
    return;
  }
  row.usage = UsageOf(row.granted);
  row.holds = true;
  row.reserved = true;
  row.evicted = false;
  row.open_checks = IsOpen(*this, row);
  row.reserved_at = time;
  Insert(workload);
  if (stale_) return Settle();
  tree.Add(row.queue, row.usage);
  tree.Forget();
}

void World::Release(WorkloadIndex workload) {
  WorkloadRow& row = workloads[workload];
  if (!row.holds) return;
  Erase(workload);
  row.holds = false;
  if (!stale_) tree.Remove(row.queue, row.usage);
  tree.Forget();
  row.granted.clear();
  row.usage.clear();
  ++queues[row.queue].generation;
}

WorkloadIndex World::ReplacedBy(WorkloadIndex workload) const {
  const WorkloadRow& row = workloads[workload];
  if (row.replaces == kNothing) return kNothing;
  const WorkloadRow& other = workloads[row.replaces];
  return other.holds && other.queue == row.queue && MayReplace(row.name, other.name) ? row.replaces
                                                                                     : kNothing;
}

uint32_t World::ShapeOf(const TaskShape& shape) {
  if (shapes.empty()) shapes.emplace_back();
  if (IsPlain(shape)) return 0;
  TaskShape kept;
  kept.node_selector = shape.node_selector;
  kept.required_node_affinity = shape.required_node_affinity;
  kept.preferred_node_affinity = shape.preferred_node_affinity;
  kept.tolerations = shape.tolerations;
  const std::string key = SpelledKey(kept);
  if (const auto found = shape_texts_.find(key); found != shape_texts_.end()) return found->second;
  const uint32_t index = static_cast<uint32_t>(shapes.size());
  shape_texts_.emplace(key, index);
  shapes.push_back(std::move(kept));
  return index;
}

uint32_t World::HashOf(const WorkloadRow& w, const JobSpec&, const std::string& extra) {
  std::string text = absl::StrCat(w.queue, "|", w.priority, "|", extra);
  for (const PodSet& p : w.pod_sets) {
    absl::StrAppend(&text, "|", p.name, "/", p.shape, "/", p.count, "/", p.min_count.value_or(-1),
                    "/", p.group, "/", p.together);
    if (p.topology) {
      absl::StrAppend(
          &text, "/", p.topology->required.value_or("-"), "/", p.topology->preferred.value_or("-"),
          "/", p.topology->unconstrained.has_value(), p.topology->unconstrained.value_or(false));
      for (const TopologySlice& slice : p.topology->slices) {
        absl::StrAppend(&text, "/", slice.level, ":", slice.size);
      }
    }
    for (const ResourceAmount& r : p.requests) {
      absl::StrAppend(&text, ",", r.resource, "=", r.amount);
    }
  }
  return Intern(&hash_texts_, text, nullptr);
}

void World::ReadGrants(const JobSpec& job, const WorkloadFacts& facts, WorkloadRow* row) {
  for (size_t i = 0; i < row->pod_sets.size(); ++i) {
    const PodSet& pod_set = row->pod_sets[i];
    Granted granted;
    const GroupAdmission* admission = nullptr;
    for (const GroupAdmission& a : job.admission->groups) {
      if (a.group == pod_set.name) admission = &a;
    }
    if (admission == nullptr) {
      row->granted.emplace_back();
      continue;
    }
    granted.count = admission->count;
    if (i < facts.usage.size() && !facts.usage[i].empty()) {
      for (const auto& [name, amount] : facts.usage[i]) {
        granted.requests.push_back({Resource(name), amount});
      }
      Sort(&granted.requests);
    } else {
      granted.requests = Divided(pod_set.requests, pod_set.count, granted.count);
      AddPods(*admission, &granted);
    }
    if (pod_set.count < granted.count) {
      granted.requests = Divided(granted.requests, granted.count, pod_set.count);
      granted.count = pod_set.count;
    }
    for (const auto& [resource, flavor] : admission->flavors) {
      granted.flavors.emplace_back(Resource(resource), Flavor(flavor));
    }
    if (i < facts.places.size()) granted.places = facts.places[i];
    if (i < facts.delayed.size()) granted.delayed = facts.delayed[i];
    row->granted.push_back(std::move(granted));
  }
}

// A flavor of `pods` gives one for each pod, which no pod requests.
void World::AddPods(const GroupAdmission& admission, Granted* granted) {
  const auto of_pods = [](const auto& flavor) { return flavor.first == "pods"; };
  if (std::ranges::none_of(admission.flavors, of_pods)) return;
  const ResourceIndex pods = Resource("pods");
  std::erase_if(granted->requests, [&](const ResourceAmount& r) { return r.resource == pods; });
  granted->requests.push_back({pods, granted->count});
  Sort(&granted->requests);
}

void World::ReadRequests(const Resources& pod,
                         const std::vector<std::pair<std::string, int64_t>>* counted,
                         PodSet* pod_set) {
  for (const auto& [name, amount] : pod) {
    pod_set->pod.push_back({Resource(name), RequestAmount(name, amount.text)});
  }
  Sort(&pod_set->pod);
  pod_set->requests = pod_set->pod;
  if (counted != nullptr) {
    pod_set->requests.clear();
    for (const auto& [name, amount] : *counted) {
      pod_set->requests.push_back({Resource(name), amount});
    }
    Sort(&pod_set->requests);
  }
  for (ResourceAmount& r : pod_set->requests) r.amount = Times(r.amount, pod_set->count);
}

void World::ReadFacts(const WorkloadFacts& facts, WorkloadRow* row) {
  row->generation = facts.generation;
  row->retry_at = facts.retry_at;
  row->may_retry = facts.may_retry;
  row->retry_checks = facts.retry_checks;
  row->checks = facts.checks;
  row->inactive = facts.inactive;
  row->local_stop = facts.local_stop;
  row->evicted = facts.evicted;
  row->evicting = facts.evicting;
  row->reserved = facts.reserved;
  row->space_labels = facts.space_labels;
  row->refused = facts.refused;
  row->gated = facts.gated;
  row->elastic = facts.elastic;
  row->single_pod = facts.single_pod;
  row->unhealthy = facts.unhealthy;
  row->restricted = facts.allowed.has_value();
  if (facts.allowed) {
    for (const std::string& name : *facts.allowed) row->allowed.push_back(Flavor(name));
  }
  if (!facts.family.empty()) row->family = Intern(&families_, facts.family, nullptr) + 1;
  if (!facts.replaces.empty()) row->replaces = FindWorkload(facts.replaces);
}

WorkloadIndex World::SetWorkload(const JobSpec& job, const WorkloadFacts& facts) {
  const WorkloadIndex w = Intern(&workload_names_, job.name, nullptr);
  if (w == workloads.size()) workloads.emplace_back();
  if (workloads[w].holds) Release(w);
  std::optional<ScanProgress> progress = std::move(workloads[w].progress);
  WorkloadRow row;
  row.name = job.name;
  row.alive = true;
  const bool admitted = job.admission.has_value();
  row.queue =
      FindQueue(admitted && !job.admission->queue.empty() ? job.admission->queue : job.queue);
  row.local_queue = LocalQueue(facts.local_queue);
  row.priority = job.priority;
  row.created = job.created;
  row.queue_time = facts.queue_time.value_or(job.created);
  row.uid_rank = job.uid_rank;
  ReadFacts(facts, &row);
  for (size_t i = 0; i < job.groups.size(); ++i) {
    const GroupSpec& group = job.groups[i];
    PodSet& pod_set = row.pod_sets.emplace_back();
    pod_set.name = group.name;
    const int64_t count = group.by_count ? group.by_count->count : group.count;
    const int64_t reclaimed = i < facts.reclaimed.size() ? facts.reclaimed[i] : 0;
    pod_set.spec_count = count;
    pod_set.count = config.gates.reclaimable_pods ? count - std::min(reclaimed, count) : count;
    if (group.by_count) pod_set.min_count = group.by_count->min_count;
    const bool counts = i < facts.requests.size() && facts.requests[i];
    ReadRequests(group.shape.request, counts ? &*facts.requests[i] : nullptr, &pod_set);
    pod_set.shape = ShapeOf(group.shape);
    if (i < facts.topology.size()) pod_set.topology = facts.topology[i];
    if (i < facts.pod_set_groups.size()) pod_set.group = facts.pod_set_groups[i];
    pod_set.together = i < facts.together.size() ? facts.together[i] : pod_set.group;
  }
  if (config.gates.equivalence_hashing) row.hash = HashOf(row, job, facts.hash_extra);
  if (config.gates.preserve_scan_progress && progress && progress->IsOf(row.hash)) {
    row.progress = std::move(progress);
  }
  if (admitted) ReadGrants(job, facts, &row);
  workloads[w] = std::move(row);
  if (admitted && workloads[w].queue != kNothing) {
    WorkloadRow& held = workloads[w];
    held.holds = true;
    held.open_checks = facts.complete ? !*facts.complete : IsOpen(*this, held);
    held.reserved_at = job.admission->time;
    held.usage = UsageOf(held.granted);
    Insert(w);
    if (!stale_) {
      tree.Add(held.queue, held.usage);
      tree.Forget();
    }
  }
  return w;
}

void World::RemoveWorkload(WorkloadIndex workload) {
  Release(workload);
  workload_names_.erase(workloads[workload].name);
  workloads[workload].alive = false;
  workloads[workload].progress.reset();
}

}  // namespace muster::kueue
