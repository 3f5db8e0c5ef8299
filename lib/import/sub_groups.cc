// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Volcano's sub-groups: pods of a job that a policy of its pod group counts, and places, together.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"
#include "lib/import/pod_groups.h"
#include "lib/import/volcano.h"

namespace muster::volcano {
namespace {

SubGroupSpec ReadSubGroup(const Field& policy, const std::vector<std::string>& values) {
  SubGroupSpec out;
  out.policy = policy.Text("name");
  out.name = SubGroupName(out.policy, values);
  out.min_available = policy.Int64("subGroupSize", 1);
  out.order = WholeNumber(values[0]).value_or(0);
  out.topology = ReadTopologyWish(policy.Section("networkTopology"));
  return out;
}

// A job's sub-groups by name; of two entries of one name the last counts.
void Put(SubGroupSpec entry, std::vector<SubGroupSpec>* groups) {
  const auto at = std::lower_bound(
      groups->begin(), groups->end(), entry.name,
      [](const SubGroupSpec& group, const std::string& name) { return group.name < name; });
  if (at != groups->end() && at->name == entry.name) {
    *at = std::move(entry);
  } else {
    groups->insert(at, std::move(entry));
  }
}

}  // namespace

std::optional<TopologyWish> ReadTopologyWish(const Field& topology) {
  if (!topology.truthy()) return std::nullopt;
  TopologyWish wish;
  wish.hard = topology.Text("mode", "hard") != "soft";
  if (topology["highestTierAllowed"].given()) {
    wish.highest_tier = topology.Int32("highestTierAllowed", 0);
  }
  wish.highest_tier_name = topology.Text("highestTierName");
  return wish;
}

std::vector<std::string> MatchValues(const Field& policy, const Labels& labels) {
  const std::optional<Selector> selector = ReadSelector(policy["labelSelector"]);
  if (selector.has_value() && !Selects(selector, labels)) return {};
  std::vector<std::string> values;
  for (const std::string& key : policy.Texts("matchLabelKeys")) {
    const auto label = std::find_if(labels.begin(), labels.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    if (label == labels.end() || label->second.empty()) return {};
    values.push_back(label->second);
  }
  return values;
}

std::string SubGroupName(std::string_view policy, const std::vector<std::string>& values) {
  std::string name(policy);
  for (const std::string& value : values) absl::StrAppend(&name, "-", value);
  return name;
}

void AddSubGroups(const Dump::Objects& groups, const Dump::Objects& pods, ClusterSpec* cluster) {
  struct JobPolicies {
    JobSpec* job;
    std::vector<Field> policies;
  };
  HashMap<std::string, JobPolicies> jobs;
  for (size_t i = 0; i < groups.size(); ++i) {
    JobPolicies entry{&cluster->jobs[i], groups[i]->spec().Items("subGroupPolicy")};
    for (const Field& policy : entry.policies) {
      entry.job->sub_group_policies.push_back(
          {policy.Text("name"), policy.Int64("minSubGroups", 0)});
    }
    if (!entry.policies.empty()) jobs[entry.job->name] = std::move(entry);
  }
  for (size_t i = 0; i < pods.size(); ++i) {
    TaskSpec& task = cluster->tasks[i];
    const auto job = jobs.find(task.job);
    if (job == jobs.end()) continue;
    for (const Field& policy : job->second.policies) {
      const std::vector<std::string> values = MatchValues(policy, pods[i]->labels());
      if (values.empty()) continue;
      SubGroupSpec entry = ReadSubGroup(policy, values);
      task.sub_group = entry.name;
      Put(std::move(entry), &job->second.job->sub_groups);
      break;
    }
  }
}

}  // namespace muster::volcano
