// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/read_world.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/yunikorn/read_config.h"

namespace muster::yunikorn {
namespace {

// Names of tasks are keys of their pods; with this in front, of their placeholders. No name has it:
// names are UTF-8.
constexpr std::string_view kPlaceholderPrefix = "\xff";
// In memory, which is UTF-8, rows of placeholders are those of other kinds.
constexpr std::string_view kHeld = "held-";
// Nodes without an amount of pods have no limit of them.
constexpr Quantity kManyPods = Quantity{1} << 40;
constexpr int64_t kMostSeconds = std::numeric_limits<Nanos>::max() / kSecond / 4;
constexpr int64_t kDefaultTimeout = 900;

struct JobRules {
  bool hard = false;
  int64_t timeout = kDefaultTimeout;
  std::string originator;
  bool has_originator = false;
};

absl::Status ReadRules(const JobSpec& spec, JobRules* rules) {
  SettingReader settings("job", spec.name, spec.settings, kProfileName);
  rules->hard = settings.Choice("gangSchedulingStyle", {"Soft", "Hard"}, "Soft") == "Hard";
  rules->timeout =
      settings.Integer("placeholderTimeoutInSeconds", 0, kMostSeconds, kDefaultTimeout);
  if (const std::optional<std::string_view> group = settings.Text("originator")) {
    rules->originator = std::string(*group);
    rules->has_originator = true;
  }
  return settings.Finish();
}

bool HasStarted(TaskStatus status) {
  return status != TaskStatus::kPending && status != TaskStatus::kNominated &&
         status != TaskStatus::kWaiting;
}

bool IsRequest(const TaskTable& tasks, TaskIndex task) {
  const TaskStatus status = tasks.status[task];
  return (status == TaskStatus::kPending || status == TaskStatus::kNominated) &&
         (tasks.flags[task] & kTaskGated) == 0;
}

std::string RequiredNodeOf(const TaskShape& shape) {
  if (!shape.required_node_affinity || shape.required_node_affinity->size() != 1) return {};
  const NodeTerm& term = shape.required_node_affinity->front();
  if (!term.match_expressions.empty() || term.match_fields.size() != 1) return {};
  const Requirement& field = term.match_fields.front();
  if (field.key != "metadata.name" || field.op != RequirementOp::kIn) return {};
  return field.values.size() == 1 ? field.values.front() : std::string();
}

absl::Status CheckNames(const Tables& tables) {
  if (tables.dimension_count() > static_cast<size_t>(kMostTypes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("profile yunikorn: the cluster has ", tables.dimension_count(),
                     " dimensions; at most ", kMostTypes, " are read"));
  }
  if (!tables.dimensions.Find(TypeName("cpu"))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("profile yunikorn: resource ", Quote(TypeName("cpu")),
                   ": YuniKorn has this name for cpu; a resource needs another"));
}

absl::Status CheckJob(const Tables& tables, JobIndex j) {
  JobRules rules;
  if (!tables.jobs.alive[j] || tables.jobs.spec[j].settings.empty()) return absl::OkStatus();
  return ReadRules(tables.jobs.spec[j], &rules);
}

}  // namespace

Nanos NanosOf(int64_t seconds) {
  return std::clamp(seconds, -kMostSeconds, kMostSeconds) * kSecond;
}

absl::Status CheckTables(const Tables& tables, const Options& options) {
  if (absl::Status s = CheckNames(tables); !s.ok()) return s;
  if (absl::Status s = CheckNoNodeSettings(tables.nodes, kProfileName); !s.ok()) return s;
  absl::StatusOr<PartitionConfig> config = ReadConfig(tables, options);
  if (!config.ok()) return config.status();
  Partition partition;
  absl::Status status = partition.Configure(*std::move(config), ChecksOf(options));
  for (JobIndex j = 0; status.ok() && j < tables.jobs.alive.size(); ++j) {
    status = CheckJob(tables, j);
  }
  return status;
}

// A failure is that of the first wrong row, as if all were checked.
absl::Status CheckChanges(const Tables& tables, const Options& options,
                          std::span<const Change> changes) {
  bool ok = CheckNames(tables).ok();
  for (const Change& change : changes) {
    if (change.table == Change::Table::kTask) continue;
    ok = ok && change.table == Change::Table::kJob && CheckJob(tables, JobIndex(change.index)).ok();
  }
  return ok ? absl::OkStatus() : CheckTables(tables, options);
}

World::World(const Tables& tables, const Options& options, int64_t now, const MemorySlot& memory)
    : tables_(&tables), now_(now), dimensions_(tables.dimension_count()) {
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    (void)partition.names.Intern(TypeName(tables.dimensions.name(d)));
  }
  partition.now = NanosOf(now);
  absl::StatusOr<PartitionConfig> config = ReadConfig(tables, options);
  if (!config.ok() || !partition.Configure(*std::move(config), ChecksOf(options)).ok()) return;
  partition.reservation_delay = NanosOf(static_cast<int64_t>(options.number("reservation_delay")));
  queue_rows_ = ReadQueueRows();
  for (const std::string& path : queue_rows_.closed) {
    const Index queue = partition.FindQueue(path);
    if (queue != kNone) partition.queues[queue].state = QueueState::kStopped;
  }
  ListRows();
  partition.allocations.reserve(tables.tasks.alive.size());
  partition.applications.reserve(tables.jobs.alive.size());
  partition.nodes.reserve(tables.nodes.alive.size());
  AddNodes();
  AddForeign();
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    if (tables.jobs.alive[j]) AddJob(j, memory);
  }
  Recall(memory);
}

// REQUIRES: CheckTables.
World::QueueRows World::ReadQueueRows() const {
  QueueRows rows{.root = *ReadQueues(*tables_)};
  const QueueTable& queues = tables_->queues;
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.spec[q].state == muster::QueueState::kClosed) {
      rows.closed.push_back(PathOf(*tables_, q));
    }
  }
  return rows;
}

// --- nodes and foreign pods

void World::AddNodes() {
  const NodeTable& nodes = tables_->nodes;
  for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
    if (!nodes.alive[n]) continue;
    Resource total;
    for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
      const int64_t cell = nodes.allocatable.at(n, d);
      if (cell != kAbsent) {
        total.Set(static_cast<int>(d), AmountOf(*tables_, d, cell, Rounding::kDown));
      } else if (d == kPods) {
        total.Set(static_cast<int>(d), kManyPods);
      }
    }
    (void)partition.AddNode(nodes.spec[n].name, total, !nodes.spec[n].unschedulable);
    node_of_.push_back(n);
  }
}

// Rows that are new since the last call have no pod of another, and no application.
void World::ListRows() {
  for (TaskIndex t(task_of_.size()); t < tables_->tasks.alive.size(); ++t) task_of_.push_back(t);
  for (TaskIndex t(name_of_.size()); t < tables_->tasks.alive.size(); ++t) name_of_.push_back(t);
  job_of_.resize(tables_->tasks.alive.size(), muster::kNone);
  application_of_.resize(tables_->jobs.alive.size(), kNone);
}

// Returns whether the task holds a node and is no pod of an application.
bool World::IsForeign(TaskIndex t) const {
  const TaskTable& tasks = tables_->tasks;
  if (!tasks.alive[t] || tasks.node[t] == muster::kNone || !HoldsNode(tasks.status[t]))
    return false;
  return !tables_->has_job(t) || tasks.status[t] == TaskStatus::kUnknown;
}

void World::AddForeignPod(TaskIndex t) {
  foreign_.insert(t);
  (void)partition.UpdateAllocation(NewPod(t), "", tables_->nodes.spec[tables_->tasks.node[t]].name);
}

void World::AddForeign() {
  const TaskTable& tasks = tables_->tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (IsForeign(t)) AddForeignPod(t);
  }
}

// --- pods

const Resource& World::RequestOf(ClassIndex c) const {
  if (c >= requests_.size()) requests_.resize(tables_->classes.shape.size(), Resource::Nil());
  Resource& resource = requests_[c];
  if (!resource.nil()) return resource;
  resource = {};
  for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
    const int64_t cell = std::max(OrZero(tables_->classes.request.at(c, d)),
                                  OrZero(tables_->classes.initial_request.at(c, d)));
    if (cell > 0) resource.Set(static_cast<int>(d), AmountOf(*tables_, d, cell, Rounding::kUp));
  }
  return resource;
}

bool World::IsOriginator(TaskIndex task) const {
  const JobIndex job = tables_->tasks.job[task];
  if (job == muster::kNone || tables_->jobs.spec[job].settings.empty()) return false;
  JobRules rules;
  (void)ReadRules(tables_->jobs.spec[job], &rules);
  return rules.has_originator &&
         tables_->jobs.groups[job][tables_->tasks.group[task]].name == rules.originator;
}

Allocation World::NewPod(TaskIndex task) const {
  Allocation pod;
  FillPod(task, pod);
  return pod;
}

void World::FillPod(TaskIndex task, Allocation& pod) const {
  const TaskTable& tasks = tables_->tasks;
  const JobIndex job = tasks.job[task];
  const ClassIndex c = tasks.task_class[task];
  pod.key = tasks.names.name(task);
  pod.host_number = static_cast<uint32_t>(task);
  pod.resource = RequestOf(c);
  pod.create_time = NanosOf(tasks.created[task]);
  pod.priority = tasks.priority[task];
  pod.required_node = RequiredNodeOf(tables_->classes.shape[c]);
  pod.originator = IsOriginator(task);
  pod.may_be_preempted =
      (tasks.flags[task] & kTaskPreemptable) != 0 &&
      (job == muster::kNone || tables_->jobs.spec[job].preemptable.value_or(true));
  pod.may_preempt = (tasks.flags[task] & kTaskNeverPreempts) == 0;
  pod.preempted = tasks.status[task] == TaskStatus::kReleasing;
}

std::string World::TaskGroupOf(TaskIndex task) const {
  const TaskTable& tasks = tables_->tasks;
  const std::string& group = tables_->jobs.groups[tasks.job[task]][tasks.group[task]].name;
  return absl::StrCat(group, "/", static_cast<uint32_t>(tasks.task_class[task]));
}

std::string World::PlaceholderOf(TaskIndex task) const {
  return absl::StrCat(ToAbsl(kPlaceholderPrefix), ToAbsl(tables_->tasks.names.name(task)));
}

TaskIndex World::TaskOf(std::string_view key) const {
  const bool placeholder = key.starts_with(kPlaceholderPrefix);
  if (placeholder) key.remove_prefix(kPlaceholderPrefix.size());
  const TaskIndex named = tables_->tasks.names.Find(key).value_or(muster::kNone);
  return placeholder || named == muster::kNone ? named : task_of_[named];
}

void World::SwapPods(TaskIndex task, TaskIndex other) {
  std::swap(task_of_[name_of_[task]], task_of_[name_of_[other]]);
  std::swap(name_of_[task], name_of_[other]);
}

void World::AddRequests(Index application, const std::vector<TaskIndex>& tasks, InGroup group) {
  if (application == kNone) return;
  partition.AddNewRequests(application, tasks.size(), [&](size_t i, Allocation& request) {
    FillPod(tasks[i], request);
    if (group == InGroup::kTaskGroup) request.task_group = TaskGroupOf(tasks[i]);
  });
}

void World::AddPlaceholder(TaskIndex task) {
  const TaskTable& tasks = tables_->tasks;
  Allocation pod = NewPod(task);
  pod.key = PlaceholderOf(task);
  pod.task_group = TaskGroupOf(task);
  pod.placeholder = true;
  const bool waits = tasks.status[task] == TaskStatus::kWaiting;
  (void)partition.UpdateAllocation(std::move(pod), tables_->jobs.spec[tasks.job[task]].name,
                                   waits ? tables_->nodes.spec[tasks.node[task]].name : "");
}

// --- jobs

// Those that wait with a placeholder first, then by priority and time of creation.
void World::SortMembers(std::vector<TaskIndex>* open) const {
  const TaskTable& tasks = tables_->tasks;
  std::ranges::stable_sort(*open, [&](TaskIndex a, TaskIndex b) {
    const bool a_waits = tasks.status[a] == TaskStatus::kWaiting;
    if (a_waits != (tasks.status[b] == TaskStatus::kWaiting)) return a_waits;
    if (tasks.priority[a] != tasks.priority[b]) return tasks.priority[a] > tasks.priority[b];
    return tasks.created[a] < tasks.created[b];
  });
}

// Sets the members. Returns false if the job has too few tasks for what it needs.
bool World::FindMembers(JobIndex job, Gang* gang) const {
  const TaskTable& tasks = tables_->tasks;
  std::vector<TaskIndex> open;
  for (const TaskIndex task : tables_->jobs.tasks[job]) {
    if (IsOriginator(task)) continue;
    if (HasStarted(tasks.status[task])) return true;
    const bool waits = tasks.status[task] == TaskStatus::kWaiting;
    if (waits || IsRequest(tasks, task)) open.push_back(task);
  }
  const int64_t least = tables_->jobs.spec[job].min_available;
  std::vector<int64_t> needed;
  int64_t of_groups = 0;
  for (const GroupRow& group : tables_->jobs.groups[job]) {
    needed.push_back(std::max<int64_t>(0, OrZero(group.min_available)));
    of_groups = SatAdd(of_groups, needed.back());
  }
  // Which tasks are members is asked of gangs alone.
  if (std::max(of_groups, least) >= 2) SortMembers(&open);
  std::vector<TaskIndex> others;
  for (const TaskIndex task : open) {
    int64_t& left = needed[tasks.group[task]];
    (left > 0 ? gang->members : others).push_back(task);
    left -= left > 0 ? 1 : 0;
  }
  for (const TaskIndex task : others) {
    if (static_cast<int64_t>(gang->members.size()) >= least) break;
    gang->members.push_back(task);
  }
  const bool enough = static_cast<int64_t>(gang->members.size()) >= least &&
                      std::ranges::all_of(needed, [](int64_t left) { return left == 0; });
  if (!enough || gang->members.size() < 2) gang->members.clear();
  return enough;
}

bool World::AddApplication(JobIndex job, const Gang& gang) {
  const JobSpec& spec = tables_->jobs.spec[job];
  Application application;
  application.id = spec.name;
  application.queue_path = PathOf(*tables_, tables_->jobs.queue[job]);
  application.submission_time = NanosOf(spec.created);
  application.usage.user = spec.owner ? spec.owner->user : "nobody";
  if (spec.owner) application.usage.groups = spec.owner->groups;
  for (const TaskIndex member : gang.members) {
    application.placeholder_ask.AddTo(RequestOf(tables_->tasks.task_class[member]));
  }
  const Index wanted = partition.FindQueue(application.queue_path);
  std::string message = "application rejected: no placement rule matched";
  if (wanted == kNone || !partition.queues[wanted].leaf) {
    message = absl::StrCat("application rejected: queue ", application.queue_path, " is no leaf");
  } else if (absl::Status status = partition.AddApplication(application); !status.ok()) {
    message = std::string(status.message());
  } else if (partition.applications[partition.application_index.find(spec.name)->second].queue ==
             wanted) {
    application_of_[job] = partition.application_index.find(spec.name)->second;
    return true;
  } else {
    (void)partition.RemoveApplication(spec.name);
  }
  rejected.push_back({job, false, std::move(message)});
  application.queue_path = "root.@recovery@";
  application.placeholder_ask = {};
  application.forced = true;
  (void)partition.AddApplication(std::move(application));
  return false;
}

// Allocations of what holds a node. Members of a gang that gathers are added as placeholders.
void World::AddHeld(JobIndex job, bool gathers) {
  const TaskTable& tasks = tables_->tasks;
  for (const TaskIndex task : tables_->jobs.tasks[job]) {
    const TaskStatus status = tasks.status[task];
    if (tasks.node[task] == muster::kNone || !HoldsNode(status)) continue;
    if (status == TaskStatus::kNominated || status == TaskStatus::kUnknown) continue;
    const std::string& node = tables_->nodes.spec[tasks.node[task]].name;
    if (status == TaskStatus::kWaiting) {
      // A placeholder that the host is about to end.
      if (!gathers) {
        AddForeignPod(task);
        has_leftovers_ = true;
      }
      continue;
    }
    Allocation pod = NewPod(task);
    const Resource resource = pod.resource;
    const bool leaves = pod.preempted;
    if (!partition.UpdateAllocation(std::move(pod), tables_->jobs.spec[job].name, node).ok())
      continue;
    const Index application =
        partition.application_index.find(tables_->jobs.spec[job].name)->second;
    for (Index q = partition.applications[application].queue; leaves && q != kNone;
         q = partition.queues[q].parent) {
      partition.queues[q].preempting.AddTo(resource);
    }
  }
}

void World::AddJob(JobIndex job, const MemorySlot& memory) {
  const TaskTable& tasks = tables_->tasks;
  const std::vector<TaskIndex>& own = tables_->jobs.tasks[job];
  for (const TaskIndex task : own) job_of_[task] = job;
  const bool lives = std::ranges::any_of(
      own, [&](TaskIndex t) { return IsRequest(tasks, t) || HoldsNode(tasks.status[t]); });
  if (!lives) return;
  JobRules rules;
  (void)ReadRules(tables_->jobs.spec[job], &rules);
  Gang gang;
  const bool enough = FindMembers(job, &gang);
  const std::string row = absl::StrCat("gang/", tables_->jobs.spec[job].name);
  gang.deadline = memory.Integer(row, 0, kAbsent);
  gang.timeout = rules.timeout;
  const bool late = !gang.members.empty() && gang.deadline != kAbsent && now_ >= gang.deadline;
  const bool gathers = !gang.members.empty() && !late;
  if (!gathers) gang.members.clear();
  if (!AddApplication(job, gang)) return AddHeld(job, /*gathers=*/false);
  AddHeld(job, gathers);
  if (!enough) return rejected.push_back({job, true, {}});
  if (late && rules.hard) {
    return rejected.push_back({job, false, "application failed: ResourceReservationTimeout"});
  }
  const Index application = ApplicationOf(job);
  if (!gathers && late) gangs[job] = gang;  // the deadline stays known
  std::vector<TaskIndex> requests;
  for (const TaskIndex task : own) {
    if (IsRequest(tasks, task) && (!gathers || IsOriginator(task))) requests.push_back(task);
  }
  AddRequests(application, requests, InGroup::kNone);
  if (!gathers) return;
  for (const TaskIndex member : gang.members) {
    AddPlaceholder(member);
    gang.placed += tasks.status[member] == TaskStatus::kWaiting ? 1 : 0;
  }
  gangs[job] = std::move(gang);
  SubmitIfWhole(job);
}

Index World::ApplicationOf(JobIndex job) const {
  const auto found = partition.application_index.find(tables_->jobs.spec[job].name);
  return found == partition.application_index.end() ? kNone : found->second;
}

Gang* World::GangOf(JobIndex job) {
  const auto found = gangs.find(job);
  return found == gangs.end() || found->second.members.empty() ? nullptr : &found->second;
}

void World::SubmitIfWhole(JobIndex job) {
  Gang* gang = GangOf(job);
  if (gang == nullptr || gang->submitted || gang->placed < gang->members.size()) return;
  gang->submitted = true;
  const Index application = ApplicationOf(job);
  AddRequests(application, gang->members, InGroup::kTaskGroup);
  std::vector<TaskIndex> members = gang->members, others;
  std::ranges::sort(members);
  for (const TaskIndex task : tables_->jobs.tasks[job]) {
    if (!IsRequest(tables_->tasks, task) || IsOriginator(task)) continue;
    if (!std::ranges::binary_search(members, task)) others.push_back(task);
  }
  AddRequests(application, others, InGroup::kNone);
}

// --- memory

// Times in memory are nanoseconds, but for deadlines of gangs.
void World::Recall(const MemorySlot& memory) {
  for (const auto& [key, row] : memory.rows()) {
    const size_t slash = key.find('/');
    if (slash == key.npos) continue;
    const std::string_view kind = std::string_view(key).substr(0, slash);
    const std::string_view name = std::string_view(key).substr(slash + 1);
    if (kind == "quota") {
      RecallQuota(name, row);
    } else if (kind == "backoff") {
      RecallBackoff(name, memory);
    } else if (const TaskIndex task = TaskOf(name);
               task != muster::kNone && tables_->has_job(task)) {
      RecallPod(kind, task, memory);
    }
  }
}

void World::RecallBackoff(std::string_view id, const MemorySlot& memory) {
  const auto found = partition.application_index.find(id);
  if (found == partition.application_index.end()) return;
  partition.applications[found->second].backoff_deadline =
      memory.Integer(absl::StrCat("backoff/", ToAbsl(id)), 0, kNever);
}

// Recalls the row of this kind of the pod of `task`, which is there.
void World::RecallPod(std::string_view kind, TaskIndex task, const MemorySlot& memory) {
  const std::string_view name = tables_->tasks.names.name(task);
  const std::string key = absl::StrCat(ToAbsl(kind), "/", ToAbsl(name));
  const std::string& job = tables_->jobs.spec[tables_->tasks.job[task]].name;
  const std::string pod = kind.starts_with(kHeld) ? PlaceholderOf(task) : std::string(name);
  if (kind.ends_with("reserved")) {
    partition.RestoreReservation(job, pod, memory.Text(key, 0), memory.Integer(key, 1));
  } else if (kind.ends_with("ask")) {
    const auto found = partition.application_index.find(job);
    if (found == partition.application_index.end()) return;
    const auto& requests = partition.applications[found->second].requests;
    const auto request = requests.find(pod);
    if (request == requests.end()) return;
    Allocation& ask = partition.allocations[request->second];
    if (ask.allocated) return;  // it has a node since
    ask.preempt_check_time = memory.Integer(key, 0, kNever);
    ask.preemption_triggered = memory.Integer(key, 1) != 0;
  }
}

// A row is the time from which the limit is enforced, the delay, and the limit: types and amounts.
void World::RecallQuota(std::string_view path, const MemoryRow& row) {
  const Index queue = partition.FindQueue(path);
  const auto integer = [&](size_t cell) {
    const int64_t* value = cell < row.size() ? std::get_if<int64_t>(&row[cell]) : nullptr;
    return value == nullptr ? int64_t{0} : *value;
  };
  if (queue == kNone || row.size() < 2 || !partition.quota_preemption) return;
  Resource most = Resource::Nil();
  for (size_t cell = 2; cell + 1 < row.size(); cell += 2) {
    const std::string* name = std::get_if<std::string>(&row[cell]);
    const int type = name == nullptr ? -1 : partition.names.Find(*name);
    if (type >= 0) most.Set(type, integer(cell + 1));
  }
  partition.RestoreQuotaStart(queue, integer(0), most, integer(1));
}

void World::RememberQuotas(MemorySlot* slot) const {
  for (const Queue& queue : partition.queues) {
    if (queue.removed || !queue.managed || queue.parent == kNone || queue.most.nil()) continue;
    MemoryRow row = {queue.quota_preemption_start, queue.rules.quota_preemption_delay};
    for (int type : queue.most.types()) {
      row.emplace_back(partition.names.name(type));
      row.emplace_back(queue.most.Get(type));
    }
    slot->Set(absl::StrCat("quota/", queue.path), std::move(row));
  }
}

MemorySlot World::Remember() {
  const std::pair counted(partition.reservation_changes, partition.attempt_changes);
  if (left_at_ == counted && decided_.empty() && gangs.empty()) return left_;
  MemorySlot slot;
  if (partition.quota_preemption) RememberQuotas(&slot);
  for (const auto& [job, gang] : gangs) {
    if (gang.deadline == kAbsent || gang.submitted) continue;
    slot.Set(absl::StrCat("gang/", tables_->jobs.spec[job].name), {gang.deadline});
  }
  // A pod may be another member's by now.
  const auto row_of = [&](std::string_view kind, const Allocation& pod) {
    return absl::StrCat(pod.placeholder ? ToAbsl(kHeld) : "", ToAbsl(kind), "/",
                        ToAbsl(tables_->tasks.names.name(TaskOf(pod))));
  };
  for (const Application& app : partition.applications) {
    if (app.backoff_deadline != kNever) {
      slot.Set(absl::StrCat("backoff/", app.id), {app.backoff_deadline});
    }
    for (const Reservation& reservation : app.reservations) {
      slot.Set(row_of("reserved", partition.allocations[reservation.request]),
               {partition.nodes[reservation.node].id, reservation.create_time});
    }
  }
  for (const Application& app : partition.applications) {
    for (size_t i = app.first_open; i < app.sorted_requests.size(); ++i) {
      const Allocation& ask = partition.allocations[app.sorted_requests[i]];
      if (ask.allocated) continue;
      if (ask.preempt_check_time == kNever && !ask.preemption_triggered) continue;
      slot.Set(row_of("ask", ask), {ask.preempt_check_time, int64_t{ask.preemption_triggered}});
    }
  }
  left_ = slot;
  left_at_ = counted;
  return slot;
}

}  // namespace muster::yunikorn
