// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Coscheduling: pods of a group wait with their nodes until enough of them have one.
//
//   PodGroups groups({.backoff = 30});
//   groups.SetGroup("team/train", {.min_member = 3, .created = 100});
//   groups.SetPod({.name_space = "team", .name = "train-0", .group = "train"});
//   groups.CheckGroup(pod, nodes, now);   // kPass, or why no node is tried
//   groups.Permit(pod);                   // kWait: 60 seconds; kAllow, with the pods that waited
//   groups.NothingFits(pod, now);         // kRejected, with the pods that waited
//
// A group is an object with a name, and the pods of its namespace with that name as their label.
// The pods come one by one:
// 1. Order. Higher priority first, then the earlier time, then the smaller "namespace/name" of the
//    pod. The time of a group's pod is the last failure of the group, else when the group was
//    created. So pods of a group follow one another. A group that failed goes behind newer ones.
// 2. Check (the peer's PreFilter). A pod is not tried while its group is backed off. It is not
//    tried while the group has fewer pods without gates than its least number, or while the cluster
//    has less room than the group's least amounts. A group that passed is not checked for room
//    again until it fails or the timeout has passed.
// 3. Permit. A pod with a node waits until `min_member` pods of its group have nodes. Then all go.
//    The first pod to wait makes the others of its group active. Pods that run count, too, so that
//    later pods of a running group pass one by one.
// 4. No node fits (the peer's PostFilter). If more than a tolerated part of the group is without a
//    node, all its waiting pods are rejected, and it is backed off, if it could have been complete.
// 5. A pod that gives its node up takes all waiting pods of its group with it.
//
// Room: of each amount that the group needs, what a node has left is subtracted, node after node,
// without the group's own pods. An amount that came to 0 is dropped for good. What is left may be
// negative, which makes the need larger: the order of nodes matters.
//
// The callers keep clocks and queues. Times are seconds. Pods that Permit allows and NothingFits
// rejects no longer wait; the caller calls GiveUp for each that was rejected. Unknown pods and
// groups are no error. Cost: O(log groups + pods of the group), and O(nodes x their pods) for room.
#ifndef MUSTER_PEER_SCHEDULER_PLUGINS_COSCHEDULING_H_
#define MUSTER_PEER_SCHEDULER_PLUGINS_COSCHEDULING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/peer/scheduler_plugins/pod_view.h"

namespace muster::scheduler_plugins {

struct PodGroupSpec {
  int64_t min_member = 0;
  Amounts min_resources = {};  // empty: the cluster's room is not checked
  std::optional<double> timeout = {};
  double created = 0;
};

struct GroupPod {
  std::string name_space, name;
  std::string group = {};  // its label; empty: the pod has none
  bool is_gated = false;
  bool has_node = false;
};

// What is left of a node without the pods of a group.
struct RoomNode {
  struct Holder {
    std::string group;  // "namespace/name", or empty
    Amounts request;
  };
  Amounts allocatable = {};  // "pods" among them
  std::vector<Holder> pods = {};
};
// Returns what the nodes lack of `need` for a group; empty: nothing.
Amounts MissingRoom(std::span<const RoomNode> nodes, Amounts need, std::string_view group);

struct CoschedulingOptions {
  double permit_timeout = 60;  // where the group sets none; 0 counts as 60
  double backoff = 0;
  double tolerated_part = 0.1;  // of the group that may be without nodes when one fits none
};

// Why no node is tried; kPass if nodes are.
enum class GroupCheck : uint8_t { kPass, kBackedOff, kTooFewPods, kGated, kNoRoom };

struct PermitAnswer {
  enum class Code : uint8_t { kAllow, kNoGroup, kWait };
  Code code = Code::kAllow;       // kNoGroup: the label names no group; the pod is refused
  double seconds = 0;             // kWait: for how long at most
  std::vector<std::string> pods;  // kAllow: that waited; kWait: to be made active
};

struct FailureAnswer {
  enum class Code : uint8_t { kNoGroup, kEnough, kTolerated, kRejected };
  Code code = Code::kNoGroup;
  std::vector<std::string> rejected;  // that waited
};

// A pod in the queue. `first_tried` is when it was first tried, or came.
struct WaitingPod {
  GroupPod pod;
  int32_t priority = 0;
  double first_tried = 0;
};

// "namespace/name" of the pod, and of its group.
std::string FullNameOf(const GroupPod& pod);
std::string GroupKeyOf(const GroupPod& pod);

// What is remembered of a group while its pods come and go.
struct GroupPast {
  std::optional<double> failed = {}, backed_off_until = {}, permitted_until = {};
};

class PodGroups {
 public:
  explicit PodGroups(const CoschedulingOptions& options) : options_(options) {}

  // Objects, as they come and go. `key` is "namespace/name".
  void SetGroup(const std::string& key, const PodGroupSpec& spec) { groups_[key].spec = spec; }
  void RemoveGroup(const std::string& key) { groups_[key].spec.reset(); }
  void SetPod(const GroupPod& pod);
  void RemovePod(const GroupPod& pod);

  bool IsBefore(const WaitingPod& a, const WaitingPod& b) const;
  // The time that orders a pod.
  double QueueTime(const WaitingPod& waiting) const;
  GroupCheck CheckGroup(const GroupPod& pod, std::span<const RoomNode> nodes, double now);
  PermitAnswer Permit(const GroupPod& pod);
  FailureAnswer NothingFits(const GroupPod& pod, double now);
  // Returns the waiting pods that are rejected with it.
  std::vector<std::string> GiveUp(const GroupPod& pod, double now);

  void MarkFailed(const std::string& key, double now) { groups_[key].failed = now; }
  void ClearFailed(const std::string& key) { groups_[key].failed.reset(); }

  // For callers that make the groups anew from time to time.
  GroupPast PastOf(const std::string& key) const;
  void SetPast(const std::string& key, const GroupPast& past);
  // A pod with a node that waits; SetPod has been called for it.
  void SetWaiting(const GroupPod& pod) { groups_[GroupKeyOf(pod)].waiting.insert(pod.name); }

 private:
  struct Group {
    std::optional<PodGroupSpec> spec;  // absent: pods name a group that is not there
    std::map<std::string, bool> pods;  // by name: whether the pod is gated
    std::set<std::string> assigned, waiting;
    std::optional<double> failed, backed_off_until, permitted_until;  // as in GroupPast
  };
  // Returns null for a pod without a group, or with one that is not there.
  Group* Find(const GroupPod& pod);
  double Timeout(const PodGroupSpec& spec) const;
  static std::vector<std::string> TakeWaiting(Group* group);

  CoschedulingOptions options_;
  std::map<std::string, Group> groups_;
};

}  // namespace muster::scheduler_plugins

#endif  // MUSTER_PEER_SCHEDULER_PLUGINS_COSCHEDULING_H_
