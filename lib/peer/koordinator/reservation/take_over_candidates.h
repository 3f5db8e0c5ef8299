// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Running tasks that reservations of the whole cluster may take over, by node.
//
//   TakeOverCandidates candidates;
//   candidates.Follow({}, {.uid = "a", .node = "n1", .is_candidate = true, .priority = 5});
//   candidates.Of("n1");   // {"a"}
//
// Peer. Koordinator's cache of pre-allocatable pods: the highest priority first, then by uid.
// Surprises: a task that is added a second time with another priority stands twice, and the older
// place stays when the task leaves. A new priority for a task that is not there adds it, on a node
// with another candidate. Cost: O(log candidates of the node) a change.
#ifndef MUSTER_PEER_KOORDINATOR_RESERVATION_TAKE_OVER_CANDIDATES_H_
#define MUSTER_PEER_KOORDINATOR_RESERVATION_TAKE_OVER_CANDIDATES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster {

class TakeOverCandidates {
 public:
  // A task as an event shows it. Without a uid: it is not there.
  struct Shown {
    std::string uid = {}, node = {};  // the node is empty while it waits
    bool is_candidate = false;
    int64_t priority = 0;
  };
  // Takes an event: what the task was, and what it is now.
  void Follow(const Shown& before, const Shown& now);

  void Add(const Shown& task);
  void ChangePriority(const Shown& task);
  void Remove(const std::string& node, const std::string& uid);

  // Uids, the first to be taken over first.
  std::vector<std::string> Of(const std::string& node) const;
  // Nodes with a candidate.
  std::vector<std::string> Nodes() const;

  // Returns whether `a` is taken over before `b`.
  static bool Before(const Shown& a, const Shown& b);

 private:
  struct Place {
    int64_t priority;
    std::string uid;
    bool operator<(const Place& other) const {
      return priority != other.priority ? priority > other.priority : uid < other.uid;
    }
  };
  struct OnNode {
    std::set<Place> order;
    std::map<std::string, int64_t> priorities;  // by uid
  };
  std::map<std::string, OnNode> nodes_;
};

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_RESERVATION_TAKE_OVER_CANDIDATES_H_
