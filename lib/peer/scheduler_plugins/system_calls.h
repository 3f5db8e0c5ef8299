// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores by system calls: how many calls a pod and the pods of a node would share that not all of
// them need.
//
//   SystemCalls calls({"default", "all-syscalls"});
//   calls.SetProfile({"default", "web"}, {{"SCMP_ACT_ALLOW", {"read", "write"}}});
//   calls.Add("n", "web-0", {.paths = {"localhost/operator/default/web.json"}});
//   calls.Score("n", pod);   // the less, the better: ReverseScores makes scores of it
//
// The calls of a pod are the union of its profiles: those of its security context, of its
// containers, and one that an annotation names. Of a profile count the calls that are allowed or
// logged. A pod without any has those of the default profile.
//
// The score of a node, with H the calls of its pods and S those of the pod: the calls in H that are
// not in S, and for each pod of the node the calls in H and S that are not its own. A node without
// pods scores 0. A pod without calls, the default profile being empty, scores the largest number.
//
// Pods of a node are told apart by their names alone, without namespaces, as the peer does. A node
// keeps its calls when a pod leaves that was not known. Cost: O(pods of the node x calls).
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_SYSTEM_CALLS_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_SYSTEM_CALLS_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::scheduler_plugins {

using CallNames = std::set<std::string>;

struct ProfileName {
  std::string name_space, name;
  friend auto operator<=>(const ProfileName&, const ProfileName&) = default;
};
// Reads ".../NAMESPACE/NAME.json". Returns an empty name for a path of less than two parts.
ProfileName ProfileNameOf(std::string_view path);

struct ProfileRule {
  std::string action;  // "SCMP_ACT_ALLOW"
  std::vector<std::string> calls;
};

struct ProfiledPod {
  std::string name;
  std::vector<std::string> paths = {};  // of its profiles on the node, and of one annotation
};

class SystemCalls {
 public:
  explicit SystemCalls(ProfileName default_profile) : default_(std::move(default_profile)) {}

  void SetProfile(const ProfileName& name, std::span<const ProfileRule> rules);
  // Returns an empty set for an unknown profile.
  CallNames CallsOfProfile(const ProfileName& name) const;
  CallNames CallsOfPod(const ProfiledPod& pod) const;

  // A pod that is there already is not added again.
  void Add(const std::string& node, const ProfiledPod& pod);
  void Remove(const std::string& node, const std::string& pod);
  // Adds calls to a node without a pod.
  void AddCalls(const std::string& node, const ProfiledPod& pod);
  CallNames CallsOfNode(const std::string& node) const;
  size_t PodsOfNode(const std::string& node) const;

  int64_t Score(const std::string& node, const ProfiledPod& pod) const;

 private:
  struct Node {
    std::vector<ProfiledPod> pods;
    CallNames calls;
  };

  ProfileName default_;
  std::map<ProfileName, CallNames> profiles_;
  std::map<std::string, Node> nodes_;
};

// A pod counts once it runs when it is first seen, or once it was pending with an address.
bool CountsWhenSeen(std::string_view phase);
bool CountsWhenUpdated(std::string_view old_phase, std::string_view old_host_address);

// From 0 to 100, the largest being 0. All are 100 if none is above 0.
std::vector<int64_t> ReverseScores(std::span<const int64_t> scores);

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_SYSTEM_CALLS_H_
