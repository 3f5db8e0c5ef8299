// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Jobs: their rows, groups and classes. editor_tasks.cc has tasks.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/model/editor.h"

namespace muster {
namespace {

std::vector<GroupRow> GroupRowsOf(const JobSpec& spec) {
  std::vector<GroupRow> rows(1);
  for (const GroupSpec& group : spec.groups) {
    const int64_t min_available = group.min_available.value_or(kAbsent);
    if (group.name.empty()) {
      rows[0].min_available = min_available;
    } else {
      rows.push_back({group.name, min_available});
    }
  }
  return rows;
}

// By old position: where the entry of the same name is now, kNone where there is none.
template <class List>
std::vector<uint32_t> Moved(const List& from, const List& to) {
  std::vector<uint32_t> moved(from.size(), kNone);
  HashMap<absl::string_view, uint32_t> places;
  for (uint32_t i = 0; i < to.size(); ++i) places[to[i].name] = i;
  for (uint32_t i = 0; i < from.size(); ++i) {
    if (const auto place = places.find(from[i].name); place != places.end())
      moved[i] = place->second;
  }
  return moved;
}

// Lists below this length are searched from the front.
constexpr size_t kManyGroups = 16;

template <class List>
HashMap<std::string, uint32_t> NumbersOf(const List& list) {
  HashMap<std::string, uint32_t> numbers;
  numbers.reserve(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) numbers[list[i].name] = i;
  return numbers;
}

template <class List>
std::optional<uint32_t> FindIn(const List& list, const HashMap<std::string, uint32_t>* numbers,
                               std::string_view name) {
  if (numbers != nullptr) {
    const auto found = numbers->find(name);
    return found == numbers->end() ? std::nullopt : std::optional(found->second);
  }
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
  }
  return std::nullopt;
}

bool IsIdentity(const std::vector<uint32_t>& moved) {
  for (uint32_t i = 0; i < moved.size(); ++i) {
    if (moved[i] != i) return false;
  }
  return true;
}

}  // namespace

std::string GroupTaskName(std::string_view job, std::string_view group, int64_t ordinal) {
  std::string name(job);
  if (!group.empty()) name.append("-").append(group);
  absl::StrAppend(&name, "-", ordinal);
  return name;
}

JobIndex Editor::PutJob(JobIndex existing, const JobSpec& spec, const Amounts& min_resources,
                        const JobRefs& refs) {
  Tables& t = Change();
  AddDimensions(min_resources, t);
  JobTable& jobs = t.jobs;
  std::vector<GroupRow> groups = GroupRowsOf(spec);
  JobIndex j = existing;
  if (j == kNone) {
    j = jobs.names.Intern(spec.name);
    jobs.alive.push_back(1);
    jobs.spec.emplace_back();
    jobs.queue.push_back(kNone);
    jobs.tasks.emplace_back();
    jobs.groups.emplace_back();
    ++living_;
  } else {
    const std::vector<uint32_t> group_moved = Moved(jobs.groups[j], groups);
    const std::vector<uint32_t> sub_group_moved = Moved(jobs.spec[j].sub_groups, spec.sub_groups);
    if (!IsIdentity(group_moved) || !IsIdentity(sub_group_moved)) {
      if (const auto known = job_numbers_.find(j); known != job_numbers_.end()) {
        known->second.ranks.reset();
      }
      for (TaskIndex task : jobs.tasks[j]) {
        t.tasks.group[task] = GroupIndex(group_moved[t.tasks.group[task]]);
        SubGroupIndex& sub_group = t.tasks.sub_group[task];
        if (sub_group != kNone) sub_group = SubGroupIndex(sub_group_moved[sub_group]);
        Log(Change::Table::kTask, task);
      }
    }
  }
  jobs.by_count += static_cast<uint32_t>(HasCounts(spec)) - HasCounts(jobs.spec[j]);
  jobs.spec[j] = spec;
  for (GroupSpec& group : jobs.spec[j].groups) group.count = 0;
  jobs.groups[j] = std::move(groups);
  NumberGroups(j);
  const std::vector<int64_t> row = RowOf(min_resources, t);
  if (j == jobs.min_resources.size()) {
    jobs.min_resources.Append(row);
  } else {
    std::ranges::copy(row, jobs.min_resources.row(j).begin());
  }
  if (jobs.queue[j] != refs.queue) {
    if (jobs.queue[j] != kNone) {
      --t.queues.jobs[jobs.queue[j]];
      Log(Change::Table::kQueue, jobs.queue[j]);
    }
    ++t.queues.jobs[refs.queue];
    jobs.queue[j] = refs.queue;
    Log(Change::Table::kQueue, refs.queue);
    Reclass(j);
  }
  Log(Change::Table::kJob, j);
  if (existing == kNone) {
    Note(ClusterEventKind::kJobAdded, spec.name);
  } else {
    Note(ClusterEventKind::kJobChanged, spec.name, kOtherChanged);
  }
  return j;
}

JobKind Editor::KindOf(const JobSpec& spec, const Amounts& min_resources, const JobRefs& refs,
                       std::span<const CheckedShape> shapes) {
  Tables& t = Change();
  JobKind kind;
  kind.queue = refs.queue;
  kind.groups = GroupRowsOf(spec);
  AddDimensions(min_resources, t);
  uint32_t named = 0;  // the group without a name is the first one
  for (size_t g = 0; g < spec.groups.size(); ++g) {
    const GroupSpec& group = spec.groups[g];
    JobKind::Tasks& tasks = kind.tasks.emplace_back();
    tasks.group = group.name;
    tasks.count = group.count;
    if (!group.name.empty()) tasks.row.refs.group = GroupIndex(++named);
    tasks.row.task_class = interner_.Intern(shapes[g], ClassQueueOf(refs.queue), t);
  }
  kind.min_resources = RowOf(min_resources, t);
  return kind;
}

JobIndex Editor::AppendJob(const JobKind& kind, JobSpec spec) {
  Tables& t = Change();
  JobTable& jobs = t.jobs;
  const JobIndex j = jobs.names.Intern(spec.name);
  jobs.alive.push_back(1);
  jobs.spec.push_back(std::move(spec));
  jobs.queue.push_back(kind.queue);
  jobs.tasks.emplace_back();
  jobs.groups.push_back(kind.groups);
  NumberGroups(j);
  jobs.min_resources.Append(kind.min_resources);
  ++living_;
  ++t.queues.jobs[kind.queue];
  Log(Change::Table::kQueue, kind.queue);
  Log(Change::Table::kJob, j);
  Note(ClusterEventKind::kJobAdded, jobs.spec[j].name);
  for (const JobKind::Tasks& tasks : kind.tasks) {
    TaskRow row = tasks.row;
    row.refs.job = j;
    row.priority = jobs.spec[j].priority;
    row.created = jobs.spec[j].created;
    for (row.ordinal = 0; row.ordinal < tasks.count; ++row.ordinal) {
      PutRow(kNone, GroupTaskName(jobs.spec[j].name, tasks.group, row.ordinal), row);
    }
  }
  return j;
}

std::vector<TaskIndex> Editor::DroppedTasks(JobIndex job, const JobSpec& spec) const {
  const JobTable& jobs = tables_->jobs;
  const std::vector<uint32_t> group_moved = Moved(jobs.groups[job], GroupRowsOf(spec));
  const std::vector<uint32_t> sub_group_moved = Moved(jobs.spec[job].sub_groups, spec.sub_groups);
  std::vector<TaskIndex> dropped;
  const auto some = [](const std::vector<uint32_t>& moved) {
    return std::ranges::count(moved, kNone) > 0;
  };
  if (!some(group_moved) && !some(sub_group_moved)) return dropped;
  for (TaskIndex task : jobs.tasks[job]) {
    const uint32_t sub_group = tables_->tasks.sub_group[task];
    if (group_moved[tables_->tasks.group[task]] == kNone ||
        (sub_group != kNone && sub_group_moved[sub_group] == kNone)) {
      dropped.push_back(task);
    }
  }
  return dropped;
}

void Editor::EraseJob(JobIndex j) {
  Tables& t = Change();
  JobTable& jobs = t.jobs;
  // From the back, so that each leaves the end of the job's list.
  while (!jobs.tasks[j].empty()) EraseTask(jobs.tasks[j].back());
  --t.queues.jobs[jobs.queue[j]];
  Log(Change::Table::kQueue, jobs.queue[j]);
  Note(ClusterEventKind::kJobRemoved, jobs.spec[j].name);
  jobs.names.Erase(jobs.spec[j].name);
  jobs.by_count -= HasCounts(jobs.spec[j]);
  jobs.alive[j] = 0;
  jobs.spec[j] = {};
  jobs.queue[j] = kNone;
  jobs.tasks[j] = {};
  jobs.groups[j].clear();
  job_numbers_.erase(j);
  --living_;
  Log(Change::Table::kJob, j);
}

void Editor::NumberGroups(JobIndex job) {
  const std::vector<GroupRow>& groups = tables_->jobs.groups[job];
  const std::vector<SubGroupSpec>& sub_groups = tables_->jobs.spec[job].sub_groups;
  const bool has_many = std::max(groups.size(), sub_groups.size()) >= kManyGroups;
  if (has_many) {
    JobNumbers& numbers = job_numbers_[job];
    numbers.groups = NumbersOf(groups);
    numbers.sub_groups = NumbersOf(sub_groups);
  } else if (const auto known = job_numbers_.find(job); known != job_numbers_.end()) {
    known->second.groups = known->second.sub_groups = {};
    if (!known->second.ranks) job_numbers_.erase(known);
  }
}

std::optional<uint32_t> Editor::FindGroup(JobIndex job, std::string_view name) const {
  const auto known = job_numbers_.find(job);
  const bool has_many = known != job_numbers_.end() && !known->second.groups.empty();
  return FindIn(tables_->jobs.groups[job], has_many ? &known->second.groups : nullptr, name);
}

std::optional<uint32_t> Editor::FindSubGroup(JobIndex job, std::string_view name) const {
  const auto known = job_numbers_.find(job);
  const bool has_many = known != job_numbers_.end() && !known->second.sub_groups.empty();
  return FindIn(tables_->jobs.spec[job].sub_groups, has_many ? &known->second.sub_groups : nullptr,
                name);
}

void Editor::SetPhase(JobIndex job, JobPhase phase) {
  JobSpec& spec = Change().jobs.spec[job];
  spec.phase = phase;
  Log(Change::Table::kJob, job);
  Note(ClusterEventKind::kJobChanged, spec.name, kStatusChanged);
}

void Editor::SetEstimate(JobIndex job, int64_t estimate) {
  JobSpec& spec = Change().jobs.spec[job];
  spec.estimate = estimate;
  Log(Change::Table::kJob, job);
  Note(ClusterEventKind::kJobChanged, spec.name, kOtherChanged);
}

// The queue as a part of the classes of the job's tasks.
QueueIndex Editor::ClassQueue(JobIndex job) const {
  return job == kNone ? kNone : ClassQueueOf(tables_->jobs.queue[job]);
}

QueueIndex Editor::ClassQueueOf(QueueIndex queue) const {
  if (wishing_queues_ == 0) return kNone;
  const QueueTable& queues = tables_->queues;
  for (QueueIndex q = queue; q != kNone; q = queues.parent[q]) {
    if (SpeaksOfNodeGroups(queues.spec[q])) return queue;
  }
  return kNone;
}

void Editor::Reclass(JobIndex job) {
  Tables& t = *tables_;
  const QueueIndex queue = ClassQueue(job);
  for (TaskIndex task : t.jobs.tasks[job]) {
    ClassIndex& c = t.tasks.task_class[task];
    if (t.classes.queue[c] == queue) continue;
    const ClassIndex now = interner_.OfQueue(c, queue, t);
    if (--t.classes.tasks[c] == 0) --living_;
    if (t.classes.tasks[now]++ == 0) ++living_;
    c = now;
    Log(Change::Table::kTask, task);
  }
}

}  // namespace muster
