// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/coscheduling.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::scheduler_plugins {
namespace {

constexpr double kDefaultTimeout = 60;  // seconds

// What a node has left once the group's own pods are gone.
Amounts RoomOf(const RoomNode& node, std::string_view group) {
  Amounts left = node.allocatable;
  for (const RoomNode::Holder& pod : node.pods) {
    if (!group.empty() && pod.group == group) continue;
    --left["pods"];
    for (const auto& [name, amount] : pod.request) left[name] -= amount;
  }
  return left;
}

}  // namespace

std::string GroupKeyOf(const GroupPod& pod) { return absl::StrCat(pod.name_space, "/", pod.group); }
std::string FullNameOf(const GroupPod& pod) { return absl::StrCat(pod.name_space, "/", pod.name); }

GroupPast PodGroups::PastOf(const std::string& key) const {
  const auto at = groups_.find(key);
  if (at == groups_.end()) return {};
  return {at->second.failed, at->second.backed_off_until, at->second.permitted_until};
}

void PodGroups::SetPast(const std::string& key, const GroupPast& past) {
  Group& group = groups_[key];
  group.failed = past.failed;
  group.backed_off_until = past.backed_off_until;
  group.permitted_until = past.permitted_until;
}

Amounts MissingRoom(std::span<const RoomNode> nodes, Amounts need, std::string_view group) {
  for (const RoomNode& node : nodes) {
    if (need.empty()) break;
    const Amounts left = RoomOf(node, group);
    for (auto at = need.begin(); at != need.end();) {
      const auto has = left.find(at->first);
      if (has != left.end()) at->second -= has->second;
      at = at->second <= 0 ? need.erase(at) : std::next(at);
    }
  }
  return need;
}

PodGroups::Group* PodGroups::Find(const GroupPod& pod) {
  if (pod.group.empty()) return nullptr;
  const auto at = groups_.find(GroupKeyOf(pod));
  return at == groups_.end() || !at->second.spec.has_value() ? nullptr : &at->second;
}

double PodGroups::Timeout(const PodGroupSpec& spec) const {
  if (spec.timeout.has_value()) return *spec.timeout;
  return options_.permit_timeout != 0 ? options_.permit_timeout : kDefaultTimeout;
}

std::vector<std::string> PodGroups::TakeWaiting(Group* group) {
  std::vector<std::string> pods(group->waiting.begin(), group->waiting.end());
  group->waiting.clear();
  return pods;
}

void PodGroups::SetPod(const GroupPod& pod) {
  if (pod.group.empty()) return;
  Group& group = groups_[GroupKeyOf(pod)];
  group.pods[pod.name] = pod.is_gated;
  if (pod.has_node) group.assigned.insert(pod.name);
}

void PodGroups::RemovePod(const GroupPod& pod) {
  if (pod.group.empty()) return;
  Group& group = groups_[GroupKeyOf(pod)];
  group.pods.erase(pod.name);
  if (pod.has_node) group.assigned.erase(pod.name);
}

double PodGroups::QueueTime(const WaitingPod& waiting) const {
  if (waiting.pod.group.empty()) return waiting.first_tried;
  const auto at = groups_.find(GroupKeyOf(waiting.pod));
  if (at == groups_.end()) return waiting.first_tried;
  const Group& group = at->second;
  if (group.failed.has_value()) return *group.failed;
  return group.spec.has_value() ? group.spec->created : waiting.first_tried;
}

bool PodGroups::IsBefore(const WaitingPod& a, const WaitingPod& b) const {
  if (a.priority != b.priority) return a.priority > b.priority;
  return std::make_pair(QueueTime(a), FullNameOf(a.pod)) <
         std::make_pair(QueueTime(b), FullNameOf(b.pod));
}

GroupCheck PodGroups::CheckGroup(const GroupPod& pod, std::span<const RoomNode> nodes, double now) {
  Group* group = Find(pod);
  if (group == nullptr) return GroupCheck::kPass;
  if (group->backed_off_until.has_value() && now < *group->backed_off_until) {
    return GroupCheck::kBackedOff;
  }
  const auto count = static_cast<int64_t>(group->pods.size());
  const int64_t gated = std::count_if(group->pods.begin(), group->pods.end(),
                                      [](const auto& member) { return member.second; });
  if (count < group->spec->min_member) return GroupCheck::kTooFewPods;
  if (count - gated < group->spec->min_member) return GroupCheck::kGated;
  if (group->spec->min_resources.empty()) return GroupCheck::kPass;
  if (group->permitted_until.has_value() && now < *group->permitted_until) return GroupCheck::kPass;
  Amounts need = group->spec->min_resources;
  need["pods"] = group->spec->min_member;
  if (!MissingRoom(nodes, std::move(need), GroupKeyOf(pod)).empty()) return GroupCheck::kNoRoom;
  group->permitted_until =
      now + (options_.permit_timeout != 0 ? options_.permit_timeout : kDefaultTimeout);
  return GroupCheck::kPass;
}

PermitAnswer PodGroups::Permit(const GroupPod& pod) {
  if (pod.group.empty()) return {};
  Group* group = Find(pod);
  if (group == nullptr) return {.code = PermitAnswer::Code::kNoGroup};
  group->assigned.insert(pod.name);
  const auto assigned = static_cast<int64_t>(group->assigned.size());
  if (assigned >= group->spec->min_member) {
    group->failed.reset();
    return {.code = PermitAnswer::Code::kAllow, .pods = TakeWaiting(group)};
  }
  PermitAnswer answer{.code = PermitAnswer::Code::kWait, .seconds = Timeout(*group->spec)};
  group->waiting.insert(pod.name);
  if (assigned > 1) return answer;
  for (const auto& [name, is_gated] : group->pods) {
    if (name != pod.name) answer.pods.push_back(name);
  }
  return answer;
}

FailureAnswer PodGroups::NothingFits(const GroupPod& pod, double now) {
  Group* group = Find(pod);
  if (group == nullptr) return {};
  const int64_t least = group->spec->min_member;
  const auto assigned = static_cast<int64_t>(group->assigned.size());
  if (assigned >= least) return {.code = FailureAnswer::Code::kEnough};
  const double without = static_cast<double>(least - assigned) / static_cast<double>(least);
  if (without <= options_.tolerated_part) return {.code = FailureAnswer::Code::kTolerated};
  const bool is_backed_off = group->backed_off_until.has_value() && now < *group->backed_off_until;
  if (options_.backoff > 0 && static_cast<int64_t>(group->pods.size()) >= least && !is_backed_off) {
    group->backed_off_until = now + options_.backoff;
  }
  group->permitted_until.reset();
  group->failed = now;
  return {.code = FailureAnswer::Code::kRejected, .rejected = TakeWaiting(group)};
}

std::vector<std::string> PodGroups::GiveUp(const GroupPod& pod, double now) {
  Group* group = Find(pod);
  if (group == nullptr) return {};
  group->assigned.erase(pod.name);
  group->waiting.erase(pod.name);
  group->permitted_until.reset();
  group->failed = now;
  return TakeWaiting(group);
}

}  // namespace muster::scheduler_plugins
