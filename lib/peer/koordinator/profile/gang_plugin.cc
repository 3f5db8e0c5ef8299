// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/gang_plugin.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"
#include "lib/peer/koordinator/profile/gang_room.h"
#include "lib/peer/koordinator/setting_keys.h"
#include "lib/peer/kube_scheduler/scheduler.h"

namespace muster::koordinator {
namespace {

constexpr char kGroupSlot[] = "koordinator-groups", kPodSlot[] = "koordinator-pods";
constexpr int64_t kNanosecond = 1'000'000'000;

bool HoldsForGood(TaskStatus status) {
  return (HoldsNode(status) && status != TaskStatus::kNominated &&
          status != TaskStatus::kWaiting) ||
         status == TaskStatus::kSucceeded || status == TaskStatus::kFailed;
}

// As the peer's language quotes.
std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(ToAbsl(text), {{"\"", "\\\""}, {"\\", "\\\\"}}),
                      "\"");
}

}  // namespace

absl::StatusOr<GangMarks> MarksOf(std::string_view name, const JobSpec& job) {
  SettingReader settings("job", name, job.settings, "koordinator");
  GangMarks marks{.least = job.min_available};
  marks.mode = std::string(settings.Choice("mode", {"Strict", "NonStrict"}, "Strict"));
  marks.policy = std::string(settings.Choice(
      "match-policy", {"once-satisfied", "only-waiting", "waiting-and-running"}, ""));
  const int64_t seconds = settings.Integer("waiting-time", 1, 1'000'000'000, 0);
  if (seconds > 0) marks.wait = seconds * kNanosecond;
  if (const auto groups = settings.Text("groups"); groups && !groups->empty()) {
    marks.group = absl::StrSplit(ToAbsl(*groups), ',');
    std::vector<std::string> sorted = marks.group;
    std::sort(sorted.begin(), sorted.end());
    if (sorted[0].empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      settings.Refuse("groups", "must be names of jobs, each once, with commas between them");
    }
  }
  PassOver(koordinator::kWorkloadKeys, &settings);
  if (absl::Status status = settings.Finish(); !status.ok()) return status;
  return marks;
}

void GangPlugin::Open(kube::World* world, MemorySlots* memory, int64_t now) {
  world_ = world;
  tables_ = &world->tables();
  now_ = now;
  for (const auto& [name, row] : memory->Recall(kPodSlot).rows()) {
    const auto task = tables_->tasks.names.Find(name);
    if (task && tables_->tasks.status[*task] == TaskStatus::kReleasing) rejected_[name] = 1;
  }
  const JobTable& jobs = tables_->jobs;
  is_gang_.assign(jobs.alive.size(), 0);
  std::vector<JobIndex> gangs;
  for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
    if (!jobs.alive[job]) continue;
    // The action has checked the settings.
    const GangMarks marks = MarksOf(jobs.names.name(job), jobs.spec[job]).value_or(GangMarks());
    is_gang_[job] = IsGang(jobs.spec[job], marks);
    if (!is_gang_[job]) continue;
    book_.PutGang(std::string(jobs.names.name(job)), marks);
    gangs.push_back(job);
  }
  for (const JobIndex job : gangs) OpenGang(job);
  const MemorySlot& groups = memory->Recall(kGroupSlot);
  for (const auto& [name, group] : book_.groups()) {
    if (groups.Find(name) == nullptr || groups.Integer(name, 0) != BirthOf(*group)) continue;
    group->SetSatisfied();
  }
}

void GangPlugin::OpenGang(JobIndex job) {
  const std::string gang(tables_->jobs.names.name(job));
  for (const TaskIndex t : tables_->jobs.tasks[job]) {
    const TaskStatus status = tables_->tasks.status[t];
    GangTask task{.name = std::string(NameOf(t)), .gang = gang, .is_declared = true};
    task.is_bound = HoldsForGood(status) && !rejected_.contains(task.name);
    book_.PutTask(task);
    if (status == TaskStatus::kWaiting) book_.AtPermit(task.name, gang);
  }
}

// The time at which the first gang of the group was created: a group of the same name that comes
// later is another one.
int64_t GangPlugin::BirthOf(const GangGroup& group) const {
  const std::string first = group.name().substr(0, group.name().find(','));
  const auto job = tables_->jobs.names.Find(first);
  return job ? tables_->jobs.spec[*job].created : 0;
}

void GangPlugin::Store(MemorySlots* memory) const {
  MemorySlot& groups = memory->Remember(kGroupSlot);
  groups = MemorySlot();
  for (const auto& [name, group] : book_.groups()) {
    if (group->was_satisfied()) groups.Set(name, {BirthOf(*group)});
  }
  MemorySlot& pods = memory->Remember(kPodSlot);
  pods = MemorySlot();
  for (const auto& [name, mark] : rejected_) pods.Set(name, {mark});
}

std::string GangPlugin::GangNameOf(TaskIndex t) const {
  const JobIndex job = tables_->tasks.job[t];
  if (job == kNone || !is_gang_[job]) return "";
  return std::string(tables_->jobs.names.name(job));
}

const Gang* GangPlugin::GangOf(TaskIndex t) const {
  const std::string name = GangNameOf(t);
  return name.empty() ? nullptr : book_.Find(name);
}

bool GangPlugin::SharesGroup(TaskIndex t, JobIndex job) const {
  const Gang* gang = GangOf(t);
  if (gang == nullptr || job == kNone) return false;
  const std::vector<std::string>& group = gang->rules.group;
  return std::find(group.begin(), group.end(), tables_->jobs.names.name(job)) != group.end();
}

bool GangPlugin::Wakes(TaskIndex t, const kube::Happening& happening) const {
  switch (happening.kind) {
    case kube::Happened::kPodAssigned:
    case kube::Happened::kPodWaits:
    case kube::Happened::kPodStillWaits:
      return happening.task != kNone && SharesGroup(t, tables_->tasks.job[happening.task]);
    case kube::Happened::kGroupAdded:
    case kube::Happened::kGroupChanged:
      return SharesGroup(t, happening.group);
    case kube::Happened::kPodDeleted:
      return GangOf(t) != nullptr;
    default:
      return false;
  }
}

bool GangPlugin::IsGated(TaskIndex t) {
  return book_.MayEnqueue(std::string(NameOf(t)), GangNameOf(t)) != EnqueueAnswer::kYes;
}

std::string GangPlugin::TooFewText(const Gang& gang, TaskIndex t) const {
  std::vector<std::string> missing, small;
  for (const std::string& name : gang.rules.group) {
    const Gang* other = book_.Find(name);
    if (other == nullptr) {
      missing.push_back(name);
    } else if (static_cast<int64_t>(other->tasks.size()) < other->rules.least) {
      small.push_back(name);
    }
  }
  const bool found = missing.empty();
  return absl::StrCat("gangGroup [", absl::StrJoin(gang.rules.group, " "),
                      "] basic check: memberGangs [", absl::StrJoin(found ? small : missing, " "),
                      found ? "] child pod not collect enough" : "] not found",
                      ", current gang: ", gang.name, ", podName: ", ToAbsl(NameOf(t)));
}

std::string GangPlugin::WhyGated(TaskIndex t) {
  const Gang* gang = GangOf(t);
  if (gang == nullptr) return "";
  if (const auto it = why_.find(gang->group->name()); it != why_.end()) return it->second;
  const EnqueueAnswer answer = book_.MayEnqueue(std::string(NameOf(t)), gang->name);
  if (answer == EnqueueAnswer::kTooFew) return TooFewText(*gang, t);
  const std::string& first = gang->group->representative();
  if (first.empty()) return absl::StrCat("gangGroupID ", gang->group->name(), " is being tried");
  return absl::StrCat("representative pod ", first, " of gangGroupID ", gang->group->name(),
                      " already exists");
}

kube::PodTurn GangPlugin::NextOfTurn() {
  kube::PodTurn turn;
  if (turn_gang_.empty()) return turn;
  while (const std::optional<std::string> name = book_.Next()) {
    const auto t = tables_->tasks.names.Find(*name);
    if (!t) continue;
    turn.next = *t;
    return turn;
  }
  turn.has_ended = true;
  const Gang* gang = book_.Find(turn_gang_);
  turn.rejection.rejected = TasksInGroup(*gang, &Gang::waiting);
  const auto why = why_.find(gang->group->name());
  turn.rejection.why = why != why_.end() ? why->second
                                         : absl::StrCat("GangGroup ", Quoted(gang->group->name()),
                                                        " gets rejected: all of its pods have been "
                                                        "tried");
  turn.parked = TasksInGroup(*gang, &Gang::pending);
  turn_gang_.clear();
  return turn;
}

kube::Status GangPlugin::Refuse(const std::string& words) const {
  kube::Status status;
  status.code = kube::Code::kUnresolvable;
  status.plugin = NumberOf(ExtraPlugin::kCoscheduling);
  status.causes.push_back(kube::WordsCause(world_, words));
  return status;
}

kube::Status GangPlugin::PreFilter(TaskIndex t) {
  const Gang* gang = GangOf(t);
  if (gang == nullptr) return {};
  switch (book_.Begin(std::string(NameOf(t)), gang->name)) {
    case BeginAnswer::kYes:
      if (book_.has_turn() && turn_gang_.empty()) turn_gang_ = gang->name;
      return {};
    case BeginAnswer::kNoGang:
    case BeginAnswer::kNotReady:
      return Refuse(absl::StrCat("gang has not init, gangName: ", gang->name,
                                 ", podName: ", ToAbsl(NameOf(t))));
    case BeginAnswer::kTooFew:
      return Refuse(TooFewText(*gang, t));
    case BeginAnswer::kGroupFailed:
      break;
  }
  return Refuse(why_[gang->group->name()]);
}

std::vector<TaskIndex> GangPlugin::TasksOf(const Gang::Names& names) const {
  std::vector<TaskIndex> tasks;
  for (const std::string& name : names) {
    if (const auto t = tables_->tasks.names.Find(name)) tasks.push_back(*t);
  }
  return tasks;
}

std::vector<TaskIndex> GangPlugin::TasksInGroup(const Gang& gang, Gang::Names Gang::*of) const {
  std::vector<TaskIndex> tasks;
  for (const std::string& name : gang.rules.group) {
    const Gang* other = book_.Find(name);
    if (other == nullptr) continue;
    const std::vector<TaskIndex> found = TasksOf(other->*of);
    tasks.insert(tasks.end(), found.begin(), found.end());
  }
  return tasks;
}

kube::Permission GangPlugin::Permit(TaskIndex t) {
  kube::Permission permission;
  const Gang* gang = GangOf(t);
  if (gang == nullptr) return permission;
  const std::string name(NameOf(t));
  const koordinator::Permit answer = book_.AtPermit(name, gang->name);
  if (answer.answer == PermitAnswer::kWait) {
    permission.code = kube::Permission::Code::kWait;
    const int64_t seconds = answer.wait / kNanosecond;
    permission.until = SatAdd(now_, seconds * ticks_);
    permission.group = gang->group->name();
    undone_.erase(permission.group);
    return permission;
  }
  for (const std::string& started : book_.Allow(gang->name)) {
    const TaskIndex other = *tables_->tasks.names.Find(started);
    if (other != t) permission.allowed.push_back(other);
  }
  if (!book_.has_turn()) turn_gang_.clear();
  book_.Bind(name, gang->name);
  for (const TaskIndex other : permission.allowed) {
    book_.Bind(std::string(NameOf(other)), GangNameOf(other));
  }
  why_.erase(gang->group->name());
  return permission;
}

kube::Rejection GangPlugin::Unreserve(TaskIndex t) {
  kube::Rejection rejection;
  const Gang* gang = GangOf(t);
  if (gang == nullptr) return rejection;
  const std::string name(NameOf(t));
  const bool rejects = book_.Unreserve(name, gang->name);
  if (tables_->tasks.status[t] == TaskStatus::kWaiting) rejected_[name] = 1;
  if (!rejects || !undone_.insert(gang->group->name()).second) return rejection;
  rejection.why = absl::StrCat("Gang ", Quoted(gang->name), " gets rejected due to Pod ",
                               Quoted(name), " in Unreserve");
  rejection.rejected = TasksInGroup(*gang, &Gang::waiting);
  return rejection;
}

kube::JointPreemption GangPlugin::Preempt(kube::PodCycle& cycle, kube::Nominations* nominations,
                                          bool never) {
  kube::JointPreemption joint;
  const Gang& gang = *GangOf(cycle.task());
  std::string& made = made_[gang.group->name()];
  if (!made.empty()) {
    joint.message = made;
    return joint;
  }
  const std::vector<TaskIndex> pending = TasksInGroup(gang, &Gang::pending);
  const std::vector<TaskIndex> waiting = TasksInGroup(gang, &Gang::waiting);
  const std::string success =
      absl::StrCat("preempt success, alreadyWaitingForBound: ", waiting.size(), "/",
                   pending.size() + waiting.size());
  joint.message = WhyNoGangRoom(*world_, cycle, *nominations, pending, never);
  if (joint.message.empty()) {
    for (const TaskIndex t : pending) nominations->Clear(t);
    joint = GangRoomFor(world_, &cycle, pending, waiting);
    if (!joint.message.empty()) {
      for (const TaskIndex t : pending) joint.places.emplace_back(t, NodeIndex(kNone));
    }
    for (const TaskIndex t : waiting) {
      joint.places.emplace_back(t, joint.message.empty() ? world_->node_of(t) : NodeIndex(kNone));
    }
    joint.rejection = {.why = joint.message.empty() ? success : joint.message, .rejected = waiting};
  }
  made = absl::StrCat("preemption already attempted by ", ToAbsl(NameOf(cycle.task())),
                      " with message ", joint.message.empty() ? success : joint.message);
  return joint;
}

kube::Rejection GangPlugin::NothingFits(const kube::PodCycle& cycle) {
  kube::Rejection rejection;
  const TaskIndex t = cycle.task();
  const Gang* gang = GangOf(t);
  if (gang == nullptr) return rejection;
  const std::vector<TaskIndex> waiting = TasksInGroup(*gang, &Gang::waiting);
  std::string& why = why_[gang->group->name()];
  if (why.empty()) {
    why = absl::StrCat(
        "GangGroup ", Quoted(gang->group->name()), " gets rejected due to member Pod ",
        Quoted(NameOf(t)), " is unschedulable with reason ",
        Quoted(kube::FailureText(*world_, cycle, "")), ", alreadyWaitForBound: ", waiting.size());
  }
  if (!book_.Fail(gang->name)) return rejection;
  rejection.why = why;
  rejection.rejected = waiting;
  return rejection;
}

}  // namespace muster::koordinator
