// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/gangs.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/settings.h"

namespace muster::scheduler_plugins {
namespace {

constexpr char kGroupSlot[] = "plugin-groups", kPodSlot[] = "plugin-pods";
constexpr char kGroupLabel[] = "scheduling.x-k8s.io/pod-group";
enum PodCell : size_t { kCame, kRejectedCell };

std::optional<double> TimeOrNone(int64_t time) {
  if (time == kAbsent) return std::nullopt;
  return static_cast<double>(time);
}
int64_t TimeOrAbsent(const std::optional<double>& time) {
  return time ? static_cast<int64_t>(*time) : kAbsent;
}

bool HasNode(TaskStatus status) {
  return (HoldsNode(status) && status != TaskStatus::kNominated) ||
         status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
}

// The part behind "namespace/"; the whole where there is none.
std::string_view ShortName(std::string_view name, std::string_view name_space) {
  const bool prefixed = name.size() > name_space.size() && name.starts_with(name_space) &&
                        name[name_space.size()] == '/';
  return prefixed ? name.substr(name_space.size() + 1) : name;
}

// Returns the job's setting "scheduler-plugins/timeout" in seconds; nothing where it has none. A
// failure is that of a setting of the profile that is unknown or wrong.
absl::StatusOr<std::optional<int64_t>> TimeoutOf(std::string_view name, const JobSpec& job) {
  SettingReader settings("job", name, job.settings, "scheduler-plugins");
  const int64_t seconds = settings.Integer("timeout", 0, int64_t{1} << 40, -1);
  if (absl::Status status = settings.Finish(); !status.ok()) return status;
  if (seconds < 0) return std::nullopt;
  return seconds;
}

struct GroupName {
  std::string name_space, group;
};

// A job without a name space in its name has that of its first pod.
GroupName GroupOf(const Tables& tables, JobIndex job) {
  const std::string_view name = tables.jobs.names.name(job);
  const std::vector<TaskIndex>& tasks = tables.jobs.tasks[job];
  GroupName group;
  if (const size_t slash = name.find('/'); slash != name.npos) {
    group.name_space = std::string(name.substr(0, slash));
  } else if (tasks.empty()) {
    group.name_space = "default";
  } else {
    group.name_space = tables.classes.shape[tables.tasks.task_class[tasks[0]]].name_space;
  }
  group.group = std::string(ShortName(name, group.name_space));
  return group;
}

CoschedulingOptions OptionsOf(const PluginSettings& settings) {
  CoschedulingOptions options;
  const double ticks = static_cast<double>(settings.ticks);
  options.permit_timeout = settings.permit_timeout != 0 ? settings.permit_timeout : 60 * ticks;
  options.backoff = settings.group_backoff;
  options.tolerated_part = settings.reject_part;
  return options;
}

}  // namespace

absl::Status CheckGroups(const Tables& tables) {
  const JobTable& jobs = tables.jobs;
  HashMap<std::string, JobIndex> job_of;
  for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
    if (!jobs.alive[job]) continue;
    const std::string_view name = jobs.names.name(job);
    if (const auto timeout = TimeoutOf(name, jobs.spec[job]); !timeout.ok()) {
      return timeout.status();
    }
    const GroupName group = GroupOf(tables, job);
    const auto [known, is_new] =
        job_of.try_emplace(absl::StrCat(group.name_space, "/", group.group), job);
    if (is_new) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("job ", Quote(name), ": is the pod group ", Quote(known->first), ", as job ",
                     Quote(jobs.names.name(known->second)),
                     " is; profile scheduler-plugins has one job a group"));
  }
  return absl::OkStatus();
}

Gangs::Gangs(const PluginSettings& settings)
    : options_(OptionsOf(settings)), ticks_(settings.ticks), groups_(options_) {}

void Gangs::Open(kube::World* world, MemorySlots* memory, int64_t now) {
  world_ = world;
  tables_ = &world->tables();
  now_ = now;
  const MemorySlot& pods = memory->Recall(kPodSlot);
  for (const auto& [name, row] : pods.rows()) {
    const auto task = tables_->tasks.names.Find(name);
    if (!task) continue;
    const TaskStatus status = tables_->tasks.status[*task];
    if (status == TaskStatus::kPending) came_[name] = pods.Integer(name, kCame);
    if (status == TaskStatus::kReleasing && pods.Integer(name, kRejectedCell) != 0) {
      rejected_[name] = 1;
    }
  }
  const JobTable& jobs = tables_->jobs;
  name_space_of_.resize(jobs.alive.size());
  group_of_.resize(jobs.alive.size());
  for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
    if (!jobs.alive[job]) continue;
    OpenGroup(job);
    const std::string key = absl::StrCat(name_space_of_[job], "/", group_of_[job]);
    const MemorySlot& past = memory->Recall(kGroupSlot);
    if (past.Find(key) == nullptr) continue;
    groups_.SetPast(key, {TimeOrNone(past.Integer(key, 0)), TimeOrNone(past.Integer(key, 1)),
                          TimeOrNone(past.Integer(key, 2))});
  }
}

void Gangs::OpenGroup(JobIndex job) {
  const JobTable& jobs = tables_->jobs;
  const std::string_view name = jobs.names.name(job);
  const std::vector<TaskIndex>& tasks = jobs.tasks[job];
  GroupName group = GroupOf(*tables_, job);
  name_space_of_[job] = std::move(group.name_space);
  group_of_[job] = std::move(group.group);
  PodGroupSpec spec{.min_member = jobs.spec[job].min_available,
                    .created = static_cast<double>(jobs.spec[job].created)};
  // CheckGroups has read the setting. The peer takes a timeout of 0 for none.
  const auto timeout = TimeoutOf(name, jobs.spec[job]).value_or(std::nullopt);
  if (timeout.value_or(0) > 0) spec.timeout = static_cast<double>(*timeout * ticks_);
  const auto amounts = jobs.min_resources.row(job);
  for (DimensionIndex d = 0; d < amounts.size(); ++d) {
    if (amounts[d] == kAbsent) continue;
    spec.min_resources[std::string(tables_->dimensions.name(d))] = amounts[d];
  }
  groups_.SetGroup(absl::StrCat(name_space_of_[job], "/", group_of_[job]), spec);
  for (const TaskIndex t : tasks) {
    GroupPod pod = PodOf(t);
    const TaskStatus status = tables_->tasks.status[t];
    pod.is_gated = (tables_->tasks.flags[t] & kTaskGated) != 0;
    pod.has_node = HasNode(status) && !rejected_.contains(pod.name);
    groups_.SetPod(pod);
    if (status == TaskStatus::kWaiting) groups_.SetWaiting(pod);
  }
}

GroupPod Gangs::PodOf(TaskIndex t) const {
  const JobIndex job = tables_->tasks.job[t];
  GroupPod pod;
  pod.name = std::string(tables_->tasks.names.name(t));
  if (job != kNone) {
    pod.name_space = name_space_of_[job];
    pod.group = group_of_[job];
    return pod;
  }
  const TaskShape& shape = world_->classes().shape(tables_->tasks.task_class[t]);
  pod.name_space = shape.name_space;
  const std::string* label = FindLabel(shape.labels, kGroupLabel);
  if (label != nullptr) pod.group = *label;
  return pod;
}

void Gangs::Store(MemorySlots* memory) const {
  MemorySlot& past = memory->Remember(kGroupSlot);
  past = MemorySlot();
  const JobTable& jobs = tables_->jobs;
  for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
    if (!jobs.alive[job]) continue;
    const std::string key = absl::StrCat(name_space_of_[job], "/", group_of_[job]);
    const GroupPast is = groups_.PastOf(key);
    if (!is.failed && !is.backed_off_until && !is.permitted_until) continue;
    past.Set(key, {TimeOrAbsent(is.failed), TimeOrAbsent(is.backed_off_until),
                   TimeOrAbsent(is.permitted_until)});
  }
  MemorySlot& pods = memory->Remember(kPodSlot);
  pods = MemorySlot();
  for (const auto& [name, came] : came_) pods.Set(name, {came, int64_t{0}});
  for (const auto& [name, mark] : rejected_) pods.Set(name, {int64_t{0}, mark});
}

int64_t Gangs::CameAt(TaskIndex t) {
  return came_.try_emplace(std::string(tables_->tasks.names.name(t)), now_).first->second;
}

kube::QueueRank Gangs::RankOf(TaskIndex t) {
  WaitingPod waiting;
  waiting.pod = PodOf(t);
  waiting.first_tried = static_cast<double>(CameAt(t));
  return {static_cast<int64_t>(groups_.QueueTime(waiting)), FullNameOf(waiting.pod)};
}

std::vector<TaskIndex> Gangs::Reranked() { return std::exchange(reranked_, {}); }

void Gangs::RankAgain(TaskIndex t) {
  const JobIndex job = tables_->tasks.job[t];
  if (job == kNone) return;
  for (const TaskIndex member : tables_->jobs.tasks[job]) {
    if (tables_->tasks.status[member] == TaskStatus::kPending) reranked_.push_back(member);
  }
}

bool Gangs::Wakes(const kube::Happening& happening) {
  return happening.kind == kube::Happened::kPodAssigned ||
         happening.kind == kube::Happened::kPodWaits ||
         happening.kind == kube::Happened::kGroupAdded ||
         happening.kind == kube::Happened::kGroupChanged;
}

std::vector<RoomNode> Gangs::Rooms() const {
  std::vector<RoomNode> rooms;
  const auto& dimensions = tables_->dimensions;
  for (const NodeIndex n : world_->order()) {
    RoomNode& room = rooms.emplace_back();
    for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
      room.allocatable[std::string(dimensions.name(d))] = world_->allocatable(n, d);
    }
    for (const TaskIndex t : world_->pods_on(n)) {
      RoomNode::Holder& holder = room.pods.emplace_back();
      const GroupPod pod = PodOf(t);
      if (!pod.group.empty()) holder.group = GroupKeyOf(pod);
      const auto request = world_->pod(t).request;
      for (DimensionIndex d = 0; d < request.size(); ++d) {
        if (d == kPods || request[d] == 0) continue;
        holder.request[std::string(dimensions.name(d))] = request[d];
      }
    }
  }
  return rooms;
}

// What the cluster lacks, as the peer's language prints a map of quantities.
std::string Gangs::GapText(const GroupPod& pod, TaskIndex t) const {
  const JobIndex job = tables_->tasks.job[t];
  Amounts need;
  const auto amounts = tables_->jobs.min_resources.row(job);
  for (DimensionIndex d = 0; d < amounts.size(); ++d) {
    if (amounts[d] != kAbsent) need[std::string(tables_->dimensions.name(d))] = amounts[d];
  }
  need["pods"] = tables_->jobs.spec[job].min_available;
  std::string text = "resource gap: map[";
  bool first = true;
  for (const auto& [name, amount] : MissingRoom(Rooms(), std::move(need), GroupKeyOf(pod))) {
    const bool milli = IsMilliDimension(name);
    absl::StrAppend(&text, first ? "" : " ", name, ":{{", amount, milli ? " -3" : " 0",
                    "} {<nil>}  ", name == "memory" ? "BinarySI" : "DecimalSI", "}");
    first = false;
  }
  return text + "]";
}

kube::Status Gangs::PreFilter(TaskIndex t) {
  const GroupPod pod = PodOf(t);
  const JobIndex job = tables_->tasks.job[t];
  if (job == kNone) return {};
  const GroupPast past = groups_.PastOf(GroupKeyOf(pod));
  const bool had_room = past.permitted_until && static_cast<double>(now_) < *past.permitted_until;
  const bool asks_room = !had_room && tables_->jobs.spec[job].min_resources.has_value();
  const GroupCheck check = groups_.CheckGroup(pod, asks_room ? Rooms() : std::vector<RoomNode>(),
                                              static_cast<double>(now_));
  if (check == GroupCheck::kPass) return {};
  const absl::string_view name = ToAbsl(ShortName(pod.name, pod.name_space));
  std::string text;
  if (check == GroupCheck::kBackedOff) {
    text = absl::StrCat("podGroup ", GroupKeyOf(pod), " failed recently");
  } else if (check == GroupCheck::kTooFewPods) {
    text = absl::StrCat("pre-filter pod ", name, " cannot find enough sibling pods, current pods ",
                        "number: ", tables_->jobs.tasks[job].size(),
                        ", minMember of group: ", tables_->jobs.spec[job].min_available);
  } else if (check == GroupCheck::kGated) {
    text = absl::StrCat("pre-filter pod ", name,
                        " cannot proceed due to gated pods in the same PodGroup");
  } else {
    text = GapText(pod, t);
  }
  kube::Status status;
  status.code = kube::Code::kUnresolvable;
  status.plugin = NumberOf(ExtraPlugin::kCoscheduling);
  status.causes.push_back(kube::WordsCause(world_, text));
  return status;
}

std::vector<TaskIndex> Gangs::TasksOf(const std::vector<std::string>& names) const {
  std::vector<TaskIndex> tasks;
  for (const std::string& name : names) {
    if (const auto t = tables_->tasks.names.Find(name)) tasks.push_back(*t);
  }
  return tasks;
}

kube::Permission Gangs::Permit(TaskIndex t) {
  const GroupPod pod = PodOf(t);
  const PermitAnswer answer = groups_.Permit(pod);
  kube::Permission permission;
  switch (answer.code) {
    case PermitAnswer::Code::kNoGroup:
      permission.code = kube::Permission::Code::kRefuse;
      permission.plugin = NumberOf(ExtraPlugin::kCoscheduling);
      permission.message = "PodGroup not found";
      return permission;
    case PermitAnswer::Code::kWait:
      permission.code = kube::Permission::Code::kWait;
      permission.until = now_ + static_cast<int64_t>(answer.seconds);
      permission.group = std::string(tables_->jobs.names.name(tables_->tasks.job[t]));
      permission.activated = TasksOf(answer.pods);
      return permission;
    case PermitAnswer::Code::kAllow:
      break;
  }
  came_.erase(pod.name);
  for (const std::string& name : answer.pods) came_.erase(name);
  permission.allowed = TasksOf(answer.pods);
  RankAgain(t);
  return permission;
}

kube::Rejection Gangs::Unreserve(TaskIndex t) {
  const GroupPod pod = PodOf(t);
  kube::Rejection rejection;
  rejection.rejected = TasksOf(groups_.GiveUp(pod, static_cast<double>(now_)));
  rejection.why = "rejection in Unreserve";
  if (tables_->tasks.status[t] == TaskStatus::kWaiting) rejected_[pod.name] = 1;
  RankAgain(t);
  return rejection;
}

kube::Rejection Gangs::NothingFits(TaskIndex t) {
  const GroupPod pod = PodOf(t);
  const FailureAnswer answer = groups_.NothingFits(pod, static_cast<double>(now_));
  kube::Rejection rejection;
  if (answer.code == FailureAnswer::Code::kNoGroup) {
    rejection.message = "can not find pod group";
  } else if (answer.code == FailureAnswer::Code::kRejected) {
    rejection.message = absl::StrCat("PodGroup ", GroupKeyOf(pod), " gets rejected due to Pod ",
                                     ToAbsl(ShortName(pod.name, pod.name_space)),
                                     " is unschedulable even after PostFilter");
    rejection.why = "optimistic rejection in PostFilter";
    rejection.rejected = TasksOf(answer.rejected);
    RankAgain(t);
  }
  return rejection;
}

}  // namespace muster::scheduler_plugins
