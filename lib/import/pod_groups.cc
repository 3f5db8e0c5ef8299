// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Queues and jobs.
#include "lib/import/pod_groups.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

struct PhaseName {
  std::string_view name;
  JobPhase phase;
};
constexpr PhaseName kPhases[] = {
    {"", JobPhase::kPending},         {"Pending", JobPhase::kPending},
    {"Inqueue", JobPhase::kAdmitted}, {"Running", JobPhase::kRunning},
    {"Unknown", JobPhase::kDegraded}, {"Completed", JobPhase::kCompleted}};

JobPhase ReadPhase(const ApiObject& group) {
  const std::string phase = group.status().Text("phase");
  for (const PhaseName& known : kPhases) {
    if (known.name == phase) return known.phase;
  }
  group.status()["phase"].Refuse(absl::StrCat(
      Quote(phase),
      " is not a phase of a pod group; expected Pending, Inqueue, Running, Unknown or Completed"));
  return JobPhase::kPending;
}

int32_t ReadPriority(const ApiObject& group, const PriorityClasses& classes) {
  const std::string name = group.spec().Text("priorityClassName");
  const auto known = classes.values.find(name);
  if (known != classes.values.end()) return known->second;
  if (!name.empty() && !name.starts_with("system-")) {
    group.log()->Ignored(
        group.place(), "spec.priorityClassName",
        absl::StrCat("priority class ", Quote(name), " is not there; the default counts"));
  }
  return classes.fallback.value_or(0);
}

}  // namespace

Dump::Objects ReadQueues(const ImportSource& source, ClusterSpec* cluster) {
  Dump::Objects objects = SortedByName(source.dump.OfKind("Queue"));
  for (const ApiObject* object : objects) {
    QueueSpec& queue = cluster->queues.emplace_back();
    queue.name = object->name();
    queue.weight = object->spec().Int64("weight", 0);
    queue.created = object->created();
    // In these schedulers a queue's uid is its name.
    queue.uid_rank = static_cast<int64_t>(cluster->queues.size()) - 1;
  }
  return objects;
}

Dump::Objects ReadPodGroups(const ImportSource& source, ClusterSpec* cluster) {
  HashSet<std::string> queues;
  for (const QueueSpec& queue : cluster->queues) queues.insert(queue.name);
  const PriorityClasses classes = ReadPriorityClasses(source.dump);
  Dump::Objects kept;
  int64_t rank = -1;  // in these schedulers a job's uid is its key
  for (const ApiObject* object : SortedByKey(source.dump.OfKind("PodGroup"))) {
    ++rank;
    const Field spec = object->spec();
    std::string queue = spec.Text("queue");
    if (queue.empty()) queue = source.options.default_queue;
    if (!queues.contains(queue)) {
      source.log->LeftOut(object->place(), "spec.queue",
                          absl::StrCat("queue ", Quote(queue),
                                       " is not there; the job is left out, its pods only occupy "
                                       "nodes"));
      continue;
    }
    JobSpec& job = cluster->jobs.emplace_back();
    job.name = object->key();
    job.queue = std::move(queue);
    job.priority = ReadPriority(*object, classes);
    job.min_available = spec.Int64("minMember", 0);
    job.phase = ReadPhase(*object);
    job.created = object->created();
    job.uid_rank = rank;
    kept.push_back(object);
  }
  return kept;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  int64_t number = 0;
  for (const char c : digits) {
    if (!absl::ascii_isdigit(c)) return std::nullopt;
  }
  if (digits.empty() || !absl::SimpleAtoi(ToAbsl(text), &number)) return std::nullopt;
  return number;
}

}  // namespace muster
