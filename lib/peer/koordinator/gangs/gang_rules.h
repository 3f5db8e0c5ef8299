// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a gang declares, and what it means where it declares less.
//
//   GangRules rules = RulesOf({.least = 3, .mode = "NonStrict"}, "ns/a", {});
//   GroupName({"ns/b", "ns/a"});                                    // "ns/a,ns/b"
//
// Idea. A gang has a least number of tasks, a mode, a policy of matching, a time to wait at permit,
// and a group of gangs that start together. A task or an object of its own declares them.
//
// Peer. Koordinator's marks of gangs. Marks that cannot be read are as if they were absent, except
// for the least number of a task's gang, without which the gang is not declared at all. A total
// below the least number becomes that number.
//
// Cost. O(gangs of the group).
#ifndef MUSTER_PEER_KOORDINATOR_GANGS_GANG_RULES_H_
#define MUSTER_PEER_KOORDINATOR_GANGS_GANG_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::koordinator {

// Which tasks of a gang count towards its least number at permit.
enum class MatchPolicy : uint8_t {
  kUnset,              // as kOnceSatisfied at permit, and never satisfied before it
  kOnlyWaiting,        // those that wait
  kWaitingAndRunning,  // those that wait and those that are bound
  kOnceSatisfied,      // those that wait, or all if a task of the group was ever bound
};
// Returns kUnset for a word that is none of the peer's.
MatchPolicy MatchPolicyByName(std::string_view name);

struct GangMarks {
  std::optional<int64_t> least = {}, total = {};
  std::string mode = {}, policy = {};
  std::optional<int64_t> wait = {};     // nanoseconds
  std::vector<std::string> group = {};  // names of gangs; empty: the gang alone
};

struct GangDefaults {
  MatchPolicy policy = MatchPolicy::kOnceSatisfied;
  int64_t wait = 600'000'000'000;  // nanoseconds
};

struct GangRules {
  int64_t least = 0, total = 0;
  bool is_strict = true;  // one failure rejects all waiting tasks of the group
  MatchPolicy policy = MatchPolicy::kOnceSatisfied;
  int64_t wait = 0;
  std::vector<std::string> group = {};  // names ascending
};

GangRules RulesOf(const GangMarks& marks, const std::string& gang, const GangDefaults& defaults);

// Returns the group's name: its gangs, ascending, with commas between them.
std::string GroupName(std::vector<std::string> gangs);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_GANGS_GANG_RULES_H_
