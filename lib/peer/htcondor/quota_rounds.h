// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rounds of a cycle in which groups take turns under their quotas.
//
//   QuotaRounds rounds(rules, &tree, usage);
//   rounds.Begin(pool, demand, has_submitters);
//   rounds.Run(now, [&](const GroupTurn& turn) { return Negotiate(turn); });
//
// 1. Quotas are assigned, and what groups request is shared out among them.
// 2. Groups take turns in the order of their sort keys, with a limit each.
// 3. What a group could not use goes back; if others can use it, there is another round.
//
// Where the peer surprises:
// - A limit is handed on as an integer: fractions are cut, with weights, too.
// - Where no group accepts surplus, 0 / 0 can make a limit of -2147483648: the group has a turn and
//   gets nothing.
// - Sort keys and usage are those of the beginning of a round.
//
// A round has at most 10,000 turns of a group: where the rate would need more, limits grow faster.
#ifndef MUSTER_PEER_HTCONDOR_QUOTA_ROUNDS_H_
#define MUSTER_PEER_HTCONDOR_QUOTA_ROUNDS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lib/peer/htcondor/class_ad.h"
#include "lib/peer/htcondor/group_tree.h"

namespace muster::condor {

struct RoundRules {
  bool weights = true;
  bool preemption = true;
  bool strict = true;  // a group that accepts no surplus is held to its quota
  int most_rounds = 3;
  double rate = 1e100;  // by how much limits grow from turn to turn of a round
};

// What groups are ordered by: an expression over AccountingGroup, GroupQuota and
// GroupResourcesInUse. Groups of equal keys keep the order of the tree.
class GroupSortKey {
 public:
  // Absent: how much of its quota a group uses; groups without quota come behind, the root last.
  GroupSortKey(AdNames* names, std::optional<AdExpression> expression);
  // `now` is what time() is.
  double Of(const Group& group, double usage, int64_t now) const;

 private:
  AdName group_, quota_, usage_, time_;
  std::optional<AdExpression> expression_;
};

struct GroupTurn {
  GroupIndex group = kRootGroup;
  double allocated = 0, sort_key = 0;
  int64_t limit = 0;
  double usage = 0;  // when the round began
};

class QuotaRounds {
 public:
  using Usage = std::function<double(GroupIndex g)>;
  // Returns whether the group has submitters left for another turn.
  using TakeTurn = std::function<bool(const GroupTurn& turn)>;
  // All must outlive this.
  QuotaRounds(const RoundRules& rules, const GroupSortKey& key, GroupTree* tree, Usage usage)
      : rules_(rules), key_(key), tree_(*tree), usage_(std::move(usage)) {}

  // Assigns quotas and requests. `demand`, and whether a group has submitters: by group.
  void Begin(double pool, const std::vector<double>& demand, std::vector<uint8_t> has_submitters);
  void Run(int64_t now, const TakeTurn& take_turn);
  // By group, as last read.
  const std::vector<double>& usage() const { return used_; }

 private:
  void Allocate();
  void TakeTurns(const TakeTurn& take_turn);
  double LimitOf(GroupIndex g, double progress) const;
  double SubtreeUsage(GroupIndex g, GroupIndex known = kNoGroup, double known_sum = 0) const;
  // Returns whether all that is allocated is used.
  bool Settle();
  void ReadUsage();

  const RoundRules rules_;
  const GroupSortKey& key_;
  GroupTree& tree_;
  const Usage usage_;
  double pool_ = 0;
  int64_t now_ = 0;
  std::vector<uint8_t> has_submitters_;
  std::vector<double> used_;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_QUOTA_ROUNDS_H_
