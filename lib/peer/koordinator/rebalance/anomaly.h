// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Whether a node is over its thresholds long enough to act: counts of rounds in a row.
//
//   AnomalyBook book;
//   if (book.MarkAbnormal("n1", {.abnormal_rounds = 5}, now)) ...   // from the sixth in a row
//
// Idea. A node is normal until it was abnormal for more than some rounds in a row. It is abnormal
// until it was normal for more than some rounds, until a timeout, or until it is reset.
//
// Peer. Koordinator's basic detector, kept by node for a while. Where it surprises:
// - One abnormal round as the condition switches detection off, and zero rounds do not.
// - A reset of a normal node keeps its counts.
// - The timeout begins when the node becomes abnormal; further abnormal rounds do not renew it.
// - A remembered node keeps the rules with which it was first marked.
// - A condition of zero normal rounds ends the abnormal state with the first normal round.
//
// Cost. O(1) a mark.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_ANOMALY_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_ANOMALY_H_

#include <cstdint>
#include <string>

#include "lib/base/hash_map.h"

namespace muster::koordinator {

// Times are in nanoseconds.
struct AnomalyRules {
  int64_t abnormal_rounds = 5, normal_rounds = 3;
  int64_t timeout = 60'000'000'000;  // at most 0: this default
};

class AnomalyBook {
 public:
  // What is remembered of a node.
  struct Detector {
    AnomalyRules rules;
    bool is_abnormal = false;
    int64_t normal_rounds = 0, abnormal_rounds = 0;  // in a row
    int64_t ends = 0;                                // of the abnormal state
    int64_t forgotten = 0;                           // remembered up to this time
  };

  // `kept`: how long a node is remembered after a mark as abnormal.
  explicit AnomalyBook(int64_t kept = 300'000'000'000) : kept_(kept) {}

  // Returns whether the node is abnormal after this round.
  bool MarkAbnormal(const std::string& node, const AnomalyRules& rules, int64_t now);
  // Nodes that are not remembered stay so.
  void MarkNormal(const std::string& node, int64_t now);
  void Reset(const std::string& node, int64_t now);
  // Returns false for nodes that are not remembered.
  bool IsAbnormal(const std::string& node, int64_t now);

  // For a book that outlives the process: all that is remembered, and how it comes back.
  const HashMap<std::string, Detector>& detectors() const { return detectors_; }
  void Restore(const std::string& node, const Detector& detector) { detectors_[node] = detector; }

 private:
  Detector* Find(const std::string& node, int64_t now);
  static void SetState(Detector* detector, bool is_abnormal, int64_t now);
  // Ends an abnormal state that is over.
  static void Settle(Detector* detector, int64_t now);

  int64_t kept_;
  HashMap<std::string, Detector> detectors_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_ANOMALY_H_
