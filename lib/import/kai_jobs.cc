// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// PodGroups and Topologies.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/import/kai.h"
#include "lib/import/kubernetes.h"
#include "lib/import/times.h"

namespace muster::kai {
namespace {

// Jobs of this priority or more are not preemptible, unless they say so.
constexpr int32_t kNonPreemptible = 100;
constexpr int32_t kJobPriority = 50;
constexpr int64_t kNoBackoff = -1;

std::optional<TopologyLevels> ReadLevels(const Field& constraint) {
  TopologyLevels levels{.topology = constraint.Text("topology")};
  if (levels.topology.empty()) return std::nullopt;
  levels.required = constraint.Text("requiredTopologyLevel");
  levels.preferred = constraint.Text("preferredTopologyLevel");
  return levels;
}

std::optional<int64_t> TimeIn(const ApiObject& object, std::string_view annotation) {
  const std::string* text = object.Annotation(annotation);
  if (text == nullptr || text->empty()) return std::nullopt;
  const std::optional<int64_t> time = ParseTime(*text);
  if (!time) {
    object.log()->Ignored(object.place(),
                          absl::StrCat("metadata.annotations", JsonPathStep(annotation)),
                          absl::StrCat(Quote(*text), " is not a time; it stands for none"));
  }
  return time;
}

// Returns the scheduling condition that came last, by the numbers of transitions.
std::optional<Field> LastCondition(const ApiObject& group) {
  std::optional<Field> last;
  int64_t latest = 0;
  for (const Field& condition : group.status().Items("schedulingConditions")) {
    int64_t id = -1;
    if (!absl::SimpleAtoi(condition.Text("transitionID"), &id)) id = -1;
    if (last && id <= latest) continue;
    last = condition;
    latest = id;
  }
  return last;
}

// A job with a backoff has one attempt in each pool of nodes.
void ReadBackoff(const ApiObject& group, const Field& spec, JobSpec* job) {
  if (spec.Int64("schedulingBackoff", kNoBackoff) == kNoBackoff) return;
  job->settings.emplace_back("kai/scheduling-backoff", "1");
  const std::optional<Field> condition = LastCondition(group);
  if (!condition) return;
  const std::string* const label = group.Label(kPoolLabel);
  const std::string pool = label == nullptr || label->empty() ? "default" : *label;
  if (condition->Text("nodePool") == pool) {
    job->settings.emplace_back("kai/unschedulable", "true");
  }
}

SubGroupSpec ReadSubGroup(const Field& item) {
  SubGroupSpec group{.name = item.Text("name")};
  group.min_available = item.Int64("minMember", 0);
  SubGroupPlace place{.parent = item.Text("parent")};
  if (item["minSubGroup"].given()) place.min_sub_groups = item.Int64("minSubGroup", 0);
  place.levels = ReadLevels(item.Section("topologyConstraint"));
  if (place != SubGroupPlace()) group.place = place;
  return group;
}

bool IsPreemptible(const Field& spec, int32_t priority) {
  const std::string word = spec.Text("preemptibility");
  if (word.empty()) return priority < kNonPreemptible;
  if (word != "preemptible" && word != "non-preemptible") {
    spec["preemptibility"].Refuse(
        absl::StrCat(Quote(word), " is not known; expected preemptible or non-preemptible"));
  }
  return word == "preemptible";
}

int32_t PriorityOf(const ApiObject& group, const Field& spec, const PriorityClasses& classes) {
  const std::string name = spec.Text("priorityClassName");
  const auto known = classes.values.find(name);
  if (known != classes.values.end()) return known->second;
  const int32_t usual = classes.fallback.value_or(kJobPriority);
  if (!name.empty()) {
    group.log()->Ignored(
        group.place(), "spec.priorityClassName",
        absl::StrCat("priority class ", Quote(name), " is not there; the priority is ", usual));
  }
  return usual;
}

JobSpec ReadJob(const ApiObject& group, const Field& spec, int32_t priority) {
  JobSpec job{.name = group.key(), .queue = spec.Text("queue"), .priority = priority};
  job.preemptable = IsPreemptible(spec, priority);
  job.created = group.created();
  job.min_available = spec.Int64("minMember", 1);
  GangRules gang;
  gang.started = TimeIn(group, "kai.scheduler/last-start-timestamp");
  gang.stale_since = TimeIn(group, "kai.scheduler/stale-podgroup-timestamp");
  gang.evicted = TimeIn(group, "kai.scheduler/last-eviction-timestamp");
  if (spec["minSubGroup"].given()) gang.min_sub_groups = spec.Int64("minSubGroup", 0);
  gang.levels = ReadLevels(spec.Section("topologyConstraint"));
  gang.preemption_delay = spec.Duration("preemptionDelay");
  // A negative grace never ends.
  gang.staleness_grace = spec.Duration("stalenessGracePeriod", kMinQuantity);
  if (gang != GangRules()) job.gang = gang;
  ReadBackoff(group, spec, &job);
  for (const Field& item : spec.Items("subGroups")) job.sub_groups.push_back(ReadSubGroup(item));
  return job;
}

}  // namespace

void AddJobs(const ImportSource& source, const Shard& shard, ClusterSpec* cluster) {
  for (const ApiObject* object : source.dump.OfKind("Topology")) {
    FlavorSpec& flavor = cluster->flavors.emplace_back();
    flavor.name = object->name();
    flavor.topology = FlavorTopology{.name = object->name()};
    for (const Field& level : object->spec().Items("levels")) {
      flavor.topology->levels.push_back(level.Text("nodeLabel"));
    }
  }
  HashSet<std::string> queues;
  for (const QueueSpec& queue : cluster->queues) queues.insert(queue.name);
  const PriorityClasses classes = ReadPriorityClasses(source.dump);
  int64_t rank = 0;
  for (const ApiObject* object : SortedByKey(source.dump.OfKind("PodGroup"))) {
    if (!source.log->ok()) return;
    if (!shard.Has(*object)) continue;
    const std::string queue = object->spec().Text("queue");
    if (!queues.contains(queue)) {
      source.log->LeftOut(object->place(), "spec.queue",
                          absl::StrCat("queue ", Quote(queue),
                                       " is not there; the job is left out, its pods only occupy "
                                       "nodes"));
      continue;
    }
    object->spec().ReadWhole([&](const Field& spec) {
      cluster->jobs.push_back(ReadJob(*object, spec, PriorityOf(*object, spec, classes)));
    });
    cluster->jobs.back().uid_rank = rank++;
  }
}

}  // namespace muster::kai
