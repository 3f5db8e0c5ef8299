// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Why consolidation, reclaim and preempt evict nothing for a job that waits, in words.
//
//   KaiVictimWords words(world, "reclaim");
//   words.Of(job);   // "reclaim: 3 jobs of other queues: 1 not preemptible, 2 in a queue within
//                    //  its share"
//
// Idea. Each job that holds something is counted under the first rule that keeps it from being a
// victim; the others are "considered". If the action tried the job, no eviction of some of them
// makes room. The state is the one that the action left. Jobs that ask for the same share their
// words. Jobs that no rule tells apart are counted as one group.
//
// Cost. O(jobs * log groups), and O(groups) for each kind of job that asks.
#ifndef MUSTER_PEER_KAI_VICTIM_WORDS_H_
#define MUSTER_PEER_KAI_VICTIM_WORDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/peer/kai/scenario_rules.h"
#include "lib/peer/kai/world.h"

namespace muster {

// Returns how long the job must wait before it may have victims; 0: no longer.
int64_t KaiDelayOf(const KaiWorld& world, const KaiJob& job);

class KaiVictimWords {
 public:
  // `action`: one of the three; of another action there are no words. `world` must outlive this.
  KaiVictimWords(const KaiWorld& world, std::string_view action);

  // Returns the words; empty: the action is not about such jobs. REQUIRES: the job found no node.
  std::string Of(const KaiJob& job);

 private:
  enum class Action : uint8_t { kOther, kConsolidation, kReclaim, kPreempt };
  // Why a job is no victim. kNone: it is considered.
  enum class Rule : uint8_t { kNone, kFixed, kShare, kPriority, kRuntime, kBeyond };
  // What jobs have in common that get equal words: queue, preemptible, priority, and what they
  // request, the last number of which is memory of GPUs; and whether they were tried.
  using Kind = std::tuple<uint32_t, bool, int64_t, KaiAmounts, int64_t, KaiTrial>;
  // Jobs that hold something and are equal to all rules, such as `like`.
  struct Group {
    const KaiJob* like;
    int64_t count = 0;
  };

  // Returns why no job is looked at; empty: some are.
  std::string GateOf(const KaiJob& job, const KaiReclaimer& reclaimer) const;
  void MakeGroups();
  bool IsAskedFor(const KaiJob& asks, const KaiJob& victim) const;
  Rule RuleOf(const KaiJob& asks, const KaiReclaimer& reclaimer, const KaiJob& victim);
  std::string CountsOf(const KaiJob& job, const KaiReclaimer& reclaimer);

  const KaiWorld& world_;
  const std::string name_;
  const Action action_;
  std::map<Kind, std::string> known_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;             // by job; kKaiNone: it holds nothing
  std::vector<std::optional<bool>> may_lose_;  // by queue, for one job that reclaims
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_VICTIM_WORDS_H_
