// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What queues have used before, as parts of the cluster: time-based fair share of KAI Scheduler.
//
//   KaiUsageMemory usage(rules, now);
//   usage.Recall(slot);              // from earlier plans
//   usage.Settle(histories, &world); // the time that has passed counts; sets the fair shares
//   usage.Remember(&slot);
//
// A queue's usage is what it held over a window of time, in cpu, memory and GPUs, divided by what
// the nodes had over the same window. With a half-life a time counts half for each that has passed
// since. Fair shares weigh it with option `k` (fair_share.h).
//
// What queues hold when a plan opens counts for the time since the plan before it, or since the
// latest history. A history stands for a window up to its time in which the queue held its amounts;
// it replaces what is remembered of the queue up to then, once.
//
// A sliding window moves in steps of a sixtieth of itself, the oldest of which counts in part. A
// tumbling one begins anew each time it has passed.
//
// Rows of slot kai-usage: "time" {time, time of the first plan, width of steps, begin of step 0,
// half-life}; "history/QUEUE" {time} of the history that has replaced what was remembered; and for
// each step of the window "all/STEP" {cpu, memory, GPUs} of the nodes and "queue/STEP/NAME" of a
// queue. These are amounts times seconds, decayed up to the time. Under rules of other steps or
// another half-life the sums begin anew.
//
// Peer. Its monitoring samples these sums once a minute.
//
// Cost. O(60 * queues).
#ifndef MUSTER_PEER_KAI_USAGE_MEMORY_H_
#define MUSTER_PEER_KAI_USAGE_MEMORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/peer/kai/facts.h"
#include "lib/peer/kai/world.h"
#include "muster/memory.h"

namespace muster {

inline constexpr MemoryDecl kKaiUsageSlot = {"kai-usage", 1};

// What a queue held on average, up to a time.
struct KaiUsageHistory {
  uint32_t queue = 0;
  int64_t as_of = 0;
  KaiAmounts held = {};
};

class KaiUsageMemory {
 public:
  KaiUsageMemory(const KaiUsageRules& rules, int64_t now);

  // Rows that are malformed, or before the window, are skipped. Times after now are now.
  void Recall(const MemorySlot& slot);
  // Brings the sums up to now, sets the usage of queues, and divides the fair shares anew.
  // REQUIRES: the world was opened just now.
  void Settle(const std::vector<KaiUsageHistory>& histories, KaiWorld* world);
  // Replaces the rows.
  void Remember(MemorySlot* slot) const;

 private:
  // Sums of a step: of the nodes, and of queues by name.
  struct Step {
    KaiAmounts all = {};
    std::map<std::string, KaiAmounts> queues = {};
  };

  int64_t BeginOf(int64_t step) const { return origin_ + step * width_; }
  int64_t StepOf(int64_t time) const;
  // Returns how much the time from `begin` to `end` counts now.
  double WeightOf(int64_t begin, int64_t end) const;
  void Decay();
  void Replace(const std::string& queue, int64_t as_of);
  void Count(const KaiWorld& world, int64_t since);
  KaiAmounts SumUp(const KaiWorld& world, std::vector<KaiAmounts>* used) const;

  const KaiUsageRules rules_;
  const int64_t now_;
  int64_t origin_ = 0, width_ = 1, begin_ = 0;  // of steps; of the window
  std::optional<int64_t> time_ = {};            // up to which the sums go
  std::optional<int64_t> from_ = {};            // of the first plan
  std::map<int64_t, Step> steps_;
  std::map<std::string, int64_t> replaced_;  // by queue: up to when its history stands for it
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_USAGE_MEMORY_H_
