// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/scheduler_plugins/system_calls.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"

namespace muster::scheduler_plugins {
namespace {

void AddAll(const CallNames& more, CallNames* calls) { calls->insert(more.begin(), more.end()); }

// How many of the calls are not among the others.
int64_t CountWithout(const CallNames& calls, const CallNames& others) {
  return std::count_if(calls.begin(), calls.end(),
                       [&others](const std::string& call) { return !others.contains(call); });
}

}  // namespace

ProfileName ProfileNameOf(std::string_view path) {
  const size_t last = path.rfind('/');
  if (last == path.npos) return {};
  std::string_view name_space = path.substr(0, last), name = path.substr(last + 1);
  if (const size_t before = name_space.rfind('/'); before != name_space.npos) {
    name_space.remove_prefix(before + 1);
  }
  if (const size_t dot = name.rfind('.'); dot != name.npos) name = name.substr(0, dot);
  return {std::string(name_space), std::string(name)};
}

void SystemCalls::SetProfile(const ProfileName& name, std::span<const ProfileRule> rules) {
  CallNames calls;
  for (const ProfileRule& rule : rules) {
    if (rule.action != "SCMP_ACT_ALLOW" && rule.action != "SCMP_ACT_LOG") continue;
    calls.insert(rule.calls.begin(), rule.calls.end());
  }
  profiles_[name] = std::move(calls);
}

CallNames SystemCalls::CallsOfProfile(const ProfileName& name) const {
  const auto at = profiles_.find(name);
  return at == profiles_.end() ? CallNames() : at->second;
}

CallNames SystemCalls::CallsOfPod(const ProfiledPod& pod) const {
  CallNames calls;
  for (const std::string& path : pod.paths) AddAll(CallsOfProfile(ProfileNameOf(path)), &calls);
  return calls.empty() ? CallsOfProfile(default_) : calls;
}

void SystemCalls::Add(const std::string& node, const ProfiledPod& pod) {
  Node& at = nodes_[node];
  const bool is_there = std::any_of(at.pods.begin(), at.pods.end(),
                                    [&pod](const auto& other) { return other.name == pod.name; });
  if (is_there) return;
  at.pods.push_back(pod);
  AddAll(CallsOfPod(pod), &at.calls);
}

void SystemCalls::Remove(const std::string& node, const std::string& pod) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;
  std::vector<ProfiledPod>& pods = at->second.pods;
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [&pod](const auto& other) { return other.name == pod; });
  if (found == pods.end()) return;
  pods.erase(found);
  at->second.calls.clear();
  for (const ProfiledPod& other : pods) AddAll(CallsOfPod(other), &at->second.calls);
}

void SystemCalls::AddCalls(const std::string& node, const ProfiledPod& pod) {
  AddAll(CallsOfPod(pod), &nodes_[node].calls);
}

CallNames SystemCalls::CallsOfNode(const std::string& node) const {
  const auto at = nodes_.find(node);
  return at == nodes_.end() ? CallNames() : at->second.calls;
}

size_t SystemCalls::PodsOfNode(const std::string& node) const {
  const auto at = nodes_.find(node);
  return at == nodes_.end() ? 0 : at->second.pods.size();
}

int64_t SystemCalls::Score(const std::string& node, const ProfiledPod& pod) const {
  const CallNames own = CallsOfPod(pod);
  if (own.empty()) return std::numeric_limits<int64_t>::max();
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return 0;
  int64_t score = CountWithout(at->second.calls, own);
  CallNames all = at->second.calls;
  AddAll(own, &all);
  for (const ProfiledPod& other : at->second.pods) score += CountWithout(all, CallsOfPod(other));
  return score;
}

bool CountsWhenSeen(std::string_view phase) { return phase == "Running"; }
bool CountsWhenUpdated(std::string_view old_phase, std::string_view old_host_address) {
  return old_phase == "Pending" && !old_host_address.empty();
}

std::vector<int64_t> ReverseScores(std::span<const int64_t> scores) {
  int64_t most = 0;
  for (const int64_t score : scores) most = std::max(most, score);
  std::vector<int64_t> out(scores.size(), 100);
  for (size_t i = 0; most > 0 && i < scores.size(); ++i) {
    out[i] -= static_cast<int64_t>(absl::int128(scores[i]) * 100 / most);
  }
  return out;
}

}  // namespace muster::scheduler_plugins
