// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/read_world.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/kueue/admission_checks.h"
#include "lib/peer/kueue/job_settings.h"
#include "lib/peer/kueue/plain_queues.h"
#include "lib/peer/kueue/slices.h"
#include "lib/peer/kueue/workload_rules.h"

namespace muster::kueue {
namespace {

// Ranks of jobs by uid_rank, then by index.
std::vector<int64_t> UidRanks(const JobTable& jobs) {
  std::vector<uint32_t> order(jobs.alive.size());
  for (uint32_t j = 0; j < order.size(); ++j) order[j] = j;
  std::ranges::stable_sort(order, {}, [&](uint32_t j) { return jobs.spec[j].uid_rank; });
  std::vector<int64_t> ranks(order.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int64_t>(i);
  return ranks;
}

// Returns whether the task is on a node, and not only to go there.
bool IsOnNode(TaskStatus status) { return HoldsNode(status) && status != TaskStatus::kNominated; }

bool IsPlaced(const Tables& tables, JobIndex job) {
  return std::ranges::any_of(tables.jobs.tasks[job],
                             [&](TaskIndex task) { return IsOnNode(tables.tasks.status[task]); });
}

// Returns whether tasks of the job leave their nodes and none stays on one.
bool IsLeaving(const Tables& tables, JobIndex job) {
  bool leaves = false;
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const TaskStatus status = tables.tasks.status[task];
    if (status == TaskStatus::kReleasing) {
      leaves = true;
    } else if (IsOnNode(status)) {
      return false;
    }
  }
  return leaves;
}

// Tasks of one class in one group.
struct ClassCount {
  int64_t live = 0;
  int64_t failed = 0;
  int64_t succeeded = 0;
};
using ClassCounts = std::map<std::pair<uint32_t, uint32_t>, ClassCount>;  // by group, then class

ClassCounts CountTasks(const Tables& tables, JobIndex job) {
  ClassCounts counts;
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const TaskStatus status = tables.tasks.status[task];
    ClassCount& count = counts[{static_cast<uint32_t>(tables.tasks.group[task]),
                                static_cast<uint32_t>(tables.tasks.task_class[task])}];
    ++(status == TaskStatus::kFailed      ? count.failed
       : status == TaskStatus::kSucceeded ? count.succeeded
                                          : count.live);
  }
  return counts;
}

// Counts tasks that failed among those that live, as far as the admission of their group has room.
void KeepFailed(const JobAdmission& admission, const std::vector<GroupRow>& groups,
                ClassCounts* counts) {
  std::map<uint32_t, int64_t> room;
  for (const auto& [key, count] : *counts) {
    const auto got =
        std::ranges::find(admission.groups, groups[key.first].name, &GroupAdmission::group);
    if (got == admission.groups.end()) continue;
    room.try_emplace(key.first, got->count).first->second -= count.live;
  }
  for (auto& [key, count] : *counts) {
    const auto left = room.find(key.first);
    if (left == room.end()) continue;
    const int64_t kept = std::clamp<int64_t>(left->second, 0, count.failed);
    count.live += kept;
    left->second -= kept;
  }
}

// The pod sets of a job that are rows of tasks, by group and class. Without `reclaims` tasks that
// succeeded count, too: those of a job that waits as those to come, others as those that failed.
ClassCounts CountPodSets(const Tables& tables, JobIndex job, bool holds, bool reclaims) {
  ClassCounts counts = CountTasks(tables, job);
  const bool lives = std::ranges::any_of(counts, [](const auto& c) { return c.second.live > 0; });
  if (!reclaims && lives) {
    for (auto& [key, count] : counts) (holds ? count.failed : count.live) += count.succeeded;
  }
  if (holds && lives) {
    KeepFailed(*tables.jobs.spec[job].admission, tables.jobs.groups[job], &counts);
  }
  std::erase_if(counts, [](const auto& c) { return c.second.live == 0; });
  return counts;
}

// The groups of a job, as its rows of tasks and its counts have them.
std::vector<GroupSpec> GroupsOf(const Tables& tables, JobIndex job, bool holds, bool reclaims) {
  std::vector<GroupSpec> groups;
  for (const auto& [key, count] : CountPodSets(tables, job, holds, reclaims)) {
    groups.push_back({.name = tables.jobs.groups[job][key.first].name,
                      .count = count.live,
                      .shape = tables.classes.shape[key.second]});
  }
  // Those of one group follow each other: the rest of a group behind the rows that were made of it.
  for (const GroupSpec& counted : tables.jobs.spec[job].groups) {
    if (!counted.by_count) continue;
    const auto end =
        std::ranges::find_if(groups.rbegin(), groups.rend(),
                             [&](const GroupSpec& group) { return group.name == counted.name; });
    groups.insert(end.base() == groups.begin() ? groups.end() : end.base(), counted);
  }
  return groups;
}

// The labels of a namespace; none where it is not known.
Labels SpaceLabels(const Tables& tables, std::string_view name) {
  const auto space = std::ranges::find(tables.namespaces, name, &NamespaceSpec::name);
  return space == tables.namespaces.end() ? Labels() : space->labels;
}

// Moves the last `count` pods of the places to others.
void MovePlaces(int64_t count, NamedPlaces* places, NamedPlaces* to) {
  while (count > 0 && !places->empty()) {
    NamedPlace& last = places->back();
    const int32_t some = static_cast<int32_t>(std::min<int64_t>(count, last.count));
    to->push_back({last.leaf, some});
    last.count -= some;
    count -= some;
    if (last.count == 0) places->pop_back();
  }
}

int64_t CountOf(const GroupSpec& pod_set) {
  return pod_set.by_count ? pod_set.by_count->count : pod_set.count;
}

// The places that the job holds, by pod set. Those of one group share what the group has: each gets
// as many as it has pods, and the first of them the rest.
std::vector<std::optional<NamedPlaces>> PlacesHeld(const JobSpec& job) {
  std::vector<std::optional<NamedPlaces>> held(job.groups.size());
  for (const GroupAdmission& group : job.admission->groups) {
    if (group.places.empty()) continue;
    NamedPlaces rest;
    for (const AssignedPlace& place : group.places) {
      rest.push_back({place.values, static_cast<int32_t>(place.count)});
    }
    std::optional<size_t> first;
    for (size_t i = job.groups.size(); i-- > 0;) {
      const GroupSpec& pod_set = job.groups[i];
      if (pod_set.name != group.group) continue;
      if (first) MovePlaces(CountOf(job.groups[*first]), &rest, &held[*first].emplace());
      first = i;
    }
    if (first) held[*first] = std::move(rest);
  }
  return held;
}

// What the pod sets of `job` request by the settings of `spec`, which of them go together, and
// whether a check has failed.
void ReadWishes(const JobSpec& spec, const JobSpec& job, WorkloadFacts* facts) {
  const JobSettings settings = ReadSettings(spec).value_or(JobSettings());
  facts->retry_checks = settings.failed;
  facts->checks = settings.checks;
  facts->complete = settings.admitted;
  facts->inactive = !settings.active;
  facts->replaces = settings.replaces;
  facts->evicting = settings.evicted;
  facts->refused = settings.refused;
  facts->local_queue = settings.local_queue;
  for (const GroupSpec& group : job.groups) {
    GroupWish wish = settings.WishOf(group.name);
    // Neither key is one of the other kind, and a group without a name has one, too.
    facts->pod_set_groups.push_back(wish.together.empty()
                                        ? absl::StrCat("group/", group.name)
                                        : absl::StrCat("together/", wish.together));
    facts->topology.push_back(std::move(wish.request));
    facts->requests.push_back(std::move(wish.counted));
    facts->together.push_back(std::move(wish.together));
  }
}

// How LocalQueues are stopped, by name.
using LocalStops = std::map<std::string, StopPolicy>;
// Reads the settings of queues: the kinds of their checks into the world. Returns the stops.
LocalStops ReadQueueSettings(const QueueTable& queues, World* world) {
  LocalStops stops;
  for (size_t q = 0; q < queues.alive.size(); ++q) {
    if (!queues.alive[q] || queues.spec[q].settings.empty()) continue;
    const absl::StatusOr<QueueSettings> settings = ReadSettings(queues.spec[q]);
    if (!settings.ok()) continue;
    stops.insert(settings->stops.begin(), settings->stops.end());
    SetCheckKinds(settings->controllers, world, world->FindQueue(queues.spec[q].name));
  }
  return stops;
}

// Names of jobs in the place of which another one of their queue has quota.
std::set<std::string_view> ReplacedJobs(const Tables& tables) {
  std::set<std::string_view> replaced;
  const JobTable& jobs = tables.jobs;
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    if (!jobs.alive[j]) continue;
    for (const auto& [key, value] : jobs.spec[j].settings) {
      if (key != kReplacesSetting || !HoldsQuota(tables, j)) continue;
      const auto other = jobs.names.Find(value);
      if (other && jobs.queue[*other] == jobs.queue[j] && MayReplace(jobs.spec[j].name, value)) {
        replaced.insert(value);
      }
    }
  }
  return replaced;
}

// Whether a queue selects namespaces, so that labels of namespaces count.
bool SelectsNamespaces(const QueueTable& queues) {
  for (size_t q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.spec[q].rules && queues.spec[q].rules->namespaces) return true;
  }
  return false;
}

}  // namespace

bool HoldsQuota(const Tables& tables, JobIndex job) {
  const JobSpec& spec = tables.jobs.spec[job];
  if (!spec.admission) return false;
  const bool is_back = spec.phase == JobPhase::kPending || spec.phase == JobPhase::kCompleted;
  return !is_back || IsPlaced(tables, job);
}

std::vector<std::vector<TaskIndex>> TasksByPodSet(const Tables& tables, JobIndex job, bool holds,
                                                  bool reclaims) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<TaskIndex>> rows;
  for (const auto& [key, count] : CountPodSets(tables, job, holds, reclaims)) rows[key];
  for (const TaskIndex task : tables.jobs.tasks[job]) {
    const auto row = rows.find({static_cast<uint32_t>(tables.tasks.group[task]),
                                static_cast<uint32_t>(tables.tasks.task_class[task])});
    if (row != rows.end()) row->second.push_back(task);
  }
  // Pod sets by count stand between them.
  std::vector<std::vector<TaskIndex>> by_pod_set;
  auto row = rows.begin();
  for (const GroupSpec& pod_set : GroupsOf(tables, job, holds, reclaims)) {
    std::vector<TaskIndex>& tasks = by_pod_set.emplace_back();
    if (!pod_set.by_count) tasks = std::move((row++)->second);
  }
  return by_pod_set;
}

std::vector<JobIndex> ReadWorld(const Tables& tables, World* world) {
  for (size_t f = 0; f < tables.flavors.alive.size(); ++f) {
    if (tables.flavors.alive[f]) world->SetFlavor(tables.flavors.spec[f]);
  }
  if (world->config.plain_queues) {
    SetPlainQueues(tables, world);
  } else {
    for (size_t q = 0; q < tables.queues.alive.size(); ++q) {
      if (tables.queues.alive[q]) world->SetQueue(tables.queues.spec[q]);
    }
  }
  const JobTable& jobs = tables.jobs;
  const bool selects = SelectsNamespaces(tables.queues);
  const LocalStops stops = ReadQueueSettings(tables.queues, world);
  const std::vector<int64_t> ranks = UidRanks(jobs);
  std::vector<JobIndex> job_of;
  std::vector<std::pair<WorkloadIndex, std::string>> replacing;
  const std::set<std::string_view> replaced = ReplacedJobs(tables);
  for (JobIndex j = 0; j < jobs.alive.size(); ++j) {
    const JobSpec& spec = jobs.spec[j];
    if (!jobs.alive[j] || replaced.contains(spec.name)) continue;
    const bool holds = HoldsQuota(tables, j);
    const bool waits = spec.phase == JobPhase::kPending ||
                       (spec.phase == JobPhase::kCompleted && !IsPlaced(tables, j));
    if (!holds && !waits) continue;
    WorkloadFacts facts;
    JobSpec job{.name = spec.name, .queue = spec.queue, .priority = spec.priority};
    job.groups = GroupsOf(tables, j, holds, world->config.gates.reclaimable_pods);
    if (job.groups.empty()) continue;
    job.created = spec.created;
    job.uid_rank = ranks[j];
    if (selects) {
      facts.space_labels = SpaceLabels(tables, job.groups.front().shape.name_space);
    }
    if (holds) {
      facts.evicted = IsLeaving(tables, j);
      job.admission = spec.admission;
      facts.places = PlacesHeld(job);
    }
    ReadWishes(spec, job, &facts);
    if (facts.refused.empty() && job.groups.size() > kMostPodSets) {
      facts.refused = absl::StrCat("Workload has ", job.groups.size(),
                                   " pod sets; must be at most ", kMostPodSets);
    }
    facts.evicting = facts.evicting && holds;
    facts.evicted = facts.evicted || facts.evicting;
    if (const auto stop = stops.find(facts.local_queue); stop != stops.end()) {
      facts.local_stop = stop->second;
    }
    // Names of jobs are unique, so workloads get their numbers in this order.
    const WorkloadIndex w = world->SetWorkload(job, facts);
    if (!facts.replaces.empty()) replacing.emplace_back(w, std::move(facts.replaces));
    job_of.push_back(j);
  }
  // What a workload replaces may stand behind it.
  for (const auto& [w, name] : replacing) world->workloads[w].replaces = world->FindWorkload(name);
  world->Settle();
  return job_of;
}

}  // namespace muster::kueue
