// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Volcano's pod groups have beyond those of other schedulers.
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/import/volcano.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kPreemptable = "volcano.sh/preemptable";

// A number of tasks, or a part of them in percent. What is neither counts as none.
std::string ReadPart(const ApiObject& group, std::string_view name, const std::string& text) {
  const std::string_view digits(text.data(), text.size() - (text.ends_with('%') ? 1 : 0));
  const bool number =
      !digits.empty() && digits.size() <= 9 &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return absl::ascii_isdigit(c); });
  if (text.empty() || number) return text;
  group.log()->Ignored(group.place(), absl::StrCat("metadata.annotations", JsonPathStep(name)),
                       absl::StrCat(Quote(text), " is no number of tasks; 0 counts"));
  return "0";
}

void ReadDisruption(const ApiObject& group, JobSpec* job) {
  constexpr std::string_view kRunning = "volcano.sh/jdb-min-available";
  constexpr std::string_view kUnavailable = "volcano.sh/jdb-max-unavailable";
  // The first of the two that is there counts.
  if (const std::string* text = group.Annotation(kRunning); text != nullptr) {
    job->min_running = ReadPart(group, kRunning, *text);
  } else if (const std::string* text = group.Annotation(kUnavailable); text != nullptr) {
    job->max_unavailable = ReadPart(group, kUnavailable, *text);
  }
}

void ReadWaitingTime(const ApiObject& group, JobSpec* job) {
  for (std::string_view name : {"volcano.sh/sla-waiting-time", "sla-waiting-time"}) {
    const std::string* text = group.Annotation(name);
    if (text == nullptr || text->empty()) continue;
    job->waiting_time =
        group.MarkedDuration(*text, absl::StrCat("metadata.annotations", JsonPathStep(name)));
    return;
  }
}

void AddToJob(const ApiObject& group, JobSpec* job) {
  const Field spec = group.spec();
  if (const Field least = spec["minResources"]; least.given()) {
    job->min_resources = ReadSpecAmounts(group, least);
  }
  const Field minima = spec.Section("minTaskMember");
  for (const Field& minimum : minima.Children()) {
    GroupSpec& role = job->groups.emplace_back();
    role.name = minimum.key();
    role.min_available = minima.Int64(minimum.key(), 0);
  }
  std::sort(job->groups.begin(), job->groups.end(),
            [](const GroupSpec& a, const GroupSpec& b) { return a.name < b.name; });
  if (group.Annotation(kPreemptable) != nullptr || group.Label(kPreemptable) != nullptr) {
    job->preemptable = ReadMark(group, kPreemptable, false);
  }
  job->topology = ReadTopologyWish(spec.Section("networkTopology"));
  ReadWaitingTime(group, job);
  job->group_topology = ReadGroupTopology(group);
  ReadDisruption(group, job);
}

}  // namespace

std::optional<GroupTopology> ReadGroupTopology(const ApiObject& group) {
  const auto lists_of = [&](std::string_view name) {
    std::vector<std::vector<std::string>> lists;
    const std::string* text = group.Annotation(name);
    if (text == nullptr) return lists;
    // Names that are empty stay, as they do in the peer.
    for (const std::string& part : std::vector<std::string>(absl::StrSplit(*text, ';'))) {
      lists.push_back(absl::StrSplit(part, ','));
    }
    return lists;
  };
  GroupTopology wish;
  wish.together = lists_of("volcano.sh/task-topology-affinity");
  wish.apart = lists_of("volcano.sh/task-topology-anti-affinity");
  if (const std::string* order = group.Annotation("volcano.sh/task-topology-task-order");
      order != nullptr) {
    wish.order = absl::StrSplit(*order, ',');
  }
  if (wish == GroupTopology{}) return std::nullopt;
  return wish;
}

bool IsTrue(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "TRUE" || text == "true" ||
         text == "True";
}

bool IsFalse(std::string_view text) {
  return text == "0" || text == "f" || text == "F" || text == "FALSE" || text == "false" ||
         text == "False";
}

bool ReadMark(const ApiObject& object, std::string_view name, bool unset) {
  const std::string* value = object.Annotation(name);
  if (value == nullptr) value = object.Label(name);
  if (value == nullptr) return unset;
  if (!IsTrue(*value) && !IsFalse(*value)) {
    object.log()->Ignored(
        object.place(), name,
        absl::StrCat(Quote(*value), " is neither true nor false; it counts as false"));
  }
  return IsTrue(*value);
}

void AddToJobs(const Dump::Objects& objects, ClusterSpec* cluster) {
  for (size_t i = 0; i < objects.size(); ++i) AddToJob(*objects[i], &cluster->jobs[i]);
}

}  // namespace muster::volcano
