// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Gangs and their groups: which task may enter the queue, which comes next, and when all may start.
//
//   GangBook book({});
//   book.PutTask({.name = "ns/t0", .gang = "ns/a", .marks = marks});
//   if (book.MayEnqueue("ns/t0", "ns/a") == EnqueueAnswer::kYes) ...
//   book.Begin("ns/t0", "ns/a");          // the group is scheduled now
//   Permit permit = book.AtPermit("ns/t0", "ns/a");
//   std::optional<std::string> next = book.Next();
//
// Idea. One task of a group stands in the queue. When it is tried, the group has its turn: its
// pending tasks follow one after the other, before all others. Tasks with a place wait at permit
// until every gang of the group has its least number, and then all may start. A failure ends the
// turn of a strict gang: its waiting tasks are rejected, and further ones fail at once.
//
// Peer. Koordinator's coscheduling. Where it surprises:
// - A gang that an object declares, and of which only tasks are known yet, has a group of its own.
//   What is known of it, such as that it was satisfied, is lost when the object comes.
// - A gang that tasks declare takes the marks of the first task that has them, and goes with its
//   last task. A gang of an object goes with the object.
// - A gang keeps its first group, though its rules may later name another.
// - At permit a gang of the group counts as it is; a missing one holds all of them up.
// - Under the policy of once satisfied a group that a task of it was ever bound in is never held up
//   nor rejected again.
//
// Ties. Pending tasks of a gang come by name; the peer takes them from a map.
//
// Cost. O(gangs of the group * log) a call, Next also O(pending tasks).
#ifndef MUSTER_PEER_KOORDINATOR_GANGS_GANG_BOOK_H_
#define MUSTER_PEER_KOORDINATOR_GANGS_GANG_BOOK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/peer/koordinator/gangs/gang_group.h"
#include "lib/peer/koordinator/gangs/gang_rules.h"

namespace muster::koordinator {

struct GangTask {
  std::string name = {};     // unique
  std::string gang = {};     // empty: none
  bool is_declared = false;  // the gang has an object, so that the task's marks are not read
  bool is_bound = false;
  GangMarks marks = {};
};

struct Gang {
  using Names = std::set<std::string>;

  std::string name = {};
  bool is_ready = false;  // its rules are known
  bool has_object = false;
  GangRules rules = {};
  Names tasks = {}, pending = {}, waiting = {}, bound = {};
  std::shared_ptr<GangGroup> group = {};
  bool has_group = false;  // one that it shares
};

enum class EnqueueAnswer : uint8_t {
  kYes,
  kNoGang,       // the task's gang is not known
  kNotReady,     // its gang's rules are not
  kTooFew,       // a gang of the group is missing, or has too few tasks
  kNotTried,     // the group has its turn, which comes to the task
  kNotPending,   // the gang does not have the task as pending
  kRepresented,  // another task of the group is in the queue
};

enum class PermitAnswer : uint8_t { kNoGang, kGangMissing, kWait, kAllow };
struct Permit {
  PermitAnswer answer;
  int64_t wait = 0;  // nanoseconds
};

enum class BeginAnswer : uint8_t { kYes, kNoGang, kNotReady, kTooFew, kGroupFailed };

class GangBook {
 public:
  explicit GangBook(const GangDefaults& defaults) : defaults_(defaults) {}

  // --- events
  void PutTask(const GangTask& task);
  void RemoveTask(const std::string& task, const std::string& gang);
  void PutGang(const std::string& gang, const GangMarks& marks);
  void ChangeGang(const std::string& gang, const GangMarks& marks);  // nothing if it is missing
  void RemoveGang(const std::string& gang);

  // --- the way of a task; a task of no gang has an empty one
  EnqueueAnswer MayEnqueue(const std::string& task, const std::string& gang);
  // Begins the turn of the task's group if no group has it.
  BeginAnswer Begin(const std::string& task, const std::string& gang);
  // Returns the next task of the turn, or ends the turn.
  std::optional<std::string> Next();
  bool has_turn() const { return turn_.has_value(); }
  Permit AtPermit(const std::string& task, const std::string& gang);
  // Returns the tasks that start now: all that wait in the group.
  std::vector<std::string> Allow(const std::string& gang);
  void Bind(const std::string& task, const std::string& gang);
  // The task found no place, or lost it. Both return whether all waiting tasks of the group are
  // rejected.
  bool Fail(const std::string& gang);
  bool Unreserve(const std::string& task, const std::string& gang);

  // --- state
  const Gang* Find(const std::string& gang) const;
  Gang* Find(const std::string& gang);
  const std::map<std::string, Gang>& gangs() const { return gangs_; }
  const std::map<std::string, std::shared_ptr<GangGroup>>& groups() const { return groups_; }

 private:
  struct Turn {
    std::vector<std::string> group;  // gangs
    std::string first_gang;
    std::set<std::string> tried;
    bool has_failed = false;
  };

  Gang& Get(const std::string& name);
  void Declare(Gang* gang, const GangMarks& marks);
  void Share(Gang* gang);
  void Drop(const std::string& name);
  void SetBound(const std::string& task, Gang* gang);
  bool IsComplete(const Gang& gang) const;   // all gangs of the group have tasks enough
  bool IsSatisfied(const Gang& gang) const;  // for good
  bool IsPermitted(const Gang& gang) const;

  GangDefaults defaults_;
  std::map<std::string, Gang> gangs_;
  std::map<std::string, std::shared_ptr<GangGroup>> groups_;  // shared ones, by name
  std::optional<Turn> turn_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_GANGS_GANG_BOOK_H_
