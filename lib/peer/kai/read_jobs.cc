// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shapes, jobs and tasks of a cycle of KAI Scheduler, and what each task is when it opens.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "lib/kube/inter_ports.h"
#include "lib/kube/selectors.h"
#include "lib/model/key.h"
#include "lib/peer/kai/fact_reader.h"
#include "lib/peer/kai/job_settings.h"
#include "muster/quantity.h"

namespace muster {
namespace {

std::optional<std::string_view> LabelOf(const TaskShape& shape, std::string_view key) {
  const std::string* value = FindLabel(shape.labels, key);
  if (value == nullptr) return std::nullopt;
  return *value;
}

// A minimum that an int32 cannot hold is above any number of members.
int32_t MinimumOf(int64_t members) {
  return static_cast<int32_t>(std::min<int64_t>(members, std::numeric_limits<int32_t>::max()));
}

}  // namespace

double KaiFactReader::WeightOf(const Quantity& weight) {
  // Was checked when the queue was added.
  return static_cast<double>(ParseQuantity(weight.text, Unit::kMilli).value_or(0)) / 1000;
}

// Sets the request for GPUs of one kind or another; `out->request` has whole devices already.
void KaiFactReader::ReadGpus(const TaskShape& shape, KaiShape* out) const {
  // A part of a device that is no portion of one takes it whole, as Kubernetes counts.
  const double whole = std::ceil(out->request[kKaiGpuAt]);
  out->gpu = KaiGpuRequestOf(whole, 0);
  out->type = KaiRequestType::kRegular;
  for (const DeviceRequest& request : shape.devices) {
    if (request.kind != "gpu") continue;
    const int64_t bytes = ParseQuantity(request.memory.text, Unit::kWhole).value_or(0);
    if (request.milli < 1000) {
      out->type = KaiRequestType::kFraction;
      out->gpu = {.devices = request.count, .portion = static_cast<double>(request.milli) / 1000};
    } else if (bytes > 0) {
      out->type = KaiRequestType::kGpuMemory;
      out->gpu = {.devices = request.count, .memory = bytes >> 20};
    } else if (request.exclusive && out_.facts.options.counts_claims) {
      out->gpu.claimed = request.count;  // a kind is listed once
    } else if (whole == 0) {
      out->gpu = KaiGpuRequestOf(static_cast<double>(request.count), 0);
    }
  }
  for (const auto& [key, value] : shape.labels) {
    if (!IsKaiMigResource(key)) continue;
    out->legacy_slices = true;
    out->gpu = {.mig = {{key, ParseQuantity(value, Unit::kWhole).value_or(0)}}};
  }
  if (!out->legacy_slices) {
    for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
      if (place_of_[d] == kKaiNone || !IsKaiMigResource(tables_.dimensions.name(d))) continue;
      const double count = out->request[place_of_[d]];
      if (count > 0) {
        out->gpu.mig.push_back(
            {std::string(tables_.dimensions.name(d)), static_cast<int64_t>(count)});
      }
    }
  }
  if (!out->gpu.mig.empty()) out->type = KaiRequestType::kMigInstance;
}

KaiShape KaiFactReader::ShapeOf(ClassIndex c) {
  const TaskShape& spec = tables_.classes.shape[c];
  KaiShape shape;
  shape.origin = c;
  shape.request = VectorOf(tables_.classes.initial_request.row(c));
  ReadGpus(spec, &shape);
  shape.request[kKaiGpuAt] = KaiGpus(shape.gpu) + static_cast<double>(shape.gpu.claimed);
  for (const KaiMigCount& slice : shape.gpu.mig) {
    const std::optional<KaiMigProfile> profile = ParseKaiMigProfile(slice.resource);
    if (!profile.has_value()) continue;
    shape.slice_gpus += static_cast<double>(profile->gpus * slice.count);
    shape.slice_memory += profile->gigabytes * slice.count;
  }
  for (DimensionIndex d = 0; d < tables_.dimension_count(); ++d) {
    for (const KaiMigCount& slice : shape.gpu.mig) {
      if (place_of_[d] != kKaiNone && tables_.dimensions.name(d) == slice.resource) {
        shape.request[place_of_[d]] = static_cast<double>(slice.count);
      }
    }
  }
  shape.quota = KaiGpuQuota(shape.gpu);
  shape.amounts = out_.facts.Quantify(shape.request.data());
  shape.cpu_only = IsKaiCpuOnly(shape.type, shape.gpu);
  shape.selects_nodes = !spec.node_selector.empty() || spec.required_node_affinity.has_value();
  for (size_t d = 0; d < most_.size(); ++d) shape.too_large |= shape.request[d] > most_[d];
  shape.constraints = ConstraintsOf(c);
  return shape;
}

uint32_t KaiFactReader::ConstraintsOf(ClassIndex c) {
  KaiFacts& facts = out_.facts;
  const auto [at, is_new] = constraints_.emplace(tables_.classes.constraints[c],
                                                 static_cast<uint32_t>(facts.allowed.size()));
  if (!is_new) return at->second;
  const TaskShape& shape = tables_.classes.shape[c];
  std::vector<uint8_t>& allowed = facts.allowed.emplace_back();
  std::vector<uint8_t>& selected = facts.selected.emplace_back();
  for (const uint32_t n : facts.node_origin) {
    const NodeSpec& node = tables_.nodes.spec[NodeIndex(n)];
    selected.push_back(MatchesNode(shape, node));
    allowed.push_back(selected.back() != 0 && FirstUntolerated(shape, node) == nullptr);
  }
  return at->second;
}

// Terms count as they are written: neither the namespace nor the labels of the task do.
uint32_t KaiFactReader::OthersOf(const TaskShape& shape) {
  Key key;
  key.Add(shape.required_affinity);
  key.Add(shape.required_anti_affinity);
  key.Add(shape.preferred_affinity);
  key.Add(shape.preferred_anti_affinity);
  key.Add(shape.spread);
  return others_.try_emplace(key.Take(), static_cast<uint32_t>(others_.size())).first->second;
}

// Reads the terms of a shape about other tasks.
std::vector<KaiNearTerm> KaiFactReader::TermsOf(ClassIndex c,
                                                const std::vector<AffinityTerm>& terms,
                                                InterClasses* classes) {
  std::vector<KaiNearTerm> near;
  const TaskShape& own = tables_.classes.shape[c];
  for (const AffinityTerm& term : terms) {
    KaiNearTerm& out = near.emplace_back();
    ReadLevel(term.topology_key);
    out.domain = out_.facts.levels[term.topology_key];
    if (!term.selector) continue;  // matches no task
    for (const ClassIndex e : classes->Selected(*term.selector)) {
      const TaskShape& other = tables_.classes.shape[e];
      if (classes->MatchesOwn(term, own, other)) out.selected.push_back(shape_of_[e]);
      if (classes->MatchesHeld(term, own, other)) out.barred.push_back(shape_of_[e]);
    }
  }
  return near;
}

void KaiFactReader::ReadPorts(const TaskShape& spec, InterClasses* classes, KaiShape* shape) {
  std::set<uint32_t> rivals;
  for (const HostPort& port : spec.host_ports) {
    shape->ports.push_back(port.port);
    for (const ClassIndex e : classes->WithHostPort(port.port)) {
      if (ConflictOverPorts(spec, tables_.classes.shape[e])) rivals.insert(shape_of_[e]);
    }
  }
  std::ranges::sort(shape->ports);
  shape->port_rivals.assign(rivals.begin(), rivals.end());
}

void KaiFactReader::ReadShapes() {
  shape_of_.assign(tables_.classes.shape.size(), kKaiNone);
  for (ClassIndex c = 0; c < shape_of_.size(); ++c) {
    if (tables_.classes.tasks[c] == 0) continue;
    shape_of_[c] = static_cast<uint32_t>(out_.facts.shapes.size());
    out_.facts.shapes.push_back(ShapeOf(c));
  }
  InterClasses classes;
  classes.Open(tables_, kKubernetes137);
  for (KaiShape& shape : out_.facts.shapes) {
    const ClassIndex c(shape.origin);
    const TaskShape& spec = tables_.classes.shape[c];
    shape.near = TermsOf(c, spec.required_affinity, &classes);
    shape.apart = TermsOf(c, spec.required_anti_affinity, &classes);
    shape.others = OthersOf(spec);
    ReadPorts(spec, &classes, &shape);
  }
}

void KaiFactReader::ReadLevel(const std::string& level) {
  std::map<std::string, std::vector<uint32_t>>& levels = out_.facts.levels;
  if (level.empty() || levels.contains(level)) return;
  std::vector<uint32_t>& domain = levels[level];
  std::map<std::string, uint32_t> known;
  for (const uint32_t n : out_.facts.node_origin) {
    const std::string* value = FindLabel(tables_.nodes.spec[NodeIndex(n)].labels, level);
    if (value == nullptr || value->empty()) {
      domain.push_back(0);
    } else {
      domain.push_back(known.emplace(*value, known.size() + 1).first->second);
    }
  }
}

KaiTopologyWish KaiFactReader::WishOf(const std::optional<TopologyLevels>& levels) {
  KaiTopologyWish wish;
  if (!levels.has_value()) return wish;
  wish.named = true;
  wish.name = levels->topology;
  wish.required = levels->required;
  wish.preferred = levels->preferred;
  const auto known = topology_of_.find(levels->topology);
  if (known != topology_of_.end()) wish.topology = known->second;
  ReadLevel(wish.required);
  return wish;
}

// Reads the tree of sub-groups: [0] is the job itself.
void KaiFactReader::ReadGroups(const JobSpec& spec, KaiJobFacts* job) {
  job->groups.reserve(1 + std::max<size_t>(1, spec.sub_groups.size()));
  KaiGroup& root = job->groups.emplace_back();
  if (spec.gang) {
    root.topology = WishOf(spec.gang->levels);
    if (spec.gang->min_sub_groups) {
      root.minimum = MinimumOf(*spec.gang->min_sub_groups);
    }
  }
  if (spec.sub_groups.empty()) {
    KaiGroup& group = job->groups.emplace_back();
    group.name = "default";
    group.parent = 0;
    group.is_pod_set = true;
    group.minimum = MinimumOf(spec.min_available);
    job->groups[0].pod_sets = job->pod_sets = {1};
    return;
  }
  const auto group_of = [&](const std::string& name) -> uint32_t {
    for (uint32_t i = 0; i < spec.sub_groups.size(); ++i) {
      if (!name.empty() && spec.sub_groups[i].name == name) return i + 1;
    }
    return 0;
  };
  for (const SubGroupSpec& own : spec.sub_groups) {
    KaiGroup group{.name = own.name, .parent = 0, .is_pod_set = true};
    group.minimum = MinimumOf(own.min_available);
    if (own.place) {
      group.parent = group_of(own.place->parent);
      group.topology = WishOf(own.place->levels);
    }
    job->groups.push_back(std::move(group));
  }
  for (const SubGroupSpec& own : spec.sub_groups) {
    const uint32_t parent = own.place ? group_of(own.place->parent) : 0;
    if (parent == 0) continue;
    KaiGroup& above = job->groups[parent];
    above.is_pod_set = false;
    const Boxed<SubGroupPlace>& place = spec.sub_groups[parent - 1].place;
    above.minimum.reset();
    if (place && place->min_sub_groups) {
      above.minimum = MinimumOf(*place->min_sub_groups);
    }
  }
  const auto by_name = [&](std::vector<uint32_t>* groups) {
    std::ranges::sort(*groups, {},
                      [&](uint32_t g) -> const std::string& { return job->groups[g].name; });
  };
  for (uint32_t g = 1; g < job->groups.size(); ++g) {
    const KaiGroup& group = job->groups[g];
    KaiGroup& above = job->groups[group.parent];
    (group.is_pod_set ? above.pod_sets : above.sets).push_back(g);
    if (group.is_pod_set) job->pod_sets.push_back(g);
  }
  for (KaiGroup& group : job->groups) {
    by_name(&group.sets);
    by_name(&group.pod_sets);
  }
  by_name(&job->pod_sets);
}

void KaiFactReader::ReadJob(JobIndex j) {
  const JobSpec& spec = tables_.jobs.spec[j];
  KaiFacts& facts = out_.facts;
  const auto number = static_cast<uint32_t>(facts.jobs.size());
  KaiJobFacts job;
  job.origin = j;
  job.queue = out_.queue_of[tables_.jobs.queue[j]];
  const QueueIndex queue = tables_.jobs.queue[j];
  const bool is_leaf = facts.options.full_hierarchy ? tables_.queues.children[queue].empty()
                                                    : tables_.queues.parent[queue] != kNone;
  job.schedulable = is_leaf && tables_.queues.spec[queue].state == QueueState::kOpen;
  job.priority = spec.priority;
  job.preemptible = spec.preemptable.value_or(spec.priority < 100);
  job.created = spec.created;
  job.uid = number;
  const KaiJobSettings settings = ReadKaiSettings(spec);
  job.one_attempt = settings.one_attempt;
  if (job.one_attempt && settings.unschedulable == true) job.failed = facts.now;
  job.schedulable &= job.takes_part();
  if (spec.gang) {
    job.last_start = spec.gang->started;
    job.last_eviction = spec.gang->evicted;
    job.stale_since = spec.gang->stale_since;
    job.staleness_grace = spec.gang->staleness_grace;
    job.preemption_delay = spec.gang->preemption_delay.value_or(0);
  }
  ReadGroups(spec, &job);
  AddTasks(j, number, &job);
  facts.jobs.push_back(std::move(job));
}

// `number`: of the task in the order of UIDs.
KaiTaskKey KaiFactReader::TaskKeyOf(TaskIndex t, size_t number) const {
  const TaskShape& shape = tables_.classes.shape[tables_.tasks.task_class[t]];
  KaiTaskKey key = KaiTaskKeyOf(LabelOf(shape, "training.kubeflow.org/job-role"),
                                LabelOf(shape, "ray.io/node-type"),
                                LabelOf(shape, "kai.scheduler/task-priority"));
  key.created = tables_.tasks.created[t];
  key.uid = std::to_string(10'000'000'000 + static_cast<int64_t>(number));
  return key;
}

void KaiFactReader::AddTasks(JobIndex j, uint32_t number, KaiJobFacts* job) {
  KaiFacts& facts = out_.facts;
  std::span<const TaskIndex> tasks = tables_.jobs.tasks[j];
  std::vector<TaskIndex> sorted;
  const auto by_rank = [&](TaskIndex t) { return tables_.tasks.uid_rank[t]; };
  if (!std::ranges::is_sorted(tasks, {}, by_rank)) {
    sorted.assign(tasks.begin(), tasks.end());
    std::ranges::stable_sort(sorted, {}, by_rank);
    tasks = sorted;
  }
  job->tasks.reserve(tasks.size());
  const bool one_set = tables_.jobs.spec[j].sub_groups.empty();
  // Tasks that no rule tells apart are in order already.
  const bool in_order = std::ranges::all_of(tasks, [&](TaskIndex t) {
    return tables_.tasks.created[t] == tables_.tasks.created[tasks[0]] &&
           tables_.classes.shape[tables_.tasks.task_class[t]].labels.empty();
  });
  std::vector<KaiTaskKey> keys;
  for (const TaskIndex t : tasks) {
    const SubGroupIndex s = tables_.tasks.sub_group[t];
    const uint32_t pod_set = one_set ? 1 : s == kNone ? 0 : static_cast<uint32_t>(s) + 1;
    if (!job->groups[pod_set].is_pod_set) continue;  // a task of no sub-group is not the job's
    if (!in_order) keys.push_back(TaskKeyOf(t, keys.size()));
    const auto place = static_cast<uint32_t>(job->tasks.size());
    KaiTask task{.shape = shape_of_[tables_.tasks.task_class[t]],
                 .job = number,
                 .place = place,
                 .pod_set = pod_set,
                 .rank = place};
    const NodeIndex nominated = tables_.tasks.nominated[t];
    if (nominated != kNone) task.nominated = node_of_[nominated];
    out_.task_of[t] = static_cast<uint32_t>(facts.tasks.size());
    job->tasks.push_back(out_.task_of[t]);
    facts.tasks.push_back(task);
    facts.task_origin.push_back(t);
  }
  if (in_order) return;
  constexpr KaiTaskRule kRules[] = {KaiTaskRule::kKubeflow, KaiTaskRule::kRay,
                                    KaiTaskRule::kTaskPriority};
  const std::vector<uint32_t> order = OrderKaiTasks(kRules, keys);
  for (uint32_t rank = 0; rank < order.size(); ++rank) {
    facts.tasks[job->tasks[order[rank]]].rank = rank;
  }
}

void KaiFactReader::ReadJobs() {
  out_.task_of.assign(tables_.tasks.alive.size(), kKaiNone);
  std::vector<JobIndex> jobs;
  for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
    if (tables_.jobs.alive[j] != 0) jobs.push_back(j);
  }
  std::ranges::stable_sort(jobs, {}, [&](JobIndex j) { return tables_.jobs.spec[j].uid_rank; });
  out_.facts.jobs.reserve(jobs.size());
  out_.facts.tasks.reserve(tables_.tasks.alive.size());
  out_.facts.task_origin.reserve(tables_.tasks.alive.size());
  for (const JobIndex j : jobs) ReadJob(j);
}

// Charges tasks of no job to their nodes.
void KaiFactReader::ReadForeign() {
  KaiFacts& facts = out_.facts;
  for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
    if (tables_.tasks.alive[t] == 0 || out_.task_of[t] != kKaiNone) continue;
    const TaskStatus status = tables_.tasks.status[t];
    if (!HoldsNode(status) || status == TaskStatus::kNominated) continue;
    KaiNodeFacts& node = facts.nodes[node_of_[tables_.tasks.node[t]]];
    if (node.foreign.empty()) {
      node.foreign.assign(facts.dimensions, 0.0);
      node.foreign_releasing.assign(facts.dimensions, 0.0);
    }
    const uint32_t shape = shape_of_[tables_.tasks.task_class[t]];
    const std::vector<double>& request = facts.shapes[shape].request;
    node.foreign_shapes.push_back(shape);
    for (size_t d = 0; d < request.size(); ++d) {
      node.foreign[d] += request[d];
      if (status == TaskStatus::kReleasing) node.foreign_releasing[d] += request[d];
    }
  }
}

KaiStatus KaiFactReader::StatusOf(TaskIndex t) const {
  switch (tables_.tasks.status[t]) {
    case TaskStatus::kNominated:
      if (out_.facts.options.keeps_promises) return KaiStatus::kPipelined;
      [[fallthrough]];
    case TaskStatus::kPending:
    case TaskStatus::kPlaced:
      return (tables_.tasks.flags[t] & kTaskGated) != 0 ? KaiStatus::kGated : KaiStatus::kPending;
    case TaskStatus::kBinding:
    case TaskStatus::kWaiting:
      return KaiStatus::kBinding;
    case TaskStatus::kBound:
      return KaiStatus::kBound;
    case TaskStatus::kRunning:
      return KaiStatus::kRunning;
    case TaskStatus::kReleasing:
      return KaiStatus::kReleasing;
    case TaskStatus::kSucceeded:
      return KaiStatus::kSucceeded;
    case TaskStatus::kFailed:
      return KaiStatus::kFailed;
    case TaskStatus::kUnknown:
      return KaiStatus::kStuckInReleasing;
  }
  return KaiStatus::kUnknown;
}

void KaiFactReader::ReadOpening() {
  const KaiFacts& facts = out_.facts;
  // By node, then by place of the device: its group.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> groups;
  std::vector<uint32_t> holders;  // tasks with devices on a node
  const auto each_hold = [&](bool shared, auto&& use) {
    for (const uint32_t t : holders) {
      if (facts.shape_of(t).shares_gpu() != shared) continue;
      const TaskIndex origin(facts.task_origin[t]);
      const uint32_t n = out_.opening[t].node;
      const NodeIndex node(facts.node_origin[n]);
      const std::vector<DeviceSpec>& devices = tables_.nodes.spec[node].devices;
      for (const DeviceHold& hold : tables_.hold_lists[tables_.tasks.devices[origin]]) {
        const auto at = std::ranges::find(devices, hold.device, &DeviceSpec::name);
        use(t, std::pair(n, static_cast<uint32_t>(at - devices.begin())));
      }
    }
  };
  out_.opening.resize(facts.tasks.size());
  for (uint32_t t = 0; t < facts.tasks.size(); ++t) {
    const TaskIndex origin(facts.task_origin[t]);
    KaiOpening& opening = out_.opening[t];
    opening.status = StatusOf(origin);
    const NodeIndex node = tables_.tasks.node[origin];
    if (node == kNone || !IsActiveUsed(opening.status)) continue;
    opening.node = node_of_[node];
    if (tables_.tasks.devices[origin] != 0) holders.push_back(t);
  }
  each_hold(true, [&](uint32_t, std::pair<uint32_t, uint32_t> device) { groups[device] = 0; });
  for (auto& [device, group] : groups) {
    group = static_cast<uint32_t>(out_.device_of.size());
    out_.device_of.push_back(device.second);
  }
  each_hold(true, [&](uint32_t t, std::pair<uint32_t, uint32_t> device) {
    out_.opening[t].devices.push_back(groups[device]);
  });
  each_hold(false, [&](uint32_t t, std::pair<uint32_t, uint32_t> device) {
    out_.held.push_back({device.first, device.second, t});
  });
  std::ranges::stable_sort(out_.held, {}, &KaiHeldDevice::node);
}

}  // namespace muster
