// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the gangs of a group share: one task in the queue for all, and whether they were satisfied.
//
//   GangGroup group("a,b", {"a", "b"});
//   bool is_first = group.Represent("ns/t0") == "ns/t0";
//
// Idea. Only one task of a group, its representative, waits in the scheduler's queue. Once a task
// of the group was bound, the group counts as satisfied for good. While gangs wait at permit the
// group keeps their names, and with them the tasks that are being bound together.
//
// Peer. Koordinator's gang group. The tasks that are being bound are forgotten when the last gang
// no longer waits.
//
// Cost. O(log) a change.
#ifndef MUSTER_PEER_KOORDINATOR_GANGS_GANG_GROUP_H_
#define MUSTER_PEER_KOORDINATOR_GANGS_GANG_GROUP_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::koordinator {

class GangGroup {
 public:
  using Names = std::set<std::string>;

  GangGroup(std::string name, std::vector<std::string> gangs)
      : name_(std::move(name)), gangs_(std::move(gangs)) {}

  const std::string& name() const { return name_; }

  // Makes the task the representative if there is none, and returns the representative.
  const std::string& Represent(const std::string& task) {
    if (representative_.empty()) representative_ = task;
    return representative_;
  }
  const std::string& representative() const { return representative_; }
  void ClearIfRepresentative(const std::string& task) {
    if (representative_ == task) representative_.clear();
  }
  void ClearRepresentative() { representative_.clear(); }

  bool was_satisfied() const { return was_satisfied_; }
  void SetSatisfied() { was_satisfied_ = true; }

  // All gangs of the group begin to wait together, and end one by one.
  void BeginWaiting() { waiting_.insert(gangs_.begin(), gangs_.end()); }
  void EndWaiting(const std::string& gang) {
    waiting_.erase(gang);
    if (waiting_.empty()) binding_.clear();
  }
  void EndAllWaiting() {
    waiting_.clear();
    binding_.clear();
  }
  const Names& waiting() const { return waiting_; }

  // Tasks that are being bound together.
  void SetBinding(Names tasks) { binding_ = std::move(tasks); }
  const Names& binding() const { return binding_; }

 private:
  std::string name_;
  std::vector<std::string> gangs_;
  std::string representative_;  // empty: none
  bool was_satisfied_ = false;
  Names waiting_, binding_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_GANGS_GANG_GROUP_H_
